"""The pack file (pack.md)."""

from typing import NamedTuple

import zstandard
from blake3 import blake3

from objects import KINDS, Refused, ascends, derived, named, number, refuse_unless

MAX_BLOCK = 64 << 20


class Object(NamedTuple):
    """An object and where it lies: its block's offset in the file, its own `within` the block."""

    kind: int
    key: bytes
    identity: bytes
    record: bytes | None
    file: str
    offset: int
    within: int
    sequence: int


class Pack:
    """One pack file. Opening it checks all but the blocks."""

    def __init__(self, file, data, name):
        self.file, self.data = file, data
        refuse_unless(len(data) >= 16 + 136, "too short for a pack")
        self.end = len(data) - 136
        self.trailer(data[self.end :], name)
        version_and_purpose = data[self.end + 8 : self.end + 11]
        header = b"\x89RPK\r\n\x1a\n" + version_and_purpose + bytes(5)
        refuse_unless(data[:16] == header, "not the header of a pack")
        tables = self.end - 49 * self.entries
        buckets_at = tables - (20 << self.bits)
        fits = buckets_at - 28 * self.blocks == self.table and self.table >= 16
        refuse_unless(fits, "regions do not fill the file", self.end + 12)
        agrees = blake3(data[self.table : tables]).digest() == self.tables_hash
        refuse_unless(agrees, "the tables have another hash", self.table)
        agrees = blake3(data[: self.end]).digest() == self.body_hash
        refuse_unless(agrees, "the bytes before the trailer have another hash")
        self.check_buckets(buckets_at, tables)
        self.rows = [self.entry(tables + 49 * at) for at in range(self.entries)]
        order = [row[:2] for row in self.rows]
        refuse_unless(ascends(order), "entries do not ascend", tables)

    def trailer(self, trailer, name):
        at = self.end
        refuse_unless(trailer[:8] == b"\x89RPKEND\n", "not the trailer of a pack", at)
        agrees = derived("renyi pack 1", trailer[:104]) == trailer[104:]
        refuse_unless(agrees, "the trailer has another hash", at)
        refuse_unless(trailer[104:].hex() == name, "the file has another name", at + 104)
        refuse_unless(number(trailer, 8, 2) == 1, "a version this reader does not know", at + 8)
        refuse_unless(trailer[10] == 1, "a purpose other than objects", at + 10)
        refuse_unless(trailer[11] <= 12, "more than 2^12 buckets", at + 11)
        refuse_unless(trailer[20:24] == bytes(4), "reserved bytes that are not zero", at + 20)
        self.bits = trailer[11]
        self.entries, self.blocks = number(trailer, 12, 4), number(trailer, 16, 4)
        self.table, self.sequence = number(trailer, 24, 8), number(trailer, 32, 8)
        self.tables_hash, self.body_hash = trailer[40:72], trailer[72:104]

    def check_buckets(self, at, entries_at):
        """Each bucket holds the entries of its first bits, and its hash is theirs."""
        first = 0
        for bucket in range(1 << self.bits):
            row = self.data[at + 20 * bucket : at + 20 * bucket + 20]
            last = number(row, 0, 4)
            refuse_unless(
                first <= last <= self.entries, "a bucket ends outside the entries", at + 20 * bucket
            )
            start, end = entries_at + 49 * first, entries_at + 49 * last
            agrees = blake3(self.data[start:end]).digest()[:16] == row[4:]
            refuse_unless(agrees, "a bucket has another hash", start)
            for entry in range(start, end, 49):
                belongs = number(self.data, entry, 2) >> (16 - self.bits) == bucket
                refuse_unless(belongs, "an entry in another bucket", entry)
            first = last
        refuse_unless(first == self.entries, "entries in no bucket", entries_at)

    def entry(self, at):
        """Key, kind, block, offset, length of the identity, length of record and checksum."""
        row = self.data[at : at + 49]
        refuse_unless(row[32] in KINDS, "an entry of no kind", at + 32)
        numbers = [number(row, start, 4) for start in (33, 37, 41, 45)]
        refuse_unless(numbers[0] < self.blocks, "an entry in no block", at + 33)
        refuse_unless(numbers[3] == 0 or numbers[3] >= 16, "a record without checksum", at + 45)
        return (row[:32], row[32], *numbers)

    def objects(self, problem):
        """All objects that are sound, each checked; others are told to `problem`."""
        inside = [[] for _ in range(self.blocks)]
        for row in self.rows:
            inside[row[2]].append(row)
        at = 16
        for block, rows in enumerate(inside):
            row = self.data[self.table + 28 * block : self.table + 28 * block + 28]
            start, at = at, at + number(row, 0, 4)
            try:
                refuse_unless(at <= self.table, "a block ends after the blocks", start)
                data = self.block(row, start)
                rows.sort(key=lambda row: (row[3], row[4] + row[5]))
                self.check_filled(rows, len(data), start)
            except Refused as refused:
                problem(self.file, refused.at, f"block {block}: {refused}")
                continue
            for key, kind, _, within, identity_len, record_len in rows:
                end = within + identity_len
                identity, record = data[within:end], data[end : end + record_len]
                try:
                    yield self.object(kind, key, identity, record, start, within)
                except Refused as refused:
                    problem(self.file, start, f"{named(kind, key)} at {within} of its block: {refused}")
        if at != self.table:
            problem(self.file, at, "blocks do not end where the block table starts")

    def block(self, row, start):
        packed, decoded, method = (number(row, at, 4) for at in (0, 4, 8))
        data = self.data[start : start + packed]
        refuse_unless(blake3(data).digest()[:16] == row[12:], "another hash", start)
        refuse_unless(decoded <= MAX_BLOCK, "more than 64 MiB", start)
        if method == 0:
            refuse_unless(packed == decoded, "stored with two lengths", start)
            return data
        refuse_unless(method == 1, f"method {method}", start)
        refuse_unless(packed < decoded, "longer compressed than not", start)
        try:
            frame = zstandard.get_frame_parameters(data)
            allowed = frame.dict_id == 0 and frame.content_size == decoded and frame.window_size <= 1 << 23
            refuse_unless(allowed, "a frame that is not as it has to be", start)
            decoder = zstandard.ZstdDecompressor().decompressobj()
            found = decoder.decompress(data)
        except zstandard.ZstdError as error:
            raise Refused(f"not zstd: {error}", start) from error
        whole = decoder.eof and not decoder.unused_data and len(found) == decoded
        refuse_unless(whole, "not one whole frame of the length given", start)
        return found

    def check_filled(self, rows, length, start):
        """Objects follow each other without gaps."""
        end = 0
        for key, kind, _, within, identity_len, record_len in rows:
            refuse_unless(
                within == end, f"{named(kind, key)} does not start where the one before ends", start
            )
            end = within + identity_len + record_len
        refuse_unless(end == length, "objects do not fill it", start)

    def object(self, kind, key, identity, record, start, within):
        agrees = derived(f"renyi {KINDS[kind]} 1", identity) == key
        refuse_unless(agrees, "another hash")
        if record:
            record, checksum = record[:-16], record[-16:]
            agrees = derived("renyi record 1", key + record)[:16] == checksum
            refuse_unless(agrees, "the record has another checksum")
        else:
            record = None
        return Object(kind, key, identity, record, self.file, start, within, self.sequence)
