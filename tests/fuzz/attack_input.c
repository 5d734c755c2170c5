/* SPDX-License-Identifier: BSD-3-Clause */
/* Clouds of every kind and layout, tame and wild, to call the library with. */
#include "attack.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum shape {
  BALL,
  WAVE,
  LINE,
  PLANE,
  GRID,
  ONE_PLACE,
  TWO_PLACES,
  THREE_PLACES,
  CLUSTERS,
  EXPONENTS,
  SPHERE,
  AXIS_LINE,
  SHAPES
} shape;

typedef struct recipe {
  shape shape;
  double scale;
  double offset[3];
  double places[3][3];
  int odd; /* percent of points with an odd coordinate */
} recipe;

static recipe any_recipe(attack *a) {
  recipe r = {(shape)below(a, SHAPES), any_scale(a), {0}, {{0}}, 0};
  const double far = any_scale(a);
  for (int k = 0; k < 3; k++) {
    r.offset[k] = chance(a, a->wild) ? far * prng_normal(&a->random) : 0;
    prng_direction(&a->random, r.places[k]);
  }
  r.odd = chance(a, a->wild) ? below(a, 40) : 0;
  return r;
}

/* A point of about unit size, the scale being put on afterwards. */
static void put(attack *a, const recipe *r, double p[3]) {
  prng *g = &a->random;
  const double u = prng_range(g, -1, 1);
  const double v = prng_range(g, -1, 1);
  const int place = below(a, 3);
  prng_direction(g, p);
  for (int k = 0; k < 3; k++)
    switch (r->shape) {
    case WAVE:
      p[k] = k == 0 ? u : k == 1 ? v : 0.3 * sin(3 * u) * cos(2 * v) + 0.2 * u * v;
      break;
    case LINE:
      p[k] = u * r->places[0][k];
      break;
    case AXIS_LINE:
      p[k] = k == 0 ? u : 0;
      break;
    case PLANE:
      p[k] = u * r->places[0][k] + v * r->places[1][k];
      break;
    case GRID:
      p[k] = (double)below(a, 4) / 4;
      break;
    case ONE_PLACE:
      p[k] = r->places[0][k];
      break;
    case TWO_PLACES:
      p[k] = r->places[place % 2][k];
      break;
    case THREE_PLACES:
      p[k] = r->places[place][k];
      break;
    case CLUSTERS:
      p[k] = 1e5 * r->places[place][k] + p[k];
      break;
    case EXPONENTS:
      p[k] *= pow(10, prng_range(g, -30, 30));
      break;
    case BALL:
      p[k] *= cbrt(fabs(u));
      break;
    default:
      break;
    }
  for (int k = 0; k < 3; k++)
    p[k] = p[k] * r->scale + r->offset[k];
  if (chance(a, r->odd))
    p[below(a, 3)] = odd_coordinate(a);
}

static double to_float_range(double x) {
  return isfinite(x) ? fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, x)) : x;
}

static void write_numbers(int32_t scalar_type, void *at, const double *numbers, int n) {
  for (int k = 0; k < n; k++)
    if (scalar_type == FRICP_SCALAR_FLOAT)
      ((float *)at)[k] = (float)to_float_range(numbers[k]);
    else
      ((double *)at)[k] = numbers[k];
}

/* An array that ends with its last element and begins at an address of the scalar's alignment, seldom more. */
static void *array_for(attack *a, const fricp_cloud *view, int n, size_t *stride, void **block) {
  const size_t scalar = view->scalar_type == FRICP_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
  const size_t step = scalar * (size_t)(n + (chance(a, 30) ? below(a, 5) : 0));
  const size_t shift = scalar * (size_t)below(a, 2);
  const size_t bytes = view->count ? (view->count - 1) * step + scalar * (size_t)n : 1;
  *stride = step == scalar * (size_t)n && chance(a, 50) ? 0 : step;
  *block = calloc(1, bytes + shift);
  if (!*block)
    abort();
  return (unsigned char *)*block + shift;
}

