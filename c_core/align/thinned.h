/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both clouds thinned to cells of one size, so small that there are as many as there is room for. Of a target that is much
 * larger than the source, as a map is than a scan, only what the source may come to from where it starts: else cells would
 * be as coarse as the map is large, and of a right pose next to nothing of the map would be explained.
 */
#ifndef FR_THINNED_H
#define FR_THINNED_H

#include "cloud/cells.h"
#include "cloud/source.h"
#include "cloud/target.h"

/* Evenly spread points of a cloud, in its normalised frame. */
typedef struct fr_sample {
  double (*points)[3];
  double *weight; /* NULL: all 1; 0: a stray */
  size_t count;
  double *own; /* weights, where strays are left out */
} fr_sample;

/* Of the source and of the target. */
typedef struct fr_thinned {
  fr_sample sample[2];
  fr_cells cells[2];
  double radius; /* of a target looked at within reach only: so far from the source's origin lie most of its cells; else
                    INFINITY */
  int usable;    /* 0: there are no cells */
} fr_thinned;

/* start: of the run, in the normalised frames; tidy: strays (cloud/strays.h) are left out, and nothing is usable if there are
 * next to none. Released by fr_thinned_release(), also after a failure. */
fricp_status fr_thinned_make(fr_thinned *thinned, const fr_source *source, const fricp_target *target,
                             const fricp_pose *start, int tidy, const fr_memory *memory, fr_interrupt *interrupt,
                             int threads, fricp_error *error);
void fr_thinned_release(fr_thinned *thinned, const fr_memory *memory);

#endif
