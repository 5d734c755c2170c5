/* SPDX-License-Identifier: BSD-3-Clause */
/* What must not matter: units, origin, where the source stands, guesses in floats, layout, normals left out. */
#include "api.h"

#include <math.h>
#include <stdlib.h>

static double rotation_difference(const fricp_pose *a, const fricp_pose *b) {
  double largest = 0;
  for (int i = 0; i < 9; i++)
    largest = fmax(largest, fabs(a->rotation[i / 3][i % 3] - b->rotation[i / 3][i % 3]));
  return largest;
}

/* Round to multiples of 2^-20, so that adding 1e7 is exact and only the solver's own arithmetic is judged. */
static void quantise(double *v, size_t count) {
  for (size_t i = 0; i < count; i++)
    v[i] = ldexp(nearbyint(ldexp(v[i], 20)), -20);
}

static void reframe(const scene *from, double scale, double offset, scene *to) {
  for (size_t i = 0; i < 3 * from->source_count; i++)
    to->source[i] = from->source[i] * scale + (from->dimension == 2 && i % 3 == 2 ? 0 : offset);
  for (size_t i = 0; i < 3 * from->target_count; i++)
    to->target[i] = from->target[i] * scale + (from->dimension == 2 && i % 3 == 2 ? 0 : offset);
}

/* Every scene and method sees a frame of the seven; the first two scenes (3-D and 2-D) all of them, the
 * others, which are there for their many optima, two or three. */
static int is_tried(size_t frame, size_t number, int32_t method) {
  const size_t place = frame + number + (size_t)method;
  return SANITIZED ? place % 7 == 0 : number < 2 || place % 3 == 0;
}

/* The same pair in metres, millimetres and kilometres, and with its origin 1e7 away: the same rotation to 1e-9. */
START_TEST(units_and_origins_do_not_matter) {
  static const struct {
    double scale, offset;
  } frames[] = {{1000, 0}, {0.001, 0}, {1, 1e7}, {1, -1e6}, {0.3048, 0}, {1e12, 0}, {1e-12, 0}};
  /* Partial and noisy, too: many optima side by side, where extrapolation would let rounding choose. */
  static const struct {
    scene_kind kind;
    size_t count;
    double overlap;
    uint64_t seed;
  } scenes[] = {{SCENE_LIDAR, 2000, 0, 6},  {SCENE_LASER, 800, 0, 6},     {SCENE_BLOB, 2000, 0.75, 1},
                {SCENE_BLOB, 2000, 0.6, 2}, {SCENE_TORUS, 2000, 0.75, 3}, {SCENE_LIDAR, 2000, 0.6, 4}};
  for (size_t k = 0; k < UNLESS_SANITIZED(COUNT(scenes), 3); k++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const scene_spec spec = {.kind = scenes[k].kind,
                               .source_count = scenes[k].count,
                               .overlap = scenes[k].overlap,
                               .noise = 0.001,
                               .seed = scenes[k].seed,
                               .angle = 4,
                               .shift = {0.01, 0.01, 0}};
      scene s = make_scene(&spec);
      scene t = make_scene(&spec);
      quantise(s.source, 3 * s.source_count);
      quantise(s.target, 3 * s.target_count);
      const fricp_options options = options_for(method);
      const fricp_result reference = register_scene(&s, NULL, &options);
      for (size_t f = 0; f < COUNT(frames); f++) {
        if (!is_tried(f, k, method))
          continue;
        reframe(&s, frames[f].scale, frames[f].offset, &t);
        const fricp_result r = register_scene(&t, NULL, &options);
        const double off = rotation_difference(&r.target_from_source, &reference.target_from_source);
        /* An energy that only rounding changes (by 1e-15) is at rest: so the pose is known to the root of that. Of Welsch's
         * energy outliers are the lesser part; of l_p's nearly all. */
        if (!(off <= (is_sparse(method) ? 3e-8 : 1e-9)))
          ck_abort_msg("%s by %s, scale %g, offset %g: rotations differ by %g", scene_kind_name((int)scenes[k].kind),
                       fricp_method_name(method), frames[f].scale, frames[f].offset, off);
        /* p' = s p + o, so t' = s t + o - R o */
        for (int a = 0; a < 3; a++) {
          const fricp_pose *pose = &reference.target_from_source;
          double expected = frames[f].scale * pose->translation[a];
          for (int b = 0; b < (s.dimension == 2 ? 2 : 3); b++)
            expected += ((a == b) - r.target_from_source.rotation[a][b]) * frames[f].offset;
          ck_assert_double_le(fabs(r.target_from_source.translation[a] - expected),
                              1e-8 * s.diameter * frames[f].scale + 1e-8 * (frames[f].offset != 0));
        }
        ck_assert_double_eq_tol(r.energy / reference.energy, 1, 1e-6);
        ck_assert_double_eq_tol(r.nu_end / frames[f].scale / (reference.nu_end + 1e-300), reference.nu_end > 0, 1e-6);
        ck_assert_double_eq_tol(r.inlier_distance / frames[f].scale / reference.inlier_distance, 1, 1e-9);
      }
      scene_free(&s);
      scene_free(&t);
    }
}
END_TEST

/* A source moved beforehand, with the guess that undoes it: the same registration, composed. Noise leaves many optima
 * close to each other, and which one acceleration finds depends on where it samples a turned source: not used there. Auto compares its ways on cells
 * of the source as it lies, which are others of a turned one, and its pose then agrees to a tenth of the noise. */
