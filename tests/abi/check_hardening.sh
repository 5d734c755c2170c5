#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each binary is linked with full RELRO (the segment, and all symbols bound at start) and without an executable stack.
#   check_hardening.sh <program or shared library>...
set -eu
failed=0

wants() { # <binary> <what> <pattern> <text>
  printf '%s\n' "$4" | grep -Eq "$3" || {
    echo "$1: $2"
    failed=1
  }
}

for binary in "$@"; do
  segments=$(readelf -lW "$binary")
  wants "$binary" "no RELRO segment" '^ *GNU_RELRO ' "$segments"
  wants "$binary" "the stack may be executable" '^ *GNU_STACK .* RW +0x' "$segments"
  wants "$binary" "symbols are bound late: only partial RELRO" 'BIND_NOW|FLAGS_1.*NOW' "$(readelf -dW "$binary")"
done
[ $failed -eq 0 ] && echo "full RELRO, no executable stack: $*"
exit $failed
