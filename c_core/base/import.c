/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/import.h"

#include <string.h>

/* No struct grows to this; what claims to be larger is not initialised, and its tail must not be looked for. */
#define LARGEST_STRUCT ((size_t)64 << 10)

static size_t size_of(const void *given) {
  size_t size = 0;
  memcpy(&size, given, sizeof size);
  return size;
}

fricp_status fr_struct_check(const void *given, size_t least, const char *name, fricp_error *error) {
  const size_t size = size_of(given);
  /* A struct that begins with a word ends at a multiple of one, so that no size cuts a pointer or a count in two. */
  if (size < least || size % _Alignof(size_t) != 0 || size > LARGEST_STRUCT)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT,
                   "%s: struct_size %zu is not the size of any version of this struct; start from its _INIT", name,
                   size);
  return FRICP_OK;
}

fricp_status fr_import(void *known, size_t known_size, size_t least, const void *given, const char *name,
                       fricp_error *error) {
  const fricp_status status = fr_struct_check(given, least, name, error);
  if (status != FRICP_OK)
    return status;
  const size_t size = size_of(given);
  const unsigned char *bytes = given;
  for (size_t i = known_size; i < size; i++)
    if (bytes[i] != 0)
      return fr_fail(error, FRICP_ERROR_UNSUPPORTED,
                     "%s: a field of a newer header is set that fricp %s does not know; leave it zero", name,
                     FRICP_VERSION_STRING);
  memset(known, 0, known_size);
  memcpy(known, given, size < known_size ? size : known_size);
  memcpy(known, &known_size, sizeof known_size);
  return FRICP_OK;
}

void fr_export(void *to, const void *from, size_t known_size) {
  const size_t size = size_of(to);
  memcpy(to, from, size < known_size ? size : known_size);
  if (size > known_size)
    memset((unsigned char *)to + known_size, 0, size - known_size);
  memcpy(to, &size, sizeof size);
}
