//! What can go wrong between a project and its map.

use std::{fmt, io, path::PathBuf};

#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    Io {
        path: PathBuf,
        action: &'static str,
        source: io::Error,
    },
    NotADirectory(PathBuf),
    /// A file that no front end reads, or that the project leaves out.
    NotASource(PathBuf),
    /// No base of any kind has this name; what was tried, in order.
    UnknownBase {
        name: String,
        tried: Vec<String>,
    },
    /// Several stored maps begin with these digits, or a file and a revision have
    /// this name.
    AmbiguousBase {
        name: String,
        candidates: Vec<String>,
    },
    NotARevision {
        name: String,
        /// The clone lacks history, so the revision may exist elsewhere.
        shallow: bool,
        source: git2::Error,
    },
    NoRepository(PathBuf),
    /// A bare repository has revisions and no working tree.
    Bare(PathBuf),
    Git {
        action: &'static str,
        source: git2::Error,
    },
    SavedMap {
        path: PathBuf,
        message: String,
    },
    Store(store::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, action, source } => write!(f, "{}: cannot {action}: {source}", path.display()),
            Error::NotADirectory(path) => {
                write!(f, "{}: expected a directory or a source file", path.display())
            }
            Error::NotASource(path) => {
                write!(
                    f,
                    "{}: expected a source file of the project, in a language that is read",
                    path.display()
                )
            }
            Error::UnknownBase { name, tried } => {
                write!(f, "`{name}` is not a base: {}", tried.join("; "))
            }
            Error::AmbiguousBase { name, candidates } => {
                write!(f, "`{name}` may mean several bases: {}", candidates.join(", "))
            }
            Error::NotARevision {
                name,
                shallow,
                source,
            } => {
                write!(f, "`{name}` is not a revision here: {}", source.message())?;
                if *shallow {
                    write!(
                        f,
                        " (this clone is shallow: fetch more history to reach older revisions)"
                    )?;
                }
                Ok(())
            }
            Error::NoRepository(path) => {
                write!(
                    f,
                    "{}: no git repository here or above, so no revisions",
                    path.display()
                )
            }
            Error::Bare(path) => write!(
                f,
                "{}: a bare repository has no working tree: name a revision with --rev",
                path.display()
            ),
            Error::Git { action, source } => write!(f, "git: cannot {action}: {}", source.message()),
            Error::SavedMap { path, message } => write!(f, "{}: {message}", path.display()),
            Error::Store(source) => source.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            // What git says is part of the message; its class and code help nobody.
            Error::Store(source) => Some(source),
            _ => None,
        }
    }
}

impl From<store::Error> for Error {
    fn from(source: store::Error) -> Self {
        Error::Store(source)
    }
}

pub type Result<T> = std::result::Result<T, Error>;
