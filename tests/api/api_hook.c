/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's own search: used as it answers, in the caller's frame, and refused when it fails. */
#include "refusal.h"

#include <math.h>
#include <string.h>

typedef struct hook_state {
  const scene *s;
  int calls, faults;
} hook_state;

/* In the caller's own frame and indices. */
static int hook_search(void *context, const double query[3], int k, double limit, int32_t *indices, double *squared) {
  ck_assert_int_le(k, 64); /* as fricp.h promises */
  hook_state *h = context;
  h->calls++;
  h->faults += k < 1 || !isfinite(query[0] + query[1] + query[2]) || !(limit >= 0);
  return neighbors_by_looking(h->s->target, h->s->target_count, query, k, limit, indices, squared);
}

/* A target that is asked by the caller's search. */
static fricp_target *target_by(const fricp_search *search, const scene *s) {
  const fricp_cloud cloud = target_of(s);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.search = search;
  options.threads = 1;
  return target_or_fail(&cloud, &options);
}

/* The caller's search, in the caller's frame (far from the origin), units and indices: the same pose. */
START_TEST(the_callers_own_search) {
  for (int safe = 0; safe < 2; safe++)
    for (int32_t method = 0; fricp_method_name(method); method++) {
      const scene_spec spec = {.kind = SCENE_LIDAR,
                               .source_count = 500,
                               .noise = 0.001,
                               .seed = 5,
                               .angle = 3,
                               .scale = 100,
                               .offset = {1e5, -2e5, 1e3}};
      scene s = make_scene(&spec);
      const fricp_cloud source = source_of(&s);
      const fricp_cloud cloud = target_of(&s);
      hook_state state = {&s, 0, 0};
      fricp_search search = FRICP_SEARCH_INIT;
      search.context = &state;
      search.nearest = hook_search;
      search.thread_safe = safe;
      fricp_target *hooked = target_by(&search, &s);
      memset(&search, 0xff, sizeof search); /* copied */
      fricp_target *own = target_or_fail(&cloud, NULL);
      fricp_target_info a = FRICP_TARGET_INFO_INIT;
      fricp_target_info b = FRICP_TARGET_INFO_INIT;
      ck_assert_int_eq(fricp_target_get_info(hooked, &a), FRICP_OK);
      ck_assert_int_eq(fricp_target_get_info(own, &b), FRICP_OK);
      ck_assert_double_eq_tol(a.spacing / b.spacing, 1, 1e-9);
      fricp_solver *solver = solver_or_fail();
      fricp_options options = options_for(method);
      options.full_resolution = 1;
      const int before = state.calls;
      const fricp_result x = align_or_fail(solver, hooked, &source, NULL, &options);
      ck_assert_int_ge(state.calls - before, x.correspondence_passes); /* it was asked */
      ck_assert_int_eq(state.faults, 0);
      ck_assert_int_eq(x.verdict, FRICP_VERDICT_NONE);
      ck_assert_int_eq(x.candidates, 0);
      if (method == FRICP_METHOD_AUTO) /* by a search of the caller's it goes one way, by planes, and judges nothing */
        options.method = FRICP_METHOD_ROBUST_ICP_PLANE;
      const fricp_result y = align_or_fail(solver, own, &source, NULL, &options);
      ck_assert_double_le(verify_rmse(&x.target_from_source, &y.target_from_source, s.source, s.source_count),
                          1e-7 * s.diameter);
      ck_assert_double_eq_tol(x.energy / y.energy, 1, 1e-6);
      ck_assert_uint_eq(x.inliers, y.inliers);
      fricp_solver_destroy(solver);
      fricp_target_destroy(hooked);
      fricp_target_destroy(own);
      scene_free(&s);
    }
}
END_TEST

/* Not Euclidean: a hook that orders by colour as well decides the pairs; distances told stay geometric. */
static int picky_search(void *context, const double query[3], int k, double limit, int32_t *indices, double *squared) {
  hook_state *h = context;
  (void)limit, (void)k;
  double best = INFINITY;
  for (size_t i = 0; i < h->s->target_count; i += 2) { /* odd ones are of the wrong colour */
    double d2 = 0;
    for (size_t a = 0; a < 3; a++)
      d2 += (h->s->target[3 * i + a] - query[a]) * (h->s->target[3 * i + a] - query[a]);
    if (d2 < best) {
      best = d2;
      indices[0] = (int32_t)i;
    }
  }
  squared[0] = 17; /* of its own metric */
  return 1;
}

START_TEST(a_search_with_a_metric_of_its_own) {
  const scene_spec spec = {.source_count = 400, .same_sample = 1, .seed = 6, .angle = 1};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  hook_state state = {&s, 0, 0};
  fricp_search search = FRICP_SEARCH_INIT;
  search.context = &state;
  search.nearest = picky_search;
  fricp_target *t = target_by(&search, &s);
  fricp_solver *solver = solver_or_fail();
  const fricp_options options = options_for(FRICP_METHOD_ICP);
  const fricp_result r = align_or_fail(solver, t, &source, NULL, &options);
  int32_t match[400];
  double squared[400];
  ck_assert_int_eq(fricp_solver_get_points(solver, 400, match, squared, NULL, NULL), FRICP_OK);
  for (size_t i = 0; i < 400; i++) {
    double q[3];
    double d2 = 0;
    ck_assert_int_eq(match[i] % 2, 0);
    verify_apply(&r.target_from_source, s.source + 3 * i, q);
    for (size_t a = 0; a < 3; a++)
      d2 += (s.target[3 * (size_t)match[i] + a] - q[a]) * (s.target[3 * (size_t)match[i] + a] - q[a]);
    ck_assert_double_eq_tol(squared[i], d2, 1e-12);
  }
  fricp_solver_destroy(solver);
  fricp_target_destroy(t);
  scene_free(&s);
}
END_TEST

