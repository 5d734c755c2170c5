/* SPDX-License-Identifier: BSD-3-Clause */
/* Anderson acceleration on maps whose fixed point is known. */
#include "align/anderson.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* x -> fixed + matrix (x - fixed) */
typedef struct linear_map {
  double matrix[6][6];
  double fixed[6];
} linear_map;

static fr_twist apply(const linear_map *map, const fr_twist *x) {
  fr_twist g;
  for (int i = 0; i < 6; i++) {
    g.v[i] = map->fixed[i];
    for (int j = 0; j < 6; j++)
      g.v[i] += map->matrix[i][j] * (x->v[j] - map->fixed[j]);
  }
  return g;
}

static double error_of(const linear_map *map, const fr_twist *x) {
  double sum = 0;
  for (int i = 0; i < 6; i++)
    sum += (x->v[i] - map->fixed[i]) * (x->v[i] - map->fixed[i]);
  return sqrt(sum);
}

/* A random symmetric contraction Q diag(lambda) Q^T with eigenvalues spread over [0.1, 0.9]: plain iteration needs 22
 * steps a digit. */
static linear_map random_contraction(prng *g) {
  linear_map map;
  double q[6][6];
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++)
      q[i][j] = prng_normal(g);
    for (int k = 0; k < i; k++) { /* Gram-Schmidt, twice is enough */
      for (int twice = 0; twice < 2; twice++) {
        double along = 0;
        for (int j = 0; j < 6; j++)
          along += q[i][j] * q[k][j];
        for (int j = 0; j < 6; j++)
          q[i][j] -= along * q[k][j];
      }
    }
    double length = 0;
    for (int j = 0; j < 6; j++)
      length += q[i][j] * q[i][j];
    for (int j = 0; j < 6; j++)
      q[i][j] /= sqrt(length);
  }
  memset(map.matrix, 0, sizeof map.matrix);
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        map.matrix[i][j] += (0.1 + 0.16 * k) * q[k][i] * q[k][j];
  for (int i = 0; i < 6; i++)
    map.fixed[i] = prng_range(g, -0.5, 0.5);
  return map;
}

/* In R^6 the six differences of seven iterates span everything: the seventh step lands on the fixed point. Rounding is
 * amplified by the conditioning of the six differences, which shrink by powers of the eigenvalues: 1e-7 of the start's
 * error is a generous bound, where plain iteration still has 0.9^7 = 0.48 of it in its slowest direction. */
START_TEST(a_linear_map_is_solved_in_seven_steps) {
  prng g = prng_seed(1, 0);
  for (int trial = 0; trial < 500; trial++) {
    const linear_map map = random_contraction(&g);
    fr_anderson anderson;
    fr_anderson_reset(&anderson, 6);
    fr_twist x;
    for (int i = 0; i < 6; i++)
      x.v[i] = map.fixed[i] + prng_range(&g, -0.3, 0.3);
    const double start = error_of(&map, &x);
    fr_twist plain = x;
    for (int k = 0; k < 7; k++) {
      const fr_twist image = apply(&map, &x);
      fr_twist next;
      ck_assert_int_eq(fr_anderson_step(&anderson, &x, &image, NULL, &next), k > 0);
      x = next;
      plain = apply(&map, &plain);
    }
    ck_assert_double_le(error_of(&map, &x), 1e-7 * start);
    ck_assert_double_gt(error_of(&map, &plain), 1e-3 * start);
  }
}
END_TEST

/* The inverse of 1 - matrix, for a symmetric contraction, by its Neumann series: 0.9^400 is below 1e-18. */
static void inverse_of_the_rest(const linear_map *map, double p[6][6]) {
  for (int k = 0; k < 6; k++) {
    fr_twist sum = {{0}};
    fr_twist power = {{0}};
    power.v[k] = 1;
    for (int n = 0; n < 400; n++) {
      fr_twist next = {{0}};
      for (int i = 0; i < 6; i++) {
        sum.v[i] += power.v[i];
        for (int j = 0; j < 6; j++)
          next.v[i] += map->matrix[i][j] * power.v[j];
      }
      power = next;
    }
    for (int i = 0; i < 6; i++)
      p[i][k] = sum.v[i];
  }
}

