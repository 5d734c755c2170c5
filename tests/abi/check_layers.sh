#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The folders of the core are its layers: a file includes only files of its own folder and of those below it, in no
# circle; foreign headers stand in one file each.
#   check_layers.sh <c_core>
set -eu
cd "$1"

# shellcheck disable=SC2016,SC2046 # the program is awk's; no file of the core has a blank in its name
LC_ALL=C awk '
  function complain(text) { print text; failed = 1 }
  function one_file_only(header, pattern, wanted,    file, users) {
    for (file in foreign)
      if (foreign[file] ~ " " pattern " ") users = users file " "
    if (users != wanted " ") complain("<" header "> is included by: " users "- wanted: " wanted " only")
  }
  function folder_of(file) { sub(/\/[^\/]*$/, "", file); return file }
  function visit(file, path,    i, next_file, parts) { # depth first, along the includes
    if (state[file] == 2) return
    if (state[file] == 1) { complain("a circle: " path file); return }
    state[file] = 1
    split(includes[file], parts, " ")
    for (i in parts) visit(parts[i], path file " > ")
    state[file] = 2
  }
  BEGIN {
    folders = split("base maths search cloud model align api", name, " ") # from the lowest
    for (i = 1; i <= folders; ++i) layer[name[i]] = i
  }
  FNR == 1 {
    own[FILENAME] = layer[folder_of(FILENAME)]
    if (!own[FILENAME]) complain(FILENAME ": its folder is no layer")
  }
  match($0, /^ *# *include *"[^"]*"/) {
    file = substr($0, RSTART, RLENGTH)
    gsub(/^[^"]*"|"$/, "", file)
    if (file == "fricp/fricp.h") next
    from[++number] = FILENAME
    to[number] = file
    includes[FILENAME] = includes[FILENAME] " " file
  }
  match($0, /^ *# *include *<[^>]*>/) {
    file = substr($0, RSTART, RLENGTH)
    gsub(/^[^<]*<|>$/, "", file)
    foreign[FILENAME] = foreign[FILENAME] " " file " "
    if (file ~ /^(unistd|pthread)\.h$/ && FILENAME == "base/parallel.c" ||
        file == "pthread.h" && FILENAME == "search/flann.c")
      next
    if (file !~ /^sys\/mman\.h$/ && file ~ /^(pcl\/|Eigen|iostream|vector|c[a-z]+$|unistd\.h|sys\/|signal\.h|locale\.h|pthread\.h)/)
      complain(FILENAME ": <" file "> has no place in the core")
  }
  END {
    for (i = 1; i <= number; ++i) {
      if (!(to[i] in own)) complain(from[i] ": includes " to[i] ", which is not of the core")
      else if (own[to[i]] > own[from[i]]) complain(from[i] " includes " to[i] ", which is above it")
    }
    for (file in own) visit(file, "")
    one_file_only("lapacke.h", "lapacke\\.h", "maths/lapack.c")
    one_file_only("omp.h", "omp\\.h", "base/parallel.c")
    one_file_only("sys/mman.h", "sys/mman\\.h", "base/memory.c")
    one_file_only("flann/flann.h", "flann/[a-z.]*", "search/flann.c")
    if (number < 100) complain("only " number " includes found: this test cannot read the core any more")
    if (!failed) print number " includes, all downwards, in no circle"
    exit failed
  }' $(find . -name '*.[ch]' | sed 's,^\./,,' | sort)
