/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-call form, and what needs no object. */
#include "api/guess.h"
#include "api/options.h"
#include "api/restrict.h"
#include "api/result.h"
#include "api/solver.h"
#include "base/clock.h"
#include "base/import.h"
#include "cloud/cloud.h"

const char *fricp_version(void) {
  return FRICP_VERSION_STRING;
}

static const char *name_of(int32_t number, const char *const *names, size_t count, const char *otherwise) {
  return number >= 0 && (size_t)number < count ? names[number] : otherwise;
}

const char *fricp_stop_reason_name(int32_t stop_reason) {
  static const char *const names[] = {
      [FRICP_STOP_NONE] = "not_run",
      [FRICP_STOP_CONVERGED] = "converged",
      [FRICP_STOP_ITERATION_LIMIT] = "iteration_limit",
      [FRICP_STOP_POSE_EPSILON] = "pose_epsilon",
      [FRICP_STOP_FITNESS_EPSILON] = "fitness_epsilon",
      [FRICP_STOP_CANCELLED] = "cancelled",
      [FRICP_STOP_TIME_LIMIT] = "time_limit",
      [FRICP_STOP_NO_DESCENT] = "no_descent",
      [FRICP_STOP_NO_OVERLAP] = "no_overlap",
  };
  return name_of(stop_reason, names, sizeof names / sizeof names[0], "unknown");
}

const char *fricp_verdict_name(int32_t verdict) {
  static const char *const names[] = {
      [FRICP_VERDICT_NONE] = "none",           [FRICP_VERDICT_RELIABLE] = "reliable",
      [FRICP_VERDICT_AMBIGUOUS] = "ambiguous", [FRICP_VERDICT_PARTIAL] = "partial",
      [FRICP_VERDICT_POOR] = "poor",
  };
  return name_of(verdict, names, sizeof names / sizeof names[0], "none");
}

static fricp_status align_once(const fricp_target *target, const fricp_cloud *source, const fricp_pose *guess,
                               const fricp_options *options, double started, fricp_result *result, fricp_error *error) {
  fricp_solver *solver = NULL;
  fricp_status status = fricp_solver_create(&solver, NULL);
  if (status != FRICP_OK)
    return fr_fail(error, status, "out of memory for the solver");
  status = fr_solver_align(solver, target, source, guess, options, started, result);
  if (status != FRICP_OK)
    (void)fr_fail(error, status, "%s", fricp_solver_last_error(solver));
  fricp_solver_destroy(solver);
  return status;
}

/* What is wrong whatever the clouds hold is told before a target is prepared: it must not depend on whether the time
 * limit passes meanwhile. */
static fricp_status check_arguments(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                                    const fricp_options *options, fricp_pose *start, fricp_error *error) {
  fricp_cloud to;
  fricp_cloud from;
  fr_chart lock;
  fr_spring prior;
  fricp_status status = fr_cloud_check(target, "target", &to, error);
  if (status == FRICP_OK)
    status = fr_cloud_check(source, "source", &from, error);
  if (status == FRICP_OK && from.dimension != to.dimension)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "source: it is %d-D but the target is %d-D",
                   (int)from.dimension, (int)to.dimension);
  if (status == FRICP_OK)
    status = fr_guess_check(guess, to.dimension, "guess", start, error);
  return status == FRICP_OK ? fr_restrict_check(options, start, to.dimension, &lock, &prior, error) : status;
}

/* The caller's hook, and whether it has cancelled. */
typedef struct relay {
  const fricp_options *options;
  int cancelled;
} relay;

static int pass_on(void *context, const fricp_progress *progress) {
  relay *r = context;
  r->cancelled = r->options->progress(r->options->progress_context, progress) != 0;
  return r->cancelled;
}

fricp_status fricp_register(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                            const fricp_options *options, fricp_result *result, fricp_error *error) {
  fr_clear(error);
  fricp_status status = fr_result_check(result, error);
  if (status != FRICP_OK)
    return status;
  fricp_result filled = fr_result_blank(guess);
  fr_export(result, &filled, sizeof filled);
  fricp_options checked;
  status = fr_options_check(options, &checked, error);
  if (status != FRICP_OK)
    return status;
  const double started = fr_seconds();
  fricp_pose start;
  status = check_arguments(source, target, guess, &checked, &start, error);
  if (status != FRICP_OK)
    return status;
  fricp_target_options prepare = FRICP_TARGET_OPTIONS_INIT;
  prepare.threads = checked.threads;
  prepare.given_normals_only = (fricp_options_normals(&checked) & FRICP_NORMALS_TARGET_USED) == 0;
  prepare.time_limit = checked.time_limit;
  relay hook = {&checked, 0};
  prepare.progress = checked.progress ? pass_on : NULL;
  prepare.progress_context = &hook;
  fricp_target *prepared = NULL;
  status = fricp_target_create(&prepared, target, &prepare, error);
  if (status == FRICP_ERROR_INTERRUPTED) { /* no error, but there is nothing better than the guess */
    fr_clear(error);
    filled.target_from_source = start;
    filled.seconds_prepare = fr_seconds() - started;
    filled.stop_reason = hook.cancelled ? FRICP_STOP_CANCELLED : FRICP_STOP_TIME_LIMIT;
    fr_export(result, &filled, sizeof filled);
    return FRICP_OK;
  }
  if (status != FRICP_OK)
    return status;
  status = align_once(prepared, source, guess, &checked, started, &filled, error);
  fr_export(result, &filled, sizeof filled);
  fricp_target_destroy(prepared);
  return status;
}
