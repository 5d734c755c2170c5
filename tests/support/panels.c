/* SPDX-License-Identifier: BSD-3-Clause */
/* Rooms of axis-parallel rectangles, centred at the origin, and rays in them. */
#include "shape.h"

#include <math.h>
#include <string.h>

/* Half axes of the ellipse that a sensor drives in the hall, its height, and how far boxes keep away from it. */
static const double path_x = 6.0, path_y = 3.6, path_height = -1.3, path_clear = 1.6;

static void add_panel(shape *s, const double corner[3], int u_axis, double u_length, int v_axis, double v_length,
                      double sign) {
  panel *p = &s->panels[s->panel_count];
  memset(p, 0, sizeof *p);
  memcpy(p->corner, corner, sizeof p->corner);
  p->u[u_axis] = u_length;
  p->v[v_axis] = v_length;
  p->normal[3 - u_axis - v_axis] = sign;
  double before = s->panel_count ? s->panel_sum[s->panel_count - 1] : 0.0;
  s->panel_sum[s->panel_count++] = before + u_length * v_length;
}

/* The faces of a box across one axis; sign +1: normals outward (furniture), -1: inward (a room). */
static void add_faces(shape *s, const double low[3], const double high[3], int axis, int lower, int upper,
                      double sign) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  double corner[3] = {low[0], low[1], low[2]};
  if (lower)
    add_panel(s, corner, u, high[u] - low[u], v, high[v] - low[v], -sign);
  corner[axis] = high[axis];
  if (upper)
    add_panel(s, corner, u, high[u] - low[u], v, high[v] - low[v], sign);
}

/* Distance in the plane from a box's footprint to the sensor's path: from samples of the path, fine against path_clear.
 */
static double distance_to_path(const double low[3], const double high[3]) {
  double nearest = INFINITY;
  for (int i = 0; i < 360; ++i) {
    double p[3], heading;
    hall_path(i / 360.0, p, &heading);
    double dx = fmax(fmax(low[0] - p[0], p[0] - high[0]), 0.0);
    double dy = fmax(fmax(low[1] - p[1], p[1] - high[1]), 0.0);
    nearest = fmin(nearest, hypot(dx, dy));
  }
  return nearest;
}

static void add_boxes(shape *s, prng *g, int count, double largest, int keep_path_clear) {
  for (int i = 0, tries = 0; i < count && tries < 10000; ++tries) {
    double low[3], high[3];
    for (int k = 0; k < 2; ++k) {
      double size = prng_range(g, 0.3, largest);
      low[k] = prng_range(g, s->low[k] + 0.05, s->high[k] - size - 0.05);
      high[k] = low[k] + size;
    }
    low[2] = s->low[2];
    high[2] = low[2] + prng_range(g, 0.3, 0.8 * (s->high[2] - s->low[2]));
    if (keep_path_clear && distance_to_path(low, high) < path_clear)
      continue;
    add_faces(s, low, high, 0, 1, 1, 1.0);
    add_faces(s, low, high, 1, 1, 1, 1.0);
    add_faces(s, low, high, 2, 0, 1, 1.0);
    ++i;
  }
}

static void set_box(shape *s, double x, double y, double z) {
  const double half[3] = {0.5 * x, 0.5 * y, 0.5 * z};
  for (int k = 0; k < 3; ++k) {
    s->low[k] = -half[k];
    s->high[k] = half[k];
  }
}

void panels_make(shape *s, uint64_t seed) {
  prng g = prng_seed(seed, 101);
  if (s->kind == SCENE_FLOOR) {
    set_box(s, 10.0, 10.0, 0.0);
    add_faces(s, s->low, s->high, 2, 0, 1, 1.0);
    return;
  }
  if (s->kind == SCENE_CORRIDOR)
    set_box(s, 20.0, 2.0, 2.5);
  else if (s->kind == SCENE_ROOM)
    set_box(s, prng_range(&g, 5.5, 6.5), prng_range(&g, 4.0, 5.0), 2.6);
  else
    set_box(s, 20.0, 14.0, 5.0);
  if (s->kind != SCENE_CORRIDOR)
    add_faces(s, s->low, s->high, 0, 1, 1, -1.0);
  add_faces(s, s->low, s->high, 1, 1, 1, -1.0);
  add_faces(s, s->low, s->high, 2, 1, 1, -1.0);
  if (s->kind == SCENE_ROOM)
    add_boxes(s, &g, 9, 1.4, 0);
  else if (s->kind != SCENE_CORRIDOR)
    add_boxes(s, &g, 28, 2.2, 1);
}

void hall_path(double t, double position[3], double *heading) {
  double angle = 6.28318530717958647693 * t;
  position[0] = path_x * cos(angle);
  position[1] = path_y * sin(angle);
  position[2] = path_height;
  *heading = atan2(path_y * cos(angle), -path_x * sin(angle));
}

double shape_cast(const shape *s, const double origin[3], const double direction[3], const panel **hit) {
  double best = INFINITY;
  *hit = NULL;
  for (size_t i = 0; i < s->panel_count; ++i) {
    const panel *p = &s->panels[i];
    int axis = p->normal[0] != 0.0 ? 0 : p->normal[1] != 0.0 ? 1 : 2;
    double distance = (p->corner[axis] - origin[axis]) / direction[axis];
    if (!(distance > 0.0 && distance < best))
      continue;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double a = origin[u] + distance * direction[u] - p->corner[u];
    double b = origin[v] + distance * direction[v] - p->corner[v];
    if (a < 0.0 || b < 0.0 || a > p->u[u] || b > p->v[v])
      continue;
    best = distance;
    *hit = p;
  }
  return *hit ? best : -1.0;
}

/* Inside the hall, and from there every ray along an axis first meets a face from its front. */
int shape_is_free(const shape *s, const double point[3]) {
  for (int axis = 0; axis < 3; ++axis)
    for (int side = -1; side <= 1; side += 2) {
      double direction[3] = {0.0, 0.0, 0.0};
      const panel *hit;
      direction[axis] = side;
      if (point[axis] <= s->low[axis] || point[axis] >= s->high[axis] || shape_cast(s, point, direction, &hit) < 0.0 ||
          !hit || hit->normal[axis] * side >= 0.0)
        return 0;
    }
  return 1;
}
