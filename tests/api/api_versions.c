/* SPDX-License-Identifier: BSD-3-Clause */
/* Every struct that begins with its size, from an older header (shorter), a newer one (longer) and from no header at
 * all (garbage). Each lies at the very end of a page behind which nothing may be touched. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "api.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A struct of today and the bytes up to and with a field. */
#define THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Two pages, of which the second may not be touched. */
static unsigned char *readable_page;
static size_t page_size;

static void *at_the_end(const void *bytes, size_t count) {
  unsigned char *place = readable_page + page_size - count;
  memset(readable_page, 0xab, page_size);
  memcpy(place, bytes, count);
  return place;
}

/* What the calls below need besides the struct on trial. */
static scene pair;
static fricp_cloud source, target;
static fricp_target *prepared;
static fricp_solver *solver;
static fricp_result good;
static fricp_error error;
static counter count;
static fricp_allocator allocator;

static int look_at_all(void *context, const double query[3], int k, double limit2, int32_t *indices, double *squared) {
  (void)context;
  return neighbors_by_looking(pair.target, target.count, query, k, limit2, indices, squared);
}

static void set_up(void) {
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  readable_page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(readable_page, MAP_FAILED);
  ck_assert_int_eq(mprotect(readable_page + page_size, page_size, PROT_NONE), 0);
  count = (counter){0, 0, 0};
  allocator = counting_allocator(&count);
  const scene_spec spec = {.source_count = 100, .same_sample = 1, .seed = 1, .angle = 3};
  pair = make_scene(&spec);
  source = source_of(&pair);
  target = target_of(&pair);
  prepared = target_or_fail(&target, NULL);
  solver = solver_or_fail();
  good = align_or_fail(solver, prepared, &source, NULL, NULL);
}

static void tear_down(void) {
  fricp_solver_destroy(solver);
  fricp_target_destroy(prepared);
  scene_free(&pair);
  ck_assert_int_eq(munmap(readable_page, 2 * page_size), 0);
  ck_assert_int_eq(count.live, 0);
}

static fricp_status align(const fricp_cloud *cloud, const fricp_options *options) {
  fricp_result r = FRICP_RESULT_INIT;
  const fricp_status status = fricp_solver_align(solver, prepared, cloud, NULL, options, &r);
  error.status = (int32_t)status;
  strcpy(error.text, fricp_solver_last_error(solver));
  if (status == FRICP_OK)
    check_same_result(&r, &good);
  return status;
}

static fricp_status create(const fricp_cloud *cloud, const fricp_target_options *options) {
  fricp_target *t = NULL;
  const fricp_status status = fricp_target_create(&t, cloud, options, &error);
  ck_assert_int_eq(status == FRICP_OK, t != NULL);
  fricp_target_destroy(t);
  return status;
}

static fricp_status give_source(void *given) {
  return align(given, NULL);
}

static fricp_status give_options(void *given) {
  return align(&source, given);
}

static fricp_status give_prior(void *given) {
  fricp_options o = FRICP_OPTIONS_INIT;
  o.prior = given;
  return align(&source, &o);
}

static fricp_status give_target(void *given) {
  return create(given, NULL);
}

static fricp_status give_target_options(void *given) {
  return create(&target, given);
}

static fricp_status give_search(void *given) {
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.search = given;
  return create(&target, &options);
}

static fricp_status give_target_allocator(void *given) {
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.allocator = given;
  return create(&target, &options);
}

static fricp_status give_solver_allocator(void *given) {
  fricp_solver *created = NULL;
  const fricp_status status = fricp_solver_create(&created, given);
  ck_assert_int_eq(status == FRICP_OK, created != NULL);
  fricp_solver_destroy(created);
  strcpy(error.text, "allocator: this function has no text");
  return status;
}

static fricp_status give_result(void *given) {
  const fricp_status status = fricp_solver_align(solver, prepared, &source, NULL, NULL, given);
  strcpy(error.text, fricp_solver_last_error(solver));
  return status;
}

static fricp_status give_result_of_one_call(void *given) {
  return fricp_register(&source, &target, NULL, NULL, given, &error);
}

