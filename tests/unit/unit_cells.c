/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds by cells: each against a plain loop over pairs of points. */
#include "cloud/cells.h"
#include "fixture.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 700 };

/* Is it the same cube of the grid, whose cubes are centred on multiples of the size? */
static int together(const double a[3], const double b[3], double size) {
  for (int k = 0; k < 3; k++)
    if (floor(a[k] / size + 0.5) != floor(b[k] / size + 0.5))
      return 0;
  return 1;
}

/* The mean of the points in the cell of point i, and their weight. */
static double mean_of(const double (*points)[3], const double *weight, size_t n, size_t i, double size,
                      double mean[3]) {
  double sum = 0;
  mean[0] = mean[1] = mean[2] = 0;
  for (size_t j = 0; j < n; j++)
    if (together(points[i], points[j], size)) {
      const double w = weight ? weight[j] : 1;
      sum += w;
      for (int k = 0; k < 3; k++)
        mean[k] += w * points[j][k];
    }
  for (int k = 0; k < 3; k++)
    mean[k] /= sum;
  return sum;
}

static fr_cells cells_for(size_t most) {
  fr_cells cells;
  ck_assert_int_eq(fr_cells_reserve(&cells, &fixture_memory, most), 0);
  return cells;
}

static double (*random_points(void))[3] {
  static double points[N][3];
  prng g = prng_seed(1, 0);
  for (size_t i = 0; i < N; i++)
    for (int k = 0; k < 3; k++)
      points[i][k] = prng_range(&g, -2, 2);
  return points;
}

static void find(const fr_cells *cells, const double mean[3], double weight) {
  int found = 0;
  for (size_t c = 0; c < cells->count; c++)
    found += fabs(cells->points[c][0] - mean[0]) < 1e-12 && fabs(cells->points[c][1] - mean[1]) < 1e-12 &&
             fabs(cells->points[c][2] - mean[2]) < 1e-12 && fabs(cells->weight[c] - weight) < 1e-12 * weight;
  ck_assert_int_eq(found, 1);
}

START_TEST(each_cell_is_the_mean_of_its_points) {
  static const double sizes[] = {0.1, 0.5, 1.3, 100};
  const double(*points)[3] = (const double(*)[3])random_points();
  double weight[N];
  for (size_t i = 0; i < N; i++)
    weight[i] = 0.25 + (double)(i % 5);
  fr_cells cells = cells_for(N);
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (int weighted = 0; weighted < 2; weighted++) {
      const double *w = weighted ? weight : NULL;
      ck_assert_int_eq(fr_cells_fill(&cells, points, w, N, sizes[s]), 0);
      size_t distinct = 0;
      for (size_t i = 0; i < N; i++) {
        size_t first = 0;
        while (!together(points[i], points[first], sizes[s]))
          first++;
        if (first != i)
          continue;
        double mean[3];
        const double sum = mean_of(points, w, N, i, sizes[s], mean);
        find(&cells, mean, sum);
        distinct++;
      }
      ck_assert_uint_eq(cells.count, distinct);
    }
  fr_cells_release(&cells, &fixture_memory);
}
END_TEST

/* The order of the points is that of the cells; their means are the same up to the rounding of sums. */
START_TEST(any_order_gives_the_same_cells) {
  double(*points)[3] = random_points();
  fr_cells there = cells_for(N);
  fr_cells back = cells_for(N);
  ck_assert_int_eq(fr_cells_fill(&there, (const double(*)[3])points, NULL, N, 0.7), 0);
  ck_assert(together(there.points[0], points[0], 0.7));
  for (size_t i = 0; i < N / 2; i++) {
    double p[3];
    memcpy(p, points[i], sizeof p);
    memcpy(points[i], points[N - 1 - i], sizeof p);
    memcpy(points[N - 1 - i], p, sizeof p);
  }
  ck_assert_int_eq(fr_cells_fill(&back, (const double(*)[3])points, NULL, N, 0.7), 0);
  ck_assert_uint_eq(back.count, there.count);
  for (size_t c = 0; c < there.count; c++)
    find(&back, there.points[c], there.weight[c]);
  fr_cells_release(&there, &fixture_memory);
  fr_cells_release(&back, &fixture_memory);
}
END_TEST

