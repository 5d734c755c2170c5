/* SPDX-License-Identifier: BSD-3-Clause */
/* The information matrix against the spread of poses over independent noise, and the motions that data leave open. */
#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean over trials of x^T I x. If I is the inverse covariance of x, each is chi-squared with as many degrees of freedom
 * f as there are motions: the mean over n trials is f with standard deviation sqrt(2 f / n). */
static double mean_of_trials(int32_t method, int dimension, int trials, double sigma_share) {
  const scene_spec spec = {.kind = dimension == 3 ? SCENE_BLOB : SCENE_OUTLINE,
                           .source_count = dimension == 3 ? 800 : 300,
                           .seed = 11,
                           .same_sample = 1,
                           .angle = 0.5};
  ready_pair p = ready_pair_make(make_scene(&spec));
  const scene s = p.scene;
  const fricp_pose back = verify_inverse(&s.target_from_source);
  const double sigma = sigma_share * spacing_of(&p.cloud);
  const int plane = by_planes(method, &p.cloud);
  prng g = prng_seed(12, (uint64_t)method);
  double sum = 0;
  for (int k = 0; k < trials; k++) {
    for (size_t i = 0; i < s.source_count; i++) {
      double q[3];
      const double along = sigma * prng_normal(&g);
      for (size_t a = 0; a < 3; a++) {
        q[a] = s.target[3 * i + a];
        if (plane)
          q[a] += along * s.target_normals[3 * i + a];
        else if ((int)a < dimension)
          q[a] += sigma * prng_normal(&g);
      }
      verify_apply(&back, q, s.source + 3 * i);
    }
    fricp_options options = options_for(method);
    /* wide enough to weigh every residual alike: then theory holds exactly; correspondences stay those of the truth */
    options.nu_end_factor = plane ? 0 : 0.5;
    if (plane) {
      fricp_target_info info = FRICP_TARGET_INFO_INIT;
      ck_assert_int_eq(fricp_target_get_info(p.target, &info), FRICP_OK);
      options.nu_end_factor = 20 * sigma / info.plane_spacing;
    }
    const fricp_result r = align_or_fail(p.solver, p.target, &p.source, &s.target_from_source, &options);
    ck_assert_int_eq(r.undetermined, 0);
    double x[6];
    verify_twist(&r.target_from_source, &s.target_from_source, r.information_center, x); /* the error that is left */
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++) {
        ck_assert_double_le(fabs(r.information[a][b] - r.information[b][a]), 1e-9 * r.information[a][a]);
        sum += x[a] * r.information[a][b] * x[b];
      }
  }
  ready_pair_free(&p);
  return sum / trials;
}

/* 150 trials: standard deviation sqrt(12 / 150) = 0.28 of 6 in 3-D, sqrt(6 / 150) = 0.2 of 3 in 2-D. Four of them, and
 * the tenth by which a variance estimated from weighted residuals and a nearest neighbour now and then not one's own
 * may be off. */
START_TEST(information_is_the_inverse_covariance) {
  enum { TRIALS = UNLESS_SANITIZED(150, 15) };
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const double freedom = dimension == 3 ? 6 : 3;
      /* along a curve neighbours are often much closer than the spacing */
      const int planes = fricp_method_needs_normals(method) || (method == FRICP_METHOD_AUTO && dimension == 3);
      const double sigma = planes ? 0.02 : dimension == 3 ? 0.05 : 0.005;
      const double mean = mean_of_trials(method, dimension, TRIALS, sigma);
      if (!(fabs(mean - freedom) <= 4 * sqrt(2 * freedom / TRIALS) + 0.1 * freedom))
        ck_abort_msg("%s in %d-D: x^T I x averages %g, not %g", fricp_method_name(method), dimension, mean, freedom);
    }
}
END_TEST

/* Noise twice as large: a quarter of the information; every length twice: angles keep theirs, shifts a quarter. */
START_TEST(information_scales) {
  const scene_spec spec = {.kind = SCENE_BLOB, .source_count = 2000, .seed = 13, .same_sample = 1, .noise = 0.001};
  fricp_result r[3];
  for (int k = 0; k < 3; k++) {
    scene_spec changed = spec;
    changed.noise *= k == 1 ? 2 : 1;
    changed.scale = k == 2 ? 2 : 1;
    scene s = make_scene(&changed);
    const fricp_options options = options_for(FRICP_METHOD_ICP_PLANE);
    r[k] = register_scene(&s, NULL, &options);
    scene_free(&s);
  }
  for (int a = 0; a < 6; a++) {
    ck_assert_double_eq_tol(r[1].information[a][a] / r[0].information[a][a], 0.25, 0.03);
    ck_assert_double_eq_tol(r[2].information[a][a] / r[0].information[a][a], a < 3 ? 1 : 0.25, 1e-6);
  }
}
END_TEST

