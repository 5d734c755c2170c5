/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary interface on LP64 machines, frozen: sizes and offsets of the public structs and the values of the
   enumerations. A line may be added for a new field or value. A line that has to change breaks programs that are built
   already: see CONTRIBUTING.md, "How the ABI grows". Compiled by abi_layout.sh; nothing runs. */
#include <fricp/fricp.h>

#include <stddef.h>

#if !defined(__LP64__)
#error "the layout below is that of LP64 machines"
#endif

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "the size of " #type " changed")
#define FIELD(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define VALUE(name, number) _Static_assert((name) == (number), "the value of " #name " changed")

/* Callers of many languages pass these as a 32-bit integer. */
SIZE(fricp_status, 4);

SIZE(fricp_error, 256);
FIELD(fricp_error, status, 0);
FIELD(fricp_error, text, 4);

SIZE(fricp_cloud, 88);
FIELD(fricp_cloud, struct_size, 0);
FIELD(fricp_cloud, points, 8);
FIELD(fricp_cloud, count, 16);
FIELD(fricp_cloud, stride, 24);
FIELD(fricp_cloud, scalar_type, 32);
FIELD(fricp_cloud, dimension, 36);
FIELD(fricp_cloud, normals, 40);
FIELD(fricp_cloud, normal_stride, 48);
FIELD(fricp_cloud, weights, 56);
FIELD(fricp_cloud, weight_stride, 64);
FIELD(fricp_cloud, indices, 72);
FIELD(fricp_cloud, index_count, 80);

SIZE(fricp_pose, 96);
FIELD(fricp_pose, rotation, 0);
FIELD(fricp_pose, translation, 72);

SIZE(fricp_allocator, 32);
FIELD(fricp_allocator, struct_size, 0);
FIELD(fricp_allocator, context, 8);
FIELD(fricp_allocator, allocate, 16);
FIELD(fricp_allocator, release, 24);

SIZE(fricp_search, 40);
FIELD(fricp_search, struct_size, 0);
FIELD(fricp_search, context, 8);
FIELD(fricp_search, nearest, 16);
FIELD(fricp_search, thread_safe, 24);
FIELD(fricp_search, reserved, 28);
FIELD(fricp_search, nearest_of, 32);

SIZE(fricp_progress, 144);
FIELD(fricp_progress, struct_size, 0);
FIELD(fricp_progress, level, 8);
FIELD(fricp_progress, levels, 12);
FIELD(fricp_progress, iteration, 16);
FIELD(fricp_progress, level_iteration, 20);
FIELD(fricp_progress, nu, 24);
FIELD(fricp_progress, energy, 32);
FIELD(fricp_progress, seconds, 40);
FIELD(fricp_progress, target_from_source, 48);

SIZE(fricp_options, 224);
FIELD(fricp_options, struct_size, 0);
FIELD(fricp_options, method, 8);
FIELD(fricp_options, start, 12);
FIELD(fricp_options, max_iterations, 16);
FIELD(fricp_options, anderson_history, 20);
FIELD(fricp_options, max_distance, 24);
FIELD(fricp_options, nu_start_factor, 32);
FIELD(fricp_options, nu_end_factor, 40);
FIELD(fricp_options, translation_epsilon, 48);
FIELD(fricp_options, rotation_epsilon, 56);
FIELD(fricp_options, fitness_epsilon, 64);
FIELD(fricp_options, inlier_distance, 72);
FIELD(fricp_options, time_limit, 80);
FIELD(fricp_options, full_resolution, 88);
FIELD(fricp_options, reciprocal, 92);
FIELD(fricp_options, threads, 96);
FIELD(fricp_options, starts, 100);
FIELD(fricp_options, progress, 104);
FIELD(fricp_options, progress_context, 112);
FIELD(fricp_options, log, 120);
FIELD(fricp_options, log_context, 128);
FIELD(fricp_options, motion_frame, 136);
FIELD(fricp_options, locked, 144);
FIELD(fricp_options, metric, 148);
FIELD(fricp_options, prior, 152);
FIELD(fricp_options, accept_pair, 160);
FIELD(fricp_options, pair_context, 168);
FIELD(fricp_options, kernel, 176);
FIELD(fricp_options, acceleration, 180);
FIELD(fricp_options, fixed_width, 184);
FIELD(fricp_options, kernel_shape, 192);
FIELD(fricp_options, max_normal_angle, 200);
FIELD(fricp_options, source_sensor, 208);
FIELD(fricp_options, target_sensor, 216);

SIZE(fricp_prior, 328);
FIELD(fricp_prior, struct_size, 0);
FIELD(fricp_prior, pose, 8);
FIELD(fricp_prior, center, 16);
FIELD(fricp_prior, information, 40);

