/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every point's neighbours, in the order of the index, so that the last point's neighbourhood bounds the next one's
 * search: if the k-th neighbour of p lies at d, that of q lies within d + |p - q|.
 */
#include "cloud/neighborhood.h"

#include "base/isa.h"
#include "base/parallel.h"
#include "cloud/plane_fit.h"
#include "maths/lapack.h"
#include "maths/median.h"

#include <math.h>
#include <string.h>

#define BLOCK 512
#define GRAIN 4096
#define SIX 6
#define SEARCHED (SIX + 1) /* the point itself is its own nearest */
#define SEARCHED_AGAIN 64  /* where duplicates crowd out the neighbours */

typedef struct sweep {
  const fr_nn *nn;
  int neighbors;
  int dimension;
  double thin;
  float (*normals)[3];
  const float (*given)[3];
  const int32_t *sample; /* positions, or NULL: all */
  size_t samples;
  double *distances;       /* per sample: median of six, or NULL */
  double *plane_distances; /* the same to the tangent plane, or NULL; -1 without a normal */
  _Atomic int failed;
} sweep;

typedef struct found_set {
  int count;
  int32_t position[FR_NN_MAX_K];
  double d2[FR_NN_MAX_K];
} found_set;

/* Neighbours of point i; `found` holds those of the point before it, or none. */
static void find_neighbors(const fr_nn *nn, size_t i, int k, found_set *found) {
  double limit2 = INFINITY;
  if (nn->ops->euclidean && i > 0 && found->count == k) {
    const double reach = sqrt(found->d2[k - 1]) + sqrt(fr_distance2(nn->points[i - 1], nn->points[i]));
    limit2 = reach * reach * (1 + 1e-12);
  }
  found->count = fr_nn_nearest(nn, nn->points[i], k, limit2, found->position, found->d2);
}

void fr_covariance(const fr_nn *nn, int d, const int32_t *position, int count, double mean[3], double covariance[9]) {
  memset(mean, 0, 3 * sizeof *mean);
  memset(covariance, 0, 9 * sizeof *covariance);
  for (int j = 0; j < count; j++)
    for (int a = 0; a < d; a++)
      mean[a] += nn->points[position[j]][a] / count;
  for (int j = 0; j < count; j++) {
    const double *p = nn->points[position[j]];
    for (int a = 0; a < d; a++)
      for (int b = 0; b <= a; b++)
        covariance[b + a * d] += (p[a] - mean[a]) * (p[b] - mean[b]);
  }
}

/* Unit normal of the plane through the neighbours: the eigenvector of their covariance with the smallest eigenvalue; of
 * the line the next one, too. @return how many of the two, 0 if they determine none. */
static int fit_normals(const fr_nn *nn, int d, const found_set *found, double normal[2][3], double tilt2[2]) {
  double mean[3];
  double covariance[9];
  double eigenvalue[3];
  fr_covariance(nn, d, found->position, found->count, mean, covariance);
  if (found->count < d || fr_symmetric_eigen(d, covariance, eigenvalue) != 0)
    return 0;
  /* Neighbours on a line (2-D: at a point) determine no plane. */
  if (!(eigenvalue[1] > FR_LINE * eigenvalue[d - 1]) || !(eigenvalue[d - 1] > 0))
    return 0;
  for (int a = 0; a < 3; a++) {
    normal[0][a] = a < d ? covariance[a] : 0;
    normal[1][a] = d == 3 ? covariance[3 + a] : 0;
  }
  /* Variance about the plane over the spread along it: the error of a regression's slope. */
  const double freedom = found->count > d ? found->count - d : 1;
  const double least = fmax(eigenvalue[0], 0);
  tilt2[0] = least / freedom * (d == 3 ? 1 / eigenvalue[1] + 1 / eigenvalue[2] : 1 / eigenvalue[1]);
  tilt2[1] = d == 3 ? eigenvalue[1] / freedom / eigenvalue[2] : 0;
  return d == 3 && eigenvalue[1] < FR_THIN * eigenvalue[2] ? 2 : 1;
}

static void put_normal(const sweep *s, const found_set *found, float normal[3]) {
  double fitted[2][3];
  double tilt2[2];
  const int count = found->count > 0 ? fit_normals(s->nn, s->dimension, found, fitted, tilt2) : 0;
  if (count == 1 || (count == 2 && s->thin < FR_THIN))
    for (int a = 0; a < 3; a++)
      normal[a] = (float)fitted[0][a];
}

static void normals_one_by_one(sweep *s, size_t i, size_t end, int thread) {
  found_set found = {.count = 0};
  for (; i < end; i++) {
    if (fr_has_normal(s->normals[i])) {
      found.count = 0;
      continue;
    }
    if (fr_interrupt_check(s->nn->interrupt, thread) != FRICP_STOP_NONE)
      return;
    find_neighbors(s->nn, i, s->neighbors, &found);
    if (found.count < 0)
      s->failed = 1;
    put_normal(s, &found, s->normals[i]);
  }
}

