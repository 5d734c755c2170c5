/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules and constants that no theory gives: each is on trial. `fricp_bench ablation` moves them one by one and prints
 * what each does to success, passes and time; the table is in ../README.md. A row: name, value, meaning. Those that a
 * value of 0 switches off say so.
 */
#ifndef FR_RULES_H
#define FR_RULES_H

#define FR_RULES(ROW)                                                                                                  \
  ROW(level_tolerance, 1e-5, "the paper's epsilon: ||T' - T|| that ends a level")                                      \
  ROW(last_tolerance, 1e-10, "the same of the last level: the pose no longer shows which way it came")                 \
  ROW(sample_tolerance, 1, "a level on n points ends at so many nu / sqrt(n); 0: at level_tolerance")                  \
  ROW(stall, 3e-7, "eight accelerated steps that lower the energy by less, in sums of weights, end it; 0: off")        \
  ROW(kept_bits, 4, "of what acceleration adds to T', relative to the residual; 0: all")                               \
  ROW(resolved, 0.5, "a proposal of less than so many nu that fails ends a coarse level; 0: off")                      \
  ROW(calm, 8, "proposals in a row that succeed bring history back after a failure on the last level; 0: never left")  \
  ROW(shortenings, 4, "trials of T' and half, a quarter, ... of the way to it, on the last level")                     \
  ROW(compare_with_start, 1, "after too few iterations the better of the pose and the start; 0: the pose")             \
  ROW(sample_share, 0.5, "of the points that (nu_min / nu)^2 asks for")                                                \
  ROW(fair_sample, 3000, "points of the source below which a sample is not fair")                                      \
  ROW(half_samples, 3, "first levels on half of a fair sample, a quarter, ...; 0: none")                               \
  ROW(precondition, 1, "stretch T' by what sliding hides; 0: off")                                                     \
  ROW(least_damping, 0.02, "of the preconditioner")                                                                    \
  ROW(damping_rise, 10, "after a proposal that failed")                                                                \
  ROW(damping_fall, 1.5, "after one that succeeded")                                                                   \
  ROW(noise_floor, 1, "times the target's noise below which nu does not go; 0: off")                                   \
  ROW(margin, 1.5, "search so much farther than needed, so that the proof outlives some movement")                     \
  ROW(incline_share, 0.25, "of the roughness angle: by so much normals tilt by chance")                                \
  ROW(open, 1, "hold motions that surfaces leave open; 0: off")                                                        \
  ROW(open_explained, 1, "of the mean tilt^2 of normals: what a motion may show and be open")                          \
  ROW(open_bent, 5e-4, "and so much more on bent surfaces")                                                            \
  ROW(open_tilts, 5, "tilts that a point has to see to count on its own")                                              \
  ROW(open_doubt, 0.02, "mean squared share below which a motion is looked at")

#define FR_RULE_FIELD(name, value, meaning) double name;
typedef struct fr_rules {
  FR_RULES(FR_RULE_FIELD)
} fr_rules;
#undef FR_RULE_FIELD

extern const fr_rules fr_default_rules;

#endif
