/* SPDX-License-Identifier: BSD-3-Clause */
/* Weighted quantiles, against sorting; ties and zero weights included. */
#include "maths/rank.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 400 };

/* What lies below the cut, and at it. */
static void weigh(const double *values, const double *weights, int count, double cut, double sums[3]) {
  sums[0] = sums[1] = sums[2] = 0;
  for (int i = 0; i < count; i++)
    sums[values[i] < cut ? 0 : values[i] == cut ? 1 : 2] += weights ? weights[i] : 1;
}

START_TEST(the_share_is_exact) {
  prng g = prng_seed(1, 0);
  for (int trial = 0; trial < 3000; trial++) {
    double values[MOST];
    double weights[MOST];
    const int count = 1 + (int)prng_below(&g, MOST);
    const int weighted = trial % 2;
    const int kinds = 1 + (int)prng_below(&g, 50);
    for (int i = 0; i < count; i++) {
      values[i] = trial % 3 == 0 ? (double)prng_below(&g, (uint32_t)kinds) : pow(10, prng_range(&g, -320, 308));
      if (prng_below(&g, 20) == 0)
        values[i] = INFINITY;
      weights[i] = prng_below(&g, 5) ? prng_range(&g, 0, 3) : 0;
    }
    weights[0] = 1;
    const double share = trial % 7 == 0 ? 1 : prng_range(&g, 0.001, 1);
    double part = -1;
    const double cut = fr_rank_cut(values, weighted ? weights : NULL, (size_t)count, share, &part);
    double sums[3];
    weigh(values, weighted ? weights : NULL, count, cut, sums);
    const double all = sums[0] + sums[1] + sums[2];
    ck_assert(part >= 0 && part <= 1 && sums[1] > 0);
    ck_assert_double_le(fabs(sums[0] + part * sums[1] - share * all), 1e-12 * all);
  }
}
END_TEST

START_TEST(one_value_and_all_equal) {
  const double values[5] = {0, 0, 0, 0, 0};
  double part = -1;
  ck_assert_double_eq(fr_rank_cut(values, NULL, 5, 0.6, &part), 0);
  ck_assert_double_eq_tol(part, 0.6, 1e-15);
  const double one = 3;
  ck_assert_double_eq(fr_rank_cut(&one, NULL, 1, 1, &part), 3);
  ck_assert_double_eq(part, 1);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {the_share_is_exact, one_value_and_all_equal};
  return run_suite("rank", tests, COUNT(tests));
}
