//! Reading a pack: open, find, read. Every length is compared with the file's before
//! anything is allocated, and every part with its hash before it is used.

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::{
    BLOCK_LEN, BUCKET_LEN, BlockCache, CHECKSUM_LEN, END_MAGIC, ENTRY_LEN, HEADER_LEN, MAGIC, MAX_BLOCK,
    MAX_BUCKET_BITS, MIN_LEN, NAME_AT, Purpose, STORED, TRAILER_LEN, VERSION, ZSTD, be_u32, be_u64, block,
    bucket_of, name_of_trailer, record_checksum, short_hash,
};
use crate::{
    Error, Hash,
    disk::{Disk, ReadFile, is_out_of_place, read_exact_at},
};

/// An open pack. Its file stays open, so that it can be read after a compaction has
/// removed its name.
#[derive(Debug)]
pub(crate) struct Pack {
    path: PathBuf,
    file: Box<dyn ReadFile>,
    /// Tells this opening from every other one of the process.
    id: u64,
    pub(crate) name: Hash,
    pub(crate) sequence: u64,
    pub(crate) len: u64,
    pub(crate) count: u32,
    /// What the trailer says all bytes before it hash to.
    pub(crate) body_hash: Hash,
    purpose: Purpose,
    blocks: Vec<Block>,
    bits: u8,
    bucket_ends: Vec<u32>,
    bucket_hashes: Vec<[u8; 16]>,
    entries_at: u64,
    buckets: Vec<OnceLock<Box<[u8]>>>,
    /// Blocks that were found damaged: what lies there counts as not held.
    damaged: Mutex<Vec<u32>>,
    any_damaged: AtomicBool,
}

/// A row of the block table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) at: u64,
    pub(crate) stored: u32,
    pub(crate) len: u32,
    pub(super) method: u32,
    pub(super) hash: [u8; 16],
}

/// A row of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: Hash,
    pub(crate) kind: u8,
    pub(crate) block: u32,
    pub(crate) offset: u32,
    pub(crate) identity_len: u32,
    /// Length of record and checksum; 0 is no record.
    pub(crate) record_len: u32,
}

impl Entry {
    fn parse(bytes: &[u8]) -> Self {
        Self {
            key: Hash(bytes[..32].try_into().expect("32 bytes")),
            kind: bytes[32],
            block: be_u32(bytes, 33),
            offset: be_u32(bytes, 37),
            identity_len: be_u32(bytes, 41),
            record_len: be_u32(bytes, 45),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; ENTRY_LEN] {
        let mut bytes = [0; ENTRY_LEN];
        bytes[..32].copy_from_slice(self.key.as_bytes());
        bytes[32] = self.kind;
        let fields = [self.block, self.offset, self.identity_len, self.record_len];
        for (place, field) in bytes[33..].chunks_exact_mut(4).zip(fields) {
            place.copy_from_slice(&field.to_be_bytes());
        }
        bytes
    }

    /// Where in its block the object ends.
    pub(crate) fn end(&self) -> u64 {
        u64::from(self.offset) + u64::from(self.identity_len) + u64::from(self.record_len)
    }
}

/// An object inside its decoded block. The record's checksum was compared; the
/// identity was not hashed.
#[derive(Debug)]
pub(crate) struct Stored {
    block: Arc<Vec<u8>>,
    identity: Range<usize>,
    record: Option<Range<usize>>,
}

impl Stored {
    pub(crate) fn identity(&self) -> &[u8] {
        &self.block[self.identity.clone()]
    }

    pub(crate) fn record(&self) -> Option<&[u8]> {
        self.record.clone().map(|range| &self.block[range])
    }
}

impl Pack {
    /// Opens the pack at `path`, which must be the pack that its file name says.
    pub(crate) fn open(disk: &dyn Disk, path: &Path, name: Hash, purpose: Purpose) -> Result<Self, Error> {
        let file = disk.open(path).map_err(|source| match source {
            source if is_out_of_place(&source) => {
                Error::corrupt(path, 0, "a regular file", "something else, perhaps a link")
            }
            source => Error::io(path, "open", source),
        })?;
        Self::from_file(file, path, name, purpose)
    }

    /// As [`Pack::open`], of a file that is open.
    pub(crate) fn from_file(
        file: Box<dyn ReadFile>,
        path: &Path,
        name: Hash,
        purpose: Purpose,
    ) -> Result<Self, Error> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let corrupt =
            |offset: u64, expected: &str, found: String| Error::corrupt(path, offset, expected, found);
        let len = file.len().map_err(|source| Error::io(path, "measure", source))?;
        if len < MIN_LEN as u64 {
            return Err(corrupt(
                len,
                &format!("at least {MIN_LEN} bytes"),
                format!("{len} bytes"),
            ));
        }

