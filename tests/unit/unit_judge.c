/* SPDX-License-Identifier: BSD-3-Clause */
/* How well a pose explains two clouds: against a plain loop over all pairs of cells, by the definitions in judge.h and
 * fricp.h; and what right and wrong poses of scenes with a known truth come to. */
#include "align/axes.h"
#include "align/judge.h"
#include "fixture.h"
#include "maths/se3.h"
#include "scene.h"
#include "suite.h"
#include "verify.h"

#include <math.h>
#include <string.h>

/* A pair, as the driver sees it. */
typedef struct pair {
  scene scene;
  fricp_target *target;
  fr_source source;
  fr_matches matches;
  fr_frames frames;
  fr_coarse coarse;
} pair;

static const fr_sensors unseen = {NULL, NULL};

static void make_pair(pair *p, const scene_spec *spec, int same) {
  fricp_cloud source;
  memset(p, 0, sizeof *p);
  ck_assert_ptr_null(scene_make(spec, &p->scene));
  const scene *s = &p->scene;
  const fricp_cloud target = scene_view(s->target, s->target_count, NULL, s->dimension);
  const fricp_cloud given = same ? target : scene_view(s->source, s->source_count, NULL, s->dimension);
  ck_assert_int_eq(fricp_target_create(&p->target, &target, NULL, NULL), FRICP_OK);
  ck_assert_int_eq(fr_cloud_check(&given, "source", &source, NULL), FRICP_OK);
  fixture_pack(&p->source, &p->matches, &source, p->target->extent);
  p->frames = fr_frames_of(&p->source, p->target);
  const fricp_pose start = fr_pose_from_caller(&p->frames, &s->target_from_source);
  fricp_error error;
  if (fr_coarse_build(&p->coarse, &p->source, p->target, &start, &unseen, 0, &fixture_memory, NULL, 1, &error) !=
      FRICP_OK)
    ck_abort_msg("%s", error.text);
}

static void free_pair(pair *p) {
  fr_coarse_release(&p->coarse, &fixture_memory);
  fr_source_release(&p->source, &fixture_memory);
  fr_matches_release(&p->matches, &fixture_memory);
  fricp_target_destroy(p->target);
  scene_free(&p->scene);
}

/* The caller's pose in the coarse frames. */
static fricp_pose coarse_pose(const pair *p, const fricp_pose *pose) {
  const fricp_pose normalised = fr_pose_from_caller(&p->frames, pose);
  return fr_pose_from_caller(&p->coarse.frames, &normalised);
}

static fr_judgement judge(const pair *p, const fricp_pose *pose) {
  const fricp_pose at = coarse_pose(p, pose);
  fr_judgement j;
  ck_assert_int_eq(p->coarse.usable, 1);
  ck_assert_int_eq(fr_judge(&p->coarse, &at, &j), 0);
  for (int k = 0; k < 2; k++)
    ck_assert(j.agree[k] >= 0 && j.agree[k] <= j.near[k] && j.near[k] <= 1);
  const double least = j.least_along < 0.4 ? j.least_along / 0.4 : 1;
  ck_assert_double_eq_tol(j.score, least * (j.agree[0] + j.agree[1]) / (0.03 + j.near[0] + j.near[1]), 1e-12);
  return j;
}

/* Degrees about z through the scene's middle, after the truth, then a shift. */
static fricp_pose off_by(const scene *s, double degrees, double x, double y) {
  const double axis[3] = {0, 0, 1};
  const double shift[3] = {x, y, 0};
  double mean[3] = {0, 0, 0};
  for (size_t i = 0; i < s->target_count; i++)
    for (size_t a = 0; a < 3; a++)
      mean[a] += s->target[3 * i + a] / (double)s->target_count;
  fricp_pose turn = verify_pose(axis, degrees, shift);
  double moved[3];
  verify_apply(&turn, mean, moved);
  for (int a = 0; a < 3; a++)
    turn.translation[a] += mean[a] + shift[a] - moved[a];
  return verify_multiply(&turn, &s->target_from_source);
}

