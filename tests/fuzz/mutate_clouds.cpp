// SPDX-License-Identifier: BSD-3-Clause
/*
 * mutate_clouds [FILES [SEED]]: makes so many damaged files of each format the tool reads and reads them in this one
 * process. Each must give a cloud that holds together or an Error, and must not take more memory than ten times its
 * bytes and 1 MiB. Built and run by hand with 200000; the tests run a short form.
 */
#include "cloud_io.hpp"
#include "fields.hpp"
#include "mutate.hpp"
#include "points.hpp"
#include "text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <malloc.h>

namespace {

std::size_t live = 0;
std::size_t peak = 0;

void *counted(std::size_t size) {
  void *const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  live += malloc_usable_size(memory);
  peak = std::max(peak, live);
  return memory;
}

void uncounted(void *memory) {
  live -= memory == nullptr ? 0 : malloc_usable_size(memory);
  std::free(memory);
}

} // namespace

void *operator new(std::size_t size) {
  return counted(size);
}
void *operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void *memory) noexcept {
  uncounted(memory);
}
void operator delete[](void *memory) noexcept {
  uncounted(memory);
}
void operator delete(void *memory, std::size_t /*size*/) noexcept {
  uncounted(memory);
}
void operator delete[](void *memory, std::size_t /*size*/) noexcept {
  uncounted(memory);
}

namespace fricp::test {

namespace {

struct Count {
  std::size_t clouds = 0;
  std::size_t refused = 0;
  std::size_t faults = 0;
  double worst_share = 0; /**< of the memory allowed */
  double slowest = 0;     /**< seconds */
};

/** A cloud must be fit for what follows: its bytes are there, its coordinates can be read. */
bool holds_together(const tool::Cloud &cloud) {
  if (cloud.data.data.size() != cloud.size() * cloud.data.point_step) {
    return false;
  }
  for (const pcl::PCLPointField &field : cloud.data.fields) {
    if (field.offset + tool::size_of(field.datatype) * field.count > cloud.data.point_step) {
      return false;
    }
  }
  return tool::bounds_of(cloud).count <= cloud.size();
}

/** @return "" or what is wrong. @param path  "": the bytes are read from memory. */
std::string read_one(const std::string &bytes, const std::string &path, Count &count) {
  const std::unique_ptr<char[]> exact(
      new char[std::max<std::size_t>(bytes.size(), 1)]); // so that a sanitizer sees its end
  std::copy(bytes.begin(), bytes.end(), exact.get());
  const std::size_t before = live;
  peak = live;
  std::string fault;
  try {
    const tool::Cloud cloud =
        path.empty() ? tool::parse_cloud({exact.get(), bytes.size()}, "damaged") : tool::read_cloud(path);
    ++count.clouds;
    fault = holds_together(cloud) ? "" : "the cloud does not hold together";
  } catch (const tool::Error &refusal) {
    ++count.refused;
    const std::string text = refusal.what();
    fault = text.size() > 1000 || text.find("damaged") == std::string::npos ? "a message without end or name" : "";
  } catch (const std::exception &exception) {
    fault = std::string("escaped: ") + exception.what();
  }
  const double allowed = 10 * static_cast<double>(bytes.size()) + (1 << 20);
  const double taken = static_cast<double>(peak - before + bytes.size());
  count.worst_share = std::max(count.worst_share, taken / allowed);
  return taken > allowed ? "takes " + std::to_string(taken) + " bytes for " + std::to_string(bytes.size()) : fault;
}

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
