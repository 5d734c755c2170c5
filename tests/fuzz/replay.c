/* SPDX-License-Identifier: BSD-3-Clause */
/* The fuzz target as an ordinary test: files given on the command line (what a fuzzer found), else many inputs from a
   fixed generator, half of them long runs of similar bytes, which make duplicates and flat clouds.
     fuzz_replay [FILE]... */
#include "fuzz_register.h"

#include <stdio.h>
#include <string.h>

enum { INPUTS = 4000, LONGEST = 1500 };

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
  int failed = 0;
  for (int i = 1; i < argc; ++i)
    failed |= replay(argv[i]);
  uint64_t state = 20;
  for (int n = 0; n < INPUTS && argc < 2; ++n) {
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
