// SPDX-License-Identifier: BSD-3-Clause
/*
 * fricp-view: shows what fricp found in PCL's viewer.
 */
#include "scene.hpp"
#include "window.hpp"

#include "console.hpp"
#include "file_bytes.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace fricp::view {

namespace {

constexpr const char *program_name = "fricp-view";

struct Arguments {
  std::string source;
  std::string target;
  std::string report;
  std::string screenshot;
  std::string press;
  std::string answer; /**< what --help or --version prints */
};

Arguments parse_arguments(int count, char **words) {
  Arguments arguments;
  CLI::App app("Shows what fricp found in PCL's viewer: the source before, and after by its distance to the target,\n"
               "the passes of the registration and the candidates of method auto by keys that the window names.\n"
               "Without a display it writes pictures for pcl_viewer and says how to look at them.\n",
               program_name);
  app.get_formatter()->column_width(28);
  app.option_defaults()->take_last();
  app.set_help_flag("-h,--help", "print this and exit");
  app.set_version_flag("--version", std::string(program_name) + " " + fricp_version(), "print the version and exit");
  app.footer("Exit status: 0 it is shown, or there is no display; 1 it is not; 2 the command line is wrong.");
  app.add_option("SOURCE", arguments.source, "the cloud that was moved")->option_text(" ")->required();
  app.add_option("TARGET", arguments.target, "the cloud that it was laid on")->option_text(" ")->required();
  app.add_option("-r,--report", arguments.report, "what fricp --report wrote of the two")
      ->option_text("FILE")
      ->required();
  CLI::Option *const screenshot =
      app.add_option("--screenshot", arguments.screenshot, "write the window's picture as PNG in place of opening it")
          ->type_name("FILE");
  app.add_option("--press", arguments.press, "keys to press before the screenshot, such as , for a pass\nback or 2")
      ->type_name("KEYS")
      ->needs(screenshot);
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp &) {
    arguments.answer = app.help();
  } catch (const CLI::CallForVersion &version) {
    arguments.answer = version.what() + std::string("\n");
  } catch (const CLI::ParseError &fault) {
    throw tool::UsageError(fault.what());
  }
  return arguments;
}

/** What a window would show, as files in a folder of their own. @return the lines that show them. */
std::string write_pictures(Scene &scene, const Arguments &arguments) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "fricp-view-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw tool::Error(folder + ": cannot be made");
  const auto path = [&folder](const char *name) { return folder + "/" + name; };
  scene.target().write(path("target.pcd"));
  scene.before().write(path("before.pcd"));
  scene.after().write(path("after.pcd"));
  tool::OutputFile report(path("report.json"));
  report.write(scene.report().text);
  report.close();
  report.commit();
  const auto shell = [](const std::string &name) { return " " + tool::for_shell(name); };
  return "pcl_viewer" + shell(path("target.pcd")) + shell(path("before.pcd")) + "\npcl_viewer" +
         shell(path("target.pcd")) + shell(path("after.pcd")) + "\nfricp-view --report" + shell(path("report.json")) +
         " --" + shell(arguments.source) + shell(arguments.target) + "\n";
}

int run(const Arguments &arguments) {
  tool::say(stdout, arguments.answer);
  if (!arguments.answer.empty()) {
    tool::flush_output();
    return 0;
  }
  if (!arguments.screenshot.empty())
    tool::check_distinct({arguments.source, arguments.target, arguments.report}, {arguments.screenshot});
  const std::string problem = display_problem();
  if (!problem.empty() && !arguments.screenshot.empty())
    throw tool::Error("--screenshot: " + problem + "; xvfb-run gives one in memory");
  Scene scene(read_report(arguments.report), arguments.source, arguments.target);
  if (!arguments.screenshot.empty()) {
    write_screenshot(scene, arguments.press, arguments.screenshot);
  } else if (problem.empty()) {
    show(scene);
  } else {
    tool::complain(problem + "; these lines show the result where there is one:", program_name);
    tool::say(stdout, write_pictures(scene, arguments));
    tool::flush_output();
  }
  return 0;
}

} // namespace

} // namespace fricp::view

int main(int count, char **words) {
  using namespace fricp;
  tool::remove_unfinished_files_on_signals();
  return tool::guarded(view::program_name, [&] { return view::run(view::parse_arguments(count, words)); });
}
