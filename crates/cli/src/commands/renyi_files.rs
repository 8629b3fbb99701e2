//! Renyi files on disk: which ones a path means, and from which root their names count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};
use check::project::{Files, MANIFEST, inner_registry};

/// The files below a project root.
pub struct Disk {
    pub root: PathBuf,
}

impl Files for Disk {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.root.join(path)).ok()
    }
}

/// A file to be checked: as it was named, its project root, and its path from there.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub shown: String,
    pub root: PathBuf,
    pub path: String,
}

/// The files that paths mean: a file itself; of a directory every `.ry` and `.renyi` file below
/// it in the order of their paths, folders named `.renyi` apart.
///
/// # Errors
/// A path that does not exist, a file that is no Renyi file, or a directory without any.
pub fn chosen(paths: &[PathBuf]) -> anyhow::Result<Vec<Chosen>> {
    let mut files = Vec::new();
    let mut roots: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
    for path in paths {
        let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_dir() {
            let mut found = Vec::new();
            walk(path, &mut found)?;
            if found.is_empty() {
                bail!(
                    "{}: no .ry or .renyi file is below this directory",
                    path.display()
                );
            }
            found.sort();
            let mut registries: BTreeMap<PathBuf, Option<String>> = BTreeMap::new();
            for file in found {
                let file = placed(&file, path, &mut roots)?;
                let registry = registries.entry(file.root.clone()).or_insert_with(|| {
                    let manifest = fs::read_to_string(file.root.join(MANIFEST)).ok()?;
                    inner_registry(&manifest)
                });
                // Packages are not the project's own modules.
                let packaged = registry.as_ref().is_some_and(|registry| {
                    let rest = file.path.strip_prefix(registry.as_str());
                    rest.is_some_and(|rest| rest.starts_with('/'))
                });
                if !packaged {
                    files.push(file);
                }
            }
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            files.push(placed(path, folder.unwrap_or(Path::new(".")), &mut roots)?);
        }
    }
    Ok(files)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let name = entry.file_name();
            if name != ".renyi" && name != ".git" {
                walk(&path, found)?;
            }
        } else if is_renyi(&path) && !kind.is_symlink() {
            found.push(path);
        }
    }
    Ok(())
}

fn is_renyi(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "ry" || extension == "renyi")
}

/// `fallback` is the root of a file that no manifest stands over.
fn placed(
    file: &Path,
    fallback: &Path,
    roots: &mut BTreeMap<PathBuf, Option<PathBuf>>,
) -> anyhow::Result<Chosen> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let root = match roots.get(folder) {
        Some(root) => root.clone(),
        None => {
            let root = manifest_root(folder);
            roots.insert(folder.to_owned(), root.clone());
            root
        }
    };
    // Without a manifest the name that a file gives its module tells where names begin.
    let root = root
        .or_else(|| header_root(file))
        .unwrap_or_else(|| fallback.to_owned());
    let clean = |path: &Path| -> PathBuf {
        path.components()
            .filter(|part| *part != Component::CurDir)
            .collect()
    };
    let (whole, base) = (clean(file), clean(&root));
    let inner = match whole.strip_prefix(&base) {
        Ok(inner) => inner.to_owned(),
        Err(_) => {
            let whole = file.canonicalize()?;
            let base = root.canonicalize()?;
            let inner = whole.strip_prefix(&base).map(Path::to_owned);
            inner.unwrap_or_else(|_| file.file_name().map(PathBuf::from).unwrap_or_default())
        }
    };
    let Some(path) = inner.to_str() else {
        bail!("{}: a Renyi file's path is UTF-8 text", file.display());
    };
    Ok(Chosen {
        shown: whole.display().to_string(),
        path: path.replace('\\', "/"),
        root,
    })
}

/// The directory from which a file's path, as it was given, spells its module's name.
fn header_root(file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let declared = syntax::parse::header(&text)?;
    let root = check::project::root_for(file.to_str()?, &declared)?;
    Some(PathBuf::from(if root.is_empty() { "." } else { root }))
}

/// The nearest directory with a manifest, at or above this one; a relative path is not
/// followed above the working directory.
fn manifest_root(folder: &Path) -> Option<PathBuf> {
    let start = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let mut current = Some(start);
    while let Some(place) = current {
        let place = if place.as_os_str().is_empty() {
            Path::new(".")
        } else {
            place
        };
        if place.join(MANIFEST).is_file() {
            return Some(place.to_owned());
        }
        if place == Path::new(".") {
            return None;
        }
        current = place.parent();
    }
    None
}
