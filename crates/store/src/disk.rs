//! The operations on files that the store needs, as a seam: the real disk here,
//! and in tests one that fails or dies at its n-th operation.
//!
//! A file is opened only if it is a regular file: a symbolic link or a FIFO in its
//! place is refused, so a store that somebody else may write to cannot send a
//! reader or a writer elsewhere. Reading is positioned (`pread`), never mapped: a
//! truncated file is then an error and not a signal.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    time::SystemTime,
};

pub(crate) trait Disk: fmt::Debug + Send + Sync {
    /// Creates a file that must not exist, with the permissions of a published file.
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;
    /// Opens a regular file for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>>;
    /// The names in a directory, sorted, those that are not UTF-8 left out.
    fn list(&self, directory: &Path) -> io::Result<Vec<String>>;
    /// Renames a file, over an existing one if need be.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Creates a directory; one that exists is fine, anything else is refused.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Takes an advisory lock that ends with the process, or `None` if it is held.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Lock>>;
    /// When a file was last written, by the clock of its disk.
    fn modified(&self, path: &Path) -> io::Result<SystemTime>;
    /// Fails if something other than a directory stands at this path.
    fn check_dir(&self, path: &Path) -> io::Result<()>;
}

pub(crate) trait WriteFile: Send {
    /// As [`io::Write::write`]: may write less, may be interrupted.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Makes content and length durable.
    fn sync(&mut self) -> io::Result<()>;
}

pub(crate) trait ReadFile: fmt::Debug + Send + Sync {
    fn len(&self) -> io::Result<u64>;
    /// As `pread`: may read less, may be interrupted.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// An advisory lock, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Writes all bytes, through interruptions and short writes.
pub(crate) fn write_all(file: &mut dyn WriteFile, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Fills the buffer from an offset; the end of the file before that is an error.
pub(crate) fn read_exact_at(file: &dyn ReadFile, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.read_at(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The whole of a file that is at most `limit` bytes long.
pub(crate) fn read_small(disk: &dyn Disk, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = disk.open(path)?;
    let len = file.len()?;
    if len > limit {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("is {len} bytes long, more than the {limit} allowed"),
        ));
    }
    let mut bytes = vec![0; len as usize];
    read_exact_at(&*file, &mut bytes, 0)?;
    Ok(bytes)
}

/// What stands in place of a regular file or a directory.
pub(crate) fn is_out_of_place(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput || error.kind() == io::ErrorKind::NotADirectory
}

#[derive(Debug)]
pub(crate) struct RealDisk;

/// `open` flags that std does not name, by platform: O_NOFOLLOW, so that a link put
/// in place after the check is still refused, and O_NONBLOCK, so that a FIFO does not
/// block. Elsewhere the check before opening stands alone.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86", target_arch = "x86_64", target_arch = "riscv64")
))]
const SAFE_OPEN: i32 = 0o400_000 | 0o4_000;
#[cfg(all(target_os = "linux", any(target_arch = "arm", target_arch = "aarch64")))]
const SAFE_OPEN: i32 = 0o100_000 | 0o4_000;
#[cfg(any(target_os = "macos", target_os = "ios"))]
const SAFE_OPEN: i32 = 0x100 | 0x4;
#[cfg(any(target_os = "freebsd", target_os = "openbsd", target_os = "netbsd"))]
const SAFE_OPEN: i32 = 0x100 | 0x4;
#[cfg(all(
    unix,
    not(any(
        all(
            target_os = "linux",
            any(
                target_arch = "x86",
                target_arch = "x86_64",
                target_arch = "riscv64",
                target_arch = "arm",
                target_arch = "aarch64"
            )
        ),
        target_os = "macos",
        target_os = "ios",
        target_os = "freebsd",
        target_os = "openbsd",
        target_os = "netbsd"
    ))
))]
const SAFE_OPEN: i32 = 0;

fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")
}

impl Disk for RealDisk {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // A published file is never modified, and the mode says so.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o444);
        Ok(Box::new(options.open(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        if !fs::symlink_metadata(path)?.is_file() {
            return Err(not_a_file());
        }
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, SAFE_OPEN);
        let file = options.open(path)?;
        if !file.metadata()?.is_file() {
            return Err(not_a_file());
        }
        Ok(Box::new(file))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<String>> {
        self.check_dir(directory)?;
        let mut names = Vec::new();
        for entry in fs::read_dir(directory)? {
            names.extend(entry?.file_name().into_string().ok());
        }
        names.sort_unstable();
        Ok(names)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        retry_sharing(|| fs::rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        retry_sharing(|| fs::remove_file(path))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        match fs::create_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.check_dir(path),
            other => other,
        }
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // Windows cannot open a directory this way, and its renames need no such call.
        if cfg!(windows) {
            return Ok(());
        }
        File::open(path)?.sync_all()
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if !metadata.is_file() => return Err(not_a_file()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, SAFE_OPEN);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    fn modified(&self, path: &Path) -> io::Result<SystemTime> {
        fs::symlink_metadata(path)?.modified()
    }

    fn check_dir(&self, path: &Path) -> io::Result<()> {
        if fs::symlink_metadata(path)?.is_dir() {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            "is not a directory, or a link to one",
        ))
    }
}

/// On Windows a scanner that has the file open makes these fail for a moment
/// (ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION).
fn retry_sharing(operation: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let mut wait = 1;
    loop {
        match operation() {
            Err(error) if cfg!(windows) && wait < 500 && matches!(error.raw_os_error(), Some(5 | 32)) => {
                std::thread::sleep(std::time::Duration::from_millis(wait));
                wait *= 2;
            }
            other => return other,
        }
    }
}

impl WriteFile for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

impl ReadFile for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(self, bytes, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(self, bytes, offset);
    }
}
