/* SPDX-License-Identifier: BSD-3-Clause */
/* The alignment steps against finite differences, known poses and optimality; what the data leave undetermined. */
#include "model/metric.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

/* Correspondences in the target's frame. */
typedef struct pairs {
  int count;
  double y[MOST][3], q[MOST][3], n[MOST][3], w[MOST];
} pairs;

static const fr_metric_id metrics[] = {FR_METRIC_POINT_TO_POINT, FR_METRIC_POINT_TO_PLANE};

static void fill_block(const pairs *p, int first, const double center[3], fr_block *block) {
  memset(block, 0, sizeof *block);
  block->count = p->count - first < FR_BLOCK ? p->count - first : FR_BLOCK;
  block->padded = (block->count + 7) / 8 * 8;
  memcpy(block->center, center, sizeof block->center);
  for (int i = 0; i < block->count; i++) {
    for (int a = 0; a < 3; a++) {
      block->y[a][i] = p->y[first + i][a] - center[a];
      block->q[a][i] = p->q[first + i][a] - center[a];
      block->n[a][i] = p->n[first + i][a];
    }
    block->weight[i] = block->prior[i] = p->w[first + i];
  }
}

static void sum_up(const fr_metric *metric, const pairs *p, const double center[3], double sums[FR_SUMS]) {
  memset(sums, 0, FR_SUMS * sizeof *sums);
  for (int first = 0; first < p->count; first += FR_BLOCK) {
    fr_block block;
    fill_block(p, first, center, &block);
    metric->residuals(&block);
    metric->accumulate(&block, sums);
  }
}

static fr_step step_of(fr_metric_id id, const pairs *p, int dimension) {
  const fr_metric *metric = fr_metric_find(id, FR_ISA_GENERIC);
  fr_geometry geometry = {dimension, {0.3, -0.2, dimension == 3 ? 0.1 : 0}, 1e-6, 3e-3, NULL, 0, NULL, NULL};
  double sums[FR_SUMS];
  fr_step step;
  sum_up(metric, p, geometry.center, sums);
  ck_assert_int_eq(fr_step_make(metric, sums, &geometry, &step), 0);
  ck_assert_double_le(verify_orthonormality(&step.increment), 1e-14);
  return step;
}

/* Where the twist x about `center` takes point y. */
static void move(const double x[6], const double center[3], const double y[3], double out[3]) {
  fr_twist twist;
  memcpy(twist.v, x, sizeof twist.v);
  const fricp_pose pose = fr_exp(&twist);
  double relative[3];
  for (int a = 0; a < 3; a++)
    relative[a] = y[a] - center[a];
  verify_apply(&pose, relative, out);
  for (int a = 0; a < 3; a++)
    out[a] += center[a];
}

