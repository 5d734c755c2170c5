// SPDX-License-Identifier: BSD-3-Clause
// pcl::RegistrationVisualizer watches an align() under a virtual display, whose picture is then looked at. Starts its
// own display server; without one the test is skipped.
#include "clouds.hpp"
#include "instances.hpp"

#include <pcl/visualization/registration_visualizer.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

#include "suite.h"

namespace {

using namespace test;
using Point = pcl::PointXYZ;

// The display server writes its screen into a file of an XWD header and 4 bytes a pixel.
struct Display {
  std::string folder;
  std::string name;
  pid_t server = -1;

  bool start() {
    folder = (std::filesystem::temp_directory_path() / "fricp-display-XXXXXX").string();
    if (!mkdtemp(&folder[0])) {
      folder.clear();
      return false;
    }
    int ends[2];
    if (pipe(ends) != 0)
      return false;
    server = fork();
    if (server == 0) {
      close(ends[0]);
      const std::string number = std::to_string(ends[1]);
      if (!std::freopen("/dev/null", "w", stderr))
        _exit(127);
      execlp(FRICP_XVFB, "Xvfb", "-displayfd", number.c_str(), "-screen", "0", "800x600x24", "-fbdir", folder.c_str(),
             "-nolisten", "tcp", static_cast<char *>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    std::string number; // a line, written once the server is ready
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';)
      number += c;
    close(ends[0]);
    if (number.empty())
      return false;
    name = ":" + number;
    return true;
  }

  // How many pixels each of the colours has: red source, blue target, yellow moved source.
  void count(int &red, int &blue, int &yellow) const {
    std::ifstream file(folder + "/Xvfb_screen0", std::ios::binary);
    std::string screen((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    red = blue = yellow = 0;
    const std::size_t pixels = 800 * 600 * 4;
    for (std::size_t at = screen.size() > pixels ? screen.size() - pixels : 0; at + 3 < screen.size(); at += 4) {
      const auto b = static_cast<unsigned char>(screen[at]), g = static_cast<unsigned char>(screen[at + 1]),
                 r = static_cast<unsigned char>(screen[at + 2]);
      red += r > 200 && g < 60 && b < 60;
      blue += b > 200 && r < 60 && g < 60;
      yellow += r > 200 && g > 200 && b < 60;
    }
  }

  ~Display() {
    if (server > 0) {
      kill(server, SIGTERM);
      waitpid(server, nullptr, 0);
    }
    if (!folder.empty()) {
      (void)std::remove((folder + "/Xvfb_screen0").c_str());
      (void)rmdir(folder.c_str());
    }
  }
};

// The visualizer's window closes by hand only, so it lives in a process of its own.
[[noreturn]] void watch(const char *display) {
  setenv("DISPLAY", display, 1);
  if (!std::freopen("/dev/null", "w", stderr)) // VTK warns a lot
    _exit(3);
  const auto pair = makePair<Point>(easyScene());
  const auto registration = fricp::makeRegistration<Point>();
  pcl::Registration<Point, Point>::Ptr base = registration;
  base->setInputSource(pair.source);
  base->setInputTarget(pair.target);
  pcl::RegistrationVisualizer<Point, Point> visualizer;
  visualizer.setMaximumDisplayedCorrespondences(50);
  visualizer.setRegistration(*base);
  visualizer.startDisplay();
  pcl::PointCloud<Point> output;
  for (;;) // until we are ended
    base->align(output);
}

START_TEST(registration_visualizer_shows_it) {
  Display display;
  if (!display.start()) {
    std::printf("SKIPPED RegistrationVisualizer: no virtual display (Xvfb)\n");
    return;
  }
  const pid_t child = fork();
  if (child == 0)
    watch(display.name.c_str());
  int red = 0, blue = 0, yellow = 0, status = 0;
  bool alive = true;
  for (int i = 0; alive && i < 300 && !(red > 20 && blue > 20 && yellow > 20); i++) {
    usleep(200000);
    display.count(red, blue, yellow);
    alive = waitpid(child, &status, WNOHANG) == 0;
  }
  if (alive) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  ck_assert_msg(alive, "the visualizer ended by itself, status %d", status);
  ck_assert_msg(red > 20 && blue > 20 && yellow > 20, "%d red, %d blue, %d yellow pixels", red, blue, yellow);
}
END_TEST

} // namespace

int main() {
  return run_suite("visualizer", {registration_visualizer_shows_it});
}
