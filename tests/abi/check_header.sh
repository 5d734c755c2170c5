#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fricp.h compiles alone, without a warning, as every C and C++ that a user may have; and the layout is as frozen.
#   check_header.sh <C compiler> <C++ compiler or ""> <this folder> <include folder>...
set -eu
cc=$1 cxx=$2 here=$3
shift 3
include=
for folder in "$@"; do include="$include -I$folder"; done
strict="-fsyntax-only -Wall -Wextra -Wpedantic -Wundef -Werror"
failed=0

try() {
  echo "$*"
  "$@" || failed=1
}

# shellcheck disable=SC2086 # lists of options
{
  for standard in c11 c17 gnu11; do
    try $cc -std=$standard $strict -Wstrict-prototypes $include "$here/header_alone.c"
  done
  # long long and variadic macros came to C++ in 2011, and some system headers use them.
  if [ -n "$cxx" ]; then
    for standard in c++98 c++11 c++17 c++20; do
      try $cxx -x c++ -std=$standard -Wno-long-long -Wno-variadic-macros $strict $include "$here/header_alone.c"
    done
  fi
  try $cc -std=c11 $strict $include "$here/layout.c"
}
exit $failed
