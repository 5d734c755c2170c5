/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the options of a call: every row of the option table, the pointers, and how large the caller says the
   struct is, which lies at the end of its memory. Clouds are small and sound, so what fails is the options' doing. The
   answer is judged as attack_api judges it. */
#include "api/option_table.h"
#include "attack.h"
#include "fricp/fricp.h"
#include "fuzz_bytes.h"
#include "fuzz_target.h"
#include "scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void finding(const char *kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "broken promise: %s: ", kind);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  abort();
}

void count_call(void) {
}

/* Mostly the default, else in the range, at its ends, just outside, anything. */
static int32_t next_whole(bytes *b, const fr_option *row) {
  const int64_t least = (int64_t)row->least, most = (int64_t)row->most;
  const int64_t span = most - least < 64 ? most - least + 1 : 64;
  int64_t value = 0;
  int32_t pattern = 0;
  switch (next_byte(b) % 8) {
  case 3:
  case 4:
    value = least + (int64_t)next_byte(b) % span;
    break;
  case 5:
    value = most;
    break;
  case 6:
    value = next_byte(b) & 1 ? least - 1 : most + 1;
    break;
  case 7:
    next_bits(b, &pattern, sizeof pattern);
    return pattern;
  default:
    break;
  }
  return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

static double next_real(bytes *b, double most) {
  static const double ends[] = {INFINITY, -INFINITY, NAN, -0.0, 5e-324, -5e-324, 1e-300, 1e300};
  double value = 0;
  switch (next_byte(b) % 8) {
  case 3:
  case 4:
    return (1 + next_byte(b)) / 256.0 * fmin(most, 4);
  case 5:
    return most;
  case 6:
    return ends[next_byte(b) % COUNT(ends)];
  case 7:
    next_bits(b, &value, sizeof value);
    return value;
  default:
    return 0;
  }
}

static void next_rows(bytes *b, void *options, const fr_option *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char *field = (char *)options + rows[i].offset;
    if (rows[i].kind == FR_WHOLE)
      *(int32_t *)(void *)field = next_whole(b, &rows[i]);
    else
      *(double *)(void *)field = next_real(b, rows[i].most);
  }
}

/* A shift, and now and then any numbers for the rotation. */
static fricp_pose next_pose(bytes *b) {
  fricp_pose pose = fricp_pose_identity();
  for (int i = 0; i < 3; i++)
    pose.translation[i] = next_real(b, 1);
  for (int i = 0; i < 9 && next_byte(b) % 8 == 7; i++)
    pose.rotation[i / 3][i % 3] = next_real(b, 1);
  return pose;
}

static void next_prior(bytes *b, fricp_prior *prior) {
  for (int i = 0; i < 3; i++)
    prior->center[i] = next_real(b, 1);
  for (int i = 0; i < 6; i++)
    prior->information[i][i] = next_real(b, 1e6);
  for (int n = next_byte(b) % 8; n > 4; n--) {
    const unsigned at = next_byte(b) % 36;
    prior->information[at / 6][at % 6] = prior->information[at % 6][at / 6] = next_real(b, 1e3);
  }
}

/* What is allowed, but takes long. */
static void shorten(int32_t *number, int32_t most, int32_t enough) {
  if (*number > enough && *number <= most)
    *number = 1 + *number % enough;
}

typedef struct given {
  fricp_options options;
  fricp_target_options target;
  fricp_pose guess, frame, belief;
  fricp_prior prior;
  double sensor[3];
  hooks hooks;
  int guessed;
} given;

static void next_given(bytes *b, given *g) {
  const given blank = {.options = FRICP_OPTIONS_INIT, .target = FRICP_TARGET_OPTIONS_INIT, .prior = FRICP_PRIOR_INIT};
  *g = blank;
  next_rows(b, &g->options, fr_option_rows, FR_OPTION_COUNT);
  next_rows(b, &g->target, fr_target_option_rows, FR_TARGET_OPTION_COUNT);
  const unsigned method = next_byte(b);
  if (g->options.method == FRICP_METHOD_AUTO && method % 16 != 0) /* auto takes the time of many */
    g->options.method = 1 + (int32_t)method % FRICP_METHOD_SPARSE_ICP_PLANE;
  shorten(&g->options.max_iterations, INT32_MAX - 1, 60);
  shorten(&g->options.starts, 1000, 6);
  const unsigned parts = next_byte(b);
  g->guessed = parts & 1;
  if (g->guessed)
    g->guess = next_pose(b);
  if (parts & 2) {
    g->frame = next_pose(b);
    g->options.motion_frame = &g->frame;
  }
  if (parts & 4) {
    next_prior(b, &g->prior);
    g->options.prior = &g->prior;
  }
  if (parts & 8) {
    g->belief = next_pose(b);
    g->prior.pose = &g->belief;
  }
  if (parts & 16) {
    g->options.accept_pair = gate;
    g->options.pair_context = &g->hooks;
    next_bits(b, &g->hooks.salt, sizeof g->hooks.salt);
  }
  if (parts & 32) {
    g->options.progress = watch;
    g->options.progress_context = &g->hooks;
    g->hooks.left = (int)(next_byte(b) % 16);
  }
  if (parts & 64)
    g->options.reserved = (int32_t)next_byte(b);
  if (parts & 128) {
    next_bits(b, g->sensor, sizeof g->sensor);
    *(g->sensor[0] > 0 ? &g->options.source_sensor : &g->options.target_sensor) = g->sensor;
  }
}

