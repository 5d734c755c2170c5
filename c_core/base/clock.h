/* SPDX-License-Identifier: BSD-3-Clause */
/* What time it is. A test puts a clock of its own in the place of this file, which goes by work (tests/unit). */
#ifndef FR_CLOCK_H
#define FR_CLOCK_H

/* Seconds of a monotonic clock. */
double fr_seconds(void);

/* The same clock, some milliseconds behind, in a few nanoseconds. */
double fr_coarse_seconds(void);

#endif
