// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include "graph.hpp"
#include "report.hpp"
#include "text.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace fricp::batch {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *numbers[] = {"overlap_source", "overlap_target", "agreement",  "rival",         "inlier_share",
                                   "inlier_rms",     "undetermined",   "iterations", "points_source", "points_target"};

std::string header() {
  std::string text = "name\tsource\ttarget\tstatus\tverdict\tstop_reason\tx\ty\tz\tqx\tqy\tqz\tqw";
  for (const char *const name : numbers) {
    text += std::string("\t") + name;
  }
  return text + "\tseconds\terror\n";
}

/** Of what is not finite, and so null, nothing is known. */
template <int Rows, int Columns> Eigen::Matrix<double, Rows, Columns> known_in(const Json &list) {
  const std::vector<double> all = tool::numbers_in(list, std::size_t{Rows} * Columns);
  constexpr int order = Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor;
  const Eigen::Matrix<double, Rows, Columns> matrix =
      Eigen::Map<const Eigen::Matrix<double, Rows, Columns, order>>(all.data());
  return matrix.array().isFinite().select(matrix, 0);
}

bool gives_edge(const Json &result) {
  return tool::is_trusted(result["verdict"].get<std::string>()) ||
         (result["method"] != "auto" && result["converged"].get<bool>());
}

std::string cells_of(const Json &result) {
  std::string text = "\tok\t" + result["verdict"].get<std::string>() + "\t" + result["stop_reason"].get<std::string>();
  for (const double value : tool::shift_and_quaternion(tool::pose_in(result["pose"]))) {
    text += "\t" + tool::shortest(value);
  }
  for (const char *const name : numbers) {
    text += "\t" + (result[name].is_null() ? std::string() : result[name].dump());
  }
  return text + "\t" + result["seconds"]["total"].dump() + "\t\n";
}

std::string empty_cells(const std::string &error) {
  constexpr std::size_t between = 9 + std::size(numbers) + 1; // verdict to seconds
  return "\tfailed" + std::string(between + 1, '\t') + error + "\n";
}

} // namespace

Totals write_tables(const std::string &folder, const Journal &journal, const std::vector<Row> &rows,
                    const std::string &list) {
  const auto inside = [&folder](const char *name) { return (std::filesystem::path(folder) / name).string(); };
  tool::OutputFile table(inside("results.tsv"));
  tool::OutputFile g2o(inside("graph.g2o"));
  tool::OutputFile vertices(inside("vertices.tsv"));
  Totals totals;
  Graph graph(list);
  table.write(header());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row &row = rows[k];
    const Json result = Json::parse(journal.line(k));
    table.write(row.name + "\t" + tool::printable(row.source) + "\t" + tool::printable(row.target));
    if (!result["error"].is_null()) {
      ++totals.failed;
      table.write(empty_cells(result["error"].get<std::string>()));
      continue;
    }
    ++totals.registered;
    table.write(cells_of(result));
    if (gives_edge(result)) {
      ++totals.trusted;
      const tool::Motion pose = tool::pose_in(result["pose"]);
      graph.add(
          row.target, row.source, pose,
          edge_information(pose, known_in<6, 6>(result["information"]), known_in<3, 1>(result["information_center"])),
          result["dimension"].get<int>());
    }
  }
  totals.edges = graph.edges();
  graph.write(g2o, vertices);
  for (tool::OutputFile *const file : {&table, &g2o, &vertices}) {
    file->close();
  }
  for (tool::OutputFile *const file : {&table, &g2o, &vertices}) {
    file->commit();
  }
  return totals;
}

} // namespace fricp::batch