/* As many cells as there is room for fit, one more does not; the same room serves again. */
START_TEST(room_is_a_limit) {
  double points[65][3] = {{0}};
  for (size_t i = 0; i < 65; i++)
    points[i][i % 3] = (double)i;
  for (size_t most = 1; most < 65; most++) {
    fr_cells cells = cells_for(most);
    for (int again = 0; again < 2; again++) {
      ck_assert_int_eq(fr_cells_fill(&cells, (const double(*)[3])points, NULL, most, 1), 0);
      ck_assert_uint_eq(cells.count, most);
      ck_assert_int_eq(fr_cells_fill(&cells, (const double(*)[3])points, NULL, most + 1, 1), -1);
    }
    fr_cells_release(&cells, &fixture_memory);
  }
}
END_TEST

/* Cells up to a million from the origin on either side are told apart; what is farther, not finite or of no weight is
 * left out. */
/* Whatever the cells' arrangement, a cell is found in a few steps: the longest run of slots in use is what chance makes of
 * them. With probing along the table and a load of 3/8 it is about 2 ln(slots) / (load - 1 - ln load): 47 for 4096. */
START_TEST(no_arrangement_is_slow) {
  enum { CELLS = 1536, LONGEST = 100 };
  double(*points)[3] = calloc(CELLS, sizeof *points);
  fr_cells cells = cells_for(CELLS);
  for (int kind = 0; kind < 7; kind++) { /* lines, planes, all three */
    const int mask = kind + 1;
    const int axes = (mask & 1) + (mask >> 1 & 1) + (mask >> 2);
    const int side = axes == 1 ? CELLS : axes == 2 ? 40 : 12;
    for (int i = 0; i < CELLS; i++)
      for (int a = 0, left = i; a < 3; a++) {
        points[i][a] = mask >> a & 1 ? left % side : 0;
        left /= mask >> a & 1 ? side : 1;
      }
    ck_assert_int_eq(fr_cells_fill(&cells, (const double(*)[3])points, NULL, CELLS, 1), 0);
    int longest = 0;
    int run = 0;
    for (size_t at = 0; at < 2 * cells.slots; at++) { /* around its end */
      run = cells.slot[at % cells.slots] >= 0 ? run + 1 : 0;
      longest = run > longest ? run : longest;
    }
    ck_assert_msg(longest < LONGEST, "arrangement %d: %d slots in a row", mask, longest);
  }
  fr_cells_release(&cells, &fixture_memory);
  free(points);
}
END_TEST

START_TEST(points_far_off) {
  static const double at[] = {-999999, -524288, -1, 0, 1, 524288, 999999};
  static const double out[] = {-1e6, 1e6, 2097152, 1e300, INFINITY, -INFINITY, NAN};
  enum { SIDE = COUNT(at), ALL = SIDE * SIDE * SIDE, MORE = ALL + 3 * COUNT(out) + 1 };
  static double points[MORE][3];
  static double weight[MORE];
  for (size_t i = 0; i < ALL; i++) {
    points[i][0] = at[i % SIDE];
    points[i][1] = at[i / SIDE % SIDE];
    points[i][2] = at[i / SIDE / SIDE];
  }
  for (size_t i = 0; i < 3 * COUNT(out); i++)
    points[ALL + i][i % 3] = out[i / 3];
  for (size_t i = 0; i < MORE; i++)
    weight[i] = i + 1 < MORE ? 2 : 0;
  points[MORE - 1][0] = 77;
  fr_cells cells = cells_for(MORE);
  ck_assert_int_eq(fr_cells_fill(&cells, (const double(*)[3])points, weight, MORE, 1), 0);
  ck_assert_uint_eq(cells.count, ALL);
  for (size_t c = 0; c < ALL; c++) {
    ck_assert_mem_eq(cells.points[c], points[c], sizeof points[c]);
    ck_assert_double_eq(cells.weight[c], 2);
  }
  fr_cells_release(&cells, &fixture_memory);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {each_cell_is_the_mean_of_its_points, any_order_gives_the_same_cells, room_is_a_limit,
                                points_far_off, no_arrangement_is_slow};
  return run_suite("cells", tests, COUNT(tests));
}
