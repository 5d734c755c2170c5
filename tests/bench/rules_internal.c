/* SPDX-License-Identifier: BSD-3-Clause */
#include "rules_internal.h"

#include "api/solver.h"

#define ROW(name, value, meaning) {#name, value, meaning},
static const rule_row table[] = {FR_RULES(ROW)};
#undef ROW

size_t rules_internal_rows(const rule_row **rows) {
  *rows = table;
  return sizeof table / sizeof table[0];
}

void rules_internal_set(fricp_solver *solver, const double *values) {
  fr_rules rules;
#define TAKE(name, value, meaning) rules.name = *values++;
  FR_RULES(TAKE)
#undef TAKE
  fr_solver_set_rules(solver, &rules);
}
