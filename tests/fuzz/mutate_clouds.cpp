// SPDX-License-Identifier: BSD-3-Clause
/*
 * mutate_clouds [FILES [SEED]]: makes so many damaged files of each format the tool reads and reads them in this one
 * process. Built and run by hand with 200000; the tests run a short form.
 */
#include "mutate.hpp"
#include "reading.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fricp::test {

namespace {

struct Count : Readings {
  std::size_t faults = 0;
  double slowest = 0; /**< seconds */
};

std::size_t run_heavy() {
  Count count;
  const Files files = heavy();
  for (std::size_t k = 0; k < files.size(); ++k) {
    const std::string fault = read_one(files[k], "", count);
    if (!fault.empty()) {
      ++count.faults;
      std::printf("heavy file %zu: %s\n", k, fault.c_str());
    }
  }
  std::printf("%-18s %zu files: %zu clouds, %zu refused, %zu faults; at most %.2f of the memory allowed\n", "heavy",
              files.size(), count.clouds, count.refused, count.faults, count.worst_share);
  return count.faults;
}

Count run(const Format &format, std::size_t files, std::uint64_t seed, const std::string &path) {
  Count count;
  for (std::size_t k = 0; k < files; ++k) {
    prng g = prng_seed(seed, k);
    std::string bytes = format.sound[k % format.sound.size()];
    const std::size_t times = k < format.sound.size() ? 0 : prng_below(&g, 4) + 1; // the sound ones too
    for (std::size_t n = 0; n < times && !bytes.empty(); ++n) {
      damage(bytes, g);
    }
    const bool by_file = k % 64 == 63;
    if (by_file) {
      std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    const auto start = std::chrono::steady_clock::now();
    std::string fault = read_one(bytes, by_file ? path : "", count);
    fault = times == 0 && count.refused > 0 ? "a sound file is refused" : fault;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    count.slowest = std::max(count.slowest, seconds.count());
    if (!fault.empty()) {
      ++count.faults;
      std::printf("%s, file %zu of seed %llu: %s\n", format.name, k, static_cast<unsigned long long>(seed),
                  fault.c_str());
    }
  }
  return count;
}

} // namespace

} // namespace fricp::test

int main(int count, char **words) {
  const std::size_t files = count > 1 ? std::strtoul(words[1], nullptr, 10) : 1000;
  const std::uint64_t seed = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  const std::string path = (std::filesystem::temp_directory_path() / "damaged-XXXXXX").string();
  std::string name = path;
  const int made = mkstemp(name.data());
  if (made < 0) {
    std::perror("mkstemp");
    return EXIT_FAILURE;
  }
  std::size_t faults = fricp::test::run_heavy();
  for (const fricp::test::Format &format : fricp::test::formats()) {
    const fricp::test::Count found = fricp::test::run(format, files, seed, name);
    std::printf("%-18s %zu files: %zu clouds, %zu refused, %zu faults; at most %.2f of the memory allowed, %.3f s\n",
                format.name, files, found.clouds, found.refused, found.faults, found.worst_share, found.slowest);
    faults += found.faults;
  }
  std::filesystem::remove(name);
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
