/* SPDX-License-Identifier: BSD-3-Clause */
/* Which points lie on no surface: by construction, and by a plain loop over all pairs. */
#include "cloud/strays.h"
#include "fixture.h"
#include "maths/lapack.h"
#include "maths/median.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40, GRID = SIDE * SIDE, MOST = GRID + 200 };

static void find_in(int dimension, const double (*points)[3], size_t count, int threads, unsigned char *stray) {
  fricp_error error;
  memset(stray, 7, count);
  ck_assert_int_eq(fr_strays_find(points, count, dimension, &fixture_memory, NULL, threads, stray, &error), FRICP_OK);
}

static void find(const double (*points)[3], size_t count, int threads, unsigned char *stray) {
  find_in(3, points, count, threads, stray);
}

/* In the plane: a curve, its waves 750 spacings long. */
static void put_curve(double (*points)[3]) {
  for (size_t i = 0; i < GRID; i++) {
    points[i][0] = 0.25 * (double)i;
    points[i][1] = 10 * sin(points[i][0] / 30);
    points[i][2] = 0;
  }
}

/* A bent sheet of 40 x 40 points, its waves 20 spacings long. */
static void put_sheet(double (*points)[3]) {
  for (size_t i = 0; i < GRID; i++) {
    points[i][0] = (double)(i % SIDE);
    points[i][1] = (double)(i / SIDE);
    points[i][2] = 0.5 * sin(points[i][0] / 3.2) * cos(points[i][1] / 3.2);
  }
}

START_TEST(sheets_have_none) {
  static double points[GRID][3];
  static unsigned char stray[GRID];
  prng g = prng_seed(3, 0);
  put_sheet(points);
  for (int noisy = 0; noisy < 2; noisy++) { /* a tenth of the spacing: up to four deviations of it, below APART */
    for (size_t i = 0; i < GRID && noisy; i++)
      points[i][2] += 0.1 * prng_range(&g, -1, 1);
    find((const double(*)[3])points, GRID, 1, stray);
    for (size_t i = 0; i < GRID; i++)
      if (stray[i])
        ck_abort_msg("point %zu of the sheet (noisy: %d)", i, noisy);
  }
}
END_TEST

/* All that follow those of the surface, and no others. */
static void check_strays(const unsigned char *stray, size_t count, const char *surface) {
  for (size_t i = 0; i < count; i++)
    if (stray[i] != (i >= GRID))
      ck_abort_msg("point %zu, of the %s: %d, stray: %d", i, surface, i < GRID, stray[i]);
}

/* Points above a plane, farther from it than its own points are from their sixteenth neighbours (some 2.3 spacings) and from
 * each other: their neighbours are the plane's, and they are off it; or far in the open, alone in all directions. Those of the plane
 * keep their plane. */
START_TEST(lone_points_are_found_and_no_others) {
  static double points[MOST][3];
  static unsigned char stray[MOST];
  prng g = prng_seed(4, 0);
  size_t count = GRID;
  put_sheet(points);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++, count++) {
      points[count][0] = 6.3 + 13 * i;
      points[count][1] = 6.6 + 13 * j;
      points[count][2] = 3.0 + (i + j) % 2;
    }
  for (; count < GRID + 100; count++)
    for (int a = 0; a < 3; a++)
      points[count][a] = prng_range(&g, 0, SIDE) + (a == 2 ? 30 : 0);
  find((const double(*)[3])points, count, 1, stray);
  check_strays(stray, count, "sheet");
}
END_TEST

/* Beside a straight stretch of the curve, farther than from its ninth point on either side; or far in the open. */
START_TEST(lone_points_of_the_plane_are_found_and_no_others) {
  static double points[MOST][3];
  static unsigned char stray[MOST];
  prng g = prng_seed(6, 0);
  size_t count = GRID;
  put_curve(points);
  for (int i = 0; i < 4; i++, count++) {
    points[count][0] = 94.2 * i + 3; /* where the curve crosses y = 0 */
    points[count][1] = 4 + i;
    points[count][2] = 0;
  }
  for (int i = 0; i < 100; i++, count++) {
    points[count][0] = 40 * (i % 10) + prng_range(&g, -5, 5);
    points[count][1] = 40 * (i / 10) + 200 + prng_range(&g, -5, 5);
    points[count][2] = 0;
  }
  find_in(2, (const double(*)[3])points, count, 1, stray);
  check_strays(stray, count, "curve");
}
END_TEST

