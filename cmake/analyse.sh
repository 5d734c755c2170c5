#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# cppcheck and gcc's -fanalyzer over c_core: fails on a finding that is not explained in cmake/analyse.known, and on an
# explanation of what is no longer found.
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS-$(nproc)}
cmake/bootstrap.sh release || exit 1
cmake --preset release-core >build/analyse-configure.log 2>&1 || {
  cat build/analyse-configure.log
  exit 1
}
found=build/analyse.log
include=(-Ic_core -Iinclude -Ibuild/release-core/include)

{
  cppcheck -q --std=c11 --enable=warning,performance,portability --suppress=missingIncludeSystem "${include[@]}" \
    --template='{file}:{line}: {message} [{id}]' c_core
  printf '%s\n' c_core/*/*.c |
    xargs -P "$jobs" -n 1 gcc -std=c11 -O1 -fopenmp -fanalyzer -D_POSIX_C_SOURCE=200809L "${include[@]}" -c -o /dev/null
} 2>&1 | grep -E '^c_core[^ ]*: .*\[(-Wanalyzer-[a-z-]+|[a-zA-Z]+)\]$' >"$found"

# "file [id]", one a line
names() {
  sed -n 's/^\([^: ]*\):[0-9:]* .*\(\[[^] ]*\]\)$/\1 \2/p' "$found" | sort -u
}
explained() {
  sed -n 's/^\(c_core[^ ]* \[[^]]*\]\).*/\1/p' cmake/analyse.known | sort -u
}
new=$(comm -23 <(names) <(explained)) old=$(comm -13 <(names) <(explained))
[ -z "$new" ] || {
  echo "not explained in cmake/analyse.known; lines and texts are in $found:"
  echo "$new"
}
[ -z "$old" ] || {
  echo "explained in cmake/analyse.known, but no longer found:"
  echo "$old"
}
[ -z "$new$old" ] && echo "$(names | wc -l) findings, all explained in cmake/analyse.known"
