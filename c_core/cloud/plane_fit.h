/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes through the neighbourhoods of several points at once. */
#ifndef FR_PLANE_FIT_H
#define FR_PLANE_FIT_H

#include "maths/eigen_lanes.h"
#include "search/nn.h"

/* Lane i of the matrices becomes the covariance, times k, of the k points at these positions; zero from `count` on. */
#define FR_DECLARE_PLANE_FIT(isa)                                                                                      \
  void fr_plane_fit_##isa(const double(*points)[3], int32_t *const *position, int count, int k, fr_eigen_lanes *lanes);
FR_DECLARE_PLANE_FIT(generic)
FR_DECLARE_PLANE_FIT(avx2)
FR_DECLARE_PLANE_FIT(avx512)

#endif
