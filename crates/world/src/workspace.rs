//! A project with its store: index it, find bases, publish maps.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use git2::Oid;
use map::manifest::{MapReader, MapRoot, build_tree};
use store::{Batch, Hash, Kind, Objects, RefUpdate, Store, Target};

use check::project::LOCK;

use crate::{
    build::{self, Built},
    catalog::Leaves,
    directory::{Directory, StatCache},
    error::{Error, Result},
    git::{Git, Revision},
    load,
    progress::{Progress, Stage},
    renyi::Outside,
    tree::{Problem, SourceTree},
};

/// Namespaces of the store's cache.
const MAPS: &str = "map";
const BLOBS: &str = "git-blob";

/// Name of the store's directory.
pub const STORE: &str = ".renyi";

/// Revisions of a history that are published together. More make better packs;
/// fewer lose less work when the run is ended.
const REVISIONS_PER_COMMIT: usize = 32;

/// A project on disk and the store its maps are in.
pub struct Workspace {
    root: PathBuf,
    git: Option<Git>,
    store: Store,
}

/// What indexing did.
#[derive(Debug)]
pub struct Indexed {
    pub map: Hash,
    pub root: MapRoot,
    /// The commit, when a revision was indexed.
    pub revision: Option<Oid>,
    /// The name that now leads to the map; `None` if nothing was published.
    pub name: Option<String>,
    /// Files of the project, and how many of them were read.
    pub files: usize,
    pub read: usize,
    /// Objects and bytes that were new to the store.
    pub objects_written: usize,
    pub bytes_written: u64,
    /// What could not be read: the map is partial.
    pub problems: Vec<Problem>,
    /// What went wrong without harm to the map, such as a cache that cannot be
    /// written.
    pub warnings: Vec<String>,
}

/// A map made or found, not yet published.
struct Made {
    map: Hash,
    root: MapRoot,
    batch: Batch,
    files: usize,
    read: usize,
    problems: Vec<Problem>,
    warnings: Vec<String>,
}

