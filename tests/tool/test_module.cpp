// SPDX-License-Identifier: BSD-3-Clause
/*
 * The module that --init features loads: found from where the program stands, refused with a word where it does not fit,
 * and not looked at by anything else.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

namespace fs = std::filesystem;

/** A file that the build names. */
std::string built(const char *variable) {
  const char *const path = std::getenv(variable);
  ck_assert_msg(path != nullptr, "%s names no file", variable);
  return path;
}

/** The tool alone in a folder, as it is installed: bin/fricp, and the module's place. */
struct Installed {
  Installed() {
    place = (fs::path(tool).parent_path() / built("FRICP_MODULE_FROM_TOOL")).lexically_normal().string();
    fs::create_directories(fs::path(tool).parent_path());
    fs::create_directories(fs::path(place).parent_path());
    fs::copy_file(tool_path(), tool);
  }

  Run run(const Words &words, const Environment &environment = {}) const {
    Words all = {tool, "--threads", "1"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all, environment);
  }

  Scratch prefix;
  std::string tool = prefix / "some/where/bin/fricp";
  std::string place; /**< of the module */
};

void register_by_features(const Installed &installed, const Example &example) {
  const Run run = installed.run({"-q", "-i", "features", "-t", "-", example.source, example.target});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  const Run known = run_tool({"-q", "-i", "features", "-t", "-", example.source, example.target});
  expect_text(run.out, known.out);
  fricp_pose pose = {};
  ck_assert(to_pose(run.out, &pose));
}

START_TEST(found_where_the_program_is) {
  const Example example(3000);
  const Installed installed;
  fs::copy_file(built("FRICP_MODULE"), installed.place);
  register_by_features(installed, example);
  Installed moved;
  fs::remove_all(moved.prefix / "some");
  fs::rename(installed.prefix / "some", moved.prefix / "some");
  register_by_features(moved, example);

  // By a link from a folder in PATH, from any folder.
  const Scratch path;
  fs::create_symlink(moved.tool, path / "fricp");
  const Run run =
      run_program({"sh", "-c", "cd / && fricp -q --threads 1 -i features -t - \"$S\" \"$T\""},
                  {{"PATH", path.path() + ":" + std::getenv("PATH")}, {"S", example.source}, {"T", example.target}});
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
}
END_TEST

START_TEST(nothing_else_looks_for_it) {
  const Example example;
  const Installed installed;
  for (const Words &words :
       {Words{"--version"}, Words{"--help"}, Words{example.source, example.target},
        Words{"-i", "centroid", example.source, example.target}, Words{"--starts", "4", example.source, example.target},
        Words{"-m", "icp-plane", "--compare", example.outputs / "c", example.source, example.target}}) {
    const Run run = installed.run(words);
    ck_assert_msg(run.status == 0, "%s: %s", words[0].c_str(), run.err.c_str());
  }
}
END_TEST

/** What stands in the module's place is refused before a cloud is read; outputs stay as they are. */
void expect_refused(const Installed &installed, const std::string &fault) {
  const Example example;
  const std::string kept = example.outputs / "kept.ply";
  write_file(kept, "as it was");
  const Run run = installed.run(
      {"-i", "features", "-o", kept, "-r", example.outputs / "r.json", example.scratch / "none.xyz", example.target});
  expect_failure(run, 1, "fricp: --init features: " + installed.place + ": ");
  ck_assert_msg(contains(run.err, fault), "%s", run.err.c_str());
  ck_assert_msg(contains(run.err, "install both again"), "%s", run.err.c_str());
  ck_assert_msg(run.err.find(installed.place) == run.err.rfind(installed.place), "named twice: %s", run.err.c_str());
  ck_assert(run.out.empty());
  expect_text(read_file(kept), "as it was");
  ck_assert_uint_eq(example.outputs.names().size(), 1);
}

START_TEST(missing_is_refused) {
  const Installed installed;
  expect_refused(installed, "No such file");
  fs::create_directory(installed.place);
  expect_refused(installed, "");
}
END_TEST

START_TEST(damaged_is_refused) {
  const Installed installed;
  write_file(installed.place, "");
  expect_refused(installed, "");
  write_file(installed.place, "no library\n");
  expect_refused(installed, "");
  write_file(installed.place, read_file(built("FRICP_MODULE")).substr(0, 100));
  expect_refused(installed, "");
}
END_TEST

/** Of another version, a library that is no module, and one whose own libraries are not there. */
START_TEST(another_is_refused) {
  const Installed installed;
  fs::copy_file(built("FRICP_MODULE_OLD"), installed.place);
  expect_refused(installed, "is of version 0.0.9, this program of " + std::string(fricp_version()));
  fs::remove(installed.place);
  fs::copy_file(built("FRICP_MODULE_OTHER"), installed.place);
  expect_refused(installed, "it has no fricp_features");
  fs::remove(installed.place);
  fs::copy_file(built("FRICP_MODULE_NEEDY"), installed.place);
  expect_refused(installed, "fricp_nobody_has_this");
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("module", {found_where_the_program_is, nothing_else_looks_for_it, missing_is_refused,
                              damaged_is_refused, another_is_refused});
}
