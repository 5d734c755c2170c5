/* SPDX-License-Identifier: BSD-3-Clause */
/* Normals, spacing and noise of a target: exact shapes, and an independent computation in O(n^2). */
#include "cloud/neighborhood.h"
#include "cloud/noise.h"
#include "fixture.h"
#include "prng.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(double *v, size_t n) {
  qsort(v, n, sizeof *v, by_value);
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* A place other than the point's own and other than those before it in the sorted list. */
static int is_new_place(const fixture *f, const neighbor *sorted, size_t at, const double *point) {
  const double *p = f->points[sorted[at].position];
  if (p[0] == point[0] && p[1] == point[1] && p[2] == point[2])
    return 0;
  for (size_t j = at; j > 0 && sorted[j - 1].d2 == sorted[at].d2; j--)
    if (memcmp(f->points[sorted[j - 1].position], p, 3 * sizeof *p) == 0)
      return 0;
  return 1;
}

typedef struct measures {
  double spacing, plane_spacing;
} measures;

/* By definition: for each point the six nearest other places; the root of the median of their squared distances, and
 * the median of the distances to the tangent plane; the medians of both over the points. */
static measures by_definition(const fixture *f, const float (*normals)[3]) {
  const size_t n = f->nn.count;
  neighbor *sorted = malloc(n * sizeof *sorted);
  double *distances = malloc(2 * n * sizeof *distances);
  ck_assert(sorted && distances);
  double *plane = distances + n;
  size_t planes = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t found = fixture_all_within(f, f->points[i], INFINITY, sorted);
    double squared[6];
    double along[6];
    size_t six = 0;
    for (size_t j = 0; j < found && six < 6; j++) {
      if (!is_new_place(f, sorted, j, f->points[i]))
        continue;
      const double *p = f->points[sorted[j].position];
      squared[six] = sorted[j].d2;
      along[six] = 0;
      for (int a = 0; a < 3 && normals; a++)
        along[six] += (p[a] - f->points[i][a]) * (double)normals[i][a];
      along[six] = fabs(along[six]);
      six++;
    }
    distances[i] = six ? sqrt(median_of(squared, six)) : 0;
    if (normals && (normals[i][0] != 0 || normals[i][1] != 0 || normals[i][2] != 0))
      plane[planes++] = six ? median_of(along, six) : 0;
  }
  const measures m = {median_of(distances, n), planes ? median_of(plane, planes) : 0};
  free(sorted);
  free(distances);
  return m;
}

static float (*random_normals(size_t count))[3] {
  float(*normals)[3] = malloc(count * sizeof *normals);
  ck_assert_ptr_nonnull(normals);
  prng g = prng_seed(9, 0);
  for (size_t i = 0; i < count; i++) {
    double n[3];
    prng_direction(&g, n);
    for (int a = 0; a < 3; a++)
      normals[i][a] = i % 9 ? (float)n[a] : 0; /* some have none */
  }
  return normals;
}

START_TEST(spacing_is_as_defined) {
  static const fr_nn_ops *const back_ends[] = {&fr_nn_brute, &fr_nn_flann, &fr_nn_tree};
  static const size_t counts[] = {2, 3, 6, 7, 8, 20, 563};
  for (cloud_kind kind = 0; kind < CLOUD_KINDS; kind++) {
    if (kind == CLOUD_GRID || kind == CLOUD_OUTLIER)
      continue; /* of places at the same distance any may be among the six: the plane measure is then not unique */
    for (size_t c = 0; c < COUNT(counts); c++)
      for (size_t b = 0; b < COUNT(back_ends); b++) {
        double(*points)[3] = cloud_make(kind, counts[c], 3);
        fixture f = fixture_make(back_ends[b], (const double(*)[3])points, counts[c], 1);
        float(*normals)[3] = random_normals(counts[c]);
        const float(*given)[3] = (const float(*)[3])normals;
        const measures expected = by_definition(&f, given);
        double spacing = -1;
        double plane = -1;
        ck_assert_int_eq(fr_measure_spacing(&f.nn, given, NULL, 0, 1, &spacing, &plane, NULL), FRICP_OK);
        ck_assert_double_le(fabs(spacing - expected.spacing), 1e-15 * expected.spacing);
        ck_assert_double_le(fabs(plane - expected.plane_spacing), 1e-15 * expected.plane_spacing);
        ck_assert_int_eq(fr_measure_spacing(&f.nn, NULL, NULL, 0, 1, &spacing, &plane, NULL), FRICP_OK);
        ck_assert_double_le(fabs(spacing - expected.spacing), 1e-15 * expected.spacing);
        ck_assert_double_eq(plane, 0);
        free(normals);
        fixture_free(&f);
        free(points);
      }
  }
}
END_TEST

