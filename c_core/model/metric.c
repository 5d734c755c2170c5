/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/metric.h"

#include <stddef.h>

#define ROW(name)                                                                                                      \
  extern const fr_metric name##_generic;                                                                               \
  extern const fr_metric name##_avx2;                                                                                  \
  extern const fr_metric name##_avx512;

ROW(fr_metric_point)
ROW(fr_metric_plane)

const fr_metric *fr_metric_find(fr_metric_id id, fr_isa isa) {
  switch (id) {
  case FR_METRIC_POINT_TO_POINT:
    return FR_PICK(isa, fr_metric_point);
  case FR_METRIC_POINT_TO_PLANE:
    return FR_PICK(isa, fr_metric_plane);
  }
  return NULL;
}
