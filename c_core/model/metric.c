/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/metric.h"

#include <stddef.h>

#define DECLARE(id, name)                                                                                              \
  extern const fr_metric fr_metric_##name##_generic;                                                                   \
  extern const fr_metric fr_metric_##name##_avx2;                                                                      \
  extern const fr_metric fr_metric_##name##_avx512;
FR_METRICS(DECLARE)

#define CASE(id, name)                                                                                                 \
  case FR_METRIC_##id:                                                                                                 \
    return FR_PICK(isa, fr_metric_##name);

const fr_metric *fr_metric_find(fr_metric_id id, fr_isa isa) {
  switch (id) {
    FR_METRICS(CASE)
  case FR_METRIC_COUNT:
    break;
  }
  return NULL;
}
