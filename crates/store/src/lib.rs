//! Hashes to bytes: objects, packs, operations, views (store-format/).
//!
//! A [`Store`] is a directory. [`Batch`]es of objects go in by [`Store::commit`], which
//! writes one pack and moves names; objects come out by key through [`Objects`]. What
//! can be computed again lies apart in [`Store::cache`].
//!
//! Promises: bytes that do not hash to their key are never returned; a commit that
//! returned survives a crash; writers do not wait for each other and lose nothing;
//! published files do not change.
//! Not here: what the bytes mean (`map`), any language, any JSON.

pub mod cbor;
mod error;
mod object;

mod disk;
#[cfg(test)]
mod disk_faulty;
#[cfg(test)]
mod faults;
mod layout;
mod pack;
mod packs;

mod ops;
mod view;

mod cache;
mod commit;
mod compact;
mod store;
mod verify;

#[doc(hidden)]
pub mod fuzzing;

pub use cache::Cache;
pub use commit::{Commit, RefUpdate};
pub use compact::Compaction;
pub use error::Error;
pub use object::{Batch, Hash, Kind, NotAHash, Object, Objects, hash};
pub use ops::{Operation, Operations};
pub use pack::MAX_BLOCK;
pub use packs::Damage;
pub use store::{KindStats, Listed, Options, Stats, Store};
pub use verify::{Progress, Report};
pub use view::{MAX_NAME, Target, View};
