/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a generated pair of clouds, or a sequence of scans, with the true poses. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ply.h"
#include "scene.h"
#include "text.h"

static const char usage[] =
    "usage: fricp_scene [options] DIRECTORY\n"
    "Writes source.ply, target.ply and truth.txt (4x4, p_target = T p_source) into DIRECTORY.\n"
    "  --kind NAME      blob (default), torus, room, corridor, floor, lidar, outline, laser\n"
    "  --points N       of the source; default 2000     --target-points N  of the target; default as the source\n"
    "  --overlap X      share of the source that the target shows too, 0 to 1; default 1\n"
    "  --noise X        standard deviation, as a share of the diameter; default 0\n"
    "  --outliers X     share of each cloud; default 0\n"
    "  --angle DEGREES  true rotation; default 0         --axis X,Y,Z\n"
    "  --shift X,Y,Z    true translation, as shares of the diameter\n"
    "  --scale X        unit                             --offset X,Y,Z    origin\n"
    "  --seed N         another scene                    --same            both clouds show the same points\n"
    "  --rings N        lidar: so many rings\n"
    "  --scans N        a sequence instead: scan000.ply, pose000.txt (world from scan), ...; kind lidar or laser\n"
    "  --loop X         share of the loop that the sequence drives, 0 to 1; default 1\n"
    "  --normals        write normals too                --float           float coordinates; default double\n"
    "  --ascii          default binary\n";

typedef struct arguments {
  scene_spec spec;
  size_t scans;
  double loop;
  int normals;
  ply_format format;
  fricp_scalar scalar;
  const char *folder;
} arguments;

static int fail(const char *what, const char *problem) {
  fprintf(stderr, "fricp_scene: %s: %s\n", what, problem);
  return 1;
}

static int three(const char *text, double x[3]) {
  char copy[128], *rest = NULL;
  int n = 0;
  if (strlen(text) >= sizeof copy)
    return -1;
  memcpy(copy, text, strlen(text) + 1);
  for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest), ++n)
    if (n == 3 || text_number(word, &x[n]) != 0)
      return -1;
  return n == 3 ? 0 : -1;
}

static int count(const char *text, size_t *value) {
  double x;
  if (text_number(text, &x) != 0 || !(x >= 0.0 && x <= 2e9) || x != (double)(size_t)x)
    return -1;
  *value = (size_t)x;
  return 0;
}

static int parse_flag(arguments *a, const char *name) {
  if (strcmp(name, "--same") == 0)
    a->spec.same_sample = 1;
  else if (strcmp(name, "--normals") == 0)
    a->normals = 1;
  else if (strcmp(name, "--ascii") == 0)
    a->format = PLY_ASCII;
  else if (strcmp(name, "--float") == 0)
    a->scalar = FRICP_SCALAR_FLOAT;
  else
    return -1;
  return 0;
}

static int parse_value(arguments *a, const char *name, const char *value) {
  scene_spec *s = &a->spec;
  const struct {
    const char *name;
    double *number, *triple;
    size_t *count;
  } options[] = {{"--points", NULL, NULL, &s->source_count}, {"--target-points", NULL, NULL, &s->target_count},
                 {"--scans", NULL, NULL, &a->scans},         {"--overlap", &s->overlap, NULL, NULL},
                 {"--noise", &s->noise, NULL, NULL},         {"--outliers", &s->outliers, NULL, NULL},
                 {"--angle", &s->angle, NULL, NULL},         {"--scale", &s->scale, NULL, NULL},
                 {"--loop", &a->loop, NULL, NULL},           {"--axis", NULL, s->axis, NULL},
                 {"--shift", NULL, s->shift, NULL},          {"--offset", NULL, s->offset, NULL}};
  size_t n = 0;
  if (strcmp(name, "--kind") == 0)
    return scene_kind_from_name(value, &s->kind);
  if (strcmp(name, "--seed") == 0 || strcmp(name, "--rings") == 0) {
    if (count(value, &n) != 0)
      return -1;
    if (name[2] == 's')
      s->seed = n;
    else
      s->rings = (int)n;
    return 0;
  }
  for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i)
    if (strcmp(name, options[i].name) == 0)
      return options[i].number   ? text_number(value, options[i].number)
             : options[i].triple ? three(value, options[i].triple)
                                 : count(value, options[i].count);
  return -1;
}

