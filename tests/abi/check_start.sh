#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a program loads before it does anything: of PCL the common library alone, since those that hold PCL's classes for all
# of its types have a hundred thousand addresses to fill in, and nothing of VTK and Qt, which PCL's targets bring.
#   check_start.sh <program>...
set -eu
failed=0
for program in "$@"; do
  needed=$(readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  loaded=$(LD_TRACE_LOADED_OBJECTS=1 "$program" | sed -n 's/^[[:space:]]*\([^ ]*\) .*/\1/p')
  case $loaded in *libc.*) ;; *)
    echo "$program: the loader does not say what it loads"
    failed=1
    ;;
  esac
  if printf '%s\n%s\n' "$needed" "$loaded" | grep -E '^lib(pcl_|vtk|Qt)' | grep -v '^libpcl_common\.' | sort -u | grep .; then
    echo "$program loads these at each start"
    failed=1
  fi
done
[ $failed -eq 0 ] && echo "of PCL only libpcl_common: $*"
exit $failed
