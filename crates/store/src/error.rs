//! What can go wrong between a hash and its bytes.

use std::{fmt, io, path::PathBuf};

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
    /// The bytes of an object are well formed but do not describe an object of its kind.
    Malformed {
        kind: Kind,
        key: Option<Hash>,
        source: crate::cbor::Error,
    },
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
            Error::Io { source, .. } => Some(source),
            Error::Malformed { source, .. } => Some(source),
            _ => None,
        }
    }
}
