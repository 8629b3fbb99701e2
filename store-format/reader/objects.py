"""Objects as values: kinds, keys, the one encoding, shapes, and all that an
object shows by itself (README.md, cbor.md, objects.cddl, map.md, map.cddl).
"""

import os

import cbor2
from blake3 import blake3

KINDS = dict(enumerate(["source", "text", "component", "module", "tree", "map", "view", "operation"], 1))
SOURCE, TEXT, COMPONENT, MODULE, TREE, MAP, VIEW, OPERATION = KINDS


class Refused(Exception):
    """What is read is not what a page says; `at` counts from its first byte."""

    def __init__(self, why, at=0):
        super().__init__(why)
        self.at = at


def refuse_unless(holds, why, at=0):
    if not holds:
        raise Refused(why, at)


def derived(context, data):
    return blake3(data, derive_key_context=context).digest()


def number(data, at, width):
    return int.from_bytes(data[at : at + width], "big")


def ascends(items):
    return all(a < b for a, b in zip(items, items[1:]))


def utf8(text):
    return text.encode()


def named(kind, key):
    """An object in a message."""
    return f"{KINDS[kind]} {key.hex()[:16]}"


# -- canonical CBOR (cbor.md) -----------------------------------------------


def decode(data):
    """The value of one canonical item that takes all of `data`."""
    try:
        value = cbor2.loads(data)
    except Exception as error:  # of many classes, some of them Python's own
        raise Refused(f"not CBOR: {error}") from error
    check_subset(value, 0)
    again = cbor2.dumps(value)
    if again != data:
        same = len(os.path.commonprefix([again, data]))
        raise Refused("not canonical CBOR", same)
    return value


def check_subset(value, depth):
    refuse_unless(depth <= 64, "arrays more than 64 deep")
    if type(value) is list:
        for item in value:
            check_subset(item, depth + 1)
    elif type(value) is int:
        refuse_unless(0 <= value < 1 << 64, "an integer that is not of 64 bits, unsigned")
    else:
        plain = value is None or type(value) in (bytes, str, bool)
        refuse_unless(plain, f"{type(value).__name__}, a type never written")


# -- shapes (map.cddl, objects.cddl) ----------------------------------------
#
# A tuple is an array of just these, a list an array of any number, a set of
# alternatives an Either, a range the integers in it, str and KEY themselves.

KEY = object()


class Either(tuple):
    pass


def misfit(value, shape, where="it"):
    """What in `value` is not of the shape, or None."""
    if isinstance(shape, Either):
        return None if any(misfit(value, one) is None for one in shape) else f"{where} is of no shape"
    if isinstance(shape, tuple):
        if type(value) is not list or len(value) != len(shape):
            return f"{where} is not an array of {len(shape)}"
        parts = zip(value, shape)
    elif isinstance(shape, list):
        if type(value) is not list:
            return f"{where} is not an array"
        parts = ((item, shape[0]) for item in value)
    elif shape is KEY:
        return None if type(value) is bytes and len(value) == 32 else f"{where} is not a key"
    elif isinstance(shape, range):
        return None if type(value) is int and value in shape else f"{where} is not a number in its range"
    elif shape is None:
        return None if value is None else f"{where} is not null"
    else:
        return None if type(value) is shape else f"{where} is not {shape.__name__}"
    wrong = (misfit(item, of, f"{where}[{at}]") for at, (item, of) in enumerate(parts))
    return next((found for found in wrong if found), None)


