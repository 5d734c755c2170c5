#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Includes in the core go to the same or a lower layer; foreign headers stand in one file each.
#   check_layers.sh <c_core> <layers.txt>
set -eu
core=$1 layers=$2
failed=0
complain() {
  echo "$*"
  failed=1
}

layer_of() { # <file name>: its layer, or nothing
  stem=${1%.[ch]}
  sed 's/#.*//' "$layers" | awk -v stem="$stem" -v file="$1" '{ for (i = 3; i <= NF; ++i) if ($i == stem || $i == file) print $1 }'
}

number=0
for path in "$core"/*.c "$core"/*.h; do
  file=$(basename "$path")
  own=$(layer_of "$file")
  case $own in
  [0-9]) ;;
  "") complain "$file: no layer; add it to $layers" && continue ;;
  *) complain "$file: has more than one layer in $layers" && continue ;;
  esac
  for included in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$path"); do
    number=$((number + 1))
    case $included in
    fricp/fricp.h) continue ;;
    */*) complain "$file: includes $included, which is not of the core" && continue ;;
    esac
    [ -f "$core/$included" ] || complain "$file: includes $included, which is not there"
    other=$(layer_of "$included")
    if [ -n "$other" ] && [ "$other" -gt "$own" ]; then
      complain "$file (layer $own) includes $included (layer $other)"
    fi
  done
done

sed 's/#.*//' "$layers" | awk '{ for (i = 3; i <= NF; ++i) print $i }' | while read -r stem; do
  [ -f "$core/$stem" ] || [ -f "$core/$stem.c" ] || [ -f "$core/$stem.h" ] || echo "$stem"
done | grep . && complain "(in $layers, but no such file)"

only_in() { # <header, as a pattern> <the one file>
  users=$(cd "$core" && grep -lE "^ *# *include *[<\"]($1)[>\"]" ./*.[ch] | sed 's|^\./||' | tr '\n' ' ')
  [ "$users" = "$2 " ] || complain "<$1> is included by: ${users:-nobody }- wanted: $2 only"
}
only_in 'lapacke\.h' lapack.c
only_in 'omp\.h' parallel.c
only_in 'flann/.*' nn_flann.c
if (cd "$core" && grep -nE '^ *# *include *[<"](pcl/|Eigen|iostream|vector|cstd|unistd\.h|sys/|signal\.h|locale\.h)' ./*); then
  complain "these headers have no place in the core"
fi
[ "$number" -ge 20 ] || complain "only $number includes found in $core: this test cannot read it any more"
[ $failed -eq 0 ] && echo "$number includes, all downwards"
exit $failed