static fricp_status give_info(void *given) {
  strcpy(error.text, "info: this function has no text");
  return fricp_target_get_info(prepared, given);
}

/* One row a struct and a way to hand it over. Shorter ones are good down to `least` bytes. */
typedef struct row {
  const char *name; /* in messages */
  fricp_status (*give)(void *given);
  const void *now; /* as a caller of today has it */
  size_t size, least;
  int is_output;
} row;

static const fricp_options options = FRICP_OPTIONS_INIT;
static const fricp_prior prior = FRICP_PRIOR_INIT;
static const fricp_target_options target_options = FRICP_TARGET_OPTIONS_INIT;
static const fricp_search search = {sizeof search, NULL, look_at_all, 0, 0, NULL};
static const fricp_result result = FRICP_RESULT_INIT;
static const fricp_target_info info = FRICP_TARGET_INFO_INIT;

static const row rows[] = {
    {"source", give_source, &source, sizeof source, THROUGH(fricp_cloud, count), 0},
    {"target", give_target, &target, sizeof target, THROUGH(fricp_cloud, count), 0},
    {"options", give_options, &options, sizeof options, sizeof(size_t), 0},
    {"prior", give_prior, &prior, sizeof prior, sizeof prior, 0},
    {"options", give_target_options, &target_options, sizeof target_options, sizeof(size_t), 0},
    {"search", give_search, &search, sizeof search, THROUGH(fricp_search, nearest), 0},
    {"allocator", give_target_allocator, &allocator, sizeof allocator, THROUGH(fricp_allocator, release), 0},
    {"allocator", give_solver_allocator, &allocator, sizeof allocator, THROUGH(fricp_allocator, release), 0},
    {"result", give_result, &result, sizeof result, THROUGH(fricp_result, target_from_source), 1},
    {"result", give_result_of_one_call, &result, sizeof result, THROUGH(fricp_result, target_from_source), 1},
    {"info", give_info, &info, sizeof info, sizeof(size_t), 1},
};

#define TAIL ((size_t)64)
#define LONGEST (sizeof(fricp_result) + TAIL)

/* The struct of a row as a header has it that ends `size` bytes from its beginning; tail is what lies in the bytes that
 * today's header does not know. */
static unsigned char *as_of(const row *r, size_t size, int tail) {
  unsigned char bytes[LONGEST];
  memset(bytes, tail, sizeof bytes);
  memcpy(bytes, r->now, r->size);
  memcpy(bytes, &size, sizeof size);
  return at_the_end(bytes, size);
}

static void expect(const row *r, void *given, fricp_status status) {
  size_t size = 0;
  memcpy(&size, given, sizeof size);
  const fricp_status got = r->give(given);
  if (got != status)
    ck_abort_msg("%s of %zu bytes (today %zu): %d, not %d (%s)", r->name, size, r->size, (int)got, (int)status,
                 error.text);
  if (status != FRICP_OK)
    ck_assert_msg(strstr(error.text, r->name) != NULL, "\"%s\" does not name \"%s\"", error.text, r->name);
}

/* What an output struct of `size` bytes says is the beginning of what today's says: up to the times, which differ. */
static void check_output(const row *r, const unsigned char *given, size_t size) {
  size_t own = 0;
  memcpy(&own, given, sizeof own);
  ck_assert_uint_eq(own, size);
  fricp_target_info whole = FRICP_TARGET_INFO_INIT;
  ck_assert_int_eq(fricp_target_get_info(prepared, &whole), FRICP_OK);
  const int is_result = r->now == &result;
  const unsigned char *expected = is_result ? (const void *)&good : (const void *)&whole;
  const size_t constant = is_result ? offsetof(fricp_result, seconds_prepare) : sizeof whole;
  for (size_t i = sizeof own; i < size && i < constant; i++)
    ck_assert_uint_eq(given[i], expected[i]);
}

START_TEST(structs_of_older_headers) {
  set_up();
  for (size_t k = 0; k < COUNT(rows); k++)
    for (size_t size = rows[k].least; size <= rows[k].size; size += sizeof(size_t)) {
      unsigned char *given = as_of(&rows[k], size, 0);
      expect(&rows[k], given, FRICP_OK);
      if (rows[k].is_output)
        check_output(&rows[k], given, size);
    }
  tear_down();
}
END_TEST

