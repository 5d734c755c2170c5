/* SPDX-License-Identifier: BSD-3-Clause */
/* The core's search back ends without the public API around them: the build alone is timed (creating a target also
 * measures its spacing), and a query is in the target's frame already, as in the solver. */
#ifndef FRICP_BENCH_SEARCH_INTERNAL_H
#define FRICP_BENCH_SEARCH_INTERNAL_H

#include "fricp/fricp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct search_internal search_internal;

/* @return NULL on a failure. *seconds: of the building alone. */
search_internal *search_internal_build(const fricp_cloud *target, int search_type, double *seconds);
void search_internal_free(search_internal *s);
size_t search_internal_bytes(const search_internal *s);
/* A query to the frame that search_internal_run() takes. */
void search_internal_normalize(const search_internal *s, const double query[3], double out[3]);
/* The nearest point's index in the caller's cloud, for each query; -1 on a failure. By packets, `kept` (1 or 3)
 * neighbours each; the solver asks for three. */
void search_internal_run(const search_internal *s, const double *queries, size_t count, int kept, int32_t *neighbour);

#ifdef __cplusplus
}
#endif

#endif