static unsigned char *element(const fricp_cloud *view, const void *array, size_t stride, int n, size_t i) {
  const size_t scalar = view->scalar_type == FRICP_SCALAR_FLOAT ? sizeof(float) : sizeof(double);
  return (unsigned char *)array + i * (stride ? stride : scalar * (size_t)n);
}

void point_of(const fricp_cloud *view, size_t i, double p[3]) {
  const int n = view->dimension == 2 ? 2 : 3;
  const void *at = element(view, view->points, view->stride, n, i);
  p[2] = 0;
  for (int k = 0; k < n; k++)
    p[k] = view->scalar_type == FRICP_SCALAR_FLOAT ? (double)((const float *)at)[k] : ((const double *)at)[k];
}

static void add_normals(attack *a, cloud *c) {
  const int n = c->view.dimension == 2 ? 2 : 3;
  const double scale = any_scale(a);
  c->view.normals = array_for(a, &c->view, n, &c->view.normal_stride, &c->blocks[1]);
  for (size_t i = 0; i < c->view.count; i++) {
    double v[3];
    prng_direction(&a->random, v);
    for (int k = 0; k < 3; k++)
      v[k] = chance(a, a->wild / 4) ? odd_coordinate(a) : v[k] * scale;
    if (chance(a, 3))
      v[0] = v[1] = v[2] = 0;
    write_numbers(c->view.scalar_type, element(&c->view, c->view.normals, c->view.normal_stride, n, i), v, n);
  }
}

static void add_weights(attack *a, cloud *c) {
  static const double scales[] = {1, 1, 1e-9, 1e-300, 1e-150, 1e150, 1e305, 0, 5e-324, 1e7, 1e-38};
  const double scale = scales[below(a, COUNT(scales))];
  const int mixed = chance(a, a->wild);
  c->view.weights = array_for(a, &c->view, 1, &c->view.weight_stride, &c->blocks[2]);
  for (size_t i = 0; i < c->view.count; i++) {
    double w = (mixed ? scales[below(a, COUNT(scales))] : scale) * (chance(a, 50) ? 1 : prng_uniform(&a->random));
    if (chance(a, 1) && chance(a, a->wild / 4))
      w = any_number(a);
    write_numbers(c->view.scalar_type, element(&c->view, c->view.weights, c->view.weight_stride, 1, i), &w, 1);
  }
}

/* Repeated, unsorted, now and then empty or outside. */
static void add_indices(attack *a, cloud *c) {
  const int n = chance(a, 3) ? 0 : 1 + below(a, (int)c->view.count + 3);
  int32_t *indices = malloc(sizeof *indices * (size_t)(n ? n : 1));
  if (!indices)
    abort();
  for (int i = 0; i < n; i++)
    indices[i] = c->view.count ? below(a, (int)c->view.count) : 0;
  if (n && chance(a, 2))
    indices[below(a, n)] = chance(a, 50) ? (int32_t)c->view.count : any_integer(a);
  c->view.indices = c->blocks[3] = indices;
  c->view.index_count = (size_t)n;
}

static void layout(attack *a, cloud *c) {
  const fricp_cloud empty = FRICP_CLOUD_INIT;
  memset(c, 0, sizeof *c);
  c->view = empty;
  c->view.scalar_type = chance(a, 30);
  c->view.dimension = chance(a, 15) ? 2 : chance(a, 50) ? 3 : 0;
}

/* Wrong in a way that does not send the library to memory that is not there. */
static void spoil(attack *a, fricp_cloud *given) {
  switch (below(a, 5)) {
  case 0:
    given->struct_size = (size_t)(chance(a, 50) ? below(a, 8) : (int)offsetof(fricp_cloud, normals) + below(a, 150));
    break;
  case 1:
    given->dimension = chance(a, 50) ? 4 : INT32_MIN + below(a, 100);
    break;
  case 2:
    given->scalar_type = chance(a, 50) ? 2 : -1;
    break;
  case 3:
    given->stride = (size_t)(1 + below(a, 7));
    break;
  default:
    given->points = NULL;
    break;
  }
}