START_TEST(structs_of_newer_headers) {
  set_up();
  for (size_t k = 0; k < COUNT(rows); k++)
    for (size_t more = sizeof(size_t); more <= TAIL; more += sizeof(size_t))
      expect(&rows[k], as_of(&rows[k], rows[k].size + more, 0), FRICP_OK);
  tear_down();
}
END_TEST

/* A field that is not known must not be ignored; a byte anywhere in the tail tells that it is set. */
START_TEST(unknown_fields_that_are_set_are_refused) {
  set_up();
  for (size_t k = 0; k < COUNT(rows); k++)
    for (size_t at = 0; at < TAIL && !rows[k].is_output; at++) {
      unsigned char *given = as_of(&rows[k], rows[k].size + TAIL, 0);
      given[rows[k].size + at] = 1;
      expect(&rows[k], given, FRICP_ERROR_UNSUPPORTED);
    }
  tear_down();
}
END_TEST

/* Whatever lay there: a newer caller reads zero where this library has nothing to say, on an error too. */
START_TEST(unknown_fields_of_outputs_become_zero) {
  set_up();
  const fricp_cloud whole = source;
  for (size_t k = 0; k < COUNT(rows); k++)
    for (int fails = 0; fails < 2 && rows[k].is_output; fails++) {
      unsigned char *given = as_of(&rows[k], rows[k].size + TAIL, 0xcd);
      source.count = fails ? 0 : whole.count;
      if (fails)
        ck_assert(rows[k].now == &info || rows[k].give(given) != FRICP_OK);
      else
        expect(&rows[k], given, FRICP_OK);
      source = whole;
      for (size_t i = 0; i < TAIL && !(fails && rows[k].now == &info); i++)
        ck_assert_uint_eq(given[rows[k].size + i], 0);
    }
  tear_down();
}
END_TEST

/* Not set, cut short, a field cut in two, not initialised: only the size itself is read, behind which nothing lies. */
START_TEST(sizes_of_no_header_are_refused) {
  set_up();
  for (size_t k = 0; k < COUNT(rows); k++) {
    const size_t sizes[] = {0,
                            1,
                            sizeof(size_t) - 1,
                            rows[k].least - 1,
                            rows[k].least - sizeof(size_t),
                            rows[k].least + 1,
                            rows[k].size - 1,
                            rows[k].size + 4,
                            (size_t)1 << 20,
                            ((size_t)1 << 20) + 8,
                            (size_t)1 << 40,
                            (size_t)-8,
                            (size_t)-1};
    for (size_t i = 0; i < COUNT(sizes); i++)
      expect(&rows[k], at_the_end(&sizes[i], sizeof sizes[i]), FRICP_ERROR_INVALID_ARGUMENT);
  }
  tear_down();
}
END_TEST

/* A field that must be set, in a struct that is long enough. */
START_TEST(required_functions) {
  set_up();
  fricp_search no_search = search;
  no_search.nearest = NULL;
  ck_assert_int_eq(give_search(&no_search), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "nearest"));
  no_search = search;
  no_search.reserved = 1;
  ck_assert_int_eq(give_search(&no_search), FRICP_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "reserved"));
  for (int which = 0; which < 2; which++) {
    fricp_allocator half = allocator;
    if (which)
      half.allocate = NULL;
    else
      half.release = NULL;
    ck_assert_int_eq(give_target_allocator(&half), FRICP_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "allocate"));
    ck_assert_int_eq(give_solver_allocator(&half), FRICP_ERROR_INVALID_ARGUMENT);
  }
  tear_down();
}
END_TEST

int main(void) {
  const TTest *const tests[] = {structs_of_older_headers,
                                structs_of_newer_headers,
                                unknown_fields_that_are_set_are_refused,
                                unknown_fields_of_outputs_become_zero,
                                sizes_of_no_header_are_refused,
                                required_functions};
  return run_suite("versions", tests, COUNT(tests));
}
