/* SPDX-License-Identifier: BSD-3-Clause */
/* One target, two threads that align at the same time, each by a number of threads of its own: the bits of one. */
#include "attack.h"

#include <pthread.h>
#include <string.h>

typedef struct worker {
  const fricp_target *target;
  const fricp_cloud *source;
  fricp_options options;
  fricp_result result;
  fricp_status status;
} worker;

static void *work(void *context) {
  worker *w = context;
  const fricp_result blank = FRICP_RESULT_INIT;
  fricp_solver *solver = NULL;
  w->result = blank;
  w->status = fricp_solver_create(&solver, NULL);
  if (w->status == FRICP_OK)
    w->status = fricp_solver_align(solver, w->target, w->source, NULL, &w->options, &w->result);
  fricp_solver_destroy(solver);
  w->result.threads = 0; /* what may differ */
  w->result.seconds_prepare = w->result.seconds_solve = 0;
  return NULL;
}

void share(attack *a, const fricp_target *target, const cloud *source, double scale) {
  worker w[3] = {{.target = target, .source = &source->given, .options = any_options(a, scale)}};
  w[0].options.time_limit = 0;
  w[1] = w[2] = w[0];
  for (int i = 0; i < 3; i++) {
    w[i].options.threads = 1 + i;
    count_call();
  }
  (void)work(&w[0]);
  pthread_t thread[2];
  int started = 0;
  for (; started < 2; started++)
    if (pthread_create(&thread[started], NULL, work, &w[1 + started]) != 0)
      break;
  for (int i = 0; i < started; i++) {
    (void)pthread_join(thread[i], NULL);
    if (w[1 + i].status != w[0].status || memcmp(&w[1 + i].result, &w[0].result, sizeof w[0].result) != 0)
      finding("threads disagree", "status %d and %d, stop reason %d and %d", w[0].status, w[1 + i].status,
              w[0].result.stop_reason, w[1 + i].result.stop_reason);
  }
}
