/* SPDX-License-Identifier: BSD-3-Clause */
/* The alignment steps against known poses and optimality; what the data leave undetermined. */
#include "metric_pairs.h"

static double energy_at(fr_metric_id id, const pairs *p, const fricp_pose *increment) {
  double sum = 0;
  for (int i = 0; i < p->count; i++) {
    double moved[3];
    verify_apply(increment, p->y[i], moved);
    const double r = residual_of(id, p, i, moved);
    sum += p->w[i] * r * r;
  }
  return sum;
}

static fricp_pose random_pose(prng *g, int dimension, double degrees) {
  double axis[3] = {0, 0, 1};
  fricp_pose pose;
  memset(&pose, 0, sizeof pose);
  if (dimension == 3)
    prng_direction(g, axis);
  verify_rotation(axis, degrees, pose.rotation);
  for (int a = 0; a < dimension; a++)
    pose.translation[a] = prng_range(g, -2, 2);
  return pose;
}

static void move_targets(pairs *p, const fricp_pose *pose) {
  for (int i = 0; i < p->count; i++)
    verify_apply(pose, p->y[i], p->q[i]);
}

/* q = T y: the weighted step is T, whatever the angle and the weights. */
START_TEST(point_step_finds_a_known_pose) {
  prng g = prng_seed(3, 0);
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int trial = 0; trial < 500; trial++) {
      pairs p = random_pairs(&g, dimension + (int)prng_below(&g, 300), dimension);
      for (int i = 0; i < p.count; i++)
        p.w[i] += 0.01;
      const fricp_pose pose = random_pose(&g, dimension, trial == 0 ? 180 : prng_range(&g, -180, 180));
      move_targets(&p, &pose);
      const fr_step step = step_of(FR_METRIC_POINT_TO_POINT, &p, dimension);
      if (p.count > dimension) { /* three points in 3-D lie in a plane: fine; but they may be nearly on a line */
        ck_assert_int_eq(step.undetermined, 0);
        ck_assert_double_le(verify_max_difference(&step.increment, &pose), 1e-11);
      }
      ck_assert_double_le(energy_at(FR_METRIC_POINT_TO_POINT, &p, &step.increment), 1e-20);
      if (dimension == 2)
        ck_assert(step.increment.rotation[2][2] == 1 && step.increment.translation[2] == 0);
    }
}
END_TEST

/* Noisy pairs, outliers, mirrored pairs: no rigid motion near or far does better than the step. */
START_TEST(point_step_is_optimal) {
  prng g = prng_seed(4, 0);
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int trial = 0; trial < 60; trial++) {
      pairs p = random_pairs(&g, 40, dimension);
      const int mirrored = trial % 2;
      const fricp_pose pose = random_pose(&g, dimension, prng_range(&g, -180, 180));
      for (int i = 0; i < p.count; i++) {
        double y[3];
        memcpy(y, p.y[i], sizeof y);
        if (mirrored)
          y[0] = -y[0];
        verify_apply(&pose, y, p.q[i]);
        for (int a = 0; a < dimension; a++)
          p.q[i][a] += (i % 10 ? 0.05 : 1) * prng_normal(&g);
      }
      const fr_step step = step_of(FR_METRIC_POINT_TO_POINT, &p, dimension);
      const double best = energy_at(FR_METRIC_POINT_TO_POINT, &p, &step.increment);
      for (int k = 0; k < 400; k++) {
        const fricp_pose near = random_pose(&g, dimension, pow(10, prng_range(&g, -6, 2.2)));
        fricp_pose other = near;
        const double size = pow(10, prng_range(&g, -6, 0));
        for (int a = 0; a < 3; a++) /* about the centroid of the targets, then shifted a little */
          other.translation[a] = size * near.translation[a];
        double mean[3] = {0, 0, 0};
        double w = 0;
        for (int i = 0; i < p.count; i++) {
          w += p.w[i];
          for (int a = 0; a < 3; a++)
            mean[a] += p.w[i] * p.q[i][a];
        }
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++)
            other.translation[a] += ((a == b) - other.rotation[a][b]) * mean[b] / w;
        const fricp_pose combined = verify_multiply(&other, &step.increment);
        if (energy_at(FR_METRIC_POINT_TO_POINT, &p, &combined) < best * (1 - 1e-12))
          ck_abort_msg("%d-D: a neighbour of the step is better", dimension);
      }
    }
}
END_TEST

