#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fricp-batch as users run it: results are the tool's, faults stay with their pair, what is finished stays finished.
#   check_batch.sh <fricp-batch> <fricp> <fricp_scene>
# shellcheck disable=SC2317 # functions are called by name
set -u
batch=$1 tool=$2 scene=$3 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

wrong() {
  echo "WRONG: $*"
  failed=1
}
# expect <status> <command>...: its output is in $work/log
expect() {
  local status=$1 found
  shift
  timeout 60 "$@" >"$work/log" 2>&1 </dev/null
  found=$?
  [ "$found" -eq "$status" ] || {
    wrong "status $found, not $status: ${*:1:9}"
    tail -n 5 "$work/log"
  }
}
says() {
  grep -qF -- "$1" "$2" || wrong "$2 does not say: $1"
}
# children <process>: their numbers
children() {
  awk -v parent="$1" '{ sub(/.*\) /, ""); if ($2 == parent) print FILENAME }' /proc/[0-9]*/stat 2>/dev/null | tr -dc '0-9\n'
}
# await <what> <command>...
await() {
  local what=$1 k
  shift
  for k in $(seq 300); do
    "$@" && return
    sleep 0.05
  done
  wrong "waited in vain for $what after $k looks"
}
lines() {
  [ "$(wc -l 2>/dev/null <"$1")" -ge "$2" ]
} 2>/dev/null
# complete <journal> <table>: every row of the table exactly once, after the line with the options.
complete() {
  if [ "$(tail -n +2 "$1" | sed 's/^{"name":"\([^"]*\)".*}$/\1/' | sort)" != "$(cut -f 1 "$2" | sort)" ]; then
    wrong "$1 has not each pair of $2 once"
  fi
}

for k in 1 2 3; do
  mkdir "$work/s$k"
  "$scene" --points 300 --overlap 0.8 --angle 8 --seed "$k" "$work/s$k" >/dev/null || exit 1
done
mkfifo "$work/pipe"
for k in $(seq 60); do
  printf 'pair%d\ts%d/source.ply\ts%d/target.ply\n' "$k" $((k % 3 + 1)) $((k % 3 + 1))
done >"$work/many.tsv"

# The tool's pose, to the last bit, by whichever worker and with the target of the pair before.
printf 'name\tsource\ttarget\tinit\n# a comment\n' >"$work/few.tsv"
head -n 9 "$work/many.tsv" >>"$work/few.tsv"
expect 0 "$batch" --workers 2 "$work/few.tsv" -o "$work/few"
for k in 1 2 3; do
  "$tool" -q --threads 1 -r "$work/report" "$work/s$k/source.ply" "$work/s$k/target.ply"
  pose=$(sed -n 's/^ *"pose": \(.*\),$/"pose":\1,/p' "$work/report")
  [ "$(grep -cF "$pose" "$work/few/results.jsonl")" -eq 3 ] || wrong "not the tool's pose for scene $k: $pose"
done
cp "$work/few/results.jsonl" "$work/before"
expect 0 "$batch" "$work/few.tsv" -o "$work/few"
cmp "$work/before" "$work/few/results.jsonl" || wrong "finished pairs were done again"
says "9 were finished before" "$work/log"
expect 2 "$batch" --method icp "$work/few.tsv" -o "$work/few"
says "other options" "$work/log"

# Without the module of --init features nothing is begun; with it, in its place, pairs start by it as the tool's do.
mkdir -p "$work/alone/bin"
cp "$batch" "$work/alone/bin/fricp-batch"
expect 1 "$work/alone/bin/fricp-batch" --init features "$work/few.tsv" -o "$work/features"
says "fricp-batch: --init features: $work/alone/" "$work/log"
[ -e "$work/features" ] && wrong "a folder of results without the module"
mkdir "$work/turned"
"$scene" --points 2000 --overlap 0.8 --angle 120 "$work/turned" >/dev/null || exit 1
printf 'turned\tturned/source.ply\tturned/target.ply\n' >"$work/turned.tsv"
expect 0 "$batch" --workers 2 --init features "$work/turned.tsv" -o "$work/features"
"$tool" -q --threads 1 --init features -r "$work/report" "$work/turned/source.ply" "$work/turned/target.ply"
pose=$(sed -n 's/^ *"pose": \(.*\),$/"pose":\1,/p' "$work/report")
grep -qF "$pose" "$work/features/results.jsonl" || wrong "not the tool's pose by features: $pose"

# Planar clouds give a planar graph.
mkdir "$work/s4"
"$scene" --kind outline --points 400 --noise 0.001 --angle 5 "$work/s4" >/dev/null || exit 1
printf 'flat\ts4/source.ply\ts4/target.ply\n' >"$work/flat.tsv"
expect 0 "$batch" --method icp "$work/flat.tsv" -o "$work/flat"
[ "$(cut -d ' ' -f 1 "$work/flat/graph.g2o" | tr '\n' ' ')" = "VERTEX_SE2 VERTEX_SE2 EDGE_SE2 " ] || wrong "no planar graph"

# The information of an edge: D = Z^-1 (q + a x (q - c) + v) Z by differences, its error (shift, half a turn; in the
# plane the angle) as g2o has it, costs what (a, v) costs by the report.
python=
for name in python3 /usr/bin/python3; do
  "$name" -c 'import numpy' 2>/dev/null && python=$name
done
if [ -n "$python" ]; then
  "$python" - "$work/few" "$work/flat" <<'END' || wrong "information of an edge"
import json, sys, numpy as np
for folder in sys.argv[1:]:
    line = json.loads(open(folder + "/results.jsonl").readlines()[1])
    table = {r.split("\t")[1]: r.split("\t")[0] for r in open(folder + "/vertices.tsv")}
    ends = [table[line["target"]], table[line["source"]]]
    edge = [r.split() for r in open(folder + "/graph.g2o") if r.startswith("EDGE") and r.split()[1:3] == ends][0]
    n = np.array(edge[3:], float)
    flat = edge[0] == "EDGE_SE2"
    size, begin = (3, 3) if flat else (6, 7)
    info = np.zeros((size, size)); info[np.triu_indices(size)] = n[begin:]; info = info + np.triu(info, 1).T
    Z = np.array(line["pose"]).reshape(4, 4); c = np.array(line["information_center"])
    N = np.array(line["information"]).reshape(6, 6)
    if flat:
        assert np.allclose(n[:3], [Z[0, 3], Z[1, 3], np.arctan2(Z[1, 0], Z[0, 0])], atol=1e-12)
        ways = [np.array([0, 0, a, x, y, 0.0]) for a, x, y in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (2, -3, 1)]]
    else:
        assert np.allclose(n[:3], Z[:3, 3], atol=1e-12)
        x, y, z, w = n[3:7]
        assert np.allclose([2*(x*y-z*w), 1-2*(y*y+z*z), 2*(y*z-x*w)], [Z[0, 1], Z[0, 0], Z[1, 2]], atol=1e-12)
        ways = list(np.eye(6)) + [np.ones(6), np.array([1, -2, 3, -1, 2, 1.0])]
    h = 1e-6
    for d in ways:
        a, v = h*d[:3], h*d[3:]
        A = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
        E = np.eye(4); E[:3, :3] += A; E[:3, 3] = v - A @ c
        D = np.linalg.inv(Z) @ E @ Z
        e = np.concatenate([D[:3, 3], [(D[2, 1]-D[1, 2])/4, (D[0, 2]-D[2, 0])/4, (D[1, 0]-D[0, 1])/4]])
        e = np.array([e[0], e[1], 2*e[5]]) if flat else e
        assert abs(e @ info @ e - h*d @ N @ (h*d)) < 1e-6 * abs(e @ info @ e) + 1e-9 * h*h*np.abs(N).max()
END
else
  echo "SKIPPED the information of an edge: no python3 with numpy"
fi

# A pair that failed stays so until it is to be tried again; what is finished is not.
printf 'late\tlate.ply\ts1/target.ply\nsound\ts1/source.ply\ts1/target.ply\n' >"$work/late.tsv"
expect 1 "$batch" --workers 1 "$work/late.tsv" -o "$work/late"
cp "$work/late/results.jsonl" "$work/before"
cp "$work/s1/source.ply" "$work/late.ply"
expect 1 "$batch" --workers 1 "$work/late.tsv" -o "$work/late"
cmp "$work/before" "$work/late/results.jsonl" || wrong "a failed pair was tried again"
expect 0 "$batch" --workers 1 --retry "$work/late.tsv" -o "$work/late"
says "1 were finished before" "$work/log"
cmp -n "$(wc -c <"$work/before")" "$work/before" "$work/late/results.jsonl" || wrong "--retry changed what was written"
[ "$(wc -l <"$work/late/results.jsonl")" -eq 4 ] || wrong "--retry did not do the failed pair alone"
[ "$(cut -f 4 "$work/late/results.tsv" | tr '\n' ' ')" = "status ok ok " ] || wrong "the table has not the later result"
expect 0 "$batch" --workers 1 --retry "$work/late.tsv" -o "$work/late"
says "2 were finished before" "$work/log"

# Faults of the table, by line and column.
printf 'a\tb\tc\na\tb\tc\n' >"$work/twice.tsv"
expect 1 "$batch" "$work/twice.tsv" -o "$work/none"
says "twice.tsv:2: column 1 (name)" "$work/log"
printf 'a\tb\tc\nb\t\tc\n' >"$work/empty.tsv"
expect 1 "$batch" "$work/empty.tsv" -o "$work/none"
says "empty.tsv:2: column 2 (source): is empty" "$work/log"
printf '\357\273\277name\tsource\ttarget\n# no pair\n' >"$work/empty.tsv"
expect 1 "$batch" "$work/empty.tsv" -o "$work/none"
says "empty.tsv: holds no pairs" "$work/log"
[ -e "$work/none" ] && wrong "a folder for a table that is no table"
expect 2 "$batch" "$work/few.tsv" -o ""
says '--output: "" needs a value' "$work/log"

# Results that would overwrite the table or a cloud are refused, and nothing is touched.
mkdir "$work/inside"
printf 'a\tgraph.g2o\tvertices.tsv\n' >"$work/inside/results.tsv"
expect 2 "$batch" "$work/inside/results.tsv" -o "$work/inside"
says "would overwrite the input" "$work/log"
printf 'a\tinside/graph.g2o\tinside/none\n' >"$work/outside.tsv"
echo '0 0 0' >"$work/inside/graph.g2o"
expect 2 "$batch" "$work/outside.tsv" -o "$work/inside"
says 'inside/graph.g2o" would overwrite the input' "$work/log"
[ "$(cat "$work/inside/graph.g2o")" = '0 0 0' ] && [ ! -e "$work/inside/results.jsonl" ] || wrong "inputs among the results"

# Somebody else's files of these names stay as they are; what a run leaves that was killed at its beginning is its own.
mkdir "$work/strange" "$work/begun"
printf 'notes of mine' >"$work/strange/results.jsonl"
expect 1 "$batch" "$work/few.tsv" -o "$work/strange"
says "results.jsonl:1: is no result of fricp-batch" "$work/log"
[ "$(cat "$work/strange/results.jsonl")" = 'notes of mine' ] || wrong "a file of somebody else's was cut"
rm "$work/strange/results.jsonl"
for name in results.tsv graph.g2o vertices.tsv; do
  echo mine >"$work/strange/$name"
  expect 2 "$batch" "$work/few.tsv" -o "$work/strange"
  says "$name: is no result of fricp-batch" "$work/log"
  [ "$(cat "$work/strange/$name")" = mine ] && [ ! -e "$work/strange/results.jsonl" ] || wrong "$name of somebody else's"
  rm "$work/strange/$name"
done
head -c 20 "$work/few/results.jsonl" >"$work/begun/results.jsonl"
expect 0 "$batch" "$work/few.tsv" -o "$work/begun"
cmp <(head -n 1 "$work/few/results.jsonl") <(head -n 1 "$work/begun/results.jsonl") || wrong "not begun again"

# A file is one vertex under all its names, and no edge leads from it to itself. What the tool says of options and files is
# said here, too.
cp "$work/s1/target.ply" "$work/long.ply"
printf more >>"$work/long.ply"
ln -s long.ply "$work/link.ply"
printf 'a\ts1/source.ply\tlong.ply\nb\t%s\t./s1/../link.ply\nc\tlong.ply\tlink.ply\n' "$work/s1/source.ply" >"$work/names.tsv"
expect 0 "$batch" --workers 1 --method icp --starts 2 "$work/names.tsv" -o "$work/names"
says "3 pairs: 3 registered" "$work/log"
says "2 edges" "$work/log"
says "fricp-batch: note: --starts has no effect with icp" "$work/log"
says "long.ply: 4 bytes behind the last point" "$work/log"
[ "$(tail -n +2 "$work/names/vertices.tsv")" = "$(printf '0\tlong.ply\t0\n1\ts1/source.ply\t0')" ] || wrong "a vertex for each name"
[ "$(grep -c '^EDGE_SE3:QUAT 0 1 ' "$work/names/graph.g2o")" -eq 2 ] || wrong "not the two edges"

# A pair that hangs, one that needs too much memory, one without a file, and one that crashes: a line each. Its worker
# waits at a pipe that we hold open, so that the signal finds it at that pair.
truncate -s 3G "$work/huge.pcd"
printf 'VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 260000000\nHEIGHT 1\nPOINTS 260000000\nDATA binary\n' |
  dd of="$work/huge.pcd" conv=notrunc status=none
{
  printf 'hangs\tpipe\ts1/target.ply\nlarge\thuge.pcd\ts1/target.ply\nmissing\tno.ply\ts1/target.ply\n'
  head -n 5 "$work/many.tsv"
} >"$work/faults.tsv"
exec 9<>"$work/pipe"
expect 1 "$batch" --workers 1 --pair-limit 1.5 --memory-limit 500 "$work/faults.tsv" -o "$work/faults"
complete "$work/faults/results.jsonl" "$work/faults.tsv"
says '"name":"hangs","source":"pipe","target":"s1/target.ply","init":"","error":"took longer than 1.5 s' "$work/faults/results.jsonl"
grep '"large"' "$work/faults/results.jsonl" | grep -q '"error":"[^"]*memory' || wrong "no word of memory"
says "no.ply: cannot be opened" "$work/faults/results.jsonl"
[ "$(grep -c '"error":null' "$work/faults/results.jsonl")" -eq 5 ] || wrong "sound pairs suffered"
{
  printf 'crashes\tpipe\ts1/target.ply\n'
  head -n 5 "$work/many.tsv"
} >"$work/crash.tsv"
"$batch" --workers 1 "$work/crash.tsv" -o "$work/crash" >"$work/leader" 2>&1 &
leader=$!
at_pipe() {
  local keeper process
  for keeper in $(children "$leader"); do
    for process in $(children "$keeper"); do
      find "/proc/$process/fd" -lname "$work/pipe" -newermt '1 day ago' 2>/dev/null | grep -qv '/9$' && worker=$process
    done
  done
  [ -n "${worker-}" ]
}
await "the worker at the pipe" at_pipe
# Meanwhile the folder is its own.
expect 1 "$batch" --workers 1 "$work/crash.tsv" -o "$work/crash"
says "results.jsonl: another fricp-batch writes it" "$work/log"
kill -SEGV "${worker-0}"
wait "$leader"
[ $? -eq 1 ] || wrong "a crash is not told by the status"
says 'its process crashed (Segmentation fault, signal 11)' "$work/crash/results.jsonl"
complete "$work/crash/results.jsonl" "$work/crash.tsv"
[ "$(grep -c '"error":null' "$work/crash/results.jsonl")" -eq 5 ] || wrong "pairs after a crash suffered"

if ! command -v mpirun >/dev/null; then
  [ "$failed" -eq 0 ] && echo "SKIPPED the ranks: no mpirun"
  exit "$failed"
fi

# Three ranks; one is killed in the middle. What was finished is there still, the same command finishes the rest. The
# middle is held by three pairs that wait at the pipe, first of all since their target is the largest, until a file lies
# there when they are tried again.
mkdir "$work/large"
"$scene" --points 300 --target-points 20000 --overlap 0.8 --angle 8 "$work/large" >/dev/null || exit 1
for k in 1 2 3; do
  printf 'held%d\theld\tlarge/target.ply\n' "$k" >>"$work/many.tsv"
done
three="mpirun --oversubscribe -n 3"
rank_of_ours() { # <journal's folder>: rank 1, started by an mpirun
  rank=
  local process
  for process in $(grep -lzx 'OMPI_COMM_WORLD_RANK=1' /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'); do
    tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | grep -qF -- "$1" || continue
    case $(tr -d '\0' <"/proc/$(awk '{ sub(/.*\) /, ""); print $2 }' "/proc/$process/stat")/comm" 2>/dev/null) in
    mpirun | orterun | prterun | orted) rank=$process ;;
    esac
  done
  [ -n "$rank" ]
}
# kill_one <folder>: when a third is finished
kill_one() {
  await "results in $1" lines "$1/results.jsonl" 20
  rank_of_ours "$1" || wrong "no rank 1"
  cp "$work/large/source.ply" "$work/sound"
  mv "$work/sound" "$work/held"
  kill -KILL "${rank:-0}"
}
hold() {
  rm -f "$work/held"
  mkfifo "$work/held"
  exec 8<>"$work/held"
}
hold
# shellcheck disable=SC2086 # words
$three "$batch" "$work/many.tsv" -o "$work/ranks" >"$work/log" 2>&1 &
job=$!
kill_one "$work/ranks"
wait "$job" && wrong "the job did not notice"
grep '}$' "$work/ranks/results.jsonl" >"$work/before"
lines "$work/before" 20 || wrong "finished pairs are lost"
lines "$work/before" 62 && wrong "not killed in the middle"
# shellcheck disable=SC2086
expect 0 $three "$batch" "$work/many.tsv" -o "$work/ranks"
complete "$work/ranks/results.jsonl" "$work/many.tsv"
cmp -n "$(wc -c <"$work/before")" "$work/before" "$work/ranks/results.jsonl" || wrong "finished pairs were done again"

# The same in one command.
hold
"$batch" --launch "$three" "$work/many.tsv" -o "$work/launched" >"$work/log" 2>&1 &
job=$!
kill_one "$work/launched"
wait "$job" || wrong "--launch did not finish the rest"
says "they are started again" "$work/log"
complete "$work/launched/results.jsonl" "$work/many.tsv"
cmp "$work/ranks/graph.g2o" "$work/launched/graph.g2o" || wrong "the graph depends on who was killed"
exit "$failed"
