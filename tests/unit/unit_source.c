/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing the source: every finite point once, prefixes that are evenly spread, buffers that are used again. */
#include "cloud/source_index.h"
#include "fixture.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fricp_cloud checked_view(const double (*points)[3], size_t count) {
  fricp_cloud given = FRICP_CLOUD_INIT;
  fricp_cloud cloud;
  given.points = points;
  given.count = count;
  ck_assert_int_eq(fr_cloud_check(&given, "source", &cloud, NULL), FRICP_OK);
  return cloud;
}

static double (*copy_of_points(const fr_source *s))[3] {
  double(*p)[3] = malloc(s->count * sizeof *p);
  ck_assert_ptr_nonnull(p);
  for (size_t i = 0; i < s->count; i++)
    for (int a = 0; a < 3; a++)
      p[i][a] = s->x[a][i];
  return p;
}

/* Sorted in matches of its own. */
static fricp_status pack(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud, double extent,
                         size_t needed, fricp_error *error) {
  const size_t count = fr_cloud_finite(cloud, NULL, NULL);
  fr_matches matches;
  memset(&matches, 0, sizeof matches);
  ck_assert_int_eq(fr_matches_reserve(&matches, &fixture_memory, count), 0);
  const fr_order order = fr_matches_room(&matches, NULL);
  const fricp_status status = fr_source_pack(source, memory, cloud, count, extent, needed, &order, 1, error);
  fr_matches_release(&matches, &fixture_memory);
  return status;
}

/* Kish's effective sample size: as how many points of one weight the first so many count. */
static double size_of(const fr_source *s, size_t count) {
  double sum = 0;
  double squares = 0;
  for (size_t i = 0; i < count; i++) {
    const double w = s->weight ? s->weight[i] : 1;
    sum += w;
    squares += w * w;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

START_TEST(every_finite_point_once) {
  static const size_t counts[] = {3, 10, 999, 1000, 1999, 2000, 2001, 4000, 30011};
  for (size_t c = 0; c < COUNT(counts); c++) {
    const size_t n = counts[c];
    double(*points)[3] = cloud_make(CLOUD_RANDOM, n, c);
    double *weights = malloc(n * sizeof *weights);
    int *seen = calloc(n, sizeof *seen);
    ck_assert(weights && seen);
    size_t finite = n;
    for (size_t i = 0; i < n; i++) {
      weights[i] = (double)i;
      if (n > 5 && i % 10 == 3) {
        points[i][i % 3] = i % 20 == 3 ? NAN : INFINITY;
        finite--;
      }
    }
    fricp_cloud cloud = checked_view((const double(*)[3])points, n);
    cloud.weights = weights;
    cloud.weight_stride = sizeof *weights;
    fr_source s;
    memset(&s, 0, sizeof s);
    ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 0.5, 3, NULL), FRICP_OK);
    ck_assert_uint_eq(s.count, finite);
    ck_assert_uint_eq(s.skipped, n - finite);
    ck_assert_uint_eq(s.cloud_count, n);
    size_t wrong = 0;
    double mean[3] = {0, 0, 0};
    for (size_t i = 0; i < s.count; i++) {
      const size_t from = (size_t)s.index[i];
      wrong += from >= n || seen[from]++;
      wrong += s.weight[i] != weights[from] / s.largest_weight;
      for (int a = 0; a < 3; a++) {
        wrong += !(fabs(s.x[a][i] * 0.5 + s.center[a] - points[from][a]) < 1e-15);
        mean[a] += points[from][a] / (double)finite;
      }
    }
    ck_assert_uint_eq(wrong, 0);
    for (int a = 0; a < 3; a++)
      ck_assert_double_eq_tol(s.centroid[a], mean[a], 1e-13);
    ck_assert_uint_eq(s.stage_end[s.stages - 1], s.count);
    for (int k = 1; k < s.stages; k++)
      ck_assert_uint_gt(s.stage_end[k], s.stage_end[k - 1]);
    for (size_t least = 0; least <= s.count; least += 1 + least / 7) {
      const size_t prefix = fr_source_prefix(&s, least);
      ck_assert(prefix == s.count || size_of(&s, prefix) >= (double)least);
      for (int k = 0; k < s.stages; k++)
        ck_assert(s.stage_end[k] >= prefix || size_of(&s, s.stage_end[k]) < (double)least); /* the smallest */
    }
    fr_source_release(&s, &fixture_memory);
    free(points);
    free(weights);
    free(seen);
  }
}
END_TEST

