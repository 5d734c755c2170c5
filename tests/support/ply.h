/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ply.h
 * PLY files of points and normals for tests and benchmarks: ascii and binary, either byte order, any scalar type, other
 * properties and elements skipped. The tool has readers of its own (PCL's); this one checks them independently.
 */
#ifndef FRICP_SUPPORT_PLY_H
#define FRICP_SUPPORT_PLY_H

#include <stddef.h>

#include "fricp/fricp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Owns its arrays; 3 doubles a point. */
typedef struct ply_cloud {
  size_t count;
  double *points;
  double *normals; /**< NULL if the file has none */
} ply_cloud;

/** How to write. */
typedef enum ply_format { PLY_ASCII, PLY_BINARY } ply_format;

/** @return NULL and fills *cloud, to be given to ply_free(); or what is wrong, and *cloud is all zero. */
const char *ply_read(const char *path, ply_cloud *cloud);

/**
 * Write x y z, and nx ny nz if normals is not NULL. The file appears only when it is complete.
 * @param scalar FRICP_SCALAR_DOUBLE or FRICP_SCALAR_FLOAT.
 * @return NULL, or what is wrong.
 */
const char *ply_write(const char *path, const double *points, const double *normals, size_t count, ply_format format,
                      fricp_scalar scalar);

void ply_free(ply_cloud *cloud);

#ifdef __cplusplus
}
#endif

#endif
