/* SPDX-License-Identifier: BSD-3-Clause */
/* The pose to start from. */
#ifndef FR_GUESS_H
#define FR_GUESS_H

#include "base/status.h"

#define FR_FARTHEST 1e75 /* a pose's shift, as a cloud's coordinates: see cloud.c */

/* Refuse what is no rigid motion, by its name. *mended receives the nearest rotation to one that nearly is; guess NULL: the
 * identity. */
fricp_status fr_guess_check(const fricp_pose *guess, int dimension, const char *name, fricp_pose *mended,
                            fricp_error *error);

#endif