START_TEST(a_moved_source_with_the_inverse_guess) {
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int noisy = 0; noisy < 2; noisy++) {
      const scene_spec spec = {.kind = noisy ? SCENE_LIDAR : SCENE_BLOB,
                               .source_count = 3000,
                               .same_sample = 1,
                               .noise = 0.001 * noisy,
                               .seed = 7,
                               .angle = 4};
      scene s = make_scene(&spec);
      fricp_options options = options_for(method);
      options.full_resolution = 1; /* coarse levels take other points of a turned source */
      options.anderson_history = noisy ? -1 : 0;
      const fricp_result reference = register_scene(&s, NULL, &options);
      const double axis[3] = {0.2, 0.3, -1};
      const double shift[3] = {5, -7, 11};
      const fricp_pose motion = turn(axis, 133, origin, shift);
      for (size_t i = 0; i < s.source_count; i++)
        verify_apply(&motion, s.source + 3 * i, s.source + 3 * i);
      const fricp_pose guess = verify_inverse(&motion);
      const fricp_result r = register_scene(&s, &guess, &options);
      const fricp_pose expected = verify_multiply(&reference.target_from_source, &guess);
      const double bound = noisy && method == FRICP_METHOD_AUTO ? 0.1 * spec.noise : 1e-8;
      if (!(verify_max_difference(&r.target_from_source, &expected) <= bound * s.diameter))
        ck_abort_msg("%s, noisy %d: differs by %g", fricp_method_name(method), noisy,
                     verify_max_difference(&r.target_from_source, &expected));
      scene_free(&s);
    }
}
END_TEST

/* The guess is included in the result, and the start at the centroids is the guess translated. */
START_TEST(starts) {
  const scene_spec spec = {
      .source_count = 2000, .same_sample = 1, .seed = 8, .angle = 5, .shift = {3, -2, 1}, .offset = {1, 2, 3}};
  scene s = make_scene(&spec); /* several diameters apart */
  fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
  options.start = FRICP_START_CENTROID;
  const fricp_result r = register_scene(&s, NULL, &options);
  ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-7);
  const fricp_result from_truth = register_scene(&s, &s.target_from_source, NULL);
  ck_assert_double_le(error_of(&s, &from_truth.target_from_source), 1e-7);
  scene_free(&s);
}
END_TEST

/* An upper layer's guess is in floats: a matrix that is nearly a rotation is taken as the nearest one. */
START_TEST(a_guess_in_floats_is_mended) {
  const scene_spec spec = {.source_count = 2000, .same_sample = 1, .seed = 8, .angle = 120};
  scene s = make_scene(&spec);
  fricp_pose guess = s.target_from_source;
  for (int i = 0; i < 9; i++)
    guess.rotation[i / 3][i % 3] = (double)(float)guess.rotation[i / 3][i % 3] + 1e-5 * (i % 2);
  const fricp_result r = register_scene(&s, &guess, NULL);
  ck_assert_double_le(error_of(&s, &r.target_from_source), 1e-7);
  scene_free(&s);
}
END_TEST

/* Floats with a stride give what the same numbers as packed doubles give. */
START_TEST(layouts_do_not_matter) {
  const scene_spec spec = {.source_count = 2000, .overlap = 0.9, .noise = 0.001, .seed = 10, .angle = 3};
  scene s = make_scene(&spec);
  typedef struct fat {
    float xyz[4], normal[3], other[5];
  } fat;
  fat *fat_source = calloc(s.source_count, sizeof *fat_source);
  fat *fat_target = calloc(s.target_count, sizeof *fat_target);
  ck_assert(fat_source && fat_target);
  for (size_t i = 0; i < 3 * s.source_count; i++)
    s.source[i] = (double)(fat_source[i / 3].xyz[i % 3] = (float)s.source[i]);
  for (size_t i = 0; i < 3 * s.target_count; i++) {
    s.target[i] = (double)(fat_target[i / 3].xyz[i % 3] = (float)s.target[i]);
    s.target_normals[i] = (double)(fat_target[i / 3].normal[i % 3] = (float)s.target_normals[i]);
  }
  fricp_cloud source = FRICP_CLOUD_INIT;
  source.points = fat_source[0].xyz;
  source.count = s.source_count;
  source.stride = sizeof *fat_source;
  source.scalar_type = FRICP_SCALAR_FLOAT;
  fricp_cloud target = source;
  target.points = fat_target[0].xyz;
  target.count = s.target_count;
  target.normals = fat_target[0].normal;
  target.normal_stride = sizeof *fat_target;
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const fricp_options options = options_for(method);
    const fricp_result a = register_or_fail(&source, &target, NULL, &options);
    const fricp_result b = register_scene(&s, NULL, &options);
    check_same_result(&a, &b);
  }
  free(fat_source);
  free(fat_target);
  scene_free(&s);
}
END_TEST

/* Without normals, point-to-plane estimates them: second order on a smooth shape, so nearly as good. */
START_TEST(normals_are_estimated_where_missing) {
  for (int plane = 0; plane < 2; plane++) {
    const scene_spec spec = {.kind = plane ? SCENE_OUTLINE : SCENE_BLOB,
                             .source_count = plane ? 1500 : 5000,
                             .overlap = 0.8,
                             .seed = 11,
                             .angle = 5};
    scene s = make_scene(&spec);
    const fricp_cloud source = source_of(&s);
    fricp_cloud target = target_of(&s);
    target.normals = NULL;
    const fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP_PLANE);
    const fricp_result r = register_or_fail(&source, &target, NULL, &options);
    ck_assert_double_le(error_of(&s, &r.target_from_source), 0.2 * spacing_of(&target) / s.diameter);
    scene_free(&s);
  }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {
      units_and_origins_do_not_matter, a_moved_source_with_the_inverse_guess, starts, a_guess_in_floats_is_mended,
      layouts_do_not_matter,           normals_are_estimated_where_missing};
  return run_suite("invariance", tests, COUNT(tests));
}