        let trailer_at = len - TRAILER_LEN as u64;
        let mut trailer = [0; TRAILER_LEN];
        read_at(&*file, path, &mut trailer, trailer_at)?;
        if trailer[..8] != END_MAGIC {
            return Err(corrupt(trailer_at, "a pack's trailer", "other bytes".into()));
        }
        let found = name_of_trailer(&trailer);
        if trailer[NAME_AT..] != found.0 {
            return Err(corrupt(
                trailer_at,
                &format!(
                    "a trailer with hash {}",
                    Hash(trailer[NAME_AT..].try_into().expect("32 bytes"))
                ),
                found.to_string(),
            ));
        }
        let version = u16::from_be_bytes([trailer[8], trailer[9]]);
        if version != VERSION {
            return Err(Error::Newer {
                path: path.to_owned(),
                expected: format!("pack version {VERSION}"),
                found: format!("{version}"),
            });
        }
        if found != name {
            return Err(corrupt(
                trailer_at,
                &format!("pack {name}"),
                format!("pack {found}"),
            ));
        }
        let mut header = [0; HEADER_LEN];
        read_at(&*file, path, &mut header, 0)?;
        let mut expected_header = [0; HEADER_LEN];
        expected_header[..8].copy_from_slice(&MAGIC);
        expected_header[8..10].copy_from_slice(&VERSION.to_be_bytes());
        expected_header[10] = purpose as u8;
        if header != expected_header {
            return Err(corrupt(
                0,
                &format!("the header of a pack of {purpose:?}"),
                format!("{header:02x?}"),
            ));
        }
        if trailer[10] != purpose as u8 || trailer[20..24] != [0; 4] {
            return Err(corrupt(
                trailer_at + 10,
                &format!("a trailer for {purpose:?}"),
                format!("{:02x?}", &trailer[10..24]),
            ));
        }

        // The regions follow each other without gaps, so three counts and the file's
        // length must agree exactly.
        let bits = trailer[11];
        let count = be_u32(&trailer, 12);
        let block_count = be_u32(&trailer, 16);
        let block_table_at = be_u64(&trailer, 24);
        if bits > MAX_BUCKET_BITS {
            return Err(corrupt(
                trailer_at + 11,
                &format!("at most {MAX_BUCKET_BITS} bucket bits"),
                bits.to_string(),
            ));
        }
        let tables_len = u64::from(block_count) * BLOCK_LEN as u64 + ((BUCKET_LEN as u64) << bits);
        let end = block_table_at
            .checked_add(tables_len)
            .and_then(|end| end.checked_add(u64::from(count) * ENTRY_LEN as u64));
        if block_table_at < HEADER_LEN as u64 || end != Some(trailer_at) {
            return Err(corrupt(
                trailer_at + 12,
                &format!("an index that ends at {trailer_at}"),
                format!("{block_count} blocks and {count} entries after {block_table_at}"),
            ));
        }
        let mut tables = vec![0; tables_len as usize];
        read_at(&*file, path, &mut tables, block_table_at)?;
        let tables_hash = blake3::hash(&tables);
        if trailer[40..72] != *tables_hash.as_bytes() {
            return Err(corrupt(
                block_table_at,
                &format!(
                    "tables with hash {}",
                    Hash(trailer[40..72].try_into().expect("32 bytes"))
                ),
                tables_hash.to_string(),
            ));
        }

