/* SPDX-License-Identifier: BSD-3-Clause */
/* AA-ICP's parts: mixing solves a linear fixed-point problem in as many steps as it has dimensions and one, forgets where an
 * alpha would be large, and its angles are those of the pose. */
#include "align/mixing.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <string.h>

typedef struct map {
  double a[6][6];
  double b[6];
} map;

static void apply(const map *m, const double x[6], double g[6]) {
  for (int i = 0; i < 6; i++) {
    g[i] = m->b[i];
    for (int j = 0; j < 6; j++)
      g[i] += m->a[i][j] * x[j];
  }
}

/* A contraction, not symmetric. */
static map map_of(uint64_t seed) {
  map m;
  prng g = prng_seed(seed, 0);
  for (int i = 0; i < 6; i++) {
    m.b[i] = prng_range(&g, -1, 1);
    for (int j = 0; j < 6; j++)
      m.a[i][j] = prng_range(&g, -0.1, 0.1) + (i == j ? 0.15 * (double)i : 0);
  }
  return m;
}

static double residual_of(const map *m, const double x[6]) {
  double g[6];
  double sum = 0;
  apply(m, x, g);
  for (int i = 0; i < 6; i++)
    sum += (g[i] - x[i]) * (g[i] - x[i]);
  return sqrt(sum);
}

/* Theory: without bounds Anderson acceleration of a linear map is GMRES (Walker and Ni 2011): in exact arithmetic seven
 * steps solve six dimensions. */
START_TEST(a_linear_map_is_solved_in_seven_steps) {
  int solved = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    const map m = map_of(seed);
    fr_mixing mixing = {0};
    double x[6] = {0};
    double g[6];
    int whole = 1;
    for (int step = 0; step < 8; step++) {
      apply(&m, x, g);
      whole = fr_mixing_step(&mixing, 7, x, g, x) == step + 1 && whole;
    }
    if (whole) /* no alpha was too large */
      ck_assert_double_le(residual_of(&m, x), 1e-9);
    solved += whole;
  }
  ck_assert_int_ge(solved, 10);
}
END_TEST

START_TEST(without_history_it_is_the_map) {
  const map m = map_of(3);
  fr_mixing mixing = {0};
  double x[6] = {1, 2, 3, 4, 5, 6};
  for (int step = 0; step < 5; step++) {
    double g[6];
    apply(&m, x, g);
    ck_assert_int_eq(fr_mixing_step(&mixing, 0, x, g, x), 1);
    ck_assert_mem_eq(x, g, sizeof g);
  }
}
END_TEST

/* f goes from 1 to 1 - 1 / 20: to cancel it takes alphas of -19 and 20. */
START_TEST(large_alphas_are_refused) {
  for (int slow = 0; slow < 2; slow++) {
    const double f = slow ? 0.95 : 0.5;
    fr_mixing mixing = {0};
    const double x[2][6] = {{0}, {1}};
    const double g[2][6] = {{1}, {1 + f}};
    double next[6];
    ck_assert_int_eq(fr_mixing_step(&mixing, 5, x[0], g[0], next), 1);
    ck_assert_int_eq(fr_mixing_step(&mixing, 5, x[1], g[1], next), slow ? 1 : 2);
    /* the root of f by the secant: 0 + 1 / (1 - f) */
    ck_assert_double_le(fabs(next[0] - (slow ? 1 + f : 1 / (1 - f))), 1e-12);
  }
}
END_TEST

START_TEST(history_is_bounded) {
  const map m = map_of(4);
  fr_mixing mixing = {0};
  double x[6] = {1};
  for (int step = 0; step < 60; step++) {
    double g[6];
    apply(&m, x, g);
    ck_assert_int_le(fr_mixing_step(&mixing, 16, x, g, x), 17);
    for (int i = 0; i < 6; i++)
      ck_assert(isfinite(x[i]));
  }
}
END_TEST

START_TEST(angles_are_those_of_the_pose) {
  prng g = prng_seed(6, 0);
  for (int i = 0; i < 1000; i++) {
    double x[6];
    double back[6];
    for (int k = 0; k < 6; k++)
      x[k] = prng_range(&g, -3.1, 3.1);
    x[1] /= 2.05; /* short of the gimbal lock */
    const fricp_pose pose = fr_euler_pose(x);
    fr_euler_of(&pose, back);
    for (int k = 0; k < 6; k++)
      ck_assert_double_le(fabs(back[k] - x[k]), 1e-12);
    /* Rz Ry Rx, by Rodrigues' formula */
    fricp_pose turns[3];
    for (int k = 0; k < 3; k++) {
      const double axis[3] = {k == 0, k == 1, k == 2};
      turns[k] = verify_pose(axis, x[k] * 57.29577951308232, NULL);
    }
    fricp_pose expected = verify_multiply(&turns[1], &turns[0]);
    expected = verify_multiply(&turns[2], &expected);
    memcpy(expected.translation, x + 3, sizeof expected.translation);
    ck_assert_double_le(verify_max_difference(&pose, &expected), 1e-14);
  }
}
END_TEST

/* At the lock itself the pose comes back, though the angles are not unique. */
START_TEST(the_gimbal_lock_keeps_the_pose) {
  for (double roll = -3; roll < 3; roll += 0.37) {
    const double x[6] = {roll, 1.5707963267948966, 0.4, 1, 2, 3};
    double back[6];
    const fricp_pose pose = fr_euler_pose(x);
    fr_euler_of(&pose, back);
    const fricp_pose again = fr_euler_pose(back);
    ck_assert_double_le(verify_max_difference(&pose, &again), 1e-9);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {a_linear_map_is_solved_in_seven_steps,
                                without_history_it_is_the_map,
                                large_alphas_are_refused,
                                history_is_bounded,
                                angles_are_those_of_the_pose,
                                the_gimbal_lock_keeps_the_pose};
  return run_suite("mixing", tests, COUNT(tests));
}