U32 = range(1 << 32)
U64 = range(1 << 64)
DEFINITION_KIND = range(1, 10)
ID = Either((KEY, (KEY, range(1, 1 << 32))))
CAPABILITY = range(1, 64)
COUNTS = (U64, U64, U64)
ENTRY = (
    *(str, DEFINITION_KIND, KEY, U32, range(3), str, str, str, U32, U32),
    *([Either((CAPABILITY, str))], [str], ([U32], [U32]), [str]),
)
TARGETS = [(str, str)]
LEAF_HEAD = (str, str, str, KEY, U32, U32, str, [str], [U32])
WHOLE = (range(1), *LEAF_HEAD, TARGETS, [ENTRY])
HEAD = (range(1, 2), *LEAF_HEAD, [(str, KEY, U32)])
RUN = (range(2, 3), TARGETS, [ENTRY])
SHAPES = {
    TEXT: (str, DEFINITION_KIND, U32, [Either((str, (str,), range(3)))]),
    COMPONENT: ([ID], [(KEY, [U32])]),
    MODULE: Either((WHOLE, HEAD, RUN)),
    TREE: (range(41), [(str, KEY, COUNTS)]),
    MAP: ([(str, U64)], COUNTS, KEY),
    VIEW: (Either((KEY, None)), [Either(((str, range(1, 9), KEY), (str,)))]),
    OPERATION: ([KEY], KEY, U64, U64, str, [str]),
}
RECORD = (range(2, 3), [((U32, U32), [(U32, U32)], [CAPABILITY], [str], [KEY])])


def check_shape(value, shape):
    wrong = misfit(value, shape)
    if wrong:
        raise Refused(wrong)


# -- components (map.md) ----------------------------------------------------


def check_component(outward, members):
    count = len(members)
    refuse_unless(count > 0, "a component without members")
    inner = [[each for each in references if each < count] for _, references in members]
    refuse_unless(is_strongly_connected(inner), "members are not one strongly connected component")
    used = [each - count for _, references in members for each in references if each >= count]
    first_uses = list(dict.fromkeys(used))
    refuse_unless(first_uses == list(range(len(outward))), "outward ids are not in order of first use")
    refuse_unless(len(set(outward)) == len(outward), "an outward id twice")
    refuse_unless(ranks(outward, members, inner) == list(range(count)), "members are not in their order")


def is_strongly_connected(inner):
    backward = [[] for _ in inner]
    for member, references in enumerate(inner):
        for to in references:
            backward[to].append(member)
    for graph in (inner, backward):
        seen, todo = {0}, [0]
        while todo:
            fresh = set(graph[todo.pop()]) - seen
            seen |= fresh
            todo += fresh
        if len(seen) < len(inner):
            return False
    return True


def ranks(outward, members, inner):
    """The rule, as written: rank by name, then in rounds by the ranks referred to."""

    def ranked(values):
        place = {value: at for at, value in enumerate(sorted(set(values)))}
        return [place[value] for value in values]

    def name(text, references):
        blank = b"\x00"
        ids = (outward[each - len(members)] if each >= len(members) else None for each in references)
        return text + b"".join(b"\x01" + i[0] + i[1].to_bytes(4, "big") if i else blank for i in ids)

    found = ranked([name(*member) for member in members])
    while True:
        again = ranked([(own, tuple(found[to] for to in inner[at])) for at, own in enumerate(found)])
        if again == found:
            return found
        found = again


# -- the cutting of trees and large leaves (map.md) --------------------------


def cut(keys, level):
    """Where a sequence is cut: the ends of its parts."""
    ends, start = [], 0
    for at, key in enumerate(keys, 1):
        length = at - start
        asks = blake3(b"renyi boundary 1" + bytes([level]) + utf8(key)).digest()[0] < 8
        if (asks and length >= 2) or length == 256 or at == len(keys):
            ends.append(at)
            start = at
    return ends or [0]


def is_path(path):
    return "\0" not in path and not any(part in ("", ".", "..") for part in path.split("/"))


# -- objects alone ----------------------------------------------------------


def check_text(value):
    _, _, signature, tokens = value
    refuse_unless(signature <= len(tokens), "a signature longer than the text")


def check_component_value(value):
    check_component([identifier(each) for each in value[0]], value[1])


def identifier(written):
    return (written, 0) if type(written) is bytes else tuple(written)


