#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The C samples with nothing but a compiler and pkg-config.
#   pkgconfig.sh <C compiler> <prefix> <samples> <work folder> <version> [--static: what a static core needs too]
set -eu
cc=$1 prefix=$2 samples=$3 work=$4 version=$5 static=${6-}
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name fricp.pc)")
export PKG_CONFIG_PATH
mkdir -p "$work"
found=$(pkg-config --modversion fricp)
[ "$found" = "$version" ] || {
  echo "pkg-config says version $found, this is $version"
  exit 1
}
flags="$(pkg-config ${static:+"$static"} --cflags --libs fricp) -lm"
run_path=$(pkg-config --variable=libdir fricp)
for source in "$samples"/0*.c; do
  program=$work/$(basename "$source" .c)
  # shellcheck disable=SC2086 # a list of flags
  $cc -std=c11 -O2 "$source" -o "$program" $flags "-Wl,-rpath,$run_path"
  echo "== $(basename "$source")"
  "$program"
done
