// SPDX-License-Identifier: BSD-3-Clause
/*
 * mutate_clouds [FILES [SEED]]: makes so many damaged files of each format the tool reads and reads them in this one
 * process. Each must give a cloud that holds together or an Error, and must not take more memory than ten times its
 * bytes and 1 MiB. Built and run by hand with 200000; the tests run a short form.
 */
#include "cloud_io.hpp"
#include "fields.hpp"
#include "points.hpp"
#include "text.hpp"

#include "prng.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

using Files = std::vector<std::string>;

constexpr std::size_t points = 12;

template <typename T> std::string raw(T value, bool reversed = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return reversed ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

float coordinate(std::size_t point, std::size_t axis) {
  return 0.125F * static_cast<float>((7 * point + 3 * axis) % 16) - 1;
}

std::string rows(const char *separator, std::size_t columns) {
  std::string text;
  for (std::size_t k = 0; k < points; ++k) {
    for (std::size_t c = 0; c < columns; ++c) {
      text += (c > 0 ? separator : "") + std::to_string(coordinate(k, c));
    }
    text += "\n";
  }
  return text;
}

std::string pcd_header(const char *fields, const char *data) {
  return "# .PCD v0.7\nVERSION 0.7\n" + std::string(fields) +
         "WIDTH 12\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 12\nDATA " + data + "\n";
}

const char *const xyz = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";
const char *const more = "FIELDS x _ y z h n\nSIZE 4 1 4 4 2 8\nTYPE F U F F I F\nCOUNT 1 3 1 1 2 1\n";

std::string more_binary() {
  std::string bytes;
  for (std::size_t k = 0; k < points; ++k) {
    bytes += raw(coordinate(k, 0)) + "???" + raw(coordinate(k, 1)) + raw(coordinate(k, 2)) + "abcd" + raw(0.5);
  }
  return bytes;
}

/** As LZF: each zero run a back reference, all else literal. */
std::string pack(const std::string &plain) {
  std::string stream;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t end = plain.find_first_not_of('\0', at);
    const std::size_t zeros = (end == std::string::npos ? plain.size() : end) - at;
    if (at > 0 && plain[at - 1] == '\0' && zeros >= 3) {
      const std::size_t length = std::min<std::size_t>(zeros, 264);
      const std::size_t code = length - 2;
      stream += static_cast<char>(std::min<std::size_t>(code, 7) << 5U);
      stream += code >= 7 ? std::string(1, static_cast<char>(code - 7)) : std::string();
      stream += '\0';
      at += length;
    } else {
      const std::size_t length = std::min<std::size_t>(plain.size() - at, at % 3 + 1);
      stream += static_cast<char>(length - 1) + plain.substr(at, length);
      at += length;
    }
  }
  return raw(static_cast<std::uint32_t>(stream.size())) + raw(static_cast<std::uint32_t>(plain.size())) + stream;
}

std::string planes() {
  std::string bytes;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t k = 0; k < points; ++k) {
      bytes += c < 2 ? raw(coordinate(k, c)) : raw(0.0F);
    }
  }
  return bytes;
}

std::string ply_header(const char *format, const char *before, const char *inside, const char *after) {
  return "ply\nformat " + std::string(format) + " 1.0\ncomment made for damage\n" + before +
         "element vertex 12\nproperty float x\nproperty float y\n" + inside + "property float z\n" + after +
         "end_header\n";
}

const char *const faces = "element face 2\nproperty list uchar int vertex_indices\n";
const char *const camera = "element camera 1\nproperty float view_px\nproperty int viewportx\nproperty int viewporty\n";
const char *const odd = "property list uchar short l\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n";

std::string ply_binary(bool big) {
  std::string bytes;
  for (std::size_t k = 0; k < points; ++k) {
    bytes += raw(coordinate(k, 0), big) + raw(coordinate(k, 1), big) + '\2' + raw(std::int16_t{5}, big) +
             raw(std::int16_t{6}, big) + "rgb" + raw(coordinate(k, 2), big);
  }
  const auto whole = [big](std::int32_t number) { return raw(number, big); };
  return bytes + '\3' + whole(0) + whole(1) + whole(2) + '\0' + raw(1.0F, big) + whole(4) + whole(3);
}

