//! Writing a pack: into a temporary file, block by block, then under its name.
//!
//! The temporary file is made anew, filled, synced, and renamed; any error before
//! that removes it. Nothing is synced a second time: after a failed sync the kernel
//! may have dropped the pages and say yes.

use std::path::{Path, PathBuf};

use super::{
    BUCKET_LEN, CHECKSUM_LEN, END_MAGIC, ENTRY_LEN, HEADER_LEN, MAGIC, MAX_BLOCK, MAX_BUCKET_BITS, NAME_AT,
    Purpose, STORED, TRAILER_LEN, VERSION, ZSTD,
    block::Compressor,
    bucket_of, name_of_trailer,
    read::{Block, Entry},
    record_checksum, short_hash,
};
use crate::{
    Error, Hash,
    disk::{Disk, WriteFile, write_all},
};

/// How a pack is laid out and made durable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) purpose: Purpose,
    /// Newer packs have greater numbers; of two records the newer pack's counts.
    pub(crate) sequence: u64,
    /// zstd level.
    pub(crate) level: i32,
    /// A block ends before it would grow past this.
    pub(crate) block: usize,
    /// Whether the file is synced before it gets its name.
    pub(crate) durable: bool,
}

pub(crate) struct PackWriter<'d> {
    disk: &'d dyn Disk,
    style: Style,
    tmp: TmpFile<'d>,
    file: Box<dyn WriteFile>,
    hasher: blake3::Hasher,
    len: u64,
    compressor: Compressor,
    /// The block that is being filled, and how many entries lie in it.
    open: Vec<u8>,
    open_entries: usize,
    block_table: Vec<u8>,
    blocks: u32,
    entries: Vec<[u8; ENTRY_LEN]>,
}

/// A temporary file, removed unless it was renamed.
struct TmpFile<'d> {
    disk: &'d dyn Disk,
    path: PathBuf,
    renamed: bool,
}

impl Drop for TmpFile<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // An error is on its way already, or the process is dying: at worst a file
            // stays in tmp/, where the next compaction removes it.
            let _ = self.disk.remove(&self.path);
        }
    }
}

