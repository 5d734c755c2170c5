/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/rules.h"

#define VALUE(name, value, meaning) value,
const fr_rules fr_default_rules = {FR_RULES(VALUE)};