/* A flat square lattice: of six neighbours four are at 1 and two at sqrt 2, so the median is 1. */
START_TEST(spacing_of_a_lattice) {
  double points[40 * 40][3];
  for (int i = 0; i < 1600; i++) {
    points[i][0] = i % 40;
    points[i][1] = i / 40;
    points[i][2] = 0;
  }
  fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, 1600, 1);
  double spacing = 0;
  double plane = 0;
  ck_assert_int_eq(fr_measure_spacing(&f.nn, NULL, NULL, 0, 1, &spacing, &plane, NULL), FRICP_OK);
  ck_assert_double_eq(spacing, 1);
  fixture_free(&f);
}
END_TEST

static float (*estimate(const fixture *f, int dimension, int neighbors, int threads))[3] {
  float(*normals)[3] = calloc(f->nn.count, sizeof *normals);
  const fr_normal_fit fit = {dimension, neighbors, FR_LINE, ""};
  ck_assert_ptr_nonnull(normals);
  ck_assert_int_eq(fr_estimate_normals(&f->nn, &fit, normals, threads, NULL), FRICP_OK);
  return normals;
}

/* Points on a plane: every normal is the plane's, to float rounding. */
START_TEST(normals_of_planes) {
  prng g = prng_seed(1, 0);
  for (int trial = 0; trial < 20; trial++) {
    enum { N = 500 };
    double points[N][3];
    double normal[3];
    double turn[3][3];
    double axis[3];
    prng_direction(&g, axis);
    verify_rotation(axis, prng_range(&g, 0, 180), turn);
    for (int i = 0; i < N; i++) {
      const double u = prng_range(&g, -1, 1);
      const double v = prng_range(&g, -1, 1);
      for (int a = 0; a < 3; a++)
        points[i][a] = turn[a][0] * u + turn[a][1] * v;
    }
    for (int a = 0; a < 3; a++)
      normal[a] = turn[a][2];
    static const int ks[] = {3, 7, 30, 256};
    fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 1);
    for (size_t k = 1; k < COUNT(ks); k++) {
      float(*n)[3] = estimate(&f, 3, ks[k], 1);
      for (int i = 0; i < N; i++) {
        double dot = 0;
        double length = 0;
        for (int a = 0; a < 3; a++) {
          dot += normal[a] * (double)n[i][a];
          length += (double)n[i][a] * (double)n[i][a];
        }
        ck_assert_double_le(fabs(fabs(dot) - 1), 1e-6);
        ck_assert_double_le(fabs(length - 1), 1e-6);
      }
      free(n);
    }
    fixture_free(&f);
  }
}
END_TEST

static int position_of(const fixture *f, const double point[3]) {
  for (int i = 0; i < (int)f->nn.count; i++)
    if (memcmp(f->nn.points[i], point, 3 * sizeof *point) == 0)
      return i;
  return -1;
}

/* Every back end finds the same neighbours, whether each point's bound the next one's search or packets are asked. In a
 * ball one neighbour more or less turns a normal by far more than rounding. */