/* Of the other cloud what lies within a radius of the middle counts. */
typedef struct cells {
  size_t count;
  const double (*points)[3];
  const float (*normals)[3];
  const double *middle;
  double radius;
} cells;

/* Normals of near cells and of those that agree, in the frame of the target. */
typedef struct shown {
  double near[3000][3];
  double agree[3000][3];
  size_t nears;
  size_t agrees;
} shown;

/* From one side, by looking at every cell of the other. k: 0 from the source. */
static void look(const cells *from, const cells *to, const fricp_pose *pose, double spacing, double *near,
                 double *agree, shown *sums, int k) {
  size_t counted = 0;
  size_t nears = 0;
  size_t agrees = 0;
  for (size_t i = 0; i < from->count; i++) {
    double p[3];
    double m[3];
    double best = INFINITY;
    size_t at = 0;
    verify_apply(pose, from->points[i], p);
    if (hypot(hypot(p[0] - to->middle[0], p[1] - to->middle[1]), p[2] - to->middle[2]) > to->radius)
      continue;
    counted++;
    for (size_t c = 0; c < to->count; c++) {
      const double d = hypot(hypot(p[0] - to->points[c][0], p[1] - to->points[c][1]), p[2] - to->points[c][2]);
      if (d < best) {
        best = d;
        at = c;
      }
    }
    if (!(best <= 1.5 * spacing))
      continue;
    nears++;
    double on_m = 0;
    double on_n = 0;
    double cosine = 0;
    double lengths = 0;
    for (int a = 0; a < 3; a++) {
      m[a] = 0;
      for (int b = 0; b < 3; b++)
        m[a] += pose->rotation[a][b] * (double)from->normals[i][b];
      const double n = (double)to->normals[at][a];
      on_m += m[a] * (p[a] - to->points[at][a]);
      on_n += n * (p[a] - to->points[at][a]);
      cosine += m[a] * n;
      lengths += fabs(n) > 0;
    }
    const int both = lengths > 0 && hypot(hypot(m[0], m[1]), m[2]) > 0.5;
    const int agreeing =
        both ? fabs(on_m) < 0.2 * spacing && fabs(on_n) < 0.2 * spacing && fabs(cosine) > 0.8 : best < 0.2 * spacing;
    agrees += (size_t)agreeing;
    for (int a = 0; a < 3; a++) {
      const double in_target = k == 0 ? m[a] : (double)from->normals[i][a];
      sums->near[sums->nears][a] = in_target;
      sums->agree[sums->agrees][a] = in_target;
    }
    sums->nears++;
    sums->agrees += (size_t)agreeing;
  }
  ck_assert_uint_gt(counted, 0);
  *near = (double)nears / (double)counted;
  *agree = (double)agrees / (double)counted;
}

static double along(const double (*normals)[3], size_t count, const double d[3]) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const double cosine = normals[i][0] * d[0] + normals[i][1] * d[1] + normals[i][2] * d[2];
    sum += cosine * cosine;
  }
  return sum;
}

/* The least over 4,000 directions spread over the half sphere: each direction is within some 2 degrees of one of them, so that
 * this is above the least of all by little, as the square of that. */
static double least_share(const shown *s) {
  const int directions = 4000;
  double least = s->agrees > 0 || s->nears == 0;
  for (int i = 0; i < directions; i++) {
    const double z = (i + 0.5) / directions;
    const double angle = 2.399963229728653 * i; /* the golden one */
    const double d[3] = {sqrt(1 - z * z) * cos(angle), sqrt(1 - z * z) * sin(angle), z};
    const double near = along((const double(*)[3])s->near, s->nears, d) + 0.001 * (double)s->nears;
    const double agree = along((const double(*)[3])s->agree, s->agrees, d) + 0.001 * (double)s->agrees;
    least = fmin(least, agree / near * (double)s->nears / (double)s->agrees);
  }
  return least;
}

