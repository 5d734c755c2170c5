/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file trial.h
 * The fixed list of generated partial scans by which methods are compared: two independent samples of the same shape,
 * seen in part, from the identity. Figures taken on it are compared over the project's history: do not change the list.
 */
#ifndef FRICP_SUPPORT_TRIAL_H
#define FRICP_SUPPORT_TRIAL_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How many there are: each combination of four kinds, four overlaps, four noises and two shares of outliers 5 times. */
#define TRIAL_COUNT 640

/**
 * The spec of trial `number`, from 0 on: the kind changes fastest (blob, torus, room, lidar), then overlap (0.9, 0.7, 0.5,
 * 0.35), noise (0, 0.001, 0.003, 0), outliers (none, 5 %), angle (5, 15 degrees). 6000 to 20000 points in each cloud.
 */
scene_spec trial_spec(int number);

/** Write "17_torus_0.70_0.001": number, kind, overlap as asked (a lidar's follows from its motion), noise. */
void trial_name(int number, char name[64]);

/** @return the largest root mean square error that passes, in the unit of `made`, which is the scene of `spec`: the
 *  noise, but at least 0.3 % of the diameter. */
double trial_pass_rmse(const scene_spec *spec, const scene *made);

#ifdef __cplusplus
}
#endif

#endif
