//! Hashes to bytes: packs, operations, views, locks (store-format/).
//!
//! Not here: what the bytes mean (`map`), any language, any JSON.

pub mod cbor;
