/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/attention.h"

#include "base/clock.h"

static int poll_caller(void *context) {
  const fr_attention *a = context;
  fricp_progress progress = {.struct_size = sizeof progress, .target_from_source = fricp_pose_identity()};
  progress.seconds = fr_seconds() - a->started;
  return a->options->progress(a->options->progress_context, &progress);
}

fr_interrupt *fr_attention_begin(fr_attention *attention, const fricp_target_options *options, double started) {
  attention->options = options;
  attention->started = started;
  fr_interrupt_begin(&attention->interrupt, started, options->time_limit, options->progress ? poll_caller : NULL,
                     attention);
  return options->time_limit > 0 || options->progress ? &attention->interrupt : NULL;
}
