//! A working tree, and the cache of what its files' stat data said.
//!
//! The cache spares reading a file whose size, times and inode are as they were.
//! A file touched within [`RACY`] of the scan is read again the next time, since
//! a later write could leave the same times. Content wins: the cache is asked
//! for a hash, never for a decision that cannot be checked.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ignore::WalkBuilder;
use store::Hash;

use crate::{
    error::{Error, Result},
    tree::{MAX_FILE_BYTES, Problem, SourceTree, TreeFile, is_of_project},
};

/// Coarsest time stamps of file systems in use (FAT).
const RACY: Duration = Duration::from_secs(2);

/// Layout of the stat cache.
const VERSION: u8 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Stat {
    fn of(metadata: &fs::Metadata) -> Self {
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

/// What stat said of each file when its hash was last taken.
#[derive(Debug, Default)]
pub struct StatCache {
    files: HashMap<String, (Stat, Hash)>,
}

impl StatCache {
    /// Reads what [`StatCache::encode`] wrote; empty for any other bytes.
    pub fn decode(bytes: &[u8]) -> Self {
        Self::decode_checked(bytes).unwrap_or_default()
    }

    fn decode_checked(mut bytes: &[u8]) -> Option<Self> {
        fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
            let (taken, rest) = bytes.split_at_checked(len)?;
            *bytes = rest;
            Some(taken)
        }
        let mut files = HashMap::new();
        if take(&mut bytes, 1)? != [VERSION] {
            return None;
        }
        while !bytes.is_empty() {
            let len = u32::from_be_bytes(take(&mut bytes, 4)?.try_into().ok()?);
            let path = std::str::from_utf8(take(&mut bytes, len as usize)?).ok()?;
            let mut int =
                |len| take(&mut bytes, len).map(|raw| raw.iter().fold(0u128, |n, &b| n << 8 | u128::from(b)));
            let stat = Stat {
                size: int(8)? as u64,
                modified: int(16)? as i128,
                changed: int(16)? as i128,
                inode: int(8)? as u64,
            };
            let hash = Hash(take(&mut bytes, 32)?.try_into().ok()?);
            files.insert(path.to_owned(), (stat, hash));
        }
        Some(Self { files })
    }
}

/// A scanned directory.
#[derive(Debug)]
pub struct Directory {
    root: PathBuf,
    files: Vec<TreeFile>,
    stats: Vec<Stat>,
    problems: Vec<Problem>,
    scanned: i128,
}

impl Directory {
    /// Lists the files of `root`. `tracked` are paths that belong to the project
    /// whatever the ignore files say (git lists them). `ignored` are absolute
    /// paths never entered (the store).
    ///
    /// # Errors
    /// [`Error::NotADirectory`], or that the root cannot be listed. What cannot
    /// be read below it is a problem of the tree.
    pub fn scan(root: &Path, tracked: &[String], in_repository: bool, cache: &StatCache) -> Result<Self> {
        let metadata = fs::metadata(root).map_err(|source| Error::Io {
            path: root.to_owned(),
            action: "read",
            source,
        })?;
        if !metadata.is_dir() {
            return Err(Error::NotADirectory(root.to_owned()));
        }
        let mut scan = Self {
            root: root.to_owned(),
            files: Vec::new(),
            stats: Vec::new(),
            problems: Vec::new(),
            scanned: now(),
        };
        let mut found: Vec<(String, Stat)> = Vec::new();
        let walk = WalkBuilder::new(root)
            .hidden(true)
            .follow_links(false)
            .ignore(false)
            .git_global(false)
            .git_exclude(true)
            .parents(in_repository)
            .require_git(false)
            // A repository inside the repository (a submodule) is a project of its own,
            // as it is to a revision.
            .filter_entry(|entry| {
                entry.file_name() != "node_modules"
                    && (entry.depth() == 0 || !entry.path().join(".git").exists())
            })
            .build();
        for entry in walk {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    scan.add(entry.path(), &mut found);
                }
                Ok(_) => {}
                Err(error) => scan.problems.push(walk_problem(root, &error)),
            }
        }
        for path in tracked {
            if is_of_project(path) {
                scan.add(&root.join(path), &mut found);
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found.dedup_by(|a, b| a.0 == b.0);
        for (path, stat) in found {
            if stat.size > MAX_FILE_BYTES {
                let message = format!(
                    "{} bytes long: files over {MAX_FILE_BYTES} are not read",
                    stat.size
                );
                scan.problems.push(Problem { path, message });
                continue;
            }
            let known = cache.files.get(&path).filter(|(before, _)| *before == stat);
            scan.files.push(TreeFile {
                source: known.map(|&(_, hash)| hash),
                handle: scan.stats.len(),
                path,
            });
            scan.stats.push(stat);
        }
        scan.problems.sort();
        Ok(scan)
    }

    fn add(&mut self, path: &Path, found: &mut Vec<(String, Stat)>) {
        let Ok(relative) = path.strip_prefix(&self.root) else {
            return;
        };
        let Some(text) = relative.to_str() else {
            self.problems.push(Problem {
                path: relative.to_string_lossy().into_owned(),
                message: "the name is not UTF-8".to_owned(),
            });
            return;
        };
        let text = text.replace(std::path::MAIN_SEPARATOR, "/");
        if !is_of_project(&text) {
            return;
        }
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => found.push((text, Stat::of(&metadata))),
            // A link, or gone since it was listed.
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => self.problems.push(Problem {
                path: text,
                message: error.to_string(),
            }),
        }
    }

    /// The bytes of the cache for the next scan, given the hash of each file
    /// that was read or known.
    pub fn encode_cache(&self, hashes: &HashMap<&str, Hash>) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        let settled = self.scanned - RACY.as_nanos() as i128;
        for file in &self.files {
            let stat = self.stats[file.handle];
            let Some(hash) = hashes.get(file.path.as_str()) else {
                continue;
            };
            if stat.modified >= settled || stat.changed >= settled {
                continue;
            }
            bytes.extend((file.path.len() as u32).to_be_bytes());
            bytes.extend(file.path.as_bytes());
            bytes.extend(stat.size.to_be_bytes());
            bytes.extend(stat.modified.to_be_bytes());
            bytes.extend(stat.changed.to_be_bytes());
            bytes.extend(stat.inode.to_be_bytes());
            bytes.extend(hash.as_bytes());
        }
        bytes
    }
}

impl SourceTree for Directory {
    fn files(&self) -> &[TreeFile] {
        &self.files
    }

    fn read(&self, file: &TreeFile) -> Result<Vec<u8>> {
        let path = self.root.join(&file.path);
        fs::read(&path).map_err(|source| Error::Io {
            path,
            action: "read",
            source,
        })
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

fn now() -> i128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as i128)
}

fn walk_problem(root: &Path, error: &ignore::Error) -> Problem {
    let mut inner = error;
    let mut path = String::new();
    loop {
        match inner {
            ignore::Error::WithPath { path: at, err } => {
                path = at.strip_prefix(root).unwrap_or(at).to_string_lossy().into_owned();
                inner = err;
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => inner = err,
            _ => break,
        }
    }
    Problem {
        path,
        message: inner.to_string(),
    }
}
