/* SPDX-License-Identifier: BSD-3-Clause */
/* Locked directions: exact by every method, in any frame, in 2-D and 3-D; the truth where it is free to be found; and a
 * robot on a floor, whose scan alone does not tell that it stands upright. */
#include "api.h"

#include <math.h>
#include <string.h>

enum { YAW_SHIFT = FRICP_ONLY_YAW_SHIFT, PLANAR = FRICP_ONLY_PLANAR };

static const double axis[3] = {0.3, -0.5, 0.81};

/* By its definition in fricp.h, computed anew: what the motion from `guess` to `pose` has of the locked directions. A
 * rotation vector has no component along a turn where the rotation matrix has no skew part about it. */
static double moved_of_locked(int32_t locked, const fricp_pose *frame, const fricp_pose *guess,
                              const fricp_pose *pose) {
  fricp_pose to_frame = verify_inverse(frame);
  fricp_pose back = verify_inverse(guess);
  fricp_pose since = verify_multiply(pose, &back);
  since = verify_multiply(&to_frame, &since);
  since = verify_multiply(&since, frame);
  double most = 0;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    if (locked >> k & 1)
      most = fmax(most, fabs(since.rotation[j][i] - since.rotation[i][j]));
    if (locked >> (3 + k) & 1)
      most = fmax(most, fabs(since.translation[k]));
  }
  return most;
}

/* The default frame of fricp.h. */
static fricp_pose default_frame(const fricp_pose *guess) {
  fricp_pose frame = fricp_pose_identity();
  memcpy(frame.translation, guess->translation, sizeof frame.translation);
  return frame;
}

/* A motion of moderate size whose locked coordinates are 0, on top of the guess, by the same definition. */
static fricp_pose free_motion(int32_t locked, const fricp_pose *frame, const fricp_pose *guess, double degrees) {
  double turn[3] = {0};
  double shift[3] = {0};
  double length = 0;
  for (int k = 0; k < 3; k++) {
    turn[k] = locked >> k & 1 ? 0 : axis[k];
    shift[k] = locked >> (3 + k) & 1 ? 0 : 0.02 * (k + 1);
    length = hypot(length, turn[k]);
  }
  const fricp_pose still = fricp_pose_identity();
  fricp_pose motion = length > 0 ? verify_pose(turn, degrees, shift) : still;
  memcpy(motion.translation, shift, sizeof shift);
  const fricp_pose to_frame = verify_inverse(frame);
  motion = verify_multiply(frame, &motion);
  motion = verify_multiply(&motion, &to_frame);
  return verify_multiply(&motion, guess);
}

static const int32_t masks[] = {YAW_SHIFT,
                                PLANAR,
                                FRICP_ONLY_SHIFT,
                                FRICP_ONLY_ROTATION,
                                FRICP_SHIFT_Z,                               /* no group: about the origin */
                                FRICP_TURN_Z,                                /* the same: free turns about two axes */
                                FRICP_TURN_X | FRICP_TURN_Z | FRICP_SHIFT_X, /* pitch and a plane */
                                FRICP_TURN_X | FRICP_TURN_Y | FRICP_SHIFT_Y, /* no group: a cart on rails */
                                FRICP_TURN_X | FRICP_TURN_Y | FRICP_TURN_Z | FRICP_SHIFT_Z | FRICP_SHIFT_X};

