//! Hashes to bytes: objects, packs, operations, views, locks (store-format/).
//!
//! Not here: what the bytes mean (`map`), any language, any JSON.

pub mod cbor;
mod error;
mod object;

pub use error::Error;
pub use object::{Batch, Hash, Kind, NotAHash, Object, Objects, hash};