/* Of up to eight points of a packet whose neighbours were found; LAPACK sees to what the lanes do not solve. */
static void fit_together(sweep *s, fr_nn_own *own, const int *which, int count) {
  const fr_isa isa = fr_best_isa();
  int32_t *position[FR_EIGEN_LANES];
  fr_eigen_lanes lanes;
  for (int i = 0; i < count; i++)
    position[i] = own->position[which[i]];
  FR_PICK(isa, fr_plane_fit)(s->nn->points, position, count, own->k, &lanes);
  const unsigned solved = FR_PICK(isa, fr_eigen_lanes)(&lanes);
  for (int i = 0; i < count; i++) {
    float *normal = s->normals[own->first + (size_t)which[i]];
    if (!(solved >> i & 1)) {
      found_set found = {.count = own->k};
      memcpy(found.position, position[i], (size_t)own->k * sizeof *position[i]);
      put_normal(s, &found, normal);
    } else if (lanes.value[1][i] > s->thin * lanes.value[2][i]) {
      for (int a = 0; a < 3; a++)
        normal[a] = (float)lanes.vector[a][i];
    }
  }
}

static void normals_together(sweep *s, size_t first, size_t end, int thread) {
  fr_nn_own own = {.k = s->neighbors};
  for (own.first = first; own.first < end; own.first += FR_PACKET) {
    int which[FR_PACKET];
    int count = 0;
    own.wanted = 0;
    for (size_t i = 0; i < FR_PACKET && own.first + i < end; i++)
      if (!fr_has_normal(s->normals[own.first + i])) {
        own.wanted |= 1U << i;
        which[count++] = (int)i;
      }
    if (count == 0)
      continue;
    if (fr_interrupt_check(s->nn->interrupt, thread) != FRICP_STOP_NONE)
      return;
    s->nn->ops->nearest_own(s->nn, &own);
    for (int i = 0; i < count; i += FR_EIGEN_LANES)
      fit_together(s, &own, which + i, count - i < FR_EIGEN_LANES ? count - i : FR_EIGEN_LANES);
  }
}

static void normals_of_block(void *context, size_t block, int thread) {
  sweep *s = context;
  const size_t end = (block + 1) * BLOCK < s->nn->count ? (block + 1) * BLOCK : s->nn->count;
  if (s->dimension == 3 && s->neighbors >= 3 && s->nn->ops->nearest_own)
    normals_together(s, block * BLOCK, end, thread);
  else
    normals_one_by_one(s, block * BLOCK, end, thread);
}

fricp_status fr_neighborhood_outcome(const fr_nn *nn, int failed, const char *during, fricp_error *error) {
  if (fr_interrupt_reason(nn->interrupt) != FRICP_STOP_NONE)
    return fr_interrupted(nn->interrupt, during, error);
  return failed ? fr_fail(error, FRICP_ERROR_SEARCH, "target: the search failed %s", during) : FRICP_OK;
}

int fr_neighborhood_threads(const fr_nn *nn, int threads) {
  return nn->ops->thread_safe ? fr_thread_count(threads, nn->count, GRAIN) : 1;
}

fricp_status fr_estimate_normals(const fr_nn *nn, const fr_normal_fit *fit, float (*normals)[3], int threads,
                                 fricp_error *error) {
  sweep s = {.nn = nn, .neighbors = fit->neighbors, .dimension = fit->dimension, .thin = fit->thin, .normals = normals};
  if ((size_t)s.neighbors > nn->count)
    s.neighbors = (int)nn->count;
  fr_parallel_for(fr_neighborhood_threads(nn, threads), (nn->count + BLOCK - 1) / BLOCK, normals_of_block, &s,
                  nn->interrupt);
  return fr_neighborhood_outcome(nn, s.failed, fit->during, error);
}

int fr_normals_at(const fr_nn *nn, int dimension, int neighbors, size_t position, double normal[2][3],
                  double tilt2[2]) {
  found_set found;
  found.count = fr_nn_nearest(nn, nn->points[position], neighbors, INFINITY, found.position, found.d2);
  return found.count < 0 ? -1 : fit_normals(nn, dimension, &found, normal, tilt2);
}

/* By distance, which a caller's search need not go by. */
static void sort_by_distance(found_set *found) {
  for (int j = 1; j < found->count; j++) {
    const int32_t position = found->position[j];
    const double d2 = found->d2[j];
    int i = j;
    for (; i > 0 && found->d2[i - 1] > d2; i--) {
      found->position[i] = found->position[i - 1];
      found->d2[i] = found->d2[i - 1];
    }
    found->position[i] = position;
    found->d2[i] = d2;
  }
}

