// SPDX-License-Identifier: BSD-3-Clause
#include "reading.hpp"

#include "cloud_io.hpp"
#include "fields.hpp"
#include "points.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>

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
void *operator new(std::size_t size, const std::nothrow_t & /*unused*/) noexcept {
  try {
    return counted(size);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
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

} // namespace

std::string read_one(std::string_view bytes, const std::string &path, Readings &count) {
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

} // namespace fricp::test
