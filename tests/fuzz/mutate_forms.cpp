// SPDX-License-Identifier: BSD-3-Clause
#include "mutate.hpp"

#include "clouds.hpp" // raw()

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fricp::test {

namespace {

constexpr std::size_t points = 12;

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

std::string times(const char *piece, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    text += piece;
  }
  return text;
}

} // namespace

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

} // namespace fricp::test
