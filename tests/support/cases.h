/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cases.h
 * A folder of cloud pairs with true poses: index.tsv with a row each (found by the columns' names), and a folder each
 * with source, target, init.txt, gt.txt and perhaps gt_refined.txt, an equally good truth.
 */
#ifndef FRICP_SUPPORT_CASES_H
#define FRICP_SUPPORT_CASES_H

#include <stddef.h>

#include "fricp/fricp.h"
#include "ply.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @return the folder of shared cases, which FRICP_SHARED names; NULL without one. */
const char *cases_shared_folder(void);

/** One row of the index. */
typedef struct case_row {
  char name[96];
  char kind[32];
  int graded;       /**< 1: counts in a score */
  int dimension;    /**< 2 or 3 */
  double diameter;  /**< of the scene, in the clouds' unit */
  double pass_rmse; /**< a pose passes up to this, in the clouds' unit */
  char source[64], target[64];
} case_row;

/** @return NULL and fills *rows (to be given to free()) and *count; or what is wrong. */
const char *cases_read_index(const char *folder, case_row **rows, size_t *count);

/** One pair, loaded. */
typedef struct case_pair {
  ply_cloud source, target;
  fricp_pose start;    /**< init.txt */
  fricp_pose truth[2]; /**< gt.txt, gt_refined.txt */
  int truths;          /**< 1 or 2 */
} case_pair;

/** @return NULL and fills *pair, to be given to cases_free(); or what is wrong, and *pair is all zero. */
const char *cases_load(const char *folder, const case_row *row, case_pair *pair);
void cases_free(case_pair *pair);

/** What a pose is worth: against the nearer of the truths. */
typedef struct case_verdict {
  double rmse;          /**< of all source points between the pose and the truth, in the clouds' unit */
  double angle_degrees; /**< rotation error against that truth */
  int passed;           /**< rmse <= pass_rmse; 0 if the pose is not finite */
} case_verdict;
case_verdict cases_judge(const case_row *row, const case_pair *pair, const fricp_pose *pose);

#ifdef __cplusplus
}
#endif

#endif
