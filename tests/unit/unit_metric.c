/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics against finite differences, and one instruction set against another. */
#include "metric_pairs.h"

static const fr_metric_id metrics[] = {FR_METRIC_POINT_TO_POINT, FR_METRIC_POINT_TO_PLANE};

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
  const TTest *const tests[] = {plane_step_by_finite_differences, point_normal_matrix_by_finite_differences,
                                every_instruction_set_gives_the_same_bits, residuals_are_what_they_say};
  return run_suite("metric", tests, COUNT(tests));
}
