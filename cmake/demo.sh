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

build/release/bin/fricp_scene "$out"
echo
build/release/bin/fricp -m robust-icp "$out/source.ply" "$out/target.ply" \
  -o "$out/registered.ply" -t "$out/pose.txt" -r "$out/report.json"
echo
echo "pose found (target_from_source), $out/pose.txt:"
cat "$out/pose.txt"
if [ -f "$out/truth.txt" ]; then
  echo "true pose:"
  cat "$out/truth.txt"
fi
echo
echo "To see it (pcl_viewer is in Debian's package pcl-tools), before and after:"
echo "  pcl_viewer -fc 255,160,0 $out/source.ply -fc 80,160,255 $out/target.ply"
echo "  pcl_viewer -fc 255,160,0 $out/registered.ply -fc 80,160,255 $out/target.ply"