START_TEST(normals_do_not_depend_on_the_back_end) {
  enum { N = 1000, MOST = 12 };
  double(*points)[3] = cloud_make(CLOUD_RANDOM, N, 5);
  for (int k = 4; k <= MOST; k += 4) {
    fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 1);
    float(*expected)[3] = estimate(&f, 3, k, 1);
    static const fr_nn_ops *const others[] = {&fr_nn_brute, &fr_nn_flann};
    for (size_t b = 0; b < COUNT(others); b++) {
      fixture g = fixture_make(others[b], (const double(*)[3])points, N, 1);
      float(*found)[3] = estimate(&g, 3, k, 1);
      for (int i = 0; i < N; i++) {
        const int j = position_of(&f, g.nn.points[i]); /* each has an order of its own */
        double dot = 0;
        ck_assert_int_ge(j, 0);
        for (int a = 0; a < 3; a++)
          dot += (double)expected[j][a] * (double)found[i][a];
        ck_assert_msg(fabs(fabs(dot) - 1) <= 1e-5, "%d neighbours, point %d: cosine %g", k, i, dot);
      }
      free(found);
      fixture_free(&g);
    }
    free(expected);
    fixture_free(&f);
  }
  free(points);
}
END_TEST

/* A sphere (2-D: a circle) of radius 1: the true normals over a patch that reaches to d turn by at most d, and the fit
 * is some mean of them: that of the patch's centroid. k random neighbours lie within about rho = sqrt(4 k / n) (2-D: pi
 * k / n), their centroid off by rho / sqrt(4 k) along each axis (2-D: rho / sqrt(3 k)): rho / sqrt(k) bounds the whole.
 */
START_TEST(normals_of_round_shapes) {
  prng g = prng_seed(2, 0);
  for (int dimension = 2; dimension <= 3; dimension++) {
    enum { N = 20000 };
    double(*points)[3] = calloc(N, sizeof *points);
    ck_assert_ptr_nonnull(points);
    for (int i = 0; i < N; i++) {
      const double angle = prng_range(&g, -3.14159, 3.14159);
      if (dimension == 3) {
        prng_direction(&g, points[i]);
      } else {
        points[i][0] = cos(angle);
        points[i][1] = sin(angle);
      }
    }
    const double rho = dimension == 3 ? sqrt(4.0 * 30 / N) : 3.14159 * 10 / N;
    fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 1);
    float(*n)[3] = estimate(&f, dimension, dimension == 3 ? 30 : 10, 1);
    float(*again)[3] = estimate(&f, dimension, dimension == 3 ? 30 : 10, 3);
    ck_assert_int_eq(memcmp(n, again, N * sizeof *n), 0); /* threads change nothing */
    double squared = 0;
    for (int i = 0; i < N; i++) {
      double cross[3];
      for (int a = 0; a < 3; a++)
        cross[a] =
            f.points[i][(a + 1) % 3] * (double)n[i][(a + 2) % 3] - f.points[i][(a + 2) % 3] * (double)n[i][(a + 1) % 3];
      const double sine = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
      squared += sine * sine;
      const int k = dimension == 3 ? 30 : 10;
      int32_t position[30];
      double d2[30];
      ck_assert_int_eq(fr_nn_nearest(&f.nn, f.points[i], k, INFINITY, position, d2), k);
      if (!(sine <= sqrt(d2[k - 1])))
        ck_abort_msg("%d-D: normal %d is off by %g rad, bound %g", dimension, i, sine, sqrt(d2[k - 1]));
    }
    ck_assert_double_le(sqrt(squared / N), rho / sqrt(dimension == 3 ? 30.0 : 10.0));
    free(n);
    free(again);
    fixture_free(&f);
    free(points);
  }
}
END_TEST

START_TEST(no_normal_where_none_is_determined) {
  static const cloud_kind kinds[] = {CLOUD_LINE, CLOUD_SAME};
  for (size_t k = 0; k < COUNT(kinds); k++) {
    double(*points)[3] = cloud_make(kinds[k], 200, 1);
    fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, 200, 1);
    float(*n)[3] = estimate(&f, 3, 30, 1);
    for (int i = 0; i < 200; i++)
      ck_assert(n[i][0] == 0 && n[i][1] == 0 && n[i][2] == 0);
    free(n);
    fixture_free(&f);
    free(points);
  }
  const double two[2][3] = {{0, 0, 0}, {1, 0, 0}}; /* fewer than neighbours asked for, fewer than a plane needs */
  fixture f = fixture_make(&fr_nn_tree, two, 2, 1);
  float(*n)[3] = estimate(&f, 3, 30, 1);
  ck_assert(n[0][0] == 0 && n[0][1] == 0 && n[0][2] == 0);
  free(n);
  fixture_free(&f);
}
END_TEST