SIZE(fricp_target_options, 64);
FIELD(fricp_target_options, struct_size, 0);
FIELD(fricp_target_options, given_normals_only, 8);
FIELD(fricp_target_options, normal_neighbors, 12);
FIELD(fricp_target_options, search_type, 16);
FIELD(fricp_target_options, threads, 20);
FIELD(fricp_target_options, search, 24);
FIELD(fricp_target_options, allocator, 32);
FIELD(fricp_target_options, time_limit, 40);
FIELD(fricp_target_options, progress, 48);
FIELD(fricp_target_options, progress_context, 56);

SIZE(fricp_result, 1008);
FIELD(fricp_result, struct_size, 0);
FIELD(fricp_result, target_from_source, 8);
FIELD(fricp_result, last_step, 104);
FIELD(fricp_result, stop_reason, 200);
FIELD(fricp_result, converged, 204);
FIELD(fricp_result, levels, 208);
FIELD(fricp_result, iterations, 212);
FIELD(fricp_result, correspondence_passes, 216);
FIELD(fricp_result, accelerated, 220);
FIELD(fricp_result, rejected, 224);
FIELD(fricp_result, threads, 228);
FIELD(fricp_result, undetermined, 232);
FIELD(fricp_result, verdict, 236);
FIELD(fricp_result, undetermined_directions, 240);
FIELD(fricp_result, energy, 528);
FIELD(fricp_result, nu_start, 536);
FIELD(fricp_result, nu_end, 544);
FIELD(fricp_result, points_source, 552);
FIELD(fricp_result, points_target, 560);
FIELD(fricp_result, skipped_source, 568);
FIELD(fricp_result, skipped_target, 576);
FIELD(fricp_result, inliers, 584);
FIELD(fricp_result, inlier_share, 592);
FIELD(fricp_result, inlier_rms, 600);
FIELD(fricp_result, inlier_distance, 608);
FIELD(fricp_result, information_center, 616);
FIELD(fricp_result, information, 640);
FIELD(fricp_result, seconds_prepare, 928);
FIELD(fricp_result, seconds_solve, 936);
FIELD(fricp_result, overlap_source, 944);
FIELD(fricp_result, overlap_target, 952);
FIELD(fricp_result, agreement, 960);
FIELD(fricp_result, rival, 968);
FIELD(fricp_result, candidates, 976);
FIELD(fricp_result, reserved, 980);
FIELD(fricp_result, through_source, 984);
FIELD(fricp_result, through_target, 992);
FIELD(fricp_result, agreement_least, 1000);

SIZE(fricp_candidate, 200);
FIELD(fricp_candidate, name, 0);
FIELD(fricp_candidate, start, 24);
FIELD(fricp_candidate, chosen, 28);
FIELD(fricp_candidate, score, 32);
FIELD(fricp_candidate, moved, 40);
FIELD(fricp_candidate, agree, 48);
FIELD(fricp_candidate, near, 64);
FIELD(fricp_candidate, through, 80);
FIELD(fricp_candidate, target_from_source, 96);
FIELD(fricp_candidate, agreement_least, 192);

SIZE(fricp_trace_row, 144);
FIELD(fricp_trace_row, level, 0);
FIELD(fricp_trace_row, accepted, 4);
FIELD(fricp_trace_row, accelerated, 8);
FIELD(fricp_trace_row, points, 12);
FIELD(fricp_trace_row, nu, 16);
FIELD(fricp_trace_row, energy, 24);
FIELD(fricp_trace_row, step, 32);
FIELD(fricp_trace_row, seconds, 40);
FIELD(fricp_trace_row, target_from_source, 48);

SIZE(fricp_level, 24);
FIELD(fricp_level, nu, 0);
FIELD(fricp_level, energy, 8);
FIELD(fricp_level, iterations, 16);
FIELD(fricp_level, points, 20);

SIZE(fricp_target_info, 80);
FIELD(fricp_target_info, struct_size, 0);
FIELD(fricp_target_info, points, 8);
FIELD(fricp_target_info, skipped, 16);
FIELD(fricp_target_info, normals, 24);
FIELD(fricp_target_info, bytes, 32);
FIELD(fricp_target_info, spacing, 40);
FIELD(fricp_target_info, plane_spacing, 48);
FIELD(fricp_target_info, noise, 56);
FIELD(fricp_target_info, extent, 64);
FIELD(fricp_target_info, dimension, 72);
FIELD(fricp_target_info, reserved, 76);