static double line_angle(const double a[3], const double b[3]) {
  const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  return atan2(sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), dot);
}

/* Points on a line: the turn about the line is not invented, the rest is right: the smallest rotation that lays line on
 * line, also when they are opposite. */
START_TEST(points_on_a_line_are_not_rolled) {
  prng g = prng_seed(5, 0);
  for (int trial = 0; trial < 300; trial++) {
    double from[3];
    double to[3];
    prng_direction(&g, from);
    prng_direction(&g, to);
    if (trial == 0)
      for (int a = 0; a < 3; a++)
        to[a] = -from[a];
    if (trial == 1)
      memcpy(to, from, sizeof to);
    if (trial >= 2 && trial < 12) { /* nearly opposite, by 1e-1 to 1e-10 */
      double across[3];
      prng_direction(&g, across);
      double along = 0;
      for (int a = 0; a < 3; a++)
        along += across[a] * from[a];
      double length = 0;
      for (int a = 0; a < 3; a++) {
        to[a] = -from[a] + pow(10, 1 - trial) * (across[a] - along * from[a]);
        length += to[a] * to[a];
      }
      for (int a = 0; a < 3; a++)
        to[a] /= sqrt(length);
    }
    pairs p = {.count = 30};
    const double middle[3] = {0.5, -1, 2};
    const double goal[3] = {1, 1, -1};
    for (int i = 0; i < p.count; i++) {
      const double at = prng_range(&g, -1, 1);
      p.w[i] = prng_range(&g, 0.1, 1);
      for (int a = 0; a < 3; a++) {
        p.y[i][a] = middle[a] + at * from[a];
        p.q[i][a] = goal[a] + at * to[a];
      }
    }
    const fr_step step = step_of(FR_METRIC_POINT_TO_POINT, &p, 3);
    /* Lines within 1.5e-6 of opposite may be taken as opposite: the next step mends that. */
    const double angle = line_angle(from, to);
    const double slack = 3.14159265358979 - angle < 1.5e-6 ? 1.5e-6 : 1e-13;
    ck_assert_double_le(energy_at(FR_METRIC_POINT_TO_POINT, &p, &step.increment), p.count * slack * slack + 1e-20);
    const fricp_pose still = fricp_pose_identity();
    ck_assert_double_le(fabs(verify_angle_degrees(&step.increment, &still) / 57.29577951308232 - angle), slack);
    ck_assert_int_eq(step.undetermined, 1);
    const double *d = step.direction[0];
    ck_assert_double_eq_tol(fabs(d[0] * to[0] + d[1] * to[1] + d[2] * to[2]), 1, 1e-11);
    ck_assert(d[3] == 0 && d[4] == 0 && d[5] == 0);
  }
}
END_TEST

START_TEST(points_at_one_place_are_only_shifted) {
  for (int dimension = 2; dimension <= 3; dimension++) {
    pairs p = {.count = 20};
    for (int i = 0; i < p.count; i++) {
      p.w[i] = 1 + i;
      p.y[i][0] = p.y[i][1] = 0.25;
      p.q[i][0] = 1.25;
      p.q[i][1] = -0.5;
    }
    const fr_step step = step_of(FR_METRIC_POINT_TO_POINT, &p, dimension);
    const fricp_pose still = fricp_pose_identity();
    ck_assert_double_le(verify_angle_degrees(&step.increment, &still), 0);
    ck_assert_double_eq_tol(step.increment.translation[0], 1, 1e-14);
    ck_assert_double_eq_tol(step.increment.translation[1], -0.75, 1e-14);
    ck_assert_int_eq(step.undetermined, dimension == 3 ? 3 : 1);
  }
}
END_TEST

