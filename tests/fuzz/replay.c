/* SPDX-License-Identifier: BSD-3-Clause */
/* A fuzz target as an ordinary test: files given on the command line (what a fuzzer found), then so many inputs from a
   fixed generator, half of them long runs of similar bytes, which make duplicates and flat clouds.
     fuzz_NAME INPUTS [FILE]... */
#include "fuzz_target.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 1500 };

static uint8_t input[1 << 16];

static int replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    return 1;
  }
  const size_t size = fread(input, 1, sizeof input, file);
  fclose(file);
  LLVMFuzzerTestOneInput(input, size);
  return 0;
}

int main(int argc, char **argv) {
  const long inputs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
  int failed = 0;
  for (int i = 2; i < argc; ++i)
    failed |= replay(argv[i]);
  uint64_t state = 20;
  for (int n = 0; n < inputs; ++n) {
    size_t size = 0;
    while (size < LONGEST) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const size_t run = n % 2 ? 1 + (size_t)(state >> 60) : 1;
      for (size_t i = 0; i < run && size < LONGEST; ++i)
        input[size++] = (uint8_t)(state >> 40);
    }
    input[0] = (uint8_t)(n / 2);
    LLVMFuzzerTestOneInput(input, size);
  }
  return failed;
}
