/* SPDX-License-Identifier: BSD-3-Clause */
/* One case: what is called, with inputs by attack_input.c, and which judge each answer gets. */
#include "attack.h"
#include "counting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fricp_result blank_result(void) {
  fricp_result r;
  memset(&r, 0, sizeof r);
  r.struct_size = sizeof r;
  return r;
}

/* What a result says of the clouds may be passed on as a prior. */
static void pass_on(int shown, fricp_solver *solver, const fricp_target *target, const cloud *source,
                    const fricp_result *r) {
  fricp_prior prior = FRICP_PRIOR_INIT;
  fricp_options options = FRICP_OPTIONS_INIT;
  fricp_result again = FRICP_RESULT_INIT;
  memcpy(prior.center, r->information_center, sizeof prior.center);
  memcpy(prior.information, r->information, sizeof prior.information);
  options.prior = &prior;
  options.method = FRICP_METHOD_ICP;
  options.threads = options.max_iterations = 1;
  count_call();
  const fricp_status status =
      fricp_solver_align(solver, target, &source->given, &r->target_from_source, &options, &again);
  if (status == FRICP_ERROR_INVALID_ARGUMENT)
    finding("information that is none", "%s", fricp_solver_last_error(solver));
  for (int i = 0; i < 6 && status == FRICP_ERROR_INVALID_ARGUMENT && shown; i++)
    printf("  %.17g %.17g %.17g %.17g %.17g %.17g\n", r->information[i][0], r->information[i][1], r->information[i][2],
           r->information[i][3], r->information[i][4], r->information[i][5]);
}

static void align(attack *a, fricp_solver *solver, const fricp_target *target, const cloud *to, const cloud *source,
                  double scale) {
  fricp_options options = any_options(a, scale);
  const fricp_pose guess = any_pose(a, scale);
  const int guessed = chance(a, 30);
  hooks h;
  hook(a, &options, &h, &source->view, &to->view);
  if (a->shown && guessed)
    printf("guess: translation %g %g %g\n", guess.translation[0], guess.translation[1], guess.translation[2]);
  fricp_result r = blank_result();
  count_call();
  const fricp_status status = fricp_solver_align(solver, target, &source->given, guessed ? &guess : NULL, &options, &r);
  if (a->shown)
    printf("align: status %d '%s', stop %d, %d iterations, %d passes\n", status, fricp_solver_last_error(solver),
           r.stop_reason, r.iterations, r.correspondence_passes);
  if (status == FRICP_OK && !source->is_spoilt && !to->is_spoilt) {
    judge_result(&r, &options, &source->view, &to->view);
    judge_solver(solver, &r, &options, &source->view, &to->view);
    if (options.progress && has_cancelled(&h) != (r.stop_reason == FRICP_STOP_CANCELLED))
      finding("cancel and stop reason disagree", "%d", r.stop_reason);
    if (chance(a, 10))
      pass_on(a->shown, solver, target, source, &r);
  } else if (status != FRICP_OK) {
    judge_error(status, fricp_solver_last_error(solver), &r, guessed ? &guess : NULL);
  }
}

