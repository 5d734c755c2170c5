/* SPDX-License-Identifier: BSD-3-Clause */
/* Watch a registration, cancel it, and go on from where it was. */
#include <fricp/fricp.h>

#include <stdio.h>
#include <stdlib.h>

#include "clouds.h"

enum { POINTS = 6000 };

/* What the hook needs of the program: here, after how many iterations the user loses patience. */
typedef struct watch {
  int patience;
  int calls;
} watch;

/* Called between iterations, on the thread that called the library. Not zero: stop. */
static int on_progress(void *context, const fricp_progress *progress) {
  watch *w = context;
  ++w->calls;
  if (progress->level_iteration <= 1)
    printf("  level %d of %d, kernel width %.4g: energy %.6g after %d iterations, %.0f ms\n", progress->level + 1,
           progress->levels, progress->nu, progress->energy, progress->iteration, 1e3 * progress->seconds);
  return progress->iteration >= w->patience;
}

int main(void) {
  float *scan = malloc(3 * POINTS * sizeof *scan), *map = malloc(3 * POINTS * sizeof *map);
  if (!scan || !map)
    return 1;
  const fricp_pose here = fricp_pose_identity(), truth = clouds_pose(10, 0.5, 0.2, 1, 0.05, 0.05, -0.03);
  clouds_scan(map, POINTS, 0.0, &here, 0.002, 0.05, 3);
  clouds_scan(scan, POINTS, 0.2, &truth, 0.002, 0.05, 4);

  fricp_cloud source = clouds_view(scan, POINTS), target = clouds_view(map, POINTS);
  fricp_options options = FRICP_OPTIONS_INIT;
  watch user = {1, 0};
  options.progress = on_progress;
  options.progress_context = &user;
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;

  puts("cancelled after an iteration:");
  if (fricp_register(&source, &target, NULL, &options, &result, &error) != FRICP_OK) {
    fprintf(stderr, "registration failed: %s\n", error.text);
    return 1;
  }
  /* Cancelling is no error: the best pose so far is in the result. */
  const int cancelled = result.stop_reason == FRICP_STOP_CANCELLED && !result.converged && result.iterations <= 2;
  printf("ended: %s after %d iterations\n", fricp_stop_reason_name(result.stop_reason), result.iterations);

  puts("going on from there:");
  const fricp_pose so_far = result.target_from_source;
  user.patience = 1000000;
  if (fricp_register(&source, &target, &so_far, &options, &result, &error) != FRICP_OK) {
    fprintf(stderr, "registration failed: %s\n", error.text);
    return 1;
  }
  const double middle[3] = {0.7, 0.5, 0.0};
  double degrees, distance;
  clouds_compare(&result.target_from_source, &truth, middle, &degrees, &distance);
  printf("ended: %s, hook called %d times, off the truth: %.4f degrees, %.5f\n",
         fricp_stop_reason_name(result.stop_reason), user.calls, degrees, distance);
  free(scan);
  free(map);
  return cancelled && result.converged && user.calls > 5 && degrees < 0.3 && distance < 0.003 ? 0 : 1;
}
