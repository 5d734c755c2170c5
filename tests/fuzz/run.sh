#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the fuzz targets and runs each for so many seconds (default: 600), one after another. Prints a line each: inputs
# run, code edges reached, findings. Inputs that reach something new stay in build/fuzz/corpus/NAME for the next time;
# one that breaks a promise is put into build/fuzz/findings/NAME, and belongs in tests/fuzz/corpus/NAME once mended, a
# file for a reader in tests/fuzz/corpus/files.
# Without PCL only the core's. Fails if there is a finding.
#   tests/fuzz/run.sh [seconds [name]...]      names: register options pcd ply text
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${1-600}
shift
build=build/fuzz
mkdir -p "$build"
build() {
  cmake --preset fuzz || cmake --preset fuzz -DFRICP_BUILD_PCL=OFF || return 1
  cmake --build --preset fuzz -j "${JOBS-$(nproc)}"
}
build >"$build/build.log" 2>&1 || {
  tail -n 30 "$build/build.log"
  exit 1
}
[ $# -gt 0 ] || set -- register options pcd ply text
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:detect_container_overflow=0
export UBSAN_OPTIONS=print_stacktrace=1

failed=0
for name; do
  [ -x "$build/bin/fuzz_$name" ] || {
    printf '%-9s SKIPPED: not built, is PCL there?\n' "$name"
    continue
  }
  corpus=$build/corpus/$name findings=$build/findings/$name log=$build/fuzz_$name.log
  rm -rf "$findings"
  mkdir -p "$corpus" "$findings"
  # Something of a length to begin with; the readers' targets make sound files themselves.
  for k in 1 2 3 4 5 6 7 8; do
    [ -e "$corpus/random-$k" ] || head -c $((k * 128)) /dev/urandom >"$corpus/random-$k"
  done
  seeds=tests/fuzz/corpus/$name
  case $name in pcd | ply | text) seeds=tests/fuzz/corpus/files ;; esac
  [ -d "$seeds" ] || seeds=
  # Readers promise memory by the file's size up to this length (a packed body may hold more than its bytes).
  "$build/bin/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -len_control=10 -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$findings/" "$corpus" ${seeds:+"$seeds"} >"$log" 2>&1
  status=$?
  found=$(find "$findings" -type f | wc -l)
  [ "$status" -eq 0 ] || failed=1
  printf '%-9s %10s inputs  %6s edges  %s findings%s\n' "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)" "$found" \
    "$([ "$status" -eq 0 ] || echo "  exit $status: see $log")"
done
exit "$failed"