/* Keep only the point itself and at most six neighbours at places of their own. */
static void drop_duplicates(const fr_nn *nn, const double point[3], found_set *found) {
  int kept = 0;
  sort_by_distance(found);
  for (int j = 0; j < found->count && kept < SIX; j++) {
    const double *p = nn->points[found->position[j]];
    int seen = fr_distance2(p, point) == 0;
    for (int i = kept - 1; i >= 0 && !seen && found->d2[i] == found->d2[j]; i--)
      seen = fr_distance2(p, nn->points[found->position[i]]) == 0;
    if (seen)
      continue;
    found->position[kept] = found->position[j];
    found->d2[kept++] = found->d2[j];
  }
  found->count = kept;
}

static double median_of_sorted(const double *v, int count) {
  return count % 2 ? v[count / 2] : (v[count / 2 - 1] + v[count / 2]) / 2;
}

static size_t position_of(const sweep *s, size_t sample) {
  return s->sample ? (size_t)s->sample[sample] : sample;
}

static void spacing_of_point(const sweep *s, size_t sample, const found_set *found) {
  double value[SIX];
  const int count = found->count;
  s->distances[sample] = count ? sqrt(median_of_sorted(found->d2, count)) : 0;
  if (!s->plane_distances)
    return;
  const float *n = s->given[position_of(s, sample)];
  const double *p = s->nn->points[position_of(s, sample)];
  for (int j = 0; j < count; j++) {
    const double *q = s->nn->points[found->position[j]];
    value[j] = fabs((q[0] - p[0]) * (double)n[0] + (q[1] - p[1]) * (double)n[1] + (q[2] - p[2]) * (double)n[2]);
  }
  s->plane_distances[sample] = !fr_has_normal(n) ? -1 : count ? fr_median(value, (size_t)count) : 0;
}

/* Of lane j of a searched packet. */
static void spacing_of_lane(sweep *s, size_t sample, const fr_nn_packet *packet, int j) {
  const double *point = s->nn->points[position_of(s, sample)];
  found_set found;
  found.count = packet->found[j] < SEARCHED ? packet->found[j] : SEARCHED;
  memcpy(found.position, packet->position[j], sizeof packet->position[j]);
  memcpy(found.d2, packet->d2[j], sizeof packet->d2[j]);
  drop_duplicates(s->nn, point, &found);
  if (found.count < SIX && s->nn->count > SEARCHED) {
    found.count = fr_nn_nearest(s->nn, point, SEARCHED_AGAIN, INFINITY, found.position, found.d2);
    if (found.count < 0) {
      s->failed = 1;
      return;
    }
    drop_duplicates(s->nn, point, &found);
  }
  spacing_of_point(s, sample, &found);
}

static void spacing_of_block(void *context, size_t block, int thread) {
  sweep *s = context;
  const size_t end = (block + 1) * BLOCK < s->samples ? (block + 1) * BLOCK : s->samples;
  const size_t together = s->nn->ops->nearest_packet ? FR_PACKET : 1;
  for (size_t i = block * BLOCK; i < end && fr_interrupt_check(s->nn->interrupt, thread) == FRICP_STOP_NONE;
       i += together) {
    fr_nn_packet packet;
    packet.count = (int)(end - i < together ? end - i : together);
    packet.kept = FR_KEPT_MOST;
    packet.sure = SEARCHED;
    for (int j = 0; j < packet.count; j++) {
      memcpy(packet.query[j], s->nn->points[position_of(s, i + (size_t)j)], sizeof packet.query[j]);
      packet.limit2[j] = INFINITY;
    }
    if (fr_nn_nearest_packet(s->nn, &packet) != 0) {
      s->failed = 1;
      return;
    }
    for (int j = 0; j < packet.count; j++)
      spacing_of_lane(s, i + (size_t)j, &packet, j);
  }
}

fricp_status fr_measure_spacing(const fr_nn *nn, const float (*normals)[3], const int32_t *sample, size_t samples,
                                int threads, double *spacing, double *plane_spacing, fricp_error *error) {
  sweep s = {.nn = nn, .given = normals, .sample = sample, .samples = sample ? samples : nn->count};
  double *values = fr_allocate(nn->memory, s.samples, (normals ? 2 : 1) * sizeof *values);
  if (!values)
    return fr_out_of_memory(error, "the spacing of the target", s.samples);
  s.distances = values;
  s.plane_distances = normals ? values + s.samples : NULL;
  fr_parallel_for(fr_neighborhood_threads(nn, threads), (s.samples + BLOCK - 1) / BLOCK, spacing_of_block, &s,
                  nn->interrupt);
  const fricp_status status = fr_neighborhood_outcome(nn, s.failed, "while the target's spacing was measured", error);
  if (status != FRICP_OK) {
    fr_release(nn->memory, values);
    return status;
  }
  *spacing = fr_median(s.distances, s.samples);
  *plane_spacing = 0;
  if (normals) {
    size_t kept = 0; /* points without a normal say nothing */
    for (size_t i = 0; i < s.samples; i++)
      if (s.plane_distances[i] >= 0)
        s.plane_distances[kept++] = s.plane_distances[i];
    if (kept > 0)
      *plane_spacing = fr_median(s.plane_distances, kept);
  }
  fr_release(nn->memory, values);
  return FRICP_OK;
}
