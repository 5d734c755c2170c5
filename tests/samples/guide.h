/* SPDX-License-Identifier: BSD-3-Clause */
/* What the pieces of C in samples/guide stand on. */
#ifndef TEST_GUIDE_H
#define TEST_GUIDE_H

#include <fricp/fricp.h>

#include <stdio.h>

#endif
