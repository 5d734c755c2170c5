/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts and locks: coordinates there and back, derivatives against differences, which locks make groups, and the closed
 * alignment under a lock against an independent minimisation. */
#include "align/open.h"
#include "maths/freedom.h"
#include "model/metric.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <string.h>

static fricp_pose random_pose(prng *g, double degrees) {
  double axis[3];
  const double shift[3] = {prng_range(g, -1, 1), prng_range(g, -1, 1), prng_range(g, -1, 1)};
  prng_direction(g, axis);
  return verify_pose(axis, degrees, shift);
}

static fr_chart random_chart(prng *g) {
  const fr_chart chart = {random_pose(g, 80), random_pose(g, 50)};
  return chart;
}

START_TEST(coordinates_there_and_back) {
  prng g = prng_seed(1, 0);
  for (int trial = 0; trial < 200; trial++) {
    const fr_chart chart = random_chart(&g);
    double x[6];
    double y[6];
    for (int k = 0; k < 6; k++)
      x[k] = prng_range(&g, -1.5, 1.5); /* a turn by at most 2.6 */
    const fricp_pose pose = fr_chart_pose(&chart, x);
    fr_chart_coordinates(&chart, &pose, y);
    for (int k = 0; k < 6; k++)
      ck_assert_double_le(fabs(x[k] - y[k]), 1e-14 * 10);
    ck_assert_double_le(verify_orthonormality(&pose), 1e-15 * 4);
  }
}
END_TEST

START_TEST(rows_are_derivatives) {
  prng g = prng_seed(2, 0);
  for (int trial = 0; trial < 50; trial++) {
    const fr_chart chart = random_chart(&g);
    const fricp_pose pose = random_pose(&g, 100);
    double row[6][6];
    fr_chart_rows(&chart, &pose, row);
    for (int i = 0; i < 6; i++) {
      double x[2][6];
      for (int side = 0; side < 2; side++) {
        fr_twist twist = {{0}};
        twist.v[i] = side ? 1e-5 : -1e-5;
        const fricp_pose step = fr_exp(&twist);
        const fricp_pose moved = fricp_pose_multiply(&step, &pose);
        fr_chart_coordinates(&chart, &moved, x[side]);
      }
      for (int k = 0; k < 6; k++)
        ck_assert_double_le(fabs((x[1][k] - x[0][k]) / 2e-5 - row[k][i]), 1e-8);
    }
  }
}
END_TEST

/* Do the motions of a set make a group? By theory: turns about none, one or all axes, and shifts that the turns map onto
 * themselves. */
static int is_group(int locked) {
  const int turns = 7 & ~locked;
  const int shifts = 7 & ~(locked >> 3);
  if (turns == 7)
    return shifts == 0 || shifts == 7;
  if (turns == 1 || turns == 2 || turns == 4)
    return (shifts | turns) == turns || (shifts | turns) == 7;
  return turns == 0;
}

/* What two motions of a set make together is in it exactly if it is a group. */
START_TEST(groups_are_closed) {
  prng g = prng_seed(3, 0);
  for (int locked = 0; locked < 63; locked++) {
    const fricp_pose still = fricp_pose_identity();
    const fr_lock lock = {locked, {random_pose(&g, 70), still}};
    double most = 0;
    for (int trial = 0; trial < 3; trial++) {
      fricp_pose both = still;
      for (int k = 0; k < 2; k++) {
        fricp_pose one = random_pose(&g, 60);
        fr_lock_project(&lock, &one);
        both = fricp_pose_multiply(&one, &both);
      }
      fricp_pose kept = both;
      fr_lock_project(&lock, &kept);
      most = fmax(most, verify_max_difference(&kept, &both));
    }
    ck_assert_msg(is_group(locked) == (most < 1e-12), "locked %d: %g", locked, most);
  }
}
END_TEST

static fricp_pose planar_pose(prng *g, double far) {
  const double z[3] = {0, 0, 1};
  const double shift[3] = {far * prng_normal(g), far * prng_normal(g), 0};
  return verify_pose(z, prng_range(g, -180, 180), shift);
}

/* In 2-D exactly. */
START_TEST(the_plane_is_not_left) {
  prng g = prng_seed(6, 0);
  for (int locked = 4; locked < 0x1c; locked += 4)
    for (int trial = 0; trial < 200; trial++) {
      const double far = trial % 2 ? 1 : 1e4;
      const fr_lock lock = {locked, {planar_pose(&g, far), planar_pose(&g, 1)}};
      fricp_pose pose = planar_pose(&g, 1);
      fr_lock_project(&lock, &pose);
      for (int a = 0; a < 2; a++) {
        ck_assert_double_eq(pose.rotation[2][a], 0);
        ck_assert_double_eq(pose.rotation[a][2], 0);
      }
      ck_assert_double_eq(pose.rotation[2][2], 1);
      ck_assert_double_eq(pose.translation[2], 0);
      double x[6];
      fr_chart_coordinates(&lock.chart, &pose, x);
      for (int k = 0; k < 6; k++)
        if (locked >> k & 1)
          ck_assert_double_le(fabs(x[k]), 1e-14 * far); /* from wherever it came */
    }
}
END_TEST

