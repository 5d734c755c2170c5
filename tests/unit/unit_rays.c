/* SPDX-License-Identifier: BSD-3-Clause */
/* What a sensor saw through: on a sphere about it, where the answer is known in every direction. */
#include "cloud/rays.h"
#include "fixture.h"
#include "prng.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const double origin[3] = {-3, 7, 100};
#define RADIUS 5.0
#define MARGIN 0.5

static fr_rays begin(void) {
  fr_rays rays;
  ck_assert_int_eq(fr_rays_begin(&rays, &fixture_memory, origin), 0);
  return rays;
}

/* At a distance in a direction of any length. */
static void place(const double direction[3], double distance, double p[3]) {
  const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
  for (int a = 0; a < 3; a++)
    p[a] = origin[a] + distance * direction[a] / length;
}

static int passes(const fr_rays *rays, const double direction[3], double distance) {
  double p[3];
  place(direction, distance, p);
  return fr_rays_pass(rays, p, MARGIN);
}

/* Axes, edges and corners of the cube of directions among them. */
static void direction_number(prng *g, int i, double d[3]) {
  for (int a = 0; a < 3; a++)
    d[a] = i < 27 ? (double)((i / (a == 0 ? 1 : a == 1 ? 3 : 9)) % 3 - 1) : prng_normal(g);
}

START_TEST(in_front_of_all_that_was_seen) {
  enum { SEEN = 100000, ASKED = 2000 };
  prng g = prng_seed(1, 0);
  fr_rays rays = begin();
  for (int i = 0; i < SEEN; i++) {
    const double d[3] = {prng_normal(&g), prng_normal(&g), prng_normal(&g)};
    double p[3];
    place(d, RADIUS, p);
    fr_rays_add(&rays, p);
  }
  for (int i = 0; i < ASKED; i++) {
    double d[3];
    direction_number(&g, i, d);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0)
      continue;
    ck_assert(passes(&rays, d, 1e-3));
    ck_assert(passes(&rays, d, RADIUS - 1.001 * MARGIN));
    ck_assert(!passes(&rays, d, RADIUS - 0.999 * MARGIN));
    ck_assert(!passes(&rays, d, RADIUS));
    ck_assert(!passes(&rays, d, 3 * RADIUS));
  }
  ck_assert(!fr_rays_pass(&rays, origin, MARGIN));
  fr_rays_release(&rays, &fixture_memory);
}
END_TEST

/* One point tells of its own direction, to some four degrees; before and beside something nearer, nothing is said. */
START_TEST(what_was_not_seen_tells_nothing) {
  const double beside[] = {0, 0.01, 0.2, 1};
  fr_rays rays = begin();
  for (int axis = 0; axis < 3; axis++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double d[3] = {0};
      double p[3];
      d[axis] = sign;
      ck_assert(!passes(&rays, d, 1));
      place(d, RADIUS, p);
      fr_rays_add(&rays, p);
      for (size_t k = 0; k < COUNT(beside); k++) {
        d[(axis + 1) % 3] = beside[k];
        ck_assert_int_eq(passes(&rays, d, 1), beside[k] < 0.1);
      }
      d[(axis + 1) % 3] = 0;
      place(d, 1, p); /* something in front: it hides what is behind it */
      fr_rays_add(&rays, p);
      ck_assert(!passes(&rays, d, 1));
      ck_assert(passes(&rays, d, 0.4));
    }
  fr_rays_add(&rays, origin); /* in no direction */
  fr_rays_release(&rays, &fixture_memory);
  memset(&rays, 0, sizeof rays); /* no sensor is known */
  ck_assert(!passes(&rays, beside + 1, 1));
}
END_TEST

int main(void) {
  const TTest *const tests[] = {in_front_of_all_that_was_seen, what_was_not_seen_tells_nothing};
  return run_suite("rays", tests, COUNT(tests));
}