std::string ply_text() {
  std::string text;
  for (std::size_t k = 0; k < points; ++k) {
    text += std::to_string(coordinate(k, 0)) + " 0.5 2 5 6 10 20 30 " + std::to_string(coordinate(k, 2)) + "\n";
  }
  return text + "3 0 1 2\n0\n1.0 4 3\n";
}

struct Format {
  const char *name;
  Files sound;
};

std::vector<Format> formats() {
  const std::string after = std::string(faces) + camera;
  const auto ply = [&](const char *format) { return ply_header(format, "", odd, after.c_str()); };
  const std::string before = ply_header("ascii", faces, "", "") + "3 0 1 2\n0\n" + rows(" ", 3);
  return {
      {"pcd ascii", {pcd_header(xyz, "ascii") + rows(" ", 3), pcd_header("COLUMNS x y z\n", "ascii") + rows(" ", 3)}},
      {"pcd binary", {pcd_header(more, "binary") + more_binary()}},
      {"pcd compressed",
       {pcd_header(xyz, "binary_compressed") + pack(planes()),
        pcd_header("FIELDS x y z _\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 4\n", "binary_compressed") +
            pack(planes())}},
      {"ply ascii", {ply("ascii") + ply_text(), before}},
      {"ply little endian", {ply("binary_little_endian") + ply_binary(false)}},
      {"ply big endian", {ply("binary_big_endian") + ply_binary(true)}},
      {"text", {rows(" ", 3), "\"X\";\"y\";z [m];nx;ny;nz\n" + rows(";", 6), "//X,Y\n" + rows(",", 2)}},
  };
}

std::string times(const char *piece, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    text += piece;
  }
  return text;
}

/** What takes most memory for its bytes: the shortest numbers, fields, elements, columns; and headers that promise. */
Files heavy() {
  const std::size_t many = 100000;
  const std::string count = std::to_string(many);
  const std::string shape = "WIDTH " + count + "\nHEIGHT 1\nPOINTS " + count + "\n";
  const std::string doubles = "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n";
  const std::string vertices =
      "element vertex " + count + "\nproperty double x\nproperty double y\nproperty double z\n";
  const auto header = [](const std::string &names, const std::string &sizes, const std::string &types) {
    return "FIELDS x y z " + names + "\nSIZE 4 4 4 " + sizes + "\nTYPE F F F " + types + "\n";
  };
  const std::string fields = header(times("a ", many), times("8 ", many), times("F ", many));
  const std::string huge = "element vertex 4294967295\nproperty double x\nproperty double y\nproperty double z\n";
  return {times("0 0\n", many),
          times("0,0,0\n", many),
          "x,y,z" + times(",a", many) + "\n",
          times("0 ", many) + "\n",
          times("\n", many),
          "0 0 0\n" + times("0\n", many),
          "0,0,0\n" + times(",,\n", many),
          doubles + shape + "DATA ascii\n" + times("0 0 0\n", many),
          fields + "WIDTH 1\nHEIGHT 1\nDATA ascii\n" + times("0 ", many),
          "VERSION " + times("0 ", many) + "\n" + doubles + shape + "DATA ascii\n",
          header("f", "8", "F") + "COUNT 1 1 1 1048576\nWIDTH 300\nHEIGHT 1\nDATA ascii\n" + times("0 0 0\n", 300),
          header("f", "8", "F") + "COUNT 1 1 1 1048576\nWIDTH 2147483647\nHEIGHT 2147483647\nDATA binary\n",
          doubles + "WIDTH 2000000\nHEIGHT 1\nDATA binary_compressed\n" + raw(600000U) + raw(48000000U) +
              times("\xff", 600000),
          "ply\nformat ascii 1.0\n" + vertices + "end_header\n" + times("0 0 0\n", many),
          "ply\nformat ascii 1.0\n" + vertices + times("property char a\n", many) + "end_header\n",
          "ply\nformat ascii 1.0\n" + vertices + times("element a 0\n", many) + "end_header\n" + times("0 0 0\n", many),
          "ply\nformat ascii 1.0\ncomment " + times("0 ", many) + "\n" + vertices + "end_header\n",
          "ply\nformat ascii 1.0\n" + times("0 ", many) + "\n" + vertices + "end_header\n",
          "ply\nformat binary_little_endian 1.0\n" + huge + "end_header\n" + times("0", many),
          "ply\nformat binary_big_endian 1.0\n" + huge + "element a 18446744073709551615\nend_header\n"};
}

