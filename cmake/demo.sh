#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a bare machine to a registered pair: installs what is missing, builds the tool, generates two scans of one scene
# that overlap in part (the true pose is known), registers them and says how to look at the result.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS-$(nproc)}
out=build/demo

cmake/bootstrap.sh build
mkdir -p "$out"
cmake --preset release >"$out/configure.log" 2>&1 || {
  cat "$out/configure.log"
  exit 1
}
cmake --build --preset release -j "$jobs" --target fricp_tool fricp_scene

build/release/bin/fricp_scene --points 20000 --overlap 0.6 --noise 0.001 --outliers 0.03 --angle 20 \
  --shift 0.05,0.03,-0.04 "$out"
echo
build/release/bin/fricp -o "$out/registered.ply" -t "$out/pose.txt" -r "$out/report.json" --compare "$out/compare" \
  "$out/source.ply" "$out/target.ply"
echo
echo "The true pose:"
cat "$out/truth.txt"
echo
echo "Written to $out: the moved cloud registered.ply, the pose pose.txt, the report report.json."
echo "To see the result (pcl_viewer is in Debian's package pcl-tools):"
echo "  pcl_viewer $out/compare/target.pcd $out/compare/auto.pcd"
