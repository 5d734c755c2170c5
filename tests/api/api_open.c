/* SPDX-License-Identifier: BSD-3-Clause */
/* Motions that the surfaces leave open, as users have them: noise, normals estimated, points and planes. They are told,
 * stay at the start, and carry no information; what few points see is not open, nor what samples of the same points
 * tell. */
#include "api.h"
#include "prng.h"
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6000 };

typedef void (*shape_function)(prng *g, double p[3], double n[3]);

static void on_pipe(prng *g, double p[3], double n[3]) {
  const double angle = prng_range(g, 0, 6.283185307179586);
  n[0] = 0;
  n[1] = cos(angle);
  n[2] = sin(angle);
  p[0] = prng_range(g, -4, 4);
  p[1] = 1.5 * n[1];
  p[2] = 1.5 * n[2];
}

static void on_floor(prng *g, double p[3], double n[3]) {
  p[0] = prng_range(g, -4, 4);
  p[1] = prng_range(g, -4, 4);
  p[2] = n[0] = n[1] = 0;
  n[2] = 1;
}

/* Walls y = +-1, floor z = 0. */
static void in_corridor(prng *g, double p[3], double n[3]) {
  const double side = prng_range(g, 0, 3);
  p[0] = prng_range(g, -5, 5);
  n[0] = 0;
  n[1] = side < 2 ? (side < 1 ? 1 : -1) : 0;
  n[2] = side < 2 ? 0 : 1;
  p[1] = side < 2 ? -n[1] : prng_range(g, -1, 1);
  p[2] = side < 2 ? prng_range(g, 0, 2) : 0;
}

/* Twice as long: half as many neighbours at its edges. */
static void in_long_corridor(prng *g, double p[3], double n[3]) {
  in_corridor(g, p, n);
  p[0] *= 2;
}

static void on_ball(prng *g, double p[3], double n[3]) {
  prng_direction(g, n);
  memcpy(p, n, 3 * sizeof *p);
}

/* B35's: six poles of radius 0.1 and height 1.5, 6 % of the points. */
static void among_poles(prng *g, double p[3], double n[3]) {
  static const double pole[6][2] = {{-3, 1}, {-1, -2.5}, {0.5, 3}, {2, -1}, {3, 2}, {-2, 3.2}};
  if (prng_range(g, 0, 1) > 0.06) {
    on_floor(g, p, n);
    return;
  }
  const double *at = pole[prng_below(g, 6)];
  const double angle = prng_range(g, 0, 6.283185307179586);
  n[0] = cos(angle);
  n[1] = sin(angle);
  n[2] = 0;
  p[0] = at[0] + 0.1 * n[0];
  p[1] = at[1] + 0.1 * n[1];
  p[2] = prng_range(g, 0, 1.5);
}

typedef struct clouds {
  double source[3 * N];
  double target[3 * N];
  double normals[3 * N]; /* the target's, exact */
} clouds;

/* Two samples with noise along the normals; the source moved so that `truth` brings it back. */
static void make(clouds *c, shape_function shape, double noise, const fricp_pose *truth, uint64_t seed) {
  const fricp_pose back = verify_inverse(truth);
  for (int k = 0; k < 2; k++) {
    prng g = prng_seed(seed, (uint64_t)k);
    for (size_t i = 0; i < N; i++) {
      double *p = (k ? c->target : c->source) + 3 * i;
      double n[3];
      shape(&g, p, n);
      const double off = noise * prng_normal(&g);
      for (int a = 0; a < 3; a++)
        p[a] += off * n[a];
      if (k == 0)
        verify_apply(&back, p, p);
      else
        memcpy(c->normals + 3 * i, n, sizeof n);
    }
  }
}

/* exact: the target comes with its exact normals. */
static fricp_result solve(const clouds *c, int32_t method, int exact) {
  const fricp_cloud source = scene_view(c->source, N, NULL, 3);
  const fricp_cloud target = scene_view(c->target, N, exact ? c->normals : NULL, 3);
  const fricp_options options = options_for(method);
  return register_or_fail(&source, &target, NULL, &options);
}

