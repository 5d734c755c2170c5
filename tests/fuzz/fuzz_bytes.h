/* SPDX-License-Identifier: BSD-3-Clause */
/** @file fuzz_bytes.h  A fuzzer's input, taken from the front; behind its end come zeros. */
#ifndef FRICP_FUZZ_BYTES_H
#define FRICP_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct bytes {
  const uint8_t *data;
  size_t left;
} bytes;

static inline unsigned next_byte(bytes *b) {
  if (b->left == 0)
    return 0;
  --b->left;
  return *b->data++;
}

/** Any pattern of bits. */
static inline void next_bits(bytes *b, void *value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    ((uint8_t *)value)[i] = (uint8_t)next_byte(b);
}

#endif
