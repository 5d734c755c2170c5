/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file shape.h
 * The shapes behind scene.h: what can be sampled, and what rays can hit. Internal to fricp_support.
 */
#ifndef FRICP_SUPPORT_SHAPE_H
#define FRICP_SUPPORT_SHAPE_H

#include <stddef.h>

#include "prng.h"
#include "scene.h"

enum { SHAPE_TERMS = 7, SHAPE_MAX_BOXES = 48, SHAPE_MAX_PANELS = 6 + 5 * SHAPE_MAX_BOXES };

/** A sum of harmonics: sum amplitude * sin(wave . x + phase). */
typedef struct harmonics {
  double amplitude[SHAPE_TERMS];
  double wave[SHAPE_TERMS][3];
  double phase[SHAPE_TERMS];
} harmonics;

/** A rectangle corner + a u + b v, a and b in [0, 1], u and v orthogonal. */
typedef struct panel {
  double corner[3], u[3], v[3], normal[3];
} panel;

/** Any shape. Which members are in use depends on the kind. */
typedef struct shape {
  scene_kind kind;
  harmonics bumps;
  double density_bound; /* of the area element, for the rejection that makes samples uniform in area */
  size_t panel_count;
  panel panels[SHAPE_MAX_PANELS];
  double panel_sum[SHAPE_MAX_PANELS]; /* running sum of areas */
  double low[3], high[3];             /* bounding box */
} shape;

/** Build the shape of a kind; of a scan kind: the hall. */
void shape_make(shape *s, scene_kind kind, uint64_t seed);

/** One point uniform in area (2-D: in length), and its outward unit normal; rooms have theirs inward. */
void shape_draw(const shape *s, prng *g, double point[3], double normal[3]);

/** Nearest hit of a ray with the panels. @return its distance in units of the direction's length, or -1; *hit gets the
 *  panel. */
double shape_cast(const shape *s, const double origin[3], const double direction[3], const panel **hit);

/** Is this a place in the hall where a sensor can stand? */
int shape_is_free(const shape *s, const double point[3]);

/** Build the panels of a room, corridor, floor or hall. */
void panels_make(shape *s, uint64_t seed);

/** Position and heading (radians) on the loop through the hall, at t in [0, 1). */
void hall_path(double t, double position[3], double *heading);

#endif