        let (block_table, bucket_table) = tables.split_at(block_count as usize * BLOCK_LEN);
        let mut blocks = Vec::with_capacity(block_count as usize);
        let mut at = HEADER_LEN as u64;
        for (number, row) in block_table.chunks_exact(BLOCK_LEN).enumerate() {
            let block = Block {
                at,
                stored: be_u32(row, 0),
                len: be_u32(row, 4),
                method: be_u32(row, 8),
                hash: row[12..].try_into().expect("16 bytes"),
            };
            let sound = match block.method {
                STORED => block.stored == block.len,
                ZSTD => block.stored < block.len,
                _ => false,
            };
            if !sound || block.len as usize > MAX_BLOCK {
                return Err(corrupt(
                    block_table_at + (number * BLOCK_LEN) as u64,
                    "a block of at most 64 MiB, stored or compressed",
                    format!(
                        "{} bytes as {} by method {}",
                        block.len, block.stored, block.method
                    ),
                ));
            }
            // At most 2^32 rows of less than 2^32: no overflow.
            at += u64::from(block.stored);
            blocks.push(block);
        }
        if at != block_table_at {
            return Err(corrupt(
                block_table_at,
                &format!("blocks that end at {block_table_at}"),
                format!("blocks that end at {at}"),
            ));
        }
        let mut bucket_ends = Vec::with_capacity(1 << bits);
        let mut bucket_hashes = Vec::with_capacity(1 << bits);
        let mut last = 0;
        for (number, row) in bucket_table.chunks_exact(BUCKET_LEN).enumerate() {
            let end = be_u32(row, 0);
            if end < last || end > count {
                return Err(corrupt(
                    block_table_at + (block_table.len() + number * BUCKET_LEN) as u64,
                    &format!("a bucket that ends in {last}..={count}"),
                    end.to_string(),
                ));
            }
            last = end;
            bucket_ends.push(end);
            bucket_hashes.push(row[4..].try_into().expect("16 bytes"));
        }
        if last != count {
            return Err(corrupt(
                block_table_at + block_table.len() as u64,
                &format!("buckets of {count} entries"),
                last.to_string(),
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            name,
            sequence: be_u64(&trailer, 32),
            len,
            count,
            body_hash: Hash(trailer[72..104].try_into().expect("32 bytes")),
            purpose,
            blocks,
            bits,
            bucket_ends,
            bucket_hashes,
            entries_at: block_table_at + tables_len,
            buckets: std::iter::repeat_with(OnceLock::new).take(1 << bits).collect(),
            damaged: Mutex::default(),
            any_damaged: AtomicBool::new(false),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(crate) fn bucket_count(&self) -> usize {
        self.buckets.len()
    }

    fn corrupt(&self, offset: u64, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Error::corrupt(&self.path, offset, expected, found)
    }

    /// The number of the first entry of a bucket.
    fn bucket_start(&self, bucket: usize) -> u32 {
        bucket.checked_sub(1).map_or(0, |before| self.bucket_ends[before])
    }

    /// The entries of a bucket, read and checked the first time.
    fn bucket(&self, bucket: usize) -> Result<&[u8], Error> {
        if let Some(entries) = self.buckets[bucket].get() {
            return Ok(entries);
        }
        let start = self.bucket_start(bucket);
        let at = self.entries_at + u64::from(start) * ENTRY_LEN as u64;
        let mut entries = vec![0; (self.bucket_ends[bucket] - start) as usize * ENTRY_LEN];
        read_at(&*self.file, &self.path, &mut entries, at)?;
        let hash = short_hash(&entries);
        if hash != self.bucket_hashes[bucket] {
            return Err(self.corrupt(
                at,
                format!(
                    "index bucket {bucket} with hash {}",
                    hex(&self.bucket_hashes[bucket])
                ),
                hex(&hash),
            ));
        }
        let mut last: Option<&[u8]> = None;
        for (number, bytes) in entries.chunks_exact(ENTRY_LEN).enumerate() {
            let entry = Entry::parse(bytes);
            let at = at + (number * ENTRY_LEN) as u64;
            if last.is_some_and(|last| *last >= bytes[..33]) || bucket_of(&entry.key, self.bits) != bucket {
                return Err(self.corrupt(at, "index entries in order, each once", format!("{}", entry.key)));
            }
            let room = self.blocks.get(entry.block as usize).map_or(0, |block| block.len);
            if entry.block as usize >= self.blocks.len() || entry.end() > u64::from(room) {
                return Err(self.corrupt(
                    at,
                    format!("an object inside block {} of {room} bytes", entry.block),
                    format!("one that ends at {}", entry.end()),
                ));
            }
            let record_len = entry.record_len as usize;
            if !self.purpose.allows(entry.kind) || (1..CHECKSUM_LEN).contains(&record_len) {
                return Err(self.corrupt(
                    at + 32,
                    "a known kind and a record with its checksum",
                    format!("kind {} and {record_len} bytes", entry.kind),
                ));
            }
            last = Some(&bytes[..33]);
        }
        Ok(self.buckets[bucket].get_or_init(|| entries.into()))
    }

    /// The entry of an object, or `None` if the pack does not have it.
    pub(crate) fn find(&self, kind: u8, key: &Hash) -> Result<Option<Entry>, Error> {
        let entries = self.bucket(bucket_of(key, self.bits))?;
        let mut wanted = [kind; 33];
        wanted[..32].copy_from_slice(key.as_bytes());
        let (mut low, mut high) = (0, entries.len() / ENTRY_LEN);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = &entries[middle * ENTRY_LEN..][..ENTRY_LEN];
            match entry[..33].cmp(&wanted[..]) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(Some(Entry::parse(entry))),
            }
        }
        Ok(None)
    }

    /// The entries of a bucket, in order.
    pub(crate) fn entries(&self, bucket: usize) -> Result<impl Iterator<Item = Entry> + '_, Error> {
        Ok(self.bucket(bucket)?.chunks_exact(ENTRY_LEN).map(Entry::parse))
    }

