//! The syntax tree of one module.
//!
//! The tree, the source and the list of comments together lose nothing: every node has
//! its span in bytes of the source, and spelling that the tree does not repeat (digits
//! of a number, escapes of a text) is read from there.
//!
//! Chains that a program may make as long as it likes (`a + b + …`, `x.y().z()…`,
//! `a and b and …`, `otherwise … otherwise …`) are flat, so that no walk of a tree is
//! deeper than the nesting of its source, which the parser limits to [`MAX_DEPTH`].

mod expressions;
mod items;
mod patterns;
mod statements;
mod types;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

pub use expressions::*;
pub use items::*;
pub use patterns::*;
pub use statements::*;
pub use types::*;

/// Deepest nesting of expressions, types, patterns and blocks that is parsed; what lies
/// deeper is an error (`expected`) and becomes an `Error` node.
pub const MAX_DEPTH: usize = 64;

/// Bytes of the source, half open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
pub struct Span {
    pub start: u32,
    #[serde(rename = "stop")]
    pub end: u32,
}

impl Span {
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// An empty span, for what is missing.
    pub const fn at(offset: u32) -> Self {
        Self {
            start: offset,
            end: offset,
        }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The span when its start counts from `start`.
    pub fn after(self, start: u32) -> Self {
        Self::new(self.start + start, self.end + start)
    }

    /// The same place counted from `start`, which is not behind it.
    pub fn relative_to(self, start: u32) -> Self {
        Self::new(self.start.saturating_sub(start), self.end.saturating_sub(start))
    }

    pub fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or_default()
    }

    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.start, self.end)
    }
}

/// The number of a node within its definition (see [`Item::nodes`] and the like): dense from 0, so
/// that what a checker finds out about nodes is a vector beside the tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One token that names something. A name that is missing after an error is empty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

impl Name {
    pub fn is_missing(&self) -> bool {
        self.text.is_empty()
    }
}

/// `a.b.c`: never empty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Path {
    pub segments: Vec<Name>,
    pub span: Span,
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.segments.iter().enumerate() {
            if position > 0 {
                formatter.write_str(".")?;
            }
            formatter.write_str(&segment.text)?;
        }
        Ok(())
    }
}

/// `# …` to the end of its line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Comment {
    /// From `#` to the last character that is not a blank.
    pub span: Span,
    /// Nothing but blanks stands before it on its line.
    pub alone: bool,
}

/// One file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Module {
    /// The whole file.
    pub span: Span,
    /// `module a.b`; absent when the file does not start with it.
    pub header: Option<Path>,
    pub docs: Docs,
    /// Nodes of the module's own examples.
    pub nodes: u32,
    /// In source order, also those that stand between items.
    pub imports: Vec<Import>,
    pub items: Vec<Item>,
    /// In source order.
    pub comments: Vec<Comment>,
}
