#!/usr/bin/env python3
"""Reads a whole store and checks it, following the pages of store-format/ and
nothing else: a second reader, so that the pages are known to be enough.

    read_store.py [--json] STORE ...

Needs the packages blake3, cbor2 and zstandard. Prints what is there and exits 0,
or prints each problem with its file and offset and exits 1. Changes nothing. The
cache may hold anything, so it is not read.
"""

import argparse
import json
import os
import re
import stat
import sys
from bisect import bisect_left
from pathlib import Path
from typing import NamedTuple

import objects
from objects import COMPONENT, KINDS, MAP, MODULE, OPERATION, SOURCE, TEXT, TREE, VIEW, Refused
from objects import ascends, cut, identifier, named, refuse_unless, utf8
from packs import Pack


class Leaf(NamedTuple):
    """A leaf put together from its runs."""

    path: str
    module: str
    source: bytes
    errors: int
    places: list
    # name, component and rank, kind, targets as (module, name)
    entries: list


class Reader:
    def __init__(self, root):
        self.root = root
        self.file = ""  # being read
        self.problems = []
        self.packs = 0
        self.objects = {}  # (kind, key) -> Object
        self.values = {}  # the same -> decoded value, of those that were sound
        self.checked = set()  # objects whose references were followed
        self.leaves = {}
        self.operations = {}
        self.names = {}
        self.maps = {}

    def problem(self, file, offset, message):
        found = {"file": file, "offset": offset, "message": message}
        if found not in self.problems:
            self.problems.append(found)

    def problem_of(self, kind, key, refused):
        held = self.objects.get((kind, key))
        if held is None:
            self.problem("", 0, f"{named(kind, key)}: {refused}")
            return
        at = f"at {held.within + refused.at} of its block"
        self.problem(held.file, held.offset, f"{named(kind, key)} {at}: {refused}")

    def read(self):
        try:
            self.check_format()
            # Heads before packs: what a head names was written before it.
            heads = self.read_heads()
            self.read_packs()
        except (Refused, OSError) as error:
            self.problem(self.file, getattr(error, "at", 0), str(error))
            return
        for held in self.objects.values():
            self.check_alone(held)
        self.check_names()
        for head in heads:
            self.walk_operations(head)
        self.names = self.join(heads)
        for kind, key in self.names.values():
            self.follow(kind, key)

    # -- files (directory.md)

    def open(self, *parts):
        """The bytes of a file that is neither a link nor a device."""
        self.file = "/".join(parts)
        path = self.root.joinpath(*parts)
        refuse_unless(stat.S_ISREG(path.lstat().st_mode), "not a plain file")
        return path.read_bytes()

    def list(self, *parts):
        self.file = "/".join(parts)
        path = self.root
        for part in parts:
            path = path / part
            if not path.exists() and not path.is_symlink():
                return []
            refuse_unless(stat.S_ISDIR(path.lstat().st_mode), "not a plain directory")
        return sorted(os.listdir(path))

    def check_format(self):
        data = self.open("format")
        refuse_unless(len(data) <= 4096, "longer than 4096 bytes")
        try:
            first, *lines = data.decode().removesuffix("\n").split("\n")
        except UnicodeDecodeError as error:
            raise Refused("not UTF-8", error.start) from error
        refuse_unless(first == "renyi store 1", f"`{first}` and not `renyi store 1`")
        known = {"hash": {"blake3"}, "required": {"operations-1", "packs-1"}, "optional": None}
        seen = set()
        at = len(first) + 1
        for line in lines:
            word, *values = line.split(" ")
            refuse_unless(word in known, f"`{line}`, a line this reader does not know", at)
            allowed = known[word] is None or set(values) <= known[word]
            allowed = allowed and (word != "hash" or len(values) == 1)
            refuse_unless(allowed, f"`{line}`, which this reader does not know", at)
            seen.add(word)
            at += len(line.encode()) + 1
        refuse_unless({"hash", "required"} <= seen, "no line `hash` or `required`", len(data))

    def read_heads(self):
        heads = []
        for name in self.list("ops", "heads"):
            if re.fullmatch("[0-9a-f]{64}", name):
                data = self.open("ops", "heads", name)
                if data:
                    self.problem(self.file, 0, "a head that is not empty")
                heads.append(bytes.fromhex(name))
        return heads

    def read_packs(self):
        for name in self.list("objects", "pack"):
            if not re.fullmatch(r"[0-9a-f]{64}\.rpk", name):
                continue
            try:
                data = self.open("objects", "pack", name)
                pack = Pack(self.file, data, name.removesuffix(".rpk"))
            except (Refused, OSError) as error:
                self.problem(self.file, getattr(error, "at", 0), str(error))
                continue
            self.packs += 1
            for found in pack.objects(self.problem):
                at = found.kind, found.key
                held = self.objects.get(at)
                if held is None or held.sequence < found.sequence:
                    self.objects[at] = found

    # -- objects

    def check_alone(self, held):
        if held.kind == SOURCE:
            return
        try:
            value = objects.check_alone(held.kind, held.identity)
            self.values[held.kind, held.key] = value
            if held.kind == COMPONENT and held.record is not None:
                objects.check_record(held.record, len(value[1]))
        except Refused as refused:
            self.problem_of(held.kind, held.key, refused)

    def has(self, kind, key, by):
        """Whether there is such an object; `by` is the file or object that says so."""
        if (kind, key) in self.objects:
            return True
        if isinstance(by, str):
            self.problem(by, 0, f"no {named(kind, key)}")
        else:
            self.problem(
                self.objects[by].file, self.objects[by].offset, f"no {named(kind, key)} for {named(*by)}"
            )
        return False

    def value(self, kind, key, by):
        """The value of an object, or None if there is none or it is damaged, which was said."""
        return self.values.get((kind, key)) if self.has(kind, key, by) else None

    # -- operations and views (objects.cddl, directory.md)

    def check_names(self):
        """What views and operations name is there, also of those that no head leads to."""
        for own, value in self.values.items():
            if own[0] == VIEW:
                targets = [(VIEW, value[0])] if value[0] else []
                targets += [tuple(change[1:]) for change in value[1] if len(change) == 3]
            elif own[0] == OPERATION:
                targets = [(VIEW, value[1])] + [(OPERATION, parent) for parent in value[0]]
            else:
                continue
            for target in targets:
                self.has(*target, own)

    def walk_operations(self, head):
        todo = [(head, f"ops/heads/{head.hex()}")]
        while todo:
            key, by = todo.pop()
            value = self.value(OPERATION, key, by)
            if value is None or key in self.operations:
                continue
            parents, view, depth, *_ = value
            own = OPERATION, key
            self.operations[key] = value
            for parent in parents:
                todo.append((parent, own))
                above = self.value(OPERATION, parent, own)
                if above and above[2] >= depth:
                    self.problem_of(*own, Refused("not deeper than its parent"))
            for target in self.view(view, own).values():
                self.follow(*target)

    def view(self, key, by, views=1):
        """The names of a view and of its bases."""
        value = self.value(VIEW, key, by)
        if value is None:
            return {}
        base, changes = value
        if views > 64:
            self.problem_of(VIEW, key, Refused("more than 64 views on each other"))
            return {}
        names = dict(self.view(base, (VIEW, key), views + 1)) if base else {}
        for name, *target in changes:
            if target:
                names[name] = tuple(target)
            else:
                names.pop(name, None)
        return names

    def ancestors(self, key):
        """An operation and all that it descends from."""
        found, todo = set(), [key]
        while todo:
            key = todo.pop()
            if key in self.operations and key not in found:
                found.add(key)
                todo += self.operations[key][0]
        return found

    def join(self, heads):
        """The names that all heads together give."""
        below = {head: self.ancestors(head) for head in heads if head in self.operations}
        below = {
            head: own
            for head, own in below.items()
            if not any(head in o for h, o in below.items() if h != head)
        }
        if not below:
            return {}
        names = self.view(self.operations[next(iter(below))][1], "ops/heads")
        some = set().union(*below.values()) - set.intersection(*below.values())
        writes = {}
        for key in some:
            for name in self.operations[key][5]:
                writes.setdefault(name, []).append(key)
        for name, writers in writes.items():
            last = [key for key in writers if not any(key in self.ancestors(w) for w in writers if w != key)]
            last.sort(key=lambda key: (self.operations[key][3], key), reverse=True)
            targets = [(self.view(self.operations[key][1], "ops/heads").get(name), key) for key in last]
            targets = [(target, key) for target, key in targets if target]
            names.pop(name, None)
            for target, key in targets:
                if name not in names:
                    names[name] = target
                elif target != names[name]:
                    names[f"conflict/{name}/{key.hex()[:12]}"] = target
        return dict(sorted(names.items()))

    # -- maps (map.md)

    def follow(self, kind, key):
        """Checks that all that an object refers to is there and fits."""
        if (kind, key) in self.checked or (kind, key) not in self.objects:
            return
        self.checked.add((kind, key))
        try:
            if kind == MAP:
                self.follow_map(key)
            elif kind == COMPONENT:
                self.follow_component(key)
        except Refused as refused:
            self.problem_of(kind, key, refused)

    def follow_map(self, key):
        own = MAP, key
        value = self.values.get(own)
        if value is None:  # which was said
            return
        _, counts, tree = value
        level, items = self.node(tree, own)
        refuse_unless(totals(items) == counts, "counts other than those of the tree")
        top = [["", tree, counts]]
        for height in range(level, -1, -1):
            top = self.level_below(top, height, own)
        leaves = [self.listed_leaf(*item, own) for item in top]
        leaves = [leaf for leaf in leaves if leaf]
        self.maps[key.hex()] = {
            "modules": len(leaves),
            "definitions": sum(len(leaf.entries) for leaf in leaves),
            "errors": sum(leaf.errors for leaf in leaves),
        }
        self.check_edges(leaves, own)

    def node(self, key, by):
        value = self.value(TREE, key, by)
        refuse_unless(value is not None, f"{named(TREE, key)} cannot be read")
        return value

    def level_below(self, nodes, level, own):
        """The items of these nodes, which have to be cut as the rule says."""
        items, ends = [], []
        for last, key, counts in nodes:
            own_level, own_items = self.node(key, own)
            listed = own_level == level and totals(own_items) == counts
            listed = listed and (last == "" or own_items[-1][0] == last)
            refuse_unless(listed, f"{named(TREE, key)} is not as listed")
            items += own_items
            ends.append(len(items))
        refuse_unless(ascends([utf8(last) for last, _, _ in items]), "nodes overlap")
        refuse_unless(cut([last for last, _, _ in items], level) == ends, f"level {level} is cut elsewhere")
        return items

    def listed_leaf(self, path, key, counts, own):
        leaf = self.leaf(key) if self.has(MODULE, key, own) else None
        if leaf:
            listed = leaf.path == path and [1, len(leaf.entries), leaf.errors] == counts
            if not listed:
                self.problem_of(MODULE, key, Refused("not as the tree lists it"))
        return leaf

    def leaf(self, key):
        if key not in self.leaves:
            try:
                self.leaves[key] = self.read_leaf(key)
            except Refused as refused:
                self.problem_of(MODULE, key, refused)
                self.leaves[key] = None
        return self.leaves[key]

    def read_leaf(self, key):
        own = MODULE, key
        value = self.values.get(own)
        if value is None:  # which was said
            return None
        form, path, module, _, source, _, errors, _, _, numbers, *rest = value
        refuse_unless(form != 2, "a run where a leaf is expected")
        tables = [rest] if form == 0 else self.runs(rest[0], own)
        entries = []
        for targets, table in tables:
            for name, kind, component, rank, *_, (calls, uses), _ in table:
                edges = [tuple(targets[at]) for at in calls + uses]
                entries.append((name, (component, rank), edges))
                self.check_entry(name, kind, component, rank, own)
        places = list(zip(*[iter(numbers)] * 4))
        if self.has(SOURCE, source, own):
            self.check_places(self.objects[SOURCE, source].identity, places, entries)
        return Leaf(path, module, source, errors, places, entries)

    def runs(self, listed, own):
        tables, ends, names = [], [0], []
        for last, key, count in listed:
            run = self.value(MODULE, key, own)
            refuse_unless(run is not None and run[0] == 2, f"{named(MODULE, key)} is not a sound run")
            _, targets, entries = run
            agrees = len(entries) == count and entries[-1][0] == last
            refuse_unless(agrees, f"{named(MODULE, key)} is not as listed")
            tables.append((targets, entries))
            names += [entry[0] for entry in entries]
            ends.append(len(names))
        refuse_unless(ascends([utf8(name) for name in names]), "runs overlap")
        refuse_unless(cut(names, 255) == ends[1:], "entries are cut elsewhere")
        return tables

    def check_entry(self, name, kind, component, rank, own):
        value = self.value(COMPONENT, component, own)
        if value is None:
            return
        self.follow(COMPONENT, component)
        refuse_unless(rank < len(value[1]), f"`{name}` has rank {rank} of {len(value[1])}")
        text = self.values.get((TEXT, value[1][rank][0]))
        refuse_unless(text is None or text[1] == kind, f"`{name}` is of another kind than its text")

    def follow_component(self, key):
        """Texts with as many references, and components referred to, all the way down."""
        todo = [key]
        while todo:
            key = todo.pop()
            own = COMPONENT, key
            self.checked.add(own)
            outward, members = self.values.get(own) or ([], [])
            for text_hash, references in members:
                text = self.value(TEXT, text_hash, own)
                if text and text[3].count(1) != len(references):
                    self.problem_of(*own, Refused(f"not the references of {named(TEXT, text_hash)}"))
            for to, rank in map(identifier, outward):
                value = self.value(COMPONENT, to, own)
                if value and rank >= len(value[1]):
                    self.problem_of(*own, Refused(f"rank {rank} of {named(COMPONENT, to)}"))
                if value and (COMPONENT, to) not in self.checked:
                    todo.append(to)

    def check_places(self, source, places, entries):
        newlines = [at for at, byte in enumerate(source) if byte == 10]
        for (start, length, line, more), (name, *_) in zip(places, entries):
            refuse_unless(start + length <= len(source), f"`{name}` stands behind the end of its source")
            before = bisect_left(newlines, start)
            inside = bisect_left(newlines, start + length - 1) - before if length else 0
            refuse_unless((line, more) == (before + 1, inside), f"`{name}` stands on other lines")

    def check_edges(self, leaves, own):
        """Edges lead to entries of the map, and to just those that ids refer to."""
        ids = {}
        for leaf in leaves:
            for name, entry_id, _ in leaf.entries:
                ids.setdefault((leaf.module, name), set()).add(entry_id)
        for leaf in leaves:
            for name, (component, rank), edges in leaf.entries:
                outward, members = self.values.get((COMPONENT, component)) or ([], [])
                if rank >= len(members):
                    continue
                count = len(members)
                referred = {
                    identifier(outward[to - count]) if to >= count else (component, to)
                    for to in members[rank][1]
                }
                missing = [target for target in edges if target not in ids]
                refuse_unless(
                    not missing, f"`{leaf.path}`: `{name}` leads to {missing[:1]}, which is not in the map"
                )
                stray = [target for target in edges if not ids[target] & referred]
                refuse_unless(not stray, f"`{leaf.path}`: `{name}` leads to {stray[:1]}, its id does not")
                reached = set().union({(component, rank)}, *(ids[target] for target in edges))
                refuse_unless(
                    referred <= reached, f"`{leaf.path}`: the id of `{name}` leads where no edge does"
                )

    # -- what was found

    def report(self):
        kinds = {name: 0 for name in KINDS.values()}
        for kind, _ in self.objects:
            kinds[KINDS[kind]] += 1
        return {
            "packs": self.packs,
            "objects": kinds,
            "operations": len(self.operations),
            "names": {name: f"{KINDS[kind]} {key.hex()}" for name, (kind, key) in self.names.items()},
            "maps": self.maps,
            "problems": self.problems,
        }


def totals(items):
    return [sum(counts[at] for _, _, counts in items) for at in range(3)]


def show(store, report):
    for found in report["problems"]:
        print(f"{store / found['file']}: byte {found['offset']}: {found['message']}")
    if not report["problems"]:
        kinds = ", ".join(f"{count} {kind}" for kind, count in report["objects"].items())
        print(f"{store}: {report['packs']} packs: {kinds}")
        print(f"{report['operations']} operations, {len(report['maps'])} maps")
        for name, target in report["names"].items():
            print(f"{name}: {target}")


def main():
    arguments = argparse.ArgumentParser(description="Reads whole stores and checks them.")
    arguments.add_argument("store", type=Path, nargs="+")
    arguments.add_argument("--json", action="store_true", help="a line of JSON for each store")
    chosen = arguments.parse_args()
    sound = True
    for store in chosen.store:
        reader = Reader(store)
        reader.read()
        report = reader.report()
        sound = sound and not report["problems"]
        if chosen.json:
            print(json.dumps({"store": str(store), **report}))
        else:
            show(store, report)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
