#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install what is missing on a bare Debian 12 (or a relative of it) and nothing else.
#
#   cmake/bootstrap.sh core    the C library alone: no PCL
#   cmake/bootstrap.sh build   library, C++ shim and tool (the default)
#   cmake/bootstrap.sh test    all that the tests, analysers, sanitizers and the manual need
#   cmake/bootstrap.sh release besides, what is checked before a release: packages, coverage
set -eu

core="gcc libc6-dev make cmake ninja-build pkg-config liblapacke-dev libflann-dev check"
pcl="g++ libpcl-dev libcli11-dev nlohmann-json3-dev libopenmpi-dev openmpi-bin"
test="git binutils locales clang clang-format clang-tidy libomp-dev libnanoflann-dev \
  pcl-tools xvfb xauth abigail-tools help2man doxygen python3 python3-numpy valgrind"
release="dpkg-dev fakeroot lintian debootstrap gzip gcovr cppcheck"

case "${1-build}" in
core) wanted=$core ;;
build) wanted="$core $pcl" ;;
test) wanted="$core $pcl $test" ;;
release) wanted="$core $pcl $test $release" ;;
*)
  echo "usage: $0 [core|build|test|release]" >&2
  exit 2
  ;;
esac

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
  echo "bootstrap: no apt-get here; going on with what is installed. Debian's names of what is needed:" >&2
  echo "  $wanted" >&2
  exit 0
fi

missing=
for package in $wanted; do
  # A package may be there under the name of one that provides it (pkg-config: pkgconf).
  if ! dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
    missing="$missing $package"
  fi
done
if [ -z "$missing" ]; then
  echo "bootstrap: nothing is missing"
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "bootstrap: missing:$missing" >&2
    echo "bootstrap: run this as root, or install sudo, or install them yourself" >&2
    exit 1
  fi
  as_root=sudo
fi

echo "bootstrap: installing$missing"
install() {
  # shellcheck disable=SC2086 # a list of package names
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}
# apt-cache knows a package only after an update; and lists grow stale, so that a download can fail: update, once more.
# shellcheck disable=SC2086
if apt-cache show $missing >/dev/null 2>&1 && install; then
  exit 0
fi
$as_root apt-get update -q
install
