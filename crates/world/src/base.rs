//! Bases: everything that names a map (D6 of the requirements: any stored map
//! is a base).
//!
//! A name is tried, in this order, as a saved JSON map, a directory or file, a
//! name in the store, a git revision, and the first digits of a stored map. The
//! prefixes `json:`, `path:`, `ref:`, `git:` and `map:` ask for one of these.

use std::path::{Path, PathBuf};

use store::{Batch, Hash, Kind, Object, Objects};

use crate::{
    error::{Error, Result},
    git::Git,
    progress::Progress,
    saved,
    workspace::{Indexed, Workspace},
};

/// A map and where it came from.
pub struct Base {
    pub map: Hash,
    /// As a person would say it: `HEAD~1 (3f2a91c)`, `working tree`.
    pub label: String,
    /// Short revision, or `unknown`.
    pub revision: String,
    /// Objects of a saved map that the store need not have.
    pub extra: Batch,
    /// What indexing did, when the base had to be indexed.
    pub indexed: Option<Indexed>,
}

/// The fewest digits that name a stored map.
const MIN_DIGITS: usize = 4;

impl Workspace {
    /// Finds the base of a name, indexing it if it is not stored yet.
    ///
    /// # Errors
    /// [`Error::UnknownBase`] with all that was tried, [`Error::AmbiguousBase`],
    /// and whatever keeps the base that the name means from being read.
    pub fn base(&self, name: &str, progress: &dyn Progress) -> Result<Base> {
        if let Some((kind, rest)) = name.split_once(':') {
            let found = match kind {
                "json" => Some(self.saved_base(Path::new(rest))),
                "path" => Some(self.path_base(Path::new(rest), progress)),
                "ref" => Some(
                    self.ref_base(rest)?
                        .ok_or_else(|| unknown(name, vec![format!("the store has no name `{rest}`")])),
                ),
                "git" => Some(self.git_base(rest, progress)),
                "map" => Some(
                    self.map_base(rest)?
                        .ok_or_else(|| unknown(name, vec![format!("no stored map begins with {rest}")])),
                ),
                _ => None,
            };
            if let Some(found) = found {
                return found;
            }
        }
        let path = Path::new(name);
        let is_revision = || self.git().and_then(|git| git.resolve(name)).is_ok();
        if path.exists() && self.git().is_ok_and(Git::is_bare) && is_revision() {
            return self.git_base(name, progress);
        }
        if path.exists() && !name.starts_with(['.', '/']) && is_revision() {
            return Err(Error::AmbiguousBase {
                name: name.to_owned(),
                candidates: vec![format!("path:{name}"), format!("git:{name}")],
            });
        }
        if name.ends_with(".json") && path.is_file() {
            return self.saved_base(path);
        }
        if path.exists() {
            return self.path_base(path, progress);
        }
        if let Some(base) = self.ref_base(name)? {
            return Ok(base);
        }
        let revision = match self.git_base(name, progress) {
            Err(error @ (Error::NotARevision { .. } | Error::NoRepository(_))) => error.to_string(),
            other => return other,
        };
        if let Some(base) = self.map_base(name)? {
            return Ok(base);
        }
        Err(unknown(
            name,
            vec![
                "no such file or directory".to_owned(),
                "the store has no such name".to_owned(),
                revision,
                "no stored map begins so".to_owned(),
            ],
        ))
    }

    /// The working tree as a base.
    ///
    /// # Errors
    /// As [`Workspace::index`].
    pub fn working_tree(&self, progress: &dyn Progress) -> Result<Base> {
        let indexed = self.index(progress)?;
        Ok(Base {
            map: indexed.map,
            label: "working tree".to_owned(),
            revision: "unknown".to_owned(),
            extra: Batch::new(),
            indexed: Some(indexed),
        })
    }

    fn path_base(&self, path: &Path, progress: &dyn Progress) -> Result<Base> {
        let same = |a: &Path, b: &Path| {
            a.canonicalize()
                .ok()
                .is_some_and(|a| b.canonicalize().ok() == Some(a))
        };
        if same(path, self.root()) {
            return self.working_tree(progress);
        }
        if path.is_dir() {
            let other = Workspace::open(path, Some(self.store().root()))?;
            let mut base = other.working_tree(progress)?;
            base.label = path.display().to_string();
            return Ok(base);
        }
        let indexed = self.index_file(path, progress)?;
        Ok(Base {
            map: indexed.map,
            label: path.display().to_string(),
            revision: "unknown".to_owned(),
            extra: Batch::new(),
            indexed: Some(indexed),
        })
    }