VALUE(FRICP_OK, 0);
VALUE(FRICP_ERROR_INVALID_ARGUMENT, 1);
VALUE(FRICP_ERROR_OUT_OF_MEMORY, 2);
VALUE(FRICP_ERROR_EMPTY_CLOUD, 3);
VALUE(FRICP_ERROR_TOO_FEW_POINTS, 4);
VALUE(FRICP_ERROR_BAD_INDEX, 5);
VALUE(FRICP_ERROR_BAD_POSE, 6);
VALUE(FRICP_ERROR_NO_NORMALS, 7);
VALUE(FRICP_ERROR_NO_CORRESPONDENCES, 8);
VALUE(FRICP_ERROR_DEGENERATE, 9);
VALUE(FRICP_ERROR_SEARCH, 10);
VALUE(FRICP_ERROR_NUMERICAL, 11);
VALUE(FRICP_ERROR_UNSUPPORTED, 12);
VALUE(FRICP_ERROR_INTERRUPTED, 13);
VALUE(FRICP_STOP_NONE, 0);
VALUE(FRICP_STOP_CONVERGED, 1);
VALUE(FRICP_STOP_ITERATION_LIMIT, 2);
VALUE(FRICP_STOP_POSE_EPSILON, 3);
VALUE(FRICP_STOP_FITNESS_EPSILON, 4);
VALUE(FRICP_STOP_CANCELLED, 5);
VALUE(FRICP_STOP_TIME_LIMIT, 6);
VALUE(FRICP_STOP_NO_DESCENT, 7);
VALUE(FRICP_STOP_NO_OVERLAP, 8);
VALUE(FRICP_VERDICT_NONE, 0);
VALUE(FRICP_VERDICT_RELIABLE, 1);
VALUE(FRICP_VERDICT_AMBIGUOUS, 2);
VALUE(FRICP_VERDICT_PARTIAL, 3);
VALUE(FRICP_VERDICT_POOR, 4);
VALUE(FRICP_METHOD_AUTO, 0);
VALUE(FRICP_METHOD_ROBUST_ICP, 1);
VALUE(FRICP_METHOD_ROBUST_ICP_PLANE, 2);
VALUE(FRICP_METHOD_FAST_ICP, 3);
VALUE(FRICP_METHOD_ICP, 4);
VALUE(FRICP_METHOD_ICP_PLANE, 5);
VALUE(FRICP_METHOD_SYMMETRIC_ICP, 6);
VALUE(FRICP_METHOD_ROBUST_SYMMETRIC_ICP, 7);
VALUE(FRICP_METHOD_AA_ICP, 8);
VALUE(FRICP_METHOD_SPARSE_ICP, 9);
VALUE(FRICP_METHOD_SPARSE_ICP_PLANE, 10);
VALUE(FRICP_METRIC_DEFAULT, 0);
VALUE(FRICP_METRIC_POINT_TO_POINT, 1);
VALUE(FRICP_METRIC_POINT_TO_PLANE, 2);
VALUE(FRICP_METRIC_SYMMETRIC, 3);
VALUE(FRICP_KERNEL_DEFAULT, 0);
VALUE(FRICP_KERNEL_LEAST_SQUARES, 1);
VALUE(FRICP_KERNEL_WELSCH, 2);
VALUE(FRICP_KERNEL_HUBER, 3);
VALUE(FRICP_KERNEL_TUKEY, 4);
VALUE(FRICP_KERNEL_CAUCHY, 5);
VALUE(FRICP_KERNEL_GEMAN_MCCLURE, 6);
VALUE(FRICP_KERNEL_LP, 7);
VALUE(FRICP_KERNEL_TRIMMED, 8);
VALUE(FRICP_ACCELERATION_DEFAULT, 0);
VALUE(FRICP_ACCELERATION_NONE, 1);
VALUE(FRICP_ACCELERATION_ANDERSON, 2);
VALUE(FRICP_NORMALS_TARGET, 1);
VALUE(FRICP_NORMALS_TARGET_USED, 2);
VALUE(FRICP_NORMALS_SOURCE, 4);
VALUE(FRICP_SCALAR_DOUBLE, 0);
VALUE(FRICP_SCALAR_FLOAT, 1);
VALUE(FRICP_START_GUESS, 0);
VALUE(FRICP_START_CENTROID, 1);
VALUE(FRICP_TURN_X, 1);
VALUE(FRICP_TURN_Y, 2);
VALUE(FRICP_TURN_Z, 4);
VALUE(FRICP_SHIFT_X, 8);
VALUE(FRICP_SHIFT_Y, 16);
VALUE(FRICP_SHIFT_Z, 32);
VALUE(FRICP_ONLY_YAW_SHIFT, 3);
VALUE(FRICP_ONLY_PLANAR, 35);
VALUE(FRICP_ONLY_SHIFT, 7);
VALUE(FRICP_ONLY_ROTATION, 56);
VALUE(FRICP_SEARCH_DEFAULT, 0);
VALUE(FRICP_SEARCH_TREE, 1);
VALUE(FRICP_SEARCH_FLANN, 2);
VALUE(FRICP_SEARCH_BRUTE, 3);
