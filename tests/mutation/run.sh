#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes each fault of faults.txt in a copy of the sources, builds it and runs the core's suites until one fails, the one
# named beside it first. Prints what found it; fails if more are missed than may be (of all thirty-nine, 37 have to be
# found) or one no longer applies.
#   tests/mutation/run.sh [first [last]]
set -u
cd "$(dirname "$0")/../.." || exit 1
first=${1-1} last=${2-1000} may_be_missed=2
jobs=${JOBS-$(nproc)}
copy=$PWD/build/mutation/source
build=$PWD/build/mutation/build
faults=$PWD/tests/mutation/faults.txt

rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z c_core include tests cmake CMakeLists.txt CMakePresets.json VERSION LICENSE README.md CHANGELOG.md |
  xargs -0 cp --parents -t "$copy"
# Only what finds faults of the core is built: unit and api suites, plain and quick to compile.
configure() {
  cmake -S "$copy" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 -DFRICP_BUILD_PCL=OFF \
    -DFRICP_BUILD_BENCH=OFF -DFRICP_BUILD_SAMPLES=OFF
}
suites() {
  ctest --test-dir "$build" -N -R '^(unit|api)_' | sed -n 's/.*Test *#[0-9]*: \([a-z0-9_]*\)$/\1/p'
}
# run_suites [suite]: it or all
run_suites() {
  ctest --test-dir "$build" -j "$jobs" -R "^${1-(unit|api)_}" --stop-on-failure --no-tests=error
}
build() {
  cmake --build "$build" -j "$jobs" --target "$@" >"$build/build.log" 2>&1
}
mkdir -p "$build"
configure >"$build/configure.log" 2>&1 || {
  cat "$build/configure.log"
  exit 1
}
mapfile -t targets < <(suites)
build "${targets[@]}" || {
  tail -n 20 "$build/build.log"
  exit 1
}
run_suites >"$build/run.log" 2>&1 || {
  tail -n 20 "$build/run.log"
  echo "the suites fail without a fault"
  exit 1
}

# Too slow is no find: it may be the machine.
suites_fail() {
  ! run_suites "$@" >"$build/run.log" 2>&1 && ! grep -q '\*\*\*Timeout' "$build/run.log"
}
is_found() {
  suites_fail "$suite\$" || { build "${targets[@]}" && suites_fail; }
}

number=0 tried=0 found=0 wrong=0
while IFS= read -r line; do
  [[ $line == \#* ]] && continue
  number=$((number + 1))
  if [ "$number" -lt "$first" ] || [ "$number" -gt "$last" ]; then continue; fi
  file=${line%% | *} rest=${line#* | }
  what=${rest%% | *} rest=${rest#* | }
  suite=${rest%% | *} expression=${rest#* | }
  source=$copy/c_core/$file
  cp "$source" "$build/sound"
  sed -i "$expression" "$source"
  tried=$((tried + 1))
  if cmp -s "$source" "$build/sound"; then
    echo "$number  NO LONGER APPLIES  $file: $what"
    wrong=1
  elif ! build "$suite"; then
    echo "$number  DOES NOT COMPILE  $file: $what"
    wrong=1
  elif ! is_found; then
    echo "$number  NOT FOUND  $file: $what"
  else
    found=$((found + 1))
    echo "$number  found  $file: $what: $(sed -n 's/.*Test *#[0-9]*: \([a-z0-9_]*\) .*\*\*\*\([A-Za-z]*\).*/\1 \2/p' "$build/run.log" | tr '\n' ' ')"
  fi
  cp "$build/sound" "$source"
done <"$faults"
echo "$found of $tried faults found"
[ "$wrong" -eq 0 ] && [ $((tried - found)) -le "$may_be_missed" ]
