/* SPDX-License-Identifier: BSD-3-Clause */
/* A cloud's points in an order that depends on where they are, not on how the caller lists them: along a
 * space-filling curve, then by coordinates; only points at the very same place go by the caller's index. What is
 * sampled, built or summed in this order is the same for any order of the caller's. */
#ifndef FR_ORDER_H
#define FR_ORDER_H

#include "base/interrupt.h"
#include "cloud/cloud.h"

typedef struct fr_order {
  uint32_t *key;
  int32_t *id;         /* the caller's indices */
  uint32_t *other_key; /* room to sort */
  int32_t *other_id;
  fr_interrupt *interrupt; /* NULL: none. After a stop the order is unfinished */
} fr_order;

/* Sort the n indices in order->id by their places in the frame; the arrays may change roles, the result is in id. */
void fr_order_sort(fr_order *order, const fricp_cloud *cloud, const fr_frame *frame, size_t n, int threads);

#endif
