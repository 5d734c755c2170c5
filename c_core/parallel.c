/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 199309L
#include "parallel.h"

#include <stdatomic.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define MAX_THREADS 64
#define RUNS 8 /* for each thread */
#define SPINS 1000
#define NAP 200000 /* nanoseconds */

int fr_thread_count(int requested, size_t items, size_t grain) {
#ifdef _OPENMP
  int threads = requested > 0 ? requested : omp_get_num_procs();
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  const size_t useful = items / (grain ? grain : 1);
  if ((size_t)threads > useful)
    threads = (int)useful;
  return threads > 1 ? threads : 1;
#else
  (void)requested, (void)items, (void)grain;
  return 1;
#endif
}

#ifdef _OPENMP
/* The calling thread has no blocks left: until the others are done it goes on asking the caller. */
static void attend(const _Atomic size_t *left, fr_interrupt *interrupt) {
  const struct timespec nap = {0, NAP};
  for (int turn = 0; atomic_load(left) > 0; turn++) {
    (void)fr_interrupt_check(interrupt, 0);
    if (turn > SPINS)
      (void)nanosleep(&nap, NULL);
  }
}

static void run_threads(int threads, size_t blocks, fr_block_function body, void *context, fr_interrupt *interrupt) {
  _Atomic size_t left = blocks;
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    /* Runs of blocks: neighbours in memory stay in one thread, and the threads seldom meet to fetch the next run. */
#pragma omp for schedule(dynamic, blocks / (RUNS * (size_t)threads) + 1) nowait
    for (size_t block = 0; block < blocks; block++) {
      if (fr_interrupt_check(interrupt, thread) == FRICP_STOP_NONE)
        body(context, block, thread);
      if (interrupt)
        atomic_fetch_sub(&left, 1);
    }
    if (thread == 0 && interrupt && interrupt->poll)
      attend(&left, interrupt);
  }
}
#endif

void fr_parallel_for(int threads, size_t blocks, fr_block_function body, void *context, fr_interrupt *interrupt) {
#ifdef _OPENMP
  if (threads > 1 && blocks > 1) {
    run_threads(threads, blocks, body, context, interrupt);
    return;
  }
#else
  (void)threads;
#endif
  for (size_t block = 0; block < blocks && fr_interrupt_check(interrupt, 0) == FRICP_STOP_NONE; block++)
    body(context, block, 0);
}

static double seconds_of(clockid_t clock) {
  struct timespec now;
  (void)clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double fr_seconds(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

double fr_coarse_seconds(void) {
#ifdef CLOCK_MONOTONIC_COARSE
  return seconds_of(CLOCK_MONOTONIC_COARSE);
#else
  return seconds_of(CLOCK_MONOTONIC);
#endif
}
