// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file entry.hpp
 * What a program and the module fricp-features.so, which holds PCL's feature matching, say to each other. Plain data and
 * one symbol: no object, no exception and no memory changes hands.
 */
#ifndef FRICP_FEATURES_ENTRY_HPP
#define FRICP_FEATURES_ENTRY_HPP

#include <cstddef>

namespace fricp::features {

/** Finite points. Borrowed; no unit, and any frame whose origin is near the points: they are floats. */
struct Cloud {
  const float *points = nullptr; /**< x y z of one after the other */
  std::size_t count = 0;
  float sensor[3] = {}; /**< where they were seen from, in their frame */
};

/** What was found. */
struct Start {
  bool found = false;
  double target_from_source[16] = {}; /**< row-major, between the clouds' frames */
  double inlier_share = 0;            /**< of the thinned source, what lies on the thinned target */
  char problem[256] = "";             /**< why nothing was found, "" else */
};

/** What the module offers. The first member is the first in all versions. */
struct Module {
  const char *version; /**< of fricp; a program uses a module of its own version only */
  /** As fricp::featureStart(). @param threads  0: as many as the machine has. */
  void (*find)(const Cloud &source, const Cloud &target, int threads, Start &start) noexcept;
};

/** The name of the symbol below, for a program that looks for it. */
constexpr const char *entry_name = "fricp_features";

} // namespace fricp::features

/** What a program asks the module for. */
extern "C" __attribute__((visibility("default"))) const fricp::features::Module fricp_features;

#endif
