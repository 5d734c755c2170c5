/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory from the caller's allocator, aligned to a cache line. Called by the calling thread only. */
#ifndef FR_MEMORY_H
#define FR_MEMORY_H

#include "base/status.h"

#define FR_ALIGNMENT ((size_t)64)

typedef struct fr_memory {
  void *context;
  void *(*allocate)(void *context, size_t size);
  void (*release)(void *context, void *memory);
} fr_memory;

/* Check the caller's allocator (NULL: malloc and free) and copy it. */
fricp_status fr_memory_init(fr_memory *memory, const fricp_allocator *allocator, fricp_error *error);

/* count * size bytes, aligned to FR_ALIGNMENT; NULL on overflow or when there is none. Never NULL for 0 bytes. */
void *fr_allocate(const fr_memory *memory, size_t count, size_t size);
void fr_release(const fr_memory *memory, void *block);

/* A buffer that only grows. Its old content is lost when it does. */
typedef struct fr_buffer {
  void *data;
  size_t bytes;
} fr_buffer;

/* Make room for count * size bytes. @return data, or NULL with the old buffer kept. */
void *fr_buffer_reserve(const fr_memory *memory, fr_buffer *buffer, size_t count, size_t size);
void fr_buffer_release(const fr_memory *memory, fr_buffer *buffer);

/* Memory that is taken in the same order by each call, and kept from one to the next: release gives nothing back. */
#define FR_POOL_BLOCKS 12
typedef struct fr_pool {
  fr_memory memory; /* what takes from the pool is given this */
  const fr_memory *behind;
  fr_buffer block[FR_POOL_BLOCKS];
  int taken;
} fr_pool;

/* Begin again: all that was taken before is no more. @return pool->memory. */
const fr_memory *fr_pool_begin(fr_pool *pool, const fr_memory *behind);
void fr_pool_release(fr_pool *pool, const fr_memory *behind);

/* Lay several arrays into one block, each aligned: the next `count` elements after *bytes, which grows; NULL while base is
 * NULL and only the bytes are counted. */
void *fr_carve(unsigned char *base, size_t *bytes, size_t count, size_t size);

fricp_status fr_out_of_memory(fricp_error *error, const char *what, size_t count);

#endif
