/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs that grow. Each begins with its size; older callers' are shorter than ours, newer ones' longer. */
#ifndef FR_IMPORT_H
#define FR_IMPORT_H

#include "base/status.h"

/* The bytes of a struct up to and with a field: the shortest struct that can be worked with. */
#define FR_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Refuse a struct_size that no version of a struct has: below `least`, no multiple of a word, or far too large. Reads
 * struct_size alone. name goes into messages. */
fricp_status fr_struct_check(const void *given, size_t least, const char *name, fricp_error *error);

/* Copy a caller's struct into `known` of known_size bytes, after fr_struct_check(): a tail that we do not know must be
 * zero, one that the caller does not have becomes zero. */
fricp_status fr_import(void *known, size_t known_size, size_t least, const void *given, const char *name,
                       fricp_error *error);

/* Copy a struct of ours into the caller's, whose struct_size is checked and stays: as much as there is room for. Fields
 * of the caller's that we do not know become zero. */
void fr_export(void *to, const void *from, size_t known_size);

#endif
