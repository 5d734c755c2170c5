#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libabigail's word on the binary interface: the library built now against the description that lies here. New functions
# and what growth.abignore allows break nothing.
#   check_abi.sh <abidw> <abidiff> <library with debug information> <the library itself> <work folder>
set -eu
here=$(dirname "$0")
abidw=$1 abidiff=$2 described=$3 library=$4 work=$5

exported() {
  nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort
}
[ "$(exported "$described")" = "$(exported "$library")" ] || {
  echo "what abidiff looks at does not export what the library exports"
  exit 1
}
"$here/describe.sh" "$abidw" "$described" "$work/now.abi"
compare() {
  "$abidiff" --leaf-changes-only --no-added-syms "$@" "$here/baseline/libfricp.abi" "$work/now.abi"
}
broken=0
compare --suppressions "$here/growth.abignore" || broken=1
# What is suppressed for growing is suppressed for a field of another type as well.
if compare | grep -E "^ +(type '.*' of '.*'|'.*' offset) changed|[0-9] data member deletion"; then
  broken=1
fi
[ "$broken" -eq 0 ] || {
  echo "Programs built against tests/abi/baseline may break. If that is meant: cmake --build <build> --target abi_baseline"
  exit 1
}
echo "nothing that breaks a program built against the baseline"
