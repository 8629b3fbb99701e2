//! The skeleton of a source file: all that later steps need of its bytes.
//!
//! A skeleton depends on the bytes of one file and on nothing else, so it is
//! kept under their hash. It holds the file's definitions with their canonical
//! tokens, and every name it could not bind by itself as a [`PathNode`]: an
//! instruction that the linker follows once it can see the other files.

use foldhash::HashMap;

pub use map::DefinitionKind;

/// An interned text of a skeleton.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Str(pub u32);

/// An index into [`Skeleton::definitions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionIndex(pub u32);

/// An index into [`Skeleton::paths`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub u32);

/// An index into [`Skeleton::namespaces`]. Zero is the file's own module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NamespaceId(pub u32);

pub const FILE_NAMESPACE: NamespaceId = NamespaceId(0);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reach {
    Private = 0,
    /// Seen beyond its module but not outside its package (`pub(crate)`, `internal`).
    Restricted = 1,
    Public = 2,
}

/// Half-open range of bytes of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// One canonical token, packed: two tag bits over an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(pub u32);

/// What a packed [`Token`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenView {
    /// Text that counts as it stands.
    Text(Str),
    /// The definition's own name where it is declared.
    OwnName,
    /// An index into [`Skeleton::references`].
    Reference(u32),
}

impl Token {
    pub const OWN_NAME: Token = Token(2 << 30);

    pub fn text(text: Str) -> Self {
        Token(text.0)
    }

    pub fn reference(index: u32) -> Self {
        Token(1 << 30 | index)
    }

    pub fn view(self) -> TokenView {
        let index = self.0 & ((1 << 30) - 1);
        match self.0 >> 30 {
            0 => TokenView::Text(Str(index)),
            1 => TokenView::Reference(index),
            _ => TokenView::OwnName,
        }
    }
}

/// An identifier that may name a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    pub span: Span,
    /// What stands in the canonical text when the path leads to nothing certain.
    pub text: Str,
    pub path: PathId,
    /// Whether it is called here.
    pub call: bool,
}

/// How to find what a name means. Paths are shared: equal nodes have one id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathNode {
    /// Nothing is known; never leads anywhere.
    Unknown,
    /// A definition of this file.
    Definition(DefinitionIndex),
    /// A name that no local scope binds, looked up in a namespace: its names,
    /// then its star imports, then (if it inherits) its parent, then the other
    /// files of the module, then the language's built-in names.
    Name(NamespaceId, Str),
    /// A namespace of this file (an inline module).
    Namespace(NamespaceId),
    /// A module, by a specifier that the language's layout resolves.
    Module(Str),
    /// A name of a library, fully qualified.
    Library(Str),
    /// `base.name`.
    Member(PathId, Str),
    /// `base(...)`: an instance of a type, the result of a function.
    Call(PathId),
    /// A value of the type that the path names.
    Instance(PathId),
    /// What a container holds: an element, a map's value, the value of an
    /// optional, a result or a future.
    Element(PathId),
    /// A value of a container type (`outer`, possibly [`PathNode::Unknown`])
    /// whose elements are `element`.
    Container(PathId, PathId),
    /// The members of the type's bases without its own (`super`).
    Super(PathId),
    /// In a result type: a value of the type the method was called on.
    Receiver,
    /// Of a name that means a type and a value, the value (see
    /// [`FrontEnd::splits_names`](crate::FrontEnd::splits_names)).
    Value(PathId),
}

/// A named part of a type that is not a definition of its own: a field, a
/// variant, a required method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub name: Str,
    /// The value one gets by naming it; for a callable one, by calling it.
    pub value: PathId,
    pub callable: bool,
}

