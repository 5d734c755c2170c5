#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages, has lintian judge them, installs them with apt into a bare root made by debootstrap, uses them
# there as their users do, and removes them again. Some ten minutes, most of them PCL's. As root; the mirror is the one
# that this machine's apt uses.
# shellcheck disable=SC2016,SC2317 # $ is for apt and for shells in the root; the functions are called by name
set -u
cd "$(dirname "$0")/../.." || exit 1
jobs=${JOBS-$(nproc)}
build=build/package
root=$PWD/$build/root
logs=$build/check
failed=0
summary=()

[ "$(id -u)" -eq 0 ] || {
  echo "$0: a bare root is made as root: run this by sudo" >&2
  exit 2
}
mkdir -p "$logs"

# step <name> <command>...: its output into a log, which is shown if it fails.
step() {
  local name=$1 start=$SECONDS
  shift
  printf '==== %s\n' "$name"
  if "$@" >"$logs/$name.log" 2>&1; then
    summary+=("$(printf '  pass  %-20s %4d s' "$name" $((SECONDS - start)))")
    return 0
  fi
  tail -n 40 "$logs/$name.log"
  failed=1
  summary+=("$(printf '  FAIL  %-20s %4d s  see %s' "$name" $((SECONDS - start)) "$logs/$name.log")")
  return 1
}

leave() {
  mountpoint -q "$root/proc" && umount "$root/proc"
  rm -rf --one-file-system "$root"
}
trap leave EXIT

inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# packages <name>...: where they lie in the root
packages() {
  local name
  for name; do (cd "$root" && echo try/"${name}"_*.deb | sed 's|^|/|'); done
}
install_inside() {
  inside apt-get install -y -q --no-install-recommends "$@"
}