START_TEST(given_normals_are_kept) {
  double(*points)[3] = cloud_make(CLOUD_FLAT, 100, 1);
  fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, 100, 1);
  float normals[100][3] = {{0}};
  for (int i = 0; i < 100; i += 3)
    normals[i][0] = 1; /* not the plane's */
  const fr_normal_fit fit = {3, 30, FR_LINE, ""};
  ck_assert_int_eq(fr_estimate_normals(&f.nn, &fit, normals, 1, NULL), FRICP_OK);
  for (int i = 0; i < 100; i++) {
    ck_assert_double_eq_tol((double)normals[i][0], i % 3 == 0, 1e-6);
    ck_assert_double_eq_tol(fabs((double)normals[i][2]), i % 3 != 0, 1e-6);
  }
  fixture_free(&f);
  free(points);
}
END_TEST

/* A lattice with normal noise of standard deviation sigma: found within a tenth (the median of 512 estimates of six
 * degrees of freedom, whose own error is 2 %, and what a lattice of few distinct neighbourhoods adds). On a unit sphere
 * twelve neighbours of a spacing s reach as far as r = 2.5 s, where the surface leaves its second-order fit by r^4 / 8. */
START_TEST(noise_is_found) {
  enum { SIDE = 60, N = SIDE * SIDE };
  double(*points)[3] = malloc(N * sizeof *points);
  ck_assert_ptr_nonnull(points);
  static const double sigmas[] = {0, 0.01, 0.05, 0.2, 0.4};
  int32_t sample[FR_NOISE_SAMPLE];
  for (int i = 0; i < FR_NOISE_SAMPLE; i++)
    sample[i] = 7 * i;
  for (size_t s = 0; s < COUNT(sigmas); s++) {
    prng g = prng_seed(3, s);
    for (int i = 0; i < N; i++) {
      points[i][0] = i % SIDE;
      points[i][1] = i / SIDE; // NOLINT(bugprone-integer-division): whole rows
      points[i][2] = sigmas[s] * prng_normal(&g);
    }
    fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 1);
    fr_noise noise = {-1, -1};
    ck_assert_int_eq(fr_measure_noise(&f.nn, 3, 1, sample, FR_NOISE_SAMPLE, 1, &noise, NULL), FRICP_OK);
    ck_assert_double_le(fabs(noise.deviation - sigmas[s]), sigmas[s] / 10 + 1e-12);
    const double rough =
        sqrt(fmax(sigmas[s] * sigmas[s] - 0.01, 0)); /* a tenth of the spacing is taken for curvature */
    ck_assert_double_le(fabs(noise.roughness - rough), sigmas[s] / 4);
    fixture_free(&f);
  }
  prng g = prng_seed(4, 0);
  for (int i = 0; i < N; i++)
    prng_direction(&g, points[i]);
  fixture f = fixture_make(&fr_nn_tree, (const double(*)[3])points, N, 1);
  double spacing = 0;
  double plane = 0;
  fr_noise noise = {-1, -1};
  ck_assert_int_eq(fr_measure_spacing(&f.nn, NULL, NULL, 0, 1, &spacing, &plane, NULL), FRICP_OK);
  ck_assert_int_eq(fr_measure_noise(&f.nn, 3, spacing, sample, FR_NOISE_SAMPLE, 1, &noise, NULL), FRICP_OK);
  ck_assert_double_eq(noise.roughness, 0);
  ck_assert_double_le(noise.deviation, pow(2.5 * spacing, 4) / 8);
  fixture_free(&f);
  free(points);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {spacing_is_as_defined,   spacing_of_a_lattice,
                                normals_of_planes,       normals_do_not_depend_on_the_back_end,
                                normals_of_round_shapes, no_normal_where_none_is_determined,
                                given_normals_are_kept,  noise_is_found};
  return run_suite("neighborhood", tests, COUNT(tests));
}
