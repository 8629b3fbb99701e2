//! From files to skeletons: each content is read and parsed once, ever.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use polyglot::{FrontEnd, codec, front_end_for, front_ends, model::Skeleton};
use rayon::prelude::*;
use store::{Hash, Kind, Objects, Store};

use crate::{
    error::{Error, Result},
    progress::{Progress, Stage},
    tree::{Problem, SourceTree, TreeFile},
};

/// Namespace of skeletons in the store's cache.
const SKELETONS: &str = "skeleton";

/// A file whose bytes are in the store or at hand.
pub(crate) struct Source {
    pub path: String,
    pub hash: Hash,
    /// The bytes, if they were read; kept until they are in the store.
    pub bytes: Option<Vec<u8>>,
    pub front_end: Option<&'static dyn FrontEnd>,
}

/// The sources of a tree, and what could not be read.
pub(crate) struct Sources {
    pub files: Vec<Source>,
    pub problems: Vec<Problem>,
    pub read: usize,
}

/// Finds the hash of every file, reading those whose hash is not known or whose
/// bytes the store lacks.
pub(crate) fn sources(
    tree: &dyn SourceTree,
    store: Option<&Store>,
    progress: &dyn Progress,
) -> Result<Sources> {
    let read = AtomicUsize::new(0);
    progress.start(Stage::Read, tree.files().len());
    let load = |file: &TreeFile| -> Result<std::result::Result<Source, Problem>> {
        progress.step();
        let front_end = front_end_for(&file.path);
        let held = match (file.source, store) {
            (Some(hash), Some(store)) if store.contains(Kind::Source, &hash)? => Some(hash),
            _ => None,
        };
        if let Some(hash) = held {
            return Ok(Ok(Source {
                path: file.path.clone(),
                hash,
                bytes: None,
                front_end,
            }));
        }
        read.fetch_add(1, Ordering::Relaxed);
        Ok(match tree.read(file) {
            Ok(bytes) => Ok(Source {
                path: file.path.clone(),
                hash: store::hash(Kind::Source, &bytes),
                bytes: Some(bytes),
                front_end,
            }),
            Err(error) => Err(Problem {
                path: file.path.clone(),
                message: match error {
                    Error::Io { action, source, .. } => format!("cannot {action}: {source}"),
                    error => error.to_string(),
                },
            }),
        })
    };
    let loaded: Vec<_> = tree.files().par_iter().map(load).collect::<Result<_>>()?;
    progress.finish();
    let mut sources = Sources {
        files: Vec::with_capacity(loaded.len()),
        problems: tree.problems().to_vec(),
        read: read.into_inner(),
    };
    for file in loaded {
        match file {
            Ok(source) => sources.files.push(source),
            Err(problem) => sources.problems.push(problem),
        }
    }
    sources.problems.sort();
    Ok(sources)
}

/// The key under which the skeleton of a content is kept: another front end,
/// another version of it or another layout of skeletons is another key.
fn skeleton_key(source: &Hash, front_end: &dyn FrontEnd) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("renyi skeleton key 1");
    hasher.update(source.as_bytes());
    hasher.update(front_end.name().as_bytes());
    hasher.update(&[0]);
    hasher.update(&front_end.version().to_be_bytes());
    hasher.update(&codec::LAYOUT.to_be_bytes());
    Hash(*hasher.finalize().as_bytes())
}

/// The skeleton of every file that a front end reads, in the files' order.
pub(crate) struct Skeletons {
    pub skeletons: Vec<Option<Skeleton>>,
    /// Entries for the store's cache.
    pub fresh: Vec<(Hash, Vec<u8>)>,
    pub problems: Vec<Problem>,
}

pub(crate) fn skeletons(
    sources: &mut [Source],
    store: Option<&Store>,
    progress: &dyn Progress,
) -> Result<Skeletons> {
    progress.start(Stage::Parse, sources.len());
    type Extracted = (Option<Skeleton>, Option<(Hash, Vec<u8>)>, Option<Problem>);
    let extract = |source: &mut Source| -> Result<Extracted> {
        progress.step();
        let Some(front_end) = source.front_end else {
            return Ok((None, None, None));
        };
        let key = skeleton_key(&source.hash, front_end);
        let cached = store.and_then(|store| store.cache().get(SKELETONS, &key));
        if let Some(skeleton) = cached.and_then(|bytes| codec::decode(&bytes)) {
            return Ok((Some(skeleton), None, None));
        }
        let held;
        let bytes = match (&source.bytes, store) {
            (Some(bytes), _) => &bytes[..],
            (None, Some(store)) => {
                held = store
                    .get(Kind::Source, &source.hash)?
                    .map(|object| object.identity);
                held.as_deref().ok_or(store::Error::Missing {
                    kind: Kind::Source,
                    key: source.hash,
                })?
            }
            (None, None) => &[],
        };
        let (text, problem) = as_text(&source.path, bytes);
        let skeleton = front_end.extract(&text);
        let encoded = codec::encode(&skeleton);
        Ok((Some(skeleton), Some((key, encoded)), problem))
    };
    let extracted: Vec<Extracted> = sources.par_iter_mut().map(extract).collect::<Result<_>>()?;
    progress.finish();
    let mut found = Skeletons {
        skeletons: Vec::with_capacity(extracted.len()),
        fresh: Vec::new(),
        problems: Vec::new(),
    };
    for (skeleton, fresh, problem) in extracted {
        found.skeletons.push(skeleton);
        found.fresh.extend(fresh);
        found.problems.extend(problem);
    }
    Ok(found)
}

