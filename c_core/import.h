/* SPDX-License-Identifier: BSD-3-Clause */
/* Layer 0: structs that grow. */
#ifndef FR_IMPORT_H
#define FR_IMPORT_H

#include "status.h"

/* Copy a caller's struct, which begins with its size, into `known` of known_size bytes: a tail that we do not know must
 * be zero, one that the caller does not have becomes zero. name goes into messages. */
fricp_status fr_import(void *known, size_t known_size, const void *given, const char *name, fricp_error *error);

/* Copy a struct of ours into the caller's, whose struct_size is set and stays: as much as there is room for. */
void fr_export(void *to, const void *from, size_t known_size);

#endif