/// Counts that do not depend on layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metrics {
    /// Deepest nesting of blocks in the body.
    pub depth: u32,
    /// Decision points: branches, loops, cases, handlers, conditional operators.
    pub branches: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The simple name, as declared.
    pub name: Str,
    /// Unique in the file: `Type.method`, `outer.inner`, `test:adds two`, with
    /// `~2`, `~3` for further definitions of one name.
    pub qualified: Str,
    pub kind: DefinitionKind,
    pub reach: Reach,
    /// The visibility as the language spells it, empty where it has no word.
    pub visibility: Str,
    /// The definition this one is written inside, if any.
    pub container: Option<DefinitionIndex>,
    /// Types this is a member of, where that is not its container: the target
    /// of a Rust `impl`, the receiver of a Go method.
    pub owner: Option<PathId>,
    /// Whole source piece: decorators, attributes and documentation included.
    pub span: Span,
    /// The name where it is declared (empty for the unnamed).
    pub name_span: Span,
    /// First and last line of `span`, counted from one.
    pub lines: (u32, u32),
    /// Range of [`Skeleton::tokens`].
    pub tokens: (u32, u32),
    /// How many of its leading tokens are the signature; the rest is the body.
    pub signature_tokens: u32,
    /// The signature in the language's own spelling, on one line.
    pub signature: Str,
    /// First paragraph of the documentation, on one line.
    pub purpose: Str,
    /// Ranges of its tokens (relative to `tokens.0`) that name what it fails with.
    pub failures: Vec<(u32, u32)>,
    pub metrics: Metrics,
    /// Whether its documentation holds an example that runs.
    pub has_example: bool,
    pub deprecated: bool,
    /// Whether naming it as a member gives its result, without a call.
    pub property: bool,
    /// Types whose members it has too, in the order of lookup.
    pub bases: Vec<PathId>,
    /// For a callable, its result; for a constant, its value; for an alias of a
    /// type, the type itself.
    pub value: Option<PathId>,
    pub fields: Vec<Field>,
}

/// Names that one can look up from outside: a file's module, an inline module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Namespace {
    /// In source order. A name that is here twice with different meanings is
    /// ambiguous and leads to nothing.
    pub names: Vec<(Str, PathId)>,
    /// Names that only other files see, when they differ from those seen inside
    /// (ECMAScript exports). `None`: outside sees `names`.
    pub exports: Option<Vec<(Str, PathId)>>,
    /// Modules whose names are all visible here and re-exported.
    pub stars: Vec<PathId>,
    pub parent: Option<NamespaceId>,
    /// Whether a name not found here is looked up in `parent`.
    pub inherits: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub span: Span,
    /// Line and column, counted from one; columns count bytes.
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// A trait that a type gets, declared away from the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Implements {
    pub target: PathId,
    pub ability: PathId,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skeleton {
    pub strings: Vec<Box<str>>,
    pub definitions: Vec<Definition>,
    pub tokens: Vec<Token>,
    pub references: Vec<Reference>,
    pub paths: Vec<PathNode>,
    pub namespaces: Vec<Namespace>,
    pub implements: Vec<Implements>,
    /// What the file imports, as the language spells it, in order.
    pub imports: Vec<Str>,
    /// Name the file gives its own module (a Go package clause), else empty.
    pub module: Option<Str>,
    /// First paragraph of the file's own documentation.
    pub purpose: Option<Str>,
    pub lines: u32,
    /// Places where the text is not of the language. At most
    /// [`MAX_DIAGNOSTICS`] are kept; `errors` counts all.
    pub diagnostics: Vec<Diagnostic>,
    pub errors: u32,
}

pub const MAX_DIAGNOSTICS: usize = 20;

/// The definition of kind `module` that says what a file publishes beside its own
/// definitions under their own names: see `Builder::declare_exports`.
pub const EXPORTS: &str = "exports";

impl Skeleton {
    pub fn str(&self, text: Str) -> &str {
        self.strings.get(text.0 as usize).map_or("", |text| text)
    }

    pub fn definition(&self, index: DefinitionIndex) -> &Definition {
        &self.definitions[index.0 as usize]
    }

    pub fn path(&self, path: PathId) -> PathNode {
        self.paths
            .get(path.0 as usize)
            .copied()
            .unwrap_or(PathNode::Unknown)
    }

    pub fn tokens_of(&self, definition: &Definition) -> &[Token] {
        &self.tokens[definition.tokens.0 as usize..definition.tokens.1 as usize]
    }
}

/// Interns texts of one skeleton.
#[derive(Debug, Default)]
pub struct Interner {
    strings: Vec<Box<str>>,
    index: HashMap<Box<str>, Str>,
}

impl Interner {
    pub fn intern(&mut self, text: &str) -> Str {
        if let Some(&found) = self.index.get(text) {
            return found;
        }
        let new = Str(self.strings.len() as u32);
        self.strings.push(text.into());
        self.index.insert(text.into(), new);
        new
    }

    pub fn get(&self, text: Str) -> &str {
        &self.strings[text.0 as usize]
    }

    pub fn into_strings(self) -> Vec<Box<str>> {
        self.strings
    }
}
