/* SPDX-License-Identifier: BSD-3-Clause */
/* Anderson acceleration of a fixed-point map on R^6. */
#ifndef FR_ANDERSON_H
#define FR_ANDERSON_H

#include "maths/se3.h"

#define FR_ANDERSON_MAX 16

typedef struct fr_anderson {
  int history; /* m, at most FR_ANDERSON_MAX; 0: never accelerates */
  int count;   /* differences held, at most m */
  int next;    /* where the next difference goes */
  int primed;  /* 1 once last_x, last_f are set */
  fr_twist last_x;
  fr_twist last_f;
  fr_twist delta_x[FR_ANDERSON_MAX]; /* x^(k-j+1) - x^(k-j), a ring */
  fr_twist delta_f[FR_ANDERSON_MAX]; /* the same of F = G - x */
} fr_anderson;

/* Forget everything and set m. */
void fr_anderson_reset(fr_anderson *anderson, int history);

/* Take in x and g = G(x); write the next iterate to *next, which may be x. p: preconditioner of the residual g - x;
 * NULL: none.
 * @return 1 if it is an accelerated one, 0 if it is g itself: neither history nor preconditioner, or an extrapolation
 * that is not finite or turns by more than pi. */
int fr_anderson_step(fr_anderson *anderson, const fr_twist *x, const fr_twist *g, const double (*p)[6], fr_twist *next);

/* Keep of what acceleration adds to g its first bits, relative to the residual g - x. The rest does not speed anything
 * up, but extrapolation lets rounding errors in it grow from step to step, until the units of the clouds decide which
 * of two neighbouring optima is found. */
void fr_anderson_round(int kept_bits, const fr_twist *x, const fr_twist *g, fr_twist *accelerated);

#endif
