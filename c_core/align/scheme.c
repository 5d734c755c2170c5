/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/scheme.h"

#define ROW(id, name) [FR_SCHEME_##id] = &fr_scheme_##name,
static const fr_scheme *const schemes[] = {FR_SCHEMES(ROW)};

const fr_scheme *fr_scheme_find(fr_scheme_id id) {
  return schemes[id];
}
