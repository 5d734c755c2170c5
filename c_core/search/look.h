/* SPDX-License-Identifier: BSD-3-Clause */
/* How many points, boxes and records the tree looks at: a test that compiles it anew counts them (tests/unit). */
#ifndef FR_NN_LOOK_H
#define FR_NN_LOOK_H

#ifdef FR_COUNT_LOOKS
extern double fr_looks;
#define FR_LOOK(count) (fr_looks += (double)(count))
#else
#define FR_LOOK(count) ((void)0)
#endif

#endif
