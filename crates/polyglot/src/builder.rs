//! Builds a [`Skeleton`]: interns texts and paths, keeps one open token list per
//! definition being read, and makes names unique.
//!
//! A front end declares a definition with [`Builder::declare`], which gives it
//! its index, so that its members can name it; opens its token list with
//! [`Builder::open`]; appends tokens; and ends with [`Builder::close`]. Token
//! lists nest: while a method is open inside its class, tokens go to the method.

use foldhash::{HashMap, HashMapExt as _};

use crate::model::*;

/// Member steps longer than this lead to nothing: a chain of a thousand calls
/// is data, and following it would make linking quadratic.
const MAX_PATH_STEPS: u32 = 64;

/// What is known of a definition when it is declared.
#[derive(Debug, Clone)]
pub struct Declared<'a> {
    pub name: &'a str,
    /// Qualified name before it is made unique.
    pub qualified: &'a str,
    pub kind: DefinitionKind,
    pub container: Option<DefinitionIndex>,
    pub span: Span,
    pub name_span: Span,
}

#[derive(Debug)]
struct Open {
    definition: DefinitionIndex,
    tokens: Vec<Token>,
    signature_tokens: Option<u32>,
}

/// Builds the skeleton of one file.
#[derive(Debug)]
pub struct Builder<'a> {
    source: &'a str,
    line_starts: Vec<u32>,
    strings: Interner,
    path_index: HashMap<PathNode, PathId>,
    path_steps: Vec<u32>,
    qualified: HashMap<String, u32>,
    open: Vec<Open>,
    skeleton: Skeleton,
}

