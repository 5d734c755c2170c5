// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a file for the tool: what it is, its content says.
#include "fuzz_target.h"
#include "reading.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fricp::test::Readings count;
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const std::string fault = fricp::test::read_one(bytes, "", count);
  if (!fault.empty()) {
    std::fprintf(stderr, "broken promise: %s\n", fault.c_str());
    std::abort();
  }
  return 0;
}
