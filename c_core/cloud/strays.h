/* SPDX-License-Identifier: BSD-3-Clause */
/* Points that lie on no surface of their cloud, by their nearest points of it: alone, among points in all directions; or
 * far off the plane that the others lie on. On a grid each of them fills a cell of its own. */
#ifndef FR_STRAYS_H
#define FR_STRAYS_H

#include "base/interrupt.h"
#include "base/memory.h"

#include <stddef.h>

/* dimension 2: z is 0, the surface a curve. stray[i] becomes 1 for a stray point and 0 for others. The same bits for any
 * number of threads. @return FRICP_OK also if interrupted while it looks: then all may be 0. */
fricp_status fr_strays_find(const double (*points)[3], size_t count, int dimension, const fr_memory *memory,
                            fr_interrupt *interrupt, int threads, unsigned char *stray, fricp_error *error);

#endif
