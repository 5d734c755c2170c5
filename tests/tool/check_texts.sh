#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The manual page and the shell's completion know every option and method that the tool's help names.
#   check_texts.sh <tool> <completion> <page.gz, or "" where there is no help2man>
set -u
tool=$1 completion=$2 page=$3 failed=0

options=$("$tool" --help | sed -n 's/^  \(-[a-z],\)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort)
methods=$("$tool" --help | sed -n '/^Methods:/,/^$/s/^  \([a-z][a-z-]*\)  .*/\1/p' | sort)
# all <option>: the library's names of its values
all() {
  "$tool" "$1" "" 2>&1 | sed -n 's/.* needs one of \(.*\) (see .*/\1/p' | sed 's/, /\n/g' | sort
}
if [ "$(wc -w <<<"$options")" -lt 20 ] || [ "$(all --method | wc -w)" -lt 11 ]; then
  echo "cannot read the help any more"
  exit 1
fi
if [ "$methods" != "$(all --method)" ]; then
  diff <(echo "$methods") <(all --method) | sed "s/^/the help and the library name other methods: /"
  failed=1
fi

# offers <what> <expected> <word before> <word>
offers() {
  COMP_WORDS=("$tool" "$3" "$4")
  COMP_CWORD=2
  _fricp
  if [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" != "$2" ]; then
    echo "$1: completed to ${COMPREPLY[*]}, not to $2"
    failed=1
  fi
}
# shellcheck source=/dev/null
source "$completion"
offers options "$options" scan.ply --
offers "one option" --time-limit scan.ply --ti
offers methods "$methods" -m ""
offers "methods that begin with fast" fast-icp --method fast
offers searches tree --search t
offers metrics "$(all --metric)" --metric ""
offers kernels "$(all --kernel)" --kernel ""
offers accelerations anderson --acceleration a
offers "who estimates normals" "$(printf 'core\npcl')" --normals ""
offers "a number" "" --threads ""
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
touch "$folder/scan.ply"
offers files "$folder/scan.ply" --strict "$folder/sc"
offers "files of an option" "$folder/scan.ply" -o "$folder/sc"
offers "a pose's file" "$folder/scan.ply" --init "$folder/sc"

if [ -z "$page" ]; then
  [ "$failed" -eq 0 ] && echo "SKIPPED the manual page: no help2man"
  exit "$failed"
fi
text=$(zcat "$page" | sed -e 's/\\f[BIPR]//g' -e 's/\\-/-/g' -e 's/\\[,/]//g')
for word in $options $methods NAME SYNOPSIS EXAMPLES VERDICT; do
  grep -q -- "$word" <<<"$text" || {
    echo "the manual page does not name $word"
    failed=1
  }
done
if command -v groff >/dev/null && zcat "$page" | groff -man -Tutf8 -ww -z 2>&1 | grep .; then
  failed=1
fi
exit "$failed"
