/* SPDX-License-Identifier: BSD-3-Clause */
/* A clock that goes by work, in the place of the core's (base/clock.h): what is late is late on any machine, however
 * busy. The core is compiled anew so that each basic block it runs is counted (-fsanitize-coverage=trace-pc), on all
 * threads. */
#ifndef FRICP_TEST_WORK_H
#define FRICP_TEST_WORK_H

/* Basic blocks so far. */
double work_done(void);

/* Blocks that take a second; 1e9 by default, which is what they take on a machine of today, to a factor of some two. Calls
 * must not be under way. */
void work_set_speed(double blocks_a_second);
double work_speed(void);

/* As if the calling thread had worked so long. */
void work_wait(double seconds);

/* Since work_watch(): the most blocks that any thread ran between two looks at the clock, or the calling one before its
 * first; and what that ran after its last. */
void work_watch(void);
double work_unwatched(void);
double work_since_look(void);

#endif