static void query(attack *a, const fricp_target *target, const fricp_target *other, const cloud *c, double scale) {
  enum { MOST = 40 };
  int32_t i1[MOST], i2[MOST];
  double d1[MOST], d2[MOST];
  double q[3] = {0, 0, 0};
  if (c->view.count && chance(a, 70))
    point_of(&c->view, (size_t)below(a, (int)c->view.count), q);
  for (int k = 0; k < 3; k++)
    q[k] += chance(a, 50) ? 0 : chance(a, a->wild) ? any_number(a) : scale * prng_normal(&a->random);
  const int k = chance(a, 5) ? -below(a, 3) : below(a, MOST + 1);
  const double limit = chance(a, 40) ? INFINITY : any_number(a);
  count_call();
  const int found = fricp_target_nearest(target, q, k, limit, i1, d1);
  if (found > k && k >= 0)
    finding("more neighbours than asked for", "%d of %d", found, k);
  for (int i = 0; i < found; i++)
    if (i1[i] < 0 || (size_t)i1[i] >= c->view.count || isnan(d1[i]) || d1[i] < 0 || d1[i] > limit * (1 + 1e-9) ||
        (i > 0 && d1[i] < d1[i - 1]))
      finding("neighbours not as asked for", "%d of %d: index %d at %g, limit %g", i, found, i1[i], d1[i], limit);
  if (other) {
    count_call();
    const int again = fricp_target_nearest(other, q, k, limit, i2, d2);
    if (again != found)
      finding("back ends disagree", "query %.17g %.17g %.17g k %d limit %g: %d and %d found", q[0], q[1], q[2], k,
              limit, found, again);
    else if (found > 0 && (memcmp(i1, i2, sizeof *i1 * (size_t)found) || memcmp(d1, d2, sizeof *d1 * (size_t)found)))
      finding("back ends disagree", "query %.17g %.17g %.17g k %d limit %g", q[0], q[1], q[2], k, limit);
  }
  count_call();
  const int room = below(a, MOST + 1);
  const int within = fricp_target_within(target, q, limit, i1, d1, room);
  for (int i = 0; i < within && i < room; i++)
    if (i1[i] < 0 || (size_t)i1[i] >= c->view.count || !(d1[i] >= 0 && d1[i] <= limit * (1 + 1e-9)))
      finding("neighbours not as asked for", "within: index %d at %g, limit %g", i1[i], d1[i], limit);
  if (within >= 0 && found >= 0 && found < k && within != found)
    finding("within and nearest disagree", "%d and %d, k %d, limit %g", within, found, k, limit);
}

/* Own search, honest or not; the target outlives neither. */
static void search_case(attack *a, cloud *c, const cloud *source, fricp_solver *solver, double scale) {
  looker l = {a, &c->view, (lie)below(a, LIES)};
  const fricp_search search = searching(&l);
  fricp_target_options o = any_target_options(a);
  o.search = &search;
  fricp_target *target = NULL;
  fricp_error error;
  count_call();
  if (fricp_target_create(&target, &c->given, &o, &error) == FRICP_OK) {
    if (!c->is_spoilt)
      judge_target(target, &c->view, &o);
    align(a, solver, target, c, source, scale);
  }
  fricp_target_destroy(target);
}

static void target_case(attack *a, cloud *c, const cloud *source, double scale) {
  counter m = {0, 0, chance(a, 10) ? 1 + below(a, 30) : 0};
  fricp_allocator allocator = counting_allocator(&m);
  fricp_target_options o = any_target_options(a);
  o.allocator = &allocator;
  fricp_target *target = NULL;
  fricp_target *brute = NULL;
  fricp_solver *solver = NULL;
  fricp_error error;
  count_call();
  const fricp_status status = fricp_target_create(&target, &c->given, &o, &error);
  if (a->shown)
    printf("create: back end %d, status %d, '%s'\n", o.search_type, status, error.text);
  if (status != FRICP_OK && (error.status != (int32_t)status || strlen(error.text) < 10 || target))
    finding("error without a text", "create: status %d, text of %d: '%s'", status, error.status, error.text);
  if (status == FRICP_OK) {
    o.search_type = FRICP_SEARCH_BRUTE;
    o.allocator = NULL;
    o.progress = NULL;
    o.time_limit = 0;
    if (!m.refuse_at && fricp_target_create(&brute, &c->given, &o, NULL) != FRICP_OK)
      finding("back ends disagree", "brute force says no to a target");
    if (!c->is_spoilt)
      judge_target(target, &c->view, &o);
    for (int i = below(a, 6); i > 0; i--)
      query(a, target, brute, c, scale);
  }
  if (status == FRICP_OK && !m.refuse_at && chance(a, 3))
    share(a, target, source, scale);
  count_call();
  if (fricp_solver_create(&solver, chance(a, 50) ? &allocator : NULL) == FRICP_OK) {
    for (int i = 1 + below(a, 3); i > 0 && status == FRICP_OK; i--)
      align(a, solver, target, c, chance(a, 80) ? source : c, scale);
    if (chance(a, 10) && c->view.count <= 300) /* it looks at every point, so it is what takes the time */
      search_case(a, c, source, solver, scale);
  }
  fricp_solver_destroy(solver);
  fricp_target_destroy(target);
  fricp_target_destroy(brute);
  if (m.live != 0)
    finding("leak", "%ld blocks, allocation %ld refused", m.live, m.refuse_at);
}

