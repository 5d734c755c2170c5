#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a change has to pass, from a bare machine: installs what is missing, builds, tests, analyses; goes on after a
# failure and ends with a summary. `check.sh quick`: what a commit should, in some three minutes: the core, its tests but
# the longest, format. Coverage and fuzzing are presets of their own: see CONTRIBUTING.md.
# FRICP_SHARED=<folder> adds the tests on shared real clouds.
# shellcheck disable=SC2317 # the functions are called by name
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS-$(nproc)}
logs=build/check
mkdir -p "$logs"
rm -f "$logs"/*.log
failed=0
summary=()

# step <name> <command>...: shows the output as it comes and keeps it in build/check/<name>.log
step() {
  local name=$1 start=$SECONDS status
  shift
  printf '\n==== %s\n' "$name"
  "$@" 2>&1 | tee "$logs/$name.log"
  status=${PIPESTATUS[0]}
  if [ "$status" -eq 0 ]; then
    summary+=("$(printf '  pass  %-16s %4d s' "$name" $((SECONDS - start)))")
  else
    failed=1
    summary+=("$(printf '  FAIL  %-16s %4d s  see %s' "$name" $((SECONDS - start)) "$logs/$name.log")")
  fi
  return "$status"
}

# build <preset> [target]...
build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"$logs/configure-$preset.log" 2>&1 || {
    cat "$logs/configure-$preset.log"
    return 1
  }
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

# run_tests <preset> [suite]... Check's forkless suites use threads of their own, so that more tests than cores at once
# gain nothing.
run_tests() {
  local preset=$1 names
  shift
  names=$(IFS='|' && echo "$*")
  ctest --preset "$preset" -j "$jobs" ${names:+-R "^($names)\$"}
}

sources() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -- '*.c' '*.h' '*.hpp' '*.cpp'
  else
    find c_core include pcl_shim samples tests -name '*.c' -o -name '*.h' -o -name '*.hpp' -o -name '*.cpp'
  fi
}

# Another version of the formatter formats otherwise, so that only the pinned one can judge.
format() {
  local tool
  tool=$(command -v clang-format-14 || command -v clang-format) || return 1
  "$tool" --version | grep -q 'version 14\.' || {
    echo "clang-format 14 is needed, this is: $("$tool" --version)"
    return 1
  }
  sources | xargs -r "$tool" --dry-run -Werror
}

# Each file of the core with the flags it is built with; one a process, since the analyser's va_list check of version 14
# is wrong about the second file of a process.
tidy() {
  local tool
  tool=$(command -v clang-tidy-14 || command -v clang-tidy) || return 1
  [ -f build/release/compile_commands.json ] || return 1
  printf '%s\n' c_core/*/*.c | xargs -r -P "$jobs" -n 1 "$tool" -p build/release --quiet --warnings-as-errors='*'
}

# The pages of the manual; doxygen ends with an error after a warning (cmake/Doxyfile.in).
manual() {
  command -v doxygen >/dev/null || {
    echo "SKIPPED the manual: no doxygen"
    return 0
  }
  build release manual
}

# Real pairs once is enough: they take the sanitizers minutes and show them nothing that generated scenes do not.
sanitized() {
  ctest --preset asan-ubsan-core -j "$jobs" -E '^cases_(map|pairs)$'
}

quick_tests() {
  ctest --preset release-core -j "$jobs" -LE '^samples$' -E '^(extend|unit_watch)$'
}

# Of the core the suites that use threads; ten times as slow as without.
threaded="unit_pass unit_neighborhood unit_source api_threads api_processes"

case ${1-} in
'') preset=release tests="run_tests release" ;;
quick) preset=release-core tests=quick_tests ;;
*)
  echo "usage: cmake/check.sh [quick]" >&2
  exit 2
  ;;
esac

step bootstrap cmake/bootstrap.sh test
step format format
# shellcheck disable=SC2086 # a function and its argument
step build build "$preset" && step tests $tests
if [ "$preset" = release ]; then
  step tidy tidy
  step manual manual
  step instructions tests/bench/instructions.sh build/release
  step build-sanitized build asan-ubsan-core && step tests-sanitized sanitized
  # shellcheck disable=SC2086 # a list of names
  step build-threads build tsan $threaded && step tests-threads run_tests tsan $threaded
fi

printf '\n==== summary\n'
printf '%s\n' "${summary[@]}"
for name in tests tests-sanitized tests-threads; do
  [ -f "$logs/$name.log" ] &&
    sed -n -e '/\*\*\*Skipped/d' -e "s/.*tests passed.*/        $name: &/p" \
      -e 's/.*Test  *#[0-9]*: \([^ ]*\) .*\*\*\*\([A-Za-z]*\).*/          \1: \2/p' -e 's/.*:[FE]:.*/          &/p' "$logs/$name.log"
done
echo "  slowest tests, seconds:"
for name in tests tests-sanitized tests-threads; do
  [ -f "$logs/$name.log" ] &&
    sed -n "s/.*Test  *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec.*/\2 $name: \1/p" "$logs/$name.log"
done | sort -rn | head -n 10 | sed 's/^/        /'
# What a suite could not do here is said by the suite itself; ctest keeps it in its log.
if grep -hs '^SKIPPED' "build/$preset/Testing/Temporary/LastTest.log" | sort -u | grep .; then
  echo "  (set FRICP_SHARED to the folder of shared clouds to run those)"
fi
grep -hs '^SKIPPED' "$logs/manual.log" "$logs/instructions.log" | sed 's/^/  /'
if [ "$failed" -eq 0 ]; then
  echo "  all checks passed"
else
  echo "  SOME CHECKS FAILED"
fi
exit "$failed"
