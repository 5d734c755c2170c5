/* SPDX-License-Identifier: BSD-3-Clause */
/* Register one cloud to another with one call. */
#include <fricp/fricp.h>

#include <stdio.h>
#include <stdlib.h>

#include "clouds.h"

enum { POINTS = 6000 };

int main(void) {
  float *scan = malloc(3 * POINTS * sizeof *scan), *map = malloc(3 * POINTS * sizeof *map);
  if (!scan || !map)
    return 1;

  /* Two patches of the ground that share 70 %, seen from places 12 degrees and 0.1 apart, with 5 % outliers. */
  const fricp_pose here = fricp_pose_identity(), truth = clouds_pose(12, 0.2, -0.3, 1, 0.08, -0.05, 0.04);
  clouds_scan(map, POINTS, 0.0, &here, 0.002, 0.05, 1);
  clouds_scan(scan, POINTS, 0.3, &truth, 0.002, 0.05, 2);

  /* A view borrows your array: nothing is copied by you, and nothing is kept after the call. */
  fricp_cloud source = clouds_view(scan, POINTS), target = clouds_view(map, POINTS);
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;
  /* NULL guess: start where the clouds lie. NULL options: method auto, which needs no settings. */
  if (fricp_register(&source, &target, NULL, NULL, &result, &error) != FRICP_OK) {
    fprintf(stderr, "registration failed: %s\n", error.text);
    return 1;
  }

  printf("ended: %s after %d iterations, %.3f s\n", fricp_stop_reason_name(result.stop_reason), result.iterations,
         result.seconds_prepare + result.seconds_solve);
  printf("overlap: %.0f %%, error of a matching point: %.5f\n", 100.0 * result.inlier_share, result.inlier_rms);
  for (int r = 0; r < 3; ++r)
    printf("  %10.6f %10.6f %10.6f   %10.6f\n", result.target_from_source.rotation[r][0],
           result.target_from_source.rotation[r][1], result.target_from_source.rotation[r][2],
           result.target_from_source.translation[r]);

  const double middle[3] = {0.8, 0.5, 0.0};
  double degrees, distance;
  clouds_compare(&result.target_from_source, &truth, middle, &degrees, &distance);
  printf("off the truth: %.4f degrees, %.5f\n", degrees, distance);
  free(scan);
  free(map);
  /* The points of the two patches are not the same ones and lie about 0.013 apart: a fifth of that is a good pose. */
  return result.converged && degrees < 0.3 && distance < 0.003 ? 0 : 1;
}
