/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/interrupt.h"

#include "base/clock.h"

#include <math.h>

#define PERIOD 0.02 /* seconds between two questions to the caller */

void fr_interrupt_begin(fr_interrupt *interrupt, double started, double time_limit, int (*poll)(void *context),
                        void *context) {
  interrupt->deadline = time_limit > 0 ? started + time_limit : INFINITY;
  interrupt->next_poll = fr_seconds() + PERIOD;
  interrupt->poll = poll;
  interrupt->context = context;
  interrupt->also = NULL;
  atomic_init(&interrupt->reason, FRICP_STOP_NONE);
}

void fr_interrupt_share(fr_interrupt *part, const fr_interrupt *whole) {
  fr_interrupt_begin(part, 0, 0, NULL, NULL);
  part->deadline = whole ? whole->deadline : INFINITY;
  part->also = whole;
}

int32_t fr_interrupt_reason(const fr_interrupt *interrupt) {
  if (!interrupt)
    return FRICP_STOP_NONE;
  const int32_t reason = atomic_load_explicit(&interrupt->reason, memory_order_relaxed);
  return reason == FRICP_STOP_NONE ? fr_interrupt_reason(interrupt->also) : reason;
}

/* The first reason stays. */
static void stop(fr_interrupt *interrupt, int32_t reason) {
  int32_t none = FRICP_STOP_NONE;
  (void)atomic_compare_exchange_strong(&interrupt->reason, &none, reason);
}

void fr_interrupt_polled(fr_interrupt *interrupt, int cancel) {
  if (!interrupt)
    return;
  interrupt->next_poll = fr_seconds() + PERIOD;
  if (cancel)
    stop(interrupt, FRICP_STOP_CANCELLED);
}

int32_t fr_interrupt_check(fr_interrupt *interrupt, int thread) {
  int32_t reason = fr_interrupt_reason(interrupt);
  if (!interrupt || reason != FRICP_STOP_NONE)
    return reason;
  const double now = fr_coarse_seconds();
  if (thread == 0 && interrupt->poll && now > interrupt->next_poll)
    fr_interrupt_polled(interrupt, interrupt->poll(interrupt->context));
  if (now > interrupt->deadline)
    stop(interrupt, FRICP_STOP_TIME_LIMIT);
  return fr_interrupt_reason(interrupt);
}

void fr_interrupt_extend(fr_interrupt *interrupt, double seconds) {
  interrupt->poll = NULL;
  interrupt->deadline = fr_seconds() + seconds;
  atomic_store(&interrupt->reason, FRICP_STOP_NONE);
}

fricp_status fr_interrupted(const fr_interrupt *interrupt, const char *during, fricp_error *error) {
  return fr_fail(error, FRICP_ERROR_INTERRUPTED, "%s %s",
                 fr_interrupt_reason(interrupt) == FRICP_STOP_CANCELLED ? "cancelled by the progress hook"
                                                                        : "time_limit has passed",
                 during);
}
