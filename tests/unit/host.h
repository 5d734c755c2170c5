/* SPDX-License-Identifier: BSD-3-Clause */
/* What both suites about time limit and cancel share: a host that is asked, and may say no; and points. */
#ifndef FRICP_TEST_HOST_H
#define FRICP_TEST_HOST_H

#include "api/api.h"

#include <pthread.h>

#define SPEED 1e9 /* blocks a second, if nobody says otherwise (work.h) */

typedef struct asked {
  pthread_t caller;
  int calls, strangers;
  int cancel_at; /* 0: never */
  double seconds;
  double work; /* at the no */
  int iteration;
  fricp_pose pose;
} asked;

/* A progress hook with an asked as its context. */
int answer(void *context, const fricp_progress *p);

/* Points of a wavy surface, to be freed. */
double *many_points(size_t count, uint64_t seed);

#endif
