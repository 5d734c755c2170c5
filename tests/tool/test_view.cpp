// SPDX-License-Identifier: BSD-3-Clause
/*
 * --view and fricp-view: the picture has a legend and both clouds, keys change what is shown, and without a display
 * there are files and a plain message.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "screen.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <sys/wait.h>

#include <X11/Xlib.h>
#include <X11/keysym.h>
#include <png.h>

#undef Bool // X's macros
#undef None
#undef Status

#include "suite.h"

namespace fricp::test {

namespace {

/** A pair of which four fifths overlap, and the tool's report of it. */
struct Example {
  Example() {
    Points source_points;
    Points target_points;
    for (const Point &point : surface(3000)) {
      if (point[0] < 0.6)
        source_points.push_back(point);
      if (point[0] > -0.6)
        target_points.push_back(point);
    }
    write_file(source, rows(source_points));
    write_file(target, rows(moved(target_points, small_motion(12))));
    const Run run = run_tool({"-q", "-r", report, source, target});
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  }

  Scratch scratch;
  std::string source = scratch / "the source.xyz";
  std::string target = scratch / "target.xyz";
  std::string report = scratch / "report.json";
};

const Example &the_example() {
  static const Example example;
  return example;
}

std::string viewer_path() {
  return tool_path() + "-view";
}

Picture read_png(const std::string &path) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  ck_assert_msg(png_image_begin_read_from_file(&image, path.c_str()) != 0, "%s: %s", path.c_str(), image.message);
  image.format = PNG_FORMAT_RGB;
  std::vector<unsigned char> bytes(PNG_IMAGE_SIZE(image));
  ck_assert(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) != 0);
  Picture picture;
  picture.width = image.width;
  picture.height = image.height;
  for (std::size_t k = 0; k + 2 < bytes.size(); k += 3)
    picture.pixels.push_back({bytes[k], bytes[k + 1], bytes[k + 2]});
  return picture;
}

bool is_near(const Pixel &pixel, int red, int green, int blue) {
  return std::abs(pixel.red - red) < 12 && std::abs(pixel.green - green) < 12 && std::abs(pixel.blue - blue) < 12;
}

bool is_orange(const Pixel &pixel) {
  return is_near(pixel, 255, 160, 40);
}
bool is_grey(const Pixel &pixel) {
  return is_near(pixel, 170, 170, 170);
}
/** At most a third of the target's spacing. */
bool is_blue(const Pixel &pixel) {
  return pixel.blue > 190 && pixel.red < 60 && pixel.green < 160;
}
/** More than twice the target's spacing. */
bool is_far(const Pixel &pixel) {
  return pixel.green > 180 && pixel.blue < 110;
}

// Where the window has them, as shares of its size.
constexpr double left_pane[2] = {0.02, 0.43};
constexpr double right_pane[2] = {0.45, 0.86};

std::size_t in_pane(const Picture &picture, const double (&pane)[2], bool (*is_so)(const Pixel &)) {
  return picture.count(is_so, pane[0], pane[1], 0.2, 0.9);
}

/** The colours of the scale's ends are those that --compare writes; the bar runs from the lower end to the upper. */
void expect_legend(const Picture &picture) {
  const auto pixel = [&picture](double y) {
    return picture.at(static_cast<std::size_t>(0.892 * double(picture.width)),
                      static_cast<std::size_t>((1 - y) * double(picture.height)));
  };
  ck_assert_msg(is_near(pixel(0.203), 40, 60, 200), "the legend's lower end is not blue");
  ck_assert_msg(is_near(pixel(0.475), 60, 200, 80), "the legend's middle is not green");
  ck_assert_msg(is_near(pixel(0.747), 230, 30, 30), "the legend's upper end is not red");
  ck_assert_msg(is_near(pixel(0.19), 255, 255, 255), "below the legend the ground is not white");
  const auto is_ink = [](const Pixel &p) { return p.red < 130 && p.green < 130 && p.blue < 130; };
  ck_assert_uint_gt(picture.count(is_ink, 0.9, 1, 0.2, 0.85), 200); // its numbers
}

/** @return a screen in memory for all tests; null, after saying so, where there is none. */
const Screen *the_screen() {
  static const Scratch folder;
  static const Screen screen(folder.path(), "1280x720");
  if (!screen.running())
    std::puts("SKIPPED: Xvfb does not start here");
  return screen.running() ? &screen : nullptr;
}