/* The struct as a caller of an older or newer header has it: so many bytes and no more; a newer field may be set. */
static fricp_options *next_struct(bytes *b, const fricp_options *options, size_t *tail) {
  const unsigned how = next_byte(b);
  size_t size = sizeof *options;
  if (how % 4 == 1)
    size = next_byte(b) * (how & 4 ? 1 : sizeof(void *));
  if (how % 4 == 2)
    next_bits(b, &size, sizeof size);
  /* No version is larger than 64 KiB: such a size must be refused without a look. */
  const size_t held = size < sizeof size || size > 1u << 16 ? sizeof size : size;
  unsigned char *memory = calloc(1, held);
  if (!memory)
    abort();
  memcpy(memory, options, held < sizeof *options ? held : sizeof *options);
  if (held > sizeof *options)
    memory[held - 1] = (unsigned char)(*tail = next_byte(b));
  memcpy(memory, &size, sizeof size);
  return (fricp_options *)(void *)memory;
}

/* What the library knows of it. */
static fricp_options known_of(const fricp_options *passed) {
  fricp_options known = FRICP_OPTIONS_INIT;
  memcpy(&known, passed, passed->struct_size < sizeof known ? passed->struct_size : sizeof known);
  known.struct_size = sizeof known;
  return known;
}

/* Made once, kept. */
static const scene *scene_of(unsigned number) {
  static const scene_kind kinds[] = {SCENE_BLOB, SCENE_CORRIDOR, SCENE_FLOOR, SCENE_OUTLINE};
  static scene made[COUNT(kinds)];
  const unsigned k = number % COUNT(kinds);
  const scene_spec spec = {.kind = kinds[k],
                           .source_count = 32,
                           .target_count = 40,
                           .seed = k,
                           .noise = 0.002,
                           .angle = 4,
                           .shift = {0.01, 0.02, -0.01}};
  if (!made[k].source && scene_make(&spec, &made[k]) != NULL)
    abort();
  return &made[k];
}

static void judge(fricp_status status, const char *text, const fricp_result *r, const given *g,
                  const fricp_options *passed, size_t tail, const fricp_cloud *source, const fricp_cloud *target) {
  if (status != FRICP_OK) {
    judge_error(status, text, r, g->guessed ? &g->guess : NULL);
    return;
  }
  if (passed->struct_size < sizeof passed->struct_size || passed->struct_size > 1u << 16 || tail != 0)
    finding("a struct of no version is taken", "struct_size %zu, tail %zu", passed->struct_size, tail);
  const fricp_options known = known_of(passed);
  judge_result(r, &known, source, target);
}

static void align(const fricp_cloud *source, const fricp_cloud *target, const given *g, const fricp_options *passed,
                  size_t tail) {
  fricp_target *prepared = NULL;
  fricp_solver *solver = NULL;
  fricp_error error;
  fricp_result r = FRICP_RESULT_INIT;
  const fricp_status made = fricp_target_create(&prepared, target, &g->target, &error);
  if (made != FRICP_OK && (prepared || error.status != (int32_t)made || strlen(error.text) < 10))
    finding("error without a text", "create: %d: '%s'", made, error.text);
  if (made == FRICP_OK && fricp_solver_create(&solver, NULL) == FRICP_OK) {
    judge_target(prepared, target, &g->target);
    const fricp_status status = fricp_solver_align(solver, prepared, source, g->guessed ? &g->guess : NULL, passed, &r);
    judge(status, fricp_solver_last_error(solver), &r, g, passed, tail, source, target);
    if (status == FRICP_OK) {
      const fricp_options known = known_of(passed);
      judge_solver(solver, &r, &known, source, target);
    }
  }
  fricp_solver_destroy(solver);
  fricp_target_destroy(prepared);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, size};
  const unsigned what = next_byte(&b);
  const scene *s = scene_of(what);
  const fricp_cloud source = scene_view(s->source, s->source_count, what & 4 ? s->source_normals : NULL, s->dimension);
  const fricp_cloud target = scene_view(s->target, s->target_count, what & 8 ? s->target_normals : NULL, s->dimension);
  given g;
  size_t tail = 0;
  next_given(&b, &g);
  g.hooks.source_count = source.count;
  g.hooks.target_count = target.count;
  fricp_options *passed = next_struct(&b, &g.options, &tail);
  if (what & 16) {
    align(&source, &target, &g, passed, tail);
  } else {
    fricp_result r = FRICP_RESULT_INIT;
    fricp_error error;
    const fricp_status status = fricp_register(&source, &target, g.guessed ? &g.guess : NULL, passed, &r, &error);
    judge(status, error.text, &r, &g, passed, tail, &source, &target);
  }
  free(passed);
  return 0;
}
