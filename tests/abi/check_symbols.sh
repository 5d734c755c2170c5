#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared library exports exactly the functions of fricp.h, under the soname of the ABI number, and imports nothing
# that prints, exits, reads the environment or changes global state.
#   check_symbols.sh <shared library> <fricp.h> <ABI number> [imports: 0 under a sanitizer, which imports for itself]
set -eu
library=$1 header=$2 abi=$3 imports=${4-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Declarations may go over two lines; what is left of "name(" after the comments is a function of ours.
tr '\n' ' ' <"$header" | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' | grep -o 'FRICP_API [^;]*;' |
  grep -o 'fricp_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
if [ "$(wc -l <"$work/declared")" -lt 20 ]; then
  echo "found only $(wc -l <"$work/declared") declarations in $header: this test cannot read it any more"
  failed=1
fi
if ! diff "$work/declared" "$work/exported" >"$work/difference"; then
  echo "declared in fricp.h (<) against exported (>):"
  cat "$work/difference"
  failed=1
fi

soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
if [ "$soname" != "libfricp.so.$abi" ]; then
  echo "soname is '$soname', wanted libfricp.so.$abi"
  failed=1
fi

if [ "$imports" -eq 1 ]; then
  nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >"$work/imported"
  if ! grep -q . "$work/imported"; then
    echo "no import found in $library: this test cannot read it any more"
    failed=1
  fi
  output='(__)?(v|f|vf|d|vd)?w?printf(_chk)?|f?put(s|c|w?char)|_IO_putc|f?write|perror|std(out|err|in)|f?open|syslog'
  process='_?exit|_Exit|quick_exit|at_quick_exit|atexit|abort|__assert_fail|system|popen|fork|execv?[ep]?|raise|kill'
  state='(secure_|__secure_)?getenv|setenv|putenv|environ|setlocale|signal|sigaction|s?rand|s?random|[sd]?rand48'
  flann='flann_set_distance_type|flann_log_verbosity'
  if grep -xE "$output|$process|$state|$flann" "$work/imported"; then
    echo "the library imports these; it must not print, exit, read the environment or change global state"
    failed=1
  fi
fi
[ $failed -eq 0 ] && echo "$(wc -l <"$work/exported") functions exported, soname $soname"
exit $failed
