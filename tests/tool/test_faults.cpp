// SPDX-License-Identifier: BSD-3-Clause
/*
 * What a hostile file, a hostile machine or a slip of the hand must not do to the tool: take the memory, hang it, end
 * it without a word, leave half a file, overwrite an input, write to a terminal what is not text.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"
#include "file_bytes.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

namespace fricp::test {

namespace {

/** Runs a line of the shell, where $TOOL, $S and $T are the tool and two clouds, in the scratch folder. */
Run shell(const Example &example, const std::string &line) {
  return run_program(
      {"sh", "-c", "cd \"$D\"; ulimit -c 0; " + line},
      {{"TOOL", tool_path()}, {"S", example.source}, {"T", example.target}, {"D", example.scratch.path()}});
}

/** So many zeros in LZF: a literal pair, then references to the byte before. */
std::string packed_zeros(std::size_t count) {
  std::string stream = std::string(1, '\1') + std::string(2, '\0');
  for (std::size_t left = count - 2; left > 0;) {
    const std::size_t length = left > 264 + 9 ? 264 : left > 264 ? 132 : left;
    ck_assert_uint_ge(length, 9);
    stream += "\xE0" + std::string(1, static_cast<char>(length - 9)) + std::string(1, '\0');
    left -= length;
  }
  return stream;
}

/** COUNT, SIZE, POINTS, counts of elements, lengths of lists, sizes of LZF: announced, not there. (What readers take of
 *  sound and of heavy files, mutate_clouds counts to the byte.) */
START_TEST(pcd_memory_is_bounded_whatever_a_header_says) {
  const std::string zeros = "0 0 0\n0 0 0\n0 0 0\n";
  const std::string fields = "FIELDS x y z f\nSIZE 4 4 4 8\nTYPE F F F F\nCOUNT 1 1 1 1048576\n";
  const std::string list = "property float x\nproperty float y\nproperty float z\nproperty list uint double l\n";
  const std::size_t bytes_that_widen = 12000000; // of three a point that become 24
  const std::string zeros_packed = packed_zeros(3 * bytes_that_widen);
  const std::string files[] = {
      pcd_header(bytes_that_widen, "FIELDS x y z\nSIZE 1 1 1\nTYPE U U U\n", "binary_compressed") +
          raw(static_cast<std::uint32_t>(zeros_packed.size())) + raw(static_cast<std::uint32_t>(3 * bytes_that_widen)) +
          zeros_packed,
      pcd_header(300, fields.c_str()) + zeros,
      pcd_header(300, fields.c_str(), "binary") + zeros,
      pcd_header(300, fields.c_str(), "binary_compressed") + raw(10U) + raw(0xFFFFFFFFU) + zeros,
      pcd_header(300000000, "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n", "binary_compressed") + raw(10U) +
          raw(3600000000U) + zeros,
      ply_header(2000000000) + zeros,
      ply_header(2000000000, "binary_little_endian") + zeros,
      ply_header(1, "binary_little_endian", list.c_str()) + std::string(12, '\0') + raw(0xFFFFFFFFU) + zeros,
      ply_header(1, "ascii", list.c_str()) + "0 0 0 4294967295 1 2 3\n",
  };
  const Scratch scratch;
  write_file(scratch / "small", "no cloud\n");
  const double before = run_tool({scratch / "small", scratch / "small"}).peak;
  for (const std::string &bytes : files) {
    write_file(scratch / "bomb", bytes);
    const Run run = run_tool({scratch / "bomb", scratch / "bomb"}, {}, 20);
    expect_failure(run, 1, scratch / "bomb");
    ck_assert_double_lt(run.peak - before, 16 << 20); // pages of libraries come and go by some megabytes
  }
}
END_TEST

std::string changing;

/** Another program's hand, at a moment that is certain: after the first 64 KiB. */
template <int size> void resize(std::string_view /*beginning*/, const std::string & /*path*/) {
  std::filesystem::resize_file(changing, size);
}

START_TEST(file_truncated_or_growing_while_it_is_read) {
  const Scratch scratch;
  changing = scratch / "cloud";
  for (const tool::FileBytes::Judge change : {resize<70000>, resize<1000>, resize<0>, resize<300000>}) {
    write_file(changing, std::string(200000, 'a'));
    std::string message;
    try {
      const tool::FileBytes file(changing, change);
    } catch (const tool::Error &fault) {
      message = fault.what();
    }
    expect_text(message, changing + ": was changed by another program while it was read");
  }
  write_file(changing, std::string(200000, 'a'));
  ck_assert_uint_eq(tool::FileBytes(changing).view().size(), 200000);
}
END_TEST

