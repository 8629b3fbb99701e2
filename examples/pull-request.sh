#!/bin/sh
# Compares a pull request with its base and writes the comment to comment.md.
#
#   examples/pull-request.sh origin/main
#
# Exits with 1 if the change asks for a major version and ALLOW_MAJOR is not set.
# `renyi diff` exits with 1 when definitions changed; 2 is trouble.
set -u
base=${1:?usage: pull-request.sh BASE}

renyi diff "$base" HEAD --markdown >comment.md
[ $? -le 1 ] || exit 2
bump=$(renyi diff "$base" HEAD --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["bump"])') || exit 2
echo "version bump: $bump"
if [ "$bump" = major ] && [ -z "${ALLOW_MAJOR:-}" ]; then
    echo "a public definition changed in a way that breaks its users: see comment.md" >&2
    exit 1
fi
