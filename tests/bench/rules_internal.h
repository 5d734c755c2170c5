/* SPDX-License-Identifier: BSD-3-Clause */
/* The core's rules and constants, a row each, which no public option sets: for the measurement of what each is worth. */
#ifndef FRICP_BENCH_RULES_INTERNAL_H
#define FRICP_BENCH_RULES_INTERNAL_H

#include <stddef.h>

#include "fricp/fricp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rule_row {
  const char *name;
  double value; /* the default; 1 for a rule that is on or, at 0, off */
  const char *meaning;
} rule_row;

/* @return how many; *rows: all of them, static. */
size_t rules_internal_rows(const rule_row **rows);
/* `values` has one for each row, in that order. Holds until the next such call. */
void rules_internal_set(fricp_solver *solver, const double *values);

#ifdef __cplusplus
}
#endif

#endif