/** The same from outside: never a signal, whatever the moment. */
START_TEST(file_truncated_by_another_program) {
  const Example example;
  const std::string path = example.scratch / "cloud.pcd";
  const std::size_t count = 2000000;
  const std::string header = pcd_header(count, "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n", "binary");
  for (int milliseconds = 0; milliseconds < 200; milliseconds += 20) {
    write_file(path, header);
    std::filesystem::resize_file(path, header.size() + 12 * count);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      std::filesystem::resize_file(path, header.size() + 4096);
    });
    const Run run = run_tool({path, example.target});
    other.join();
    expect_failure(run, 1, path); // zeros only, so it is never registered
  }
}
END_TEST

START_TEST(inputs_without_end) {
  const Example example;
  expect_failure(run_tool({"/dev/zero", example.target}, {}, 20), 1, "/dev/zero: neither PCD nor PLY nor text");
  expect_failure(run_tool({example.source, "/dev/urandom"}, {}, 20), 1, "/dev/urandom: neither PCD nor PLY nor text");
  expect_failure(run_tool({"-i", "/dev/null", example.source, example.target}, {}, 20), 1,
                 "/dev/null: not a 4x4 matrix");
  expect_failure(run_tool({"/dev/null", example.target}, {}, 20), 1, "/dev/null: the file is empty");
  expect_failure(shell(example, "yes | tr -d '\\n' | \"$TOOL\" /dev/stdin \"$T\""), 1,
                 "/dev/stdin: the first line is longer");
  write_file(example.scratch / "long", std::string(1 << 24, '1'));
  expect_failure(run_tool({example.scratch / "long", example.target}), 1, "the first line is longer");
  std::string columns;
  for (int k = 0; k < 20000; ++k) {
    columns += "1 ";
  }
  write_file(example.scratch / "columns", columns + "\n");
  expect_failure(run_tool({example.scratch / "columns", example.target}), 1, "columns: more than 1024 fields");
  ck_assert_int_eq(mkfifo((example.scratch / "pipe").c_str(), 0600), 0);
  expect_failure(run_tool({example.scratch / "pipe", example.target}, {}, 20), 1, "pipe: nothing writes to this pipe");
  const Run slow = shell(example, "(sleep 1; cat \"$S\") > pipe & \"$TOOL\" -q pipe \"$T\"");
  ck_assert_msg(slow.status == 0, "%s", slow.err.c_str());
}
END_TEST

/** The tool writes o.ply and then waits, to open a pipe that nobody reads: there a signal meets it. */
START_TEST(signals_while_writing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGQUIT, SIGPIPE, SIGXCPU}) {
    const Example example;
    const Scratch outputs;
    write_file(outputs / "o.ply", "old");
    ck_assert_int_eq(mkfifo((example.scratch / "pipe").c_str(), 0600), 0);
    const int process =
        start_program({"sh", "-c", "ulimit -c 0; exec \"$0\" \"$@\"", tool_path(), "-q", "-o", outputs / "o.ply", "-t",
                       example.scratch / "pipe", example.source, example.target});
    for (int k = 0; k < 3000 && outputs.names().size() < 2; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ck_assert_uint_eq(outputs.names().size(), 2); // o.ply and its unfinished successor
    kill(process, signal);
    int state = 0;
    waitpid(process, &state, 0);
    ck_assert_msg(WIFSIGNALED(state) && WTERMSIG(state) == signal, "signal %d: state %x", signal, state);
    ck_assert_uint_eq(outputs.names().size(), 1);
    expect_text(read_file(outputs / "o.ply"), "old");
    expect_text(read_file(example.source), rows(surface(400)));
  }
}
END_TEST

START_TEST(file_size_limit_while_writing) {
  const Example example;
  write_file(example.scratch / "o.ply", "old");
  const Run run = shell(example, "ulimit -f 2; exec \"$TOOL\" -q -o o.ply \"$S\" \"$T\"");
  ck_assert_int_ne(run.status, 0);
  expect_text(read_file(example.scratch / "o.ply"), "old");
  ck_assert_uint_eq(example.scratch.names().size(), 3);
}
END_TEST

