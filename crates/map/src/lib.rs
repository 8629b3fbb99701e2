//! Definitions, their identity, and the manifests that name them
//! (store-format/map.md).
//!
//! [`identity`] turns a graph of canonical texts and ordered references into
//! ids; [`record`] is the projection cached beside a component; [`manifest`] is
//! the Merkle tree that says which names a set of source files gives to ids.
//!
//! Invariants: everything here is a function of its arguments, so equal input
//! gives equal bytes on any machine; decoders accept exactly what encoders
//! write; no name, path or order of files reaches an id.
//!
//! Not here: files and directories, what any language means, where objects are
//! kept (`store`), and output.

pub mod capability;
pub mod identity;
pub mod manifest;
pub mod record;

mod decode;

pub use capability::{Capabilities, Capability};
pub use decode::fetch;
pub use identity::{DefinitionId, DefinitionKind};
