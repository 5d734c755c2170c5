// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file mutate.hpp
 * Sound files of every format that the tool reads, files that are heavy for their size, and damage.
 */
#ifndef FRICP_TEST_MUTATE_HPP
#define FRICP_TEST_MUTATE_HPP

#include "prng.h"

#include <string>
#include <vector>

namespace fricp::test {

using Files = std::vector<std::string>;

struct Format {
  const char *name;
  Files sound;
};

std::vector<Format> formats();

/** What takes most memory for its bytes: the shortest numbers, fields, elements, columns; and headers that promise. */
Files heavy();

/** One kind of damage at a random place. */
void damage(std::string &bytes, prng &g);

} // namespace fricp::test

#endif
