// SPDX-License-Identifier: BSD-3-Clause
// The rows of the drop-in contract, and the classes they are run on.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_ROW_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_ROW_HPP

#include <string>
#include <vector>

namespace conformance {

// Empty: the row holds. Otherwise what was seen instead.
using Outcome = std::string;

struct Row {
  int number;
  const char *behaviour;
  Outcome (*run)();
};

// One class under test; rows() is instantiated once for each.
struct Candidate {
  const char *name;
  std::vector<Row> rows;
};

std::vector<Row> rowsOfAuto();
std::vector<Row> rowsOfRobustIcp();
std::vector<Row> rowsOfRobustIcpPlane();
std::vector<Row> rowsOfPclIcp();
std::vector<Row> rowsOfPclIcpWithNormals();
std::vector<Row> rowsOfPclGeneralizedIcp();

inline std::vector<Candidate> ours() {
  return {{"fricp auto", rowsOfAuto()},
          {"fricp robust-icp", rowsOfRobustIcp()},
          {"fricp robust-icp-plane", rowsOfRobustIcpPlane()}};
}

inline std::vector<Candidate> peers() {
  return {{"PCL ICP", rowsOfPclIcp()},
          {"PCL ICP WithNormals", rowsOfPclIcpWithNormals()},
          {"PCL Generalized ICP", rowsOfPclGeneralizedIcp()}};
}

} // namespace conformance

// In a row: say what went wrong and end it.
#define REQUIRE(condition, ...)                                                                                        \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return conformance::describe(__VA_ARGS__);                                                                       \
  } while (0)

namespace conformance {

inline Outcome describe(const char *format) {
  return format;
}
template <class... Arguments> Outcome describe(const char *format, Arguments... arguments) {
  char text[200];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

} // namespace conformance

#endif
