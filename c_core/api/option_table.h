/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options of fricp.h as one table: what may be set, in which range, what 0 stands for, what it is for. The library
 * checks by it (options.c), the tool offers and explains by it, the tests take its ranges.
 *
 * X(field, kind, least, most, default, help): 0 is always allowed and stands for the default; any other value must lie
 * in the range, a whole number from least to most, a real one above least. A length may be any number: what is too long
 * to be squared is no limit.
 */
#ifndef FR_OPTION_TABLE_H
#define FR_OPTION_TABLE_H

#include "fricp/fricp.h"

#include <float.h>

#define FR_OPTION_HISTORY 16    /* FR_ANDERSON_MAX: options.c sees to it */
#define FR_OPTION_NEIGHBORS 256 /* FR_NN_MAX_K */
#define FR_OPTION_RIGHT_ANGLE 1.5707963267948966

#define FR_OPTIONS(X)                                                                                                  \
  X(method, FR_WHOLE, 0, FRICP_METHOD_SPARSE_ICP_PLANE, "auto", "how to register")                                     \
  X(start, FR_WHOLE, 0, FRICP_START_CENTROID, "identity", "where to start")                                            \
  X(max_iterations, FR_WHOLE, 1, INT32_MAX - 1, "1000 a level, by planes fewer", "iterations over all levels")         \
  X(anderson_history, FR_WHOLE, -1, FR_OPTION_HISTORY, "the method's own", "iterates that Anderson acceleration uses") \
  X(max_distance, FR_REAL, 0, DBL_MAX, "no limit", "leave out source points farther than this from the target")        \
  X(nu_start_factor, FR_REAL, 0, 1e9, "3", "first kernel width in median initial residuals")                           \
  X(nu_end_factor, FR_REAL, 0, 1e9, "1/(3 sqrt 3), to planes 1/6",                                                     \
    "last kernel width, in the target's spacing or, by normals, its neighbours' distance to the tangent plane")        \
  X(translation_epsilon, FR_REAL, 0, DBL_MAX, "own tolerance", "stop at steps no longer than this")                    \
  X(rotation_epsilon, FR_REAL, 0, 7, "own tolerance", "stop at turns no wider than this, in radians")                  \
  X(fitness_epsilon, FR_REAL, 0, 1e9, "off", "stop where the residual changes by no more than this share")             \
  X(inlier_distance, FR_REAL, 0, DBL_MAX, "the spacing of the target", "what counts as an inlier in the report")       \
  X(time_limit, FR_REAL, 0, 1e9, "none", "stop after so many seconds of work on the clouds")                           \
  X(full_resolution, FR_WHOLE, 0, 1, "off", "use every source point from the start, not only later")                   \
  X(reciprocal, FR_WHOLE, 0, 1, "off", "count only pairs that are each other's nearest")                               \
  X(threads, FR_WHOLE, 1, INT32_MAX, "as many as the machine has, fewer for small clouds", "threads to use")           \
  X(starts, FR_WHOLE, 1, 1000, "1", "rotations of the start that method auto tries; 48 cover all")                     \
  X(locked, FR_WHOLE, 0, 62, "none", "directions that stay as the guess has them, the sum of their bits")              \
  X(metric, FR_WHOLE, 0, FRICP_METRIC_SYMMETRIC, "the method's own", "what the residual of a pair is")                 \
  X(kernel, FR_WHOLE, 0, FRICP_KERNEL_TRIMMED, "the method's own", "robust function of the residual")                  \
  X(acceleration, FR_WHOLE, 0, FRICP_ACCELERATION_ANDERSON, "the method's own", "how iterates are accelerated")        \
  X(fixed_width, FR_WHOLE, 0, 1, "off", "give the kernel its last width from the start")                               \
  X(kernel_shape, FR_REAL, 0, 1, "0.4, of trimmed 0.7", "exponent of the kernel lp, share of trimmed")                 \
  X(max_normal_angle, FR_REAL, 0, FR_OPTION_RIGHT_ANGLE, "off", "leave out pairs whose normals are more radians apart")

#define FR_TARGET_OPTIONS(X)                                                                                           \
  X(given_normals_only, FR_WHOLE, 0, 1, "off", "estimate no normals for points without one")                           \
  X(normal_neighbors, FR_WHOLE, 3, FR_OPTION_NEIGHBORS, "30, in 2-D 10", "neighbours that a normal is fitted to")      \
  X(search_type, FR_WHOLE, 0, FRICP_SEARCH_BRUTE, "tree", "nearest-neighbour search")                                  \
  X(threads, FR_WHOLE, 1, INT32_MAX, "as many as the machine has, fewer for small clouds", "threads to use")           \
  X(time_limit, FR_REAL, 0, 1e9, "none", "give up after so many seconds of preparation")

typedef enum fr_option_kind { FR_WHOLE /* int32_t */, FR_REAL /* double */ } fr_option_kind;

typedef struct fr_option {
  const char *name;
  size_t offset; /* of the field in its struct */
  fr_option_kind kind;
  double least;
  double most;
  const char *default_text;
  const char *help;
} fr_option;

#define FR_OPTION_ROW(field, kind, least, most, default_text, help)                                                    \
  {#field, offsetof(fricp_options, field), kind, least, most, default_text, help},
#define FR_TARGET_OPTION_ROW(field, kind, least, most, default_text, help)                                             \
  {#field, offsetof(fricp_target_options, field), kind, least, most, default_text, help},

static const fr_option fr_option_rows[] = {FR_OPTIONS(FR_OPTION_ROW)};
static const fr_option fr_target_option_rows[] = {FR_TARGET_OPTIONS(FR_TARGET_OPTION_ROW)};

#define FR_OPTION_COUNT (sizeof fr_option_rows / sizeof fr_option_rows[0])
#define FR_TARGET_OPTION_COUNT (sizeof fr_target_option_rows / sizeof fr_target_option_rows[0])

#endif
