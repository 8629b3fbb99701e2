//! Front ends: source text to skeletons, skeletons to a linked project.
//!
//! Every language is one module behind [`FrontEnd`] and a folder of cases. All
//! of it is pure: text in, definitions, references and diagnostics out; no file
//! is opened here. A reference either leads to one definition with certainty,
//! by the language's own scoping, or it stays text.

pub mod builder;
pub mod codec;
mod ecmascript;
pub mod effects;
mod frontend;
mod go;
pub mod link;
pub mod model;
mod python;
pub mod render;
pub mod renyi;
mod rust;
pub mod syntax;

use ecmascript::EcmaScript;
pub use frontend::{FileIndex, FrontEnd, Layout, LibraryMethod, ModuleTarget, Project, ProjectFile};

/// All front ends, sorted by name.
pub fn front_ends() -> &'static [&'static dyn FrontEnd] {
    &[
        &go::Go,
        &EcmaScript::JavaScript,
        &python::Python,
        &renyi::Renyi,
        &rust::Rust,
        &EcmaScript::Tsx,
        &EcmaScript::TypeScript,
    ]
}

/// The front end for a path, by file name or extension.
pub fn front_end_for(path: &str) -> Option<&'static dyn FrontEnd> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    front_ends().iter().copied().find(|front_end| {
        front_end.file_names().contains(&name) || front_end.extensions().contains(&extension)
    })
}
