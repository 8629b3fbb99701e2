//! What a comparison found, as values.

use map::DefinitionKind;
use store::Hash;

/// What changed between two maps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapDiff {
    pub old: Hash,
    pub new: Hash,
    /// By name; a rename stands under its new name.
    pub changes: Vec<Change>,
    pub bump: Bump,
    /// The change that decides the bump; `None` when nothing changed.
    pub reason: Option<Reason>,
    /// Public and other definitions that are deprecated now and were not before.
    pub deprecated: Vec<Definition>,
    /// What changes reach, by name: the new side's, and the old side's for what
    /// was removed. [`Reach`] holds indexes into it.
    pub reached: Vec<Reached>,
    /// Indexes into `reached` of the tests that are worth running: all whose id
    /// is new.
    pub tests: Vec<u32>,
    pub counts: Counts,
    pub work: Work,
}

impl MapDiff {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The qualified names behind indexes into `reached`.
    pub fn names<'a>(&'a self, indexes: &'a [u32]) -> impl ExactSizeIterator<Item = &'a str> {
        indexes
            .iter()
            .map(|&index| self.reached[index as usize].qualified.as_str())
    }
}

/// One definition, or one file that moved, and all that changed about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub definition: Definition,
    /// As it was, unless it was added. For what was removed the same as `definition`.
    pub old: Option<Definition>,
    /// At least one, in the order of [`Detail`].
    pub details: Vec<Detail>,
    /// Definitions that followed it under a new name or to another module. Those
    /// that changed in something else too have a change of their own.
    pub members: u32,
    /// Its own text is as it was: what changed came with what it refers to.
    pub inherited: bool,
    pub reach: Reach,
    pub bump: Bump,
}

/// A definition as one side has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Module, separator and name.
    pub qualified: String,
    pub module: String,
    /// Empty for a file.
    pub name: String,
    pub kind: DefinitionKind,
    pub language: String,
    pub path: String,
    pub line: u32,
    /// Whether anybody may use it, as far as it and its containers say.
    pub public: bool,
    pub signature: String,
}

/// What changed about a definition, most severe first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    Removed,
    Signature {
        old: String,
        new: String,
        /// The body changed too.
        body: bool,
    },
    Visibility {
        old: String,
        new: String,
        public: bool,
        narrowed: bool,
    },
    Effects {
        widened: Vec<String>,
        narrowed: Vec<String>,
        /// They were inferred, so more may be reached than is said.
        inferred: bool,
    },
    Failures {
        added: Vec<String>,
        removed: Vec<String>,
        inferred: bool,
    },
    Renamed {
        from: String,
        was_public: bool,
    },
    /// The same name in another module.
    Moved {
        from: String,
        was_public: bool,
    },
    Added {
        /// What it reaches from the start.
        effects: Vec<String>,
    },
    Body,
    /// Of the body, the names of parameters, bindings and the like alone.
    LocalNames,
}

impl Detail {
    /// The word that stands in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Detail::Removed => "removed",
            Detail::Signature { .. } => "signature",
            Detail::Visibility { .. } => "visibility",
            Detail::Effects { .. } => "effects",
            Detail::Failures { .. } => "failures",
            Detail::Renamed { .. } => "renamed",
            Detail::Moved { .. } => "moved",
            Detail::Added { .. } => "added",
            Detail::Body => "body",
            Detail::LocalNames => "local names",
        }
    }
}

/// What a change reaches: indexes into [`MapDiff::reached`], ascending, so by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    pub definitions: Vec<u32>,
    /// Those of them that are tests.
    pub tests: Vec<u32>,
    /// Not looked for, since the lists of other changes are long enough.
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    pub qualified: String,
    pub kind: DefinitionKind,
}

/// How the version has to rise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Bump {
    #[default]
    None,
    Patch,
    Minor,
    Major,
}

impl Bump {
    pub fn name(self) -> &'static str {
        match self {
            Bump::None => "none",
            Bump::Patch => "patch",
            Bump::Minor => "minor",
            Bump::Major => "major",
        }
    }
}

/// Why the version has to rise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The index of the change.
    pub change: usize,
    /// For instance `public function a.f removed`.
    pub text: String,
    /// How many changes ask for the same.
    pub alike: usize,
}

/// How many changes name each detail, and what they reach together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub changes: u64,
    pub removed: u64,
    pub signature: u64,
    pub visibility: u64,
    pub effects: u64,
    pub failures: u64,
    pub renamed: u64,
    pub moved: u64,
    pub added: u64,
    pub body: u64,
    /// Definitions with another id whose own text is as it was.
    pub reached: u64,
    pub tests: u64,
}

/// What was read to find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Inner nodes of the two trees.
    pub nodes: u64,
    pub leaves: u64,
    pub components: u64,
    pub texts: u64,
}
