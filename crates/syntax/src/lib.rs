//! The Renyi language up to its syntax tree: tokens, an error-tolerant parser, and
//! the formatter that prints the one canonical layout.
//!
//! Nothing here knows what a name refers to; that is the `check` crate.

pub mod diagnostic;
pub mod format;
pub mod lex;
pub mod parse;
pub mod report;
pub mod tree;

pub use diagnostic::{Code, Diagnostic, Severity};
pub use parse::{Mode, Parsed, parse};
pub use tree::{Module, Span};
