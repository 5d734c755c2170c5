/* SPDX-License-Identifier: BSD-3-Clause */
/* What the black-box suites share: scenes turned into clouds, runs that must succeed. They see the public header and the
 * shared library only. */
#ifndef FRICP_TEST_API_H
#define FRICP_TEST_API_H

#include "counting.h"
#include "fricp/fricp.h"
#include "prng.h"
#include "scene.h"
#include "suite.h"
#include "verify.h"

/* A scene, or the test fails. */
scene make_scene(const scene_spec *spec);

/* Two samples of a shape that overlap to 85 %, 3000 points with noise each, 6 degrees apart. */
scene scan_pair(uint64_t seed);

fricp_cloud source_of(const scene *s);
/* With its exact normals. */
fricp_cloud target_of(const scene *s);
/* The source as a method wants it: with its exact normals if it makes use of them. */
fricp_cloud source_for(int32_t method, const scene *s);

fricp_options options_for(int32_t method);

/* Does a method lay points on planes (in 2-D lines) of this target? The methods by planes do; auto if the target has normals and 100
 * points, as the header tells. */
int by_planes(int32_t method, const fricp_cloud *target);

/* Does a method have a robust kernel, and so levels? */
int is_robust(int32_t method);

/* Does each pose that a method takes lower its energy? Not by AA-ICP, which has no safeguard by it (Pavlov et al. 2018), nor by
 * ADMM, which lowers another function, that of the split residuals, until a level's end, nor where method auto refines by steps that
 * noise must not hold back. */
int descends(int32_t method);

/* Does a method solve l_p, so that its kernel is the Moreau envelope of that (fricp.h)? */
int is_sparse(int32_t method);

/* The weight of that kernel, p = 0.4, at the residual r, from the definition: of the z that minimises s z^p + (v - z)^2 / 2,
 * v = r / (1.5 nu), 1 - z / v; and its energy. */
double envelope_weight(double r, double nu, double *energy);

/* The residual along normals of source point i, moved by the pose to q, and target point `at`, from the definitions: to the
 * target's plane; of the symmetric metric (Rusinkiewicz 2019) along the mean of that normal and the source's exact one,
 * moved by the pose too, where those two do not point apart. */
double residual_along(const scene *s, int32_t method, const fricp_pose *pose, size_t i, const double q[3], size_t at);

/* fricp_register(), or the test fails with its text. Every pose is checked to be finite and orthonormal. */
fricp_result register_or_fail(const fricp_cloud *source, const fricp_cloud *target, const fricp_pose *guess,
                              const fricp_options *options);
/* The same of a scene's source, without normals, and target, with them. */
fricp_result register_scene(const scene *s, const fricp_pose *guess, const fricp_options *options);
/* The same by a solver. */
fricp_result align_or_fail(fricp_solver *solver, const fricp_target *target, const fricp_cloud *source,
                           const fricp_pose *guess, const fricp_options *options);
/* fricp_register() of a small scene fails with this status and a text that has this part. */
void expect_refused(const fricp_options *options, fricp_status status, const char *part);
fricp_target *target_or_fail(const fricp_cloud *cloud, const fricp_target_options *options);
/* With the normals of the cloud and no others. */
fricp_target *target_as_given(const fricp_cloud *cloud);
fricp_solver *solver_or_fail(void);

/* A scene with its clouds, the target prepared by default, and a solver. Owns the scene. */
typedef struct ready_pair {
  scene scene;
  fricp_cloud source, cloud; /* cloud: the target's */
  fricp_target *target;
  fricp_solver *solver;
} ready_pair;
ready_pair ready_pair_make(scene s);
void ready_pair_free(ready_pair *pair);

/* The judge's RMSE of all source points, as a share of the scene's diameter. */
double error_of(const scene *s, const fricp_pose *pose);

/* The target's median spacing, in the clouds' unit. */
double spacing_of(const fricp_cloud *target);

/* A pose that turns about an axis through `center` and then shifts. */
fricp_pose turn(const double axis[3], double degrees, const double center[3], const double shift[3]);
extern const double origin[3];
/** The truth of a scene turned about z and then shifted by a tenth of its diameter, the way `number` says. */
fricp_pose start_off(const scene *s, double degrees, int number);

/* Everything a result says but the times. */
void check_same_result(const fricp_result *a, const fricp_result *b);

/* What a verdict promises of its own numbers. */
void check_verdict(const fricp_result *r);

/* The nearest target point by looking at all. */
size_t nearest_by_looking(const fricp_cloud *target, const double q[3], double *squared);
/* The k nearest of packed points, nearest first: a search of the caller's. @return how many lie within the limit. */
int neighbors_by_looking(const double *points, size_t count, const double q[3], int k, double limit, int32_t *indices,
                         double *squared);

#endif
