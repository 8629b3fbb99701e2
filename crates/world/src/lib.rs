//! Files to a map: scan, read, link, identify, publish.

mod directory;
mod error;
mod git;
mod tree;

pub use error::{Error, Result};