impl<'a> Builder<'a> {
    pub fn new(source: &'a str) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(
            source
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at as u32 + 1),
        );
        let mut builder = Self {
            source,
            line_starts,
            strings: Interner::default(),
            path_index: HashMap::new(),
            path_steps: Vec::new(),
            qualified: HashMap::new(),
            open: Vec::new(),
            skeleton: Skeleton::default(),
        };
        builder.strings.intern("");
        builder.path(PathNode::Unknown);
        builder.skeleton.namespaces.push(Namespace::default());
        builder
    }

    pub fn source(&self) -> &'a str {
        self.source
    }

    /// The source text of a span.
    pub fn slice(&self, span: Span) -> &'a str {
        self.source
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    pub fn intern(&mut self, text: &str) -> Str {
        self.strings.intern(text)
    }

    pub fn str(&self, text: Str) -> &str {
        self.strings.get(text)
    }

    /// Line of a byte offset, counted from one.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    pub fn path(&mut self, node: PathNode) -> PathId {
        if let Some(&found) = self.path_index.get(&node) {
            return found;
        }
        let steps = match node {
            PathNode::Member(base, _)
            | PathNode::Call(base)
            | PathNode::Instance(base)
            | PathNode::Element(base)
            | PathNode::Super(base)
            | PathNode::Value(base) => self.path_steps[base.0 as usize] + 1,
            PathNode::Container(outer, element) => {
                self.path_steps[outer.0 as usize].max(self.path_steps[element.0 as usize]) + 1
            }
            _ => 0,
        };
        if steps > MAX_PATH_STEPS {
            return self.unknown();
        }
        let id = PathId(self.skeleton.paths.len() as u32);
        self.skeleton.paths.push(node);
        self.path_steps.push(steps);
        self.path_index.insert(node, id);
        id
    }

    pub fn node(&self, path: PathId) -> PathNode {
        self.skeleton.paths[path.0 as usize]
    }

    /// The path that leads nowhere.
    pub fn unknown(&self) -> PathId {
        PathId(0)
    }

    pub fn member(&mut self, base: PathId, name: &str) -> PathId {
        if base == self.unknown() {
            return base;
        }
        let name = self.intern(name);
        self.path(PathNode::Member(base, name))
    }

    pub fn call(&mut self, base: PathId) -> PathId {
        self.step(base, PathNode::Call)
    }

    pub fn instance(&mut self, base: PathId) -> PathId {
        self.step(base, PathNode::Instance)
    }

    pub fn element(&mut self, base: PathId) -> PathId {
        self.step(base, PathNode::Element)
    }

    fn step(&mut self, base: PathId, node: fn(PathId) -> PathNode) -> PathId {
        if base == self.unknown() {
            base
        } else {
            self.path(node(base))
        }
    }

    pub fn name(&mut self, namespace: NamespaceId, name: &str) -> PathId {
        let name = self.intern(name);
        self.path(PathNode::Name(namespace, name))
    }

    pub fn module(&mut self, specifier: &str) -> PathId {
        let specifier = self.intern(specifier);
        self.path(PathNode::Module(specifier))
    }

    pub fn library(&mut self, qualified: &str) -> PathId {
        let qualified = self.intern(qualified);
        self.path(PathNode::Library(qualified))
    }

    // Namespaces.

    pub fn add_namespace(&mut self, parent: NamespaceId, inherits: bool) -> NamespaceId {
        let id = NamespaceId(self.skeleton.namespaces.len() as u32);
        self.skeleton.namespaces.push(Namespace {
            parent: Some(parent),
            inherits,
            ..Namespace::default()
        });
        id
    }

    pub fn namespace_mut(&mut self, namespace: NamespaceId) -> &mut Namespace {
        &mut self.skeleton.namespaces[namespace.0 as usize]
    }

    /// Makes `name` mean `path` in the namespace.
    pub fn bind(&mut self, namespace: NamespaceId, name: &str, path: PathId) {
        let name = self.intern(name);
        let names = &mut self.namespace_mut(namespace).names;
        if names.len() > 64 || !names.contains(&(name, path)) {
            names.push((name, path));
        }
    }

    /// Makes other files see `path` under `name`; the namespace then has exports.
    pub fn export(&mut self, namespace: NamespaceId, name: &str, path: PathId) {
        let name = self.intern(name);
        self.namespace_mut(namespace)
            .exports
            .get_or_insert_default()
            .push((name, path));
    }

    // Definitions.

    /// Adds a definition with an empty token list and gives it a unique name.
    pub fn declare(&mut self, declared: &Declared<'_>) -> DefinitionIndex {
        let count = self.qualified.entry(declared.qualified.to_owned()).or_insert(0);
        *count += 1;
        let qualified = match *count {
            1 => declared.qualified.to_owned(),
            ordinal => format!("{}~{ordinal}", declared.qualified),
        };
        let empty = Str(0);
        let last = declared.span.end.saturating_sub(1).max(declared.span.start);
        let definition = Definition {
            name: self.strings.intern(declared.name),
            qualified: self.strings.intern(&qualified),
            kind: declared.kind,
            reach: Reach::Private,
            visibility: empty,
            container: declared.container,
            owner: None,
            span: declared.span,
            name_span: declared.name_span,
            lines: (self.line_of(declared.span.start), self.line_of(last)),
            tokens: (0, 0),
            signature_tokens: 0,
            signature: empty,
            purpose: empty,
            failures: Vec::new(),
            metrics: Metrics::default(),
            has_example: false,
            deprecated: false,
            property: false,
            bases: Vec::new(),
            value: None,
            fields: Vec::new(),
        };
        let index = DefinitionIndex(self.skeleton.definitions.len() as u32);
        self.skeleton.definitions.push(definition);
        index
    }

    pub fn definition(&self, index: DefinitionIndex) -> &Definition {
        &self.skeleton.definitions[index.0 as usize]
    }

    pub fn definition_mut(&mut self, index: DefinitionIndex) -> &mut Definition {
        &mut self.skeleton.definitions[index.0 as usize]
    }

    pub fn definition_path(&mut self, index: DefinitionIndex) -> PathId {
        self.path(PathNode::Definition(index))
    }

    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The qualified name of a definition.
    pub fn qualified(&self, index: DefinitionIndex) -> &str {
        self.str(self.definition(index).qualified)
    }

    // Tokens.

    /// From here on, tokens belong to `definition`.
    pub fn open(&mut self, definition: DefinitionIndex) {
        self.open.push(Open {
            definition,
            tokens: Vec::new(),
            signature_tokens: None,
        });
    }

    /// The tokens so far are the open definition's signature. The first call counts.
    pub fn end_signature(&mut self) {
        let open = self.open.last_mut().expect("a definition is open");
        open.signature_tokens.get_or_insert(open.tokens.len() as u32);
    }

    /// Ends the innermost open definition. Without [`Builder::end_signature`]
    /// all its tokens are its signature.
    pub fn close(&mut self) -> DefinitionIndex {
        let open = self.open.pop().expect("a definition is open");
        let start = self.skeleton.tokens.len() as u32;
        let count = open.tokens.len() as u32;
        self.skeleton.tokens.extend(open.tokens);
        let definition = self.definition_mut(open.definition);
        definition.tokens = (start, start + count);
        definition.signature_tokens = open.signature_tokens.unwrap_or(count);
        open.definition
    }

    /// How many tokens the open definition has.
    pub fn position(&self) -> u32 {
        self.open.last().map_or(0, |open| open.tokens.len() as u32)
    }

    /// Removes the open definition's tokens from `position` on and returns them.
    pub fn split_off(&mut self, position: u32) -> Vec<Token> {
        let open = self.open.last_mut().expect("a definition is open");
        open.tokens.split_off(position as usize)
    }

    pub fn push(&mut self, token: Token) {
        self.open
            .last_mut()
            .expect("a definition is open")
            .tokens
            .push(token);
    }

    pub fn text(&mut self, text: &str) {
        let text = self.intern(text);
        self.push(Token::text(text));
    }

    pub fn own_name(&mut self) {
        self.push(Token::OWN_NAME);
    }

    /// An identifier that may name a definition; unknown paths count too, since
    /// their names are edges of the weakest tier.
    pub fn reference(&mut self, span: Span, text: &str, path: PathId, call: bool) {
        let text = self.intern(text);
        let index = self.skeleton.references.len() as u32;
        self.skeleton.references.push(Reference {
            span,
            text,
            path,
            call,
        });
        self.push(Token::reference(index));
    }

    /// The failure named by the open definition's tokens from `start` to here.
    pub fn failure_since(&mut self, start: u32) {
        let end = self.position();
        if end > start {
            let definition = self.open.last().expect("a definition is open").definition;
            self.definition_mut(definition)
                .failures
                .push((start, end - start));
        }
    }

    /// The failure named by `count` of the open definition's tokens from `start`.
    pub fn failure_at(&mut self, start: u32, count: u32) {
        let definition = self.open.last().expect("a definition is open").definition;
        self.definition_mut(definition).failures.push((start, count));
    }

    /// What the file publishes beside its own definitions under their own names
    /// (re-exports, other names, a default, public modules) as one definition, so
    /// that a change of it is seen. Order does not count.
    pub fn declare_exports(&mut self, mut exports: Vec<(String, PathId)>) {
        exports.retain(|(name, path)| match self.node(*path) {
            PathNode::Definition(index) => self.str(self.definition(index).name) != name,
            PathNode::Name(_, inside) => self.str(inside) != name,
            _ => true,
        });
        exports.sort();
        exports.dedup();
        if exports.is_empty() {
            return;
        }
        let index = self.declare(&Declared {
            name: EXPORTS,
            qualified: EXPORTS,
            kind: DefinitionKind::Module,
            container: None,
            span: Span::default(),
            name_span: Span::default(),
        });
        let names: Vec<&str> = exports.iter().map(|(name, _)| name.as_str()).collect();
        let signature = self.strings.intern(&format!("exports {}", names.join(", ")));
        let definition = self.definition_mut(index);
        definition.reach = Reach::Public;
        definition.signature = signature;
        self.open(index);
        self.end_signature();
        for (name, path) in exports {
            self.text(&name);
            self.reference(Span::default(), &name, path, false);
        }
        self.close();
    }

    // The file.

    pub fn add_import(&mut self, text: &str) {
        let text = self.intern(text);
        self.skeleton.imports.push(text);
    }

    pub fn set_module(&mut self, name: &str) {
        let name = self.intern(name);
        self.skeleton.module = Some(name);
    }

    pub fn set_purpose(&mut self, purpose: &str) {
        let purpose = self.intern(purpose);
        self.skeleton.purpose = Some(purpose);
    }

    pub fn add_implements(&mut self, target: PathId, ability: PathId) {
        self.skeleton.implements.push(Implements { target, ability });
    }

    pub fn error(&mut self, span: Span, message: String) {
        self.skeleton.errors += 1;
        if self.skeleton.diagnostics.len() >= MAX_DIAGNOSTICS {
            return;
        }
        let line = self.line_of(span.start);
        let column = span.start - self.line_starts[line as usize - 1] + 1;
        self.skeleton.diagnostics.push(Diagnostic {
            span,
            line,
            column,
            message,
        });
    }

    /// The finished skeleton. Every definition opened must be closed.
    pub fn finish(mut self) -> Skeleton {
        debug_assert!(self.open.is_empty(), "a definition is still open");
        self.skeleton.lines = self.source.lines().count() as u32;
        self.skeleton.strings = self.strings.into_strings();
        self.skeleton
    }
}

/// The first paragraph of a documentation text, its white space folded.
pub fn first_paragraph(documentation: &str) -> String {
    let mut purpose = String::new();
    for line in documentation.trim().lines() {
        if line.trim().is_empty() {
            break;
        }
        for word in line.split_whitespace() {
            if !purpose.is_empty() {
                purpose.push(' ');
            }
            purpose.push_str(word);
        }
    }
    purpose
}

/// The text with every run of white space folded to one blank.
pub fn fold_space(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}
