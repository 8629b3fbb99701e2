#!/usr/bin/env python3
"""Compares resolved references with those of a SCIP index.

    scip_compare.py INDEX.scip REFERENCES ROOT [--samples N] [--columns bytes|utf16|chars]

REFERENCES is what `dump references ROOT` and `dump definitions ROOT` print, in
one file: a JSON line per reference and per definition, with byte ranges. ROOT holds the sources both were made from. SCIP tools differ
in what a column counts and seldom say so: the default takes characters.

A reference counts if the index knows its symbol as one of our definitions: a
definition of ours whose name stands where the symbol is defined. Precision: of
our references at places where the index has an occurrence, how many lead to
where it leads. Recall: of the index's references to our definitions, how many
we lead to the same place. Imports, definitions and locals do not count.
"""

import argparse
import collections
import json
import pathlib
import re

DEFINITION, IMPORT = 1, 2


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """Number and value of each field of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at : at + 8], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        elif kind == 5:
            value, at = data[at : at + 4], at + 4
        else:
            raise ValueError(f"field {key >> 3}: wire type {kind}")
        yield key >> 3, value


def numbers(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def occurrences(document):
    """Path, and (range, symbol, roles) of each occurrence of a document."""
    path, found = "", []
    for number, value in fields(document):
        if number == 1:
            path = value.decode()
        elif number == 2:
            span, symbol, roles = [], "", 0
            for number, value in fields(value):
                if number == 1:
                    span.extend(numbers(value) if isinstance(value, bytes) else [value])
                elif number == 2:
                    symbol = value.decode()
                elif number == 3:
                    roles = value
            found.append((span, symbol, roles))
    return path, found


class Text:
    """Turns lines and columns into byte offsets."""

    def __init__(self, path, columns):
        self.lines = path.read_bytes().split(b"\n")
        self.columns = columns
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def offset(self, line, column):
        if line >= len(self.lines):
            return -1
        text = self.lines[line]
        if self.columns != "bytes" and not text.isascii():
            decoded = text.decode("utf-8", "replace")
            if self.columns == "utf16":
                decoded = decoded.encode("utf-16-le")[: 2 * column].decode("utf-16-le", "replace")
                column = len(decoded.encode())
            else:
                column = len(decoded[:column].encode())
        return self.starts[line] + column

    def line(self, offset):
        number = next(at for at, start in enumerate(self.starts) if start > offset) - 1
        return number + 1, self.lines[number].decode("utf-8", "replace").strip()[:110]


def import_lines(text):
    """Lines that belong to import statements, by a rough look at the text."""
    inside, found = False, set()
    for number, line in enumerate(text.lines):
        stripped = line.strip()
        starts = re.match(rb"(from\s+[\w.]+\s+import\b|from\s*\.+\s*import\b|import\b|export\b.*\bfrom\b)", stripped)
        if inside or starts:
            found.add(number)
        if starts and not inside:
            opened = stripped.count(b"(") + stripped.count(b"{")
            inside = opened > stripped.count(b")") + stripped.count(b"}") or stripped.endswith(b"\\")
        elif inside:
            inside = not (b")" in stripped or b"}" in stripped) and not (
                not stripped.endswith((b",", b"\\", b"(")) and stripped and b"#" not in stripped
            )
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("index")
    arguments.add_argument("references")
    arguments.add_argument("root")
    arguments.add_argument("--samples", type=int, default=15)
    arguments.add_argument("--columns", choices=["bytes", "utf16", "chars"], default="chars")
    options = arguments.parse_args()
    root = pathlib.Path(options.root)

    texts = {}

    def same(name):
        """Overloads and twins are one symbol there."""
        return re.sub(r"~\d+", "", name)


    def text_of(path):
        if path not in texts:
            file = root / path
            texts[path] = Text(file, options.columns) if file.is_file() else None
        return texts[path]

    # Ours: by file and start, where it leads.
    ours, named, targets = {}, {}, collections.defaultdict(set)
    with open(options.references, encoding="utf-8") as lines:
        for line in lines:
            line = json.loads(line)
            if "definition" in line:
                if line["kind"] != "module":
                    named[line["file"], line["start"]] = line["definition"]
                continue
            target = line["target_file"], line["target_start"]
            ours[line["file"], line["start"]] = target
            named[target] = line["target"]

    # Theirs: places of definitions by symbol, references by place.
    defined, used = collections.defaultdict(set), {}
    for number, value in fields(pathlib.Path(options.index).read_bytes()):
        if number != 2:
            continue
        path, found = occurrences(value)
        text = text_of(path)
        if text is None:
            continue
        imports = import_lines(text)
        for span, symbol, roles in found:
            if symbol.startswith("local ") or len(span) < 3:
                continue
            start = text.offset(span[0], span[1])
            if roles & DEFINITION:
                defined[symbol].add((path, start))
            elif not roles & IMPORT and span[0] not in imports and (path, start) not in named:
                used.setdefault((path, start), set()).add(symbol)

    right, wrong, missed, expected = 0, [], [], 0
    for place, symbols in sorted(used.items()):
        places = {target for symbol in symbols for target in defined[symbol]}
        known = {target for target in places if target in named}
        mine = ours.get(place)
        if known:
            expected += 1
        names = {(target[0], same(named[target])) for target in known}
        if mine is not None and (mine in places or (mine[0], same(named[mine])) in names):
            right += 1
        elif mine is not None:
            wrong.append((place, mine, sorted(symbols)))
        elif known:
            missed.append((place, sorted(symbols)))

    def show(title, rows):
        step = max(1, len(rows) // options.samples)
        for row in rows[::step][: options.samples]:
            (path, start), *rest = row
            number, line = text_of(path).line(start)
            print(f"{title} {path}:{number}: {line}")
            for each in rest:
                print(f"    {named.get(each, each) if isinstance(each, tuple) else ' '.join(each)}")

    show("wrong", wrong)
    show("missed", missed)
    alone = sum(1 for place in ours if place not in used)
    print(f"ours {len(ours)} ({alone} where the index says nothing), theirs to our definitions {expected}")
    print(f"precision {right}/{right + len(wrong)} = {right / max(1, right + len(wrong)):.4f}")
    print(f"recall {expected - len(missed) - sum(1 for row in wrong if any(t in named for s in row[2] for t in defined[s]))}/{expected} = "
          f"{(right) / max(1, expected):.4f}")


if __name__ == "__main__":
    main()
