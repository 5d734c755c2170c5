/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops over independent blocks. The only module that knows of OpenMP. */
#ifndef FR_PARALLEL_H
#define FR_PARALLEL_H

#include "base/interrupt.h"

#include <stddef.h>

/* One block of work; `thread` is below the number of threads: an index into per-thread scratch. */
typedef void (*fr_block_function)(void *context, size_t block, int thread);

/* A run of blocks, `first` to `end` - 1, all by one thread: what belongs to them no other thread touches meanwhile. */
typedef void (*fr_run_function)(void *context, size_t first, size_t end, int thread);

/* Threads to use: `requested` (0: as many as the machine has), at most one for each `grain` items. At least 1; 1 in a
 * child of a process that has used threads, and fewer where the system refuses to start so many. */
int fr_thread_count(int requested, size_t items, size_t grain);

/* Call body for every block from 0 to blocks - 1, in any order. Results must not depend on the order. When the
 * interrupt (NULL: none) says stop, the blocks not yet begun are left out. */
void fr_parallel_for(int threads, size_t blocks, fr_block_function body, void *context, fr_interrupt *interrupt);

/* The same by runs of neighbouring blocks; body itself leaves out what it has not yet begun. */
void fr_parallel_runs(int threads, size_t blocks, fr_run_function body, void *context, fr_interrupt *interrupt);

#endif
