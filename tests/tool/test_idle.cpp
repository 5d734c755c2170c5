// SPDX-License-Identifier: BSD-3-Clause
/*
 * Options that a method has no use for: said, not swallowed.
 */
#include "child.hpp"
#include "clouds.hpp"
#include "expect.hpp"

#include <cstdint>
#include <string>

#include "suite.h"

namespace fricp::test {

namespace {

/** Whether a note says that an option has no effect; the run goes on in any case. */
bool is_idle(const Example &example, const std::string &method, Words words) {
  const std::string note = "fricp: note: " + words[0] + " has no effect with " + method;
  words.insert(words.end(), {"-m", method, example.source, example.target});
  const Run run = run_tool(words);
  ck_assert_msg(run.status == 0, "%s", run.err.c_str());
  return contains(run.err, note);
}

/** What is said of a method is what its report and the core say of it. */
START_TEST(notes_are_true_of_every_method) {
  const Example example(100);
  for (std::int32_t k = 0; fricp_method_name(k) != nullptr; ++k) {
    const std::string method = fricp_method_name(k);
    const Report report = report_of({"-m", method, example.source, example.target});
    const bool wide = number_in(report, "nu_start") > 0;
    const bool judges = method == "auto";
    ck_assert_int_eq(is_idle(example, method, {"--nu-end-factor", "2"}), wide ? 0 : 1);
    ck_assert_int_eq(is_idle(example, method, {"--nu-start-factor", "2"}), wide ? 0 : 1);
    ck_assert_int_eq(is_idle(example, method, {"--fixed-width"}), wide && !judges ? 0 : 1);
    ck_assert_int_eq(is_idle(example, method, {"--starts", "2"}), judges ? 0 : 1);
    ck_assert_int_eq(is_idle(example, method, {"--sensor", "1,2,3"}), judges ? 0 : 1);
    ck_assert_int_eq(is_idle(example, method, {"--normals", "core"}), fricp_method_uses_normals(k) != 0 ? 0 : 1);
  }
}
END_TEST

START_TEST(parts_count) {
  const Example example(100);
  ck_assert(!is_idle(example, "icp", {"--fixed-width", "--kernel", "huber"}));
  const Run trimmed = run_tool(
      {"-m", "robust-icp", "--kernel", "trimmed", "--fixed-width", "-t", "/dev/null", example.source, example.target});
  ck_assert_msg(contains(trimmed.err, "--fixed-width has no effect with robust-icp and trimmed"), "%s",
                trimmed.err.c_str());
  ck_assert(!is_idle(example, "icp", {"--normals", "core", "--metric", "point-to-plane"}));
}
END_TEST

START_TEST(who_asked_for_silence_has_it) {
  const Example example(100);
  const Words words = {"-m", "icp", "--starts", "4", example.source, example.target};
  const auto with = [&words](Words more) {
    more.insert(more.end(), words.begin(), words.end());
    return run_tool(more);
  };
  expect_text(with({"-q"}).err, "");
  ck_assert(!contains(with({"--compare", example.outputs / "pictures"}).err, "no effect")); // with others it has
}
END_TEST

/** An empty variable of a script is no value, and none that was not given. */
START_TEST(empty_values_are_refused) {
  for (const char *const name : {"--free", "--init", "--sensor", "--prior", "--output", "--sequence", "--compare"}) {
    expect_failure(run_tool({name, "", "a", "b"}), 2, std::string(name) + ": \"\" needs ");
  }
}
END_TEST

} // namespace

} // namespace fricp::test

int main() {
  using namespace fricp::test;
  return run_suite(
      "idle", {notes_are_true_of_every_method, parts_count, who_asked_for_silence_has_it, empty_values_are_refused});
}