typedef struct open_scene {
  const char *name;
  shape_function shape;
  int open;
  double shift[3]; /* true motion, the open parts included */
  double turn[3];  /* degrees about x, y, z */
} open_scene;

static const open_scene open_scenes[] = {
    {"pipe", on_pipe, 2, {0.15, 0.04, -0.03}, {2, 0.3, 0.6}},
    {"floor", on_floor, 3, {0.15, -0.1, 0.05}, {0.8, 0.3, 2}},
    {"corridor", in_corridor, 1, {0.2, 0.03, -0.02}, {0.4, 0.3, 0.5}},
    {"ball", on_ball, 3, {0.03, -0.02, 0.04}, {1, 2, -1}},
};

static fricp_pose truth_of(const open_scene *s) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  fricp_pose truth = turn(axes[0], 0, origin, s->shift);
  for (int a = 0; a < 3; a++) {
    const fricp_pose about = turn(axes[a], s->turn[a], origin, origin);
    truth = verify_multiply(&truth, &about);
  }
  return truth;
}

/* A unit twist's share along the motions told to be open: each is a unit twist, their span is what counts. */
static double share_in_span(const fricp_result *r, const double twist[6]) {
  double basis[6][6];
  double share = 0;
  for (int d = 0; d < r->undetermined; d++) { /* Gram-Schmidt */
    memcpy(basis[d], r->undetermined_directions[d], sizeof basis[d]);
    for (int e = 0; e < d; e++) {
      double dot = 0;
      for (int i = 0; i < 6; i++)
        dot += basis[d][i] * basis[e][i];
      for (int i = 0; i < 6; i++)
        basis[d][i] -= dot * basis[e][i];
    }
    double length = 0;
    for (int i = 0; i < 6; i++)
      length += basis[d][i] * basis[d][i];
    double dot = 0;
    for (int i = 0; i < 6; i++) {
      basis[d][i] /= sqrt(length);
      dot += basis[d][i] * twist[i];
    }
    share += dot * dot;
  }
  return share;
}

/* pipe_with_noise, floor_with_noise, straight_corridor. B31's and B33's bounds: what is seen comes out right, what is
 * not stays within a fraction of what it would be moved by. */
static void check_open(const open_scene *place, double noise, int32_t method, int exact) {
  clouds *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  const fricp_pose truth = truth_of(place);
  make(c, place->shape, noise, &truth, 1);
  const fricp_result r = solve(c, method, exact);
  if (r.undetermined != place->open)
    ck_abort_msg("%s, noise %g, %s, exact normals %d: %d open motions, not %d", place->name, noise,
                 fricp_method_name(method), exact, r.undetermined, place->open);
  /* how far off the surface the moved source lies, on average without sign: that is noise; with sign it is bias */
  double off = 0;
  for (size_t i = 0; i < N; i++) {
    double q[3];
    verify_apply(&r.target_from_source, c->source + 3 * i, q);
    if (place->shape == on_pipe)
      off += fabs(hypot(q[1], q[2]) - 1.5) / N;
    else if (place->shape == on_floor)
      off += fabs(q[2]) / N;
    else if (place->shape == on_ball)
      off += fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - 1) / N;
    else
      off += fmin(fabs(fabs(q[1]) - 1), fabs(q[2])) / N;
  }
  ck_assert_double_le(off, noise + 0.01);
  /* the open parts stay: the point in the middle, and turns */
  const double *t = r.target_from_source.translation;
  const double along = place->shape == on_ball ? 0 : fabs(t[0]);
  const double across = place->shape == on_floor ? fabs(t[1]) : 0;
  const double about_x = (r.target_from_source.rotation[2][1] - r.target_from_source.rotation[1][2]) / 2;
  const double about_z = (r.target_from_source.rotation[1][0] - r.target_from_source.rotation[0][1]) / 2;
  if (!(along <= 0.05 && across <= 0.05 && (place->shape != on_pipe || fabs(about_x) <= 0.012) &&
        (place->shape != on_floor || fabs(about_z) <= 0.012)))
    ck_abort_msg("%s, noise %g, %s: moved by %g %g, turned by %g %g", place->name, noise, fricp_method_name(method),
                 t[0], t[1], about_x, about_z);
  /* no information along them */
  for (int d = 0; d < r.undetermined; d++) {
    double told = 0;
    double most = 0;
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        told += r.undetermined_directions[d][i] * r.information[i][j] * r.undetermined_directions[d][j];
        most = fmax(most, r.information[i][i]);
      }
    ck_assert_double_le(told, 1e-9 * most);
  }
  for (int i = 0; i < 6; i++)
    ck_assert_double_ge(r.information[i][i], 0);
  free(c);
}

