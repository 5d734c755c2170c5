/* SPDX-License-Identifier: BSD-3-Clause */
/* A pair of scans and the true pose as text files, for trying the tool where nothing but the packages is installed.
     write_pair <folder> */
#include <fricp/fricp.h>

#include <stdio.h>
#include <stdlib.h>

#include "clouds.h"

enum { POINTS = 6000 };

static FILE *open_in(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file)
    perror(path);
  return file;
}

static int write_points(const char *folder, const char *name, const float *xyz) {
  FILE *file = open_in(folder, name);
  for (int i = 0; file && i < POINTS; ++i)
    fprintf(file, "%.9g %.9g %.9g\n", xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]);
  return file && fclose(file) == 0;
}

static int write_pose(const char *folder, const char *name, const fricp_pose *pose) {
  FILE *file = open_in(folder, name);
  for (int r = 0; file && r < 3; ++r)
    fprintf(file, "%.17g %.17g %.17g %.17g\n", pose->rotation[r][0], pose->rotation[r][1], pose->rotation[r][2],
            pose->translation[r]);
  if (file)
    fputs("0 0 0 1\n", file);
  return file && fclose(file) == 0;
}

int main(int count, char **arguments) {
  static float scan[3 * POINTS], map[3 * POINTS];
  if (count != 2)
    return 2;
  const fricp_pose here = fricp_pose_identity(), truth = clouds_pose(12, 0.2, -0.3, 1, 0.08, -0.05, 0.04);
  clouds_scan(map, POINTS, 0.0, &here, 0.002, 0.05, 1);
  clouds_scan(scan, POINTS, 0.3, &truth, 0.002, 0.05, 2);
  return write_points(arguments[1], "source.txt", scan) && write_points(arguments[1], "target.txt", map) &&
                 write_pose(arguments[1], "truth.txt", &truth)
             ? 0
             : 1;
}
