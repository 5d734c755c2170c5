/* SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stdint.h>

void __sanitizer_cov_trace_pc(void); /* what the compiler calls in each block */

static _Thread_local uint64_t own;    /* blocks of this thread */
static _Thread_local uint64_t told;   /* of those, in `total` */
static _Thread_local uint64_t looked; /* own, when this thread last looked at the clock */
static _Thread_local int watch;       /* the number of the watch that `looked` belongs to */
static _Atomic uint64_t total;
static _Atomic uint64_t most;
static _Atomic int watches;
static double speed = 1e9;

void __sanitizer_cov_trace_pc(void) {
  own++;
}

static uint64_t tell(void) {
  const uint64_t fresh = own - told;
  told = own;
  return atomic_fetch_add(&total, fresh) + fresh;
}

double work_done(void) {
  return (double)tell();
}

void work_set_speed(double blocks_a_second) {
  speed = blocks_a_second;
}

double work_speed(void) {
  return speed;
}

void work_wait(double seconds) {
  const uint64_t blocks = (uint64_t)(seconds * speed);
  atomic_fetch_add(&total, blocks);
}

/* What a thread did before a watch began is none of it. */
static void look(void) {
  const int now = atomic_load(&watches);
  const uint64_t gap = watch == now ? own - looked : 0;
  uint64_t before = atomic_load(&most);
  while (gap > before && !atomic_compare_exchange_weak(&most, &before, gap)) {
  }
  watch = now;
  looked = own;
}

void work_watch(void) {
  atomic_fetch_add(&watches, 1);
  look();
  atomic_store(&most, 0);
}

double work_since_look(void) {
  return (double)(own - looked);
}

double work_unwatched(void) {
  return (double)atomic_load(&most);
}

double fr_seconds(void) {
  return (double)tell() / speed;
}

double fr_coarse_seconds(void) {
  look();
  return fr_seconds();
}
