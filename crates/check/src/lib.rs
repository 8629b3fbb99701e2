//! What the names of a Renyi program refer to, and what its types, failures and effects
//! are: everything the specification decides before a program runs.
//!
//! The work has two halves. `project` and `declare` turn files into a [`Program`]:
//! modules, their imports, and every declaration with its types resolved. `body` then
//! checks the inside of one definition at a time against the declarations alone, so that
//! a changed body asks for the checking of that body and of nothing else.
//!
//! Nothing here reads the file system: sources come from a `project::Files`.

mod abilities;
pub mod analysis;
mod body;
mod coherence;
mod components;
pub mod declaration;
pub mod declare;
pub mod facts;
pub mod index;
pub mod library;
mod names;
pub mod program;
pub mod project;
pub mod rename;
pub mod types;

pub use abilities::Evidence;
pub use analysis::Analysis;
pub use declaration::*;
pub use facts::*;
pub use program::*;
pub use types::*;
