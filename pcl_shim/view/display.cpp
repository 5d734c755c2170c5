// SPDX-License-Identifier: BSD-3-Clause
#include "window.hpp"

#include <cstdlib>

#include <X11/Xlib.h> // last: its macros have common names

namespace fricp::view {

std::string display_problem() {
  const char *const name = std::getenv("DISPLAY");
  if (name == nullptr || *name == '\0')
    return "there is no display: DISPLAY is not set";
  Display *const display = ::XOpenDisplay(nullptr);
  if (display == nullptr)
    return "the display " + std::string(name) + " cannot be opened";
  int code = 0;
  int event = 0;
  int error = 0;
  const bool draws = ::XQueryExtension(display, "GLX", &code, &event, &error) != 0;
  ::XCloseDisplay(display);
  return draws ? "" : "the display " + std::string(name) + " has no OpenGL (GLX)";
}

} // namespace fricp::view
