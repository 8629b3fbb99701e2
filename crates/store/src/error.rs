//! What can go wrong between a hash and its bytes.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use crate::object::{Hash, Kind};

#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused; what was tried stands in `action`.
    Io {
        path: PathBuf,
        action: &'static str,
        source: io::Error,
    },
    /// A file of the store, or an object, is not what it should be.
    Corrupt {
        path: PathBuf,
        offset: u64,
        expected: String,
        found: String,
    },
    /// The bytes under a key have another hash.
    Mismatch { kind: Kind, expected: Hash, found: Hash },
    /// An object that another one names is not in the store.
    Missing { kind: Kind, key: Hash },
    /// The store was written by a newer version, or needs a feature unknown here.
    Newer {
        path: PathBuf,
        expected: String,
        found: String,
    },
    /// There is no store here.
    NotAStore { path: PathBuf },
    /// The store lies on a disk, or in a directory, that may not be written to.
    ReadOnly { path: PathBuf, source: io::Error },
    /// An object is larger than a pack can hold.
    TooLarge { key: Hash, len: u64, limit: u64 },
    /// A name or a prefix that the store does not take.
    Name {
        what: &'static str,
        name: String,
        expected: &'static str,
    },
    /// A ref is not where an update expected it.
    Moved {
        name: String,
        expected: Option<Hash>,
        found: Option<Hash>,
    },
    /// The bytes of an object are well formed but do not describe an object of its kind.
    Malformed {
        kind: Kind,
        key: Option<Hash>,
        source: crate::cbor::Error,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Error::Io {
            path: path.to_owned(),
            action,
            source,
        }
    }

    /// As [`Error::io`], of a write: a disk that may not be written to is its own kind.
    pub(crate) fn write(path: &Path, action: &'static str, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Error::ReadOnly {
                path: path.to_owned(),
                source,
            },
            _ => Error::io(path, action, source),
        }
    }

    pub(crate) fn corrupt(
        path: &Path,
        offset: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Error::Corrupt {
            path: path.to_owned(),
            offset,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Whether a file was not there, which a compaction elsewhere explains.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

fn or_none(hash: &Option<Hash>) -> String {
    hash.map_or_else(|| "nothing".into(), |hash| hash.to_string())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, action, source } => {
                write!(f, "{}: cannot {action}: {source}", path.display())
            }
            Error::Corrupt {
                path,
                offset,
                expected,
                found,
            } => write!(
                f,
                "{}: byte {offset}: expected {expected}, found {found}",
                path.display()
            ),
            Error::Mismatch {
                kind,
                expected,
                found,
            } => write!(
                f,
                "{} object: expected hash {expected}, found {found}",
                kind.name()
            ),
            Error::Missing { kind, key } => write!(f, "{} object {key} is not in the store", kind.name()),
            Error::Newer {
                path,
                expected,
                found,
            } => write!(
                f,
                "{}: expected {expected}, found {found}: use a newer renyi",
                path.display()
            ),
            Error::NotAStore { path } => write!(f, "{}: there is no store here", path.display()),
            Error::ReadOnly { path, source } => {
                write!(f, "{}: the store cannot be written to: {source}", path.display())
            }
            Error::TooLarge { key, len, limit } => {
                write!(f, "object {key}: expected at most {limit} bytes, found {len}")
            }
            Error::Name { what, name, expected } => {
                write!(f, "{what} `{}`: expected {expected}", name.escape_debug())
            }
            Error::Moved {
                name,
                expected,
                found,
            } => write!(
                f,
                "ref `{}`: expected {}, found {}",
                name.escape_debug(),
                or_none(expected),
                or_none(found)
            ),
            Error::Malformed { kind, key, source } => match key {
                Some(key) => write!(f, "{} object {key}: {source}", kind.name()),
                None => write!(f, "{} object: {source}", kind.name()),
            },
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } | Error::ReadOnly { source, .. } => Some(source),
            Error::Malformed { source, .. } => Some(source),
            _ => None,
        }
    }
}