/* Right and wrong poses. A cell at the very edge of a bound may fall to either side by rounding: one of a thousand. */
START_TEST(as_looking_at_every_cell) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_ROOM, SCENE_LIDAR};
  static const double degrees[] = {0, 3, 40, 180};
  static shown sums;
  for (size_t k = 0; k < COUNT(kinds); k++) {
    const scene_spec spec = {.kind = kinds[k], .source_count = 6000, .overlap = 0.8, .seed = 3, .angle = 10};
    pair p;
    make_pair(&p, &spec, 0);
    const cells source = {p.coarse.source.count, (const double(*)[3])p.coarse.index.points,
                          (const float(*)[3])p.coarse.normals, p.coarse.middle, k == 0 ? 0.3 : INFINITY};
    const cells target = {p.coarse.target.count, (const double(*)[3])p.coarse.target.points,
                          (const float(*)[3])p.coarse.target.normals, p.coarse.middle, INFINITY};
    ck_assert(isinf(p.coarse.radius)); /* the clouds are of a size, ... */
    p.coarse.radius = source.radius;   /* ... but one of them may be judged as if it were a map */
    ck_assert_uint_le(source.count, 1500);
    ck_assert_uint_ge(source.count > target.count ? source.count : target.count,
                      1200); /* as many as there is room for */
    for (size_t d = 0; d < COUNT(degrees); d++) {
      const fricp_pose pose = off_by(&p.scene, degrees[d], 0.1, 0);
      const fricp_pose at = coarse_pose(&p, &pose);
      const fricp_pose back = verify_inverse(&at);
      const fr_judgement j = judge(&p, &pose);
      double near[2];
      double agree[2];
      sums.nears = sums.agrees = 0;
      look(&source, &target, &at, p.coarse.spacing, &near[0], &agree[0], &sums, 0);
      look(&target, &source, &back, p.coarse.spacing, &near[1], &agree[1], &sums, 1);
      ck_assert_double_eq_tol(j.least_along, least_share(&sums), 0.01);
      for (int side = 0; side < 2; side++) {
        ck_assert_double_eq_tol(j.near[side], near[side], 1.5e-3);
        ck_assert_double_eq_tol(j.agree[side], agree[side], 1.5e-3);
      }
    }
    free_pair(&p);
  }
}
END_TEST

/* A cloud with itself: every cell lies on its own. Two samples of one surface: nearly all agree. */
START_TEST(the_same_surface_agrees) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_TORUS, SCENE_ROOM, SCENE_OUTLINE};
  for (size_t k = 0; k < COUNT(kinds); k++) {
    const scene_spec spec = {.kind = kinds[k], .source_count = 8000, .seed = 5, .angle = 20};
    pair p;
    make_pair(&p, &spec, 1);
    const fricp_pose identity = fricp_pose_identity();
    fr_judgement j = judge(&p, &identity);
    for (int side = 0; side < 2; side++)
      ck_assert_double_ge(j.agree[side], 0.97); /* a normal of few cells may be none */
    free_pair(&p);
    make_pair(&p, &spec, 0);
    j = judge(&p, &p.scene.target_from_source);
    for (int side = 0; side < 2; side++)
      ck_assert_double_ge(j.near[side], 0.99);
    if (!(fr_judgement_agreement(&j) > 0.75 && fr_judgement_evidence(&j) > 2))
      ck_abort_msg("%s: agreement %g", scene_kind_name((int)kinds[k]), fr_judgement_agreement(&j));
    free_pair(&p);
  }
}
END_TEST