# Debian's own flags, as its packages are built with.
make_packages() {
  local cpp
  cpp=$(dpkg-buildflags --get CPPFLAGS)
  rm -f "$build"/*.deb
  cmake --preset package "-DCMAKE_C_FLAGS=$cpp $(dpkg-buildflags --get CFLAGS)" \
    "-DCMAKE_CXX_FLAGS=$cpp $(dpkg-buildflags --get CXXFLAGS)" "-DCMAKE_SHARED_LINKER_FLAGS=$(dpkg-buildflags --get LDFLAGS)" \
    "-DCMAKE_EXE_LINKER_FLAGS=$(dpkg-buildflags --get LDFLAGS)" \
    "-DCMAKE_MODULE_LINKER_FLAGS=$(dpkg-buildflags --get LDFLAGS)" &&
    cmake --build --preset package -j "$jobs" &&
    (cd "$build" && cpack) &&
    [ "$(find "$build" -maxdepth 1 -name '*.deb' | wc -l)" -eq 4 ]
}

# What is overridden is explained beside the override: cmake/package/overrides.
judge() {
  lintian --allow-root --profile debian --show-overrides "$build"/*.deb
  lintian --allow-root --profile debian --fail-on error,warning "$build"/*.deb # shown overrides would count, too
}

bare_root() {
  local suite mirror more=
  # shellcheck disable=SC1091 # there on any Debian
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME") || return 1
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $suite" | head -n 1)
  [ -n "$mirror" ] || {
    echo "apt knows no Debian mirror for $suite: is this Debian, and was apt-get update run?"
    return 1
  }
  case $mirror in https:*) more=--include=ca-certificates ;; esac
  leave
  mkdir -p "$root"
  # shellcheck disable=SC2086 # perhaps nothing
  debootstrap --variant=minbase $more "$suite" "$root" "$mirror" || return 1
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  apt-config dump | grep -E '^Acquire::([a-z]+::Proxy|Check-)' >"$root/etc/apt/apt.conf.d/10as-outside"
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
    sort -u >"$root/etc/apt/sources.list"
  mount -t proc proc "$root/proc" || echo "no /proc in the root: going on without"
  inside apt-get update -q || return 1
  mkdir "$root/try"
  cp "$build"/*.deb "$root/try"
  cp -r samples "$root/try/samples"
  cp -r tests/samples "$root/try/tests"
}

# A generated pair; the compiler is this machine's, so that the root stays bare.
make_pair() {
  mkdir -p "$root/try/pair"
  cc -Isamples -Iinclude "-I$build/include" tests/samples/write_pair.c -o "$build/write_pair" "-L$build/lib" -lfricp -lm \
    "-Wl,-rpath,$PWD/$build/lib" && "$build/write_pair" "$root/try/pair"
}

# What is not named here comes by the packages' own dependencies.
install_tool() {
  # shellcheck disable=SC2046 # a list
  install_inside $(packages libfricp0 fricp-tools)
}
use_tool() {
  inside fricp --version &&
    inside fricp --strict -o /try/pair/moved.ply -t /try/pair/pose.txt -r /try/pair/report.json /try/pair/source.txt \
      /try/pair/target.txt && pose_is_right && rm "$root/try/pair/pose.txt" &&
    inside fricp -q --init features -t /try/pair/pose.txt /try/pair/source.txt /try/pair/target.txt && pose_is_right &&
    inside sh -c 'zcat /usr/share/man/man1/fricp.1.gz | grep -q "NAME"' &&
    inside bash -c '. /usr/share/bash-completion/completions/fricp
      COMP_WORDS=(fricp --star) COMP_CWORD=1 && _fricp && [ "${COMPREPLY[*]}" = --starts ]'
}

# 0.3 degrees and a fifth of the points' spacing, as samples/01_two_clouds.c allows.
pose_is_right() {
  paste -d ' ' "$root/try/pair/pose.txt" "$root/try/pair/truth.txt" | awk '
    { for (c = 1; c <= 4; c++) { d = $c - $(c + 4); if (d < 0) d = -d; if (d > (c < 4 ? 0.0053 : 0.008)) wrong = 1 } rows++ }
    END { print rows " rows compared"; exit wrong || rows != 4 }'
}

# VTK must not have come with the tool. There is no display, so that the viewer writes files.
install_view() {
  inside sh -c '! dpkg -l | grep -q libvtk' || return 1
  # shellcheck disable=SC2046 # a list
  install_inside $(packages fricp-view)
}
use_view() {
  inside fricp-view --version && inside sh -c 'zcat /usr/share/man/man1/fricp-view.1.gz | grep -q "NAME"' &&
    inside env TMPDIR=/try fricp --view -q /try/pair/source.txt /try/pair/target.txt 2>&1 | grep '^pcl_viewer .*after.pcd'
}

install_c() {
  # shellcheck disable=SC2046 # a list
  install_inside $(packages libfricp-dev) gcc libc6-dev pkg-config
}
use_c() {
  inside /try/tests/pkgconfig.sh gcc /usr /try/samples /try/by-pkgconfig "$(cat VERSION)"
}

# consumer <project> <option>...
consumer() {
  local project=$1
  shift
  inside cmake -S "/try/$project" -B "/try/build-$project" -DCMAKE_BUILD_TYPE=Release "$@" &&
    inside cmake --build "/try/build-$project" -j "$jobs" &&
    inside ctest --test-dir "/try/build-$project" --output-on-failure --no-tests=error
}
install_cmake() {
  install_inside cmake make
}
use_cmake() {
  consumer samples -DSAMPLES_PCL=OFF
}
install_pcl() {
  install_inside g++ libpcl-dev
}
use_pcl() {
  consumer samples -DSAMPLES_PCL=ON
}
use_own_point_type() {
  consumer tests/own_point_type
}

# Nothing of what the packages brought is left, but what another package owns, too.
remove() {
  local path left=0
  inside dpkg -L libfricp0 libfricp-dev fricp-tools fricp-view | grep -v '^\(/\.\)\?$' | sort -u >"$build/installed"
  inside apt-get purge -y -q libfricp0 libfricp-dev fricp-tools fricp-view || return 1
  while read -r path; do
    if [ -e "$root$path" ] || [ -L "$root$path" ]; then
      inside dpkg -S "$path" >/dev/null 2>&1 || {
        echo "left: $path"
        left=1
      }
    fi
  done <"$build/installed"
  if inside find / -xdev -path /try -prune -o -iname '*fricp*' -print | grep .; then
    echo "these are left"
    left=1
  fi
  inside ldconfig -p | grep fricp && left=1
  [ "$(wc -l <"$build/installed")" -gt 20 ] && [ "$left" -eq 0 ]
}

step bootstrap cmake/bootstrap.sh release
step packages make_packages && {
  step lintian judge
  step bare-root bare_root && step pair make_pair && {
    step install-tool install_tool && step use-tool use_tool
    step install-view install_view && step use-view use_view
    step install-c install_c && step use-c-pkgconfig use_c
    step install-cmake install_cmake && step use-c-cmake use_cmake
    step install-pcl install_pcl && step use-pcl use_pcl && step use-own-point use_own_point_type
    step remove remove
  }
}

printf '\n==== summary\n'
printf '%s\n' "${summary[@]}"
[ "$failed" -eq 0 ] && echo "  the packages install, work and leave nothing behind: $build/*.deb"
exit "$failed"
