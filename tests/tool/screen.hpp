// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file screen.hpp
 * A screen in memory, by Xvfb, and pictures to look at.
 */
#ifndef FRICP_TEST_SCREEN_HPP
#define FRICP_TEST_SCREEN_HPP

#include "child.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fricp::test {

struct Pixel {
  int red = 0;
  int green = 0;
  int blue = 0;
};

/** Rows from the top. */
struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<Pixel> pixels;

  const Pixel &at(std::size_t x, std::size_t y) const {
    return pixels[y * width + x];
  }
  /** @return how many pixels are so, in the part from left to right and from top to bottom: shares of the picture. */
  std::size_t count(const std::function<bool(const Pixel &)> &is_so, double left = 0, double right = 1, double top = 0,
                    double bottom = 1) const;
};

/** Clearly different red and blue: the frame of a window and text are grey. */
bool is_coloured(const Pixel &pixel);

/** The root window of a screen that Xvfb keeps in a file, in the format of xwd: big-endian words, then rows of pixels. */
class Screen {
public:
  /** @param size  as Xvfb takes it, of 24 bits. */
  explicit Screen(const std::string &folder, const std::string &size = "640x480");
  ~Screen();
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;

  bool running() const {
    return !number_.empty();
  }
  Environment environment() const {
    return {{"DISPLAY", ":" + number_}, {"LIBGL_ALWAYS_SOFTWARE", "1"}};
  }
  Picture picture() const;
  std::size_t coloured_pixels() const {
    return picture().count(is_coloured);
  }
  /** Waits, at most so many seconds, until the screen is so. @return whether it is. */
  bool waits_for(const std::function<bool(const Picture &)> &is_so, int seconds = 60) const;

private:
  std::string file_;
  std::string number_;
  int process_ = -1;
};

} // namespace fricp::test

#endif