/* The one-call form with structs of older and newer callers. */
static void register_case(attack *a, const cloud *c, const cloud *source, double scale) {
  struct {
    fricp_options o;
    char more[16];
  } options;
  struct {
    fricp_result r;
    unsigned char more[16];
  } result;
  hooks h;
  memset(&options, 0, sizeof options);
  memset(&result, 0, sizeof result);
  memset(result.more, 0xa5, sizeof result.more);
  options.o = any_options(a, scale);
  hook(a, &options.o, &h, &source->view, &c->view);
  result.r.struct_size = sizeof result.r;
  if (chance(a, 20))
    options.o.struct_size = chance(a, 50) ? sizeof options : (size_t)below(a, (int)sizeof options);
  if (chance(a, 5))
    options.more[below(a, 16)] = 1;
  if (chance(a, 10))
    result.r.struct_size = (size_t)below(a, (int)sizeof result.r + 1);
  const size_t size = result.r.struct_size;
  const fricp_pose guess = any_pose(a, scale);
  const int guessed = chance(a, 30);
  fricp_error error;
  count_call();
  const fricp_status status =
      fricp_register(&source->given, &c->given, guessed ? &guess : NULL, &options.o, &result.r, &error);
  if (a->shown)
    printf("register: status %d '%s', %d iterations, %d passes\n", status, error.text, result.r.iterations,
           result.r.correspondence_passes);
  for (size_t i = 0; i < sizeof result.more; i++)
    if (result.more[i] != 0xa5)
      finding("written beyond the result", "struct_size %zu", size);
  for (size_t i = size; i < sizeof result.r && size >= sizeof size; i++)
    if (((const unsigned char *)&result.r)[i] != 0)
      finding("written beyond the result", "struct_size %zu, byte %zu", size, i);
  if (size < sizeof result.r)
    return;
  if (status == FRICP_OK && !c->is_spoilt && !source->is_spoilt)
    judge_result(&result.r, options.o.struct_size < sizeof options.o ? NULL : &options.o, &source->view, &c->view);
  else if (status != FRICP_OK)
    judge_error(status, error.text, &result.r, guessed ? &guess : NULL);
}

static void transform_case(attack *a, const cloud *c, double scale) {
  const fricp_pose pose = any_pose(a, scale);
  const fricp_cloud *v = &c->view;
  const size_t scalar = v->scalar_type == FRICP_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
  const size_t n = v->dimension == 2 ? 2 : 3;
  if (!v->count || v->normals || v->indices)
    return;
  const size_t bytes = (v->count - 1) * (v->stride ? v->stride : scalar * n) + scalar * n;
  void *out = malloc(bytes);
  if (!out)
    abort();
  memcpy(out, v->points, bytes);
  count_call();
  const fricp_status status = fricp_transform(&pose, v, out, NULL);
  fricp_cloud moved = *v;
  moved.points = out;
  for (size_t i = 0; i < v->count && status == FRICP_OK; i++) {
    double p[3], y[3];
    point_of(v, i, p);
    point_of(&moved, i, y);
    for (size_t k = 0; k < n; k++) {
      const double *row = pose.rotation[k];
      const double wanted = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + pose.translation[k];
      const double size = fabs(row[0] * p[0]) + fabs(row[1] * p[1]) + fabs(row[2] * p[2]) + fabs(pose.translation[k]);
      if (fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))) < 1e75 && isfinite(wanted) && size < 1e38 &&
          !(fabs(y[k] - wanted) <= 1e-6 * size + 1e-37))
        finding("transform", "point %zu axis %zu: %g, not %g", i, k, y[k], wanted);
    }
  }
  free(out);
}

