//! Where a project's bytes come from: a list of files and a way to read each.
//!
//! A working tree and a git revision list the same files for the same content:
//! regular files that a front end reads or that say where modules are, without
//! hidden components and without `node_modules`. Symbolic links and submodules
//! are not followed.

use std::collections::BTreeSet;

use polyglot::{front_end_for, front_ends};
use store::Hash;

use crate::error::Result;

/// Files longer than this are listed as problems and not read.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the project's root, with `/`.
    pub path: String,
    /// The hash of its bytes as a source object, where it is known unread.
    pub source: Option<Hash>,
    /// Index by which the tree reads it.
    pub handle: usize,
}

/// Something that could not be read, so that the map is partial.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub path: String,
    pub message: String,
}

/// The files of a project at one moment.
pub trait SourceTree: Sync {
    /// Sorted by path.
    fn files(&self) -> &[TreeFile];

    /// The bytes of a file as they are now.
    fn read(&self, file: &TreeFile) -> Result<Vec<u8>>;

    /// What could not be listed.
    fn problems(&self) -> &[Problem];
}

/// Whether a path is of the project at all: see the module's documentation.
pub fn is_of_project(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let hidden = path
        .split('/')
        .any(|part| part.starts_with('.') || part == "node_modules");
    !hidden && (front_end_for(path).is_some() || is_configuration(name))
}

/// Whether files of this name say where modules are.
pub fn is_configuration(name: &str) -> bool {
    thread_local! {
        static NAMES: BTreeSet<&'static str> =
            front_ends().iter().flat_map(|front_end| front_end.configuration_files()).copied().collect();
    }
    NAMES.with(|names| names.contains(name))
}
