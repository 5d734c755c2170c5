/* SPDX-License-Identifier: BSD-3-Clause */
/* Many scans against one map: the map is prepared once, the solver keeps its buffers, each scan starts where the last
   one ended. */
#include <fricp/fricp.h>

#include <stdio.h>
#include <stdlib.h>

#include "clouds.h"

enum { SCANS = 12, SCAN_POINTS = 4000, MAP_PATCHES = 4, PATCH_POINTS = 6000, MAP_POINTS = MAP_PATCHES * PATCH_POINTS };

/* The map: ground over [0, 4] x [0, 1]. */
static fricp_target *prepare_map(void) {
  float *map = malloc(3 * MAP_POINTS * sizeof *map);
  if (!map)
    return NULL;
  const fricp_pose here = fricp_pose_identity();
  for (int k = 0; k < MAP_PATCHES; ++k)
    clouds_scan(map + (size_t)3 * PATCH_POINTS * (size_t)k, PATCH_POINTS, k, &here, 0.001, 0.0, (uint64_t)k + 1);

  /* Indexed once; this map has no normals, so they are estimated, once. */
  fricp_cloud cloud = clouds_view(map, MAP_POINTS);
  fricp_target *target = NULL;
  fricp_error error;
  if (fricp_target_create(&target, &cloud, NULL, &error) != FRICP_OK)
    fprintf(stderr, "map: %s\n", error.text);
  free(map); /* the target holds what it needs */
  return target;
}

int main(void) {
  fricp_target *map = prepare_map();
  float *scan = malloc(3 * SCAN_POINTS * sizeof *scan);
  fricp_solver *solver = NULL;
  if (!map || !scan || fricp_solver_create(&solver, NULL) != FRICP_OK)
    return 1;
  fricp_target_info info = FRICP_TARGET_INFO_INIT;
  fricp_target_get_info(map, &info);
  printf("map: %zu points, spacing %.4f, %.1f MB\n", info.points, info.spacing, (double)info.bytes / 1e6);

  fricp_options options = FRICP_OPTIONS_INIT;
  options.method = FRICP_METHOD_ROBUST_ICP_PLANE;
  fricp_pose pose = fricp_pose_identity(); /* of the last scan: the guess for the next */
  int wrong = 0;
  for (int k = 0; k < SCANS; ++k) {
    /* The sensor drives along the ground, 0.02 further and 1.5 degrees on with each scan. */
    const fricp_pose truth = clouds_pose(1.5 * (k + 1), 0.1, 0.2, 1, 0.02 * (k + 1), 0.01 * (k + 1), 0.0);
    clouds_scan(scan, SCAN_POINTS, 0.2 * k, &truth, 0.001, 0.1, (uint64_t)k + 100);

    fricp_cloud source = clouds_view(scan, SCAN_POINTS);
    fricp_result result = FRICP_RESULT_INIT;
    if (fricp_solver_align(solver, map, &source, &pose, &options, &result) != FRICP_OK) {
      fprintf(stderr, "scan %d: %s\n", k, fricp_solver_last_error(solver));
      ++wrong;
      continue;
    }
    pose = result.target_from_source;

    const double middle[3] = {0.2 * k + 0.5, 0.5, 0.0};
    double degrees, distance;
    clouds_compare(&pose, &truth, middle, &degrees, &distance);
    printf("scan %2d: %-10s %3d iterations %6.1f ms, overlap %3.0f %%, off by %.4f degrees and %.5f\n", k,
           fricp_stop_reason_name(result.stop_reason), result.iterations, 1e3 * result.seconds_solve,
           100.0 * result.inlier_share, degrees, distance);
    wrong += !result.converged || degrees > 0.1 || distance > 0.002;
  }

  fricp_solver_destroy(solver);
  fricp_target_destroy(map);
  free(scan);
  return wrong ? 1 : 0;
}
