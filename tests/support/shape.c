/* SPDX-License-Identifier: BSD-3-Clause */
/* Closed curved shapes: points by a parametrisation, normals by its derivatives, uniform in area by rejection with the
 * area element. */
#include "shape.h"

#include <math.h>
#include <string.h>

#define TWO_PI 6.28318530717958647693

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalise(double v[3]) {
  double f = 1.0 / sqrt(dot(v, v));
  for (int k = 0; k < 3; ++k)
    v[k] *= f;
}

/* Value and gradient at x. */
static double harmonics_at(const harmonics *h, const double x[3], double gradient[3]) {
  double value = 0.0;
  gradient[0] = gradient[1] = gradient[2] = 0.0;
  for (int i = 0; i < SHAPE_TERMS; ++i) {
    double angle = dot(h->wave[i], x) + h->phase[i];
    double slope = h->amplitude[i] * cos(angle);
    value += h->amplitude[i] * sin(angle);
    for (int k = 0; k < 3; ++k)
      gradient[k] += slope * h->wave[i][k];
  }
  return value;
}

/* Radial graph over the unit sphere (or circle): p = r(u) u. With g the gradient of r along the sphere, the normal is
 * along r u - g and the area element is r sqrt(r^2 + g^2); on a circle the length element is sqrt(r^2 + g^2). */
static double radial_point(const shape *s, const double u[3], double point[3], double normal[3]) {
  double g[3];
  double r = 1.0 + harmonics_at(&s->bumps, u, g);
  double along = dot(g, u);
  for (int k = 0; k < 3; ++k) {
    point[k] = r * u[k];
    normal[k] = r * u[k] - (g[k] - along * u[k]);
  }
  if (s->kind == SCENE_OUTLINE)
    normal[2] = 0.0;
  double length = sqrt(dot(normal, normal));
  normalise(normal);
  return s->kind == SCENE_OUTLINE ? length : r * length;
}

static double draw_radial(const shape *s, prng *g, double point[3], double normal[3]) {
  double u[3];
  if (s->kind == SCENE_OUTLINE) {
    double angle = prng_range(g, 0.0, TWO_PI);
    u[0] = cos(angle);
    u[1] = sin(angle);
    u[2] = 0.0;
  } else {
    prng_direction(g, u);
  }
  return radial_point(s, u, point, normal);
}

/* A ring of tube radius b(a, t): the bumps' waves hold whole numbers, so that the surface closes. */
static double draw_torus(const shape *s, prng *g, double point[3], double normal[3]) {
  const double x[3] = {prng_range(g, 0.0, TWO_PI), prng_range(g, 0.0, TWO_PI), 0.0};
  double d[3];
  double b = 0.35 * (1.0 + harmonics_at(&s->bumps, x, d));
  double ba = 0.35 * d[0], bt = 0.35 * d[1];
  double ca = cos(x[0]), sa = sin(x[0]), ct = cos(x[1]), st = sin(x[1]);
  double radius = 1.0 + b * ct, bend = bt * ct - b * st;
  const double pa[3] = {ba * ct * ca - radius * sa, ba * ct * sa + radius * ca, ba * st};
  const double pt[3] = {bend * ca, bend * sa, bt * st + b * ct};
  point[0] = radius * ca;
  point[1] = radius * sa;
  point[2] = b * st;
  for (int k = 0; k < 3; ++k)
    normal[k] = pa[(k + 1) % 3] * pt[(k + 2) % 3] - pa[(k + 2) % 3] * pt[(k + 1) % 3];
  double area = sqrt(dot(normal, normal));
  normalise(normal);
  return area;
}

static void draw_panel(const shape *s, prng *g, double point[3], double normal[3]) {
  double at = prng_uniform(g) * s->panel_sum[s->panel_count - 1];
  size_t low = 0, high = s->panel_count - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (s->panel_sum[middle] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  const panel *p = &s->panels[low];
  double a = prng_uniform(g), b = prng_uniform(g);
  for (int k = 0; k < 3; ++k)
    point[k] = p->corner[k] + a * p->u[k] + b * p->v[k];
  memcpy(normal, p->normal, sizeof p->normal);
}

static double draw_curved(const shape *s, prng *g, double point[3], double normal[3]) {
  return s->kind == SCENE_TORUS ? draw_torus(s, g, point, normal) : draw_radial(s, g, point, normal);
}

void shape_draw(const shape *s, prng *g, double point[3], double normal[3]) {
  if (s->panel_count > 0) {
    draw_panel(s, g, point, normal);
    return;
  }
  double density;
  do {
    density = draw_curved(s, g, point, normal);
  } while (prng_uniform(g) * s->density_bound > density);
}

/* Amplitudes fall with the frequency, and their sum stays below 0.7: the radius is positive. */
static void make_radial(shape *s, prng *g) {
  static const double frequency[SHAPE_TERMS] = {1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0};
  for (int i = 0; i < SHAPE_TERMS; ++i) {
    prng_direction(g, s->bumps.wave[i]);
    if (s->kind == SCENE_OUTLINE) {
      s->bumps.wave[i][2] = 0.0;
      normalise(s->bumps.wave[i]);
    }
    for (int k = 0; k < 3; ++k)
      s->bumps.wave[i][k] *= frequency[i];
    s->bumps.amplitude[i] = 0.28 / frequency[i];
    s->bumps.phase[i] = prng_range(g, 0.0, TWO_PI);
  }
}

static void make_torus(shape *s, prng *g) {
  static const double waves[SHAPE_TERMS][2] = {{1, 0}, {2, 1}, {3, -1}, {1, 2}, {4, 2}, {5, -3}, {7, 1}};
  for (int i = 0; i < SHAPE_TERMS; ++i) {
    s->bumps.wave[i][0] = waves[i][0];
    s->bumps.wave[i][1] = waves[i][1];
    s->bumps.wave[i][2] = 0.0;
    s->bumps.amplitude[i] = 0.3 / (1.0 + fabs(waves[i][0]) + fabs(waves[i][1]));
    s->bumps.phase[i] = prng_range(g, 0.0, TWO_PI);
  }
}

/* The bound and the box come from a first sample, with a margin: the truth of a scene does not depend on them. */
static void measure_curved(shape *s, prng *g) {
  double point[3], normal[3];
  for (int i = 0; i < 4000; ++i) {
    s->density_bound = fmax(s->density_bound, draw_curved(s, g, point, normal));
    for (int k = 0; k < 3; ++k) {
      s->low[k] = fmin(s->low[k], point[k]);
      s->high[k] = fmax(s->high[k], point[k]);
    }
  }
  s->density_bound *= 1.1;
}

void shape_make(shape *s, scene_kind kind, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->kind = kind;
  prng g = prng_seed(seed, 100);
  switch (kind) {
  case SCENE_BLOB:
  case SCENE_OUTLINE:
    make_radial(s, &g);
    measure_curved(s, &g);
    break;
  case SCENE_TORUS:
    make_torus(s, &g);
    measure_curved(s, &g);
    break;
  case SCENE_ROOM:
  case SCENE_CORRIDOR:
  case SCENE_FLOOR:
  case SCENE_LIDAR:
  case SCENE_LASER:
    panels_make(s, seed);
    break;
  }
}