START_TEST(open_motions_are_told_and_stay) {
  static const double noises[] = {0, 0.003, 0.01};
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  for (size_t s = 0; s < COUNT(open_scenes); s++)
    for (size_t k = 0; k < COUNT(noises); k++)
      for (size_t m = 0; m < COUNT(methods); m++)
        for (int exact = 0; exact < 2; exact++)
          check_open(&open_scenes[s], noises[k], methods[m], exact);
}
END_TEST

START_TEST(the_open_motions_are_the_right_ones) {
  static const double x_shift[6] = {0, 0, 0, 1, 0, 0};
  clouds *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  for (size_t s = 0; s < 3; s++) {
    const fricp_pose truth = truth_of(&open_scenes[s]);
    make(c, open_scenes[s].shape, 0.005, &truth, 2);
    const fricp_result r = solve(c, FRICP_METHOD_ROBUST_ICP, 0);
    ck_assert_double_ge(share_in_span(&r, x_shift), 0.98);
  }
  free(c);
}
END_TEST

/* B35: few points that see a motion are enough. (By planes a floor without noise makes the last kernel so narrow that it
 * leaves the poles out.) */
START_TEST(poles_on_a_floor_close_it) {
  const open_scene place = {"poles", among_poles, 0, {0.05, -0.04, 0.03}, {0.4, -0.3, 0.8}};
  static const int32_t methods[] = {FRICP_METHOD_AUTO, FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_ROBUST_ICP_PLANE};
  static const double noises[] = {0, 0.005};
  clouds *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  const fricp_pose truth = truth_of(&place);
  for (size_t k = 0; k < COUNT(noises); k++)
    for (size_t m = 0; m < COUNT(methods); m++) {
      if (noises[k] == 0 && fricp_method_uses_normals(methods[m]))
        continue;
      make(c, among_poles, noises[k], &truth, 3);
      const fricp_result r = solve(c, methods[m], 0);
      if (methods[m] == FRICP_METHOD_AUTO &&
          r.undetermined > 0) /* refined by a kernel that leaves them out: it says so */
        ck_assert_int_eq(r.verdict, FRICP_VERDICT_PARTIAL);
      else
        ck_assert_int_eq(r.undetermined, 0);
    }
  free(c);
}
END_TEST

/* The same points in both clouds: their texture tells where on the floor they belong. */
START_TEST(the_same_points_leave_nothing_open) {
  clouds *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  const double axis[3] = {0, 0, 1};
  const double shift[3] = {0.01, -0.02, 0.03};
  const fricp_pose truth = turn(axis, 0.2, origin, shift);
  prng g = prng_seed(4, 0);
  for (size_t i = 0; i < N; i++) {
    double n[3];
    on_floor(&g, c->source + 3 * i, n);
    verify_apply(&truth, c->source + 3 * i, c->target + 3 * i);
  }
  const fricp_result r = solve(c, FRICP_METHOD_ROBUST_ICP, 0);
  ck_assert_int_eq(r.undetermined, 0);
  ck_assert_double_le(verify_rmse(&r.target_from_source, &truth, c->source, N), 1e-7);
  free(c);
}
END_TEST

/* Scans of a laser, z = 0, given as 3-D: the curve tells what a floor would not. */
START_TEST(a_flat_curve_is_no_floor) {
  const scene_spec spec = {.kind = SCENE_OUTLINE, .source_count = 1500, .noise = 0.001, .seed = 5, .angle = 3};
  scene s = make_scene(&spec);
  const fricp_cloud source = scene_view(s.source, s.source_count, NULL, 3);
  const fricp_cloud target = scene_view(s.target, s.target_count, NULL, 3);
  const fricp_options options = options_for(FRICP_METHOD_ROBUST_ICP);
  const fricp_result r = register_or_fail(&source, &target, NULL, &options);
  ck_assert_int_eq(r.undetermined, 0);
  ck_assert_double_le(error_of(&s, &r.target_from_source), 2e-3);
  scene_free(&s);
}
END_TEST