/* In the plane only the turn about z and the shifts along x and y exist. */
START_TEST(information_in_the_plane) {
  const scene_spec spec = {.kind = SCENE_OUTLINE, .source_count = 500, .seed = 14, .noise = 0.001, .angle = 2};
  scene s = make_scene(&spec);
  for (int32_t method = 0; fricp_method_name(method); method++) {
    const fricp_options options = options_for(method);
    const fricp_result r = register_scene(&s, NULL, &options);
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++)
        if (a < 2 || a > 4 || b < 2 || b > 4)
          ck_assert_double_eq(r.information[a][b], 0);
        else if (a == b)
          ck_assert_double_gt(r.information[a][b], 0);
    const double(*rotation)[3] = r.target_from_source.rotation;
    ck_assert(rotation[2][2] == 1 && rotation[0][2] == 0 && rotation[2][0] == 0);
    ck_assert_double_eq(r.target_from_source.translation[2], 0);
  }
  scene_free(&s);
}
END_TEST

/* How far the estimate moved the source's centroid from the guess along one of the reported twists, as a share of the
 * whole error it started with. */
static double moved_along(const fricp_result *r, const fricp_pose *guess, const double d[6]) {
  double x[6];
  verify_twist(guess, &r->target_from_source, r->information_center, x);
  double along = 0;
  for (int a = 0; a < 6; a++)
    along += x[a] * d[a];
  return fabs(along);
}

static const struct {
  scene_kind kind;
  int open;       /* motions left open by theory */
  double axis[6]; /* of the open shift */
} open_scenes[] = {{SCENE_CORRIDOR, 1, {0, 0, 0, 1, 0, 0}}, {SCENE_FLOOR, 3, {0, 0, 0, 1, 0, 0}}};

/* A corridor without features leaves the shift along it open, a floor two shifts and the turn about its normal. They
 * stay at the guess and are told; everything else is found. */
START_TEST(open_motions_stay_at_the_guess) {
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ICP_PLANE, FRICP_METHOD_ROBUST_ICP_PLANE};
  for (size_t k = 0; k < COUNT(open_scenes); k++)
    for (size_t m = 0; m < COUNT(methods); m++)
      for (int noisy = 0; noisy < 2; noisy++) {
        const double axis[3] = {0.1, 1, 0};
        const scene_spec spec = {.kind = open_scenes[k].kind,
                                 .source_count = 4000,
                                 .seed = 15,
                                 .noise = noisy * 0.0005,
                                 .angle = 0.3,
                                 .axis = {axis[0], axis[1], axis[2]},
                                 .shift = {0.002, 0.001, 0.002}};
        scene s = make_scene(&spec);
        const fricp_options options = options_for(methods[m]);
        const fricp_pose guess = fricp_pose_identity();
        const fricp_result r = register_scene(&s, &guess, &options);
        if (r.undetermined != open_scenes[k].open)
          ck_abort_msg("%s, %s, noisy %d: %d motions told open, not %d", scene_kind_name((int)open_scenes[k].kind),
                       fricp_method_name(methods[m]), noisy, r.undetermined, open_scenes[k].open);
        double within = 0; /* the open shift lies in the span of what is told */
        for (int d = 0; d < r.undetermined; d++) {
          double length = 0;
          double along = 0;
          for (int a = 0; a < 6; a++) {
            length += r.undetermined_directions[d][a] * r.undetermined_directions[d][a];
            along += r.undetermined_directions[d][a] * open_scenes[k].axis[a];
          }
          ck_assert_double_eq_tol(length, 1, 1e-9);
          within += along * along;
          /* a second-order part remains: turning by 0.005 rad moves the rest by 0.005^2 of the size */
          ck_assert_double_le(moved_along(&r, &guess, r.undetermined_directions[d]), 1e-4 * s.diameter);
        }
        if (open_scenes[k].open == 1)
          ck_assert_double_ge(within, 0.999);
        for (int d = r.undetermined; d < 6; d++)
          for (int a = 0; a < 6; a++)
            ck_assert_double_eq(r.undetermined_directions[d][a], 0);
        /* across the surfaces it is right: every moved point lies on the true surface, whatever slid along it */
        const fricp_pose back = verify_inverse(&r.target_from_source);
        const fricp_pose left = verify_multiply(&s.target_from_source, &back);
        double squared = 0;
        for (size_t i = 0; i < s.source_count; i++) {
          double q[3];
          double p[3];
          double off = 0;
          verify_apply(&r.target_from_source, s.source + 3 * i, p);
          verify_apply(&left, p, q);
          const fricp_pose *t = &s.target_from_source;
          for (int a = 0; a < 3; a++) {
            double n = 0;
            for (size_t b = 0; b < 3; b++)
              n += t->rotation[a][b] * s.source_normals[3 * i + b];
            off += n * (p[a] - q[a]);
          }
          squared += off * off;
        }
        const double rms = sqrt(squared / (double)s.source_count) / s.diameter;
        /* where walls meet a few nearest points lie around the corner */
        ck_assert_double_le(rms, noisy ? 0.0005 : 1e-4);
        scene_free(&s);
      }
}
END_TEST

