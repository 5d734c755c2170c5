/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory from the caller's allocator, and structs that grow. */
#include "base/import.h"
#include "base/memory.h"
#include "prng.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* Hands out addresses with the least alignment that malloc may have, and counts. */
typedef struct ledger {
  int live;
  int refuse;
} ledger;

static void *take(void *context, size_t size) {
  ledger *l = context;
  if (l->refuse)
    return NULL;
  l->live++;
  unsigned char *raw = malloc(size + 32);
  ck_assert_ptr_nonnull(raw);
  const size_t skip = 16 + (size_t)(l->live % 2) * 16;
  raw[skip - 1] = (unsigned char)skip;
  return raw + skip;
}

static void give(void *context, void *memory) {
  ledger *l = context;
  if (!memory)
    return;
  l->live--;
  unsigned char *at = memory;
  free(at - at[-1]);
}

static fr_memory ledger_memory(ledger *l) {
  fricp_allocator allocator = FRICP_ALLOCATOR_INIT;
  allocator.context = l;
  allocator.allocate = take;
  allocator.release = give;
  fr_memory memory;
  ck_assert_int_eq(fr_memory_init(&memory, &allocator, NULL), FRICP_OK);
  return memory;
}

START_TEST(blocks_are_aligned_and_writable) {
  ledger l = {0, 0};
  const fr_memory memory = ledger_memory(&l);
  void *held[300];
  for (size_t n = 0; n < 300; n++) {
    held[n] = fr_allocate(&memory, n, 3);
    ck_assert_ptr_nonnull(held[n]);
    ck_assert_uint_eq((uintptr_t)held[n] % FR_ALIGNMENT, 0);
    memset(held[n], (int)n, 3 * n); /* under a sanitizer: not a byte too few */
  }
  for (size_t n = 0; n < 300; n++) {
    size_t changed = 0;
    for (size_t i = 0; i < 3 * n; i++)
      changed += ((unsigned char *)held[n])[i] != (n & 255);
    ck_assert_uint_eq(changed, 0);
    fr_release(&memory, held[n]);
  }
  fr_release(&memory, NULL);
  ck_assert_int_eq(l.live, 0);
}
END_TEST

START_TEST(sizes_that_overflow_are_refused) {
  ledger l = {0, 0};
  const fr_memory memory = ledger_memory(&l);
  ck_assert_ptr_null(fr_allocate(&memory, SIZE_MAX, 1));
  ck_assert_ptr_null(fr_allocate(&memory, SIZE_MAX / 8 + 1, 8));
  ck_assert_ptr_null(fr_allocate(&memory, SIZE_MAX / 2, 4));
  ck_assert_int_eq(l.live, 0);
}
END_TEST

START_TEST(buffers_only_grow) {
  ledger l = {0, 0};
  const fr_memory memory = ledger_memory(&l);
  fr_buffer buffer = {NULL, 0};
  void *first = fr_buffer_reserve(&memory, &buffer, 100, 8);
  ck_assert_ptr_nonnull(first);
  l.refuse = 1;
  ck_assert_ptr_eq(fr_buffer_reserve(&memory, &buffer, 100, 8), first);
  ck_assert_ptr_eq(fr_buffer_reserve(&memory, &buffer, 10, 4), first);
  ck_assert_ptr_null(fr_buffer_reserve(&memory, &buffer, 101, 8));
  ck_assert_ptr_eq(fr_buffer_reserve(&memory, &buffer, 100, 8), first); /* the old one is kept */
  l.refuse = 0;
  ck_assert_ptr_nonnull(fr_buffer_reserve(&memory, &buffer, 1000, 8));
  memset(buffer.data, 1, 8000);
  ck_assert_int_eq(l.live, 1);
  fr_buffer_release(&memory, &buffer);
  ck_assert_int_eq(l.live, 0);
  ck_assert_ptr_null(buffer.data);
}
END_TEST

/* Taken again in the same order, smaller or as large: nothing is allocated. */
START_TEST(a_pool_keeps_its_blocks) {
  ledger l = {0, 0};
  const fr_memory behind = ledger_memory(&l);
  fr_pool pool;
  memset(&pool, 0, sizeof pool);
  void *first[FR_POOL_BLOCKS];
  for (int turn = 0; turn < 3; turn++) {
    const fr_memory *memory = fr_pool_begin(&pool, &behind);
    l.refuse = turn > 0;
    for (size_t i = 0; i < FR_POOL_BLOCKS; i++) {
      unsigned char *block = fr_allocate(memory, 100 * (i + 1) / (turn == 2 ? 2 : 1), 1);
      ck_assert_ptr_nonnull(block);
      ck_assert_uint_eq((uintptr_t)block % FR_ALIGNMENT, 0);
      memset(block, turn, 100 * (i + 1) / 2);
      if (turn == 0)
        first[i] = block;
      ck_assert_ptr_eq(block, first[i]);
      fr_release(memory, block);
    }
    ck_assert_ptr_null(fr_allocate(memory, 1, 1)); /* it has no more */
    ck_assert_int_eq(l.live, FR_POOL_BLOCKS);
  }
  fr_pool_release(&pool, &behind);
  ck_assert_int_eq(l.live, 0);
}
END_TEST