static double residual_of(fr_metric_id id, const pairs *p, int i, const double moved[3]) {
  const double d[3] = {moved[0] - p->q[i][0], moved[1] - p->q[i][1], moved[2] - p->q[i][2]};
  if (id == FR_METRIC_POINT_TO_PLANE)
    return d[0] * p->n[i][0] + d[1] * p->n[i][1] + d[2] * p->n[i][2];
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

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

static void weighted_centroid(const pairs *p, double center[3]) {
  double sum = 0;
  memset(center, 0, 3 * sizeof *center);
  for (int i = 0; i < p->count; i++) {
    sum += p->w[i];
    for (int a = 0; a < 3; a++)
      center[a] += p->w[i] * p->y[i][a];
  }
  for (int a = 0; a < 3; a++)
    center[a] /= sum;
}

static pairs random_pairs(prng *g, int count, int dimension) {
  pairs p = {.count = count};
  for (int i = 0; i < count; i++) {
    for (int a = 0; a < dimension; a++) {
      p.y[i][a] = prng_range(g, -1, 1) + 0.5 * a;
      p.q[i][a] = p.y[i][a] + 0.01 * prng_normal(g);
    }
    prng_direction(g, p.n[i]);
    if (dimension == 2) {
      const double angle = prng_range(g, -3, 3);
      p.n[i][0] = cos(angle);
      p.n[i][1] = sin(angle);
      p.n[i][2] = 0;
    }
    p.w[i] = i % 7 ? prng_range(g, 0, 2) : 0;
  }
  return p;
}

/* Solve a x = b by elimination with pivots: an independent 6x6 solver. */
static void solve6(double a[6][6], double b[6], double x[6]) {
  for (int c = 0; c < 6; c++) {
    int pivot = c;
    for (int r = c + 1; r < 6; r++)
      if (fabs(a[r][c]) > fabs(a[pivot][c]))
        pivot = r;
    for (int k = 0; k < 6; k++) {
      const double t = a[c][k];
      a[c][k] = a[pivot][k];
      a[pivot][k] = t;
    }
    const double t = b[c];
    b[c] = b[pivot];
    b[pivot] = t;
    for (int r = c + 1; r < 6; r++) {
      const double f = a[r][c] / a[c][c];
      for (int k = c; k < 6; k++)
        a[r][k] -= f * a[c][k];
      b[r] -= f * b[c];
    }
  }
  for (int r = 5; r >= 0; r--) {
    x[r] = b[r];
    for (int k = r + 1; k < 6; k++)
      x[r] -= a[r][k] * x[k];
    x[r] /= a[r][r];
  }
}

/* Point to plane: Jacobian rows by central differences of the residual in the twist; from them the normal matrix and
 * the Gauss-Newton step. h = 1e-5 leaves about h^2 = 1e-10. */
START_TEST(plane_step_by_finite_differences) {
  prng g = prng_seed(1, 0);
  for (int trial = 0; trial < 50; trial++) {
    const pairs p = random_pairs(&g, 3 + (int)prng_below(&g, MOST - 20) + 10, 3);
    const fr_step step = step_of(FR_METRIC_POINT_TO_PLANE, &p, 3);
    double center[3];
    weighted_centroid(&p, center);
    double matrix[6][6] = {{0}};
    double right[6] = {0};
    const double h = 1e-5;
    for (int i = 0; i < p.count; i++) {
      double j[6];
      for (int k = 0; k < 6; k++) {
        double x[6] = {0};
        double plus[3];
        double minus[3];
        x[k] = h;
        move(x, center, p.y[i], plus);
        x[k] = -h;
        move(x, center, p.y[i], minus);
        j[k] =
            (residual_of(FR_METRIC_POINT_TO_PLANE, &p, i, plus) - residual_of(FR_METRIC_POINT_TO_PLANE, &p, i, minus)) /
            (2 * h);
      }
      const double r = residual_of(FR_METRIC_POINT_TO_PLANE, &p, i, p.y[i]);
      for (int a = 0; a < 6; a++) {
        right[a] -= p.w[i] * j[a] * r;
        for (int b = 0; b < 6; b++)
          matrix[a][b] += p.w[i] * j[a] * j[b];
      }
    }
    for (int a = 0; a < 6; a++) {
      ck_assert(a > 2 || fabs(step.center[a] - center[a]) < 1e-13);
      for (int b = 0; b < 6; b++)
        ck_assert_double_le(fabs(step.normal[a][b] - matrix[a][b]), 1e-8 * p.count);
    }
    double x[6];
    solve6(matrix, right, x);
    ck_assert_int_eq(step.undetermined, 0);
    for (int i = 0; i < p.count; i++) {
      double expected[3];
      double moved[3];
      move(x, center, p.y[i], expected);
      verify_apply(&step.increment, p.y[i], moved);
      for (int a = 0; a < 3; a++)
        ck_assert_double_le(fabs(moved[a] - expected[a]), 1e-8);
    }
  }
}
END_TEST

/* The information both metrics report: the Hessian of 1/2 sum w |residual|^2 at zero residual, by differences of the
 * moved points. */
START_TEST(point_normal_matrix_by_finite_differences) {
  prng g = prng_seed(2, 0);
  for (int trial = 0; trial < 20; trial++) {
    const pairs p = random_pairs(&g, 50, 3);
    const fr_step step = step_of(FR_METRIC_POINT_TO_POINT, &p, 3);
    double center[3];
    weighted_centroid(&p, center);
    const double h = 1e-5;
    double matrix[6][6] = {{0}};
    for (int i = 0; i < p.count; i++) {
      double j[6][3];
      for (int k = 0; k < 6; k++) {
        double x[6] = {0};
        double plus[3];
        double minus[3];
        x[k] = h;
        move(x, center, p.y[i], plus);
        x[k] = -h;
        move(x, center, p.y[i], minus);
        for (int a = 0; a < 3; a++)
          j[k][a] = (plus[a] - minus[a]) / (2 * h);
      }
      for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
          matrix[a][b] += p.w[i] * (j[a][0] * j[b][0] + j[a][1] * j[b][1] + j[a][2] * j[b][2]);
    }
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++)
        ck_assert_double_le(fabs(step.normal[a][b] - matrix[a][b]), 1e-8 * p.count);
  }
}
END_TEST

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

