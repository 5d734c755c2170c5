/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well a pose explains both clouds, by their cells. From either side a cell is near if the other cloud has one within
 * reach of it, and agrees if, besides, each lies on the other's tangent plane and their normals are parallel. What is
 * near and does not agree speaks against the pose: one scan has surface where the other saw other surface. So neither
 * a large overlap nor samples that lie on samples make a wrong pose look right; nor do ground or walls that agree in every
 * place, where next to nothing else does that would show a shift along them.
 */
#ifndef FR_JUDGE_H
#define FR_JUDGE_H

#include "align/coarse.h"

typedef struct fr_judgement {
  double near[2];     /* shares of the source's and of the target's cells, of a map's those around the source */
  double agree[2];    /* the same, at most near */
  double through[2];  /* the same, that the other's sensor saw through: not near, in front of all it saw there */
  double least_along; /* what shows a shift along some direction, and is near or seen through: the share of it that
                         agrees, over that of all; the least over all directions, at most 1 */
  double score;       /* 0 to 1 */
} fr_judgement;

/* Of what is near or seen through the share that agrees. */
double fr_judgement_agreement(const fr_judgement *judgement);

/* How much of both clouds agrees, and how little contradicts: 2.75 where all agrees, below 0 where much is seen through; 0
 * at most where least_along is below 0.4.
 * Measured on right and wrong answers to real pairs from many starts and to generated scenes (../README.md). */
double fr_judgement_evidence(const fr_judgement *judgement);

/* pose: of the coarse frames. @return 0, or -1 if the search failed. */
int fr_judge(const fr_coarse *coarse, const fricp_pose *pose, fr_judgement *judgement);

#endif