/* Of two whole samples of one shape the source is moved so that the truth is a given free motion from the guess. */
static void check_free(const scene_spec *spec, int32_t method, int32_t locked, const fricp_pose *given, double degrees,
                       double tolerance) {
  scene s = make_scene(spec);
  fricp_pose guess = verify_pose(axis, 25, (const double[3]){0.3, -0.2, spec->kind == SCENE_OUTLINE ? 0 : 0.1});
  if (s.dimension == 2)
    guess = verify_pose((const double[3]){0, 0, 1}, 25, guess.translation);
  const fricp_pose frame = given ? *given : default_frame(&guess);
  const fricp_pose truth = free_motion(locked, &frame, &guess, degrees);
  const fricp_pose back = verify_inverse(&truth);
  for (size_t i = 0; i < s.source_count; i++)
    verify_apply(&back, s.source + 3 * i, s.source + 3 * i);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, s.dimension);
  const fricp_cloud target = target_of(&s);
  fricp_options options = options_for(method);
  options.locked = locked;
  options.motion_frame = given;
  const fricp_result r = register_or_fail(&source, &target, &guess, &options);
  ck_assert_msg(moved_of_locked(locked, &frame, &guess, &r.target_from_source) <= 1e-12, "%s, locked %d: moved by %g",
                fricp_method_name(method), locked, moved_of_locked(locked, &frame, &guess, &r.target_from_source));
  const double error = verify_rmse(&r.target_from_source, &truth, s.source, s.source_count);
  ck_assert_msg(error <= tolerance * s.diameter, "%s, locked %d: %g diameters off", fricp_method_name(method), locked,
                error / s.diameter);
  scene_free(&s);
}

/* The same points: the truth is the optimum, exactly. */
START_TEST(every_method_finds_the_truth_and_moves_nothing_locked) {
  static const scene_spec blob = {.kind = SCENE_BLOB, .source_count = 1500, .same_sample = 1};
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (size_t k = 0; k < COUNT(masks); k++)
      check_free(&blob, method, masks[k], NULL, 5, 1e-7);
}
END_TEST

START_TEST(in_a_frame_of_the_callers) {
  static const scene_spec blob = {.kind = SCENE_BLOB, .source_count = 1500, .same_sample = 1};
  const fricp_pose frame = verify_pose((const double[3]){0.2, 0.7, -0.4}, 70, (const double[3]){1.5, -0.5, 0.8});
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (size_t k = 0; k < COUNT(masks); k++)
      check_free(&blob, method, masks[k], &frame, 3, 1e-7);
}
END_TEST

START_TEST(in_two_dimensions) {
  static const scene_spec outline = {.kind = SCENE_OUTLINE, .source_count = 1500, .same_sample = 1};
  static const int32_t planes[] = {FRICP_TURN_Z, FRICP_SHIFT_X, FRICP_SHIFT_X | FRICP_SHIFT_Y,
                                   FRICP_TURN_Z | FRICP_SHIFT_Y, FRICP_ONLY_PLANAR};
  const fricp_pose frame = verify_pose((const double[3]){0, 0, 1}, 70, (const double[3]){1.5, -0.5, 0});
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (size_t k = 0; k < COUNT(planes); k++) {
      const int32_t locked = planes[k] | FRICP_ONLY_PLANAR; /* which 2-D locks anyway */
      check_free(&outline, method, locked, NULL, 5, 1e-7);
      check_free(&outline, method, locked, &frame, 3, 1e-7);
    }
}
END_TEST

/* A laser that turns at one height, against a scan of the whole hall: walls tell x, y and yaw, and next to nothing of the
 * rest. The range's noise is 12 mm of 25 m. */
