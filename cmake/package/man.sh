#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tool's manual page, from its own help and from what that does not say.
#   man.sh <help2man> <tool> <sections to include> <changelog: its date> <page to write>
set -eu
help2man=$1 tool=$2 include=$3 changelog=$4 page=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# help2man knows "-h, --help" and no notes between an option and its text.
name=$(basename "$tool")
cat >"$work/$name" <<END
#!/bin/sh
"$tool" "\$@" | sed -e 's/^\( *-[a-z]\),--/\1, --/' -e 's/ Excludes: --[a-z]*\$//' -e 's/^Positionals:/Arguments:/'
END
chmod +x "$work/$name"
SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' "$changelog" | head -n 1)" +%s)
export SOURCE_DATE_EPOCH
"$help2man" --no-info --include="$include" --output="$work/page" "$work/$name"
mv "$work/page" "$page"
