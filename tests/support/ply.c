/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* strtok_r, newlocale */
#include "ply.h"

#include <ctype.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MAX_PROPERTIES = 64, FIELDS = 6 };

typedef enum type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, NO_TYPE } type;
static const size_t type_size[] = {1, 1, 2, 2, 4, 4, 4, 8, 0};
static const char *const type_names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                            {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                            {"float", "float32"}, {"double", "float64"}};

typedef struct header {
  int ascii, swapped;
  size_t count;
  size_t properties;
  type types[MAX_PROPERTIES];
  int field[MAX_PROPERTIES]; /* 0..5: x y z nx ny nz; -1: something else */
  int seen[FIELDS];
} header;

static type type_from_name(const char *name) {
  for (int t = 0; t < NO_TYPE; ++t)
    if (strcmp(name, type_names[t][0]) == 0 || strcmp(name, type_names[t][1]) == 0)
      return (type)t;
  return NO_TYPE;
}

static const char *read_format(header *h, const char *name) {
  const uint16_t one = 1;
  int little = *(const unsigned char *)&one;
  h->ascii = strcmp(name, "ascii") == 0;
  if (strcmp(name, "binary_little_endian") == 0)
    h->swapped = !little;
  else if (strcmp(name, "binary_big_endian") == 0)
    h->swapped = little;
  else if (!h->ascii)
    return "unknown format";
  return NULL;
}

static const char *read_property(header *h, const char *kind, const char *name) {
  static const char *const fields[FIELDS] = {"x", "y", "z", "nx", "ny", "nz"};
  type t = type_from_name(kind);
  if (t == NO_TYPE || h->properties == MAX_PROPERTIES)
    return "a vertex property of an unknown type, a list, or too many of them";
  h->types[h->properties] = t;
  h->field[h->properties] = -1;
  for (int f = 0; f < FIELDS; ++f)
    if (strcmp(name, fields[f]) == 0) {
      h->field[h->properties] = f;
      h->seen[f] = 1;
    }
  ++h->properties;
  return NULL;
}

/* One line of the header. *element: 0 before any, 1 in the vertex element, 2 in a later one. */
static const char *read_line(header *h, char *line, int *element) {
  char words[3][32] = {"", "", ""};
  int n = sscanf(line, "%31s %31s %31s", words[0], words[1], words[2]);
  if (n <= 0 || strcmp(words[0], "comment") == 0 || strcmp(words[0], "obj_info") == 0)
    return NULL;
  if (strcmp(words[0], "format") == 0)
    return read_format(h, words[1]);
  if (strcmp(words[0], "element") == 0) {
    int vertex = strcmp(words[1], "vertex") == 0;
    if (*element == 0 && !vertex)
      return "the first element is not vertex";
    *element = vertex && *element == 0 ? 1 : 2;
    if (*element == 1)
      h->count = (size_t)strtoull(words[2], NULL, 10);
    return NULL;
  }
  if (strcmp(words[0], "property") == 0)
    return *element == 1 ? read_property(h, words[1], words[2]) : NULL;
  return "an unknown line in the header";
}

static const char *read_header(header *h, char *text, char **body) {
  int element = 0;
  memset(h, 0, sizeof *h);
  if (strncmp(text, "ply", 3) != 0 || !isspace((unsigned char)text[3]))
    return "not a PLY file";
  for (char *line = strchr(text, '\n'); line; line = *body) {
    ++line;
    char *end = strchr(line, '\n');
    if (!end)
      break;
    *end = '\0';
    *body = end;
    if (strncmp(line, "end_header", 10) == 0) {
      ++*body;
      return h->seen[0] && h->seen[1] && h->seen[2] ? NULL : "no x, y and z";
    }
    const char *problem = read_line(h, line, &element);
    if (problem)
      return problem;
  }
  return "the header does not end";
}

static double decode(const unsigned char *bytes, type t, int swapped) {
  unsigned char b[8];
  size_t n = type_size[t];
  for (size_t i = 0; i < n; ++i)
    b[i] = bytes[swapped ? n - 1 - i : i];
#define AS(T)                                                                                                          \
  do {                                                                                                                 \
    T value;                                                                                                           \
    memcpy(&value, b, sizeof value);                                                                                   \
    return (double)value;                                                                                              \
  } while (0)
  switch (t) {
  case INT8:
    AS(int8_t);
  case UINT8:
    AS(uint8_t);
  case INT16:
    AS(int16_t);
  case UINT16:
    AS(uint16_t);
  case INT32:
    AS(int32_t);
  case UINT32:
    AS(uint32_t);
  case FLOAT32:
    AS(float);
  case FLOAT64:
    AS(double);
  case NO_TYPE:
    break;
  }
#undef AS
  return 0.0;
}

static void store(ply_cloud *cloud, int field, size_t i, double value) {
  if (field >= 0 && field < 3)
    cloud->points[3 * i + (size_t)field] = value;
  else if (field >= 3 && cloud->normals)
    cloud->normals[3 * i + (size_t)field - 3] = value;
}

