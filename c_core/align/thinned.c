/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/thinned.h"

#include "cloud/strays.h"

#include <math.h>
#include <string.h>

#define CELLS 1500             /* of the larger cloud */
#define ENOUGH ((size_t)16384) /* points that tell the cells' means */
#define SMALLEST 5e-4          /* cell, of the target's extent */
#define LARGEST 4.0            /* the same */
#define AROUND 10.0            /* extents from the middle: what is farther is left out, if need be */
#define HALVINGS 12            /* of the interval of cell sizes: to 0.3 % */
#define STRAYS 0.005           /* of both clouds' points: of fewer the cells show nothing */

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

/* Neighbours in the order of the search are neighbours in space. */
static fricp_status sample_target(fr_sample *s, const thinning *w, fricp_error *error) {
  const fricp_target *target = w->target;
  const size_t step = (target->count + 2 * ENOUGH - 1) / (2 * ENOUGH);
  s->count = (target->count + step - 1) / step;
  s->points = fr_allocate(w->memory, s->count, sizeof *s->points);
  for (size_t i = 0; s->points && i < s->count; i++)
    memcpy(s->points[i], target->points[i * step], sizeof *s->points);
  return s->points ? FRICP_OK : fr_out_of_memory(error, "points of the target", s->count);
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

/* @return 0 if a cloud has more cells than there is room for. */
static int fill(fr_thinned *t, double size) {
  for (int k = 0; k < 2; k++) {
    const fr_sample *s = &t->sample[k];
    if (fr_cells_fill(&t->cells[k], (const double(*)[3])s->points, s->weight, s->count, size) != 0)
      return 0;
  }
  return 1;
}

/* The smallest cells that there is room for. @return 0 if even the largest are too many, or it was interrupted. */
static int choose_size(fr_thinned *t, fr_interrupt *interrupt) {
  double low = SMALLEST;
  double high = LARGEST;
  for (int i = 0; i < HALVINGS && fr_interrupt_check(interrupt, 0) == FRICP_STOP_NONE; i++) {
    const double middle = sqrt(low * high);
    if (fill(t, middle))
      high = middle;
    else
      low = middle;
  }
  return fr_interrupt_check(interrupt, 0) == FRICP_STOP_NONE && fill(t, high);
}

/* Where a landscape lies far around, without it. */
static int choose_cells(fr_thinned *t, fr_interrupt *interrupt) {
  if (choose_size(t, interrupt))
    return 1;
  t->cells[0].reach = t->cells[1].reach = AROUND;
  return choose_size(t, interrupt);
}

void fr_thinned_release(fr_thinned *t, const fr_memory *memory) {
  for (int k = 0; k < 2; k++) {
    fr_cells_release(&t->cells[k], memory);
    fr_release(memory, t->sample[k].points);
    fr_release(memory, t->sample[k].own);
  }
  memset(t, 0, sizeof *t);
}

static fricp_status take_samples(fr_thinned *t, const thinning *w, fricp_error *error) {
  if (fr_cells_reserve(&t->cells[0], w->memory, CELLS) != 0 || fr_cells_reserve(&t->cells[1], w->memory, CELLS) != 0)
    return fr_out_of_memory(error, "the cells of the clouds", CELLS);
  const fricp_status status = sample_source(&t->sample[0], w, error);
  return status == FRICP_OK ? sample_target(&t->sample[1], w, error) : status;
}

fricp_status fr_thinned_make(fr_thinned *t, const fr_source *source, const fricp_target *target, int tidy,
                             const fr_memory *memory, fr_interrupt *interrupt, int threads, fricp_error *error) {
  const thinning work = {source, target, memory, interrupt, threads, tidy};
  memset(t, 0, sizeof *t);
  fricp_status status = take_samples(t, &work, error);
  const size_t points = t->sample[0].count + t->sample[1].count;
  size_t strays = 0;
  for (int k = 0; k < 2 && status == FRICP_OK && tidy; k++)
    status = drop_strays(&t->sample[k], &work, &strays, error);
  t->usable = status == FRICP_OK && (!tidy || (double)strays > STRAYS * (double)points) && choose_cells(t, interrupt);
  return status;
}
