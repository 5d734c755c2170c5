#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The sample in Python, by the first interpreter here that has numpy.
#   python.sh <shared library> <folder of the sample>
set -eu
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 exec "$python" "$2/register_pair.py" "$1"
  fi
done
echo "SKIPPED: no Python with numpy (on Debian: python3-numpy)"
