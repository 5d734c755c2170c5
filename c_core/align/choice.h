/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice between the poses that method auto's ways come to. What explains both clouds best is taken (judge.h); but a
 * start is evidence, too, so that a pose counts for less against another that is much nearer the start, and for a little
 * less if it explains the whole of both clouds.
 */
#ifndef FR_CHOICE_H
#define FR_CHOICE_H

#include "align/judge.h"

#define FR_AXES_WAY "axes" /* name of the way from where the clouds' axes lie on each other */
#define FR_CANDIDATES 16

typedef struct fr_candidate {
  const char *name; /* of the way */
  int start;        /* number of the rotation it came from; 0: the start as given */
  fricp_pose pose;  /* of the coarse frames */
  double moved;     /* what it moves the source's cells from the start, root mean square; 0 where that does not count */
  fr_judgement judgement;
} fr_candidate;

typedef struct fr_choice {
  int from_start; /* of poses that explain the clouds nearly alike the start decides; 0: it is one of many */
  int count;      /* 0: no way came to an end */
  int best;       /* number of the candidate of the highest score, or of one nearer the start that comes close */
  fr_candidate candidate[FR_CANDIDATES];
} fr_choice;

/* Both clouds show the whole of what the other one shows. */
int fr_choice_is_whole(const fr_judgement *judgement);

/* Are two poses of the coarse frames not the same? */
int fr_choice_is_another(const fr_coarse *coarse, const fricp_pose *a, const fricp_pose *b);

/* Number of the candidate of the highest score, or of the best of those that are another pose and that it does not stand
 * against, with its score for less so far from the start. */
int fr_choice_best(const fr_choice *choice, const fr_coarse *coarse);

/* The best score of a candidate that is another pose than this one, over `score`; for less where it is much farther from
 * the start than the best. Where motions are open, the clouds' axes lie anywhere along them, and do not count.
 * 0: there is none. */
double fr_choice_rival(const fr_choice *choice, const fr_coarse *coarse, const fricp_pose *pose, double score,
                       int open);

#endif