START_TEST(every_instruction_set_gives_the_same_bits) {
  prng g = prng_seed(8, 0);
  for (size_t m = 0; m < COUNT(metrics); m++)
    for (int isa = FR_ISA_GENERIC + 1; isa <= (int)fr_best_isa(); isa++)
      for (int trial = 0; trial < 200; trial++) {
        const pairs p = random_pairs(&g, 1 + (int)prng_below(&g, MOST), 3);
        const double center[3] = {0.1, 0.2, 0.3};
        double sums[2][FR_SUMS];
        fr_block block[2];
        const fr_metric *metric[2] = {fr_metric_find(metrics[m], FR_ISA_GENERIC),
                                      fr_metric_find(metrics[m], (fr_isa)isa)};
        for (int k = 0; k < 2; k++) {
          sum_up(metric[k], &p, center, sums[k]);
          fill_block(&p, 0, center, &block[k]);
          metric[k]->residuals(&block[k]);
        }
        ck_assert_mem_eq(sums[0], sums[1], sizeof sums[0]);
        if (!metric[0]->residual_is_distance)
          ck_assert_mem_eq(block[0].residual, block[1].residual, sizeof(double) * (size_t)block[0].padded);
        ck_assert_mem_eq(block[0].squared, block[1].squared, sizeof(double) * (size_t)block[0].padded);
      }
}
END_TEST

START_TEST(residuals_are_what_they_say) {
  prng g = prng_seed(9, 0);
  const pairs p = random_pairs(&g, 100, 3);
  const double center[3] = {1, 2, 3};
  for (size_t m = 0; m < COUNT(metrics); m++) {
    const fr_metric *metric = fr_metric_find(metrics[m], FR_ISA_GENERIC);
    fr_block block;
    fill_block(&p, 0, center, &block);
    metric->residuals(&block);
    for (int i = 0; i < block.count; i++) {
      const double residual = residual_of(metrics[m], &p, i, p.y[i]);
      if (!metric->residual_is_distance)
        ck_assert_double_eq_tol(block.residual[i], residual, 1e-15 * 8);
      ck_assert_double_eq_tol(block.squared[i], residual * residual, 1e-15 * 8);
    }
    for (int i = block.count; i < block.padded; i++)
      ck_assert(block.squared[i] == 0);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {plane_step_by_finite_differences,
                                point_normal_matrix_by_finite_differences,
                                point_step_finds_a_known_pose,
                                point_step_is_optimal,
                                points_on_a_line_are_not_rolled,
                                points_at_one_place_are_only_shifted,
                                what_planes_do_not_determine,
                                a_floor_is_lifted_only,
                                every_instruction_set_gives_the_same_bits,
                                residuals_are_what_they_say};
  return run_suite("metric", tests, COUNT(tests));
}
