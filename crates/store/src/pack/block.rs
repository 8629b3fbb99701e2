//! Blocks: how they are compressed and decoded, and a bounded cache of decoded ones.
//!
//! A frame is decoded only into as many bytes as the block table says, at most
//! [`MAX_BLOCK`], so a bomb ends at that length.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use super::{MAX_BLOCK, MAX_WINDOW_LOG};

/// The bits of a frame's header that the format restricts: one window of at most
/// 8 MiB, no dictionary. Returns what is wrong.
fn check_frame(frame: &[u8], len: usize) -> Result<(), String> {
    if frame.len() < 6 || frame[..4] != [0x28, 0xb5, 0x2f, 0xfd] {
        return Err("bytes that are not a zstd frame".into());
    }
    let descriptor = frame[4];
    if descriptor & 3 != 0 {
        return Err("a frame that wants a dictionary".into());
    }
    let single_segment = descriptor & 0x20 != 0;
    if !single_segment {
        let log = 10 + u32::from(frame[5] >> 3);
        let exact = frame[5] & 7 == 0;
        if log > MAX_WINDOW_LOG || (log == MAX_WINDOW_LOG && !exact) {
            return Err(format!("a frame with a window of 2^{log} bytes"));
        }
    }
    match zstd::zstd_safe::get_frame_content_size(frame) {
        Ok(Some(content)) if content == len as u64 => Ok(()),
        Ok(Some(content)) => Err(format!("a frame of {content} bytes, not {len}")),
        _ => Err("a frame without a length".into()),
    }
}

/// Decodes a frame that must hold exactly `len` bytes.
pub(super) fn decompress(frame: &[u8], len: usize) -> Result<Vec<u8>, String> {
    thread_local! {
        static DECODER: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
    }
    debug_assert!(len <= MAX_BLOCK);
    check_frame(frame, len)?;
    DECODER.with_borrow_mut(|slot| {
        let decoder = match slot {
            Some(decoder) => decoder,
            None => {
                let fresh = zstd::bulk::Decompressor::new().map_err(|error| error.to_string())?;
                slot.insert(fresh)
            }
        };
        let mut bytes = Vec::with_capacity(len);
        let written = decoder
            .decompress_to_buffer(frame, &mut bytes)
            .map_err(|error| format!("a frame that does not decode ({error})"))?;
        if written != len {
            return Err(format!("a frame of {written} bytes, not {len}"));
        }
        Ok(bytes)
    })
}

pub(super) struct Compressor {
    encoder: zstd::bulk::Compressor<'static>,
}

impl Compressor {
    pub(super) fn new(level: i32) -> std::io::Result<Self> {
        Ok(Self {
            encoder: zstd::bulk::Compressor::new(level)?,
        })
    }

    /// The frame of these bytes, or `None` if it is not smaller. What was compressed is
    /// decoded again: a fault in the compressor or in memory would otherwise be stored
    /// for good under a right hash.
    pub(super) fn compress(&mut self, bytes: &[u8]) -> std::io::Result<Option<Vec<u8>>> {
        // Only a block of more than 8 MiB could get a larger window.
        if bytes.len() > 1 << MAX_WINDOW_LOG {
            let log = zstd::zstd_safe::CParameter::WindowLog(MAX_WINDOW_LOG);
            self.encoder.set_parameter(log)?;
        }
        let frame = self.encoder.compress(bytes)?;
        if frame.len() >= bytes.len() {
            return Ok(None);
        }
        match decompress(&frame, bytes.len()) {
            Ok(again) if again == bytes => Ok(Some(frame)),
            Ok(_) => Err(std::io::Error::other("a compressed block decodes to other bytes")),
            Err(found) => Err(std::io::Error::other(format!("a block compressed to {found}"))),
        }
    }
}

/// Decoded blocks, bounded in bytes. The least recently used go first, nearly: a block
/// that was used since it was last looked at gets a second chance.
#[derive(Debug)]
pub(crate) struct BlockCache {
    shards: [Mutex<Shard>; SHARDS],
    shard_capacity: usize,
}

