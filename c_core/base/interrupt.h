/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends a call early: a time limit, and a function of the caller's that is asked now and then. */
#ifndef FR_INTERRUPT_H
#define FR_INTERRUPT_H

#include "base/status.h"

#include <stdatomic.h>

/* Wherever a pointer to one is asked for, NULL means that nothing interrupts. */
typedef struct fr_interrupt {
  double deadline;            /* fr_seconds(); INFINITY: none */
  double next_poll;           /* fr_seconds() */
  int (*poll)(void *context); /* non-zero cancels; called by the calling thread only; NULL: none */
  void *context;
  _Atomic int32_t reason; /* fricp_stop_reason; FRICP_STOP_NONE: go on */
} fr_interrupt;

/* time_limit: seconds from `started` (fr_seconds()) on; 0: none. */
void fr_interrupt_begin(fr_interrupt *interrupt, double started, double time_limit, int (*poll)(void *context),
                        void *context);

/* Why to stop, as far as anybody noticed; FRICP_STOP_NONE: go on. */
int32_t fr_interrupt_reason(const fr_interrupt *interrupt);

/* Look at the clock, to some milliseconds, and on the calling thread, which is number 0, at times ask the caller. To be
 * called some hundred times a second; costs a few nanoseconds. @return fr_interrupt_reason(). */
int32_t fr_interrupt_check(fr_interrupt *interrupt, int thread);

/* The caller was just asked, and cancelled or did not. */
void fr_interrupt_polled(fr_interrupt *interrupt, int cancel);

/* After a stop: go on for at most so many seconds, without asking the caller. */
void fr_interrupt_extend(fr_interrupt *interrupt, double seconds);

/* FRICP_ERROR_INTERRUPTED with a text that says why and during what. */
fricp_status fr_interrupted(const fr_interrupt *interrupt, const char *during, fricp_error *error);

/* Within loops that are not split into blocks: check every 65,536th time. */
#define FR_INTERRUPT_EVERY 65536
static inline int fr_interrupt_each(fr_interrupt *interrupt, size_t i) {
  return interrupt && i % FR_INTERRUPT_EVERY == 0 && fr_interrupt_check(interrupt, 0) != FRICP_STOP_NONE;
}

#endif
