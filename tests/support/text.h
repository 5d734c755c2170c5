/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file text.h
 * 4x4 pose files: four rows of four numbers, separated by blanks or commas; written with 17 digits, which read back to
 * the same bits.
 */
#ifndef FRICP_SUPPORT_TEXT_H
#define FRICP_SUPPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "fricp/fricp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @return NULL and fills *pose; or what is wrong (the file's name is not part of it). Works in any locale. */
const char *text_read_pose(const char *path, fricp_pose *pose);
/** @return NULL, or what is wrong. */
const char *text_write_pose(const char *path, const fricp_pose *pose);
/** The same to an open stream. */
void text_print_pose(FILE *stream, const fricp_pose *pose);

/** A number in the C locale's form whatever the current locale. @return 0, or -1 if `text` is not one. */
int text_number(const char *text, double *value);

/** The whole of a file, zero-terminated; to be given to free(). @return NULL if it cannot be read. */
char *text_read_file(const char *path, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
