/* SPDX-License-Identifier: BSD-3-Clause */
/* Normals of a packed source, for the metrics that need them: others do not pay for them. */
#ifndef FR_SOURCE_NORMALS_H
#define FR_SOURCE_NORMALS_H

#include "cloud/source_index.h"

/* Fill source->normal from the cloud it was packed from. @return how many points have none, -1: out of memory. After a stop
 * some may not have been read. */
long fr_source_read_normals(fr_source *source, const fr_memory *memory, const fricp_cloud *cloud,
                            fr_interrupt *interrupt);

/* Fill source->normal with those of the places in its index, by the index's positions; zero: none. @return 0, -1: out of
 * memory. */
int fr_source_take_normals(fr_source *source, const fr_memory *memory, const fr_source_index *index,
                           const float (*normals)[3]);

/* Estimate those that are missing from the neighbours in the source's index, as a target's are: a place has one, and its
 * points that were given none take it. But neighbours along a curve, whose plane noise decides, determine none here: such
 * a point is better off without. */
fricp_status fr_source_estimate_normals(fr_source *source, fr_source_index *index, int dimension,
                                        fr_interrupt *interrupt, int threads, fricp_error *error);

#endif
