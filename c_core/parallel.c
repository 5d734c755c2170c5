/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 199309L
#include "parallel.h"

#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define MAX_THREADS 64
#define RUNS 8 /* for each thread */

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

void fr_parallel_for(int threads, size_t blocks, fr_block_function body, void *context) {
#ifdef _OPENMP
  if (threads > 1 && blocks > 1) {
    /* Runs of blocks: neighbours in memory stay in one thread, and the threads seldom meet to fetch the next run. */
#pragma omp parallel for num_threads(threads) schedule(dynamic, blocks / (RUNS * (size_t)threads) + 1)
    for (size_t block = 0; block < blocks; block++)
      body(context, block, omp_get_thread_num());
    return;
  }
#else
  (void)threads;
#endif
  for (size_t block = 0; block < blocks; block++)
    body(context, block, 0);
}

double fr_seconds(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
