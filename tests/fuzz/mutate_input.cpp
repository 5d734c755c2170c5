// SPDX-License-Identifier: BSD-3-Clause
// Inputs for the readers' fuzz targets: a sound file of the kind FRICP_FUZZ_FORMAT ("pcd", "ply", "text"), damaged as
// mutate_clouds damages them and as libFuzzer does, so that no seeds are needed.
#include "fuzz_target.h"
#include "mutate.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace fricp::test {

namespace {

Files seeds() {
  Files files;
  for (const Format &format : formats()) {
    if (std::string_view(format.name).substr(0, std::string_view(FRICP_FUZZ_FORMAT).size()) == FRICP_FUZZ_FORMAT) {
      files.insert(files.end(), format.sound.begin(), format.sound.end());
    }
  }
  return files;
}

std::size_t put(const std::string &bytes, std::uint8_t *data, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  std::copy_n(bytes.begin(), size, data);
  return size;
}

} // namespace

} // namespace fricp::test

std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t max_size, unsigned seed) {
  static const fricp::test::Files sound = fricp::test::seeds();
  prng g = prng_seed(seed, 0);
  if (size < 8 || prng_below(&g, 256) == 0) {
    return fricp::test::put(sound[prng_below(&g, sound.size())], data, max_size);
  }
  if (prng_below(&g, 2) == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::string bytes(reinterpret_cast<const char *>(data), size);
  fricp::test::damage(bytes, g);
  return fricp::test::put(bytes, data, max_size);
}