/* a * b and the inverse, and that an inverse undoes: rotations of any_pose() are exact to 1e-15. */
static void pose_case(attack *a, double scale) {
  const fricp_pose pose = any_pose(a, scale);
  count_call();
  const fricp_pose back = fricp_pose_inverse(&pose);
  count_call();
  const fricp_pose none = fricp_pose_multiply(&back, &pose);
  const double size = fabs(pose.translation[0]) + fabs(pose.translation[1]) + fabs(pose.translation[2]);
  for (int k = 0; k < 3 && a->wild == 0; k++)
    if (!(fabs(none.translation[k]) <= 1e-13 * (1 + size)) || !(fabs(none.rotation[k][k] - 1) <= 1e-13))
      finding("an inverse does not undo", "axis %d: %g, %g", k, none.translation[k], none.rotation[k][k]);
}

/* Any number has a name or none, and a name leads back. */
static void names_case(attack *a) {
  const int32_t number = any_integer(a);
  int32_t back = -7;
  const fricp_options o = any_options(a, 1);
  count_call();
  const char *name = fricp_method_name(number);
  if (name && (fricp_method_from_name(name, &back) != FRICP_OK || back != number))
    finding("names", "method %d '%s' leads to %d", number, name, back);
  name = fricp_kernel_name(number);
  if (name && (fricp_kernel_from_name(name, &back) != FRICP_OK || back != number))
    finding("names", "kernel %d '%s' leads to %d", number, name, back);
  name = fricp_metric_name(number);
  if (name && (fricp_metric_from_name(name, &back) != FRICP_OK || back != number))
    finding("names", "metric %d '%s' leads to %d", number, name, back);
  if (!fricp_status_text((fricp_status)number))
    finding("names", "status %d has no text", number);
  (void)fricp_acceleration_name(number);
  (void)fricp_stop_reason_name(number);
  const int normals = fricp_options_normals(&o);
  if (normals < 0 || normals > 7 || fricp_method_needs_normals(number) > fricp_method_uses_normals(number))
    finding("names", "normals of method %d: %d", o.method, normals);
}

static void normals_case(attack *a, const cloud *c) {
  double *normals = malloc(3 * c->view.count * sizeof *normals + 1);
  if (!normals)
    abort();
  const double viewpoint[3] = {any_number(a), any_number(a), any_number(a)};
  fricp_error error;
  count_call();
  fricp_target_options options = any_target_options(a);
  if (chance(a, 10))
    options.normal_neighbors = any_integer(a);
  const fricp_status status =
      fricp_estimate_normals(&c->given, &options, chance(a, 50) ? viewpoint : NULL, normals, &error);
  for (size_t i = 0; i < c->view.count && status == FRICP_OK; i++) {
    const double *n = normals + 3 * i;
    const int none = isnan(n[0]) && isnan(n[1]) && isnan(n[2]);
    if (!none && !(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5))
      finding("normal without unit length", "estimate: point %zu: %g %g %g", i, n[0], n[1], n[2]);
  }
  if (status != FRICP_OK && strlen(error.text) < 10)
    finding("error without a text", "normals: status %d: '%s'", status, error.text);
  free(normals);
}

void attack_once(attack *a) {
  cloud c = any_cloud(a);
  cloud source = chance(a, 70) ? moved_cloud(a, &c) : any_cloud(a);
  const double scale = any_scale(a);
  const int what = below(a, 10);
  if (what < 6)
    target_case(a, &c, &source, scale);
  else if (what < 8)
    register_case(a, &c, &source, scale);
  else if (what < 9)
    transform_case(a, &c, scale);
  else
    normals_case(a, &c);
  if (chance(a, 5))
    pose_case(a, scale);
  if (chance(a, 5))
    names_case(a);
  free_cloud(&c);
  free_cloud(&source);
}
