//! Small projects on disk, and runs of the binary in them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use git2::{IndexAddOption, Repository, Signature, Time};
use tempfile::TempDir;

/// A directory that goes when the test ends.
pub struct Project {
    directory: TempDir,
}

/// What a run gave.
#[derive(Debug)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Run {
    pub fn of(output: Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        }
    }

    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:#?}");
        self
    }

    #[track_caller]
    pub fn fails_with(self, code: i32, message: &str) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        assert!(self.stderr.contains(message), "expected `{message}` in {self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

impl Project {
    /// Files as text, each after a line `//- path`.
    pub fn new(files: &str) -> Self {
        let project = Self {
            directory: TempDir::new().unwrap(),
        };
        project.write(files);
        project
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn write(&self, files: &str) {
        for file in files.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            self.put(path.trim(), text.as_bytes());
        }
    }

    pub fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// Replaces a text that stands in the file.
    #[track_caller]
    pub fn edit(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "`{old}` is not in {path}");
        self.put(path, text.replace(old, new).as_bytes());
    }

    /// Commits everything, making a repository if there is none.
    pub fn commit(&self, message: &str) -> String {
        let repository =
            Repository::open(self.path()).unwrap_or_else(|_| Repository::init(self.path()).unwrap());
        let mut index = repository.index().unwrap();
        index.add_all(["*"], IndexAddOption::DEFAULT, None).unwrap();
        index.update_all(["*"], None).unwrap();
        index.write().unwrap();
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let who = Signature::new("tester", "tester@localhost", &Time::new(1_700_000_000, 0)).unwrap();
        let parent = repository.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        repository
            .commit(Some("HEAD"), &who, &who, message, &tree, &parents)
            .unwrap()
            .to_string()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_renyi"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_remove("RENYI_STORE");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// The hash of the map of the working tree.
    pub fn map(&self, store: Option<&Path>) -> String {
        let mut command = self.command(&["index", "--summary", "-q"]);
        if let Some(store) = store {
            command.arg("--store").arg(store);
        }
        let run = Run::of(command.output().unwrap());
        let map = run
            .stdout
            .lines()
            .next()
            .unwrap_or_else(|| panic!("{run:#?}"))
            .to_owned();
        assert!(map.starts_with("map b3:"), "{run:#?}");
        map
    }
}

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}
