// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file reading.hpp
 * What must hold when the tool's readers read bytes, whatever these are. Linking it counts all memory of the program
 * that new takes.
 */
#ifndef FRICP_TEST_READING_HPP
#define FRICP_TEST_READING_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace fricp::test {

struct Readings {
  std::size_t clouds = 0;
  std::size_t refused = 0;
  double worst_share = 0; /**< of the memory allowed */
};

/**
 * Reads once: a cloud that holds together or an Error that names the file, within ten times the bytes and 1 MiB.
 * @param path  of a file with these bytes and "damaged" in its name; "": they are read from memory.
 * @return "" or what is wrong.
 */
std::string read_one(std::string_view bytes, const std::string &path, Readings &count);

} // namespace fricp::test

#endif
