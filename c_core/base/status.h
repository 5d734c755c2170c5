/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures with a text. */
#ifndef FR_STATUS_H
#define FR_STATUS_H

#include "fricp/fricp.h"

#if defined(__GNUC__)
#define FR_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define FR_PRINTF(text, first)
#endif

/* Write status and text to *error (may be NULL) and return status: `return fr_fail(error, FRICP_ERROR_..., "...");` */
fricp_status fr_fail(fricp_error *error, fricp_status status, const char *format, ...) FR_PRINTF(3, 4);

/* Mark success: status FRICP_OK, empty text. error may be NULL. */
void fr_clear(fricp_error *error);

#endif