/* The nearest points, but with distances ten times as long. */
static int long_search(void *context, const double query[3], int k, double limit, int32_t *indices, double *squared) {
  const int found = hook_search(context, query, k, limit / 100, indices, squared);
  for (int i = 0; i < found; i++)
    squared[i] *= 100;
  return found;
}

/* What is measured of a target goes by what the search finds, not by how far it says that is. */
START_TEST(distances_that_are_not_euclidean) {
  const scene_spec spec = {.source_count = 400, .target_count = 800, .seed = 9, .noise = 0.001};
  scene s = make_scene(&spec);
  fricp_cloud cloud = scene_view(s.target, s.target_count, NULL, 3);
  hook_state state = {&s, 0, 0};
  fricp_search search = FRICP_SEARCH_INIT;
  search.context = &state;
  double normals[2][3 * 800];
  fricp_target_info info[2] = {FRICP_TARGET_INFO_INIT, FRICP_TARGET_INFO_INIT};
  for (int k = 0; k < 2; k++) {
    fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
    search.nearest = k ? long_search : hook_search;
    options.search = &search;
    options.threads = 1;
    fricp_target *t = target_or_fail(&cloud, &options);
    ck_assert_int_eq(fricp_target_get_info(t, &info[k]), FRICP_OK);
    ck_assert_int_eq(fricp_target_get_normals(t, normals[k], s.target_count), FRICP_OK);
    fricp_target_destroy(t);
  }
  ck_assert_mem_eq(normals[0], normals[1], sizeof normals[0]);
  ck_assert_double_eq(info[0].spacing, info[1].spacing);
  scene_free(&s);
}
END_TEST

/* Who is told the source point may know its partner, wherever that is. */
static int partner_of(void *context, int32_t source_index, const double query[3], int k, double limit, int32_t *indices,
                      double *squared) {
  hook_state *h = context;
  h->faults += k < 1 || source_index < 0 || (size_t)source_index >= h->s->source_count;
  indices[0] = source_index;
  squared[0] = 0;
  for (size_t a = 0; a < 3; a++) {
    const double d = h->s->target[3 * (size_t)source_index + a] - query[a];
    squared[0] += d * d;
  }
  return squared[0] <= limit;
}

/* Pairs are known, so that one alignment step finds the pose from half a turn away, where the nearest points mislead. */
START_TEST(a_search_that_is_told_the_source_point) {
  const scene_spec spec = {.source_count = 400, .same_sample = 1, .seed = 7, .angle = 170, .offset = {50, 20, -30}};
  scene s = make_scene(&spec);
  const fricp_cloud source = source_of(&s);
  hook_state state = {&s, 0, 0};
  fricp_search search = FRICP_SEARCH_INIT;
  search.context = &state;
  search.nearest = hook_search;
  search.nearest_of = partner_of;
  fricp_target *t = target_by(&search, &s);
  fricp_solver *solver = solver_or_fail();
  fricp_options options = options_for(FRICP_METHOD_ICP);
  options.threads = 1;
  const fricp_result r = align_or_fail(solver, t, &source, NULL, &options);
  ck_assert_int_eq(state.faults, 0);
  ck_assert_double_le(verify_rmse(&r.target_from_source, &s.target_from_source, s.source, s.source_count),
                      1e-9 * s.diameter);
  fricp_solver_destroy(solver);
  fricp_target_destroy(t);
  scene_free(&s);
}
END_TEST

static int failing_search(void *context, const double query[3], int k, double limit2, int32_t *indices,
                          double *squared) {
  int *left = context;
  (void)query, (void)limit2;
  if ((*left)-- <= 0)
    return -1;
  for (int i = 0; i < k && i < 3; i++) {
    indices[i] = i;
    squared[i] = i;
  }
  return k < 3 ? k : 3;
}

static int lying_search(void *context, const double query[3], int k, double limit2, int32_t *indices, double *squared) {
  (void)query, (void)limit2, (void)k;
  indices[0] = *(int *)context; /* outside the cloud */
  squared[0] = 0;
  return 1;
}

/* A search of the caller's that fails, at once or later, or answers with an index that is none. */
START_TEST(a_search_that_fails) {
  prepared_pair b = set_up();
  fricp_search search = FRICP_SEARCH_INIT;
  fricp_target_options o = FRICP_TARGET_OPTIONS_INIT;
  o.search = &search;
  int left = 1000000;
  search.context = &left;
  search.nearest = failing_search;
  fricp_target *t = target_or_fail(&b.target, &o);
  static const int when[] = {0, 100, 700};
  for (size_t i = 0; i < COUNT(when); i++) {
    left = when[i];
    expect_refusal(&b, t, &b.source, NULL, NULL, NULL, FRICP_ERROR_SEARCH, "search");
  }
  fricp_target_destroy(t);
  int bad = 500;
  search.context = &bad;
  search.nearest = lying_search;
  fricp_error error;
  for (int k = 0; k < 2; k++, bad = -1) {
    const fricp_status status = fricp_target_create(&t, &b.target, &o, &error);
    if (status == FRICP_OK) {
      expect_refusal(&b, t, &b.source, NULL, NULL, NULL, FRICP_ERROR_SEARCH, "search");
      fricp_target_destroy(t);
    } else {
      ck_assert_int_eq(status, FRICP_ERROR_SEARCH);
    }
  }
  tear_down(&b);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {the_callers_own_search, a_search_with_a_metric_of_its_own,
                                distances_that_are_not_euclidean, a_search_that_is_told_the_source_point,
                                a_search_that_fails};
  return run_suite("hook", tests, COUNT(tests));
}
