#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How a kernel and a metric are added: one file each, a row in its table and one in the list of what is compiled once an
# instruction set. Does that to a copy of the core, builds and runs a test with it.
#   extend.sh <project> <folder to work in> <C compiler>
set -eu
project=$1
work=$2
compiler=$3
here=$project/tests/extend

rm -rf "$work"
mkdir -p "$work"
cp -r "$project/c_core" "$project/include" "$project/cmake" "$project/CMakeLists.txt" "$project/VERSION" "$work"
cp -r "$project/tests" "$work" # for its support
cp "$project/LICENSE" "$project/README.md" "$work" 2>/dev/null || true

# The whole change.
cp "$here/kernel_fair.c" "$here/metric_soft_plane.c" "$work/c_core/model"
sed -i 's/^  ROW([A-Z_]*, [a-z_]*)$/& ROW(FAIR, fair)/' "$work/c_core/model/kernel.h" # behind the last row
sed -i 's/^  ROW([A-Z_]*, [a-z_]*)$/& ROW(SOFT_PLANE, soft_plane)/' "$work/c_core/model/metric.h"
sed -i 's,model/kernel_welsch.c,& model/kernel_fair.c model/metric_soft_plane.c,' "$work/c_core/CMakeLists.txt"

cmake -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DFRICP_BUILD_PCL=OFF \
  -DFRICP_BUILD_SAMPLES=OFF -DFRICP_BUILD_BENCH=OFF -DFRICP_BUILD_TESTS=ON >/dev/null
cmake --build "$work/build" --target extensions -j "$(nproc)" >"$work/build.log" 2>&1 || {
  cat "$work/build.log"
  exit 1
}
"$work/build/tests/extensions"
