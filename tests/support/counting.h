/* SPDX-License-Identifier: BSD-3-Clause */
/* An allocator that counts what is live and refuses the n-th call. */
#ifndef FRICP_COUNTING_H
#define FRICP_COUNTING_H

#include "fricp/fricp.h"

typedef struct counter {
  long calls, live;
  long refuse_at; /* this call (from 1) returns NULL, 0: none */
} counter;

fricp_allocator counting_allocator(counter *c);

#endif