START_TEST(a_robot_on_a_floor_stays_upright) {
  scene_spec spec = {
      .source_count = 1500, .target_count = 20000, .seed = 1, .noise = 0.0005, .angle = 8, .shift = {0.02, 0.015, 0}};
  spec.kind = SCENE_LIDAR;
  scene hall = make_scene(&spec);
  spec.kind = SCENE_LASER;
  scene robot = make_scene(&spec);
  const fricp_cloud target = scene_view(hall.target, hall.target_count, NULL, 3);
  fricp_target *prepared = target_or_fail(&target, NULL);
  fricp_solver *solver = solver_or_fail();
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    fricp_cloud source = source_for(method, &robot); /* the walls' normals, where they count: a level ring has none */
    source.dimension = 3;
    const fricp_result tilted = align_or_fail(solver, prepared, &source, NULL, &options);
    options.locked = PLANAR;
    const fricp_result r = align_or_fail(solver, prepared, &source, NULL, &options);
    const fricp_pose *truth = &robot.target_from_source;
    const double error = verify_rmse(&r.target_from_source, truth, robot.source, robot.source_count);
    const double free_error = verify_rmse(&tilted.target_from_source, truth, robot.source, robot.source_count);
    const fricp_pose still = fricp_pose_identity();
    ck_assert_double_le(moved_of_locked(PLANAR, &still, &still, &r.target_from_source), 1e-12);
    ck_assert_msg(error <= 0.04, "%s: %g m off", fricp_method_name(method), error);
    const int told_by_normals = (fricp_options_normals(&options) & FRICP_NORMALS_SOURCE) != 0; /* of walls: the tilt */
    if ((by_planes(method, &target) || fricp_method_needs_normals(method)) && !told_by_normals)
      ck_assert_msg(free_error >= 0.4, "%s, free: %g m off", fricp_method_name(method), free_error);
  }
  fricp_solver_destroy(solver);
  fricp_target_destroy(prepared);
  scene_free(&robot);
  scene_free(&hall);
}
END_TEST

/* Half a turn about the one free axis: the starts turn about it alone. */
START_TEST(starts_turn_what_is_free) {
  static const scene_spec blob = {.kind = SCENE_BLOB, .source_count = 2500, .noise = 0.001};
  static const scene_spec outline = {.kind = SCENE_OUTLINE, .source_count = 1500, .noise = 0.001};
  for (int flat = 0; flat < 2; flat++) {
    scene s = make_scene(flat ? &outline : &blob);
    const fricp_pose guess = verify_pose((const double[3]){0, 0, 1}, 180, (const double[3]){0.4, -0.3, 0});
    const fricp_cloud source = scene_view(s.source, s.source_count, NULL, s.dimension);
    const fricp_cloud target = target_of(&s);
    fricp_options options = options_for(FRICP_METHOD_AUTO);
    options.locked = YAW_SHIFT;
    options.starts = 12;
    const fricp_pose frame = default_frame(&guess);
    const fricp_result r = register_or_fail(&source, &target, &guess, &options);
    ck_assert_double_le(moved_of_locked(YAW_SHIFT, &frame, &guess, &r.target_from_source), 1e-12);
    ck_assert_double_le(error_of(&s, &r.target_from_source), 2e-3);
    scene_free(&s);
  }
}
END_TEST

/* The start by centroids is as far as the free directions let it. */
START_TEST(the_centroids_meet_where_they_may) {
  static const scene_spec blob = {.kind = SCENE_BLOB, .source_count = 1500, .same_sample = 1, .shift = {0.4, 0.3, 0.2}};
  scene s = make_scene(&blob);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = target_of(&s);
  fricp_pose guess = fricp_pose_identity();
  guess.translation[2] = s.target_from_source.translation[2];
  fricp_options options = options_for(FRICP_METHOD_ICP);
  options.locked = FRICP_TURN_X | FRICP_TURN_Y | FRICP_TURN_Z | FRICP_SHIFT_Z;
  options.start = FRICP_START_CENTROID;
  const fricp_result r = register_or_fail(&source, &target, &guess, &options);
  ck_assert_double_le(fabs(r.target_from_source.translation[2] - guess.translation[2]), 1e-12);
  ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-9);
  ck_assert_int_le(r.iterations, 2);
  scene_free(&s);
}
END_TEST