/** With a descriptor closed, the next file that is opened gets its number, and what is printed goes there. */
START_TEST(closed_descriptors) {
  const Example example;
  const std::string o = example.scratch / "o.ply";
  ck_assert_int_eq(shell(example, "\"$TOOL\" -q -o o.ply \"$S\" \"$T\"").status, 0);
  const std::string wanted = read_file(o);
  for (const char *const closed : {"2>&-", "<&-", "<&- 2>&-"}) {
    ck_assert_int_eq(unlink(o.c_str()), 0);
    const Run run = shell(example, "\"$TOOL\" -v -o o.ply \"$S\" \"$T\" " + std::string(closed));
    ck_assert_msg(run.status == 0, "%s: %s", closed, run.err.c_str());
    ck_assert(contains(run.out, "converged"));
    ck_assert_msg(read_file(o) == wanted, "%s: the output is not the same", closed);
  }
  for (const char *const line :
       {"-t - -r r.json", "-q -t - -r r.json", "-q -r -", "-q -t /dev/stdout", "", "-t t.txt"}) {
    const Run run = shell(example, "\"$TOOL\" " + std::string(line) + " \"$S\" \"$T\" >&-");
    expect_failure(run, 1, "standard output");
    ck_assert(!exists(example.scratch / "r.json") && !exists(example.scratch / "t.txt"));
  }
  ck_assert_int_eq(shell(example, "\"$TOOL\" -q -t t.txt \"$S\" \"$T\" <&- >&- 2>&-").status, 0);
  fricp_pose pose = {};
  ck_assert(to_pose(read_file(example.scratch / "t.txt"), &pose));
  expect_failure(shell(example, "\"$TOOL\" /dev/stdin \"$T\" <&-"), 1, "/dev/stdin: ");
}
END_TEST

START_TEST(full_standard_output) {
  const Example example;
  for (const char *const line : {"-q -t -", "-q -r -", "-t - -r r.json", "", "-t t.txt"}) {
    const Run run = shell(example, "\"$TOOL\" " + std::string(line) + " \"$S\" \"$T\" > /dev/full");
    expect_failure(run, 1, "standard output");
    ck_assert(!exists(example.scratch / "r.json") && !exists(example.scratch / "t.txt"));
  }
  expect_failure(shell(example, "\"$TOOL\" --help > /dev/full"), 1, "standard output");
  expect_failure(shell(example, "\"$TOOL\" --version >&-"), 1, "standard output");
}
END_TEST

/** Whatever name an input or another output goes by. */
START_TEST(outputs_that_would_overwrite) {
  const Example example;
  const std::string link = example.scratch / "link.pcd";
  const std::string hard = example.scratch / "hard.ply";
  const std::string directory = example.scratch / "dir";
  const std::string text = read_file(example.source);
  ck_assert_int_eq(symlink("source.xyz", link.c_str()), 0);
  ck_assert_int_eq(::link(example.source.c_str(), hard.c_str()), 0);
  std::filesystem::create_directory(directory);
  ck_assert_int_eq(::link(example.source.c_str(), (directory + "/icp.pcd").c_str()), 0);
  write_file(example.scratch / "start.txt", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
  const char *const inputs[] = {"-t source.xyz", "-r \"$S\"",     "-o link.pcd",
                                "-o hard.ply",   "-t link.pcd",   "-r dir/../hard.ply",
                                "-t \"$T\"",     "--compare dir", "-i start.txt -t start.txt",
                                "-t - >> \"$S\""};
  for (const char *const line : inputs) {
    const Run run = shell(example, "\"$TOOL\" " + std::string(line) + " \"$S\" \"$T\"");
    expect_failure(run, 2, "would overwrite the input");
    expect_text(read_file(example.source), text);
  }
  const char *const outputs[] = {"-t new -r ./new", "-t new -r dir/../new", "-t - -r -", "-t - -r /dev/stdout",
                                 "-o dir2/icp.pcd --compare dir2"};
  for (const char *const line : outputs) {
    expect_failure(shell(example, "\"$TOOL\" " + std::string(line) + " \"$S\" \"$T\""), 2, "two outputs to");
  }
  ck_assert_uint_eq(example.scratch.names().size(), 6); // nothing new
  ck_assert_int_eq(shell(example, "\"$TOOL\" -q -t /dev/null -r /dev/null \"$S\" \"$T\"").status, 0);
}
END_TEST

/** Every output by every input, by a hard link whose name the output may have, with normals by either. */
START_TEST(no_output_overwrites_any_input) {
  const Example example;
  write_file(example.scratch / "start.txt", "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
  ck_assert_int_eq(shell(example, "\"$TOOL\" -q -r prior.json \"$S\" \"$T\"").status, 0);
  const std::vector<std::string> inputs = {"source.xyz", "target.xyz", "start.txt", "prior.json"};
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"-o link.ply", "link.ply"},
      {"-o link.pcd", "link.pcd"},
      {"-t link", "link"},
      {"-r link", "link"},
      {"--view --screenshot link.png", "link.png"},
      {"--compare pictures", "pictures/source.pcd"},
      {"--compare pictures", "pictures/target.pcd"},
      {"--compare pictures", "pictures/pcl-icp.pcd"},
      {"--compare pictures", "pictures/robust-icp-plane.pcd"}};
  std::filesystem::create_directory(example.scratch / "pictures");
  for (const std::string &input : inputs) {
    const std::string text = read_file(example.scratch / input);
    for (const auto &[option, name] : outputs) {
      ck_assert_int_eq(::link((example.scratch / input).c_str(), (example.scratch / name).c_str()), 0);
      for (const char *const normals : {"", "--normals pcl ", "--normals core "}) {
        const Run run = shell(example, "\"$TOOL\" -i start.txt --prior prior.json " + std::string(normals) + option +
                                           " \"$S\" \"$T\"");
        expect_failure(run, 2, "would overwrite the input");
        ck_assert(contains(run.err, input));
        expect_text(read_file(example.scratch / input), text);
      }
      ck_assert_int_eq(unlink((example.scratch / name).c_str()), 0);
    }
  }
  ck_assert_uint_eq(example.scratch.names().size(), inputs.size() + 1);
  const Run run = shell(example, "mkdir scans; cp \"$S\" scans/1.xyz; cp \"$T\" scans/2.xyz; ln scans/2.xyz poses; "
                                 "\"$TOOL\" --sequence scans --trajectory poses");
  expect_failure(run, 2, "would overwrite the input");
  expect_text(read_file(example.scratch / "poses"), read_file(example.target));
}
END_TEST

