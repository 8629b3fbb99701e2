//! Files to a map: scan, read, link, identify, publish.
//!
//! A [`Workspace`] is a project on disk with its store. Every map it makes is a
//! function of paths and contents; what is cached on the way (skeletons, stat
//! data, blob hashes, whole maps) may be deleted at any time and is keyed by all
//! that it depends on.
//!
//! Not here: what a language means (`polyglot`), output (`cli`).

mod base;
mod build;
mod catalog;
mod directory;
mod error;
mod git;
mod load;
mod progress;
pub mod renyi;
pub mod saved;
mod tree;
mod workspace;

pub use base::{Base, Overlay, project_of};
pub use build::CONFIGURATION;
pub use catalog::{Catalog, Detail, Leaves, Place, detail, qualified, separator};
pub use error::{Error, Result};
pub use git::Git;
pub use polyglot::link::STACK_BYTES;
pub use progress::{Progress, Silent, Stage};
pub use tree::{MAX_FILE_BYTES, Problem};
pub use workspace::{Indexed, STORE, Workspace, store_of};