/* ---- What planes leave open ---- */

typedef enum surface { FLOOR, CORRIDOR, BALL, TUBE, BOX, WALL_2D, CIRCLE_2D, CORNER_2D } surface;

static void put_on(surface kind, prng *g, int i, double y[3], double n[3]) {
  const double a = prng_range(g, -1, 1);
  const double b = prng_range(g, -1, 1);
  const int side = i % 2 ? 1 : -1;
  memset(y, 0, 3 * sizeof *y);
  memset(n, 0, 3 * sizeof *n);
  switch (kind) {
  case FLOOR:
    y[0] = a;
    y[1] = b;
    n[2] = 1;
    return;
  case CORRIDOR:
    y[0] = 2 * a;
    y[1 + i / 2 % 2] = side;
    y[2 - i / 2 % 2] = b;
    n[1 + i / 2 % 2] = side;
    return;
  case BALL: /* a cap, so that its centroid is not its centre */
    prng_direction(g, n);
    n[2] = fabs(n[2]);
    memcpy(y, n, 3 * sizeof *y);
    return;
  case TUBE:
    n[0] = cos(3 * a);
    n[1] = sin(3 * a);
    y[0] = n[0];
    y[1] = n[1];
    y[2] = 2 * b;
    return;
  case BOX:
    n[i % 3] = side;
    y[i % 3] = side;
    y[(i + 1) % 3] = a;
    y[(i + 2) % 3] = b;
    return;
  case WALL_2D:
    y[0] = a;
    n[1] = 1;
    return;
  case CIRCLE_2D: /* half of it */
    y[0] = n[0] = cos(1.5 * a);
    y[1] = n[1] = sin(1.5 * a);
    return;
  case CORNER_2D:
    y[i % 2] = a;
    n[1 - i % 2] = 1;
    return;
  }
}

/* Each: how many motions slide the surface along itself. */
static const struct {
  surface kind;
  int dimension, open;
} surfaces[] = {{FLOOR, 3, 3}, {CORRIDOR, 3, 1}, {BALL, 3, 3},      {TUBE, 3, 2},
                {BOX, 3, 0},   {WALL_2D, 2, 1},  {CIRCLE_2D, 2, 1}, {CORNER_2D, 2, 0}};

static pairs surface_pairs(surface kind, prng *g, const fricp_pose *error) {
  pairs p = {.count = 240};
  const fricp_pose place = random_pose(g, kind >= WALL_2D ? 2 : 3, 70);
  for (int i = 0; i < p.count; i++) {
    double y[3];
    double n[3];
    put_on(kind, g, i, y, n);
    verify_apply(&place, y, p.q[i]);
    verify_apply(error, p.q[i], p.y[i]);
    fricp_pose turn = place;
    memset(turn.translation, 0, sizeof turn.translation);
    verify_apply(&turn, n, p.n[i]);
    p.w[i] = prng_range(g, 0.5, 1);
  }
  return p;
}

/* The reported directions are those that slide the surface along itself, as many as theory says; along them the step
 * does nothing; what is determined is corrected. */
