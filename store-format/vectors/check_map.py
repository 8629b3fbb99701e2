#!/usr/bin/env python3
"""Recomputes the vectors of map.md, following its text and nothing else.

Needs the package `blake3`. Says nothing and exits 0 when all agree.
"""

import sys
from pathlib import Path

from blake3 import blake3

KINDS = "function method type ability implementation constant test module macro".split()
CAPABILITIES = (
    "filesystem.read filesystem.write network.http network.socket process "
    "environment time random console foreign"
).split()


# -- canonical CBOR and keys ------------------------------------------------


def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for extra, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 1 << 8 * width:
            return bytes([major << 5 | extra]) + value.to_bytes(width, "big")
    raise ValueError(value)


def cbor(value):
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return head(3, len(text)) + text
    return head(4, len(value)) + b"".join(cbor(item) for item in value)


def key(kind, identity):
    return blake3(identity, derive_key_context=f"renyi {kind} 1").digest()


def shown(kind, value):
    identity = cbor(value)
    return [f"object {identity.hex()}", f"key {key(kind, identity).hex()}"]


# -- canonical texts --------------------------------------------------------


def texts(lines):
    language, kind, signature, tokens = "", 1, 0, []
    for word, rest in lines:
        if word == "language":
            language = rest
        elif word == "kind":
            kind = KINDS.index(rest) + 1
        elif word == "end-signature":
            signature = len(tokens)
        elif word == "text":
            tokens.append(rest)
        elif word == "library":
            tokens.append([rest])
        else:
            tokens.append(["own-name", "reference", "project-module"].index(word))
    return shown("text", [language, kind, signature, tokens])


# -- components -------------------------------------------------------------


def parse_id(text):
    digits, _, rank = text.removeprefix("b3:").partition("#")
    return bytes.fromhex(digits), int(rank or 0)


def show_id(found):
    return f"b3:{found[0].hex()}" + (f"#{found[1]}" if found[1] else "")


def reachable(nodes, start):
    seen, todo = set(), [start]
    while todo:
        for target in nodes[todo.pop()][1]:
            if isinstance(target, int) and target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def order(nodes, members, ids):
    """The rule: the rank of each member."""

    def places(values):
        ascending = sorted(set(values.values()))
        return {member: ascending.index(value) for member, value in values.items()}

    def blank(target):
        if isinstance(target, int) and target in members:
            return b"\x00"
        component, rank = ids[target] if isinstance(target, int) else target
        return b"\x01" + component + rank.to_bytes(4, "big")

    def name(member):
        text, targets = nodes[member]
        return text + b"".join(blank(target) for target in targets)

    def inner(member):
        return [t for t in nodes[member][1] if isinstance(t, int) and t in members]

    ranks = places({member: name(member) for member in members})
    while True:
        again = places(
            {m: (ranks[m], tuple(ranks[t] for t in inner(m))) for m in members}
        )
        if again == ranks:
            return ranks
        ranks = again


def describe(nodes, members, ids):
    ranks = order(nodes, members, ids)
    of_rank = {rank: member for member, rank in ranks.items()}
    outward, described = [], []
    for rank in range(len(of_rank)):
        text, targets = nodes[of_rank[rank]]
        references = []
        for target in targets:
            if isinstance(target, int) and target in members:
                references.append(ranks[target])
                continue
            found = ids[target] if isinstance(target, int) else target
            if found not in outward:
                outward.append(found)
            references.append(len(of_rank) + outward.index(found))
        described.append([text, references])
    listed = [[component, rank] if rank else component for component, rank in outward]
    return [listed, described], ranks


def components(lines):
    nodes = []
    for _, rest in lines:
        text, *targets = rest.split(" ")
        targets = [int(t) if t.isdigit() else parse_id(t) for t in targets]
        nodes.append((bytes.fromhex(text), targets))
    reach = [reachable(nodes, node) for node in range(len(nodes))]
    ids, objects = {}, []

    def identify(node):
        if node in ids:
            return
        members = {node} | {m for m in reach[node] if node in reach[m]}
        for member in sorted(members):
            for target in nodes[member][1]:
                if isinstance(target, int) and target not in members:
                    identify(target)
        value, ranks = describe(nodes, members, ids)
        component = key("component", cbor(value))
        for member in members:
            ids[member] = component, ranks[member]
        found = shown("component", value)
        if found not in objects:
            objects.append(found)

    for node in range(len(nodes)):
        identify(node)
    flat = [line for found in objects for line in found]
    return flat + [f"id {show_id(ids[node])}" for node in range(len(nodes))]


# -- records ----------------------------------------------------------------


def records(lines):
    members = []
    for word, rest in lines:
        if word == "member":
            members.append([[int(n) for n in rest.split(" ")], [], [], []])
        elif word == "failure":
            members[-1][1].append([int(n) for n in rest.split(" ")])
        elif word == "effect":
            members[-1][2].append(CAPABILITIES.index(rest) + 1)
        else:
            members[-1][3].append(rest)
    for member in members:
        for items in member[1:]:
            items.sort()
    return [f"object {cbor([1, members]).hex()}"]


# -- leaves -----------------------------------------------------------------


def is_cut(level, path):
    return blake3(b"renyi boundary 1" + bytes([level]) + path.encode()).digest()[0] < 8


def cut(level, items, path_of):
    nodes, open_ = [], []
    for item in items:
        open_.append(item)
        if len(open_) == 256 or (len(open_) >= 2 and is_cut(level, path_of(item))):
            nodes.append(open_)
            open_ = []
    return nodes + [open_] if open_ or not nodes else nodes


def as_set(items):
    return sorted(set(items), key=lambda item: item.encode())