START_TEST(an_allocator_needs_both_functions) {
  fr_memory memory;
  fricp_error error;
  fricp_allocator allocator = FRICP_ALLOCATOR_INIT;
  ck_assert_int_eq(fr_memory_init(&memory, &allocator, &error), FRICP_ERROR_INVALID_ARGUMENT);
  allocator.allocate = take;
  ck_assert_int_eq(fr_memory_init(&memory, &allocator, &error), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "allocator"));
  allocator.release = give;
  ck_assert_int_eq(fr_memory_init(&memory, &allocator, &error), FRICP_OK);
  allocator.struct_size = 0;
  ck_assert_int_eq(fr_memory_init(&memory, &allocator, &error), FRICP_ERROR_INVALID_ARGUMENT);
}
END_TEST

typedef struct sample {
  size_t struct_size;
  double a;
  int32_t b, c;
} sample;

typedef struct longer {
  sample known;
  unsigned char tail[24];
} longer;

/* All lengths from older and newer headers: what is missing reads as zero, what is unknown must be zero. */
START_TEST(structs_of_other_versions) {
  for (size_t size = sizeof(size_t); size <= sizeof(longer); size += sizeof(size_t)) {
    longer given;
    memset(&given, 0, sizeof given);
    given.known = (sample){size, 1.5, 7, 9};
    sample out;
    memset(&out, 0xff, sizeof out);
    ck_assert_int_eq(fr_import(&out, sizeof out, sizeof(size_t), &given, "sample", NULL), FRICP_OK);
    ck_assert_uint_eq(out.struct_size, sizeof out);
    unsigned char expected[sizeof out] = {0};
    memcpy(expected, &given, size < sizeof out ? size : sizeof out);
    const size_t own = sizeof out;
    memcpy(expected, &own, sizeof own);
    ck_assert_mem_eq(&out, expected, sizeof out);
  }
  for (size_t i = 0; i < sizeof((longer *)0)->tail; i++) {
    longer given;
    memset(&given, 0, sizeof given);
    given.known = (sample){sizeof given, 1.5, 7, 9};
    given.tail[i] = 1;
    sample out;
    fricp_error error;
    ck_assert_int_eq(fr_import(&out, sizeof out, sizeof(size_t), &given, "sample", &error), FRICP_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "sample"));
  }
  /* not set, shorter than what is asked for, a cut word, garbage: nothing behind the size is read */
  const size_t none[] = {0, 1, 8, 15, 17, sizeof(sample) + 4, (size_t)1 << 20, SIZE_MAX, SIZE_MAX - 7};
  for (size_t k = 0; k < COUNT(none); k++) {
    sample out;
    ck_assert_int_eq(fr_import(&out, sizeof out, FR_THROUGH(sample, a), &none[k], "sample", NULL),
                     FRICP_ERROR_INVALID_ARGUMENT);
  }
}
END_TEST

START_TEST(texts_are_cut_not_overrun) {
  char many[1000];
  memset(many, 'x', sizeof many - 1);
  many[sizeof many - 1] = '\0';
  fricp_error error;
  ck_assert_int_eq(fr_fail(&error, FRICP_ERROR_SEARCH, "%s", many), FRICP_ERROR_SEARCH);
  ck_assert_int_eq(error.status, FRICP_ERROR_SEARCH);
  ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
  fr_clear(&error);
  ck_assert_str_eq(error.text, "");
  ck_assert_int_eq(error.status, FRICP_OK);
  ck_assert_int_eq(fr_fail(NULL, FRICP_ERROR_SEARCH, "%s", many), FRICP_ERROR_SEARCH);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {
      blocks_are_aligned_and_writable, sizes_that_overflow_are_refused,   buffers_only_grow,
      a_pool_keeps_its_blocks,         an_allocator_needs_both_functions, structs_of_other_versions,
      texts_are_cut_not_overrun};
  return run_suite("memory", tests, COUNT(tests));
}
