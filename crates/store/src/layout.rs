//! The directory of a store: where what lies, and the `format` file
//! (store-format/directory.md).
//!
//! A store ignores itself: its `.gitignore` is `*`. The directory given by the caller
//! may be reached through a link; nothing inside it may be one.

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    Error,
    disk::{Disk, read_small, write_all},
};

/// The version of the directory's layout.
const VERSION: &str = "1";
/// What a store may require of its readers, as far as this version knows.
const FEATURES: [&str; 2] = ["operations-1", "packs-1"];
const MAX_FORMAT_LEN: u64 = 4096;

#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) root: PathBuf,
}

impl Layout {
    pub(crate) fn format(&self) -> PathBuf {
        self.root.join("format")
    }

    pub(crate) fn packs(&self) -> PathBuf {
        self.root.join("objects").join("pack")
    }

    pub(crate) fn compaction_lock(&self) -> PathBuf {
        self.root.join("objects").join("compaction.lock")
    }

    pub(crate) fn heads(&self) -> PathBuf {
        self.root.join("ops").join("heads")
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    pub(crate) fn cache_files(&self) -> PathBuf {
        self.root.join("cache").join("files")
    }

    pub(crate) fn cache_lock(&self) -> PathBuf {
        self.root.join("cache").join("compaction.lock")
    }

    /// Every directory, parents before children.
    fn directories(&self) -> [PathBuf; 8] {
        [
            self.root.clone(),
            self.root.join("objects"),
            self.packs(),
            self.root.join("ops"),
            self.heads(),
            self.tmp(),
            self.cache(),
            self.cache_files(),
        ]
    }

    /// A name in tmp/ that no other writer, in this process or another, makes.
    pub(crate) fn tmp_file(&self) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Processes on two machines may share the directory, and a process number.
        let random = RandomState::new().hash_one(number);
        self.tmp()
            .join(format!("{}-{number}-{random:016x}", std::process::id()))
    }

    /// Makes the directories that are missing, and the `format` file last, so that a
    /// store that has one is complete.
    pub(crate) fn create(&self, disk: &dyn Disk) -> Result<(), Error> {
        for directory in self.directories().iter().skip(1) {
            make_dir(disk, directory)?;
        }
        self.write_once(disk, &self.root.join(".gitignore"), b"*\n")?;
        self.write_once(disk, &self.format(), format_text().as_bytes())?;
        let root = &self.root;
        disk.sync_dir(root)
            .map_err(|source| Error::write(root, "sync", source))
    }

    /// Makes directories that an archive may have dropped because they were empty.
    pub(crate) fn restore(&self, disk: &dyn Disk) -> Result<(), Error> {
        for directory in self.directories().iter().skip(1) {
            match disk.check_dir(directory) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => make_dir(disk, directory)?,
                Err(source) => return Err(Error::io(directory, "use", source)),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    fn write_once(&self, disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        match disk.open(path) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::io(path, "open", source)),
        }
        write_and_rename(disk, &self.tmp_file(), path, bytes, true)
    }

    /// Fails unless this is a store that this version can use.
    pub(crate) fn check(&self, disk: &dyn Disk) -> Result<(), Error> {
        let path = self.format();
        let bytes = match read_small(disk, &path, MAX_FORMAT_LEN) {
            Ok(bytes) => bytes,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(Error::NotAStore {
                    path: self.root.clone(),
                });
            }
            Err(source) => return Err(Error::io(&path, "read", source)),
        };
        check_format(&path, &bytes)?;
        for directory in self.directories().iter().skip(1) {
            match disk.check_dir(directory) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::io(directory, "use", error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn make_dir(disk: &dyn Disk, directory: &Path) -> Result<(), Error> {
    disk.create_dir(directory)
        .map_err(|source| Error::write(directory, "create", source))?;
    let parent = directory.parent().expect("a directory inside the store");
    disk.sync_dir(parent)
        .map_err(|source| Error::write(parent, "sync", source))
}

/// Writes a file under a temporary name and renames it into place.
pub(crate) fn write_and_rename(
    disk: &dyn Disk,
    tmp: &Path,
    path: &Path,
    bytes: &[u8],
    durable: bool,
) -> Result<(), Error> {
    let write = || {
        let mut file = disk
            .create_new(tmp)
            .map_err(|source| Error::write(tmp, "create", source))?;
        write_all(&mut *file, bytes).map_err(|source| Error::write(tmp, "write", source))?;
        if durable {
            file.sync().map_err(|source| Error::write(tmp, "sync", source))?;
        }
        disk.rename(tmp, path)
            .map_err(|source| Error::write(path, "rename a file to", source))
    };
    write().inspect_err(|_| drop(disk.remove(tmp)))
}

fn format_text() -> String {
    format!(
        "renyi store {VERSION}\nhash blake3\nrequired {}\noptional\n",
        FEATURES.join(" ")
    )
}

fn check_format(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let newer = |expected: String, found: &str| Error::Newer {
        path: path.to_owned(),
        expected,
        found: found.to_owned(),
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::corrupt(
            path,
            error.valid_up_to() as u64,
            "text",
            "bytes that are not UTF-8",
        )
    })?;
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    match first.strip_prefix("renyi store ") {
        Some(VERSION) => {}
        Some(version) if version.bytes().all(|byte| byte.is_ascii_digit()) && !version.is_empty() => {
            return Err(newer(format!("version {VERSION}"), &format!("version {version}")));
        }
        _ => return Err(Error::corrupt(path, 0, "`renyi store 1`", format!("`{first}`"))),
    }
    let mut offset = first.len() + 1;
    let mut seen = [false; 2];
    for line in lines {
        let mut words = line.split(' ');
        match words.next() {
            Some("hash") => {
                seen[0] = true;
                let hash = words.next().unwrap_or_default();
                if hash != "blake3" {
                    return Err(newer("hash blake3".into(), &format!("hash {hash}")));
                }
            }
            Some("required") => {
                seen[1] = true;
                if let Some(feature) = words.find(|feature| !FEATURES.contains(feature)) {
                    return Err(newer(
                        format!("only the features {}", FEATURES.join(", ")),
                        &format!("feature {feature}"),
                    ));
                }
            }
            Some("optional") => {}
            _ => {
                return Err(Error::corrupt(
                    path,
                    offset as u64,
                    "hash, required or optional",
                    format!("`{line}`"),
                ));
            }
        }
        offset += line.len() + 1;
    }
    if seen != [true; 2] {
        return Err(Error::corrupt(
            path,
            bytes.len() as u64,
            "the lines hash and required",
            "the end",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<(), String> {
        check_format(Path::new("format"), text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_newer_store_is_told_from_a_damaged_one() {
        assert_eq!(checked(&format_text()), Ok(()));
        let newer = |text: &str| checked(text).expect_err("newer").contains("use a newer renyi");
        assert!(newer("renyi store 2\nanything else"));
        assert!(newer("renyi store 1\nhash sha3\nrequired\noptional\n"));
        assert!(newer("renyi store 1\nhash blake3\nrequired packs-1 leases-1\n"));
        assert!(!newer(""));
        assert!(!newer("renyi store 1\n"));
        assert!(!newer("renyi store 1\nhash blake3\nrequired\nunknown\n"));
        assert_eq!(
            checked("renyi store 1\nhash blake3\nrequired\noptional x y\n"),
            Ok(())
        );
    }
}