/* With P = (1 - A)^-1 the first step is Newton's and lands on the fixed point. With P wrong by up to 20 % each step
 * keeps a fifth of the error at most, even without the help of the history; with no history at all as well. */
START_TEST(a_preconditioner) {
  prng g = prng_seed(5, 0);
  for (int trial = 0; trial < 200; trial++) {
    const linear_map map = random_contraction(&g);
    double p[6][6];
    fr_anderson anderson;
    fr_twist start;
    for (int i = 0; i < 6; i++)
      start.v[i] = map.fixed[i] + prng_range(&g, -0.3, 0.3);
    inverse_of_the_rest(&map, p);
    fr_anderson_reset(&anderson, 5);
    fr_twist image = apply(&map, &start);
    fr_twist x;
    ck_assert_int_eq(fr_anderson_step(&anderson, &start, &image, (const double(*)[6])p, &x), 1);
    ck_assert_double_le(error_of(&map, &x), 1e-13);
    for (int history = 0; history <= 5; history += 5) {
      double wrong[6][6];
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
          wrong[i][j] = 1.2 * p[i][j];
      fr_anderson_reset(&anderson, history);
      x = start;
      for (int k = 0; k < 4; k++) {
        image = apply(&map, &x);
        ck_assert_int_eq(fr_anderson_step(&anderson, &x, &image, (const double(*)[6])wrong, &x), 1);
      }
      ck_assert_double_le(error_of(&map, &x), pow(0.2, 4) * error_of(&map, &start) * (1 + 1e-6));
    }
  }
}
END_TEST

/* With less history than dimensions it is still much faster than the map itself (on average: one bad draw may not be).
 */
START_TEST(short_histories_help) {
  for (int history = 1; history <= 5; history++) {
    prng g = prng_seed(2, 0);
    double logarithm[2] = {0, 0};
    for (int trial = 0; trial < 200; trial++) {
      const linear_map map = random_contraction(&g);
      fr_anderson anderson;
      fr_anderson_reset(&anderson, history);
      fr_twist x;
      for (int i = 0; i < 6; i++)
        x.v[i] = map.fixed[i] + prng_range(&g, -0.3, 0.3);
      fr_twist plain = x;
      for (int k = 0; k < 20; k++) {
        const fr_twist image = apply(&map, &x);
        (void)fr_anderson_step(&anderson, &x, &image, NULL, &x);
        plain = apply(&map, &plain);
      }
      logarithm[0] += log(error_of(&map, &x) + 1e-15);
      logarithm[1] += log(error_of(&map, &plain) + 1e-15);
    }
    ck_assert_double_lt(logarithm[0] / 200, logarithm[1] / 200 - 1);
  }
}
END_TEST

/* A map that is solved goes on being handed the same point: equal iterates, all differences zero. */
START_TEST(a_fixed_point_stays) {
  fr_anderson anderson;
  fr_anderson_reset(&anderson, 5);
  const fr_twist x = {{0.1, -0.2, 0.3, 1, 2, 3}};
  for (int k = 0; k < 20; k++) {
    fr_twist next;
    ck_assert_int_eq(fr_anderson_step(&anderson, &x, &x, NULL, &next), 0);
    ck_assert_mem_eq(&next, &x, sizeof x);
  }
}
END_TEST

