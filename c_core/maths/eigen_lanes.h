/* SPDX-License-Identifier: BSD-3-Clause */
/* The planes' eigenvectors, eight symmetric 3 x 3 matrices at once. */
#ifndef FR_EIGEN_LANES_H
#define FR_EIGEN_LANES_H

#define FR_EIGEN_LANES 8

/* Lane i of matrix: xx, xy, yy, xz, yz, zz of the i-th. */
typedef struct fr_eigen_lanes {
  double matrix[6][FR_EIGEN_LANES];
  double vector[3][FR_EIGEN_LANES]; /* of unit length, to the least eigenvalue; its longest coordinate is positive */
  double value[3][FR_EIGEN_LANES];  /* ascending, as shares of the trace */
} fr_eigen_lanes;

/* Of matrices without negative eigenvalues. @return bit i: lane i is right, as eigen_lanes.c says how far; the other
 * lanes are not to be used. */
#define FR_DECLARE_EIGEN_LANES(isa) unsigned fr_eigen_lanes_##isa(fr_eigen_lanes *lanes);
FR_DECLARE_EIGEN_LANES(generic)
FR_DECLARE_EIGEN_LANES(avx2)
FR_DECLARE_EIGEN_LANES(avx512)

#endif
