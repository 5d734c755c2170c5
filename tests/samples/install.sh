#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install to an empty scratch prefix, then see that the package is whole and can be moved.
#   install.sh <cmake> <build folder> <prefix> <configuration>
set -eu
cmake=$1 build=$2 prefix=$3 config=$4
rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix" --config "$config" >/dev/null
failed=0
for file in include/fricp/fricp.h include/fricp/version.h lib/pkgconfig/fricp.pc lib/cmake/fricp/fricp-config.cmake \
  lib/cmake/fricp/fricp-config-version.cmake lib/cmake/fricp/fricp-core.cmake; do
  # The library folder has another name on some systems (lib64, lib/<architecture>).
  path=$(find "$prefix" -path "*/${file#lib/}" | head -n 1)
  [ -s "$path" ] || {
    echo "not installed: $file"
    failed=1
  }
done
# A user of the package does not have these folders: what is installed must not point to them.
if grep -rlF --include='*.cmake' --include='*.pc' --include='*.h' --include='*.hpp' -e "$build" -e "$prefix" "$prefix"; then
  echo "these files name the folder they were built or installed in"
  failed=1
fi
find "$prefix" -type f | sed "s|^$prefix/||" | sort
exit $failed
