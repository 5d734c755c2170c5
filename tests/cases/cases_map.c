/* SPDX-License-Identifier: BSD-3-Clause */
/* Real scans of spinning lidars in a map: the clouds of all such pairs of the shared folder, far from one another. */
#include "cases.h"
#include "cases_suite.h"
#include "fricp/fricp.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#define MOST 16
#define APART 300.0 /* metres between two targets, in whose frames the true poses are */

typedef struct scans {
  case_row row[MOST];
  case_pair pair[MOST];
  size_t count;
} scans;

static void load(scans *s) {
  size_t count = 0;
  char folder[1024];
  case_row *rows = shared_pairs(folder, &count);
  s->count = 0;
  for (size_t i = 0; i < count && s->count < MOST; i++) {
    if (strncmp(rows[i].name, "lidar_", 6) != 0)
      continue;
    const char *problem = cases_load(folder, &rows[i], &s->pair[s->count]);
    if (problem)
      ck_abort_msg("%s: %s", rows[i].name, problem);
    s->row[s->count++] = rows[i];
  }
  free(rows);
  ck_assert_uint_ge(s->count, 5);
}

/* All targets, of which number k is where it was. */
static fricp_target *map_around(const scans *s, size_t k) {
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++)
    count += s->pair[i].target.count;
  double *points = malloc(count * 3 * sizeof *points);
  ck_assert_ptr_nonnull(points);
  double *next = points;
  for (size_t i = 0; i < s->count; i++)
    for (size_t j = 0; j < s->pair[i].target.count; j++, next += 3) {
      memcpy(next, s->pair[i].target.points + 3 * j, 3 * sizeof *next);
      next[0] += APART * ((double)i - (double)k);
    }
  const fricp_cloud map = scene_view(points, count, NULL, 3);
  fricp_target *target = NULL;
  fricp_error error;
  if (fricp_target_create(&target, &map, NULL, &error) != FRICP_OK)
    ck_abort_msg("%s: %s", s->row[k].name, error.text);
  free(points);
  return target;
}

/* Right and known to be, as beside its own target alone. */
START_TEST(a_scan_is_found_among_others) {
  static scans s;
  load(&s);
  fricp_solver *solver = NULL;
  ck_assert_int_eq(fricp_solver_create(&solver, NULL), FRICP_OK);
  for (size_t k = 0; k < s.count; k++) {
    fricp_target *target = map_around(&s, k);
    const fricp_cloud source = scene_view(s.pair[k].source.points, s.pair[k].source.count, NULL, 3);
    const fricp_options options = FRICP_OPTIONS_INIT;
    fricp_result r = FRICP_RESULT_INIT;
    if (fricp_solver_align(solver, target, &source, &s.pair[k].start, &options, &r) != FRICP_OK)
      ck_abort_msg("%s: %s", s.row[k].name, fricp_solver_last_error(solver));
    const case_verdict v = cases_judge(&s.row[k], &s.pair[k], &r.target_from_source);
    if (!v.passed || r.verdict != FRICP_VERDICT_RELIABLE)
      ck_abort_msg("%s: %s, %g off (%g are right), overlaps %g %g", s.row[k].name, fricp_verdict_name(r.verdict),
                   v.rmse, s.row[k].pass_rmse, r.overlap_source, r.overlap_target);
    fricp_target_destroy(target);
  }
  fricp_solver_destroy(solver);
  for (size_t k = 0; k < s.count; k++)
    cases_free(&s.pair[k]);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_scan_is_found_among_others};
  return run_cases("map", tests, COUNT(tests));
}
