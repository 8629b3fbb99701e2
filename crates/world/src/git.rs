//! Git revisions, read from the object database without a checkout.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
};

use git2::{ObjectType, Oid, Repository};
use store::Hash;

use crate::{
    error::{Error, Result},
    tree::{MAX_FILE_BYTES, Problem, SourceTree, TreeFile, is_of_project},
};

/// A repository and the part of it that is the project.
pub struct Git {
    repository: Repository,
    /// Path of the project inside the repository, with `/` at its end, or empty.
    prefix: String,
}

impl Git {
    /// The repository that `root` lies in, if any.
    ///
    /// # Errors
    /// A repository that is there but cannot be opened.
    pub fn discover(root: &Path) -> Result<Option<Self>> {
        let repository = match Repository::discover(root) {
            Ok(repository) => repository,
            Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(None),
            Err(source) => {
                return Err(Error::Git {
                    action: "open the repository",
                    source,
                });
            }
        };
        let mut prefix = String::new();
        if let Some(workdir) = repository.workdir() {
            let workdir = workdir.canonicalize().unwrap_or_else(|_| workdir.to_owned());
            let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
            match root.strip_prefix(&workdir) {
                Ok(inside) if inside.as_os_str().is_empty() => {}
                Ok(inside) => prefix = format!("{}/", inside.to_string_lossy()),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(Self { repository, prefix }))
    }

    /// The directory that linked worktrees share: where the store is kept.
    pub fn main_worktree(&self) -> Option<PathBuf> {
        let common = self.repository.commondir();
        match common.file_name() {
            Some(name) if name == ".git" => common.parent().map(Path::to_owned),
            // A bare repository, or a git directory elsewhere.
            _ => Some(common.to_owned()),
        }
    }

    /// Whether the repository has no working tree.
    pub fn is_bare(&self) -> bool {
        self.repository.is_bare()
    }

    /// A name for this worktree, the same whatever the directory is called, so
    /// long as git knows it by that name.
    pub fn worktree_name(&self) -> String {
        if self.repository.is_worktree()
            && let Some(name) = self.repository.path().file_name()
        {
            return format!("{}{}", name.to_string_lossy(), self.suffix());
        }
        format!("main{}", self.suffix())
    }

    fn suffix(&self) -> String {
        match self.prefix.strip_suffix('/') {
            Some(prefix) => format!(":{prefix}"),
            None => String::new(),
        }
    }

    /// Path of the project inside the repository, without `/` at its end.
    pub fn prefix(&self) -> &str {
        self.prefix.strip_suffix('/').unwrap_or("")
    }

    /// Paths, relative to the project, that git tracks.
    pub fn tracked(&self) -> Vec<String> {
        let Ok(index) = self.repository.index() else {
            return Vec::new();
        };
        let path = |entry: git2::IndexEntry| {
            let path = String::from_utf8(entry.path).ok()?;
            path.strip_prefix(&self.prefix).map(str::to_owned)
        };
        index.iter().filter_map(path).collect()
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// [`Error::NotARevision`].
    pub fn resolve(&self, revision: &str) -> Result<Oid> {
        let commit = self
            .repository
            .revparse_single(revision)
            .and_then(|object| object.peel_to_commit());
        match commit {
            Ok(commit) => Ok(commit.id()),
            Err(source) => Err(Error::NotARevision {
                name: revision.to_owned(),
                shallow: self.repository.is_shallow(),
                source,
            }),
        }
    }

    /// Seconds since 1970 at which a commit was made.
    pub fn commit_time(&self, commit: Oid) -> u64 {
        self.repository
            .find_commit(commit)
            .map_or(0, |commit| u64::try_from(commit.time().seconds()).unwrap_or(0))
    }

    /// First line of a commit's message.
    pub fn commit_summary(&self, commit: Oid) -> String {
        let Ok(commit) = self.repository.find_commit(commit) else {
            return String::new();
        };
        commit.summary().ok().flatten().unwrap_or_default().to_owned()
    }

    /// Commits reachable from `from`, newest first, first parents only.
    ///
    /// # Errors
    /// That git cannot walk them.
    pub fn history(&self, from: Oid, limit: usize) -> Result<Vec<Oid>> {
        let walk = || {
            let mut walk = self.repository.revwalk()?;
            walk.push(from)?;
            walk.simplify_first_parent()?;
            walk.take(limit)
                .collect::<std::result::Result<Vec<_>, git2::Error>>()
        };
        walk().map_err(|source| Error::Git {
            action: "walk the history",
            source,
        })
    }

    /// The files of a commit. `known` gives the source hash of blobs seen before.
    ///
    /// # Errors
    /// That the commit's trees cannot be read.
    pub fn tree(&self, commit: Oid, known: impl Fn(Oid) -> Option<Hash>) -> Result<Revision> {
        let failed = |source| Error::Git {
            action: "read a tree",
            source,
        };
        let tree = self
            .repository
            .find_commit(commit)
            .and_then(|commit| commit.tree())
            .map_err(failed)?;
        let mut revision = Revision {
            directory: self.repository.path().to_owned(),
            pool: Mutex::default(),
            files: Vec::new(),
            blobs: Vec::new(),
            problems: Vec::new(),
        };
        let root = match self.prefix() {
            "" => Some(tree),
            prefix => match tree.get_path(Path::new(prefix)) {
                Ok(entry) => entry
                    .to_object(&self.repository)
                    .and_then(|object| object.peel_to_tree())
                    .ok(),
                Err(_) => None,
            },
        };
        let mut pending: Vec<(String, git2::Tree<'_>)> =
            root.into_iter().map(|tree| (String::new(), tree)).collect();
        while let Some((prefix, tree)) = pending.pop() {
            for entry in &tree {
                let Ok(name) = entry.name() else {
                    revision.problems.push(Problem {
                        path: format!("{prefix}{}", String::from_utf8_lossy(entry.name_bytes())),
                        message: "the name is not UTF-8".to_owned(),
                    });
                    continue;
                };
                let path = format!("{prefix}{name}");
                match (entry.kind(), entry.filemode()) {
                    (Some(ObjectType::Tree), _) if !name.starts_with('.') && name != "node_modules" => {
                        let tree = self.repository.find_tree(entry.id()).map_err(failed)?;
                        pending.push((path + "/", tree));
                    }
                    (Some(ObjectType::Blob), mode)
                        if mode & 0o170_000 == 0o100_000 && is_of_project(&path) =>
                    {
                        revision.files.push(TreeFile {
                            path,
                            source: known(entry.id()),
                            handle: revision.blobs.len(),
                        });
                        revision.blobs.push(entry.id());
                    }
                    _ => {}
                }
            }
        }
        revision.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(revision)
    }
}

/// The files of one commit.
pub struct Revision {
    directory: PathBuf,
    /// Repositories opened for reading: one is used by one thread at a time.
    pool: Mutex<Vec<Repository>>,
    files: Vec<TreeFile>,
    blobs: Vec<Oid>,
    problems: Vec<Problem>,
}

impl Revision {
    /// The blob of a file.
    pub fn blob(&self, file: &TreeFile) -> Oid {
        self.blobs[file.handle]
    }
}

impl SourceTree for Revision {
    fn files(&self) -> &[TreeFile] {
        &self.files
    }

    fn read(&self, file: &TreeFile) -> Result<Vec<u8>> {
        let failed = |source| Error::Git {
            action: "read a blob",
            source,
        };
        let pooled = self.pool.lock().expect("no reader panics").pop();
        let repository = match pooled {
            Some(repository) => repository,
            None => Repository::open(&self.directory).map_err(failed)?,
        };
        let blob = repository.find_blob(self.blob(file)).map_err(failed)?;
        let bytes = if blob.size() as u64 > MAX_FILE_BYTES {
            Err(Error::Io {
                path: file.path.clone().into(),
                action: "read",
                source: std::io::Error::other(format!(
                    "{} bytes long: files over {MAX_FILE_BYTES} are not read",
                    blob.size()
                )),
            })
        } else {
            Ok(blob.content().to_owned())
        };
        drop(blob);
        self.pool.lock().expect("no reader panics").push(repository);
        bytes
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
