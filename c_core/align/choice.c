/* SPDX-License-Identifier: BSD-3-Clause */
#include "align/choice.h"

#include <math.h>
#include <string.h>

#define MOST_RIVAL 1e6  /* of a pose that explains nothing */
#define OTHER 3.0       /* spacings from which on a candidate is another pose */
#define FARTHER 2.0     /* so many times as far from the start as another, a candidate ... */
#define FOR_LESS 0.8    /* ... counts for this share of its score against it, ... */
#define WHOLE_LESS 0.95 /* ... or this, if it leaves nothing unexplained: */
#define ALL 0.97        /* least share of each cloud's cells that are near, ... */
#define MOST 0.64       /* ... and of those, that agree */

int fr_choice_is_whole(const fr_judgement *j) {
  return fmin(j->near[0], j->near[1]) >= ALL && fr_judgement_agreement(j) >= MOST;
}

/* The score against another candidate, so far from the start. */
static double score_against(const fr_candidate *c, double moved) {
  if (c->moved <= FARTHER * moved)
    return c->judgement.score;
  return c->judgement.score * (fr_choice_is_whole(&c->judgement) ? WHOLE_LESS : FOR_LESS);
}

int fr_choice_is_another(const fr_coarse *coarse, const fricp_pose *a, const fricp_pose *b) {
  return fr_coarse_apart(coarse, a, b) > OTHER * coarse->spacing;
}

int fr_choice_best(const fr_choice *choice, const fr_coarse *coarse) {
  const fr_candidate *c = choice->candidate;
  int highest = 0;
  for (int i = 1; i < choice->count; i++)
    if (c[i].judgement.score > c[highest].judgement.score)
      highest = i;
  int best = highest;
  for (int i = 0; i < choice->count; i++)
    if (c[i].judgement.score > score_against(&c[highest], c[i].moved) &&
        (best == highest || c[i].judgement.score > c[best].judgement.score) &&
        fr_choice_is_another(coarse, &c[i].pose, &c[highest].pose))
      best = i;
  return best;
}

double fr_choice_rival(const fr_choice *choice, const fr_coarse *coarse, const fricp_pose *pose, double score,
                       int open) {
  double rival = 0;
  for (int i = 0; i < choice->count; i++) {
    const fr_candidate *c = &choice->candidate[i];
    if (!(open && strcmp(c->name, FR_AXES_WAY) == 0) && fr_choice_is_another(coarse, &c->pose, pose))
      rival = fmax(rival, score_against(c, choice->candidate[choice->best].moved));
  }
  return rival > 0 ? rival / fmax(score, rival / MOST_RIVAL) : 0;
}