START_TEST(no_history_is_the_plain_map) {
  fr_anderson anderson;
  fr_anderson_reset(&anderson, 0);
  for (int k = 0; k < 10; k++) {
    const fr_twist x = {{0.1 * k, 0, 0, 0, 0, 0}};
    const fr_twist image = {{0.1 * k + 0.05, 0, 0, 0, 0, 0}};
    fr_twist next;
    ck_assert_int_eq(fr_anderson_step(&anderson, &x, &image, NULL, &next), 0);
    ck_assert_mem_eq(&next, &image, sizeof image);
  }
}
END_TEST

/* Steps of residual f0, then f1 nearly the same: the secant goes f1 / (f0 - f1) residuals further. */
static int secant_step(double f0, double f1, int axis, fr_twist *next) {
  fr_anderson anderson;
  fr_anderson_reset(&anderson, 5);
  fr_twist x = {{0, 0, 0, 0, 0, 0}};
  fr_twist image = x;
  image.v[axis] += f0;
  ck_assert_int_eq(fr_anderson_step(&anderson, &x, &image, NULL, next), 0);
  x = image;
  image.v[axis] += f1;
  return fr_anderson_step(&anderson, &x, &image, NULL, next);
}

START_TEST(rotations_beyond_pi_are_refused) {
  fr_twist next;
  ck_assert_int_eq(secant_step(0.1, 0.099, 0, &next), 0); /* would turn by 0.1 + 99 * 0.1 */
  ck_assert_double_eq_tol(next.v[0], 0.199, 1e-15);
  ck_assert_int_eq(secant_step(0.1, 0.095, 0, &next), 1); /* 0.195 + 19 * 0.095 = 2, within pi: the secant's root */
  ck_assert_double_eq_tol(next.v[0], 2, 1e-12);
  ck_assert_int_eq(secant_step(0.1, 0.0999999, 3, &next), 1); /* translations know no such bound */
  ck_assert_double_eq_tol(next.v[3], 1e5, 1e-2);
}
END_TEST

START_TEST(numbers_that_are_not_finite_are_refused) {
  const double bad[] = {NAN, INFINITY, -INFINITY};
  prng g = prng_seed(3, 0);
  for (size_t b = 0; b < COUNT(bad); b++)
    for (int axis = 0; axis < 6; axis++)
      for (int before = 0; before < 4; before++) {
        const linear_map map = random_contraction(&g);
        fr_anderson anderson;
        fr_anderson_reset(&anderson, 5);
        fr_twist x = {{0.1, 0, 0, 0, 0.1, 0}};
        for (int k = 0; k < before; k++) {
          const fr_twist image = apply(&map, &x);
          (void)fr_anderson_step(&anderson, &x, &image, NULL, &x);
        }
        fr_twist image = apply(&map, &x);
        image.v[axis] = bad[b];
        fr_twist next;
        ck_assert_int_eq(fr_anderson_step(&anderson, &x, &image, NULL, &next), 0);
        ck_assert_mem_eq(&next, &image, sizeof image);
      }
}
END_TEST

START_TEST(reset_forgets) {
  prng g = prng_seed(4, 0);
  const linear_map map = random_contraction(&g);
  fr_anderson anderson;
  fr_anderson_reset(&anderson, 3);
  fr_twist x = {{0, 0, 0, 0, 0, 0}};
  for (int k = 0; k < 9; k++) {
    const fr_twist image = apply(&map, &x);
    (void)fr_anderson_step(&anderson, &x, &image, NULL, &x);
  }
  fr_anderson_reset(&anderson, 3);
  const fr_twist image = apply(&map, &x);
  fr_twist next;
  ck_assert_int_eq(fr_anderson_step(&anderson, &x, &image, NULL, &next), 0);
  ck_assert_mem_eq(&next, &image, sizeof image);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_linear_map_is_solved_in_seven_steps,
                                a_preconditioner,
                                short_histories_help,
                                a_fixed_point_stays,
                                no_history_is_the_plain_map,
                                rotations_beyond_pi_are_refused,
                                numbers_that_are_not_finite_are_refused,
                                reset_forgets};
  return run_suite("anderson", tests, COUNT(tests));
}
