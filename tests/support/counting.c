/* SPDX-License-Identifier: BSD-3-Clause */
#include "counting.h"

#include <stdlib.h>

static void *count_up(void *context, size_t size) {
  counter *c = context;
  if (++c->calls == c->refuse_at)
    return NULL;
  void *memory = malloc(size);
  c->live += memory != NULL;
  return memory;
}

static void count_down(void *context, void *memory) {
  counter *c = context;
  c->live -= memory != NULL;
  free(memory);
}

fricp_allocator counting_allocator(counter *c) {
  fricp_allocator allocator = FRICP_ALLOCATOR_INIT;
  allocator.context = c;
  allocator.allocate = count_up;
  allocator.release = count_down;
  return allocator;
}
