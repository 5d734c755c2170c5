/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process is granted: fewer threads than asked for, none of its parent's after fork(); and a solver that goes
 * from thread to thread. Always the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "api.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct job {
  fricp_solver *solver;
  const fricp_target *target;
  const scene *scene;
  fricp_result result;
  fricp_status status;
} job;

static void *run_job(void *context) {
  job *j = context;
  const fricp_cloud source = source_of(j->scene);
  fricp_options options = options_for(FRICP_METHOD_AUTO);
  options.threads = 4;
  j->result = fricp_result_init();
  j->status = fricp_solver_align(j->solver, j->target, &source, NULL, &options, &j->result);
  return NULL;
}

static void run_in_thread(job *j) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, run_job, j), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(j->status, FRICP_OK);
}

/* Worth several threads. */
static scene large_scene(void) {
  const scene_spec spec = {.source_count = 20000, .overlap = 0.85, .noise = 0.001, .seed = 3, .angle = 4};
  return make_scene(&spec);
}

START_TEST(a_solver_goes_from_thread_to_thread) {
  scene s = large_scene();
  const fricp_cloud cloud = target_of(&s);
  job first = {.solver = solver_or_fail(), .target = target_or_fail(&cloud, NULL), .scene = &s};
  job second = first;
  run_in_thread(&first);
  run_in_thread(&second);
  check_same_result(&first.result, &second.result);
  run_job(&second); /* and to this one */
  check_same_result(&first.result, &second.result);
  fricp_solver_destroy(first.solver);
  fricp_target_destroy((fricp_target *)first.target);
  scene_free(&s);
}
END_TEST

/* In a child: the parent's target and solver, a target of its own, FLANN. @return 0 if all is as it was for the
 * parent. */
static int child_of(const job *parent, const fricp_target *flann) {
  job again = *parent;
  run_job(&again);
  if (again.status != FRICP_OK || again.result.threads != 1 ||
      !verify_same_bits(&again.result.target_from_source, &parent->result.target_from_source))
    return 1;
  const fricp_cloud cloud = target_of(parent->scene);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.threads = 4;
  fricp_target *own = NULL;
  if (fricp_target_create(&own, &cloud, &options, NULL) != FRICP_OK)
    return 2;
  again.target = own;
  run_job(&again);
  fricp_target_destroy(own);
  if (!verify_same_bits(&again.result.target_from_source, &parent->result.target_from_source))
    return 3;
  int32_t index = -1;
  double squared = NAN;
  return fricp_target_nearest(flann, cloud.points, 1, INFINITY, &index, &squared) == 1 && index == 0 ? 0 : 4;
}

/* Waits a minute at most, which is some hundred times what the child needs. @return its exit code, -1: it hung or
 * crashed. */
static int wait_for(pid_t child) {
  int state = 0;
  for (int i = 0; i < 6000; i++) {
    const struct timespec pause = {.tv_nsec = 10000000};
    if (waitpid(child, &state, WNOHANG) == child)
      return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    (void)nanosleep(&pause, NULL);
  }
  (void)kill(child, SIGKILL);
  (void)waitpid(child, &state, 0);
  return -1;
}

/* A child inherits none of the threads that its parent has started, but OpenMP in it believes in them. */
START_TEST(a_child_of_a_process_with_threads) {
  scene s = large_scene();
  const fricp_cloud cloud = target_of(&s);
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.threads = 4;
  job parent = {.solver = solver_or_fail(), .target = target_or_fail(&cloud, &options), .scene = &s};
  options.search_type = FRICP_SEARCH_FLANN;
  fricp_target *flann = target_or_fail(&cloud, &options);
  run_job(&parent);
  ck_assert_int_eq(parent.status, FRICP_OK);
  ck_assert_int_gt(parent.result.threads, 1); /* else there is nothing to lose */
  const pid_t child = fork();
  if (child == 0)
    _exit(child_of(&parent, flann));
  ck_assert_int_gt(child, 0);
  ck_assert_int_eq(wait_for(child), 0);
  run_job(&parent); /* nothing has changed here */
  ck_assert_int_gt(parent.result.threads, 1);
  fricp_solver_destroy(parent.solver);
  fricp_target_destroy((fricp_target *)parent.target);
  fricp_target_destroy(flann);
  scene_free(&s);
}
END_TEST

#if !SANITIZED /* which needs address space itself */
/* In a child that has room for the clouds, but not for the stacks of 64 threads. */
static int work_in_little_room(const job *expected) {
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  const int read = file ? fscanf(file, "%lu", &pages) : 0;
  const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)100 << 20);
  const struct rlimit limit = {most, most};
  if (read != 1)
    return 0; /* no such system */
  (void)fclose(file);
  if (setrlimit(RLIMIT_AS, &limit) != 0)
    return 1;
  job again = *expected;
  const fricp_cloud source = source_of(again.scene);
  fricp_options options = options_for(FRICP_METHOD_AUTO);
  options.threads = 64;
  again.result = fricp_result_init();
  const fricp_status status = fricp_solver_align(again.solver, again.target, &source, NULL, &options, &again.result);
  return status == FRICP_OK && again.result.threads < 64 &&
                 verify_same_bits(&again.result.target_from_source, &expected->result.target_from_source)
             ? 0
             : 2;
}

/* Must be the first: a child of a process with threads would have only one. */
START_TEST(more_threads_than_the_system_grants) {
  scene s = large_scene();
  const fricp_cloud cloud = target_of(&s);
  const fricp_cloud source = source_of(&s);
  fricp_target_options one = FRICP_TARGET_OPTIONS_INIT;
  one.threads = 1;
  job alone = {.solver = solver_or_fail(), .target = target_or_fail(&cloud, &one), .scene = &s};
  const fricp_options options = options_for(FRICP_METHOD_AUTO); /* one thread */
  alone.result = align_or_fail(alone.solver, alone.target, &source, NULL, &options);
  const pid_t child = fork();
  if (child == 0)
    _exit(work_in_little_room(&alone));
  ck_assert_int_gt(child, 0);
  ck_assert_int_eq(wait_for(child), 0);
  fricp_solver_destroy(alone.solver);
  fricp_target_destroy((fricp_target *)alone.target);
  scene_free(&s);
}
END_TEST
#endif

int main(void) {
  const TTest *const tests[] = {
#if !SANITIZED
    more_threads_than_the_system_grants,
#endif
    a_solver_goes_from_thread_to_thread,
    a_child_of_a_process_with_threads
  };
  return run_suite("processes", tests, COUNT(tests));
}