/** One kind of damage at a random place. */
void damage(std::string &bytes, prng &g) {
  static const Files words = {"0",
                              "-1",
                              "1e999",
                              "-1e-999",
                              "4294967295",
                              "18446744073709551615",
                              "1048576",
                              "nan",
                              "-inf",
                              "2147483647",
                              "9223372036854775808",
                              "0x7f",
                              "1e30",
                              "-0",
                              "x",
                              "y",
                              "_",
                              "3",
                              "8",
                              "1;2",
                              ",",
                              "list",
                              "uchar",
                              "double",
                              "DATA",
                              "COUNT",
                              "end_header",
                              "element",
                              "\xEF\xBB\xBF",
                              "\x1b[2J"};
  const std::size_t size = bytes.size();
  const auto below = [&g](std::size_t n) {
    return static_cast<std::size_t>(prng_below(&g, std::max<std::size_t>(n, 1)));
  };
  const std::size_t at = below(size);
  const std::size_t length = std::min(size - at, below(below(8) == 0 ? 400 : 12) + 1);
  const auto line_at = [&](std::size_t place) { return bytes.rfind('\n', place) + 1; };
  switch (below(12)) {
  case 0:
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    break;
  case 1:
    bytes[at] = static_cast<char>(below(256));
    break;
  case 2:
    bytes.erase(at, length);
    break;
  case 3:
    bytes.resize(at);
    break;
  case 4:
    bytes.insert(below(size), bytes.substr(at, length));
    break;
  case 5: { // a number in the place of a word
    const std::size_t begin = std::min(bytes.find_first_of(" \n", at), size);
    const std::size_t end = std::min(bytes.find_first_of(" \n", std::min(begin + 1, size)), size);
    bytes.replace(std::min(begin + 1, end), end - std::min(begin + 1, end), words[below(words.size())]);
    break;
  }
  case 6:
    bytes.insert(at, words[below(words.size())]);
    break;
  case 7: { // four bytes that are a size
    const std::uint32_t sizes[] = {0, 1, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x10000, 144, 0xFF000000};
    const std::string number = raw(sizes[below(8)]);
    bytes.replace(at, std::min<std::size_t>(4, size - at), number);
    break;
  }
  case 8: { // a line in another place
    const std::size_t begin = line_at(at);
    const std::size_t end = std::min(bytes.find('\n', begin), size - 1) + 1;
    const std::string line = bytes.substr(std::min(begin, size), end - std::min(begin, end));
    bytes.erase(std::min(begin, size), line.size());
    bytes.insert(bytes.empty() ? 0 : line_at(below(bytes.size())), line);
    break;
  }
  case 9:
    bytes.insert(at, below(2) == 0 ? "\r" : "\n");
    break;
  case 10:
    std::replace(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + length), '\n', ' ');
    break;
  default: { // far more of the same
    if (below(12) != 0) {
      break;
    }
    const std::string piece = bytes.substr(at, length);
    std::string many;
    for (const std::size_t wanted = below(below(8) == 0 ? 1U << 19U : 1U << 14U); many.size() < wanted;) {
      many += piece;
    }
    bytes.insert(at, many);
  }
  }
}

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
