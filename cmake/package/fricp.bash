# SPDX-License-Identifier: BSD-3-Clause
# Bash completion of fricp, fricp-batch and fricp-view. Options and methods are read off its own help, so that this file does not grow with them.

_fricp() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} tool=${COMP_WORDS[0]} words files=yes
  COMPREPLY=()
  case $previous in
  -m | --method | --metric | --kernel | --acceleration | --normals | --search)
    # What somebody is told who gives none of the names.
    words=$("$tool" "$previous" "" 2>&1 | sed -n 's/.* needs one of \(.*\) (see .*/\1/p' | tr -d ,)
    files=
    ;;
  --free) words="planar shift rotation roll pitch yaw x y z" files= ;;
  --sensor) words=viewpoint ;;
  -i | --init) words="identity centroid features" ;;
  --compare | --sequence)
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
    return
    ;;
  -[otr] | --output | --transform | --report | --prior | --trajectory | --screenshot) words= ;;
  --*)
    # A number follows these: nothing to offer.
    if "$tool" --help 2>/dev/null | grep -qE -e "^ +(-[a-z],)?$previous [NDXMSK] "; then
      return
    fi
    ;;
  esac
  if [[ $word == -* && -z ${words-} ]]; then
    words=$("$tool" --help 2>/dev/null | sed -n 's/^  \(-[a-z],\)\{0,1\}\(--[a-z-]*\).*/\2/p')
  fi
  mapfile -t COMPREPLY < <(compgen -W "${words-}" -- "$word")
  if [[ $word != -* && -n $files ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
} &&
  complete -F _fricp fricp fricp-batch fricp-view