/* Far from the origin, as map coordinates are, what is locked stays to the rounding of the coordinates. */
START_TEST(far_from_the_origin) {
  static const scene_spec spec = {.kind = SCENE_BLOB,
                                  .source_count = 1500,
                                  .same_sample = 1,
                                  .offset = {4e5, 5e6, 100},
                                  .axis = {0, 0, 1},
                                  .angle = 4};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = target_of(&s);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    options.locked = PLANAR;
    const fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-7);
    ck_assert_double_le(fabs(r.target_from_source.rotation[2][2] - 1), 1e-12);
    ck_assert_double_le(fabs(r.target_from_source.translation[2]), 5e6 * 1e-15);
  }
  scene_free(&s);
}
END_TEST

/* A frame whose origin is far away, as that of map coordinates: a slight turn about it is a long way, so that a lock of a
 * shift bends any step. What is locked stays to the rounding of the lever. */
START_TEST(an_origin_far_away) {
  static const scene_spec spec = {.kind = SCENE_BLOB,
                                  .source_count = 1500,
                                  .same_sample = 1,
                                  .axis = {0, 0, 1},
                                  .angle = 5,
                                  .shift = {0.02, -0.01, 0}};
  scene s = make_scene(&spec);
  const fricp_cloud target = target_of(&s);
  const fricp_pose still = fricp_pose_identity();
  for (double far = 1e2; far < 1e9; far *= 100)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const fricp_cloud source = source_for(method, &s);
      fricp_pose frame = still;
      fricp_options options = options_for(method);
      for (int a = 0; a < 3; a++)
        frame.translation[a] = far / (1 + a);
      options.locked = FRICP_SHIFT_Z; /* turns about z and shifts along x and y keep it: the truth is of the set */
      options.motion_frame = &frame;
      const fricp_result r = register_or_fail(&source, &target, NULL, &options);
      const double moved = moved_of_locked(FRICP_SHIFT_Z, &frame, &still, &r.target_from_source);
      ck_assert_msg(moved <= 1e-12 + 1e-14 * far, "%s, %g off: moved by %g", fricp_method_name(method), far, moved);
      ck_assert_msg(error_of(&s, &r.target_from_source) <= 1e-6, "%s, %g off: %g", fricp_method_name(method), far,
                    error_of(&s, &r.target_from_source));
    }
  scene_free(&s);
}
END_TEST

/* A start so far off that no number resolves the clouds any more, and locks that do not let it come nearer: no method has
 * an answer there, but each comes to an end, with a pose. That without a safeguard ran away. */
START_TEST(a_start_beyond_resolution) {
  enum { KEPT = 3, MOVED = 5 };
  static const double kept[KEPT][2] = {{0.5, 0}, {0, 0.75}, {0.25, 0.75}};
  static const double at[MOVED][2] = {{0.02, 0}, {0.78, 0.49}, {0.02, 0}, {0.02, 0}, {0.03, 0.75}};
  prng g = prng_seed(11, 0);
  for (int trial = 0; trial < UNLESS_SANITIZED(3, 1); trial++) {
    const double far = pow(10, prng_range(&g, 30, 38.5));
    double axes[2][3];
    double shift[3];
    double points[2][3 * MOVED];
    for (int a = 0; a < 3; a++) {
      shift[a] = prng_range(&g, -1, 1);
      axes[0][a] = prng_range(&g, -1, 1);
      axes[1][a] = prng_range(&g, -1, 1);
    }
    for (size_t i = 0; i < MOVED; i++)
      for (size_t a = 0; a < 3; a++) {
        points[0][3 * i + a] = a == 2 ? far : at[i][a];
        points[1][3 * i + a] = a == 2 ? far : kept[i % KEPT][a];
      }
    const fricp_cloud source = scene_view(points[0], MOVED, NULL, 3);
    const fricp_cloud target = scene_view(points[1], KEPT, NULL, 3);
    const fricp_pose guess = turn(axes[0], prng_range(&g, 20, 180), origin, shift);
    const fricp_pose frame = turn(axes[1], prng_range(&g, 20, 180), origin, shift);
    for (int32_t locked = 1; locked < 63; locked++)
      for (int32_t method = 0; fricp_method_name(method); method++) {
        if (method != FRICP_METHOD_AA_ICP && locked % 31 != trial)
          continue;
        fricp_options options = options_for(method);
        options.threads = 1;
        options.locked = locked;
        options.motion_frame = &frame;
        options.start = trial % 2;
        fricp_result r = FRICP_RESULT_INIT;
        fricp_error error;
        const fricp_status status = fricp_register(&source, &target, &guess, &options, &r, &error);
        ck_assert_msg(status != FRICP_ERROR_NUMERICAL, "%s, %d locked, %g off: %s", fricp_method_name(method), locked,
                      far, error.text);
        for (int a = 0; a < 3 && status == FRICP_OK; a++)
          ck_assert(isfinite(r.target_from_source.translation[a]));
      }
  }
}
END_TEST

