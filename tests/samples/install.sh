#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install to an empty scratch prefix, then see that the package is whole and can be moved, and that the tool, if it is
# built, starts and finds its module wherever it was put: under a prefix, after a move, below a DESTDIR.
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

# A link of an installed document leads to one that is installed, too.
links=0
for document in $(find "$prefix" -name '*.md'); do
  for link in $(grep -o '](\([^)#:]*\)[^):]*)' "$document" | sed 's/^](//; s/[#)].*//'); do
    links=$((links + 1))
    [ -e "$(dirname "$document")/$link" ] || {
      echo "$document: nothing at $link"
      failed=1
    }
  done
done
[ "$links" -ge 50 ] || {
  echo "$links links in all installed documents"
  failed=1
}

unset LD_LIBRARY_PATH
# Points spread evenly over a round thing without symmetry, and the same a quarter turn about z.
cloud() { # <turned: 0 or 1>
  awk -v turned="$1" 'BEGIN {
    for (i = 0; i < 2000; i++) {
      z = 2 * (i + 0.5) / 2000 - 1; a = 2.399963229728653 * i; s = sqrt(1 - z * z)
      r = 1 + 0.3 * cos(3 * a) * s + 0.2 * sin(4 * z) + 0.2 * s * sin(a) * z
      x = r * s * cos(a); y = r * s * sin(a)
      printf "%.6f %.6f %.6f\n", turned ? -y : x, turned ? x : y, r * z
    }
  }'
}
starts() { # <prefix>
  echo "$1/bin/fricp --version"
  "$1/bin/fricp" --version || failed=1
  cloud 0 >"$1/source.xyz"
  cloud 1 >"$1/target.xyz"
  "$1/bin/fricp" -q --threads 1 --init features -t - "$1/source.xyz" "$1/target.xyz" >"$1/pose.txt" || failed=1
  awk '{ for (c = 1; c <= 4; c++) if (($c - (NR == 1 && c == 2 ? -1 : NR == 2 && c == 1 ? 1 : NR > 2 && c == NR)) ^ 2 > 1e-6) bad = 1 }
    END { exit bad || NR != 4 }' "$1/pose.txt" || {
    echo "not a quarter turn by $1/bin/fricp --init features:"
    cat "$1/pose.txt"
    failed=1
  }
  rm -f "$1/source.xyz" "$1/target.xyz" "$1/pose.txt"
}
if [ -x "$prefix/bin/fricp" ]; then
  starts "$prefix"
  mv "$prefix" "$prefix-moved"
  starts "$prefix-moved"
  mv "$prefix-moved" "$prefix"
  DESTDIR=$prefix-destdir "$cmake" --install "$build" --prefix /usr --config "$config" >/dev/null
  starts "$prefix-destdir/usr"
  rm -rf "$prefix-destdir"
  run_path=$(readelf -dW "$prefix/bin/fricp" | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p')
  case :$run_path in *:/*)
    echo "the tool's run path $run_path names a folder of this machine"
    failed=1
    ;;
  esac
fi
find "$prefix" -type f | sed "s|^$prefix/||" | sort
exit $failed
