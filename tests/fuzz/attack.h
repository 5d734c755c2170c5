/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file attack.h
 * A million calls of the API at ordinary and extreme scales, each judged. Case number c of a seed draws everything from
 * its own random stream, so that one case is run again by itself.
 */
#ifndef FRICP_ATTACK_H
#define FRICP_ATTACK_H

#include "fricp/fricp.h"
#include "prng.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/** How wild a case is: of every number drawn, so many of 100 are wild ones. */
typedef struct attack {
  prng random;
  uint64_t number; /**< of the case */
  int wild;
  int shown; /**< describe what is drawn */
} attack;

/** A broken promise. Counted by kind; the first ones of each kind are printed. */
void finding(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Before each call of the library. */
void count_call(void);

/** Draws a case and runs it (attack_case.c). */
void attack_once(attack *a);

/* ---- attack_options.c, attack_input.c: what to call with ---- */

/** In 0 .. n - 1. */
int below(attack *a, int n);
/** True in `percent` of 100. */
int chance(attack *a, int percent);
/** Any number that a caller might pass where a positive one is meant. */
double any_number(attack *a);
/** A length from the smallest to the largest there are; 1 in tame cases. */
double any_scale(attack *a);
int32_t any_integer(attack *a);
/** What a coordinate should not be: not finite, or at the ends of the range. */
double odd_coordinate(attack *a);

/** A cloud and what it points to, each array in a block of its own of just the right size. */
typedef struct cloud {
  fricp_cloud view;
  fricp_cloud given; /**< to the library: the view, seldom with a field that is wrong */
  int is_spoilt;     /**< it is */
  void *blocks[4];   /**< points, normals, weights, indices */
} cloud;

/** Target-like: of any kind, scale, layout. */
cloud any_cloud(attack *a);
/** The same shape, moved a little. */
cloud moved_cloud(attack *a, const cloud *from);
void free_cloud(cloud *c);
/** Point i as doubles (z = 0 in 2-D). */
void point_of(const fricp_cloud *view, size_t i, double p[3]);

fricp_pose any_pose(attack *a, double scale);
/** What its pointers point to is valid until the next one. */
fricp_options any_options(attack *a, double scale);
fricp_target_options any_target_options(attack *a);

/* ---- attack_hooks.c: what the library calls back ---- */

typedef enum lie { HONEST, TOO_MANY, NEGATIVE, BAD_INDEX, NO_NUMBERS, NOTHING, UNSORTED, SAME, LIES } lie;

typedef struct looker {
  attack *attack;
  const fricp_cloud *cloud;
  lie lie;
} looker;

/* The caller's own search; an honest one may be asked by several threads. */
fricp_search searching(looker *l);

/* What one call is watched by. */
typedef struct hooks {
  int left;  /* calls until it cancels; 0: never */
  int asked; /* has been called */
  size_t heard;
  uint32_t salt; /* of the gate */
  size_t source_count;
  size_t target_count;
} hooks;

/** Progress, log and a gate now and then. */
void hook(attack *a, fricp_options *o, hooks *h, const fricp_cloud *source, const fricp_cloud *target);
int watch(void *context, const fricp_progress *p);
int gate(void *context, int32_t source_index, int32_t target_index, double squared_distance);
/** It has said so. */
int has_cancelled(const hooks *h);

/* ---- attack_shared.c ---- */

/** Two threads on one target give what one gives, bit for bit. */
void share(attack *a, const fricp_target *target, const cloud *source, double scale);

/* ---- attack_judge.c: what must hold ---- */

/** Every number of it is finite. */
int all_finite(const double *numbers, size_t count);
void judge_pose(const char *what, const fricp_pose *pose);
/** The result of a call that said FRICP_OK. */
void judge_result(const fricp_result *r, const fricp_options *options, const fricp_cloud *source,
                  const fricp_cloud *target);
/** Levels, trace and points that the solver holds. */
void judge_solver(const fricp_solver *solver, const fricp_result *r, const fricp_options *options,
                  const fricp_cloud *source, const fricp_cloud *target);
/** Text, pose and flag after an error. */
void judge_error(fricp_status status, const char *text, const fricp_result *r, const fricp_pose *guess);
void judge_target(const fricp_target *target, const fricp_cloud *view, const fricp_target_options *options);

#endif
