#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The binary interface of a library in libabigail's terms: what fricp.h declares, without a path of this machine.
#   describe.sh <abidw> <library with debug information> <file to write>
set -eu
"$1" --no-corpus-path --no-comp-dir-path --no-show-locs --no-architecture --no-write-default-sizes \
  --exported-interfaces-only --drop-private-types --headers-dir "$(dirname "$0")/../../include" --out-file "$3" "$2"
# Where it was built is no part of it.
sed -i "s#path='[^']*c_core/#path='c_core/#" "$3"
