"""Compares what `dump references ROOT` finds with what is known to be right.

    dump references ROOT > found.json
    go_compare.py ROOT go_labels.tsv found.json     # labelled by hand
    go_compare.py ROOT uses.tsv found.json          # printed by go_uses.go

ROOT holds packages by import path. Prints precision and recall, and every
difference.
"""

import json
import sys
from pathlib import Path


def labels(root, lines):
    """Place to target: file and line, or None where it is no definition."""
    starts = {}

    def offset(file, line, column):
        if file not in starts:
            text = (root / file).read_bytes()
            starts[file] = [0] + [at + 1 for at, byte in enumerate(text) if byte == 10]
        return starts[file][line - 1] + column - 1

    for package, _, file, line, column, _, target, target_line in lines:
        path = f"{package}/{file}"
        known = None if target == "-" else (f"{package}/{target}", int(target_line))
        yield (path, offset(path, int(line), int(column))), known


def uses(lines):
    """The same of a type checker's output: target file and offset."""
    for line in lines:
        if line[0] != "checked":
            file, start, _, target, target_start = line
            known = None if target == "-" else (target, int(target_start))
            yield (file, int(start)), known


def main():
    root, known_path, found_path = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    lines = [line.rstrip("\n").split("\t") for line in open(known_path, encoding="utf-8")]
    by_line = lines[0][0] == "package"
    known = dict(labels(root, lines[1:]) if by_line else uses(lines))
    found = {}
    for line in open(found_path, encoding="utf-8"):
        reference = json.loads(line)
        place = (reference["file"], reference["start"])
        if place in known:
            target, start = reference["target_file"], reference["target_start"]
            if by_line:
                start = (root / target).read_bytes()[:start].count(b"\n") + 1
            found[place] = (target, start)
    right = sum(found.get(place) == target for place, target in known.items() if target)
    wanted = sum(target is not None for target in known.values())
    for place, target in sorted(known.items()):
        if found.get(place) != target:
            print(*place, "expected", target, "found", found.get(place))
    print(f"{len(known)} places, {wanted} that name a definition, {len(found)} found, {right} right")
    print(f"precision {right / max(len(found), 1):.4f} recall {right / max(wanted, 1):.4f}")


main()
