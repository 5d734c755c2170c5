/* SPDX-License-Identifier: BSD-3-Clause */
/** @file fuzz_register.h  The entry that libFuzzer calls, by the name it wants. */
#ifndef FRICP_FUZZ_REGISTER_H
#define FRICP_FUZZ_REGISTER_H

#include <stddef.h>
#include <stdint.h>

/** @return 0; aborts when a promise of the library is broken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