def table(entries, targets):
    used = {targets[edge] for entry in entries for edge in entry["call"] + entry["use"]}
    used = sorted(used, key=lambda target: [part.encode() for part in target])
    edges = lambda edges: sorted({used.index(targets[edge]) for edge in edges})
    listed = [
        [
            entry["name"],
            entry["kind"],
            *entry["definition"],
            *entry["visibility"],
            entry["signature"],
            entry["purpose"],
            entry["lines"],
            entry["flags"],
            sorted(entry["capability"]) + as_set(entry["effect"]),
            as_set(entry["failure"]),
            [edges(entry["call"]), edges(entry["use"])],
            as_set(entry["unresolved"]),
        ]
        for entry in entries
    ]
    return [[list(target) for target in used], listed]


def new_entry(name):
    lists = {word: [] for word in "capability effect failure call use unresolved".split()}
    return lists | {
        "name": name,
        "kind": 1,
        "definition": (bytes(32), 0),
        "visibility": (0, ""),
        "location": [0, 0, 0, 0],
        "signature": "",
        "purpose": "",
        "lines": 0,
        "flags": 0,
    }


def entry_line(entry, word, rest):
    if word == "kind":
        entry["kind"] = KINDS.index(rest) + 1
    elif word == "definition":
        entry["definition"] = parse_id(rest)
    elif word == "visibility":
        name, _, spelling = rest.partition(" ")
        entry[word] = ["private", "restricted", "public"].index(name), spelling
    elif word == "location":
        start, end, first, last = (int(n) for n in rest.split(" "))
        entry[word] = [start, end - start, first, last - first]
    elif word == "capability":
        entry[word].append(CAPABILITIES.index(rest) + 1)
    elif word in ("call", "use"):
        entry[word].append(int(rest))
    elif isinstance(entry[word], list):
        entry[word].append(rest)
    else:
        entry[word] = int(rest) if word in ("lines", "flags") else rest


def modules(lines):
    leaf = {"lines": "0", "errors": "0", "purpose": ""}
    imports, targets, entries, repeat = [], [], [], 0
    for word, rest in lines:
        if word.startswith("entry."):
            entry_line(entries[-1], word.removeprefix("entry."), rest)
        elif word == "entry":
            entries.append(new_entry(rest))
        elif word == "entries":
            repeat = int(rest)
        elif word == "import":
            imports.append(rest)
        elif word == "target":
            targets.append(tuple(rest.split(" ")))
        else:
            leaf[word] = rest
    for n in range(repeat):
        entry = new_entry(f"f{n:03}")
        entry |= {"kind": 6, "definition": (b"\x09" * 32, n), "call": [n % len(targets)]}
        entries.append(entry)
    entries.sort(key=lambda entry: entry["name"].encode())
    value = [
        leaf["path"],
        leaf["module"],
        leaf["language"],
        bytes.fromhex(leaf["source"]),
        int(leaf["lines"]),
        int(leaf["errors"]),
        leaf["purpose"],
        as_set(imports),
        [number for entry in entries for number in entry["location"]],
    ]
    if len(entries) <= 256:
        return shown("module", [0, *value, *table(entries, targets)])
    runs = []
    for run in cut(255, entries, lambda entry: entry["name"]):
        run_key = key("module", cbor([2, *table(run, targets)]))
        runs.append([run[-1]["name"], run_key, len(run)])
    return shown("module", [1, *value, runs])[1:]


# -- trees ------------------------------------------------------------------


def trees(lines):
    extractors, leaves = [], []
    for word, rest in lines:
        if word == "extractor":
            language, version = rest.split(" ")
            extractors.append([language, int(version)])
        elif word == "leaf":
            path, leaf_key, definitions, errors = rest.split(" ")
            counts = [1, int(definitions), int(errors)]
            leaves.append([path, bytes.fromhex(leaf_key), counts])
        elif word == "leaves":
            for n in range(int(rest)):
                counts = [1, n % 10, n % 2]
                leaves.append([f"m{n:04}.py", n.to_bytes(32, "big"), counts])
        else:
            paths = [f"m{n:04}.py" for n in range(int(rest))]
            return [
                " ".join(["boundary", str(level), *filter(lambda p: is_cut(level, p), paths)])
                for level in range(3)
            ]
    found, level, items = [], 0, sorted(leaves, key=lambda leaf: leaf[0].encode())
    while True:
        above = []
        for node in cut(level, items, lambda item: item[0]):
            lines = shown("tree", [level, node])
            found += lines if len(leaves) < 10 else []
            counts = [sum(item[2][i] for item in node) for i in range(3)]
            node_key = bytes.fromhex(lines[1].removeprefix("key "))
            above.append([node[-1][0] if node else "", node_key, counts])
        if len(above) == 1:
            break
        level, items = level + 1, above
    _, tree_key, counts = above[0]
    return found + shown("map", [sorted(extractors), counts, tree_key])


# -- comparing --------------------------------------------------------------


def check(name, results):
    wrong = 0
    text = (Path(__file__).parent / name).read_text()
    for case in text.rstrip("\n").split("\n\n"):
        lines = [line for line in case.split("\n") if not line.startswith("#")]
        pairs = [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]
        given = [p for p in pairs if p[0] not in ("object", "key", "id", "boundary", "case")]
        expected = [" ".join(p) for p in pairs if p[0] in ("object", "key", "id", "boundary")]
        if lines and sorted(results(given)) != sorted(expected):
            print(f"{name}: {lines[0]}: not as computed here")
            wrong += 1
    return wrong


if __name__ == "__main__":
    readers = [texts, components, records, modules, trees]
    sys.exit(sum(check(f"{reader.__name__}.txt", reader) for reader in readers) and 1)
