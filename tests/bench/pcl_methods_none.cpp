// SPDX-License-Identifier: BSD-3-Clause
// Takes the place of pcl_methods.cpp in a build without PCL.
#include "pcl_methods.hpp"
#include "versions.hpp"

namespace bench {

struct PclPair::Clouds {};

std::string pcl_version() {
  return "none";
}

std::vector<std::string> pcl_methods() {
  return {};
}

bool pcl_normals(const Cloud &, bool, int, std::vector<double> &) {
  return false;
}

PclPair::PclPair(const Pair &) : clouds_(nullptr) {
}

PclPair::~PclPair() {
  delete clouds_;
}

PclRun PclPair::run(const std::string &, int) const {
  return {};
}

} // namespace bench
