/* SPDX-License-Identifier: BSD-3-Clause */
/* How a level's problem is solved: a scheme leads from pose to pose, the loop (icp.c) says when to stop. A scheme is one
 * file that defines fr_scheme_<name>, and a row here. */
#ifndef FR_SCHEME_H
#define FR_SCHEME_H

#include "align/icp.h"

#define FR_SCHEMES(ROW)                                                                                                \
  ROW(MM, mm)                                                                                                          \
  ROW(ADMM, admm)                                                                                                      \
  ROW(AA, aa)                                                                                                          \
  ROW(GN, gn)

#define FR_SCHEME_ID(id, name) FR_SCHEME_##id,
typedef enum fr_scheme_id { FR_SCHEMES(FR_SCHEME_ID) FR_SCHEME_COUNT } fr_scheme_id;
#undef FR_SCHEME_ID

typedef enum fr_outcome {
  FR_TAKEN,  /* a pose was taken */
  FR_STANDS, /* the energy stands still, or the pose: the level is at its end */
  FR_UPHILL, /* every step tried towards T' raises it */
  FR_FAILED  /* icp->failure says why */
} fr_outcome;

typedef struct fr_scheme {
  const char *name;
  int descends;      /* 1: each pose that is taken lowers the energy, so that a stall is an end */
  int preconditions; /* 1: where it accelerates it asks what surfaces' sliding hides (curvature.h) */
  /* At a level's first pose, which was evaluated. */
  void (*begin)(fr_icp *icp);
  /* From the current pose to the next. reference: the level's first pose. */
  fr_outcome (*advance)(fr_icp *icp, const fricp_pose *reference, fricp_error *error);
  const struct fr_scheme *finish; /* what brings the last level to rest after this one; NULL: itself */
} fr_scheme;

/* The one at work. */
static inline const fr_scheme *fr_scheme_now(const fr_icp *icp) {
  return icp->finishing ? icp->scheme->finish : icp->scheme;
}

#define FR_SCHEME_DECLARE(id, name) extern const fr_scheme fr_scheme_##name;
FR_SCHEMES(FR_SCHEME_DECLARE)
#undef FR_SCHEME_DECLARE

const fr_scheme *fr_scheme_find(fr_scheme_id id);

#endif
