/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/restrict.h"

#include "api/guess.h"

#include "base/import.h"
#include "maths/lapack.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-6  /* of an information matrix whose diagonal is 1 */
#define GREATEST 1e200 /* information, in units of the target's extent: what is made of it is finite */

/* Symmetric and with no direction of less than no information, but for rounding. Units may differ by many orders, so each
 * row counts in its own. */
static int is_information(double k[6][6]) {
  double a[36];
  double size[6];
  double eigenvalue[6];
  for (int i = 0; i < 6; i++) {
    if (!(k[i][i] >= 0) || !isfinite(k[i][i]))
      return 0;
    size[i] = k[i][i] > 0 ? 1 / sqrt(k[i][i]) : 1;
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      a[i + 6 * j] = k[i][j] * size[i] * size[j];
      if (!(fabs(k[i][j] - k[j][i]) * size[i] * size[j] <= ROUNDING) || (k[i][i] == 0 && k[i][j] != 0))
        return 0;
    }
  return fr_symmetric_eigen(6, a, eigenvalue) == 0 && eigenvalue[0] >= -ROUNDING;
}

static fricp_status read_information(fr_spring *prior, const double given[6][6], int dimension, fricp_error *error) {
  const int exists = fr_lock_mask(63, dimension);
  double information[6][6];
  memcpy(information, given, sizeof information);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      if (!(exists >> i & 1) || !(exists >> k & 1))
        information[i][k] = 0;
  if (!is_information(information))
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "prior: its information is none: it must be finite and symmetric without a negative eigenvalue");
  for (int i = 0; i < 6; i++) {
    prior->used |= information[i][i] > 0;
    for (int k = 0; k < 6; k++)
      prior->stiffness[i][k] = (information[i][k] + information[k][i]) / 2;
  }
  return FRICP_OK;
}

static fricp_status check_prior(const fricp_prior *from, const fricp_pose *guess, int dimension, fr_spring *prior,
                                fricp_error *error) {
  fricp_prior given;
  fr_chart *chart = &prior->chart;
  fricp_status status = fr_import(&given, sizeof given, FR_THROUGH(fricp_prior, information), from, "prior", error);
  chart->start = *guess;
  if (status == FRICP_OK && given.pose)
    status = fr_guess_check(given.pose, dimension, "prior: its pose", &chart->start, error);
  if (status != FRICP_OK)
    return status;
  chart->frame = fricp_pose_identity();
  for (int a = 0; a < 3; a++) {
    if (!(fabs(given.center[a]) <= FR_FARTHEST))
      return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "prior: center[%d] = %g is not finite or beyond %g", a,
                     given.center[a], FR_FARTHEST);
    chart->frame.translation[a] = given.center[a];
  }
  return read_information(prior, (const double(*)[6])given.information, dimension, error);
}

/* Without a frame of the caller's: the target's axes, about where the guess places the source's origin, so that it is the
 * pose's own numbers that are locked. */
static fricp_status check_lock(const fricp_options *o, const fricp_pose *guess, int dimension, fr_chart *chart,
                               fricp_error *error) {
  fricp_status status = FRICP_OK;
  chart->start = *guess;
  chart->frame = fricp_pose_identity();
  memcpy(chart->frame.translation, guess->translation, sizeof guess->translation);
  if (o->locked != 0 && o->motion_frame)
    status = fr_guess_check(o->motion_frame, dimension, "motion_frame", &chart->frame, error);
  if (status == FRICP_OK && fr_lock_free_count(o->locked, dimension) == 0)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "options: locked = %d leaves no direction free in %d-D",
                   (int)o->locked, dimension);
  double axis[3];
  const fr_lock lock = {o->locked, *chart};
  if (status == FRICP_OK && o->method == FRICP_METHOD_AUTO && o->starts > 1 &&
      fr_lock_free_turns(&lock, dimension, axis) == 0)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "options: starts = %d turn the start, but locked = %d leaves no turn free", (int)o->starts,
                   (int)o->locked);
  return status;
}

fricp_status fr_restrict_check(const fricp_options *options, const fricp_pose *guess, int dimension, fr_chart *lock,
                               fr_spring *prior, fricp_error *error) {
  memset(prior, 0, sizeof *prior);
  const fricp_status status = check_lock(options, guess, dimension, lock, error);
  return status == FRICP_OK && options->prior ? check_prior(options->prior, guess, dimension, prior, error) : status;
}

fricp_status fr_restrict_fits(const fr_spring *prior, double extent, fricp_error *error) {
  for (int i = 0; i < 6; i++)
    if (!(prior->stiffness[i][i] * (i < 3 ? 1 : extent * extent) <= GREATEST))
      return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "prior: information[%d][%d] = %g is beyond %g an extent", i,
                     i, prior->stiffness[i][i], GREATEST);
  return FRICP_OK;
}

/* Where the origin is no matter, the source's middle serves best: a far one costs digits. */
void fr_restrict_set_up(fr_job *j) {
  fr_lock *lock = &j->icp.lock;
  lock->locked = fr_lock_mask(j->options.locked, j->target->dimension);
  lock->chart = fr_chart_from_caller(&j->frames, &j->lock);
  if (fr_lock_ignores_origin(lock->locked, j->target->dimension))
    memcpy(lock->chart.frame.translation, lock->chart.start.translation, sizeof lock->chart.start.translation);
  j->icp.prior = fr_spring_from_caller(&j->frames, &j->prior);
}