/** What reaches a terminal is one line of characters that show. */
START_TEST(control_characters_in_messages) {
  const std::string bad = "\x1b[31mE\x07VIL\x7f\xc2\x9b"
                          "0m\xff\xe2\x80\xae";
  const std::string shown = "\\x1b[31mE\\x07VIL\\x7f\\xc2\\x9b0m\\xff\\xe2\\x80\\xae";
  const Scratch scratch;
  const std::string fields = "FIELDS x y z " + bad + "\nSIZE 4 4 4 ";
  const std::string files[] = {
      bad + " 1 2\n",
      pcd_header(1, (fields + "3\nTYPE F F F F\n").c_str()) + "0 0 0 0\n",
      pcd_header(1, (fields + "4\nTYPE F F F " + bad + "\n").c_str()) + "0 0 0 0\n",
      pcd_header(1, (fields + "4\nTYPE F F F F\nCOUNT 1 1 1 " + bad + "\n").c_str()) + "0 0 0 0\n",
      pcd_header(1, (fields + "4\nTYPE F F F F\n").c_str()) + "0 0 0\n",
      ply_header(1, "ascii", ("property " + bad + " x\n").c_str()),
      ply_header(1, "ascii",
                 ("property float " + bad + "\nproperty float x\nproperty float y\nproperty float z\n").c_str()),
      ply_header(0, "ascii", ("property float x\nproperty float y\nproperty float z\nelement " + bad + " 1\n").c_str()),
      "ply\n" + bad + "\n",
  };
  const auto expect_shown = [&](const Run &run, const std::string &wanted) {
    ck_assert_msg(run.err.size() < 1000 && contains(run.err, wanted), "no %s in: %s", wanted.c_str(), run.err.c_str());
    ck_assert(std::all_of(run.err.begin(), run.err.end() - 1, [](char c) { return c >= ' ' && c <= '~'; }));
  };
  for (const std::string &bytes : files) {
    write_file(scratch / "esc", bytes);
    const Run run = run_tool({scratch / "esc", scratch / "esc"});
    ck_assert_int_eq(run.status, 1);
    expect_shown(run, scratch / "esc");
  }
  expect_shown(run_tool({scratch / bad, scratch / bad}), shown + ": cannot be opened");
  expect_shown(run_tool({"--" + bad, "a", "b"}), "not expected: --" + shown.substr(0, 20));
  expect_shown(run_tool({"--" + std::string(3000, 'n'), "a", "b"}), "not expected: --nnn");
  expect_shown(run_tool({"-m", bad, "a", "b"}), "--method");
  write_file(scratch / "long",
             pcd_header(1, ("FIELDS x y z " + std::string(100000, 'n') + "\nSIZE 4 4 4 3\nTYPE F F F F\n").c_str()));
  expect_shown(run_tool({scratch / "long", scratch / "long"}), std::string(40, 'n') + "...");
  expect_shown(run_tool({std::string(3000, 'n'), "b"}), "nnn: cannot be opened");
  expect_text(tool::printable("Stra\u00dfe \u70b9\u4e91 \U0001F600"), "Stra\u00dfe \u70b9\u4e91 \U0001F600");
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite("faults",
                   {pcd_memory_is_bounded_whatever_a_header_says, file_truncated_or_growing_while_it_is_read,
                    file_truncated_by_another_program, inputs_without_end, signals_while_writing,
                    file_size_limit_while_writing, closed_descriptors, full_standard_output,
                    outputs_that_would_overwrite, no_output_overwrites_any_input, control_characters_in_messages});
}
