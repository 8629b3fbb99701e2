#!/usr/bin/env python3
"""Compares hand-made labels with what `dump references` finds.

usage: labels_compare.py LABELS.tsv DUMP DIRECTORY

DIRECTORY holds a folder `<crate>-<version>` (or `<crate>`) per package. A label
whose target is `-` names no definition of its package. Precision: of the
labelled identifiers that lead somewhere, how many lead where the label says.
Recall: of the labels with a target, how many are found.
"""
import collections
import json
import pathlib
import subprocess
import sys

labels, dump, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
packages = collections.defaultdict(list)
for line in open(labels, encoding="utf-8"):
    row = line.rstrip("\n").split("\t")
    if line.startswith("#") or row[0] in ("crate", "package"):
        continue
    packages[row[0], row[1]].append(row[2:])


class Lines:
    """Byte offsets of the lines of files."""

    def __init__(self, root):
        self.root, self.files = root, {}

    def read(self, file):
        if file not in self.files:
            text = (self.root / file).read_bytes()
            starts = [0]
            for at, byte in enumerate(text):
                if byte == 10:
                    starts.append(at + 1)
            self.files[file] = (text, starts)
        return self.files[file]

    def offset(self, file, line, column):
        text, starts = self.read(file)
        start = starts[line - 1]
        end = starts[line] if line < len(starts) else len(text)
        return start + len(text[start:end].decode()[: column - 1].encode())

    def line(self, file, offset):
        return self.read(file)[0].count(b"\n", 0, offset) + 1


right = wrong = missed = targets = 0
for (name, version), rows in packages.items():
    root = directory / f"{name}-{version}"
    if not root.is_dir():
        root = directory / name
    lines = Lines(root)
    found = {}
    output = subprocess.run([dump, "references", str(root)], capture_output=True, text=True, check=True)
    for line in output.stdout.splitlines():
        reference = json.loads(line)
        found[reference["file"], reference["start"]] = reference
    for file, line, column, word, target_file, target_line in rows:
        reference = found.get((file, lines.offset(file, int(line), int(column))))
        place = "-"
        if reference is not None:
            target = reference["target_file"]
            place = f"{target}:{lines.line(target, reference['target_start'])}"
        expected = "-" if target_file == "-" else f"{target_file}:{target_line}"
        targets += expected != "-"
        if place == expected:
            right += place != "-"
        else:
            wrong += place != "-"
            missed += place == "-"
            print(f"{name} {file}:{line}:{column} {word}: expected {expected}, found {place}")
count = sum(map(len, packages.values()))
print(f"{count} labels, {targets} with a target: precision {right / max(1, right + wrong):.3f}, "
      f"recall {right / max(1, targets):.3f} ({wrong} wrong, {missed} missed)")
