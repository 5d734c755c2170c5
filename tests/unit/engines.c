/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines.h"
#include "base/isa.h"
#include "search/tree.h"
#include "suite.h"

#include <math.h>

int all_engines(engine out[MOST_ENGINES]) {
  int count = 0;
  out[count++] = (engine){"brute", &fr_nn_brute, fr_nn_brute.nearest, fr_nn_brute.within, fr_nn_nearest_packet};
  out[count++] = (engine){"flann", &fr_nn_flann, fr_nn_flann.nearest, fr_nn_flann.within, fr_nn_nearest_packet};
  out[count++] = (engine){"tree", &fr_nn_tree, fr_nn_tree.nearest, fr_nn_tree.within, fr_nn_nearest_packet};
  static const char *const names[] = {"tree generic", "tree avx2", "tree avx512"};
  for (int isa = FR_ISA_GENERIC; isa <= (int)fr_best_isa(); isa++)
    out[count++] = (engine){names[isa], &fr_nn_tree, FR_PICK(isa, fr_tree_nearest), FR_PICK(isa, fr_tree_within),
                            FR_PICK(isa, fr_tree_packet)};
  return count;
}

void check_nearest(const engine *e, const fixture *f, const double query[3], int k, double limit2,
                   const neighbor *sorted, size_t within, const char *what) {
  int32_t position[MOST_K];
  double d2[MOST_K];
  const int wanted = (size_t)k < within ? k : (int)within;
  const int asked = (size_t)k < f->nn.count ? k : (int)f->nn.count;
  const int found = e->nearest(&f->nn, query, asked, limit2, position, d2);
  if (found != wanted)
    ck_abort_msg("%s, %s: k = %d, limit %g: %d found, %d expected", e->name, what, k, limit2, found, wanted);
  for (int i = 0; i < found; i++) {
    if (d2[i] != sorted[i].d2)
      ck_abort_msg("%s, %s: k = %d: distance %d is %.17g, not %.17g", e->name, what, k, i, d2[i], sorted[i].d2);
    if (fr_distance2(query, f->points[position[i]]) != d2[i])
      ck_abort_msg("%s, %s: k = %d: neighbour %d is not at its distance", e->name, what, k, i);
    if (f->index[position[i]] != sorted[i].index)
      ck_abort_msg("%s, %s: k = %d: neighbour %d is %d, not %d", e->name, what, k, i, f->index[position[i]],
                   sorted[i].index);
    for (int j = 0; j < i; j++)
      if (position[j] == position[i])
        ck_abort_msg("%s, %s: neighbour %d twice", e->name, what, position[i]);
  }
}

void make_query(prng *g, const fixture *f, int trial, double q[3]) {
  const double *p = f->points[prng_below(g, f->nn.count)];
  const double away[] = {0, 1e-9, 1e-3, 0.05, 1, 30, 1e4};
  double direction[3];
  prng_direction(g, direction);
  for (int a = 0; a < 3; a++)
    q[a] = p[a] + away[trial % (int)COUNT(away)] * direction[a];
}

double limit_for(int trial, const neighbor *sorted, size_t count, int k) {
  const size_t at = (size_t)k - 1 < count ? (size_t)k - 1 : count - 1;
  const double limits[] = {INFINITY,      2 * sorted[count - 1].d2 + 1, sorted[at].d2 * 0.8,
                           sorted[at].d2, nextafter(sorted[at].d2, 0),  0,
                           sorted[0].d2};
  return limits[trial % (int)COUNT(limits)];
}