    fn saved_base(&self, path: &Path) -> Result<Base> {
        let saved = saved::read(path, self.store())?;
        Ok(Base {
            map: saved.map,
            label: path.display().to_string(),
            revision: saved.revision,
            extra: saved.batch,
            indexed: None,
        })
    }

    fn ref_base(&self, name: &str) -> Result<Option<Base>> {
        let target = self.store().get_ref(name)?;
        Ok(target
            .filter(|target| target.kind == Kind::Map)
            .map(|target| stored(target.key, name)))
    }

    fn git_base(&self, revision: &str, progress: &dyn Progress) -> Result<Base> {
        let commit = self.git()?.resolve(revision)?;
        let indexed = self.index_commit(commit, progress)?;
        let short = commit.to_string()[..10].to_owned();
        let label = if commit.to_string().starts_with(revision) {
            short.clone()
        } else {
            format!("{revision} ({short})")
        };
        Ok(Base {
            map: indexed.map,
            label,
            revision: short,
            extra: Batch::new(),
            indexed: Some(indexed),
        })
    }

    fn map_base(&self, name: &str) -> Result<Option<Base>> {
        let digits = name.strip_prefix("b3:").unwrap_or(name);
        let is_hex = digits.chars().all(|c| c.is_ascii_hexdigit());
        if digits.len() < MIN_DIGITS || digits.len() > 64 || !is_hex {
            return Ok(None);
        }
        let found = self.store().resolve_prefix(&digits.to_lowercase())?;
        let maps: Vec<Hash> = found
            .into_iter()
            .filter(|(kind, _)| *kind == Kind::Map)
            .map(|(_, key)| key)
            .collect();
        match maps[..] {
            [] => Ok(None),
            [map] => Ok(Some(stored(map, &format!("b3:{}", &map.to_hex()[..12])))),
            _ => Err(Error::AmbiguousBase {
                name: name.to_owned(),
                candidates: maps.iter().map(|map| format!("b3:{map}")).collect(),
            }),
        }
    }
}

fn stored(map: Hash, label: &str) -> Base {
    let revision = label
        .strip_prefix("git/")
        .map_or("unknown", |commit| commit.get(..10).unwrap_or(commit));
    Base {
        map,
        label: label.to_owned(),
        revision: revision.to_owned(),
        extra: Batch::new(),
        indexed: None,
    }
}

fn unknown(name: &str, tried: Vec<String>) -> Error {
    Error::UnknownBase {
        name: name.to_owned(),
        tried,
    }
}

/// Objects of a store and of saved maps.
pub struct Overlay<'a> {
    pub store: &'a store::Store,
    pub extra: Vec<&'a Batch>,
}

impl Objects for Overlay<'_> {
    fn get(&self, kind: Kind, key: &Hash) -> std::result::Result<Option<Object>, store::Error> {
        for batch in &self.extra {
            if let Some(object) = batch.get(kind, key)? {
                return Ok(Some(object));
            }
        }
        self.store.get(kind, key)
    }
}

/// The project that a lone source file belongs to: the repository around it; or
/// the nearest directory with a file that says where modules are; or the
/// directory it is in, packages of Python climbed.
pub fn project_of(file: &Path) -> PathBuf {
    let absolute = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let parent = absolute
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_owned);
    if let Some(repository) = parent
        .ancestors()
        .find(|directory| directory.join(".git").exists())
    {
        return repository.to_owned();
    }
    let markers: Vec<&str> = polyglot::front_ends()
        .iter()
        .flat_map(|front_end| front_end.configuration_files())
        .copied()
        .collect();
    let is_marked = |directory: &&Path| markers.iter().any(|marker| directory.join(marker).is_file());
    if let Some(marked) = parent.ancestors().find(is_marked) {
        return marked.to_owned();
    }
    let in_package = |directory: &&Path| directory.join("__init__.py").is_file();
    parent
        .ancestors()
        .find(|directory| !in_package(directory))
        .map_or(parent.clone(), Path::to_owned)
}
