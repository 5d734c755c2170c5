/* SPDX-License-Identifier: BSD-3-Clause */
/* What asks the caller of a target, by its options: the clock and his progress hook. */
#ifndef FR_ATTENTION_H
#define FR_ATTENTION_H

#include "base/interrupt.h"

typedef struct fr_attention {
  const fricp_target_options *options; /* checked */
  double started;
  fr_interrupt interrupt;
} fr_attention;

/* @return what to check, NULL if the options have nothing that could interrupt. Both must outlive its use. */
fr_interrupt *fr_attention_begin(fr_attention *attention, const fricp_target_options *options, double started);

#endif