def check_module(value):
    form = value[0]
    if form in (0, 1):
        path, imports = value[1], value[8]
        refuse_unless(is_path(path), "a path that is none")
        refuse_unless(ascends([utf8(text) for text in imports]), "imports do not ascend")
    if form == 1:
        refuse_unless(ascends([utf8(last) for last, _, _ in value[10]]), "runs do not ascend")
        entries = sum(count for _, _, count in value[10])
        refuse_unless(entries > 256, "runs of so few entries")
    else:
        targets, entries = value[-2:]
        check_entries(targets, entries)
        refuse_unless(len(entries) <= 256, "more than 256 entries outside runs")
        refuse_unless(entries or form == 0, "a run without entries")
        entries = len(entries)
    if form in (0, 1):
        refuse_unless(len(value[9]) == 4 * entries, "not four numbers for each entry")


def check_entries(targets, entries):
    refuse_unless(ascends([(utf8(module), utf8(name)) for module, name in targets]), "targets do not ascend")
    refuse_unless(ascends([utf8(entry[0]) for entry in entries]), "names of entries do not ascend")
    used = set()
    for name, *_, effects, failures, (calls, uses), unresolved in entries:
        numbers = [effect for effect in effects if type(effect) is int]
        names = [utf8(effect) for effect in effects if type(effect) is str]
        in_order = [type(effect) is str for effect in effects] == [False] * len(numbers) + [True] * len(names)
        refuse_unless(in_order and ascends(numbers) and ascends(names), f"effects of `{name}` do not ascend")
        for what, items in (("failures", failures), ("unresolved names", unresolved)):
            refuse_unless(ascends([utf8(text) for text in items]), f"{what} of `{name}` do not ascend")
        refuse_unless(ascends(calls) and ascends(uses), f"edges of `{name}` do not ascend")
        used.update(calls, uses)
    refuse_unless(used == set(range(len(targets))), "targets are not what entries use")


def check_tree(value):
    level, items = value
    refuse_unless(all(is_path(last) for last, _, _ in items), "a path that is none")
    refuse_unless(ascends([utf8(last) for last, _, _ in items]), "paths do not ascend")
    refuse_unless(len(items) <= 256, "more than 256 items")
    refuse_unless(items or level == 0, "a node without items above the leaves")


def check_map(value):
    refuse_unless(ascends([utf8(language) for language, _ in value[0]]), "languages do not ascend")


def check_view(value):
    base, changes = value
    refuse_unless(ascends([utf8(change[0]) for change in changes]), "names do not ascend")
    refuse_unless(base or all(len(change) == 3 for change in changes), "a removal in a view without base")


def check_operation(value):
    parents, _, depth, _, _, names = value
    refuse_unless(ascends(parents), "parents do not ascend")
    refuse_unless(ascends([utf8(name) for name in names]), "names do not ascend")
    refuse_unless(depth >= 1, "a depth below 1")


ALONE = {
    TEXT: check_text,
    COMPONENT: check_component_value,
    MODULE: check_module,
    TREE: check_tree,
    MAP: check_map,
    VIEW: check_view,
    OPERATION: check_operation,
}


def check_alone(kind, identity):
    """The value of an object that is no source, after all checks that need no other object."""
    value = decode(identity)
    check_shape(value, SHAPES[kind])
    ALONE[kind](value)
    return value


def check_record(record, members):
    value = decode(record)
    shaped = type(value) is list and len(value) == 2 and type(value[0]) is int
    refuse_unless(shaped, "a record without a schema")
    if value[0] != 2:  # of another schema: ignored
        return
    check_shape(value, RECORD)
    refuse_unless(len(value[1]) == members, "a record of another number of members")
    for _, failures, capabilities, effects, shape in value[1]:
        refuse_unless(len(shape) <= 1, "several shapes")
        refuse_unless(ascends(failures), "failures do not ascend")
        refuse_unless(ascends(capabilities), "capabilities do not ascend")
        refuse_unless(ascends([utf8(name) for name in effects]), "effects do not ascend")