START_TEST(screenshot_of_the_tool) {
  const Screen *const screen = the_screen();
  if (screen == nullptr)
    return;
  const Example &example = the_example();
  const std::string path = example.scratch / "picture.png";
  const Run run =
      run_tool({"-q", "--view", "--screenshot", path, example.source, example.target}, screen->environment());
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  expect_text(run.out + run.err, "");
  const Picture picture = read_png(path);
  ck_assert_uint_eq(picture.width, 1280);
  ck_assert_uint_eq(picture.height, 720);
  expect_legend(picture);
  ck_assert_uint_gt(in_pane(picture, left_pane, is_orange), 2000);
  ck_assert_uint_gt(in_pane(picture, left_pane, is_grey), 500);
  ck_assert_uint_eq(in_pane(picture, left_pane, is_blue), 0);
  ck_assert_uint_eq(in_pane(picture, right_pane, is_orange), 0);
  ck_assert_uint_gt(in_pane(picture, right_pane, is_grey), 200);
  // Free of noise: what overlaps lies on the target, and that is most of it.
  ck_assert_uint_gt(in_pane(picture, right_pane, is_blue), 2000);
  ck_assert_uint_gt(in_pane(picture, right_pane, is_far), 200);
}
END_TEST

/** Back by the passes to the start nothing lies on the target; a candidate and the result do. */
START_TEST(keys_of_a_screenshot) {
  const Screen *const screen = the_screen();
  if (screen == nullptr)
    return;
  const Example &example = the_example();
  const auto blue = [&](const std::string &keys) {
    const std::string path = example.scratch / "picture.png";
    const Run run = run_program({viewer_path(), "--report", example.report, "--screenshot", path, "--press", keys,
                                 example.source, example.target},
                                screen->environment());
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
    return in_pane(read_png(path), right_pane, is_blue);
  };
  const std::size_t result = blue("");
  ck_assert_uint_gt(result, 2000);
  ck_assert_uint_lt(blue(std::string(1100, ',')), result / 4);       // the trace has at most 1024 rows
  ck_assert_uint_gt(blue(std::string(1100, ',') + "1"), result / 4); // found on cells, not yet refined
}
END_TEST

Window only_window(Display *display) {
  Window root = 0;
  Window parent = 0;
  Window *children = nullptr;
  unsigned count = 0;
  XQueryTree(display, DefaultRootWindow(display), &root, &parent, &children, &count);
  const Window window = count == 1 ? children[0] : 0;
  XFree(children);
  return window;
}

void press(Display *display, Window window, KeySym key) {
  XKeyEvent event = {};
  event.type = KeyPress;
  event.display = display;
  event.window = window;
  event.root = DefaultRootWindow(display);
  event.same_screen = True;
  event.keycode = XKeysymToKeycode(display, key);
  XSendEvent(display, window, True, KeyPressMask, reinterpret_cast<XEvent *>(&event));
  XFlush(display);
}

/** In a window: the arrows step through the passes, q closes it, and the tool ends as it would without. */
START_TEST(keys_of_a_window) {
  const Screen *const screen = the_screen();
  if (screen == nullptr)
    return;
  const Example &example = the_example();
  const int tool = start_program({tool_path(), "-q", "--view", example.source, example.target}, screen->environment());
  const auto fits = [](const Picture &picture) { return in_pane(picture, right_pane, is_blue) > 2000; };
  ck_assert_msg(screen->waits_for(fits), "no window with the result");
  Display *const display = XOpenDisplay(screen->environment()["DISPLAY"].c_str());
  ck_assert_ptr_nonnull(display);
  const Window window = only_window(display);
  ck_assert_uint_ne(window, 0);
  for (int k = 0; k < 40; ++k)
    press(display, window, XK_Left);
  ck_assert_msg(screen->waits_for([](const Picture &picture) { return in_pane(picture, right_pane, is_blue) < 500; }),
                "the arrow does not lead back to the start");
  press(display, window, XK_r);
  ck_assert_msg(screen->waits_for(fits), "r does not lead to the result");
  press(display, window, XK_q);
  ck_assert_msg(screen->waits_for([](const Picture &picture) { return picture.count(is_blue) == 0; }),
                "q does not close the window");
  XCloseDisplay(display);
  int state = -1;
  ck_assert_int_eq(waitpid(tool, &state, 0), tool);
  ck_assert_int_eq(state, 0);
}
END_TEST

/** From the result it is as many presses back to the start as there were iterations, not one more; one less shows a pass. */
START_TEST(steps_are_the_iterations) {
  const Screen *const screen = the_screen();
  if (screen == nullptr)
    return;
  const Example &example = the_example();
  for (const char *const method : {"icp-plane", "robust-icp"}) {
    const std::string report = example.scratch / "few.json";
    const Run run =
        run_tool({"-q", "-m", method, "--max-iterations", "3", "-r", report, example.source, example.target});
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
    Report found;
    ck_assert(parse_json(read_file(report), &found));
    const auto iterations = static_cast<std::size_t>(number_in(found, "iterations"));
    ck_assert_uint_ge(iterations, 2);
    const auto picture = [&](std::size_t back) {
      const std::string path = example.scratch / "step.png";
      const Run shown = run_program({viewer_path(), "--report", report, "--screenshot", path, "--press",
                                     std::string(back, ','), example.source, example.target},
                                    screen->environment());
      ck_assert_msg(shown.status == 0, "%s", shown.err.c_str());
      return read_file(path);
    };
    const std::string start = picture(iterations);
    ck_assert_msg(picture(iterations + 1) == start, "%s: %zu presses lead not to the start", method, iterations);
    ck_assert_msg(picture(iterations - 1) != start, "%s: fewer than %zu lead to the start", method, iterations);
  }
}
END_TEST

