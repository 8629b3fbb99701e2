//! What a language must say about itself.
//!
//! A front end is pure: [`FrontEnd::extract`] sees the bytes of one file and
//! nothing else, [`FrontEnd::layout`] sees paths and the texts of a few
//! configuration files. Broken source is ordinary input: what can be read comes
//! back, together with diagnostics.

use crate::model::{Skeleton, Str};

/// An index into [`Project::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileIndex(pub u32);

pub trait FrontEnd: Sync {
    /// The dialect's name, unique among front ends: part of what a skeleton is
    /// kept under. Dialects that may import each other share a [`FrontEnd::family`].
    fn name(&self) -> &'static str;

    /// The language whose files link with each other (`typescript` for TSX and
    /// JavaScript as well).
    fn family(&self) -> &'static str {
        self.name()
    }

    /// Rises with every change of what `extract` gives.
    fn version(&self) -> u32;

    /// File name endings without the dot, sorted.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether files of this exact name are of the language too.
    fn file_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads one file. Never fails, never panics, on any text.
    fn extract(&self, source: &str) -> Skeleton;

    /// Names of files that say where modules are (`Cargo.toml`, `go.mod`).
    fn configuration_files(&self) -> &'static [&'static str] {
        &[]
    }

    /// How the project's files are modules. Called once per project and family.
    fn layout(&self, project: &Project<'_>) -> Box<dyn Layout>;

    /// The library name that a free name has in this language, if it has one.
    fn builtin(&self, _name: &str) -> Option<String> {
        None
    }

    /// Lines of `capability pattern`: see [`crate::effects`].
    fn effects(&self) -> &'static str {
        ""
    }

    /// Whether one scope may give a type or module and a value the same name.
    fn splits_names(&self) -> bool {
        false
    }

    /// Whether a namespace's exports say what a star import brings, and nothing else.
    fn exports_limit_stars(&self) -> bool {
        false
    }

    /// Whether methods may give a value attributes that its class does not declare:
    /// fields named `(self)name`, looked up after all members.
    fn sets_attributes(&self) -> bool {
        false
    }

    /// What a method that libraries give to many types returns.
    fn library_method(&self, _name: &str) -> LibraryMethod {
        LibraryMethod::Unknown
    }

    /// The qualified library name that stands for what calling a library name
    /// gives, if anything does.
    fn library_result<'n>(&self, qualified: &'n str) -> Option<&'n str> {
        Some(qualified)
    }

    /// The qualified name of a member of a library name.
    fn library_member(&self, qualified: &str, name: &str) -> String {
        format!("{qualified}{}{name}", self.separator())
    }

    /// Names of the members that run when a type is called, so that who calls the
    /// type depends on them too.
    fn constructors(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether nobody outside the project can name what a file defines, whatever
    /// it says.
    fn is_internal(&self, _path: &str) -> bool {
        false
    }

    /// Between a module's name and a definition's, and between the parts of a
    /// library name.
    fn separator(&self) -> &'static str {
        "."
    }
}

/// What a well-known method gives when its receiver's type has none of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryMethod {
    Unknown,
    /// On any value: a value of the same type (`clone`).
    Copy,
    /// On a container: one with the same elements (`iter`).
    Same,
    /// On a container: an element (`unwrap`).
    Element,
    /// On a map: a container of its values.
    Values,
    /// On a map: a container of its entries, each a key and a value.
    Items,
}

/// Where a module specifier leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleTarget {
    /// A file of the project.
    File(FileIndex),
    /// A directory of the project that is a module without a file (a Python
    /// namespace package), by its path.
    Directory(String),
    /// A module that is not of the project, by its qualified name.
    Library(String),
    /// The layout cannot tell.
    Unknown,
}

/// The modules of one family in one project.
pub trait Layout: Send + Sync {
    /// The name people use for the file's module, unique enough to read.
    fn module_name(&self, file: FileIndex) -> String;

    /// Where `specifier`, written in `from`, leads.
    fn resolve(&self, from: FileIndex, specifier: &str) -> ModuleTarget;

    /// The module named `name` directly inside another.
    fn submodule(&self, _of: &ModuleTarget, _name: &str) -> Option<ModuleTarget> {
        None
    }

    /// The file that gives `from` a name without an import (a macro of the crate).
    fn free_name(&self, _from: FileIndex, _name: &str) -> Option<FileIndex> {
        None
    }

    /// Files whose top-level names are one namespace with this file's, itself
    /// included, or empty if the file is alone.
    fn peers(&self, _file: FileIndex) -> &[FileIndex] {
        &[]
    }
}

/// A file as the linker sees it.
pub struct ProjectFile<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    pub front_end: &'static dyn FrontEnd,
    pub skeleton: &'a Skeleton,
}

impl ProjectFile<'_> {
    /// The name the file gives its own module, if it does.
    pub fn declared_module(&self) -> Option<&str> {
        self.skeleton.module.map(|name: Str| self.skeleton.str(name))
    }
}

/// All files of a project, sorted by path, and its configuration files.
pub struct Project<'a> {
    pub files: Vec<ProjectFile<'a>>,
    /// Path and text, sorted by path.
    pub configuration: Vec<(&'a str, &'a str)>,
}

impl Project<'_> {
    pub fn file(&self, index: FileIndex) -> &ProjectFile<'_> {
        &self.files[index.0 as usize]
    }

    /// Finds a file by its exact path.
    pub fn find(&self, path: &str) -> Option<FileIndex> {
        self.files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()
            .map(|at| FileIndex(at as u32))
    }

    /// Indexes of the files of a family.
    pub fn of_family(&self, family: &str) -> impl Iterator<Item = FileIndex> {
        self.files
            .iter()
            .enumerate()
            .filter(move |(_, file)| file.front_end.family() == family)
            .map(|(at, _)| FileIndex(at as u32))
    }
}
