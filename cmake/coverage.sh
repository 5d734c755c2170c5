#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Line coverage of c_core by the core's tests: by file, with the lines that no test reaches; fails below 97 %.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS-$(nproc)}
cmake/bootstrap.sh release
cmake --preset coverage >build/coverage-configure.log 2>&1 || {
  cat build/coverage-configure.log
  exit 1
}
cmake --build --preset coverage -j "$jobs"
find build/coverage -name '*.gcda' -delete
# On generated scenes: shared clouds would take long without optimisation, and show no other lines.
FRICP_SHARED='' ctest --preset coverage -j "$jobs" -L '^(unit|api|abi)$' -E '^extend$'
gcovr --root . --filter 'c_core/' --exclude-unreachable-branches --print-summary --fail-under-line 97 build/coverage
