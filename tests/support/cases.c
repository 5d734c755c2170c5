/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "verify.h"

enum { MAX_COLUMNS = 64 };

const char *cases_shared_folder(void) {
  const char *folder = getenv("FRICP_SHARED");
  return folder && *folder ? folder : NULL;
}

/* Cut a line at its tabs, in place; empty columns stay. */
static size_t split(char *line, char *columns[MAX_COLUMNS]) {
  size_t n = 0;
  for (char *at = line; at && n < MAX_COLUMNS; ++n) {
    columns[n] = at;
    at = strchr(at, '\t');
    if (at)
      *at++ = '\0';
  }
  return n;
}

static int find(char *const names[], size_t n, const char *name) {
  for (size_t i = 0; i < n; ++i)
    if (strcmp(names[i], name) == 0)
      return (int)i;
  return -1;
}

typedef struct columns {
  int name, kind, graded, dimension, diameter, pass_rmse, source, target;
} columns;

static int find_columns(char *const names[], size_t n, columns *c) {
  c->name = find(names, n, "case");
  c->kind = find(names, n, "kind");
  c->graded = find(names, n, "graded");
  c->dimension = find(names, n, "dim");
  c->diameter = find(names, n, "diameter");
  c->pass_rmse = find(names, n, "pass_rmse");
  c->source = find(names, n, "source");
  c->target = find(names, n, "target");
  return c->name >= 0 && c->kind >= 0 && c->graded >= 0 && c->dimension >= 0 && c->diameter >= 0 && c->pass_rmse >= 0 &&
         c->source >= 0 && c->target >= 0;
}

static int read_row(char *const word[], const columns *c, case_row *row) {
  double graded, dimension;
  int bad = text_number(word[c->graded], &graded) | text_number(word[c->dimension], &dimension) |
            text_number(word[c->diameter], &row->diameter) | text_number(word[c->pass_rmse], &row->pass_rmse);
  if (bad)
    return 0;
  row->graded = graded == 1.0;
  row->dimension = dimension == 2.0 ? 2 : 3;
  snprintf(row->name, sizeof row->name, "%s", word[c->name]);
  snprintf(row->kind, sizeof row->kind, "%s", word[c->kind]);
  snprintf(row->source, sizeof row->source, "%s", word[c->source]);
  snprintf(row->target, sizeof row->target, "%s", word[c->target]);
  return 1;
}

static const char *parse(char *text, case_row *rows, size_t *count) {
  char *rest = NULL, *names[MAX_COLUMNS], *words[MAX_COLUMNS];
  char *line = strtok_r(text, "\r\n", &rest);
  size_t width = line ? split(line, names) : 0;
  columns c;
  if (!find_columns(names, width, &c))
    return "index.tsv lacks one of the columns case, kind, graded, dim, diameter, pass_rmse, source, target";
  for (line = strtok_r(NULL, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
    if (split(line, words) != width || !read_row(words, &c, &rows[*count]))
      return "index.tsv has a malformed row";
    ++*count;
  }
  return NULL;
}

static void join(char *path, size_t room, const char *a, const char *b, const char *c) {
  snprintf(path, room, c ? "%s/%s/%s" : "%s/%s", a, b, c);
}

const char *cases_read_index(const char *folder, case_row **rows, size_t *count) {
  char path[4096];
  size_t lines = 1;
  *rows = NULL;
  *count = 0;
  join(path, sizeof path, folder, "index.tsv", NULL);
  char *text = text_read_file(path, NULL);
  if (!text)
    return "index.tsv cannot be read";
  for (const char *at = text; *at; ++at)
    lines += *at == '\n';
  *rows = calloc(lines, sizeof **rows);
  const char *problem = *rows ? parse(text, *rows, count) : "out of memory";
  free(text);
  if (problem) {
    free(*rows);
    *rows = NULL;
    *count = 0;
  }
  return problem;
}

const char *cases_load(const char *folder, const case_row *row, case_pair *pair) {
  char path[4096];
  memset(pair, 0, sizeof *pair);
  join(path, sizeof path, folder, row->name, row->source);
  const char *problem = ply_read(path, &pair->source);
  if (!problem) {
    join(path, sizeof path, folder, row->name, row->target);
    problem = ply_read(path, &pair->target);
  }
  if (!problem) {
    join(path, sizeof path, folder, row->name, "init.txt");
    problem = text_read_pose(path, &pair->start);
  }
  if (!problem) {
    join(path, sizeof path, folder, row->name, "gt.txt");
    problem = text_read_pose(path, &pair->truth[0]);
    pair->truths = 1;
  }
  if (!problem) {
    join(path, sizeof path, folder, row->name, "gt_refined.txt");
    pair->truths += text_read_pose(path, &pair->truth[1]) == NULL;
  }
  if (problem)
    cases_free(pair);
  return problem;
}

void cases_free(case_pair *pair) {
  ply_free(&pair->source);
  ply_free(&pair->target);
  memset(pair, 0, sizeof *pair);
}

case_verdict cases_judge(const case_row *row, const case_pair *pair, const fricp_pose *pose) {
  case_verdict v = {INFINITY, NAN, 0};
  if (!verify_finite(pose))
    return v;
  for (int i = 0; i < pair->truths; ++i) {
    double rmse = verify_rmse(pose, &pair->truth[i], pair->source.points, pair->source.count);
    if (rmse < v.rmse) {
      v.rmse = rmse;
      v.angle_degrees = verify_angle_degrees(pose, &pair->truth[i]);
    }
  }
  v.passed = v.rmse <= row->pass_rmse;
  return v;
}
