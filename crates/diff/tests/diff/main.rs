//! Comparisons of small projects, as cases and as properties.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod cases;
mod project;
mod properties;

use diff::{MapDiff, Options};
use project::Project;
use store::Batch;

/// Compares two projects in memory.
fn compare(old: &Project, new: &Project) -> MapDiff {
    let mut batch = Batch::new();
    let (old, new) = (old.put(&mut batch), new.put(&mut batch));
    diff::diff(&batch, &old, &new, &Options::default()).unwrap()
}
