/* SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"

#include "work.h"

#include <math.h>
#include <stdlib.h>

int answer(void *context, const fricp_progress *p) {
  asked *a = context;
  ck_assert_double_ge(p->seconds, a->seconds);
  ck_assert(verify_finite(&p->target_from_source));
  a->strangers += !pthread_equal(pthread_self(), a->caller);
  a->seconds = p->seconds;
  a->iteration = p->iteration;
  a->pose = p->target_from_source;
  if (++a->calls != a->cancel_at)
    return 0;
  a->work = work_done();
  return 1;
}

double *many_points(size_t count, uint64_t seed) {
  prng g = prng_seed(seed, 0);
  double *p = malloc(3 * count * sizeof *p);
  ck_assert_ptr_nonnull(p);
  for (size_t i = 0; i < count; i++) {
    p[3 * i] = (double)prng_below(&g, 1000000) / 1e6;
    p[3 * i + 1] = (double)prng_below(&g, 1000000) / 1e6;
    p[3 * i + 2] = 0.1 * sin(9 * p[3 * i]) * cos(7 * p[3 * i + 1]);
  }
  return p;
}
