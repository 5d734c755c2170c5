#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install a build into a new prefix, run the tool from there and from where the prefix was moved to; nothing is kept.
#   installed_tool.sh <cmake> <build folder> <configuration> <arguments of the tool>...
set -eu
cmake=$1 build=$2 config=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$cmake" --install "$build" --prefix "$scratch/prefix" --config "$config" >/dev/null
"$scratch/prefix/bin/fricp" "$@"
mv "$scratch/prefix" "$scratch/moved"
"$scratch/moved/bin/fricp" "$@"
