/* SPDX-License-Identifier: BSD-3-Clause */
/* Method auto with a target many times as large as the source, as a map is to a scan: the world and the true pose are given;
 * the bound is a quarter of the radius of what stands in it. */
#include "api.h"

#include <math.h>
#include <stdlib.h>

#define MAP 60.0    /* half the map's side, in metres */
#define SCAN 12.0   /* half the scan's */
#define POSTS 900   /* of the map: one for 16 square metres */
#define RADIUS 0.2  /* of a post, ... */
#define HEIGHT 3.0  /* ... whose height this is */
#define SIGMA 0.01  /* noise */
#define AT_POST 2.0 /* a point of a post for so many of the ground */

typedef struct cloud {
  double *points;
  size_t count;
} cloud;

/* Points of a level ground and of the posts on it, of what lies within `half` of (x, y), `dense` a square metre. */
static cloud sample_world(uint64_t world, uint64_t sample, double x, double y, double half, double dense) {
  prng where = prng_seed(world, 1);
  prng g = prng_seed(world, 2 + sample);
  double post[POSTS][2];
  for (int k = 0; k < POSTS; k++)
    for (int a = 0; a < 2; a++)
      post[k][a] = prng_range(&where, -MAP, MAP);
  const size_t most = (size_t)(4 * half * half * dense);
  const size_t each = (size_t)(4 * MAP * MAP * dense / AT_POST) / POSTS;
  cloud c = {malloc((most + POSTS * each) * 3 * sizeof *c.points), 0};
  ck_assert_ptr_nonnull(c.points);
  for (size_t i = 0; i < most + POSTS * each; i++) {
    const double *at = post[i < most ? 0 : (i - most) / each];
    const double turn = prng_range(&g, 0, 6.283185307179586);
    double p[3] = {prng_range(&g, x - half, x + half), prng_range(&g, y - half, y + half), 0};
    if (i >= most) {
      p[0] = at[0] + RADIUS * cos(turn);
      p[1] = at[1] + RADIUS * sin(turn);
      p[2] = prng_range(&g, 0, HEIGHT);
    }
    if (fabs(p[0] - x) > half || fabs(p[1] - y) > half)
      continue;
    for (int a = 0; a < 3; a++)
      c.points[3 * c.count + (size_t)a] = p[a] + SIGMA * prng_normal(&g);
    c.count++;
  }
  return c;
}

/* A scan taken at (x, y), in its sensor's frame. */
static cloud scan_at(uint64_t world, const fricp_pose *map_from_sensor) {
  cloud c = sample_world(world, 1, map_from_sensor->translation[0], map_from_sensor->translation[1], SCAN, 12);
  const fricp_pose back = verify_inverse(map_from_sensor);
  for (size_t i = 0; i < c.count; i++) {
    double p[3];
    verify_apply(&back, c.points + 3 * i, p);
    for (size_t a = 0; a < 3; a++)
      c.points[3 * i + a] = p[a];
  }
  return c;
}

/* A scan of the map's own world is found and known to be, also where only the map's corner is around it; one of another world
 * is not believed. */
START_TEST(a_scan_is_found_in_a_map) {
  static const double places[][2] = {{0, 0}, {30, -20}, {-45, 41}};
  const double axis[3] = {0.02, -0.02, 1};
  const double shift[3] = {0.8, -1.1, 0.1};
  for (uint64_t world = 0; world < UNLESS_SANITIZED(4, 1); world++) {
    cloud map = sample_world(world, 0, 0, 0, MAP, 4);
    const fricp_cloud target_view = scene_view(map.points, map.count, NULL, 3);
    fricp_target *target = target_or_fail(&target_view, NULL);
    for (size_t k = 0; k < COUNT(places); k++)
      for (int same = 0; same < 2; same++) {
        const double at[3] = {places[k][0], places[k][1], 1.5};
        const fricp_pose truth = verify_pose(axis, 77 * (double)(k + 1), at);
        const fricp_pose off = verify_pose(axis, 6, shift);
        const fricp_pose guess = verify_multiply(&truth, &off);
        cloud scan = scan_at(same ? world : 100 + world, &truth);
        const fricp_cloud source = scene_view(scan.points, scan.count, NULL, 3);
        const fricp_options options = options_for(FRICP_METHOD_AUTO);
        fricp_solver *solver = NULL;
        ck_assert_int_eq(fricp_solver_create(&solver, NULL), FRICP_OK);
        const fricp_result r = align_or_fail(solver, target, &source, &guess, &options);
        const double rmse = verify_rmse(&r.target_from_source, &truth, scan.points, scan.count);
        if (same ? r.verdict != FRICP_VERDICT_RELIABLE || !(rmse < RADIUS / 4)
                 : r.verdict == FRICP_VERDICT_RELIABLE || r.verdict == FRICP_VERDICT_PARTIAL)
          ck_abort_msg("world %d, place %d, %s: verdict %d, overlaps %g %g, agreement %g, %g off", (int)world, (int)k,
                       same ? "the map's" : "another", r.verdict, r.overlap_source, r.overlap_target, r.agreement,
                       rmse);
        fricp_solver_destroy(solver);
        free(scan.points);
      }
    fricp_target_destroy(target);
    free(map.points);
  }
}
END_TEST

/* A start from which the source comes to nothing, or next to nothing, of a larger target: that is looked at whole, as any other.
 * Two samples of one thing beside four more of its size. */
START_TEST(a_start_off_the_map_is_no_reach) {
  const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 3000, .seed = 5, .noise = 0.001};
  scene s = make_scene(&spec);
  const size_t n = s.target_count;
  double *points = malloc(5 * n * 3 * sizeof *points);
  ck_assert_ptr_nonnull(points);
  for (size_t k = 0; k < 5; k++)
    for (size_t i = 0; i < 3 * n; i++)
      points[3 * n * k + i] = s.target[i] + (i % 3 == 0 ? 1.5 * s.diameter * (double)k : 0);
  const fricp_cloud source = source_of(&s);
  const fricp_cloud target = scene_view(points, 5 * n, NULL, 3);
  const fricp_options options = options_for(FRICP_METHOD_AUTO);
  for (int far = 0; far < 2; far++) {
    fricp_pose guess = s.target_from_source;
    guess.translation[1] += (far ? 40.0 : 2.2) * s.diameter;
    const fricp_result r = register_or_fail(&source, &target, &guess, &options);
    ck_assert(verify_finite(&r.target_from_source));
    ck_assert_int_gt(r.candidates, 0);
    double p[3];
    verify_apply(&r.target_from_source, s.source, p);
    ck_assert_double_lt(fabs(p[1]), 2 * s.diameter); /* it came to the things */
  }
  free(points);
  scene_free(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_scan_is_found_in_a_map, a_start_off_the_map_is_no_reach};
  return run_suite("map", tests, COUNT(tests));
}