/* Normals, weights and indices now and then; fields that are wrong seldom. */
static void dress(attack *a, cloud *c) {
  if (chance(a, 30))
    add_normals(a, c);
  if (chance(a, 30))
    add_weights(a, c);
  if (chance(a, 15))
    add_indices(a, c);
  c->given = c->view;
  c->is_spoilt = chance(a, 1);
  if (c->is_spoilt)
    spoil(a, &c->given);
}

static void show_numbers(const fricp_cloud *view, const char *what, const void *array, size_t stride, int n, size_t i) {
  const void *at = array ? element(view, array, stride, n, i) : NULL;
  printf("%s%s", at ? " " : "", at ? what : "");
  for (int k = 0; k < n && at; k++)
    printf(" %.9g", view->scalar_type == FRICP_SCALAR_FLOAT ? (double)((const float *)at)[k] : ((const double *)at)[k]);
}

static void show(const attack *a, const char *what, const cloud *c) {
  if (!a->shown)
    return;
  printf("%s: %zu points, dimension %d, %s%s%s%s\n", what, c->view.count, c->view.dimension,
         c->view.scalar_type ? "float" : "double", c->view.normals ? ", normals" : "",
         c->view.weights ? ", weights" : "", c->view.indices ? ", indices" : "");
  for (size_t i = 0; i < c->view.index_count && i < 20; i++)
    printf("%s%d", i ? " " : "  indices ", c->view.indices[i]);
  for (size_t i = 0; i < c->view.count && i < 20; i++) {
    double p[3];
    point_of(&c->view, i, p);
    printf("  {%.17g, %.17g, %.17g}", p[0], p[1], p[2]);
    show_numbers(&c->view, "weight", c->view.weights, c->view.weight_stride, 1, i);
    show_numbers(&c->view, "normal", c->view.normals, c->view.normal_stride, c->view.dimension == 2 ? 2 : 3, i);
    printf("\n");
  }
}

cloud any_cloud(attack *a) {
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 17, 30, 60, 100, 300, 1000};
  cloud c;
  layout(a, &c);
  c.view.count = (size_t)sizes[chance(a, 4) ? below(a, COUNT(sizes)) : 3 + below(a, COUNT(sizes) - 5)];
  if (chance(a, 30))
    c.view.count = 60 + (size_t)below(a, 200); /* enough for method auto to try its ways */
  const int n = c.view.dimension == 2 ? 2 : 3;
  const recipe r = any_recipe(a);
  c.view.points = array_for(a, &c.view, n, &c.view.stride, &c.blocks[0]);
  for (size_t i = 0; i < c.view.count; i++) {
    double p[3];
    put(a, &r, p);
    write_numbers(c.view.scalar_type, element(&c.view, c.view.points, c.view.stride, n, i), p, n);
  }
  dress(a, &c);
  show(a, "cloud", &c);
  return c;
}

cloud moved_cloud(attack *a, const cloud *from) {
  cloud c;
  layout(a, &c);
  if (!chance(a, 2))
    c.view.dimension = from->view.dimension;
  c.view.count = from->view.dimension == 2 || c.view.dimension != 2 ? from->view.count : 0;
  const int n = c.view.dimension == 2 ? 2 : 3;
  const double turn = prng_normal(&a->random) * (chance(a, 20) ? 1 : 0.05);
  const double shift = chance(a, a->wild) ? any_scale(a) : 0.02;
  const double noise = chance(a, 50) ? 0 : 0.01;
  c.view.points = array_for(a, &c.view, n, &c.view.stride, &c.blocks[0]);
  for (size_t i = 0; i < c.view.count; i++) {
    double p[3];
    point_of(&from->view, i, p);
    double q[3] = {cos(turn) * p[0] - sin(turn) * p[1] + shift, sin(turn) * p[0] + cos(turn) * p[1], p[2]};
    for (int k = 0; k < 3; k++)
      q[k] *= 1 + noise * prng_normal(&a->random);
    write_numbers(c.view.scalar_type, element(&c.view, c.view.points, c.view.stride, n, i), q, n);
  }
  dress(a, &c);
  show(a, "moved cloud", &c);
  return c;
}

void free_cloud(cloud *c) {
  for (size_t i = 0; i < COUNT(c->blocks); i++)
    free(c->blocks[i]);
}
