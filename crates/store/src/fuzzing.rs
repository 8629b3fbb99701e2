//! Doors for the fuzz targets (`fuzz/`) to decoders that are private. No part of
//! the interface.

use std::{io, path::Path};

use crate::{
    Error, Hash, Kind,
    disk::ReadFile,
    ops::Operation,
    pack::{
        BLOCK_LEN, BUCKET_LEN, ENTRY_LEN, HEADER_LEN, MIN_LEN, NAME_AT, Pack, Purpose, TRAILER_LEN, be_u32,
        be_u64, name_of_trailer, short_hash,
    },
    store::checked,
    view::ViewObject,
};

/// A file in memory.
#[derive(Debug)]
struct Bytes(Vec<u8>);

impl ReadFile for Bytes {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(bytes.len());
        bytes[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

/// Reads all of a pack; the number of objects that were sound.
pub fn read_pack(bytes: Vec<u8>) -> Result<usize, Error> {
    let name = match bytes.last_chunk::<32>() {
        Some(name) => Hash(*name),
        None => Hash([0; 32]),
    };
    let purpose = match bytes.get(10) {
        Some(2) => Purpose::Cache,
        _ => Purpose::Objects,
    };
    let pack = Pack::from_file(Box::new(Bytes(bytes)), Path::new("pack"), name, purpose)?;
    pack.hash_body()?;
    let mut entries = Vec::new();
    for bucket in 0..pack.bucket_count() {
        if let Ok(found) = pack.entries(bucket) {
            entries.extend(found);
        }
    }
    entries.sort_unstable_by_key(|entry| (entry.block, entry.offset));
    let mut sound = 0;
    for of_block in entries.chunk_by(|a, b| a.block == b.block) {
        let Ok(block) = pack.block(of_block[0].block, None) else {
            continue;
        };
        for entry in of_block {
            assert_eq!(
                pack.find(entry.kind, &entry.key)?,
                Some(*entry),
                "what is listed is found"
            );
            let Ok(stored) = pack.slice(entry, block.clone()) else {
                continue;
            };
            let is_sound = match Kind::from_number(entry.kind) {
                Some(kind) => checked(kind, &entry.key, &stored).is_ok(),
                None => stored.record().is_some(),
            };
            sound += usize::from(is_sound);
        }
    }
    Ok(sound)
}

/// Gives the bytes of a pack the hashes that they ought to have, wherever its lengths
/// allow it, so that what lies behind the hashes is reached.
pub fn seal(bytes: &mut [u8]) {
    if bytes.len() < MIN_LEN {
        return;
    }
    let end = bytes.len() - TRAILER_LEN;
    let (body, trailer) = bytes.split_at_mut(end);
    seal_tables(body, trailer);
    let name = name_of_trailer(trailer);
    trailer[NAME_AT..].copy_from_slice(name.as_bytes());
}

fn seal_tables(body: &mut [u8], trailer: &mut [u8]) {
    let bits = trailer[11].min(12);
    let (count, blocks) = (be_u32(trailer, 12) as usize, be_u32(trailer, 16) as usize);
    let table = usize::try_from(be_u64(trailer, 24)).unwrap_or(usize::MAX);
    let buckets_at = table.saturating_add(blocks * BLOCK_LEN);
    let entries_at = buckets_at.saturating_add(BUCKET_LEN << bits);
    if entries_at.saturating_add(count * ENTRY_LEN) == body.len() && table >= HEADER_LEN {
        let mut at = HEADER_LEN;
        for row in (table..buckets_at).step_by(BLOCK_LEN) {
            let start = at;
            at += be_u32(body, row) as usize;
            if let Some(block) = body.get(start..at) {
                let hash = short_hash(block);
                body[row + 12..row + BLOCK_LEN].copy_from_slice(&hash);
            }
        }
        let mut first = 0;
        for row in (buckets_at..entries_at).step_by(BUCKET_LEN) {
            let last = be_u32(body, row) as usize;
            if let Some(entries) = body.get(entries_at + first * ENTRY_LEN..entries_at + last * ENTRY_LEN) {
                let hash = short_hash(entries);
                body[row + 4..row + BUCKET_LEN].copy_from_slice(&hash);
            }
            first = last;
        }
        trailer[40..72].copy_from_slice(blake3::hash(&body[table..entries_at]).as_bytes());
    }
    trailer[72..104].copy_from_slice(blake3::hash(body).as_bytes());
}

/// Decodes a view and encodes it again.
pub fn view(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(ViewObject::decode(bytes).ok()?.encode())
}

/// Decodes an operation and encodes it again.
pub fn operation(bytes: &[u8]) -> Option<Vec<u8>> {
    let key = crate::hash(Kind::Operation, bytes);
    Some(Operation::decode(key, bytes).ok()?.encode())
}
