/* SPDX-License-Identifier: BSD-3-Clause */
#include "cloud/matches.h"

#include <math.h>
#include <string.h>

fr_reuse_function *fr_reuse_find(fr_isa isa) {
  return FR_PICK(isa, fr_reuse);
}

#define POSE_ROUNDING 1e-14 /* of y itself, and of what it moves from pass to pass */

/* Lay all arrays into one block, which large pages can hold. @return its bytes. */
static size_t lay_out(fr_matches *m, unsigned char *base, size_t n) {
  size_t bytes = 0;
  for (int a = 0; a < 3; a++)
    m->anchor[a] = fr_carve(base, &bytes, n, sizeof *m->anchor[a]);
  m->reach = fr_carve(base, &bytes, n, sizeof *m->reach);
  for (int k = 0; k < FR_KEPT; k++)
    m->kept[k] = fr_carve(base, &bytes, n, sizeof *m->kept[k]);
  m->slack = fr_carve(base, &bytes, n + FR_GROUP - 1, sizeof *m->slack);
  m->last = fr_carve(base, &bytes, (n + FR_BLOCK - 1) / FR_BLOCK, sizeof *m->last);
  m->match = fr_carve(base, &bytes, n, sizeof *m->match);
  m->distance2 = fr_carve(base, &bytes, n, sizeof *m->distance2);
  m->residual = fr_carve(base, &bytes, n, sizeof *m->residual);
  m->weight = fr_carve(base, &bytes, n, sizeof *m->weight);
  return bytes;
}

int fr_matches_reserve(fr_matches *matches, const fr_memory *memory, size_t count) {
  unsigned char *base = fr_buffer_reserve(memory, &matches->arrays, lay_out(matches, NULL, count), 1);
  if (!base)
    return -1;
  (void)lay_out(matches, base, count);
  matches->count = count;
  return 0;
}

void fr_matches_release(fr_matches *matches, const fr_memory *memory) {
  fr_buffer_release(memory, &matches->arrays);
}

fr_order fr_matches_room(const fr_matches *matches, fr_interrupt *interrupt) {
  const fr_order order = {(uint32_t *)matches->distance2, (int32_t *)matches->residual, (uint32_t *)matches->weight,
                          matches->match, interrupt};
  return order;
}

void fr_matches_forget(fr_matches *matches, fr_interrupt *interrupt) {
  const size_t n = matches->count;
  for (size_t i = 0; i < n; i++) {
    if (fr_interrupt_each(interrupt, i))
      return;
    matches->reach[i] = matches->slack[i] = -1;
    for (int a = 0; a < 3; a++)
      matches->anchor[a][i] = 0;
    for (int k = 0; k < FR_KEPT; k++)
      matches->kept[k][i] = -1;
  }
  for (size_t i = n; i < n + FR_GROUP - 1; i++)
    matches->slack[i] = 0;
  memset(matches->last, 0, (n + FR_BLOCK - 1) / FR_BLOCK * sizeof *matches->last);
  matches->slack_limit = INFINITY;
  matches->asked_points = 0;
}

void fr_matches_limit(fr_matches *matches, double limit) {
  if (limit > matches->slack_limit)
    for (size_t i = 0; i < matches->count; i++)
      matches->slack[i] = -1;
  matches->slack_limit = limit;
}

float fr_matches_slack(const fr_matches *matches, const double y[3], int found, const double *d2, double reach) {
  const double first = found > 0 ? sqrt(d2[0]) : reach;
  const double second = found > 1 ? fmin(sqrt(d2[1]), reach) : reach;
  const double alone = found > 0 ? (second * FR_ROUND_DOWN - first) / 2 : -1;
  const double beyond = fmin(first, reach) * FR_ROUND_DOWN - matches->slack_limit;
  const double rounding = POSE_ROUNDING * (fabs(y[0]) + fabs(y[1]) + fabs(y[2]));
  return (float)((fmax(alone, beyond) - rounding) * FR_ROUND_DOWN);
}

void fr_matches_store(fr_matches *matches, size_t point, const double at[3], int found, const int32_t *position,
                      const double *d2, double reach) {
  for (int a = 0; a < 3; a++)
    matches->anchor[a][point] = (float)at[a];
  matches->reach[point] = (float)(reach * FR_ROUND_DOWN);
  matches->slack[point] = fr_matches_slack(matches, at, found, d2, reach);
  for (int k = 0; k < FR_KEPT; k++)
    matches->kept[k][point] = k < found ? position[k] : -1;
}
