//! A disk for tests that fails or dies at its n-th operation.
//!
//! It works in a real directory. Until a file is synced only its creation is certain,
//! and until a directory is synced the names that were made or removed in it are not:
//! when the disk dies, what was not synced is undone, or kept, or cut in half,
//! according to [`Loss`].

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use crate::disk::{Disk, Lock, ReadFile, RealDisk, WriteFile};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// This error, once.
    Error(i32),
    /// Only some bytes are written or read, and calls are interrupted, all the time.
    Short,
    /// From here on nothing works.
    Kill(Loss),
}

/// What becomes of that which was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The process died and the system did not.
    Nothing,
    /// Names are kept and contents are empty: a rename that overtook the data.
    Contents,
    /// Contents are cut in half.
    Halves,
    /// Names and contents are as they were.
    Names,
}

pub(crate) const EIO: i32 = 5;
pub(crate) const ENOSPC: i32 = 28;
pub(crate) const EACCES: i32 = 13;
pub(crate) const EROFS: i32 = 30;
pub(crate) const EMFILE: i32 = 24;

#[derive(Debug, Clone)]
pub(crate) struct FaultyDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    fault: Option<(usize, Fault)>,
    /// Operations that change something, so far.
    changes: usize,
    dead: bool,
    /// Files with bytes that were not synced, under the names they have now.
    unsynced: BTreeMap<PathBuf, u64>,
    /// Names that were made, moved or removed and may be undone, oldest first.
    names: Vec<Undo>,
    calls: usize,
}

#[derive(Debug)]
enum Undo {
    Created(PathBuf),
    Renamed {
        from: PathBuf,
        to: PathBuf,
        over: Option<Vec<u8>>,
    },
    Removed(PathBuf, Vec<u8>),
}

impl Undo {
    fn is_in(&self, directory: &Path) -> bool {
        match self {
            Undo::Created(path) | Undo::Removed(path, _) => path.parent() == Some(directory),
            Undo::Renamed { to, .. } => to.parent() == Some(directory),
        }
    }
}

impl FaultyDisk {
    /// A disk with this fault at the `at`-th change.
    pub(crate) fn new(fault: Option<(usize, Fault)>) -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                fault,
                changes: 0,
                dead: false,
                unsynced: BTreeMap::new(),
                names: Vec::new(),
                calls: 0,
            })),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn changes(&self) -> usize {
        self.state().changes
    }

    /// Counts a change, and fails it if it is the one.
    fn change(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        if state.dead {
            return Err(io::Error::other("the process is dead"));
        }
        state.changes += 1;
        match state.fault {
            Some((at, Fault::Error(code))) if at == state.changes => Err(io::Error::from_raw_os_error(code)),
            Some((at, Fault::Kill(loss))) if at == state.changes => {
                state.dead = true;
                state.lose(loss)?;
                Err(io::Error::other("the process dies"))
            }
            _ => Ok(state),
        }
    }

    fn alive(&self) -> io::Result<()> {
        match self.state().dead {
            true => Err(io::Error::other("the process is dead")),
            false => Ok(()),
        }
    }

    /// Whether this call is to be interrupted, and if not, to how many bytes it is cut.
    fn cut(&self, len: usize) -> io::Result<usize> {
        let mut state = self.state();
        state.calls += 1;
        match state.fault {
            Some((_, Fault::Short)) if state.calls.is_multiple_of(3) => {
                Err(io::ErrorKind::Interrupted.into())
            }
            Some((_, Fault::Short)) => Ok(len.min(1 + state.calls % 7)),
            _ => Ok(len),
        }
    }
}

impl State {
    fn lose(&mut self, loss: Loss) -> io::Result<()> {
        if loss == Loss::Nothing {
            return Ok(());
        }
        for (path, len) in &self.unsynced {
            let keep = if loss == Loss::Halves { len / 2 } else { 0 };
            overwrite(path, |bytes| bytes.truncate(keep as usize))?;
        }
        if loss != Loss::Names {
            return Ok(());
        }
        while let Some(undo) = self.names.pop() {
            match undo {
                Undo::Created(path) => fs::remove_file(path)?,
                Undo::Removed(path, bytes) => fs::write(path, bytes)?,
                Undo::Renamed { from, to, over } => {
                    fs::rename(&to, from)?;
                    if let Some(bytes) = over {
                        fs::write(to, bytes)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Published files are not writable, so another one takes the name.
pub(crate) fn overwrite(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
    let mut bytes = fs::read(path)?;
    change(&mut bytes);
    fs::remove_file(path)?;
    fs::write(path, bytes)
}

impl Disk for FaultyDisk {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut state = self.change()?;
        let inner = RealDisk.create_new(path)?;
        state.names.push(Undo::Created(path.to_owned()));
        state.unsynced.insert(path.to_owned(), 0);
        Ok(Box::new(FaultyFile {
            disk: self.clone(),
            path: path.to_owned(),
            inner,
        }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        self.alive()?;
        let inner = RealDisk.open(path)?;
        Ok(Box::new(ShortReads {
            disk: self.clone(),
            inner,
        }))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<String>> {
        self.alive()?;
        RealDisk.list(directory)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.change()?;
        let over = fs::read(to).ok();
        RealDisk.rename(from, to)?;
        if let Some(len) = state.unsynced.remove(from) {
            state.unsynced.insert(to.to_owned(), len);
        }
        state.names.push(Undo::Renamed {
            from: from.to_owned(),
            to: to.to_owned(),
            over,
        });
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.change()?;
        let bytes = fs::read(path)?;
        RealDisk.remove(path)?;
        state.unsynced.remove(path);
        state.names.push(Undo::Removed(path.to_owned(), bytes));
        Ok(())
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        let _state = self.change()?;
        RealDisk.create_dir(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.change()?;
        // A rename makes two names; the one that counts is the new one.
        state.names.retain(|undo| !undo.is_in(path));
        Ok(())
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        let _state = self.change()?;
        RealDisk.try_lock(path)
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        self.alive()?;
        RealDisk.modified(path)
    }

    fn check_dir(&self, path: &Path) -> io::Result<()> {
        self.alive()?;
        RealDisk.check_dir(path)
    }
}

struct FaultyFile {
    disk: FaultyDisk,
    path: PathBuf,
    inner: Box<dyn WriteFile>,
}

impl WriteFile for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.disk.cut(bytes.len())?;
        let mut state = self.disk.change()?;
        let written = self.inner.write(&bytes[..len])?;
        *state.unsynced.entry(self.path.clone()).or_default() += written as u64;
        Ok(written)
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.change()?;
        state.unsynced.remove(&self.path);
        Ok(())
    }
}

#[derive(Debug)]
struct ShortReads {
    disk: FaultyDisk,
    inner: Box<dyn ReadFile>,
}

impl ReadFile for ShortReads {
    fn len(&self) -> io::Result<u64> {
        self.disk.alive()?;
        self.inner.len()
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        self.disk.alive()?;
        let len = self.disk.cut(bytes.len())?;
        self.inner.read_at(&mut bytes[..len], offset)
    }
}
