/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/restrict.h"

#include "api/guess.h"

#include <string.h>

/* Without a frame of the caller's: the target's axes, about where the guess places the source's origin, so that it is the
 * pose's own numbers that are locked. */
fricp_status fr_restrict_check(fr_job *j, fricp_error *error) {
  const fricp_options *o = &j->options;
  fricp_status status = FRICP_OK;
  const int dimension = j->target->dimension;
  j->lock.start = j->guess;
  j->lock.frame = fricp_pose_identity();
  memcpy(j->lock.frame.translation, j->guess.translation, sizeof j->guess.translation);
  if (o->locked != 0 && o->motion_frame)
    status = fr_guess_check(o->motion_frame, dimension, "motion_frame", &j->lock.frame, error);
  if (status == FRICP_OK && fr_lock_free_count(o->locked, dimension) == 0)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: locked = %d leaves no direction free in %d-D",
                   (int)o->locked, dimension);
  double axis[3];
  const fr_lock lock = {o->locked, j->lock};
  if (status == FRICP_OK && j->is_auto && o->starts > 1 && fr_lock_free_turns(&lock, dimension, axis) == 0)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "options: starts = %d turn the start, but locked = %d leaves no turn free", (int)o->starts,
                   (int)o->locked);
  return status;
}

/* Where the origin is no matter, the source's middle serves best: a far one costs digits. */
void fr_restrict_set_up(fr_job *j) {
  fr_lock *lock = &j->icp.lock;
  lock->locked = fr_lock_mask(j->options.locked, j->target->dimension);
  lock->chart = fr_chart_from_caller(&j->frames, &j->lock);
  if (fr_lock_ignores_origin(lock->locked, j->target->dimension))
    memcpy(lock->chart.frame.translation, lock->chart.start.translation, sizeof lock->chart.start.translation);
}
