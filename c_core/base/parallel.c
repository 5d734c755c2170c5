/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"

#include <stdatomic.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
#endif

#define MAX_THREADS 64
#define RUNS 8 /* for each thread */
#define SPINS 1000
#define NAP 200000 /* nanoseconds */

#ifdef _OPENMP
/* The process whose threads OpenMP has started, 0: none yet. A child of it inherits OpenMP's belief in threads that it
 * does not have, and would wait for them without end: there everything runs on one thread. */
static _Atomic long threads_of;

static int are_threads_lost(void) {
  const long process = atomic_load(&threads_of);
  return process && process != (long)getpid();
}

/* @return whether this process may start threads, which it is taken to do. */
static int claim_threads(void) {
  long none = 0;
  const long process = (long)getpid();
  return atomic_compare_exchange_strong(&threads_of, &none, process) || none == process;
}

static void *wait_at(void *gate) {
  (void)pthread_mutex_lock(gate);
  (void)pthread_mutex_unlock(gate);
  return NULL;
}

/* OpenMP ends the process when it cannot start a thread, so as many are started here first, all at once; where some are
 * refused, half of those that were not leave room for what else OpenMP needs. What remains: others may take the room
 * meanwhile. Each calling thread has a team of its own. */
static int startable(int threads) {
  static _Thread_local int proven = 1;
  pthread_t started[MAX_THREADS];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  int count = 0;
  if (threads <= proven)
    return threads;
  (void)pthread_mutex_lock(&gate);
  while (count < threads - 1 && pthread_create(&started[count], NULL, wait_at, &gate) == 0)
    count++;
  (void)pthread_mutex_unlock(&gate);
  for (int i = 0; i < count; i++)
    (void)pthread_join(started[i], NULL);
  if (count < threads - 1)
    return count / 2 + 1;
  proven = threads;
  return threads;
}
#endif

int fr_thread_count(int requested, size_t items, size_t grain) {
#ifdef _OPENMP
  int threads = requested > 0 ? requested : omp_get_num_procs();
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  const size_t useful = items / (grain ? grain : 1);
  if ((size_t)threads > useful)
    threads = (int)useful;
  return threads > 1 && !are_threads_lost() ? startable(threads) : 1;
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

/* Runs of blocks: neighbours in memory stay in one thread, and the threads seldom meet to fetch the next run. */
static void run_threads(int threads, size_t blocks, fr_run_function body, void *context, fr_interrupt *interrupt) {
  const size_t length = blocks / (RUNS * (size_t)threads) + 1;
  const size_t runs = (blocks + length - 1) / length;
  _Atomic size_t left = runs;
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1) nowait
    for (size_t run = 0; run < runs; run++) {
      body(context, run * length, run + 1 < runs ? (run + 1) * length : blocks, thread);
      if (interrupt)
        atomic_fetch_sub(&left, 1);
    }
    if (thread == 0 && interrupt && interrupt->poll)
      attend(&left, interrupt);
  }
}
#endif

void fr_parallel_runs(int threads, size_t blocks, fr_run_function body, void *context, fr_interrupt *interrupt) {
#ifdef _OPENMP
  if (threads > 1 && blocks > 1 && claim_threads()) {
    run_threads(threads, blocks, body, context, interrupt);
    return;
  }
#else
  (void)threads, (void)interrupt;
#endif
  (void)interrupt;
  body(context, 0, blocks, 0);
}

typedef struct block_loop {
  fr_block_function body;
  void *context;
  fr_interrupt *interrupt;
} block_loop;

static void loop_over_blocks(void *context, size_t first, size_t end, int thread) {
  const block_loop *loop = context;
  for (size_t block = first; block < end && fr_interrupt_check(loop->interrupt, thread) == FRICP_STOP_NONE; block++)
    loop->body(loop->context, block, thread);
}

void fr_parallel_for(int threads, size_t blocks, fr_block_function body, void *context, fr_interrupt *interrupt) {
  block_loop loop = {body, context, interrupt};
  fr_parallel_runs(threads, blocks, loop_over_blocks, &loop, interrupt);
}