/* What the open directions are is asked of the free ones alone. */
START_TEST(what_is_locked_is_not_open) {
  static const scene_spec spec = {.kind = SCENE_FLOOR, .source_count = 3000, .noise = 0.0005};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = target_of(&s);
  for (int32_t method = FRICP_METHOD_ROBUST_ICP; fricp_method_name(method); method++) {
    fricp_options options = options_for(method);
    ck_assert_int_eq(register_or_fail(&source, &target, NULL, &options).undetermined, 3);
    options.locked = FRICP_TURN_Z | FRICP_SHIFT_X;
    ck_assert_int_eq(register_or_fail(&source, &target, NULL, &options).undetermined, 1);
    options.locked = FRICP_TURN_Z | FRICP_SHIFT_X | FRICP_SHIFT_Y;
    ck_assert_int_eq(register_or_fail(&source, &target, NULL, &options).undetermined, 0);
  }
  scene_free(&s);
}
END_TEST

static void check_refused(fricp_options options, int dimension, fricp_status expected, const char *text) {
  const scene_spec spec = {.kind = dimension == 2 ? SCENE_OUTLINE : SCENE_BLOB, .source_count = 500};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, dimension);
  const fricp_cloud target = scene_view(s.target, s.target_count, NULL, dimension);
  fricp_result result = FRICP_RESULT_INIT;
  fricp_error error;
  ck_assert_int_eq(fricp_register(&source, &target, NULL, &options, &result, &error), (int)expected);
  ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
  scene_free(&s);
}

START_TEST(what_leaves_nothing_free_is_refused) {
  fricp_options options = options_for(FRICP_METHOD_AUTO);
  options.locked = 63;
  check_refused(options, 3, FRICP_ERROR_INVALID_ARGUMENT, "locked");
  options.locked = FRICP_TURN_Z | FRICP_SHIFT_X | FRICP_SHIFT_Y;
  check_refused(options, 2, FRICP_ERROR_INVALID_ARGUMENT, "locked");
  options.locked = FRICP_ONLY_SHIFT;
  options.starts = 48;
  check_refused(options, 3, FRICP_ERROR_INVALID_ARGUMENT, "starts");
  fricp_pose mirror = fricp_pose_identity();
  mirror.rotation[1][1] = -1;
  options = options_for(FRICP_METHOD_ICP);
  options.locked = FRICP_ONLY_PLANAR;
  options.motion_frame = &mirror;
  check_refused(options, 3, FRICP_ERROR_BAD_POSE, "motion_frame");
}
END_TEST

int main(void) {
  const TTest *const tests[] = {every_method_finds_the_truth_and_moves_nothing_locked,
                                in_a_frame_of_the_callers,
                                in_two_dimensions,
                                a_robot_on_a_floor_stays_upright,
                                starts_turn_what_is_free,
                                the_centroids_meet_where_they_may,
                                far_from_the_origin,
                                an_origin_far_away,
                                a_start_beyond_resolution,
                                what_is_locked_is_not_open,
                                what_leaves_nothing_free_is_refused};
  return run_suite("free", tests, COUNT(tests));
}
