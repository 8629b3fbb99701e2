#!/usr/bin/env python3
"""Compares what `dump references` finds with what Go's type checker says.

usage: go_compare.py USES.tsv FOUND.json

USES.tsv is printed by go_uses.go, FOUND.json by `dump references` of the same
directory. Prints every difference, then precision and recall over all
identifiers that the checker knows.
"""
import json
import sys

known = {}
for line in open(sys.argv[1], encoding="utf-8"):
    row = line.rstrip("\n").split("\t")
    if row[0] != "checked":
        file, start, _, target, target_start = row
        known[file, int(start)] = None if target == "-" else (target, int(target_start))
found = {}
for line in open(sys.argv[2], encoding="utf-8"):
    reference = json.loads(line)
    place = (reference["file"], reference["start"])
    if place in known:
        found[place] = (reference["target_file"], reference["target_start"])
right = sum(found.get(place) == target for place, target in known.items() if target)
wanted = sum(target is not None for target in known.values())
for place, target in sorted(known.items()):
    if found.get(place) != target:
        print(*place, "expected", target, "found", found.get(place))
print(f"{len(known)} identifiers, {wanted} that name a definition, {len(found)} found, {right} right: "
      f"precision {right / max(1, len(found)):.4f}, recall {right / max(1, wanted):.4f}")