START_TEST(determined_scenes_are_told_so) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_TORUS, SCENE_ROOM, SCENE_LIDAR, SCENE_OUTLINE, SCENE_LASER};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (int32_t method = 0; fricp_method_name(method); method++)
      for (int noisy = 0; noisy < UNLESS_SANITIZED(2, 1); noisy++) {
        const scene_spec spec = {
            .kind = kinds[k], .source_count = 2000, .seed = 16, .noise = noisy * 0.001, .angle = 1};
        scene s = make_scene(&spec);
        const fricp_options options = options_for(method);
        const fricp_result r = register_scene(&s, NULL, &options);
        if (r.undetermined != 0)
          ck_abort_msg("%s, %s: %d open", scene_kind_name((int)kinds[k]), fricp_method_name(method), r.undetermined);
        scene_free(&s);
      }
}
END_TEST

/* Coordinates of many magnitudes: what rounding leaves is still an information, which may be passed on as a prior. */
START_TEST(information_is_one_in_spite_of_rounding) {
  const double target[] = {-1.7e-07, -8.3e-10, -1.4e14, 2e-15,   -2299260, -7.8e-07,
                           5.1e8,    -1.9e26,  0.11,    5.7e-10, -1.4e21,  -4.8e-31};
  const double normal[] = {0.26, 0.61, 0.6, -0.67, 0.06, 0.6, 0.52, -0.64, -0.37, 0.83, 0.29, -0.16};
  const double source[] = {0.02,    5.6e-09,  -1.4e14, -85170,    -2297682, -7.8e-07,
                           -7.0e24, -1.89e26, 0.11,    -5.16e+19, -1.39e21, -4.8e-31};
  const fricp_cloud from = scene_view(source, 4, NULL, 3);
  const fricp_cloud to = scene_view(target, 4, normal, 3);
  for (int32_t method = 0; fricp_method_name(method); method++)
    for (int locked = 0; locked < 63; locked++) {
      fricp_options options = options_for(method);
      fricp_result r = FRICP_RESULT_INIT;
      options.locked = locked;
      if (fricp_register(&from, &to, NULL, &options, &r, NULL) != FRICP_OK)
        continue;
      fricp_prior prior = FRICP_PRIOR_INIT;
      memcpy(prior.center, r.information_center, sizeof prior.center);
      memcpy(prior.information, r.information, sizeof prior.information);
      options = options_for(FRICP_METHOD_ICP);
      options.prior = &prior;
      options.max_iterations = 1;
      fricp_error error = {0, ""};
      ck_assert_msg(fricp_register(&from, &to, &r.target_from_source, &options, &r, &error) !=
                        FRICP_ERROR_INVALID_ARGUMENT,
                    "%s, locked %d: %s", fricp_method_name(method), locked, error.text);
    }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {information_is_the_inverse_covariance,
                                information_scales,
                                information_in_the_plane,
                                open_motions_stay_at_the_guess,
                                determined_scenes_are_told_so,
                                information_is_one_in_spite_of_rounding};
  return run_suite("information", tests, COUNT(tests));
}