START_TEST(what_planes_do_not_determine) {
  prng g = prng_seed(6, 0);
  for (size_t s = 0; s < COUNT(surfaces); s++)
    for (int trial = 0; trial < 20; trial++) {
      const int dimension = surfaces[s].dimension;
      fr_twist small = {{0, 0, 1e-4, 2e-4, -1e-4, 0}};
      if (dimension == 3) {
        small.v[0] = -1e-4;
        small.v[5] = 3e-4;
      }
      const fricp_pose error = fr_exp(&small);
      const pairs p = surface_pairs(surfaces[s].kind, &g, &error);
      const fr_step step = step_of(FR_METRIC_POINT_TO_PLANE, &p, dimension);
      ck_assert_int_eq(step.undetermined, surfaces[s].open);
      for (int d = 0; d < step.undetermined; d++) {
        const double *x = step.direction[d];
        double slide = 0;
        double whole = 0;
        for (int i = 0; i < p.count; i++) {
          double r[3];
          for (int a = 0; a < 3; a++)
            r[a] = p.y[i][a] - step.center[a];
          const double v[3] = {x[1] * r[2] - x[2] * r[1] + x[3], x[2] * r[0] - x[0] * r[2] + x[4],
                               x[0] * r[1] - x[1] * r[0] + x[5]};
          const double along = v[0] * p.n[i][0] + v[1] * p.n[i][1] + v[2] * p.n[i][2];
          slide += along * along;
          whole += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        }
        ck_assert_double_gt(whole, 0);
        ck_assert_double_le(sqrt(slide / whole), 1e-3);
      }
      ck_assert_double_le(energy_at(FR_METRIC_POINT_TO_PLANE, &p, &step.increment),
                          1e-6 * step.squared + 1e-14 * p.count);
      /* minimum norm: with nothing to correct along them, the step is no longer than the error it undoes */
      const fricp_pose still = fricp_pose_identity();
      ck_assert_double_le(verify_angle_degrees(&step.increment, &still) / 57.3, 1.5e-3);
    }
}
END_TEST

/* A floor, lifted and tilted: the step brings it back and neither turns it about its normal nor slides it. */
START_TEST(a_floor_is_lifted_only) {
  pairs p = {.count = 200};
  prng g = prng_seed(7, 0);
  for (int i = 0; i < p.count; i++) {
    p.y[i][0] = p.q[i][0] = prng_range(&g, -1, 1);
    p.y[i][1] = p.q[i][1] = prng_range(&g, -1, 1);
    p.y[i][2] = 0.125;
    p.n[i][2] = 1;
    p.w[i] = 1;
  }
  const fr_step step = step_of(FR_METRIC_POINT_TO_PLANE, &p, 3);
  ck_assert_int_eq(step.undetermined, 3);
  ck_assert_double_eq_tol(step.increment.translation[2], -0.125, 1e-14);
  for (int a = 0; a < 2; a++)
    ck_assert_double_le(fabs(step.increment.translation[a]), 1e-13);
  const fricp_pose still = fricp_pose_identity();
  ck_assert_double_le(verify_angle_degrees(&step.increment, &still), 1e-11);
}
END_TEST

/* Weights so small that stiffness is next to nothing: their units are so large that the product of two is not finite. */
START_TEST(hardly_any_weight_and_a_spring) {
  prng g = prng_seed(9, 0);
  pairs p = random_pairs(&g, 100, 3);
  const fricp_pose still = fricp_pose_identity();
  fr_spring spring = {.used = 1, .chart = {still, still}, .variance = 1e-313};
  for (int i = 0; i < 6; i++)
    spring.stiffness[i][i] = spring.share[i] = 1;
  for (int i = 0; i < p.count; i++)
    p.w[i] = 1e-320;
  const fr_metric *metric = fr_metric_find(FR_METRIC_POINT_TO_PLANE, FR_ISA_GENERIC);
  const fr_geometry geometry = {
      .dimension = 3, .least_radius = 1e-6, .least_incline = 3e-3, .spring = &spring, .pose = &still};
  double sums[FR_SUMS];
  fr_step step;
  sum_up(metric, &p, geometry.center, sums);
  ck_assert_int_eq(fr_step_make(metric, sums, &geometry, &step), 0);
  ck_assert(verify_finite(&step.increment));
  ck_assert_double_le(verify_orthonormality(&step.increment), 1e-12);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {point_step_finds_a_known_pose,   point_step_is_optimal,
                                points_on_a_line_are_not_rolled, points_at_one_place_are_only_shifted,
                                what_planes_do_not_determine,    a_floor_is_lifted_only,
                                hardly_any_weight_and_a_spring};
  return run_suite("step", tests, COUNT(tests));
}
