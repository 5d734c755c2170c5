/* SPDX-License-Identifier: BSD-3-Clause */
#include "import.h"

#include <string.h>

fricp_status fr_import(void *known, size_t known_size, const void *given, const char *name, fricp_error *error) {
  size_t size = 0;
  memcpy(&size, given, sizeof size);
  if (size < sizeof size)
    return fr_fail(error, FRICP_ERROR_INVALID_ARGUMENT, "%s: struct_size is not set; start from its _INIT", name);
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
  size_t size = 0;
  memcpy(&size, to, sizeof size);
  const size_t own = size;
  memcpy(to, from, size < known_size ? size : known_size);
  memcpy(to, &own, sizeof own);
}