static int takes_value(const char *name) {
  static const char *const flags[] = {"--same", "--normals", "--ascii", "--float"};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i)
    if (strcmp(name, flags[i]) == 0)
      return 0;
  return 1;
}

static int parse(arguments *a, int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    if (strncmp(name, "--", 2) != 0) {
      if (a->folder)
        return fail(name, "one directory only");
      a->folder = name;
    } else if (!takes_value(name)) {
      parse_flag(a, name);
    } else if (i + 1 == argc || parse_value(a, name, argv[i + 1]) != 0) {
      return fail(name, "unknown option, or not a value that it takes; see --help");
    } else {
      ++i;
    }
  }
  return a->folder ? 0 : fail("arguments", "no directory given; see --help");
}

static const char *write_cloud(const arguments *a, const char *name, const double *points, const double *normals,
                               size_t n) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", a->folder, name);
  return ply_write(path, points, a->normals ? normals : NULL, n, a->format, a->scalar);
}

static const char *write_pose(const arguments *a, const char *name, const fricp_pose *pose) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", a->folder, name);
  return text_write_pose(path, pose);
}

static const char *write_pair(const arguments *a) {
  scene s;
  const char *problem = scene_make(&a->spec, &s);
  if (!problem)
    problem = write_cloud(a, "source.ply", s.source, s.source_normals, s.source_count);
  if (!problem)
    problem = write_cloud(a, "target.ply", s.target, s.target_normals, s.target_count);
  if (!problem)
    problem = write_pose(a, "truth.txt", &s.target_from_source);
  if (!problem)
    printf("source.ply %zu points, target.ply %zu points, overlap %.2f, diameter %.4g\n", s.source_count,
           s.target_count, s.overlap_source, s.diameter);
  scene_free(&s);
  return problem;
}

static const char *write_sequence(const arguments *a) {
  sequence_spec spec = {0};
  sequence s;
  spec.scans = a->scans;
  spec.points = a->spec.source_count;
  spec.seed = a->spec.seed;
  spec.noise = a->spec.noise;
  spec.loop_part = a->loop;
  spec.rings = a->spec.rings;
  spec.dimension = a->spec.kind == SCENE_LASER ? 2 : 3;
  if (a->normals)
    return "a sequence has no normals";
  const char *problem = sequence_make(&spec, &s);
  for (size_t k = 0; k < s.scans && !problem; ++k) {
    char name[64];
    snprintf(name, sizeof name, "scan%03zu.ply", k);
    problem = write_cloud(a, name, s.scan[k], NULL, s.points);
    snprintf(name, sizeof name, "pose%03zu.txt", k);
    if (!problem)
      problem = write_pose(a, name, &s.world_from_scan[k]);
  }
  if (!problem)
    printf("%zu scans of %zu points\n", s.scans, s.points);
  sequence_free(&s);
  return problem;
}

int main(int argc, char **argv) {
  arguments a;
  memset(&a, 0, sizeof a);
  a.format = PLY_BINARY;
  if (argc == 2 && strcmp(argv[1], "--help") == 0)
    return fputs(usage, stdout) < 0;
  if (parse(&a, argc, argv) != 0)
    return 2;
  if (mkdir(a.folder, 0777) != 0 && errno != EEXIST)
    return fail(a.folder, "cannot be made");
  const char *problem = a.scans ? write_sequence(&a) : write_pair(&a);
  return problem ? fail(a.folder, problem) : 0;
}
