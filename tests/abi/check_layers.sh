#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Includes in the core go to the same or a lower layer; foreign headers stand in one file each.
#   check_layers.sh <c_core> <layers.txt>
set -eu
layers=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"

# shellcheck disable=SC2016,SC2035 # the program is awk's; no file of the core begins with a dash
LC_ALL=C awk '
  function complain(text) { print text; failed = 1 }
  function one_file_only(header, pattern, wanted,    file, users) {
    for (file in foreign)
      if (foreign[file] ~ " " pattern " ") users = users file " "
    if (users != wanted " ") complain("<" header "> is included by: " users "- wanted: " wanted " only")
  }
  FILENAME == ARGV[1] {
    sub(/#.*/, "")
    for (i = 3; i <= NF; ++i) {
      if ($i in layer) complain($i " stands twice in layers.txt")
      layer[$i] = $1
    }
    next
  }
  FNR == 1 { # of a source file; a name with its suffix goes before one without
    stem = FILENAME
    sub(/\.[ch]$/, "", stem)
    key = (FILENAME in layer) ? FILENAME : stem
    if (key in layer) { own[FILENAME] = layer[key]; seen[key] = 1 }
    else complain(FILENAME ": no layer; add it to layers.txt")
  }
  match($0, /^ *# *include *"[^"]*"/) {
    name = substr($0, RSTART, RLENGTH)
    gsub(/^[^"]*"|"$/, "", name)
    from[++number] = FILENAME
    to[number] = name
  }
  match($0, /^ *# *include *<[^>]*>/) {
    name = substr($0, RSTART, RLENGTH)
    gsub(/^[^<]*<|>$/, "", name)
    foreign[FILENAME] = foreign[FILENAME] " " name " "
    if (name ~ /^(unistd|pthread)\.h$/ && FILENAME == "parallel.c" || name == "pthread.h" && FILENAME == "nn_flann.c")
      next
    if (name !~ /^sys\/mman\.h$/ && name ~ /^(pcl\/|Eigen|iostream|vector|c[a-z]+$|unistd\.h|sys\/|signal\.h|locale\.h|pthread\.h)/)
      complain(FILENAME ": <" name "> has no place in the core")
  }
  END {
    for (i = 1; i <= number; ++i) {
      if (to[i] == "fricp/fricp.h") continue
      if (!(to[i] in own)) complain(from[i] ": includes " to[i] ", which is not of the core")
      else if (own[to[i]] > own[from[i]])
        complain(from[i] " (layer " own[from[i]] ") includes " to[i] " (layer " own[to[i]] ")")
    }
    for (key in layer) if (!(key in seen)) complain(key ": in layers.txt, but there is no such file")
    one_file_only("lapacke.h", "lapacke\\.h", "lapack.c")
    one_file_only("omp.h", "omp\\.h", "parallel.c")
    one_file_only("sys/mman.h", "sys/mman\\.h", "memory.c")
    one_file_only("flann/flann.h", "flann/[a-z.]*", "nn_flann.c")
    if (number < 20) complain("only " number " includes found: this test cannot read the core any more")
    if (!failed) print number " includes, all downwards"
    exit failed
  }' "$layers" *.c *.h