/* fr_strays_find by its definition: a plane through the sixteen nearest, the point itself among them; in 2-D a line, as which a
 * plane across it counts. */
static void by_definition(int dimension, const double (*points)[3], size_t count, unsigned char *stray) {
  double *reach = malloc(2 * count * sizeof *reach);
  unsigned char *where = malloc(count);
  neighbor *all = malloc(count * sizeof *all);
  ck_assert(reach && where && all);
  for (size_t i = 0; i < count; i++) {
    double mean[3] = {0};
    double c[9] = {0};
    double w[3];
    for (size_t j = 0; j < count; j++)
      all[j] = (neighbor){fr_distance2(points[i], points[j]), 0, (int32_t)j};
    for (int k = 0; k < 16; k++) { /* select */
      size_t least = (size_t)k;
      for (size_t j = (size_t)k; j < count; j++)
        least = all[j].d2 < all[least].d2 ? j : least;
      const neighbor swap = all[k];
      all[k] = all[least];
      all[least] = swap;
      for (int a = 0; a < 3; a++)
        mean[a] += points[all[k].position][a] / 16;
    }
    for (int k = 0; k < 16; k++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          c[3 * a + b] += (points[all[k].position][a] - mean[a]) * (points[all[k].position][b] - mean[b]);
    c[8] = dimension == 2 ? c[0] + c[4] : c[8];
    ck_assert_int_eq(fr_symmetric_eigen(3, c, w), 0);
    double height = 0;
    for (int a = 0; a < 3; a++)
      height += c[a] * (points[i][a] - mean[a]);
    const double others2 = fmax(w[0] - height * height, 0) / 15;
    reach[i] = reach[count + i] = sqrt(all[15].d2);
    where[i] = height * height > 9 * others2 && fabs(height) > 0.35 * reach[i] ? 2 : w[0] > 0.06 * (w[0] + w[1] + w[2]);
  }
  const double median = fr_median(reach + count, count);
  for (size_t i = 0; i < count; i++)
    stray[i] = where[i] == 2 || (where[i] == 1 && reach[i] > 1.3 * median);
  free(reach);
  free(where);
  free(all);
}

/* A noisy sheet, or curve, in a cloud of scattered points, near it and far; in any order, by any number of threads. */
START_TEST(what_is_found_is_the_definition) {
  static double points[MOST][3];
  static unsigned char expected[MOST];
  static unsigned char stray[MOST];
  prng g = prng_seed(5, 0);
  for (int dimension = 2; dimension <= 3; dimension++) {
    const double box[3] = {dimension == 3 ? SIDE : 400, SIDE, SIDE};
    if (dimension == 3)
      put_sheet(points);
    else
      put_curve(points);
    for (size_t i = 0; i < MOST; i++)
      for (int a = 0; a < dimension; a++)
        points[i][a] = i < GRID ? points[i][a] + 0.2 * prng_range(&g, -1, 1) : prng_range(&g, -5, box[a] + 5.0);
    for (size_t i = GRID; i < MOST && dimension == 2; i++)
      points[i][2] = 0;
    by_definition(dimension, (const double(*)[3])points, MOST, expected);
    for (int threads = 1; threads <= 3; threads += 2) {
      find_in(dimension, (const double(*)[3])points, MOST, threads, stray);
      ck_assert_mem_eq(stray, expected, MOST);
    }
    size_t found = 0;
    for (size_t i = GRID; i < MOST; i++)
      found += stray[i];
    ck_assert_uint_ge(found, 100);
  }
}
END_TEST

START_TEST(few_points_and_points_at_one_place_are_no_strays) {
  static double points[GRID][3];
  static unsigned char stray[GRID];
  find((const double(*)[3])points, GRID, 1, stray);
  for (size_t i = 0; i < GRID; i++)
    ck_assert_int_eq(stray[i], 0);
  put_sheet(points);
  points[0][2] = 100;
  find((const double(*)[3])points, 15, 1, stray);
  ck_assert_int_eq(stray[0], 0);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {sheets_have_none, lone_points_are_found_and_no_others,
                                lone_points_of_the_plane_are_found_and_no_others, what_is_found_is_the_definition,
                                few_points_and_points_at_one_place_are_no_strays};
  return run_suite("strays", tests, COUNT(tests));
}
