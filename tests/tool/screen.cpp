// SPDX-License-Identifier: BSD-3-Clause
#include "screen.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace fricp::test {

namespace {

std::size_t word(const std::string &image, std::size_t k) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8U | static_cast<unsigned char>(image[4 * k + i]);
  }
  return value;
}

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

} // namespace

std::size_t Picture::count(const std::function<bool(const Pixel &)> &is_so, double left, double right, double top,
                           double bottom) const {
  const auto part = [](double share, std::size_t size) { return static_cast<std::size_t>(share * double(size)); };
  std::size_t found = 0;
  for (std::size_t y = part(top, height); y < part(bottom, height); ++y) {
    for (std::size_t x = part(left, width); x < part(right, width); ++x) {
      found += is_so(at(x, y)) ? 1U : 0U;
    }
  }
  return found;
}

bool is_coloured(const Pixel &pixel) {
  return std::abs(pixel.red - pixel.blue) > 60;
}

Screen::Screen(const std::string &folder, const std::string &size) : file_(folder + "/Xvfb_screen0") {
  if (run_program({"sh", "-c", "command -v Xvfb"}).status != 0) {
    return;
  }
  const std::string line = "exec Xvfb -displayfd 3 -screen 0 " + size + "x24 -nolisten tcp -fbdir '" + folder +
                           "' 3>'" + folder + "/display'";
  process_ = start_program({"sh", "-c", line});
  for (int k = 0; k < 300 && number_.empty(); ++k) {
    pause();
    const std::string text = read_file(folder + "/display");
    number_ = text.empty() || text.back() != '\n' ? std::string() : text.substr(0, text.size() - 1);
  }
}

Screen::~Screen() {
  if (process_ > 0) {
    stop_program(process_);
  }
}

Picture Screen::picture() const {
  const std::string image = read_file(file_);
  Picture picture;
  if (image.size() < 100) {
    return picture;
  }
  const std::size_t start = word(image, 0) + 12 * word(image, 19);
  const std::size_t row = word(image, 12); // bytes
  picture.width = word(image, 4);
  picture.height = word(image, 5);
  for (std::size_t y = 0; y < picture.height; ++y) {
    for (std::size_t x = 0; x < picture.width; ++x) {
      const std::size_t at = start + y * row + 4 * x;
      const auto channel = [&](std::size_t k) {
        return at + k < image.size() ? static_cast<int>(static_cast<unsigned char>(image[at + k])) : 0;
      };
      picture.pixels.push_back({channel(2), channel(1), channel(0)});
    }
  }
  return picture;
}

bool Screen::waits_for(const std::function<bool(const Picture &)> &is_so, int seconds) const {
  for (int k = 0; k < 10 * seconds; ++k) {
    if (is_so(picture())) {
      return true;
    }
    pause();
  }
  return false;
}

} // namespace fricp::test