/* A room in itself turned by 40 degrees: floor on floor, but walls through furniture; and where nothing is near. */
START_TEST(a_wrong_pose_contradicts_itself) {
  const scene_spec spec = {.kind = SCENE_ROOM, .source_count = 8000, .seed = 6, .angle = 10};
  pair p;
  make_pair(&p, &spec, 0);
  const fr_judgement right = judge(&p, &p.scene.target_from_source);
  const fricp_pose turned = off_by(&p.scene, 40, 0, 0);
  const fricp_pose raised = off_by(&p.scene, 0, 0.3, 0.3);
  const fricp_pose away = off_by(&p.scene, 0, 100, 0);
  const fr_judgement wrong = judge(&p, &turned);
  const fr_judgement shifted = judge(&p, &raised);
  const fr_judgement nothing = judge(&p, &away);
  ck_assert_double_ge(wrong.near[0], 0.5); /* floor and ceiling alone are more than half of it */
  ck_assert_double_lt(fr_judgement_agreement(&wrong), fr_judgement_agreement(&right) - 0.1);
  ck_assert_double_lt(wrong.score, 0.9 * right.score);
  ck_assert_double_lt(shifted.score, 0.9 * right.score);
  ck_assert_double_eq(nothing.near[0] + nothing.near[1], 0);
  ck_assert_double_eq(nothing.score, 0);
  ck_assert_double_eq(fr_judgement_agreement(&nothing), 0);
  ck_assert_double_eq(fr_judgement_evidence(&nothing), 0);
  free_pair(&p);
}
END_TEST

/* Two samples of one whole surface, turned by anything: one of the poses is the truth, to what samples differ by. Stretched by a
 * third along one axis it is another surface. */
START_TEST(axes_tell_how_whole_shapes_lie) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_ROOM, SCENE_OUTLINE};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (int turned = 0; turned < 3; turned++) {
      const scene_spec spec = {
          .kind = kinds[k], .source_count = 8000, .seed = 5, .angle = 20 + 70 * turned, .shift = {0.3, 0.4, -0.5}};
      fricp_pose poses[FR_AXES];
      pair p;
      make_pair(&p, &spec, 0);
      const fricp_pose truth = coarse_pose(&p, &p.scene.target_from_source);
      const int count = fr_axes_poses(&p.coarse, poses);
      double nearest = INFINITY;
      for (int i = 0; i < count; i++) {
        ck_assert_double_le(verify_orthonormality(&poses[i]), 1e-12);
        if (p.scene.dimension == 2) /* exactly in the plane */
          ck_assert(poses[i].rotation[2][2] == 1 && poses[i].rotation[2][0] == 0 && poses[i].rotation[2][1] == 0 &&
                    poses[i].rotation[0][2] == 0 && poses[i].rotation[1][2] == 0 && poses[i].translation[2] == 0);
        nearest = fmin(nearest, fr_coarse_apart(&p.coarse, &poses[i], &truth));
      }
      ck_assert_int_le(count, p.scene.dimension == 2 ? 2 : 4);
      if (!(nearest <= 0.05)) /* of the extent */
        ck_abort_msg("%s by %g degrees: %d poses, %g off", scene_kind_name((int)kinds[k]), spec.angle, count, nearest);
      for (size_t i = 0; i < p.coarse.index.nn.count; i++)
        p.coarse.index.points[i][0] *= 1.35;
      ck_assert_int_eq(fr_axes_poses(&p.coarse, poses), 0);
      free_pair(&p);
    }
}
END_TEST

/* Too few points are no shape to judge by. */
START_TEST(few_cells_are_not_judged) {
  const scene_spec spec = {.source_count = 59, .seed = 7};
  pair p;
  make_pair(&p, &spec, 0);
  ck_assert_int_eq(p.coarse.usable, 0);
  free_pair(&p);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {as_looking_at_every_cell, the_same_surface_agrees, a_wrong_pose_contradicts_itself,
                                axes_tell_how_whole_shapes_lie, few_cells_are_not_judged};
  return run_suite("judge", tests, COUNT(tests));
}
