/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a target is thinned to cells: a disc on a square of evenly spread points, where areas tell what to expect. */
#include "align/thinned.h"
#include "cloud/frames.h"
#include "counting.h"
#include "fixture.h"
#include "prng.h"
#include "scene.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISC 2.0 /* radius */
#define POINTS 6000
#define MOST 0.9 /* of the source's cells lie within its radius, which of a disc's area are within ... */
#define RADIUS (DISC * 0.9486832980505138) /* ... DISC * sqrt(MOST) */
#define REACH 2.0                          /* radii */
#define CELLS 1500                         /* of the larger cloud, where it is looked at whole */

typedef struct pair {
  double *points[2]; /* the source's, the target's */
  fricp_target *target;
  fr_source source;
  fr_matches matches;
  fr_frames frames;
  fr_thinned thinned;
} pair;

/* A disc about the origin, on a square of this half side; the disc's last point is so far off. */
static void make_astray(pair *p, double half, double stray) {
  prng g = prng_seed(31, 0);
  memset(p, 0, sizeof *p);
  const size_t count[2] = {POINTS, (size_t)(POINTS * 4 * half * half / (3.141592653589793 * DISC * DISC))};
  for (int k = 0; k < 2; k++) {
    p->points[k] = malloc(count[k] * 3 * sizeof *p->points[k]);
    ck_assert_ptr_nonnull(p->points[k]);
    for (size_t i = 0; i < count[k];) {
      double *q = p->points[k] + 3 * i;
      q[0] = prng_range(&g, -half, half);
      q[1] = prng_range(&g, -half, half);
      q[2] = 0;
      i += k == 1 || q[0] * q[0] + q[1] * q[1] < DISC * DISC;
    }
  }
  if (stray > 0)
    p->points[0][3 * (count[0] - 1)] = stray;
  fricp_cloud source;
  const fricp_cloud given = scene_view(p->points[0], count[0], NULL, 3);
  const fricp_cloud target = scene_view(p->points[1], count[1], NULL, 3);
  ck_assert_int_eq(fricp_target_create(&p->target, &target, NULL, NULL), FRICP_OK);
  ck_assert_int_eq(fr_cloud_check(&given, "source", &source, NULL), FRICP_OK);
  fixture_pack(&p->source, &p->matches, &source, p->target->extent);
  p->frames = fr_frames_of(&p->source, p->target);
}

static void make_pair(pair *p, double half) {
  make_astray(p, half, 0);
}

static void free_pair(pair *p) {
  fr_thinned_release(&p->thinned, &fixture_memory);
  fr_source_release(&p->source, &fixture_memory);
  fr_matches_release(&p->matches, &fixture_memory);
  fricp_target_destroy(p->target);
  free(p->points[0]);
  free(p->points[1]);
}

/* From a start at (x, y), turned a little. */
static void thin(pair *p, double x, double y) {
  const double axis[3] = {0, 0, 1};
  const double at[3] = {x, y, 0};
  const fricp_pose caller = verify_pose(axis, 20, at);
  const fricp_pose start = fr_pose_from_caller(&p->frames, &caller);
  fricp_error error;
  fr_thinned_release(&p->thinned, &fixture_memory);
  if (fr_thinned_make(&p->thinned, &p->source, p->target, &start, 0, &fixture_memory, NULL, 1, &error) != FRICP_OK)
    ck_abort_msg("%s", error.text);
  ck_assert(p->thinned.usable);
}

/* How far target cell i is from (x, y), in the caller's units. */
static double distance(const pair *p, size_t i, double x, double y) {
  const double *cell = p->thinned.cells[1].points[i];
  const double extent = p->target->extent;
  return hypot(extent * cell[0] + p->frames.target_center[0] - x, extent * cell[1] + p->frames.target_center[1] - y);
}

static double farthest(const pair *p, double x, double y) {
  double most = 0;
  for (size_t i = 0; i < p->thinned.cells[1].count; i++)
    most = fmax(most, distance(p, i, x, y));
  return most;
}

/* Of a target ten times as large, what lies around the start, by cells of the size that the source's area asks for. */
START_TEST(of_a_large_target_what_is_within_reach) {
  pair p;
  make_pair(&p, 10 * DISC);
  thin(&p, 7, -5);
  const double reach = REACH * RADIUS;
  ck_assert_double_eq_tol(p.thinned.radius * p.target->extent, RADIUS, 0.02 * RADIUS);
  ck_assert_double_eq_tol(farthest(&p, 7, -5), reach, 0.03 * reach);
  ck_assert_uint_gt(p.thinned.cells[1].count, CELLS);
  const double share = (double)p.thinned.cells[0].count / (double)p.thinned.cells[1].count;
  const double areas = DISC * DISC / (reach * reach);
  ck_assert_double_eq_tol(share, areas, 0.1 * areas);
  free_pair(&p);
}
END_TEST

/* However far one point of the source is from all others. */
START_TEST(a_stray_is_no_radius) {
  static const double strays[] = {1e2, 1e3, 1e4, 1e6, 1e8};
  for (size_t i = 0; i < COUNT(strays); i++) {
    pair p;
    make_astray(&p, 10 * DISC, strays[i]);
    thin(&p, 7, -5);
    ck_assert_double_eq_tol(p.thinned.radius * p.target->extent, RADIUS, 0.02 * RADIUS);
    free_pair(&p);
  }
}
END_TEST

/* A target that is not much larger, or of which nothing is around the start, is looked at whole. */
START_TEST(else_all_of_it) {
  const double half[2] = {DISC, 10 * DISC};
  for (int k = 0; k < 2; k++) {
    pair p;
    make_pair(&p, half[k]);
    thin(&p, k == 0 ? 0.5 : 40 * DISC, 0);
    ck_assert(isinf(p.thinned.radius));
    ck_assert_uint_le(p.thinned.cells[1].count, CELLS);
    ck_assert_double_eq_tol(farthest(&p, 0, 0), sqrt(2) * half[k], 0.1 * half[k]);
    free_pair(&p);
  }
}
END_TEST

/* Whichever allocation is refused, that is told, and nothing stays behind. Also with strays looked for. */
START_TEST(any_allocation_may_fail) {
  const fricp_pose start = fricp_pose_identity();
  pair p;
  make_pair(&p, 3 * DISC);
  for (int tidy = 0; tidy < 2; tidy++) {
    long refused = 0;
    fricp_status status = FRICP_ERROR_OUT_OF_MEMORY;
    while (status == FRICP_ERROR_OUT_OF_MEMORY) {
      counter c = {0, 0, ++refused};
      const fricp_allocator allocator = counting_allocator(&c);
      fr_memory memory;
      fricp_error error;
      ck_assert_int_eq(fr_memory_init(&memory, &allocator, NULL), FRICP_OK);
      status = fr_thinned_make(&p.thinned, &p.source, p.target, &start, tidy, &memory, NULL, 1, &error);
      fr_thinned_release(&p.thinned, &memory);
      ck_assert_int_eq(c.live, 0);
    }
    ck_assert_int_eq(status, FRICP_OK);
    ck_assert_int_gt(refused, 20);
  }
  free_pair(&p);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {of_a_large_target_what_is_within_reach, a_stray_is_no_radius, else_all_of_it,
                                any_allocation_may_fail};
  return run_suite("thinned", tests, COUNT(tests));
}
