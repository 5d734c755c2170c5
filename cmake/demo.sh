#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a bare machine to a registered pair: installs what is missing, builds the tool, generates two scans of one scene
# that overlap in part (the true pose is known), registers them and says how to look at the result.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS-$(nproc)}
out=build/demo

cmake/bootstrap.sh build
cmake --preset release >build-demo.log 2>&1 || {
  cat build-demo.log
  exit 1
}
mkdir -p "$out" && mv build-demo.log "$out/configure.log"
cmake --build --preset release -j "$jobs" --target fricp_tool fricp_scene

build/release/bin/fricp_scene --points 20000 --overlap 0.6 --noise 0.001 --outliers 0.03 --angle 20 \
  --shift 0.05,0.03,-0.04 "$out"
echo
build/release/bin/fricp -m robust-icp "$out/source.ply" "$out/target.ply" \
  -o "$out/registered.ply" -t "$out/pose.txt" -r "$out/report.json"
echo
echo "pose found (target_from_source), $out/pose.txt:"
cat "$out/pose.txt"
echo "true pose:"
cat "$out/truth.txt"
echo
echo "To see it (pcl_viewer is in Debian's package pcl-tools), before and after:"
echo "  pcl_viewer -fc 255,160,0 $out/source.ply -fc 80,160,255 $out/target.ply"
echo "  pcl_viewer -fc 255,160,0 $out/registered.ply -fc 80,160,255 $out/target.ply"
