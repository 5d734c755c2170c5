/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the energy of point-to-point really curves.
 *
 * The alignment step T' minimises the weighted distances to correspondences held fixed, so it reckons with the normal
 * matrix H = sum w J^T J of a spring in every direction. But as the source slides along the target's surface its
 * correspondences follow, and only what moves it off the surface costs: H_n = sum c (n^T J)^T (n^T J), where n is the
 * target's normal and c = d(w r) / dr the kernel's stiffness along it. Of the way to the optimum along a direction u
 * with H_n u = lambda H u, T' goes but the share lambda, which is small (0.02 to 0.1 on scans) for the directions in
 * which surfaces slide. The preconditioner
 *
 *   P = sum_e (1 + d) / (lambda_e + d) u_e v_e^T,     v_e = H u_e,  u_e^T H u_f = (e == f),
 *
 * goes all the way (d = 0) or as far as the damping d allows (d large: T'). The fixed points stay the same.
 */
#ifndef FR_CURVATURE_H
#define FR_CURVATURE_H

#include "align/pass.h"

typedef struct fr_curvature {
  int count;       /* directions; 0: nothing is known */
  double share[6]; /* lambda, ascending, 0 to 1 */
  double u[6][6];  /* twists about the target's origin, row by row */
  double v[6][6];  /* their duals */
  double damping;  /* d */
} fr_curvature;

void fr_curvature_forget(fr_curvature *curvature, const fr_rules *rules);

/* Measure at a pose where a pass was just recorded, on a sample of the coarsest stage, over the motions that `held` leaves
 * free. pull: what besides resists a motion wherever it goes, about the target's origin, for a unit of the source's weight;
 * NULL: nothing. Leaves nothing known if the
 * metric's residual is not the distance or no correspondence says anything.
 * @return 0, or -1 if the search failed. */
int fr_curvature_measure(fr_curvature *curvature, const fr_pass *pass, const fricp_pose *pose, double nu,
                         const fr_constraint *held, const double (*pull)[6]);

/* Damp more after a preconditioned step that failed, less after one that lowered the energy. */
void fr_curvature_adapt(fr_curvature *curvature, int improved, const fr_rules *rules);

/* Write P. @return 0 if nothing is known. */
int fr_curvature_preconditioner(const fr_curvature *curvature, double p[6][6]);

#endif
