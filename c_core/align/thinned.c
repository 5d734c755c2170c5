/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/thinned.h"

#include "cloud/strays.h"
#include "maths/median.h"

#include <math.h>
#include <string.h>

#define CELLS 1500             /* of the larger cloud */
#define ENOUGH ((size_t)16384) /* points that tell the cells' means */
#define SMALLEST 5e-4          /* cell, of the target's extent, or of the reach if that is less */
#define LARGEST 4.0            /* the same */
#define AROUND 10.0            /* extents from the middle: what is farther is left out, if need be */
#define HALVINGS 12            /* of the interval of cell sizes: to 0.3 % */
#define STRAYS 0.005           /* of both clouds' points: of fewer the cells show nothing */
#define MOST 0.9               /* of a cloud's cells lie within its radius */
#define LARGER 1.5             /* times the source's radius: of a target with a larger one only what is within reach */
#define REACH 2.0              /* of the source's radii around where its origin starts: within reach, ... */
#define IN_REACH 6000          /* ... cells at most: CELLS * REACH^2, as much more as there is of a surface, ... */
#define LESS 0.5               /* ... and at least times the source's cells, or it is looked at whole */

static const double origin[3];

/* A ball, in the target's normalised frame; of infinite radius: all of it. */
typedef struct ball {
  double center[3];
  double radius;
} ball;

/* What it works with. */
typedef struct thinning {
  const fr_source *source;
  const fricp_target *target;
  const fr_memory *memory;
  fr_interrupt *interrupt;
  int threads;
  int tidy;
} thinning;

static fricp_status sample_source(fr_sample *s, const thinning *w, fricp_error *error) {
  const fr_source *source = w->source;
  s->count = fr_source_prefix(source, ENOUGH);
  s->points = fr_allocate(w->memory, s->count, sizeof *s->points);
  s->weight = source->weight; /* of a prefix */
  for (size_t i = 0; s->points && i < s->count; i++)
    for (int a = 0; a < 3; a++)
      s->points[i][a] = source->x[a][i];
  return s->points ? FRICP_OK : fr_out_of_memory(error, "points of the source", s->count);
}

static int is_within(const ball *reach, const double p[3]) {
  return fr_distance2(p, reach->center) <= reach->radius * reach->radius;
}

static size_t count_within(const thinning *w, const ball *reach) {
  size_t count = 0;
  for (size_t i = 0; i < w->target->count && !fr_interrupt_each(w->interrupt, i); i++)
    count += (size_t)is_within(reach, w->target->points[i]);
  return count;
}

/* Neighbours in the order of the search are neighbours in space. */
static fricp_status sample_target(fr_sample *s, const thinning *w, const ball *reach, fricp_error *error) {
  const size_t within = isfinite(reach->radius) ? count_within(w, reach) : w->target->count;
  const size_t most = 2 * ENOUGH;
  const size_t step = within > most ? (within + most - 1) / most : 1;
  size_t seen = 0;
  s->points = fr_allocate(w->memory, within / step + 1, sizeof *s->points);
  for (size_t i = 0; s->points && seen < within && !fr_interrupt_each(w->interrupt, i); i++)
    if (is_within(reach, w->target->points[i]) && seen++ % step == 0)
      memcpy(s->points[s->count++], w->target->points[i], sizeof *s->points);
  return s->points ? FRICP_OK : fr_out_of_memory(error, "points of the target", within);
}

/* Strays weigh nothing. How many there are is added to `found`. */
static fricp_status drop_strays(fr_sample *s, const thinning *w, size_t *found, fricp_error *error) {
  unsigned char *stray = fr_allocate(w->memory, s->count, 1);
  s->own = fr_allocate(w->memory, s->count, sizeof *s->own);
  if (!stray || !s->own) {
    fr_release(w->memory, stray);
    return fr_out_of_memory(error, "the stray points of a cloud", s->count);
  }
  const fricp_status status = fr_strays_find((const double(*)[3])s->points, s->count, w->target->dimension, w->memory,
                                             w->interrupt, w->threads, stray, error);
  for (size_t i = 0; i < s->count; i++) {
    s->own[i] = stray[i] ? 0 : s->weight ? s->weight[i] : 1;
    *found += stray[i];
  }
  s->weight = s->own;
  fr_release(w->memory, stray);
  return status;
}

/* The first `clouds` of both. @return 0 if one has more cells than there is room for. */
static int fill(fr_thinned *t, int clouds, double size) {
  for (int k = 0; k < clouds; k++) {
    const fr_sample *s = &t->sample[k];
    if (fr_cells_fill(&t->cells[k], (const double(*)[3])s->points, s->weight, s->count, size) != 0)
      return 0;
  }
  return 1;
}

