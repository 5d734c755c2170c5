#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks how `fricp_bench pairs`, `scenes`, `places`, `ablation`, `evaluate` and `synthetic` count: the same bits however many processes share the work, a
# pair that cannot be registered is told and costs nothing but itself, a folder that cannot be read ends the program.
#
# usage: runs.sh BUILD_DIR
set -eu

bin=${1:?usage: runs.sh BUILD_DIR}/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
fail() {
  echo "runs.sh: $1" >&2
  exit 1
}

for jobs in 1 3; do
  "$bin/fricp_bench" scenes --count 8 --method icp --method robust-icp-plane --jobs $jobs --poses "$work/scenes$jobs" >"$work/out"
done
cmp "$work/scenes1" "$work/scenes3" || fail "scenes: poses depend on the number of processes"
[ "$(wc -l <"$work/scenes1")" -eq 17 ] || fail "scenes: not a header and a line for each of 8 scenes by 2 methods"

# One pair a kind and step: what is near is right but in a corridor, where little tells, and of two places nothing is.
for jobs in 1 3; do
  "$bin/fricp_bench" places --count 1 --sensors --jobs $jobs --tsv "$work/places$jobs" >"$work/out"
done
cmp "$work/places1" "$work/places3" || fail "places: errors depend on the number of processes"
[ "$(grep -c '^[a-z]*.[a-z]*.0.*ok$' "$work/places1")" -eq 24 ] || fail "places: not 6 kinds by 4 steps: $(cat "$work/places1")"
for kind in street forest room yard table; do
  grep -q "\"$kind\", \"step\": \"near\", \"sensors\": true, \"pairs\": 1, \"right\": 1" "$work/out" || fail "places: $kind is not right"
done
[ "$(grep -c '"different", .* "right": 0' "$work/out")" -eq 6 ] || fail "places: right of two different places"
"$bin/fricp_bench" places --count 1 --maps 1 --jobs 2 >"$work/out"
[ "$(grep -c '"maps": 1, "pairs": 1' "$work/out")" -eq 18 ] || fail "places: not 3 kinds by 6 starts in a map"
[ "$(grep -c '"step": "0.3 m, 2 deg".* "right": 1' "$work/out")" -eq 3 ] || fail "places: a scan is not found in its map"
[ "$(grep -c '"step": "another".* "right": 0' "$work/out")" -eq 3 ] || fail "places: right of a place that is not in the map"

# A pair whose clouds are two whole samples of one surface, turned by 5 degrees: robust-icp finds the pose; and one whose
# target has a single point.
printf 'case\tkind\tgraded\tdim\tdiameter\tpass_rmse\tsource\ttarget\n' >"$work/index.tsv"
for name in good poor; do
  "$bin/fricp_scene" --points 500 --angle 5 "$work/$name" >"$work/out"
  mv "$work/$name/truth.txt" "$work/$name/gt.txt"
  printf '1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n' >"$work/$name/init.txt"
  printf '%s\tobject\t1\t3\t2.5\t0.05\tsource.ply\ttarget.ply\n' "$name" >>"$work/index.tsv"
done
for line in ply 'format ascii 1.0' 'element vertex 1' 'property float x' 'property float y' 'property float z' end_header '0 0 0'; do
  echo "$line"
done >"$work/poor/target.ply"
for jobs in 1 2; do
  "$bin/fricp_bench" pairs "$work" --method robust-icp --jobs $jobs --poses "$work/pairs$jobs" >"$work/out"
done
cmp "$work/pairs1" "$work/pairs2" || fail "pairs: poses depend on the number of processes"
grep -q '^good.robust-icp.ok.-\{0,1\}0x' "$work/pairs1" || fail "pairs: no pose of the good pair"
if grep -q '^poor.robust-icp.ok' "$work/pairs1"; then fail "pairs: what cannot be registered is called ok"; fi
grep -q ': 1 of 2 graded pairs pass' "$work/out" || fail "pairs: not one of two passed"

# One pair right, one failed and so left where it started, 5 degrees off: recall is a half at 0.01, no number is missing.
"$bin/fricp_bench" evaluate "$work" --method robust-icp-plane --jobs 2 --markdown "$work/table" --svg "$work/plot.svg" >"$work/out" 2>"$work/err"
grep -q '^| all | robust-icp-plane | 2 | 1 | ' "$work/table" || fail "evaluate: not two pairs, one failed: $(cat "$work/table")"
grep -q '"recall_0.01": 0.5,' "$work/out" || fail "evaluate: recall of one right pair of two: $(cat "$work/out")"
grep -q '^</svg>$' "$work/plot.svg" || fail "evaluate: no whole plot"

# From 1 to 50 % of outliers planes by Welsch stay below 0.01 of the diameter.
"$bin/fricp_bench" synthetic --study outliers --count 1 --points 1000 --method robust-icp-plane --method icp --jobs 2 \
  --markdown "$work/table" --svg "$work/plots" >"$work/out"
[ "$(grep -c '^| [0-9]* | ' "$work/table")" -eq 12 ] || fail "synthetic: not 6 shares by 2 methods: $(cat "$work/table")"
[ "$(grep -c 'robust-icp-plane | [1-9]\.[0-9]*e-0[345] ' "$work/table")" -eq 6 ] || fail "synthetic: not right: $(cat "$work/table")"
if grep -q 'nan\|inf' "$work/table"; then fail "synthetic: not a number: $(cat "$work/table")"; fi
grep -q '^</svg>$' "$work/plots/outliers.svg" || fail "synthetic: no whole plot"
"$bin/fricp_bench" synthetic --study accelerations --count 1 --points 1000 >"$work/out"
grep -q '"method": "fast-icp", "scenes": 4, .*"rises": 0,' "$work/out" || fail "synthetic: energies rose: $(cat "$work/out")"

# What changes nothing changes no bit; without acceleration the way is another one.
"$bin/fricp_bench" ablation "$work" --pairs-only --method robust-icp --rule anderson --jobs 2 --markdown "$work/table" >"$work/out"
grep -q '^| (defaults) |  | 1 of 2, 1 errors |' "$work/table" || fail "ablation: not as pairs: $(cat "$work/table")"
grep -q '^| (again) |  | 1 (+0 -0), 1 errors | 0 | 1.000 |' "$work/table" || fail "ablation: the same twice differs"
grep -q '^| anderson_history | -1 | 1 (+0 -0), 1 errors | 1 |' "$work/table" || fail "ablation: an option had no effect"

rm "$work/poor/init.txt"
for jobs in 1 2; do
  if "$bin/fricp_bench" pairs "$work" --method robust-icp --jobs $jobs --poses "$work/none" >"$work/out" 2>"$work/err"; then
    fail "pairs: a missing init.txt is no error"
  fi
  grep -q ': poor:' "$work/err" || fail "pairs: the message does not name the pair: $(cat "$work/err")"
  [ ! -e "$work/none" ] || fail "pairs: poses of a run that failed"
done
echo "runs.sh: held"