static const char *read_binary(const header *h, const char *body, size_t left, ply_cloud *cloud) {
  size_t row = 0;
  for (size_t p = 0; p < h->properties; ++p)
    row += type_size[h->types[p]];
  if (row == 0 || left / row < h->count)
    return "the file is shorter than its header says";
  const unsigned char *at = (const unsigned char *)body;
  for (size_t i = 0; i < h->count; ++i)
    for (size_t p = 0; p < h->properties; at += type_size[h->types[p]], ++p)
      store(cloud, h->field[p], i, decode(at, h->types[p], h->swapped));
  return NULL;
}

static const char *read_ascii(const header *h, char *body, ply_cloud *cloud) {
  char *rest = NULL, *word = strtok_r(body, " \t\r\n", &rest);
  for (size_t i = 0; i < h->count; ++i)
    for (size_t p = 0; p < h->properties; word = strtok_r(NULL, " \t\r\n", &rest), ++p) {
      double value;
      if (!word)
        return "the file is shorter than its header says";
      if (text_number(word, &value) != 0)
        return "something that is not a number";
      /* What a float property holds is a float, also where the text of it has other digits. */
      store(cloud, h->field[p], i, h->types[p] == FLOAT32 ? (double)(float)value : value);
    }
  return NULL;
}

const char *ply_read(const char *path, ply_cloud *cloud) {
  size_t length = 0;
  header h;
  char *body = NULL, *text = text_read_file(path, &length);
  memset(cloud, 0, sizeof *cloud);
  if (!text)
    return "cannot be read";
  const char *problem = read_header(&h, text, &body);
  if (!problem && h.count > length)
    problem = "the file is shorter than its header says";
  if (!problem) {
    cloud->count = h.count;
    cloud->points = malloc((h.count + 1) * 3 * sizeof(double));
    if (h.seen[3] && h.seen[4] && h.seen[5])
      cloud->normals = malloc((h.count + 1) * 3 * sizeof(double));
    if (!cloud->points || (h.seen[3] && h.seen[4] && h.seen[5] && !cloud->normals))
      problem = "out of memory";
    else
      problem = h.ascii ? read_ascii(&h, body, cloud) : read_binary(&h, body, length - (size_t)(body - text), cloud);
  }
  free(text);
  if (problem)
    ply_free(cloud);
  return problem;
}

void ply_free(ply_cloud *cloud) {
  free(cloud->points);
  free(cloud->normals);
  memset(cloud, 0, sizeof *cloud);
}

static void write_numbers(FILE *file, const double *x, ply_format format, fricp_scalar scalar) {
  for (int k = 0; k < 3; ++k) {
    const float single = (float)x[k];
    if (format == PLY_ASCII)
      fprintf(file, scalar == FRICP_SCALAR_FLOAT ? "%.9g " : "%.17g ",
              scalar == FRICP_SCALAR_FLOAT ? (double)single : x[k]);
    else if (scalar == FRICP_SCALAR_FLOAT)
      fwrite(&single, sizeof single, 1, file);
    else
      fwrite(&x[k], sizeof x[k], 1, file);
  }
}

static void write_cloud(FILE *file, const double *points, const double *normals, size_t count, ply_format format,
                        fricp_scalar scalar) {
  const uint16_t one = 1;
  const char *binary = *(const unsigned char *)&one ? "binary_little_endian" : "binary_big_endian";
  const char *name = scalar == FRICP_SCALAR_FLOAT ? "float" : "double";
  static const char *const fields[FIELDS] = {"x", "y", "z", "nx", "ny", "nz"};
  locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(c);
  fprintf(file, "ply\nformat %s 1.0\nelement vertex %zu\n", format == PLY_ASCII ? "ascii" : binary, count);
  for (int f = 0; f < (normals ? 6 : 3); ++f)
    fprintf(file, "property %s %s\n", name, fields[f]);
  fputs("end_header\n", file);
  for (size_t i = 0; i < count; ++i) {
    write_numbers(file, points + 3 * i, format, scalar);
    if (normals)
      write_numbers(file, normals + 3 * i, format, scalar);
    if (format == PLY_ASCII)
      fputc('\n', file);
  }
  uselocale(before);
  freelocale(c);
}

const char *ply_write(const char *path, const double *points, const double *normals, size_t count, ply_format format,
                      fricp_scalar scalar) {
  size_t length = strlen(path) + 6;
  char *part = malloc(length);
  if (!part)
    return "out of memory";
  snprintf(part, length, "%s.part", path);
  FILE *file = fopen(part, "wb");
  int failed = !file;
  if (file) {
    write_cloud(file, points, normals, count, format, scalar);
    failed = ferror(file);
    failed |= fclose(file) != 0;
    failed = failed || rename(part, path) != 0;
    if (failed)
      remove(part);
  }
  free(part);
  return failed ? "cannot be written" : NULL;
}