/// Readers of different blocks should seldom meet at one lock.
const SHARDS: usize = 8;

/// A pack of this process, and a block in it.
pub(super) type BlockId = (u64, u32);

#[derive(Debug, Default)]
struct Shard {
    blocks: HashMap<BlockId, Slot>,
    order: VecDeque<BlockId>,
    bytes: usize,
}

#[derive(Debug)]
struct Slot {
    block: Arc<Vec<u8>>,
    used: bool,
}

impl BlockCache {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            shards: Default::default(),
            shard_capacity: capacity / SHARDS,
        }
    }

    fn shard(&self, (pack, block): BlockId) -> std::sync::MutexGuard<'_, Shard> {
        let at = (pack as usize).wrapping_mul(31).wrapping_add(block as usize) % SHARDS;
        // A shard is sound after any panic: at worst it holds less than it counts.
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, id: BlockId) -> Option<Arc<Vec<u8>>> {
        let mut shard = self.shard(id);
        let slot = shard.blocks.get_mut(&id)?;
        slot.used = true;
        Some(slot.block.clone())
    }

    pub(super) fn insert(&self, id: BlockId, block: &Arc<Vec<u8>>) {
        if block.len() > self.shard_capacity {
            return;
        }
        let mut shard = self.shard(id);
        let slot = Slot {
            block: block.clone(),
            used: false,
        };
        if shard.blocks.insert(id, slot).is_some() {
            return;
        }
        shard.order.push_back(id);
        shard.bytes += block.len();
        while shard.bytes > self.shard_capacity {
            let Some(oldest) = shard.order.pop_front() else {
                break;
            };
            match shard.blocks.get_mut(&oldest) {
                Some(slot) if slot.used => {
                    slot.used = false;
                    shard.order.push_back(oldest);
                }
                _ => {
                    let gone = shard.blocks.remove(&oldest);
                    shard.bytes -= gone.map_or(0, |slot| slot.block.len());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_stays_within_its_bytes_and_keeps_what_is_used() {
        let cache = BlockCache::new(SHARDS * 1000);
        let block = Arc::new(vec![0; 100]);
        let kept = (0, 0);
        cache.insert(kept, &block);
        for number in 0..500 {
            cache.insert((1, number), &block);
            assert!(cache.get(kept).is_some(), "used at each step, after {number}");
        }
        for shard in &cache.shards {
            let shard = shard.lock().expect("no panic");
            assert!(shard.bytes <= 1000);
            assert_eq!(shard.bytes, shard.blocks.len() * 100);
            assert_eq!(shard.order.len(), shard.blocks.len());
        }
        cache.insert((2, 0), &Arc::new(vec![0; 5000]));
        assert!(cache.get((2, 0)).is_none(), "larger than a shard");
    }

    #[test]
    fn large_frames_keep_to_the_window() {
        let bytes: Vec<u8> = (0..9u32 << 20)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 28) as u8)
            .collect();
        let mut compressor = Compressor::new(3).expect("a context");
        let frame = compressor.compress(&bytes).expect("compresses").expect("smaller");
        assert_eq!(decompress(&frame, bytes.len()), Ok(bytes));
    }

    #[test]
    fn bombs_and_foreign_frames_are_refused() {
        let bomb = zstd::bulk::compress(&vec![0; 1 << 20], 3).expect("compresses");
        assert!(
            decompress(&bomb, 1000)
                .expect_err("too long")
                .contains("not 1000")
        );
        // Window descriptor 2^31.
        let wide = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 1, 0, 0];
        assert!(decompress(&wide, 0).expect_err("too wide").contains("2^31"));
        assert!(decompress(b"", 0).is_err());
        assert!(
            decompress(b"\x28\xb5\x2f\xfd\x21\x00\x00", 0).is_err(),
            "dictionary"
        );
    }
}