/* Each prefix is spread more evenly than a random sample of its size: over the cells of a coarse grid, Pearson's
 * chi-squared of a random sample is about the number of cells. */
START_TEST(prefixes_are_evenly_spread) {
  enum { SIDE = 3, CELLS = SIDE * SIDE * SIDE };
  static const cloud_kind kinds[] = {CLOUD_RANDOM, CLOUD_FLAT, CLOUD_GRID};
  for (size_t k = 0; k < COUNT(kinds); k++) {
    const size_t n = 40000;
    double(*points)[3] = cloud_make(kinds[k], n, 4);
    const fricp_cloud cloud = checked_view((const double(*)[3])points, n);
    fr_source s;
    memset(&s, 0, sizeof s);
    ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 1, 3, NULL), FRICP_OK);
    ck_assert_int_ge(s.stages, 2);
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < s.count; i++)
      for (int a = 0; a < 3; a++) {
        low[a] = fmin(low[a], s.x[a][i]);
        high[a] = fmax(high[a], s.x[a][i]);
      }
    for (int stage = 0; stage + 1 < s.stages; stage++) {
      double whole[CELLS] = {0};
      double part[CELLS] = {0};
      for (size_t i = 0; i < s.count; i++) {
        int cell = 0;
        for (int a = 0; a < 3; a++) {
          const double width = high[a] > low[a] ? (high[a] - low[a]) * 1.0001 : 1;
          cell = SIDE * cell + (int)((s.x[a][i] - low[a]) / width * SIDE);
        }
        whole[cell]++;
        part[cell] += i < s.stage_end[stage];
      }
      double squared = 0;
      double cells = 0;
      const double share = (double)s.stage_end[stage] / (double)s.count;
      for (int cell = 0; cell < CELLS; cell++)
        if (whole[cell] > 0) {
          const double expected = whole[cell] * share;
          squared += (part[cell] - expected) * (part[cell] - expected) / (expected * (1 - share));
          cells++;
        }
      if (!(squared < cells / 2))
        ck_abort_msg("%s, stage %d: chi-squared %g over %g cells", cloud_name(kinds[k]), stage, squared, cells);
    }
    fr_source_release(&s, &fixture_memory);
    free(points);
  }
}
END_TEST

START_TEST(neighbours_in_space_are_neighbours_in_memory) {
  const size_t n = 20000;
  double(*points)[3] = cloud_make(CLOUD_RANDOM, n, 5);
  const fricp_cloud cloud = checked_view((const double(*)[3])points, n);
  fr_source s;
  memset(&s, 0, sizeof s);
  ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 1, 3, NULL), FRICP_OK);
  double(*p)[3] = copy_of_points(&s);
  double near = 0;
  double any = 0;
  for (size_t i = s.stage_end[s.stages - 2]; i + 1 < n; i++) {
    near += sqrt(fr_distance2(p[i], p[i + 1]));
    any += sqrt(fr_distance2(p[i], p[(i * 7919 + 13) % n]));
  }
  ck_assert_double_lt(near, any / 5);
  free(p);
  fr_source_release(&s, &fixture_memory);
  free(points);
}
END_TEST

static int allocations;

static void *counted(void *context, size_t size) {
  allocations++;
  return fixture_memory.allocate(context, size);
}

