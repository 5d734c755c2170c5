/* SPDX-License-Identifier: BSD-3-Clause */
/** @file fuzz_target.h  The entries that libFuzzer calls, by the names it wants. */
#ifndef FRICP_FUZZ_TARGET_H
#define FRICP_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @return 0; aborts when a promise is broken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Optional. Changes an input in place. @return its new size, at most max_size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
/** libFuzzer's own changes, for the one above. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#ifdef __cplusplus
}
#endif

#endif
