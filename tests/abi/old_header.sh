#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs built against the header as it was run with the library as it is: the C samples, which check what they get.
#   old_header.sh <C compiler> <folder of the library> <include folder of version.h> <this folder> <work folder>
set -eu
cc=$1 library=$2 include=$3 here=$4 work=$5
mkdir -p "$work"
for source in "$here"/../../samples/0*.c; do
  program=$work/$(basename "$source" .c)
  echo "== $(basename "$source")"
  $cc -std=c11 -O1 "-I$here/baseline" "-I$include" "$source" -o "$program" "-L$library" -lfricp -lm "-Wl,-rpath,$library"
  "$program"
done