/* The smallest cells that there is room for. @return 0 if even the largest are too many, or it was interrupted. */
static int choose_size(fr_thinned *t, int clouds, double smallest, fr_interrupt *interrupt) {
  double low = smallest;
  double high = LARGEST;
  for (int i = 0; i < HALVINGS && fr_interrupt_check(interrupt, 0) == FRICP_STOP_NONE; i++) {
    const double middle = sqrt(low * high);
    if (fill(t, clouds, middle))
      high = middle;
    else
      low = middle;
  }
  return fr_interrupt_check(interrupt, 0) == FRICP_STOP_NONE && fill(t, clouds, high);
}

/* Where a landscape lies far around, without it. */
static int choose_cells(fr_thinned *t, double smallest, fr_interrupt *interrupt) {
  if (choose_size(t, 2, smallest, interrupt))
    return 1;
  t->cells[0].reach = t->cells[1].reach = AROUND;
  return choose_size(t, 2, smallest, interrupt);
}

void fr_thinned_release(fr_thinned *t, const fr_memory *memory) {
  for (int k = 0; k < 2; k++) {
    fr_cells_release(&t->cells[k], memory);
    fr_release(memory, t->sample[k].points);
    fr_release(memory, t->sample[k].own);
  }
  memset(t, 0, sizeof *t);
}

/* Anew. */
static fricp_status take_samples(fr_thinned *t, const thinning *w, const ball *reach, size_t target_cells,
                                 fricp_error *error) {
  fr_thinned_release(t, w->memory);
  t->radius = INFINITY;
  if (fr_cells_reserve(&t->cells[0], w->memory, CELLS) != 0 ||
      fr_cells_reserve(&t->cells[1], w->memory, target_cells) != 0)
    return fr_out_of_memory(error, "the cells of the clouds", CELLS + target_cells);
  const fricp_status status = sample_source(&t->sample[0], w, error);
  return status == FRICP_OK ? sample_target(&t->sample[1], w, reach, error) : status;
}

/* Not usable: to be tidied up, and with next to no strays. */
static fricp_status thin(fr_thinned *t, const thinning *w, const ball *reach, size_t target_cells, fricp_error *error) {
  fricp_status status = take_samples(t, w, reach, target_cells, error);
  const size_t points = t->sample[0].count + t->sample[1].count;
  size_t strays = 0;
  for (int k = 0; k < 2 && status == FRICP_OK && w->tidy; k++)
    status = drop_strays(&t->sample[k], w, &strays, error);
  t->usable = status == FRICP_OK && (!w->tidy || (double)strays > STRAYS * (double)points) &&
              choose_cells(t, SMALLEST * fmin(1, reach->radius), w->interrupt);
  return status;
}

/* So far from its origin lie most of a cloud's cells, which are CELLS at most. */
static double radius_of(const fr_cells *cells) {
  double squared[CELLS];
  if (cells->count == 0)
    return 0;
  const size_t rank = (size_t)(MOST * (double)(cells->count - 1));
  for (size_t i = 0; i < cells->count; i++)
    squared[i] = fr_distance2(cells->points[i], origin);
  fr_select(squared, cells->count, rank);
  return sqrt(squared[rank]);
}

/* The source's, by cells as small as it allows. */
static double source_radius(fr_thinned *t, fr_interrupt *interrupt) {
  double farthest = 0;
  for (size_t i = 0; i < t->sample[0].count; i++)
    farthest = fmax(farthest, fr_distance2(t->sample[0].points[i], origin));
  return choose_size(t, 1, SMALLEST * fmin(1, sqrt(farthest)), interrupt) ? radius_of(&t->cells[0]) : 0;
}

fricp_status fr_thinned_make(fr_thinned *t, const fr_source *source, const fricp_target *target,
                             const fricp_pose *start, int tidy, const fr_memory *memory, fr_interrupt *interrupt,
                             int threads, fricp_error *error) {
  const thinning work = {source, target, memory, interrupt, threads, tidy};
  const ball all = {{0}, INFINITY};
  memset(t, 0, sizeof *t);
  fricp_status status = thin(t, &work, &all, CELLS, error);
  if (status != FRICP_OK || !t->usable || radius_of(&t->cells[1]) <= LARGER * radius_of(&t->cells[0]))
    return status;
  const double radius = source_radius(t, interrupt);
  const ball reach = {{start->translation[0], start->translation[1], start->translation[2]}, REACH * radius};
  status = thin(t, &work, &reach, IN_REACH, error);
  if (status == FRICP_OK && t->usable && (double)t->cells[1].count >= LESS * (double)t->cells[0].count)
    t->radius = radius;
  else if (status == FRICP_OK)
    status = thin(t, &work, &all, CELLS, error);
  return status;
}