    /// The entries whose keys lie in `low..=high`.
    pub(crate) fn range(&self, low: &Hash, high: &Hash) -> Result<Vec<Entry>, Error> {
        let mut found = Vec::new();
        for bucket in bucket_of(low, self.bits)..=bucket_of(high, self.bits) {
            let inside = self.entries(bucket)?;
            found.extend(inside.filter(|entry| (*low..=*high).contains(&entry.key)));
        }
        Ok(found)
    }

    /// The bytes of a block as they lie in the file, compared with its hash.
    pub(crate) fn stored_block(&self, number: u32) -> Result<Vec<u8>, Error> {
        let row = self.blocks[number as usize];
        let mut stored = vec![0; row.stored as usize];
        read_at(&*self.file, &self.path, &mut stored, row.at)?;
        let hash = short_hash(&stored);
        if hash != row.hash {
            return Err(self.corrupt(
                row.at,
                format!("block {number} with hash {}", hex(&row.hash)),
                hex(&hash),
            ));
        }
        Ok(stored)
    }

    /// The decoded bytes of a block, compared with the block's hash before decoding.
    pub(crate) fn block(&self, number: u32, cache: Option<&BlockCache>) -> Result<Arc<Vec<u8>>, Error> {
        let id = (self.id, number);
        if let Some(block) = cache.and_then(|cache| cache.get(id)) {
            return Ok(block);
        }
        let row = self.blocks[number as usize];
        let stored = self.stored_block(number)?;
        let bytes = match row.method {
            STORED => stored,
            _ => block::decompress(&stored, row.len as usize).map_err(|found| {
                self.corrupt(row.at, format!("block {number} of {} bytes", row.len), found)
            })?,
        };
        let block = Arc::new(bytes);
        if let Some(cache) = cache {
            cache.insert(id, &block);
        }
        Ok(block)
    }

    /// Reads the object of an entry and compares its record with its checksum.
    pub(crate) fn read(&self, entry: &Entry, cache: Option<&BlockCache>) -> Result<Stored, Error> {
        let block = self.block(entry.block, cache)?;
        self.slice(entry, block)
    }

    /// As [`Pack::read`], of a block that was decoded before.
    pub(crate) fn slice(&self, entry: &Entry, block: Arc<Vec<u8>>) -> Result<Stored, Error> {
        let identity = entry.offset as usize..entry.offset as usize + entry.identity_len as usize;
        let record = (entry.record_len > 0)
            .then(|| identity.end..identity.end + entry.record_len as usize - CHECKSUM_LEN);
        if let Some(range) = &record {
            let expected = record_checksum(&entry.key, &block[range.clone()]);
            let found = &block[range.end..range.end + CHECKSUM_LEN];
            if found != expected {
                return Err(self.corrupt(
                    self.blocks[entry.block as usize].at,
                    format!(
                        "the record of {} in block {} with checksum {}",
                        entry.key,
                        entry.block,
                        hex(&expected)
                    ),
                    hex(found),
                ));
            }
        }
        Ok(Stored {
            block,
            identity,
            record,
        })
    }

    /// Remembers that a block is damaged, so that what lies in it is written again.
    pub(crate) fn mark_damaged(&self, block: u32) {
        let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        if !damaged.contains(&block) {
            damaged.push(block);
        }
        self.any_damaged.store(true, Ordering::Release);
    }

    pub(crate) fn is_damaged(&self, block: u32) -> bool {
        self.any_damaged.load(Ordering::Acquire)
            && self
                .damaged
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .contains(&block)
    }

    /// The hash of all bytes before the trailer, read from the disk.
    pub(crate) fn hash_body(&self) -> Result<Hash, Error> {
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 18];
        let end = self.len - TRAILER_LEN as u64;
        let mut at = 0;
        while at < end {
            let len = buffer.len().min((end - at) as usize);
            read_at(&*self.file, &self.path, &mut buffer[..len], at)?;
            hasher.update(&buffer[..len]);
            at += len as u64;
        }
        Ok(Hash(*hasher.finalize().as_bytes()))
    }
}

fn read_at(file: &dyn ReadFile, path: &Path, bytes: &mut [u8], at: u64) -> Result<(), Error> {
    read_exact_at(file, bytes, at).map_err(|source| match source.kind() {
        // Cut short after it was measured.
        io::ErrorKind::UnexpectedEof => {
            Error::corrupt(path, at, format!("{} more bytes", bytes.len()), "the end")
        }
        _ => Error::io(path, "read", source),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
