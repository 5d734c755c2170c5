#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Instruction counts of one registration by callgrind: they do not depend on what else the machine does, so a change of a
# per cent is seen. The scene is generated, as large as the paper's demo pair.
#
# usage: instructions.sh BUILD_DIR [points] [method...]
# Prints: method, instructions of the whole library call (target and solve), instructions a source point.
set -eu

build=${1:?usage: instructions.sh BUILD_DIR [points] [method...]}
points=${2:-15000}
[ $# -le 2 ] && set -- "$build" "$points" robust-icp robust-icp-plane
shift 2

for program in valgrind "$build/bin/fricp_bench"; do
  command -v "$program" >/dev/null || { echo "instructions.sh: $program is missing" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

printf '%-20s %16s %14s\n' method instructions 'per point'
for method in "$@"; do
  # Only what runs inside the library's entry points is counted: not the making of the scene.
  valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect=fricp_register \
    "$build/bin/fricp_bench" once --points "$points" --method "$method" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
  count=$(sed -n 's/^summary: *\([0-9]*\).*/\1/p; s/^totals: *\([0-9]*\).*/\1/p' "$work/out" | head -n 1)
  [ -n "$count" ] && [ "$count" -gt 0 ] || { echo "instructions.sh: callgrind counted nothing" >&2; exit 1; }
  printf '%-20s %16s %14s\n' "$method" "$count" $((count / points))
done
