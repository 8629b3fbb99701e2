//! The pack file: blocks of objects, an index, a trailer (store-format/pack.md).
//!
//! ```text
//! header        magic, version, purpose
//! blocks        zstd frames or stored bytes, one after another
//! block table   stored length, length, method, hash of each
//! bucket table  index end and hash of each bucket of keys
//! entries       sorted by (key, kind): where an object lies
//! trailer       counts, offsets, sequence, hashes; its own hash is the file's name
//! ```
//!
//! Invariants: a published pack is never modified; entries are sorted and unique;
//! every object lies inside its block; blocks are contiguous. Nothing is believed
//! before its hash: the trailer's hash is the file's name, the trailer holds the
//! tables' hash, the tables hold the hash of each block and bucket. So opening reads
//! trailer and tables, a lookup one bucket, and damage is an error and never a miss.
//! Not here: what an object means, which packs there are (`packs`).

mod block;
mod read;
mod write;

pub(crate) use block::BlockCache;
pub(crate) use read::{Entry, Pack, Stored};
pub(crate) use write::{Finished, PackWriter, Style};

use crate::Hash;

/// As PNG's: a byte that is not ASCII, a CR LF and a LF show what a transfer mangles.
pub(crate) const MAGIC: [u8; 8] = *b"\x89RPK\r\n\x1a\n";
pub(crate) const END_MAGIC: [u8; 8] = *b"\x89RPKEND\n";
pub(crate) const VERSION: u16 = 1;
pub(crate) const EXTENSION: &str = ".rpk";

pub(crate) const HEADER_LEN: usize = 16;
pub(crate) const BLOCK_LEN: usize = 28;
pub(crate) const BUCKET_LEN: usize = 20;
pub(crate) const ENTRY_LEN: usize = 49;
pub(crate) const TRAILER_LEN: usize = 136;
/// Where in the trailer its own hash stands.
pub(crate) const NAME_AT: usize = TRAILER_LEN - 32;

/// The smallest file there can be: no block, no entry, one bucket.
pub(crate) const MIN_LEN: usize = HEADER_LEN + BUCKET_LEN + TRAILER_LEN;

/// No block, and so no object, is longer than this when decoded.
pub const MAX_BLOCK: usize = 64 << 20;
/// The window of a frame is at most 8 MiB, what every zstd decoder accepts.
pub(crate) const MAX_WINDOW_LOG: u32 = 23;
pub(crate) const MAX_BUCKET_BITS: u8 = 12;
/// Length of the checksum that ends a stored record.
pub(crate) const CHECKSUM_LEN: usize = 16;

/// How a block is stored.
pub(crate) const STORED: u32 = 0;
pub(crate) const ZSTD: u32 = 1;

/// What a pack is for; a pack for one purpose is refused for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Purpose {
    Objects = 1,
    Cache = 2,
}

impl Purpose {
    /// Whether entries of this kind belong in such a pack.
    fn allows(self, kind: u8) -> bool {
        match self {
            Purpose::Objects => crate::Kind::from_number(kind).is_some(),
            Purpose::Cache => kind == 0,
        }
    }
}

/// The name of a pack: the hash of its trailer. The trailer holds the hash of every
/// byte before it, so the name stands for the whole file, yet checking it when a pack
/// is opened costs a hundred bytes and not the file.
pub(crate) fn name_of_trailer(trailer: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("renyi pack 1");
    hasher.update(&trailer[..NAME_AT]);
    Hash(*hasher.finalize().as_bytes())
}

/// The first half of BLAKE3: what covers blocks and buckets.
pub(crate) fn short_hash(bytes: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    short
}

/// The checksum of a record. It covers the key, so a record cannot be taken for the
/// record of another object.
pub(crate) fn record_checksum(key: &Hash, record: &[u8]) -> [u8; CHECKSUM_LEN] {
    thread_local! {
        static HASHER: std::cell::RefCell<blake3::Hasher> =
            std::cell::RefCell::new(blake3::Hasher::new_derive_key("renyi record 1"));
    }
    HASHER.with_borrow_mut(|hasher| {
        hasher.reset();
        hasher.update(key.as_bytes());
        hasher.update(record);
        let mut short = [0; CHECKSUM_LEN];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..CHECKSUM_LEN]);
        short
    })
}

/// The bucket of a key: its leading bits.
pub(crate) fn bucket_of(key: &Hash, bits: u8) -> usize {
    usize::from(u16::from_be_bytes([key.0[0], key.0[1]])) >> (16 - bits)
}

/// The file name of a pack, and back.
pub(crate) fn file_name(name: &Hash) -> String {
    format!("{name}{EXTENSION}")
}

pub(crate) fn parse_file_name(file_name: &str) -> Option<Hash> {
    let hex = file_name.strip_suffix(EXTENSION)?;
    let name: Hash = hex.parse().ok()?;
    // Upper-case digits would let two names mean one pack.
    (name.to_hex() == hex).then_some(name)
}

pub(crate) fn be_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(crate) fn be_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