/// Keeps skeletons for the next run. Losing them loses time and nothing else.
pub(crate) fn keep(store: &Store, fresh: Vec<(Hash, Vec<u8>)>) -> Result<()> {
    if !fresh.is_empty() {
        store.cache().put_batch(
            fresh
                .into_iter()
                .map(|(key, bytes)| (SKELETONS, key, bytes))
                .collect(),
        )?;
    }
    Ok(())
}

/// The bytes as text of the same length, so that offsets stay: a byte that is
/// not UTF-8 becomes `?`. A file with a NUL byte is not text and reads as empty.
pub(crate) fn as_text<'a>(path: &str, bytes: &'a [u8]) -> (Cow<'a, str>, Option<Problem>) {
    let problem = |message: String| {
        Some(Problem {
            path: path.to_owned(),
            message,
        })
    };
    if let Some(at) = bytes.iter().take(8192).position(|&byte| byte == 0) {
        return (
            Cow::Borrowed(""),
            problem(format!("byte {at}: a NUL: the file is not text")),
        );
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), None);
    }
    let mut text = String::with_capacity(bytes.len());
    let mut first = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            first.get_or_insert(text.len());
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
    }
    let at = first.unwrap_or(0);
    (
        Cow::Owned(text),
        problem(format!("byte {at}: not UTF-8; read with `?` in its place")),
    )
}

/// The text of a source file, as its front end reads it.
pub(crate) fn text_of(source: &Source, store: Option<&Store>) -> Result<String> {
    let held;
    let bytes = match (&source.bytes, store) {
        (Some(bytes), _) => &bytes[..],
        (None, Some(store)) => {
            held = store
                .get(Kind::Source, &source.hash)?
                .map(|object| object.identity);
            held.as_deref().ok_or(store::Error::Missing {
                kind: Kind::Source,
                key: source.hash,
            })?
        }
        (None, None) => &[],
    };
    Ok(as_text(&source.path, bytes).0.into_owned())
}

/// A hash of everything a map depends on besides this program: paths, contents
/// and the versions of what reads them.
pub(crate) fn snapshot(files: &[Source], outside: Option<Hash>) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("renyi snapshot 1");
    for (name, version) in versions() {
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        hasher.update(&version.to_be_bytes());
    }
    for file in files {
        hasher.update(&(file.path.len() as u64).to_be_bytes());
        hasher.update(file.path.as_bytes());
        hasher.update(file.hash.as_bytes());
    }
    if let Some(outside) = outside {
        hasher.update(outside.as_bytes());
    }
    Hash(*hasher.finalize().as_bytes())
}

/// Name and version of each front end, and of what builds maps from them.
pub(crate) fn versions() -> Vec<(String, u64)> {
    let front_ends = front_ends()
        .iter()
        .map(|each| (each.name().to_owned(), u64::from(each.version())));
    let mut versions: Vec<_> = front_ends.collect();
    versions.push(("link".to_owned(), u64::from(crate::build::VERSION)));
    versions.sort();
    versions
}

/// Texts of the configuration files, by path.
pub(crate) fn configuration(sources: &[Source], store: Option<&Store>) -> Result<HashMap<String, String>> {
    let mut texts = HashMap::new();
    for source in sources.iter().filter(|source| source.front_end.is_none()) {
        let text = match (&source.bytes, store) {
            (Some(bytes), _) => String::from_utf8_lossy(bytes).into_owned(),
            (None, Some(store)) => match store.get(Kind::Source, &source.hash)? {
                Some(object) => String::from_utf8_lossy(&object.identity).into_owned(),
                None => continue,
            },
            (None, None) => continue,
        };
        texts.insert(source.path.clone(), text);
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_keep_offsets() {
        let (text, problem) = as_text("a.py", b"x = '\xff\xfe'\n");
        assert_eq!(text, "x = '??'\n");
        assert_eq!(
            problem.map(|problem| problem.message).as_deref(),
            Some("byte 5: not UTF-8; read with `?` in its place")
        );
        assert_eq!(as_text("a.py", b"\0").0, "");
    }
}
