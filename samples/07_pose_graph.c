/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pose graph wants of a registration: the measured pose and its information, in the terms of the measurement. */
#include <fricp/fricp.h>

#include <stdio.h>
#include <stdlib.h>

#include "clouds.h"

enum { POINTS = 6000 };

/*
 * The result's error (a, v) turns and shifts the target's frame about c: q + a x (q - c) + v. An edge's error (w, u) is of
 * the source's frame: true = measured * exp(w, u). With d = t - c: a = R w, v = R u + d x R w. Row by row that is J; the
 * information of (w, u), rotation first, is J^T information J.
 */
static void edge_jacobian(const fricp_result *r, double j[6][6]) {
  const fricp_pose *pose = &r->target_from_source;
  double d[3];
  for (int k = 0; k < 3; ++k)
    d[k] = pose->translation[k] - r->information_center[k];
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      j[k][c] = j[3 + k][3 + c] = pose->rotation[k][c];
      j[3 + k][c] = d[k1] * pose->rotation[k2][c] - d[k2] * pose->rotation[k1][c];
      j[k][3 + c] = 0;
    }
}

static void edge_information(const fricp_result *r, double information[6][6]) {
  double j[6][6];
  edge_jacobian(r, j);
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      information[a][b] = 0;
      for (int k = 0; k < 6; ++k)
        for (int l = 0; l < 6; ++l)
          information[a][b] += j[k][a] * r->information[k][l] * j[l][b];
    }
}

/* Where a point p of the source is by measured * exp(xi), less where (a, v) = J xi puts it: of the order of |xi|^2. */
static double mismatch(const fricp_result *r, const double xi[6], const double p[3]) {
  const fricp_pose *pose = &r->target_from_source;
  const double angle = sqrt(xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2]);
  fricp_pose step = clouds_pose(angle * 180.0 / 3.14159265358979323846, xi[0], xi[1], xi[2], xi[3], xi[4], xi[5]);
  step = fricp_pose_multiply(pose, &step);
  double j[6][6], x[6] = {0}, q[3], moved[3], sum = 0;
  edge_jacobian(r, j);
  for (int k = 0; k < 6; ++k)
    for (int l = 0; l < 6; ++l)
      x[k] += j[k][l] * xi[l];
  for (int k = 0; k < 3; ++k) {
    q[k] = pose->translation[k], moved[k] = step.translation[k];
    for (int c = 0; c < 3; ++c)
      q[k] += pose->rotation[k][c] * p[c], moved[k] += step.rotation[k][c] * p[c];
  }
  for (int k = 0; k < 3; ++k) {
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    const double turned = x[k1] * (q[k2] - r->information_center[k2]) - x[k2] * (q[k1] - r->information_center[k1]);
    const double difference = moved[k] - (q[k] + turned + x[3 + k]);
    sum += difference * difference;
  }
  return sqrt(sum);
}

int main(void) {
  float *scan = malloc(3 * POINTS * sizeof *scan), *map = malloc(3 * POINTS * sizeof *map);
  if (!scan || !map)
    return 1;
  const fricp_pose here = fricp_pose_identity(), truth = clouds_pose(12, 0.2, -0.3, 1, 0.08, -0.05, 0.04);
  clouds_scan(map, POINTS, 0.0, &here, 0.002, 0.05, 1);
  clouds_scan(scan, POINTS, 0.3, &truth, 0.002, 0.05, 2);
  fricp_cloud source = clouds_view(scan, POINTS), target = clouds_view(map, POINTS);
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;
  if (fricp_register(&source, &target, NULL, NULL, &result, &error) != FRICP_OK) {
    fprintf(stderr, "registration failed: %s\n", error.text);
    return 1;
  }

  double information[6][6];
  edge_information(&result, information);
  puts("information of the edge, rotation first:");
  for (int r = 0; r < 6; ++r)
    printf("  %11.4g %11.4g %11.4g %11.4g %11.4g %11.4g\n", information[r][0], information[r][1], information[r][2],
           information[r][3], information[r][4], information[r][5]);

  /* Both ways to write a small error agree to first order: a tenth of the error leaves a hundredth of the difference. */
  const double xi[6] = {1e-3, -2e-3, 1.5e-3, 2e-3, 1e-3, -1e-3}, p[3] = {0.7, 0.2, 0.1};
  double small[6];
  for (int k = 0; k < 6; ++k)
    small[k] = xi[k] / 10;
  const double large_left = mismatch(&result, xi, p), small_left = mismatch(&result, small, p);
  printf("left of an error: %.3g, of a tenth of it: %.3g\n", large_left, small_left);
  free(scan);
  free(map);
  const int add_edge = result.verdict == FRICP_VERDICT_RELIABLE || result.verdict == FRICP_VERDICT_PARTIAL;
  return add_edge && large_left < 1e-5 && small_left < 0.02 * large_left ? 0 : 1;
}
