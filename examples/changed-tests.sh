#!/bin/sh
# Prints the tests that the changes since a base reach, one qualified name a line.
#
#   examples/changed-tests.sh HEAD~1
set -u
renyi diff "${1:?usage: changed-tests.sh BASE}" --json |
    python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)["tests"]))'
