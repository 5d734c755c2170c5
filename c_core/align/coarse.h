/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both clouds by cells of a grid, so large that the larger cloud has some CELLS of them: small enough to try several ways
 * and to judge each from both sides. One vote a cell: what decides is surface, not how densely it was sampled.
 */
#ifndef FR_COARSE_H
#define FR_COARSE_H

#include "align/rules.h"
#include "cloud/frames.h"
#include "cloud/matches.h"
#include "cloud/rays.h"
#include "cloud/source_index.h"
#include "cloud/target.h"

typedef struct fr_coarse {
  int usable;            /* 0: there are too few cells to judge by */
  fricp_target target;   /* the target's cells, with normals, in a frame of their own */
  fr_source source;      /* the source's cells, in units of that target's extent */
  fr_source_index index; /* of them, ... */
  float (*normals)[3];   /* ... with normals, by its positions; zero: none */
  fr_rays rays[2];       /* what the source's and the target's sensor saw, in the frames of their cells */
  fr_source few;         /* a part of the source's cells, centred by itself, to look at many starts */
  fr_frames few_frames;
  fr_frames frames; /* "the caller's" are here the normalised frames of the clouds themselves */
  double middle[3]; /* where the source's own origin is, in the frame of its cells; ... */
  double radius;    /* ... so far from it the target is judged; INFINITY: everywhere */
  double spacing;   /* of the target's cells: the unit of what follows */
  double width;     /* the least that a kernel on cells can tell: their roughness or noise */
} fr_coarse;

/* Where the clouds were seen from, in their normalised frames; NULL: not known. */
typedef struct fr_sensors {
  const double *source;
  const double *target;
} fr_sensors;

/* start, tidy: see thinned.h. Released by fr_coarse_release(), also after a failure. */
fricp_status fr_coarse_build(fr_coarse *coarse, const fr_source *source, const fricp_target *target,
                             const fricp_pose *start, const fr_sensors *sensors, int tidy, const fr_memory *memory,
                             fr_interrupt *interrupt, int threads, fricp_error *error);

void fr_coarse_release(fr_coarse *coarse, const fr_memory *memory);

/* Root mean square of what two poses (of the coarse frames) move the cells of the source apart. */
double fr_coarse_apart(const fr_coarse *coarse, const fricp_pose *a, const fricp_pose *b);

#endif