impl Workspace {
    /// Opens the project in a directory. The store is the one given, or
    /// `.renyi/` beside the main worktree's `.git`, or in the directory itself;
    /// it is made if it is not there.
    ///
    /// # Errors
    /// [`Error::NotADirectory`], a repository or a store that cannot be opened.
    pub fn open(root: &Path, store: Option<&Path>) -> Result<Self> {
        let metadata = std::fs::metadata(root).map_err(|source| Error::Io {
            path: root.to_owned(),
            action: "read",
            source,
        })?;
        if !metadata.is_dir() {
            return Err(Error::NotADirectory(root.to_owned()));
        }
        let git = Git::discover(root)?;
        let place = match store {
            Some(store) => store.to_owned(),
            None => store_of(root)?,
        };
        Ok(Self {
            root: root.to_owned(),
            git,
            store: Store::create_or_open(&place)?,
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The repository.
    ///
    /// # Errors
    /// [`Error::NoRepository`].
    pub fn git(&self) -> Result<&Git> {
        self.git
            .as_ref()
            .ok_or_else(|| Error::NoRepository(self.root.clone()))
    }

    /// Indexes the working tree and publishes its map as `worktrees/<name>`.
    ///
    /// # Errors
    /// What keeps the tree from being listed or the store from being written;
    /// single files that cannot be read are problems of the result.
    pub fn index(&self, progress: &dyn Progress) -> Result<Indexed> {
        if self.git.as_ref().is_some_and(Git::is_bare) {
            return Err(Error::Bare(self.root.clone()));
        }
        let cache_name = self.stat_cache_name();
        let cache = self
            .store
            .cache()
            .file(&cache_name)
            .map(|bytes| StatCache::decode(&bytes))
            .unwrap_or_default();
        let tracked = self.git.as_ref().map(Git::tracked).unwrap_or_default();
        let tree = Directory::scan(&self.root, &tracked, self.git.is_some(), &cache)?;
        let (mut made, hashes) = self.make(&tree, progress)?;
        let known: HashMap<&str, Hash> = hashes.iter().map(|(path, hash)| (path.as_str(), *hash)).collect();
        let stats = tree.encode_cache(&known);
        let unchanged = self
            .store
            .cache()
            .file(&cache_name)
            .is_some_and(|before| *before == *stats);
        if !unchanged && let Err(error) = self.store.cache().put_file(&cache_name, &stats) {
            made.warnings
                .push(format!("the next run reads every file again: {error}"));
        }
        let name = match &self.git {
            Some(git) => format!("worktrees/{}", git.worktree_name()),
            None => "worktrees/main".to_owned(),
        };
        let update = RefUpdate::set(&name, target(made.map), now(), "index");
        self.publish(made, None, &name, &update)
    }

    /// Indexes one file with all that it refers to, directly or not: the map has
    /// a leaf for each file concerned, the same objects as in the project's map.
    ///
    /// # Errors
    /// As [`Workspace::index`], and a file that the project does not have.
    pub fn index_file(&self, file: &Path, progress: &dyn Progress) -> Result<Indexed> {
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (file, root) = (absolute(file), absolute(&self.root));
        let relative = file
            .strip_prefix(&root)
            .ok()
            .and_then(Path::to_str)
            .map(|path| path.replace('\\', "/"));
        let mut whole = self.index(progress)?;
        let not_indexed = || Error::NotASource(file.clone());
        let relative = relative.ok_or_else(not_indexed)?;
        let reader = MapReader::open(&self.store, &whole.map)?;
        let leaves = reader.leaves()?;
        let stored = Leaves::read(&self.store, &whole.map)?;
        let catalog = stored.catalog()?;
        let mut by_module: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, leaf) in catalog.leaves().iter().enumerate() {
            by_module.entry(&leaf.module).or_default().push(at);
        }
        let start = catalog
            .leaves()
            .iter()
            .position(|leaf| leaf.path == relative)
            .ok_or_else(not_indexed)?;
        let mut wanted = BTreeSet::from([start]);
        let mut pending = vec![start];
        while let Some(at) = pending.pop() {
            for target in &catalog.leaves()[at].targets {
                for &next in by_module.get(&*target.module).into_iter().flatten() {
                    let defines = catalog.leaves()[next].entry(&target.name).is_some();
                    if defines && wanted.insert(next) {
                        pending.push(next);
                    }
                }
            }
        }
        let mut batch = Batch::new();
        let root = MapRoot {
            extractors: whole.root.extractors.clone(),
            tree: build_tree(wanted.iter().map(|&at| leaves[at].clone()), &mut batch),
        };
        whole.map = root.put(&mut batch);
        whole.root = root;
        let name = format!("files/{relative}");
        let update = RefUpdate::set(&name, target(whole.map), now(), "index a file");
        let commit = self.store.commit(&batch, &update)?;
        whole.name = Some(name);
        whole.objects_written += commit.objects_written;
        whole.bytes_written += commit.bytes_written;
        Ok(whole)
    }

    /// Indexes a revision and publishes its map as `git/<commit>`. A revision
    /// indexed before, by this version, is only looked up.
    ///
    /// # Errors
    /// As [`Workspace::index`], and [`Error::NotARevision`].
    pub fn index_revision(&self, revision: &str, progress: &dyn Progress) -> Result<Indexed> {
        let commit = self.git()?.resolve(revision)?;
        self.index_commit(commit, progress)
    }

    pub(crate) fn index_commit(&self, commit: Oid, progress: &dyn Progress) -> Result<Indexed> {
        let name = self.revision_name(commit)?;
        if let Some(made) = self.published(&name)? {
            return Ok(made.indexed(Some(commit), None, &store::Commit::default()));
        }
        let (made, _) = self.make_commit(commit, progress)?;
        let time = self.git()?.commit_time(commit);
        let update = RefUpdate::set(&name, target(made.map), time, "index a revision");
        self.publish(made, Some(commit), &name, &update)
    }

    /// Indexes commits in the order given, publishing several at a time. Those
    /// indexed before are skipped.
    ///
    /// # Errors
    /// As [`Workspace::index_revision`]; what was published before stays.
    pub fn index_history(&self, commits: &[Oid], progress: &dyn Progress) -> Result<Vec<Indexed>> {
        progress.start(Stage::Revisions, commits.len());
        let mut all = Vec::new();
        for group in commits.chunks(REVISIONS_PER_COMMIT) {
            let mut batch = Batch::new();
            let mut update = RefUpdate {
                description: "index a history".to_owned(),
                ..RefUpdate::default()
            };
            for &commit in group {
                progress.step();
                let name = self.revision_name(commit)?;
                if let Some(made) = self.published(&name)? {
                    all.push(made.indexed(Some(commit), None, &store::Commit::default()));
                    continue;
                }
                let (mut made, _) = self.make_commit(commit, &crate::Silent)?;
                for (key, object) in std::mem::take(&mut made.batch).iter() {
                    batch.put_object(*key, object.clone());
                }
                update.refs.insert(name.clone(), Some(target(made.map)));
                update.time = update.time.max(self.git()?.commit_time(commit));
                all.push(made.indexed(Some(commit), Some(name), &store::Commit::default()));
            }
            let commit = self.store.commit(&batch, &update)?;
            if let Some(last) = all.last_mut() {
                last.objects_written += commit.objects_written;
                last.bytes_written += commit.bytes_written;
            }
        }
        // Versions of one file lie in several packs now; together they take half.
        if commits.len() > REVISIONS_PER_COMMIT
            && let Err(error) = self.store.compact()
            && let Some(last) = all.last_mut()
        {
            last.warnings.push(format!("packs were not merged: {error}"));
        }
        progress.finish();
        Ok(all)
    }

    /// The map under a name, if this version of renyi made it.
    fn published(&self, name: &str) -> Result<Option<Made>> {
        let Some(found) = self.store.get_ref(name)? else {
            return Ok(None);
        };
        let Some(root) = self.map_root(&found.key)? else {
            return Ok(None);
        };
        Ok((root.extractors == load::versions()).then(|| Made {
            map: found.key,
            files: root.tree.counts.modules as usize,
            root,
            batch: Batch::new(),
            read: 0,
            problems: Vec::new(),
            warnings: Vec::new(),
        }))
    }

    fn map_root(&self, map: &Hash) -> Result<Option<MapRoot>> {
        let Some(object) = self.store.get(Kind::Map, map)? else {
            return Ok(None);
        };
        Ok(Some(MapRoot::decode(&object.identity)?))
    }

    fn make_commit(&self, commit: Oid, progress: &dyn Progress) -> Result<(Made, Vec<(String, Hash)>)> {
        let cache = self.store.cache();
        let known = |blob: Oid| Some(Hash(cache.get(BLOBS, &blob_key(blob))?.as_ref().try_into().ok()?));
        let tree = self.git()?.tree(commit, known)?;
        let (mut made, hashes) = self.make(&tree, progress)?;
        if let Err(error) = self.keep_blobs(&tree, &hashes) {
            made.warnings.push(format!(
                "blobs of this revision are read again next time: {error}"
            ));
        }
        Ok((made, hashes))
    }

    /// Remembers the source hash of each blob that was read.
    fn keep_blobs(&self, tree: &Revision, hashes: &[(String, Hash)]) -> Result<()> {
        let by_path: HashMap<&str, Hash> = hashes.iter().map(|(path, hash)| (path.as_str(), *hash)).collect();
        let fresh = tree
            .files()
            .iter()
            .filter(|file| file.source.is_none())
            .filter_map(|file| {
                let hash = by_path.get(file.path.as_str())?;
                Some((BLOBS, blob_key(tree.blob(file)), hash.as_bytes().to_vec()))
            });
        let fresh: Vec<_> = fresh.collect();
        if !fresh.is_empty() {
            self.store.cache().put_batch(fresh)?;
        }
        Ok(())
    }

    /// The map of a tree, and the hash of each of its files.
    fn make(&self, tree: &dyn SourceTree, progress: &dyn Progress) -> Result<(Made, Vec<(String, Hash)>)> {
        let mut sources = load::sources(tree, Some(&self.store), progress)?;
        let hashes = sources
            .files
            .iter()
            .map(|file| (file.path.clone(), file.hash))
            .collect();
        let outside = self.outside(&sources.files)?;
        let snapshot = load::snapshot(&sources.files, outside.hash());
        let (files, read) = (sources.files.len(), sources.read);
        let mut warnings = Vec::new();
        // A partial map is made again, so that its problems are told again.
        if let Some(map) = self.cached_map(&snapshot)
            && let Some(root) = self.map_root(&map)?
        {
            let made = Made {
                map,
                root,
                batch: Batch::new(),
                files,
                read,
                problems: sources.problems,
                warnings,
            };
            return Ok((made, hashes));
        }
        let loaded = load::skeletons(&mut sources.files, Some(&self.store), progress)?;
        let partial = !loaded.problems.is_empty();
        let Built { map, root, batch } = build::build(
            sources.files,
            loaded.skeletons,
            Some(&self.store),
            &outside,
            progress,
        )?;
        if let Err(error) = load::keep(&self.store, loaded.fresh) {
            warnings.push(format!("the next run parses these files again: {error}"));
        }
        if !partial {
            let kept = self
                .store
                .cache()
                .put_batch(vec![(MAPS, snapshot, map.as_bytes().to_vec())]);
            if let Err(error) = kept {
                warnings.push(format!("the next run builds this map again: {error}"));
            }
        }
        sources.problems.extend(loaded.problems);
        sources.problems.sort();
        let made = Made {
            map,
            root,
            batch,
            files,
            read,
            problems: sources.problems,
            warnings,
        };
        Ok((made, hashes))
    }

    /// Packages that locks among these files ask for.
    fn outside(&self, files: &[load::Source]) -> Result<Outside> {
        if !files.iter().any(|file| file.path.ends_with(LOCK)) {
            return Ok(Outside::default());
        }
        let texts = load::configuration(files, Some(&self.store))?;
        let told = texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        Ok(Outside::gather(&self.root, told))
    }

    fn cached_map(&self, snapshot: &Hash) -> Option<Hash> {
        Some(Hash(
            self.store.cache().get(MAPS, snapshot)?.as_ref().try_into().ok()?,
        ))
    }

    fn publish(&self, made: Made, revision: Option<Oid>, name: &str, update: &RefUpdate) -> Result<Indexed> {
        let commit = self.store.commit(&made.batch, update)?;
        let mut indexed = made.indexed(revision, Some(name.to_owned()), &commit);
        if let Some(error) = commit.compaction_error {
            indexed.warnings.push(format!("packs were not merged: {error}"));
        }
        Ok(indexed)
    }

    /// The commits of `from..to` (or all up to `to`), first parents only, oldest
    /// first, at most `limit` of the newest.
    ///
    /// # Errors
    /// [`Error::NotARevision`].
    pub fn history(&self, from: Option<&str>, to: &str, limit: usize) -> Result<Vec<Oid>> {
        let git = self.git()?;
        let until = from.map(|from| git.resolve(from)).transpose()?;
        let mut commits = git.history(git.resolve(to)?, limit)?;
        if let Some(at) = commits.iter().position(|&commit| Some(commit) == until) {
            commits.truncate(at);
        }
        commits.reverse();
        Ok(commits)
    }

    /// The map of a commit, if it is stored.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn stored_revision(&self, commit: Oid) -> Result<Option<Hash>> {
        let name = self.revision_name(commit)?;
        Ok(self.store.get_ref(&name)?.map(|target| target.key))
    }

    /// Name under which a commit's map is published.
    fn revision_name(&self, commit: Oid) -> Result<String> {
        Ok(match self.git()?.prefix() {
            "" => format!("git/{commit}"),
            prefix => format!("git/{commit}:{prefix}"),
        })
    }

    fn stat_cache_name(&self) -> String {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let name = blake3::derive_key("renyi stat cache name 1", root.as_os_str().as_encoded_bytes());
        format!("stat-{}", &Hash(name).to_hex()[..32])
    }
}

impl Made {
    fn indexed(self, revision: Option<Oid>, name: Option<String>, commit: &store::Commit) -> Indexed {
        Indexed {
            map: self.map,
            root: self.root,
            revision,
            name,
            files: self.files,
            read: self.read,
            objects_written: commit.objects_written,
            bytes_written: commit.bytes_written,
            problems: self.problems,
            warnings: self.warnings,
        }
    }
}

fn target(map: Hash) -> Target {
    Target {
        kind: Kind::Map,
        key: map,
    }
}

/// The key under which a blob's source hash is kept.
fn blob_key(blob: Oid) -> Hash {
    Hash(blake3::derive_key("renyi git blob key 1", blob.as_bytes()))
}

/// Seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Where the store of the project in a directory is.
///
/// # Errors
/// A repository that cannot be opened.
pub fn store_of(root: &Path) -> Result<PathBuf> {
    let git = Git::discover(root)?;
    Ok(git
        .as_ref()
        .and_then(Git::main_worktree)
        .unwrap_or_else(|| root.to_owned())
        .join(STORE))
}
