/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include "base/import.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

/* Large blocks on huge pages, where there are such: a first touch of small ones can cost more than the work on them. */
static void *default_allocate(void *context, size_t size) {
  (void)context;
#ifdef MADV_HUGEPAGE
  void *block = NULL;
  if (size >= HUGE_PAGE) {
    if (posix_memalign(&block, HUGE_PAGE, size) != 0)
      return NULL;
    (void)madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* a wish; the block is good without */
    return block;
  }
#endif
  return malloc(size);
}

static void default_release(void *context, void *memory) {
  (void)context;
  free(memory);
}

fricp_status fr_memory_init(fr_memory *memory, const fricp_allocator *allocator, fricp_error *error) {
  memory->context = NULL;
  memory->allocate = default_allocate;
  memory->release = default_release;
  if (!allocator)
    return FRICP_OK;
  fricp_allocator known;
  const fricp_status status =
      fr_import(&known, sizeof known, FR_THROUGH(fricp_allocator, release), allocator, "allocator", error);
  if (status != FRICP_OK)
    return status;
  if (!known.allocate || !known.release)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "allocator: set both functions, allocate and release");
  memory->context = known.context;
  memory->allocate = known.allocate;
  memory->release = known.release;
  return FRICP_OK;
}

/* The caller's block starts `offset` bytes before ours; the offset lies in the word before ours. */
void *fr_allocate(const fr_memory *memory, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - 2 * FR_ALIGNMENT) / size)
    return NULL;
  unsigned char *raw = memory->allocate(memory->context, count * size + FR_ALIGNMENT + sizeof(size_t));
  if (!raw)
    return NULL;
  size_t offset = sizeof(size_t);
  offset += (FR_ALIGNMENT - ((uintptr_t)raw + offset) % FR_ALIGNMENT) % FR_ALIGNMENT;
  memcpy(raw + offset - sizeof offset, &offset, sizeof offset);
  return raw + offset;
}

void fr_release(const fr_memory *memory, void *block) {
  if (!block)
    return;
  size_t offset = 0;
  memcpy(&offset, (unsigned char *)block - sizeof offset, sizeof offset);
  memory->release(memory->context, (unsigned char *)block - offset);
}

void *fr_buffer_reserve(const fr_memory *memory, fr_buffer *buffer, size_t count, size_t size) {
  if (buffer->data && (!size || count <= buffer->bytes / size))
    return buffer->data;
  void *data = fr_allocate(memory, count, size);
  if (!data)
    return NULL;
  fr_release(memory, buffer->data);
  buffer->data = data;
  buffer->bytes = count * size;
  return data;
}

void fr_buffer_release(const fr_memory *memory, fr_buffer *buffer) {
  fr_release(memory, buffer->data);
  buffer->data = NULL;
  buffer->bytes = 0;
}

static void *pool_allocate(void *context, size_t size) {
  fr_pool *pool = context;
  return pool->taken < FR_POOL_BLOCKS ? fr_buffer_reserve(pool->behind, &pool->block[pool->taken++], size, 1) : NULL;
}

static void pool_keep(void *context, void *memory) {
  (void)context;
  (void)memory;
}

const fr_memory *fr_pool_begin(fr_pool *pool, const fr_memory *behind) {
  const fr_memory memory = {pool, pool_allocate, pool_keep};
  pool->memory = memory;
  pool->behind = behind;
  pool->taken = 0;
  return &pool->memory;
}

void fr_pool_release(fr_pool *pool, const fr_memory *behind) {
  for (int i = 0; i < FR_POOL_BLOCKS; i++)
    fr_buffer_release(behind, &pool->block[i]);
}

void *fr_carve(unsigned char *base, size_t *bytes, size_t count, size_t size) {
  void *array = base ? base + *bytes : NULL;
  *bytes += (count * size + FR_ALIGNMENT - 1) / FR_ALIGNMENT * FR_ALIGNMENT;
  return array;
}

fricp_status fr_out_of_memory(fricp_error *error, const char *what, size_t count) {
  return fr_fail(error, FRICP_ERROR_OUT_OF_MEMORY, "out of memory for %s of %zu points", what, count);
}
