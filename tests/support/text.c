/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* newlocale */
#include "text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale(void) {
  return newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

int text_number(const char *text, double *value) {
  locale_t c = c_locale(), before = uselocale(c);
  char *end;
  double x = strtod(text, &end);
  uselocale(before);
  freelocale(c);
  if (end == text || *end != '\0')
    return -1;
  *value = x;
  return 0;
}

char *text_read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t used = 0, room = 0, got;
  if (!file)
    return NULL;
  do {
    if (room - used < 65536) {
      char *larger = realloc(text, room = room * 2 + 131072);
      if (!larger) {
        free(text);
        fclose(file);
        return NULL;
      }
      text = larger;
    }
    got = fread(text + used, 1, room - used - 1, file);
    used += got;
  } while (got > 0);
  if (ferror(file)) {
    free(text);
    text = NULL;
  } else {
    text[used] = '\0';
  }
  fclose(file);
  if (length)
    *length = used;
  return text;
}

static const char *parse_pose(char *text, fricp_pose *pose) {
  double m[16];
  size_t n = 0;
  char *rest = NULL;
  for (char *word = strtok_r(text, " \t\r\n,", &rest); word; word = strtok_r(NULL, " \t\r\n,", &rest)) {
    if (n == 16 || text_number(word, &m[n]) != 0 || !isfinite(m[n]))
      return "not 16 finite numbers";
    ++n;
  }
  if (n != 16)
    return "not 16 finite numbers";
  if (m[12] != 0.0 || m[13] != 0.0 || m[14] != 0.0 || m[15] != 1.0)
    return "the last row is not 0 0 0 1";
  for (size_t i = 0; i < 3; ++i) {
    memcpy(pose->rotation[i], m + 4 * i, sizeof pose->rotation[i]);
    pose->translation[i] = m[4 * i + 3];
  }
  return NULL;
}

const char *text_read_pose(const char *path, fricp_pose *pose) {
  char *text = text_read_file(path, NULL);
  if (!text)
    return "cannot be read";
  const char *problem = parse_pose(text, pose);
  free(text);
  return problem;
}

void text_print_pose(FILE *stream, const fricp_pose *pose) {
  locale_t c = c_locale(), before = uselocale(c);
  for (int i = 0; i < 3; ++i)
    fprintf(stream, "%.17g %.17g %.17g %.17g\n", pose->rotation[i][0], pose->rotation[i][1], pose->rotation[i][2],
            pose->translation[i]);
  fputs("0 0 0 1\n", stream);
  uselocale(before);
  freelocale(c);
}

const char *text_write_pose(const char *path, const fricp_pose *pose) {
  FILE *file = fopen(path, "w");
  if (!file)
    return "cannot be written";
  text_print_pose(file, pose);
  int failed = ferror(file);
  failed |= fclose(file) != 0;
  return failed ? "cannot be written" : NULL;
}
