#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Instruction counts by callgrind, compared with those in instructions.tsv: they do not depend on what else the machine
# does, so that a change of a per cent is seen, and one of 5 % fails. They do depend on the instruction set that valgrind
# offers (at most AVX2), the compiler and the C library, and are compared where these are those of the table.
#
# usage: instructions.sh BUILD_DIR          compare; exits with 1 if a count is 5 % off, either way: then renew
#        instructions.sh BUILD_DIR renew    put this machine's counts into the table
set -eu

build=${1:?usage: instructions.sh BUILD_DIR [renew]}
program=$build/bin/fricp_instructions
table=$(dirname "$0")/instructions.tsv
[ -x "$program" ] || { echo "instructions.sh: $program is missing" >&2; exit 1; }
command -v valgrind >/dev/null || { echo "SKIPPED instruction counts: no valgrind"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
valgrind --tool=none -q "$program" >"$work/names" # its processor is not the machine's
machine=$(head -n 1 "$work/names")

if [ "${2-}" != renew ] && ! cut -f 1 "$table" | grep -qxF "$machine"; then
  echo "SKIPPED instruction counts: instructions.tsv has none for: $machine"
  exit 0
fi

# count NAME: prints the instructions
count() {
  LD_BIND_NOW=1 valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect=counted \
    "$program" "$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
  counted=$(sed -n 's/^summary: *\([0-9]*\).*/\1/p; s/^totals: *\([0-9]*\).*/\1/p' "$work/out" | head -n 1)
  [ "${counted:-0}" -gt 0 ] || { echo "instructions.sh: callgrind counted nothing" >&2; return 1; }
  echo "$counted"
}

failed=0
grep -vF "$machine	" "$table" >"$work/table" || true
printf '%-20s %14s %14s %8s\n' work instructions before change
for name in $(tail -n +2 "$work/names"); do
  now=$(count "$name")
  before=$(awk -F '\t' -v m="$machine" -v n="$name" '$1 == m && $2 == n { print $3 }' "$table")
  printf '%s\t%s\t%s\n' "$machine" "$name" "$now" >>"$work/table"
  awk -v name="$name" -v now="$now" -v before="${before:-0}" 'BEGIN {
    change = before > 0 ? now / before - 1 : 1
    printf "%-20s %14d %14d %+7.2f%%\n", name, now, before, 100 * change
    exit change > 0.05 || change < -0.05
  }' || failed=1
done
if [ "${2-}" = renew ]; then
  cat "$work/table" >"$table"
elif [ "$failed" -ne 0 ]; then
  echo "instructions.sh: more than 5 % off; if that is meant: $0 $build renew, and say why in the commit"
  exit 1
fi
