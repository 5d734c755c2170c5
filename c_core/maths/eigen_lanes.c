/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jacobi's method, a matrix a lane. Compiled once for each instruction set (FR_ISA).
 *
 * Rotations in the planes (x, y), (x, z), (y, z) in turn, each making one element zero, until all three are: after some
 * four rounds, as it converges quadratically. Unlike a root of the characteristic polynomial this is backward stable
 * whatever the eigenvalues, equal ones included: what it returns are, up to the norm of what is left off the diagonal,
 * eigenvalues and -vectors of a matrix that differs from the given one by at most some 30 rotations times a few
 * roundings, 1e-14 of the trace at the very most. Hence (Weyl) the eigenvalues are right to 1e-14 of the trace, and
 * (Davis, Kahan) the sine of the vector's error is at most that over the gap to the next eigenvalue, as shares of the
 * trace. A lane with more than LEFT off the diagonal, or with numbers that are not finite, is not right.
 */
#include "maths/eigen_lanes.h"

#include "base/simd.h"

#define ROUNDS 8
#define LEFT 1e-15 /* of the trace */
#define DONE 1e-18

/* Make the element pq zero; the third row has rp and rq. */
static inline void rotate(fr_d8 *pp, fr_d8 *qq, fr_d8 *pq, fr_d8 *rp, fr_d8 *rq, fr_d8 vp[3], fr_d8 vq[3]) {
  const fr_d8 zero = fr_d8_set(0);
  const fr_d8 h = *qq - *pp;
  const fr_d8 root = fr_d8_sqrt(h * h + 4 * *pq * *pq);
  const fr_d8 below = fr_d8_select(h < zero, h - root, h + root);
  const fr_d8 t = fr_d8_select(below == zero, zero, 2 * *pq / below); /* at most 1: the smaller of the two angles */
  const fr_d8 c = 1 / fr_d8_sqrt(1 + t * t);
  const fr_d8 s = t * c;
  const fr_d8 p = *rp;
  *pp -= t * *pq;
  *qq += t * *pq;
  *pq = zero;
  *rp = c * p - s * *rq;
  *rq = s * p + c * *rq;
  for (int a = 0; a < 3; a++) {
    const fr_d8 v = vp[a];
    vp[a] = c * v - s * vq[a];
    vq[a] = s * v + c * vq[a];
  }
}

/* The column of the least of the three, with its longest coordinate positive. */
static inline void put_least(fr_eigen_lanes *lanes, fr_d8 x, fr_d8 y, fr_d8 z, fr_d8 v[3][3]) {
  const fr_d8 least = fr_d8_min(fr_d8_min(x, y), z);
  const fr_d8 most = fr_d8_max(fr_d8_max(x, y), z);
  fr_d8 n[3];
  for (int a = 0; a < 3; a++)
    n[a] = fr_d8_select(x == least, v[0][a], fr_d8_select(y == least, v[1][a], v[2][a]));
  const fr_d8 xy = fr_d8_select(fr_d8_abs(n[0]) >= fr_d8_abs(n[1]), n[0], n[1]);
  const fr_d8 longest = fr_d8_select(fr_d8_abs(xy) >= fr_d8_abs(n[2]), xy, n[2]);
  for (int a = 0; a < 3; a++)
    fr_d8_store(lanes->vector[a], fr_d8_select(longest < fr_d8_set(0), -n[a], n[a]));
  fr_d8_store(lanes->value[0], least);
  fr_d8_store(lanes->value[1], fr_d8_max(fr_d8_min(x, y), fr_d8_min(fr_d8_max(x, y), z)));
  fr_d8_store(lanes->value[2], most);
}

unsigned FR_FOR_ISA(fr_eigen_lanes)(fr_eigen_lanes *lanes) {
  fr_d8 m[6];
  fr_d8 v[3][3];
  for (int i = 0; i < 9; i++)
    v[i / 3][i % 3] = fr_d8_set(i % 4 == 0);
  const fr_d8 trace = fr_d8_load(lanes->matrix[0]) + fr_d8_load(lanes->matrix[2]) + fr_d8_load(lanes->matrix[5]);
  for (int i = 0; i < 6; i++)
    m[i] = fr_d8_load(lanes->matrix[i]) / trace;
  fr_d8 left = fr_d8_set(1);
  for (int round = 0; round < ROUNDS && fr_d8_less(fr_d8_set(DONE), left); round++) {
    rotate(&m[0], &m[2], &m[1], &m[3], &m[4], v[0], v[1]);
    rotate(&m[0], &m[5], &m[3], &m[1], &m[4], v[0], v[2]);
    rotate(&m[2], &m[5], &m[4], &m[1], &m[3], v[1], v[2]);
    left = fr_d8_abs(m[1]) + fr_d8_abs(m[3]) + fr_d8_abs(m[4]);
  }
  put_least(lanes, m[0], m[2], m[5], v);
  return fr_d8_less(left + 0 * (m[0] + m[2] + m[5]), fr_d8_set(LEFT)); /* never NaN */
}