/** What has no display gets files and lines, and the exit status of the registration. */
START_TEST(without_a_display) {
  const Example &example = the_example();
  for (const char *const display : {"", ":4711"}) {
    const Scratch temporary;
    const Run run = run_tool({"-q", "--view", example.source, example.target},
                             {{"DISPLAY", display}, {"TMPDIR", temporary.path()}});
    ck_assert_msg(run.status == 0, "%s", run.err.c_str());
    expect_text(run.out, "");
    ck_assert_msg(contains(run.err, "display"), "%s", run.err.c_str());
    ck_assert_uint_eq(temporary.names().size(), 1);
    const std::string folder = temporary / temporary.names()[0];
    for (const char *const name : {"target.pcd", "before.pcd", "after.pcd"}) {
      ck_assert(exists(folder + "/" + name));
      ck_assert_msg(contains(run.err, folder + "/" + name), "%s", run.err.c_str());
    }
    const std::string line =
        "fricp-view --report " + folder + "/report.json -- '" + example.source + "' " + example.target + "\n";
    ck_assert_msg(contains(run.err, line), "%s in %s", line.c_str(), run.err.c_str());
    expect_text(read_file(folder + "/report.json").substr(0, 12), read_file(example.report).substr(0, 12));
  }
  const Environment none = {{"DISPLAY", ""}, {"TMPDIR", example.scratch.path()}};
  if (exists("/dev/full")) {
    const Run full = run_program({"sh", "-c", "exec \"$0\" \"$@\" >/dev/full", viewer_path(), "-r", example.report,
                                  example.source, example.target},
                                 none);
    ck_assert_int_eq(full.status, 1);
    ck_assert_msg(contains(full.err, "cannot write to standard output"), "%s", full.err.c_str());
  }
  const Run stopped = run_tool({"-q", "--time-limit", "1e-9", "--view", example.source, example.target}, none);
  ck_assert_msg(stopped.status == 0, "%s", stopped.err.c_str()); // it knows no pass and has counted no point
  const std::string picture = example.scratch / "none.png";
  const Run run = run_tool({"-q", "--view", "--screenshot", picture, example.source, example.target}, none);
  ck_assert_int_eq(run.status, 1);
  ck_assert_msg(contains(run.err, "--screenshot: there is no display"), "%s", run.err.c_str());
  ck_assert(!exists(picture));
}
END_TEST

void expect_refusal(const Words &words, int status, const std::string &what) {
  const Run run = run_program(words, {{"DISPLAY", ""}});
  ck_assert_msg(run.status == status && contains(run.err, what), "status %d: %s", run.status, run.err.c_str());
}

START_TEST(what_is_wrong_is_named) {
  const Example &example = the_example();
  const std::string viewer = viewer_path();
  expect_refusal({viewer, example.source, example.target}, 2, "--report is required");
  expect_refusal({viewer, "-r", example.source, example.source, example.target}, 1, "the source.xyz: is no report");
  expect_refusal({viewer, "-r", example.scratch / "none", example.source, example.target}, 1, "none: cannot be opened");
  expect_refusal({viewer, "-r", example.report, example.source, example.source}, 1, "other clouds");
  expect_refusal({viewer, "-r", example.report, "--screenshot", example.target, example.source, example.target}, 2,
                 "overwrite");
  expect_refusal({viewer, "-r", example.report, "--press", "n", example.source, example.target}, 2, "--screenshot");
  const std::string text = read_file(example.report);
  write_file(example.scratch / "short.json", text.substr(0, text.size() / 2));
  expect_refusal({viewer, "-r", example.scratch / "short.json", example.source, example.target}, 1, "is no report");
  write_file(example.scratch / "keyless.json", replaced(text, "\"trace\"", "\"other\""));
  expect_refusal({viewer, "-r", example.scratch / "keyless.json", example.source, example.target}, 1, "'trace'");
  const std::string tool = tool_path();
  expect_refusal({tool, "--screenshot", "x.png", example.source, example.target}, 2, "--screenshot requires --view");
  expect_refusal({tool, "--sequence", example.scratch.path(), "--view"}, 2, "--sequence excludes --view");
  expect_refusal({tool, "--view", "--screenshot", example.source, example.source, example.target}, 2, "overwrite");
  expect_refusal({tool, "--view", "/dev/null", example.target}, 2, "needs to be a file");
  const std::string alone = example.scratch / "fricp";
  std::filesystem::copy_file(tool, alone);
  const Run run = run_program({alone, "--view", example.source, example.target}, {{"PATH", "/nowhere"}});
  ck_assert_int_eq(run.status, 1);
  ck_assert_msg(contains(run.err, "no program fricp-view") && run.out.empty(), "%s", run.err.c_str());
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("view", {screenshot_of_the_tool, keys_of_a_screenshot, keys_of_a_window, steps_are_the_iterations,
                            without_a_display, what_is_wrong_is_named});
}
