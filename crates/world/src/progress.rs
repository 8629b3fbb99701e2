//! How far long work is, for whoever wants to show it.

/// A part of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Read,
    Parse,
    Link,
    Identify,
    Write,
    /// Revisions of a history.
    Revisions,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Read => "reading files",
            Stage::Parse => "parsing",
            Stage::Link => "resolving references",
            Stage::Identify => "hashing definitions",
            Stage::Write => "writing the store",
            Stage::Revisions => "indexing revisions",
        }
    }
}

/// Told of each stage and step, from any thread.
pub trait Progress: Sync {
    /// A stage of so many steps begins (zero: unknown).
    fn start(&self, stage: Stage, steps: usize);
    fn step(&self);
    fn finish(&self);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: Stage, _: usize) {}
    fn step(&self) {}
    fn finish(&self) {}
}