impl<'d> PackWriter<'d> {
    /// Starts a pack in the temporary file `tmp`, which must not exist.
    pub(crate) fn create(disk: &'d dyn Disk, tmp: PathBuf, style: Style) -> Result<Self, Error> {
        let file = disk
            .create_new(&tmp)
            .map_err(|source| Error::write(&tmp, "create", source))?;
        let compressor =
            Compressor::new(style.level).map_err(|source| Error::io(&tmp, "compress for", source))?;
        let mut writer = Self {
            disk,
            style,
            tmp: TmpFile {
                disk,
                path: tmp,
                renamed: false,
            },
            file,
            hasher: blake3::Hasher::new(),
            len: 0,
            compressor,
            open: Vec::with_capacity(style.block),
            open_entries: 0,
            block_table: Vec::new(),
            blocks: 0,
            entries: Vec::new(),
        };
        let mut header = [0; HEADER_LEN];
        header[..8].copy_from_slice(&MAGIC);
        header[8..10].copy_from_slice(&VERSION.to_be_bytes());
        header[10] = style.purpose as u8;
        writer.write(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.hasher.update(bytes);
        write_all(&mut *self.file, bytes).map_err(|source| Error::write(&self.tmp.path, "write", source))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Appends an object. Each (key, kind) at most once: `finish` refuses more.
    pub(crate) fn add(
        &mut self,
        key: &Hash,
        kind: u8,
        identity: &[u8],
        record: Option<&[u8]>,
    ) -> Result<(), Error> {
        let record_len = record.map_or(0, |record| record.len() + CHECKSUM_LEN);
        let len = identity.len() + record_len;
        if len > MAX_BLOCK {
            return Err(Error::TooLarge {
                key: *key,
                len: len as u64,
                limit: MAX_BLOCK as u64,
            });
        }
        if self.open_entries > 0 && self.open.len() + len > self.style.block {
            self.end_block()?;
        }
        let entry = Entry {
            key: *key,
            kind,
            block: self.blocks,
            offset: self.open.len() as u32,
            identity_len: identity.len() as u32,
            record_len: record_len as u32,
        };
        self.entries.push(entry.to_bytes());
        self.open_entries += 1;
        self.open.extend_from_slice(identity);
        if let Some(record) = record {
            self.open.extend_from_slice(record);
            self.open.extend_from_slice(&record_checksum(key, record));
        }
        Ok(())
    }

    /// Ends the block that is being filled; the next object starts another one.
    pub(crate) fn end_block(&mut self) -> Result<(), Error> {
        if self.open_entries == 0 {
            return Ok(());
        }
        let open = std::mem::take(&mut self.open);
        let frame = self
            .compressor
            .compress(&open)
            .map_err(|source| Error::io(&self.tmp.path, "compress for", source))?;
        let (method, stored) = match &frame {
            Some(frame) => (ZSTD, frame),
            None => (STORED, &open),
        };
        self.write(stored)?;
        self.push_block(stored.len() as u32, open.len() as u32, method, short_hash(stored));
        self.open = open;
        self.open.clear();
        self.open_entries = 0;
        Ok(())
    }

    /// Appends a block of another pack as it is, with those of its objects that are
    /// wanted. The rest stays in it unseen, which only a cache may do.
    pub(crate) fn copy_block(&mut self, block: Block, stored: &[u8], entries: &[Entry]) -> Result<(), Error> {
        self.end_block()?;
        for entry in entries {
            let block = self.blocks;
            self.entries.push(Entry { block, ..*entry }.to_bytes());
        }
        self.write(stored)?;
        self.push_block(block.stored, block.len, block.method, block.hash);
        Ok(())
    }

    fn push_block(&mut self, stored: u32, len: u32, method: u32, hash: [u8; 16]) {
        for field in [stored, len, method] {
            self.block_table.extend_from_slice(&field.to_be_bytes());
        }
        self.block_table.extend_from_slice(&hash);
        self.blocks += 1;
    }

    /// How many objects were added.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Bytes in the block that is being filled.
    pub(crate) fn open_len(&self) -> usize {
        self.open.len()
    }

    /// Writes index and trailer and syncs the file. It has no name yet.
    pub(crate) fn finish(mut self) -> Result<Finished<'d>, Error> {
        self.end_block()?;
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable_by(|a, b| a[..33].cmp(&b[..33]));
        if let Some(pair) = entries.windows(2).find(|pair| pair[0][..33] == pair[1][..33]) {
            // A caller's fault, yet better an error now than a pack no reader accepts.
            let key = Hash(pair[0][..32].try_into().expect("32 bytes"));
            return Err(Error::corrupt(
                &self.tmp.path,
                self.len,
                "each object once",
                format!("{key} twice"),
            ));
        }
        let bits = bucket_bits(entries.len());
        let block_table_at = self.len;
        let mut tables = std::mem::take(&mut self.block_table);
        let mut rest = &entries[..];
        let mut end = 0u32;
        tables.reserve(BUCKET_LEN << bits);
        for bucket in 0..1 << bits {
            let key = |entry: &[u8; ENTRY_LEN]| Hash(entry[..32].try_into().expect("32 bytes"));
            let count = rest.partition_point(|entry| bucket_of(&key(entry), bits) <= bucket);
            let (inside, after) = rest.split_at(count);
            end += count as u32;
            tables.extend_from_slice(&end.to_be_bytes());
            tables.extend_from_slice(&short_hash(inside.as_flattened()));
            rest = after;
        }
        self.write(&tables)?;
        self.write(entries.as_flattened())?;

        let mut trailer = [0; TRAILER_LEN];
        trailer[..8].copy_from_slice(&END_MAGIC);
        trailer[8..10].copy_from_slice(&VERSION.to_be_bytes());
        trailer[10] = self.style.purpose as u8;
        trailer[11] = bits;
        trailer[12..16].copy_from_slice(&(entries.len() as u32).to_be_bytes());
        trailer[16..20].copy_from_slice(&self.blocks.to_be_bytes());
        trailer[24..32].copy_from_slice(&block_table_at.to_be_bytes());
        trailer[32..40].copy_from_slice(&self.style.sequence.to_be_bytes());
        trailer[40..72].copy_from_slice(blake3::hash(&tables).as_bytes());
        trailer[72..104].copy_from_slice(self.hasher.finalize().as_bytes());
        let name = name_of_trailer(&trailer);
        trailer[NAME_AT..].copy_from_slice(name.as_bytes());
        self.write(&trailer)?;
        if self.style.durable {
            self.file
                .sync()
                .map_err(|source| Error::write(&self.tmp.path, "sync", source))?;
        }
        Ok(Finished {
            disk: self.disk,
            durable: self.style.durable,
            tmp: self.tmp,
            name,
            len: self.len,
        })
    }
}

/// The fewest buckets that hold about 256 entries each.
fn bucket_bits(count: usize) -> u8 {
    let mut bits = 0;
    while bits < MAX_BUCKET_BITS && count >> bits > 256 {
        bits += 1;
    }
    bits
}

/// A whole pack that still lies in its temporary file.
pub(crate) struct Finished<'d> {
    disk: &'d dyn Disk,
    durable: bool,
    tmp: TmpFile<'d>,
    pub(crate) name: Hash,
    pub(crate) len: u64,
}

impl Finished<'_> {
    /// Drops the temporary file: the pack is there already.
    pub(crate) fn discard(self) {}

    /// Gives the pack its name, over whatever has it, and makes the name durable.
    pub(crate) fn publish(mut self, directory: &Path) -> Result<PathBuf, Error> {
        let path = directory.join(super::file_name(&self.name));
        self.disk
            .rename(&self.tmp.path, &path)
            .map_err(|source| Error::write(&path, "rename a file to", source))?;
        self.tmp.renamed = true;
        if self.durable {
            self.disk
                .sync_dir(directory)
                .map_err(|source| Error::write(directory, "sync", source))?;
        }
        Ok(path)
    }
}