START_TEST(buffers_serve_again) {
  const fr_memory memory = {NULL, counted, fixture_memory.release};
  double(*points)[3] = cloud_make(CLOUD_RANDOM, 5000, 6);
  fr_source s;
  memset(&s, 0, sizeof s);
  fricp_cloud cloud = checked_view((const double(*)[3])points, 5000);
  ck_assert_int_eq(pack(&s, &memory, &cloud, 1, 3, NULL), FRICP_OK);
  double(*first)[3] = copy_of_points(&s);
  const int before = allocations;
  cloud = checked_view((const double(*)[3])points, 1234);
  ck_assert_int_eq(pack(&s, &memory, &cloud, 1, 3, NULL), FRICP_OK);
  cloud = checked_view((const double(*)[3])points, 5000);
  ck_assert_int_eq(pack(&s, &memory, &cloud, 1, 3, NULL), FRICP_OK);
  ck_assert_int_eq(allocations, before);
  double(*again)[3] = copy_of_points(&s);
  ck_assert_int_eq(memcmp(first, again, 5000 * sizeof *first), 0);
  free(first);
  free(again);
  fr_source_release(&s, &memory);
  free(points);
}
END_TEST

/* Ranks along the curve are the positions in another order; five copies of each point follow each other by their index;
 * the index holds each place once, under its first copy. */
START_TEST(ranks_and_places) {
  enum { PLACES = 2600, COPIES = 5 };
  static double points[PLACES * COPIES][3];
  double(*once)[3] = cloud_make(CLOUD_RANDOM, PLACES, 8);
  for (size_t i = 0; i < COUNT(points); i++)
    memcpy(points[i], once[i % PLACES], sizeof points[i]);
  const fricp_cloud cloud = checked_view((const double(*)[3])points, COUNT(points));
  fr_source s;
  memset(&s, 0, sizeof s);
  ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 1, 3, NULL), FRICP_OK);
  ck_assert_int_ge(s.stages, 3);
  for (size_t rank = 0; rank < s.count; rank++) {
    const size_t at = fr_source_position(&s, rank);
    ck_assert_uint_eq(fr_source_rank(&s, at), rank);
    ck_assert_uint_lt(at, s.count);
    ck_assert_int_eq(s.index[at],
                     s.index[fr_source_position(&s, rank / COPIES * COPIES)] + (int)(rank % COPIES) * PLACES);
    ck_assert_int_eq(fr_source_is_repeated(&s, rank), rank % COPIES > 0);
  }
  fr_source_index index;
  ck_assert_int_eq(fr_source_index_build(&index, &s, &fixture_memory, NULL, 1, NULL), FRICP_OK);
  ck_assert_uint_eq(index.nn.count, PLACES);
  for (size_t i = 0; i < PLACES; i++) {
    ck_assert_uint_eq(fr_source_rank(&s, (size_t)index.index[i]) % COPIES, 0);
    for (int a = 0; a < 3; a++)
      ck_assert_double_eq(index.points[i][a], s.x[a][index.index[i]]);
  }
  fr_source_index_release(&index, &fixture_memory);
  fr_source_release(&s, &fixture_memory);
  free(once);
}
END_TEST

START_TEST(too_few_points_are_refused) {
  double points[5][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {NAN, 0, 0}, {1, 1, 1}};
  fr_source s;
  memset(&s, 0, sizeof s);
  fricp_error error;
  fricp_cloud cloud = checked_view((const double(*)[3])points, 5);
  ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 1, 3, &error), FRICP_ERROR_TOO_FEW_POINTS);
  ck_assert_ptr_nonnull(strstr(error.text, "source"));
  cloud = checked_view((const double(*)[3])points, 2);
  points[1][0] = 2;
  ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 1, 3, &error), FRICP_ERROR_TOO_FEW_POINTS);
  ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 1, 2, &error), FRICP_OK);
  cloud = checked_view((const double(*)[3])(points + 3), 1);
  ck_assert_int_eq(pack(&s, &fixture_memory, &cloud, 1, 3, &error), FRICP_ERROR_EMPTY_CLOUD);
  fr_source_release(&s, &fixture_memory);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {
      every_finite_point_once, prefixes_are_evenly_spread, neighbours_in_space_are_neighbours_in_memory,
      buffers_serve_again,     ranks_and_places,           too_few_points_are_refused};
  return run_suite("source", tests, COUNT(tests));
}