/* A normal fitted at an edge may point anywhere: one of a thousand does not close a corridor. */
START_TEST(an_edge_closes_nothing) {
  clouds *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  const fricp_pose truth = truth_of(&open_scenes[2]);
  for (uint64_t seed = 10; seed < UNLESS_SANITIZED(50, 12); seed++) {
    make(c, in_long_corridor, 0.01, &truth, seed);
    const fricp_result r = solve(c, FRICP_METHOD_AUTO, 0);
    ck_assert_msg(r.undetermined == 1, "draw %d: %d open", (int)seed, r.undetermined);
  }
  free(c);
}
END_TEST

/* Noise by which fitted normals tilt as much as the weakest motion is seen by: normals known better see it. Taken to err as
 * fitted ones do they left it open, and the pose 1.9 to 16 bounds off. */
START_TEST(exact_normals_are_believed) {
  static const int numbers[] = {44, 289, 417, 425, 428};
  for (size_t k = 0; k < UNLESS_SANITIZED(COUNT(numbers), 1); k++) {
    const scene_spec spec = trial_spec(numbers[k]);
    scene s = make_scene(&spec);
    const fricp_options options = options_for(FRICP_METHOD_AUTO);
    const fricp_result r = register_scene(&s, NULL, &options);
    ck_assert_double_eq(spec.noise, 0.003);
    ck_assert_int_eq(r.undetermined, 0);
    ck_assert_double_le(verify_rmse(&r.target_from_source, &s.target_from_source, s.source, s.source_count),
                        trial_pass_rmse(&spec, &s));
    scene_free(&s);
  }
}
END_TEST

/* A start beyond the end of a pipe: the two come together, but along it the start decides, so that in the end nothing
 * overlaps. That is told, and nothing is said of another pose: every point costs 1, the most that Welsch's function comes
 * to, and tells nothing. */
START_TEST(what_is_put_back_may_not_overlap) {
  static const double across[3] = {13, 0.02, 0.01};
  double points[2][3 * N];
  prng g = prng_seed(31, 0);
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < N; i++) {
      double n[3];
      on_pipe(&g, points[k] + 3 * i, n);
      for (int a = 0; a < 3; a++)
        points[k][3 * i + (size_t)a] += 0.002 * prng_normal(&g);
    }
  const fricp_cloud source = scene_view(points[0], N, NULL, 3);
  const fricp_cloud target = scene_view(points[1], N, NULL, 3);
  const fricp_pose guess = verify_pose((const double[3]){0, 0, 1}, 3, across);
  const int32_t methods[] = {FRICP_METHOD_ROBUST_ICP, FRICP_METHOD_AUTO};
  for (size_t m = 0; m < COUNT(methods); m++)
    for (int k = 0; k < 2; k++) {
      fricp_options options = options_for(methods[m]);
      options.inlier_distance = k * 0.1;
      const fricp_result r = register_or_fail(&source, &target, &guess, &options);
      ck_assert_double_ge(r.target_from_source.translation[0], 12);
      ck_assert_uint_eq(r.inliers, 0);
      ck_assert_int_eq(r.stop_reason, FRICP_STOP_NO_OVERLAP);
      ck_assert_int_eq(r.converged, 0);
      ck_assert_double_eq_tol(r.energy, N, 1e-6 * N);
      ck_assert_double_eq(r.information[0][0], 0);
      ck_assert_int_ne(r.verdict, FRICP_VERDICT_RELIABLE);
    }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {open_motions_are_told_and_stay, the_open_motions_are_the_right_ones,
                                poles_on_a_floor_close_it,      the_same_points_leave_nothing_open,
                                a_flat_curve_is_no_floor,       an_edge_closes_nothing,
                                exact_normals_are_believed,     what_is_put_back_may_not_overlap};
  return run_suite("open", tests, COUNT(tests));
}
