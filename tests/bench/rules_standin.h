/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of c_core/align/rules.h while the core has none: the same names, and one row that does nothing. */
#ifndef FR_RULES_H
#define FR_RULES_H

#include "fricp/fricp.h"

#define FR_RULES(X) X(stand_in, 1.0, "nothing: this core has no rules to switch")

#define FR_RULES_FIELD(name, value, meaning) double name;
typedef struct fr_rules {
  FR_RULES(FR_RULES_FIELD)
} fr_rules;
#undef FR_RULES_FIELD

static inline void fr_solver_set_rules(fricp_solver *solver, const fr_rules *rules) {
  (void)solver;
  (void)rules;
}

#endif
