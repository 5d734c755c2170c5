// SPDX-License-Identifier: BSD-3-Clause
// The rows of the drop-in contract in order.
#ifndef FRICP_TESTS_PCL_CONFORMANCE_ROWS_HPP
#define FRICP_TESTS_PCL_CONFORMANCE_ROWS_HPP

#include "rows_inputs.hpp"
#include "rows_outputs.hpp"
#include "rows_results.hpp"
#include "rows_settings.hpp"
#include "rows_users.hpp"

namespace conformance {

template <class F> std::vector<Row> rows() {
  return {
      {1, "source points that are not finite", row01SourceNotFinite<F>},
      {2, "target points that are not finite", row02TargetNotFinite<F>},
      {3, "empty cloud set, then aligned", row03Empty<F>},
      {4, "align without inputs", row04NoInputs<F>},
      {5, "align(*source) again and again", row05OutputIsInput<F>},
      {6, "same target pointer, changed content", row06TargetChangedInPlace<F>},
      {7, "only setInputSource: target reused", row07TargetReused<F>},
      {8, "setIndices", row08Indices<F>},
      {9, "output is the whole cloud, fields kept", row09WholeCloud<F>},
      {10, "normals in the output", row10Normals<F>},
      {11, "data[3] is 1", row11Homogeneous<F>},
      {12, "hasConverged at the iteration limit", row12IterationLimit<F>},
      {13, "nothing within the distance limit", row13NothingNear<F>},
      {14, "getFitnessScore(max_range)", row14FitnessScore<F>},
      {15, "getSearchMethodTarget() answers", row15SearchMethod<F>},
      {16, "setSearchMethodTarget(tree, true)", row16ForcedTree<F>},
      {17, "source search, reciprocal pairs", row17Reciprocal<F>},
      {18, "setPointRepresentation (4-D)", row18Representation<F>},
      {19, "setMaxCorrespondenceDistance", row19MaxDistance<F>},
      {20, "setTransformationEpsilon", row20TranslationEpsilon<F>},
      {21, "setTransformationRotationEpsilon", row21RotationEpsilon<F>},
      {22, "setEuclideanFitnessEpsilon", row22FitnessEpsilon<F>},
      {23, "setMaximumIterations is a budget", row23IterationBudget<F>},
      {24, "RANSAC setters accepted", row24Ransac<F>},
      {25, "rejectors and estimators", row25Rejectors<F>},
      {26, "convergence state", row26State<F>},
      {27, "getLastIncrementalTransformation", row27LastStep<F>},
      {28, "protected members set", row28Members<F>},
      {29, "visualizer called each iteration", row29Visualizer<F>},
      {30, "guess used, mended or refused", row30Guess<F>},
      {31, "Scalar float and double", row31Scalar<F>},
      {32, "point types, missing normals", row32Types<F>},
      {33, "Ptr, ConstPtr, upcast", row33Pointers<F>},
      {34, "copying deep or deleted", row34Copying<F>},
      {35, "no exceptions", row35Exceptions<F>},
      {36, "setInputTarget from another thread", row36OtherThread<F>},
      {37, "degenerate scene", row37Degenerate<F>},
      {38, "far from the origin", row38FarAway<F>},
      {39, "sensor pose copied", row39SensorPose<F>},
      {40, "consumer with other compiler flags", row40NativeConsumer<F>},
      {41, "PCL 1.12 to 1.15 (built: " PCL_VERSION_PRETTY ")", row41Versions<F>},
      {42, "setMaximumIterations(1), 2, 3 ...", row42SmallBudgets<F>},
      {43, "pairwise tutorial: 4-D, budgets of 2", row43Pairwise<F>},
      {44, "degenerate scenes with noise", row44DegenerateNoisy<F>},
      {45, "own point type links with fricp::pcl", row45OwnPointType<F>},
      {46, "installed tool starts anywhere", row46Installed<F>},
  };
}

} // namespace conformance

#endif
