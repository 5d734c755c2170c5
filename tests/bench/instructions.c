/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What instructions.sh counts the instructions of: `fricp_instructions NAME` does that work, by one thread, inside the
 * function counted(). `fricp_instructions` prints what counts depend on besides the code, then the names.
 */
#include "base/isa.h"
#include "hard_clouds.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

enum { POINTS = 4000, HARD_POINTS = 2000, HARD_QUERIES = 64 };

typedef struct work {
  const char *name;
  int32_t method; /* a registration; -1: normals, -2: searches */
  fricp_cloud source;
  fricp_cloud target;
  double *normals;
  double (*hard[HARD_KINDS])[3];
  double query[HARD_KINDS][HARD_QUERIES][3];
} work;

static int registers(const work *w) {
  fricp_options options = FRICP_OPTIONS_INIT;
  fricp_result result = FRICP_RESULT_INIT;
  options.method = w->method;
  options.threads = 1;
  return fricp_register(&w->source, &w->target, NULL, &options, &result, NULL) == FRICP_OK && result.converged;
}

static int estimates(const work *w) {
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.threads = 1;
  return fricp_estimate_normals(&w->target, &options, NULL, w->normals, NULL) == FRICP_OK;
}

static int searches(const work *w) {
  fricp_target_options options = FRICP_TARGET_OPTIONS_INIT;
  options.given_normals_only = 1;
  options.threads = 1;
  for (int k = 0; k < HARD_KINDS; k++) {
    const fricp_cloud cloud = scene_view(&w->hard[k][0][0], HARD_POINTS, NULL, 3);
    fricp_target *target = NULL;
    int32_t index;
    double d2;
    if (fricp_target_create(&target, &cloud, &options, NULL) != FRICP_OK)
      return 0;
    for (int i = 0; i < HARD_QUERIES; i++)
      if (fricp_target_nearest(target, w->query[k][i], 1, INFINITY, &index, &d2) != 1)
        return 0;
    fricp_target_destroy(target);
  }
  return 1;
}

/* Callgrind collects from its beginning to its end, so that what makes the clouds is not counted. */
__attribute__((noinline)) int counted(const work *w);
int counted(const work *w) {
  return w->method >= 0 ? registers(w) : w->method == -1 ? estimates(w) : searches(w);
}

static int run(work *w) {
  const scene_spec spec = {.source_count = POINTS, .overlap = 0.75, .noise = 0.001, .angle = 10, .seed = 1};
  scene s;
  if (scene_make(&spec, &s))
    return 0;
  const int given = w->method >= 0 && fricp_method_uses_normals(w->method) && w->method != FRICP_METHOD_AUTO;
  w->source = scene_view(s.source, s.source_count, NULL, 3);
  w->target = scene_view(s.target, s.target_count, given ? s.target_normals : NULL, 3);
  w->normals = malloc(3 * s.target_count * sizeof *w->normals);
  for (int k = 0; k < HARD_KINDS; k++) {
    prng g = prng_seed(79, (uint64_t)k);
    w->hard[k] = hard_points((hard_kind)k, HARD_POINTS);
    for (int i = 0; i < HARD_QUERIES; i++)
      hard_query((hard_kind)k, (const double(*)[3])w->hard[k], HARD_POINTS, &g, w->query[k][i]);
  }
  const int done = w->normals && counted(w);
  for (int k = 0; k < HARD_KINDS; k++)
    free(w->hard[k]);
  free(w->normals);
  scene_free(&s);
  return done;
}

static void print_machine(void) {
  static const char *const isa[] = {[FR_ISA_GENERIC] = "generic", [FR_ISA_AVX2] = "avx2", [FR_ISA_AVX512] = "avx512"};
  char compiler[] = __VERSION__;
  compiler[strcspn(compiler, " ")] = '\0';
#ifdef __clang__
  const char *vendor = "clang";
#else
  const char *vendor = "gcc";
#endif
#ifdef __GLIBC__
  const char *library = gnu_get_libc_version();
#else
  const char *library = "other";
#endif
  printf("%s %s-%s libc-%s\n", isa[fr_best_isa()], vendor, compiler, library);
}

int main(int argc, char **argv) {
  static work works[] = {{.name = "robust-icp", .method = FRICP_METHOD_ROBUST_ICP},
                         {.name = "robust-icp-plane", .method = FRICP_METHOD_ROBUST_ICP_PLANE},
                         {.name = "auto", .method = FRICP_METHOD_AUTO},
                         {.name = "normals", .method = -1},
                         {.name = "hard-searches", .method = -2}};
  if (argc < 2)
    print_machine();
  for (size_t i = 0; i < sizeof works / sizeof *works; i++)
    if (argc < 2)
      printf("%s\n", works[i].name);
    else if (strcmp(argv[1], works[i].name) == 0)
      return run(&works[i]) ? 0 : 1;
  return argc < 2 ? 0 : 2;
}
