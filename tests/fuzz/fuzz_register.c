/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as two clouds, a guess and options. Whatever they are, the library answers with a status and a text, or
   with a proper rigid motion; its tree finds what looking at every point finds. Run by libFuzzer (preset fuzz), and by
   replay.c as an ordinary test. */
#include "fricp/fricp.h"
#include "fuzz_bytes.h"
#include "fuzz_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_POINTS = 48 };

/* A third of the numbers are of a coarse grid (ties, duplicates, flat clouds), the rest any pattern of bits. */
static double next_number(bytes *b, unsigned style) {
  if (style % 3 != 0)
    return (double)next_byte(b) / 16.0 - 8.0;
  float value = 0.0f;
  next_bits(b, &value, sizeof value);
  return (double)value;
}

/* A small positive number, and now and then any pattern of bits: options mostly in range, so that many runs register.
 */
static double next_positive(bytes *b) {
  const unsigned byte = next_byte(b);
  return byte == 255 ? next_number(b, 0) : (1.0 + (double)byte) / 32.0;
}

/* 0 to limit - 1, and now and then limit. */
static int32_t next_choice(bytes *b, unsigned limit) {
  const unsigned byte = next_byte(b);
  return (int32_t)(byte == 255 ? limit : byte % limit);
}

/* A broken promise: say which, and stop as a fuzzer wants it. */
static void require(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
  }
}

typedef struct cloud_bytes {
  double points[3 * MAX_POINTS], normals[3 * MAX_POINTS], weights[MAX_POINTS];
  int32_t indices[MAX_POINTS];
} cloud_bytes;

static fricp_cloud next_cloud(bytes *b, cloud_bytes *memory, int32_t dimension) {
  const unsigned style = next_byte(b), parts = next_byte(b);
  fricp_cloud cloud = FRICP_CLOUD_INIT;
  cloud.points = memory->points;
  cloud.count = next_byte(b) % (MAX_POINTS + 1);
  cloud.stride = 3 * sizeof(double);
  cloud.dimension = dimension;
  for (size_t i = 0; i < 3 * cloud.count; ++i)
    memory->points[i] = next_number(b, style);
  if (parts & 1) {
    cloud.normals = memory->normals;
    cloud.normal_stride = 3 * sizeof(double);
    for (size_t i = 0; i < 3 * cloud.count; ++i)
      memory->normals[i] = next_number(b, style / 3);
  }
  if (parts & 2) {
    cloud.weights = memory->weights;
    for (size_t i = 0; i < cloud.count; ++i)
      memory->weights[i] = next_positive(b);
  }
  if (parts & 4) {
    cloud.indices = memory->indices;
    cloud.index_count = next_byte(b) % (MAX_POINTS + 1);
    for (size_t i = 0; i < cloud.index_count; ++i)
      memory->indices[i] = next_choice(b, cloud.count ? (unsigned)cloud.count : 1);
  }
  return cloud;
}

static fricp_options next_options(bytes *b) {
  fricp_options options = FRICP_OPTIONS_INIT;
  const unsigned parts = next_byte(b);
  options.method = next_choice(b, 6);
  options.starts = parts & 64 ? next_choice(b, 8) : 0;
  options.start = next_choice(b, 2);
  options.max_iterations = 1 + (int32_t)(next_byte(b) % 40);
  options.threads = 1;
  if (parts & 1)
    options.max_distance = next_positive(b);
  if (parts & 2)
    options.anderson_history = next_choice(b, 17);
  if (parts & 4)
    options.nu_start_factor = next_positive(b);
  if (parts & 8)
    options.nu_end_factor = next_positive(b);
  if (parts & 16)
    options.reciprocal = 1;
  if (parts & 32)
    options.full_resolution = 1;
  if (parts & 64)
    options.fitness_epsilon = next_positive(b);
  if (parts & 128)
    options.inlier_distance = next_positive(b);
  return options;
}

/* Orthonormal, not mirrored, finite. */
static void require_rigid(const fricp_pose *pose) {
  const double(*r)[3] = pose->rotation;
  for (int i = 0; i < 3; ++i) {
    require(isfinite(pose->translation[i]), "the translation is finite");
    for (int j = 0; j < 3; ++j) {
      double product = 0.0;
      for (int k = 0; k < 3; ++k)
        product += r[i][k] * r[j][k];
      require(fabs(product - (i == j)) < 1e-9, "the rotation is orthonormal");
    }
  }
  const double determinant = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                             r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                             r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
  require(determinant > 0.0, "the rotation does not mirror");
}

static void registers(bytes *b) {
  static cloud_bytes source_memory, target_memory;
  const int32_t dimension = next_byte(b) % 4 == 0 ? 2 : 3;
  const fricp_options options = next_options(b);
  const fricp_cloud source = next_cloud(b, &source_memory, dimension);
  const fricp_cloud target = next_cloud(b, &target_memory, dimension);
  fricp_pose guess = fricp_pose_identity();
  const int guessed = next_byte(b) % 4 == 0;
  if (guessed)
    for (int i = 0; i < 3; ++i)
      guess.translation[i] = next_number(b, (unsigned)i);

  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;
  const fricp_status status = fricp_register(&source, &target, guessed ? &guess : NULL, &options, &result, &error);
  require(status != FRICP_ERROR_SEARCH, "the library's own search does not fail");
  if (status != FRICP_OK) {
    require(error.status == (int32_t)status && error.text[0] != '\0', "an error has a text");
    require(!result.converged, "an error is not converged");
    return;
  }
  require_rigid(&result.target_from_source);
  require(result.inliers <= result.points_source && result.points_source <= source.count + source.index_count,
          "no more inliers than points");
  require(result.energy >= 0.0, "the energy is a sum of squares or of kernels");
  require(result.stop_reason != FRICP_STOP_NONE, "an end has a reason");
  require(result.iterations <= options.max_iterations || result.stop_reason != FRICP_STOP_ITERATION_LIMIT,
          "the iteration limit is one");
}

/* Two search back ends on one cloud. */
static void searches(bytes *b) {
  static cloud_bytes memory;
  const int k = 1 + (int)(next_byte(b) % 8);
  const fricp_cloud cloud = next_cloud(b, &memory, 3);
  fricp_target *tree = NULL, *brute = NULL;
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.threads = 1;
  options.search_type = FRICP_SEARCH_TREE;
  const fricp_status first = fricp_target_create(&tree, &cloud, &options, NULL);
  options.search_type = FRICP_SEARCH_BRUTE;
  require(fricp_target_create(&brute, &cloud, &options, NULL) == first, "the back end does not change the status");
  for (int q = 0; q < 4 && first == FRICP_OK; ++q) {
    int32_t a[8], c[8];
    double a2[8], c2[8];
    const unsigned style = next_byte(b);
    const double query[3] = {next_number(b, style), next_number(b, style), next_number(b, style)};
    const double limit = style & 64 ? INFINITY : fabs(next_number(b, 1));
    const int n = fricp_target_nearest(tree, query, k, limit, a, a2);
    require(n == fricp_target_nearest(brute, query, k, limit, c, c2), "the tree finds as many");
    require(n <= k, "no more than asked for");
    for (int i = 0; i < n; ++i)
      require(a[i] == c[i] && a2[i] == c2[i], "the tree finds the same");
  }
  fricp_target_destroy(tree);
  fricp_target_destroy(brute);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, size};
  if (next_byte(&b) & 1)
    registers(&b);
  else
    searches(&b);
  return 0;
}