START_TEST(where_the_origin_is_no_matter) {
  prng g = prng_seed(5, 0);
  for (int locked = 0; locked < 63; locked++) {
    fr_lock lock = {locked, {random_pose(&g, 70), fricp_pose_identity()}};
    fricp_pose pose = random_pose(&g, 60);
    fr_lock_project(&lock, &pose);
    for (int a = 0; a < 3; a++)
      lock.chart.frame.translation[a] += 1 + a;
    fricp_pose kept = pose;
    fr_lock_project(&lock, &kept);
    const double moved = verify_max_difference(&kept, &pose);
    ck_assert_msg(fr_lock_ignores_origin(locked, 3) == (moved < 1e-12), "locked %d: %g", locked, moved);
  }
}
END_TEST

/* The sum of squares at fixed correspondences and its least under a lock, by the step; nothing near it on the set is
 * lower. Turns by 100 degrees: no small step. */
START_TEST(the_step_is_the_minimum_under_a_lock) {
  enum { POINTS = 40 };
  const fr_metric *metric = fr_metric_find(FR_METRIC_POINT_TO_POINT, FR_ISA_GENERIC);
  prng g = prng_seed(4, 0);
  for (int locked = 1; locked < 63; locked++) {
    fr_block block;
    double sums[FR_SUMS] = {0};
    const fr_lock lock = {locked, {random_pose(&g, 70), fricp_pose_identity()}};
    if (!is_group(locked))
      continue;
    fricp_pose truth = random_pose(&g, 100);
    fr_lock_project(&lock, &truth);
    memset(&block, 0, sizeof block);
    block.count = block.padded = POINTS;
    for (int i = 0; i < POINTS; i++) {
      double y[3];
      double q[3];
      for (int a = 0; a < 3; a++)
        y[a] = block.y[a][i] = prng_range(&g, -1, 1);
      verify_apply(&truth, y, q);
      for (int a = 0; a < 3; a++)
        block.q[a][i] = q[a] + 0.05 * prng_normal(&g);
      block.weight[i] = prng_range(&g, 0.1, 1);
    }
    metric->residuals(&block);
    metric->accumulate(&block, sums);
    const fricp_pose still = fricp_pose_identity();
    fr_constraint held = {0};
    fr_lock_constrain(&lock, 3, &still, &held);
    const fr_geometry geometry = {3, {0}, 1e-6, 3e-3, &held, 1, NULL, NULL};
    fr_step step;
    ck_assert_int_eq(fr_step_make(metric, sums, &geometry, &step), 0);
    fricp_pose kept = step.increment;
    fr_lock_project(&lock, &kept);
    ck_assert_double_le(verify_max_difference(&kept, &step.increment), 1e-13);
    double x[6];
    double energy[13];
    fr_chart_coordinates(&lock.chart, &kept, x);
    for (int e = 0; e < 13; e++) {
      double near[6];
      memcpy(near, x, sizeof near);
      if (e < 12 && (locked >> (e / 2) & 1))
        continue;
      if (e < 12)
        near[e / 2] += e % 2 ? 1e-4 : -1e-4;
      const fricp_pose pose = fr_chart_pose(&lock.chart, near);
      energy[e] = 0;
      for (int i = 0; i < POINTS; i++) {
        const double y[3] = {block.y[0][i], block.y[1][i], block.y[2][i]};
        double q[3];
        verify_apply(&pose, y, q);
        for (int a = 0; a < 3; a++)
          energy[e] += block.weight[i] * (q[a] - block.q[a][i]) * (q[a] - block.q[a][i]);
      }
    }
    for (int k = 0; k < 6; k++) { /* a parabola's least is where both sides are alike: to 1e-3 of the step aside */
      if (locked >> k & 1)
        continue;
      const double slope = energy[2 * k + 1] - energy[2 * k];
      const double bend = energy[2 * k + 1] + energy[2 * k] - 2 * energy[12];
      ck_assert_double_gt(bend, 0);
      ck_assert_msg(fabs(slope) <= 1e-3 * bend, "locked %d: coordinate %d by %g", locked, k, slope / bend);
    }
  }
}
END_TEST

/* Open motions that are one, as of a cloud next to a point, by a prior that knows of them: it is settled along that one, and
 * nothing else moves. */
START_TEST(motions_that_are_one_are_settled_once) {
  fr_open open = {.count = 2};
  fr_spring prior = {.used = 1, .variance = 1};
  prior.chart.frame = prior.chart.start = fricp_pose_identity();
  prior.stiffness[3][3] = 0.4;
  for (int i = 0; i < 6; i++)
    prior.share[i] = 1;
  for (int e = 0; e < 2; e++)
    open.u[e][3] = 1e6; /* along x */
  fricp_pose pose = fricp_pose_identity();
  pose.translation[0] = 0.25;
  pose.translation[1] = 0.5;
  fr_open_settle(&open, &prior, &pose);
  ck_assert_double_le(fabs(pose.translation[0]), 1e-9); /* the prior's: 0 */
  ck_assert_double_eq(pose.translation[1], 0.5);
  ck_assert(verify_finite(&pose));
}
END_TEST

int main(void) {
  const TTest *const tests[] = {coordinates_there_and_back,
                                rows_are_derivatives,
                                groups_are_closed,
                                the_plane_is_not_left,
                                motions_that_are_one_are_settled_once,
                                where_the_origin_is_no_matter,
                                the_step_is_the_minimum_under_a_lock};
  return run_suite("freedom", tests, COUNT(tests));
}
