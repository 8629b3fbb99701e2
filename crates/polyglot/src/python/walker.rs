//! What all parts of the walk share: nodes' parts, names, branches, paths.

use std::collections::{BTreeMap, HashMap, HashSet};

use tree_sitter::{Node, TreeCursor};

use super::{Grammar, Kind, scope::*};
use crate::{builder::Builder, model::*, syntax};

/// A file with more values that are one of two leaves the rest unknown.
const MAX_UNIONS: usize = 1_000;

/// A node's part, with the number of its field or zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'t> {
    pub node: Node<'t>,
    pub kind: Kind,
    pub field: u16,
}

/// The parts of a node: a range of [`Walker::parts`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub start: usize,
    pub end: usize,
}

/// What a name in a local scope is right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    /// What the value is, as far as evident.
    pub value: PathId,
    /// Whether uses of the name are references (imports, definitions).
    pub refers: bool,
}

/// What a name means where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A variable: plain text. Its value, as far as evident.
    Local(PathId),
    Refers(PathId),
}

/// Changes that a branch made.
#[derive(Debug)]
pub(super) struct Branch<'a> {
    pub changes: BTreeMap<&'a str, Bound>,
    /// Whether it leaves what surrounds it (`return`, `raise`, `continue`).
    pub leaves: bool,
}

pub(super) struct Walker<'a, 't> {
    pub builder: Builder<'a>,
    pub source: &'a str,
    pub grammar: &'static Grammar,
    cursor: TreeCursor<'t>,
    /// Parts of the nodes being read, innermost last.
    pub parts: Vec<Part<'t>>,
    /// Interned texts of unnamed nodes.
    words: Vec<Option<Str>>,
    common: [Option<Str>; 12],
    pub scopes: Vec<Scope<'a>>,
    pub classes: Vec<Class<'a>>,
    /// Definitions by the start of their name.
    pub declared: HashMap<u32, DefinitionIndex>,
    /// Definitions inside branches.
    pub conditional: HashSet<DefinitionIndex>,
    pub module_names: HashMap<&'a str, Vec<ModuleName>>,
    /// Names of the module that no definition and no import binds.
    pub variables: HashSet<&'a str>,
    /// Metrics of the open definitions: blocks open, deepest, branches.
    pub metrics: Vec<(u32, Metrics)>,
    pub depth: u32,
    /// The value `None`: gives way to any other.
    pub none: PathId,
    /// Whether some name is bound inside an expression.
    pub has_walrus: bool,
    /// Where the name of what is being raised ends, and its first token.
    pub failure: Option<u32>,
    pub failure_start: u32,
    /// Whether what is being bound has an annotation.
    pub annotated: bool,
    /// Paths of values that are one of two, by those.
    unions: HashMap<(PathId, PathId), PathId>,
}

impl<'a, 't> Walker<'a, 't> {
    pub fn new(source: &'a str, grammar: &'static Grammar, root: Node<'t>) -> Self {
        let mut builder = Builder::new(source);
        let none = builder.library("builtins.None");
        Self {
            builder,
            source,
            grammar,
            cursor: root.walk(),
            parts: Vec::new(),
            words: vec![None; grammar.kinds.len()],
            common: [None; 12],
            scopes: Vec::new(),
            classes: Vec::new(),
            declared: HashMap::new(),
            conditional: HashSet::new(),
            module_names: HashMap::new(),
            variables: HashSet::new(),
            metrics: Vec::new(),
            depth: 0,
            none,
            has_walrus: source.contains(":="),
            failure: None,
            failure_start: 0,
            annotated: false,
            unions: HashMap::new(),
        }
    }

    // Nodes.

    pub fn kind(&self, node: Node<'_>) -> Kind {
        let id = usize::from(node.kind_id());
        self.grammar.kinds.get(id).copied().unwrap_or(Kind::Error)
    }

    pub fn slice(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.start_byte()..node.end_byte()).unwrap_or("")
    }

    /// Lists the parts of a node, comments left out. [`Walker::release`] ends it.
    pub fn parts(&mut self, node: Node<'t>) -> Parts {
        let start = self.parts.len();
        self.cursor.reset(node);
        if self.cursor.goto_first_child() {
            loop {
                let node = self.cursor.node();
                let id = usize::from(node.kind_id());
                let kind = self.grammar.kinds.get(id).copied().unwrap_or(Kind::Error);
                if !matches!(kind, Kind::Comment | Kind::LineContinuation) {
                    let field = self.cursor.field_id().map_or(0, u16::from);
                    self.parts.push(Part { node, kind, field });
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        Parts {
            start,
            end: self.parts.len(),
        }
    }

    pub fn release(&mut self, parts: Parts) {
        self.parts.truncate(parts.start);
    }

    /// The first part of a field.
    pub fn field(&self, parts: Parts, field: u16) -> Option<Part<'t>> {
        self.parts[parts.start..parts.end]
            .iter()
            .find(|part| part.field == field)
            .copied()
    }

    /// The first part that is an expression or the like, not punctuation.
    pub fn first_named(&self, parts: Parts) -> Option<Part<'t>> {
        self.parts[parts.start..parts.end]
            .iter()
            .find(|part| part.node.is_named())
            .copied()
    }

    /// The only inner node of parentheses around one.
    pub fn unwrap(&mut self, mut node: Node<'t>) -> Node<'t> {
        while self.kind(node) == Kind::ParenthesizedExpression {
            let parts = self.parts(node);
            let inner = self.first_named(parts).map(|part| part.node);
            self.release(parts);
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node
    }

    // Tokens.

    pub fn text(&mut self, text: &str) {
        // The commonest are not looked up each time.
        let at = match text {
            "(" => 0,
            ")" => 1,
            "," => 2,
            ";" => 3,
            "." => 4,
            "→" => 5,
            "←" => 6,
            "=" => 7,
            "self" => 8,
            "[" => 9,
            "]" => 10,
            ":" => 11,
            _ => return self.builder.text(text),
        };
        let word = match self.common[at] {
            Some(word) => word,
            None => {
                let word = self.builder.intern(text);
                self.common[at] = Some(word);
                word
            }
        };
        self.builder.push(Token::text(word));
    }

    /// A leaf as it stands.
    pub fn leaf(&mut self, node: Node<'t>) {
        let id = usize::from(node.kind_id());
        if node.is_named() || id >= self.words.len() {
            let text = self.slice(node);
            if !text.is_empty() {
                self.builder.text(text);
            }
            return;
        }
        let word = match self.words[id] {
            Some(word) => word,
            None => {
                let word = self.builder.intern(node.kind());
                self.words[id] = Some(word);
                word
            }
        };
        self.builder.push(Token::text(word));
    }

    /// All of a node as plain tokens: what is nested too deep.
    pub fn leaves(&mut self, node: Node<'t>) {
        let mut found = Vec::new();
        syntax::for_each_leaf(node, |leaf| found.push(leaf));
        for leaf in found {
            match self.kind(leaf) {
                Kind::Comment | Kind::LineContinuation => {}
                Kind::StringStart | Kind::StringEnd => self.text("\""),
                _ => self.leaf(leaf),
            }
        }
    }

    // Paths. `None` has no members that matter.

    pub fn known(&self, path: PathId) -> PathId {
        if path == self.none {
            self.builder.unknown()
        } else {
            path
        }
    }

    pub fn member(&mut self, base: PathId, name: &str) -> PathId {
        let base = self.known(base);
        self.builder.member(base, name)
    }

    pub fn call_of(&mut self, base: PathId) -> PathId {
        let base = self.known(base);
        self.builder.call(base)
    }

    pub fn element(&mut self, base: PathId) -> PathId {
        let base = self.known(base);
        self.builder.element(base)
    }

    pub fn container(&mut self, outer: PathId, element: PathId) -> PathId {
        let element = self.known(element);
        self.builder.path(PathNode::Container(outer, element))
    }

    /// A container of the standard library.
    pub fn library_container(&mut self, name: &str, element: PathId) -> PathId {
        let outer = self.builder.library(name);
        self.container(outer, element)
    }

    /// A map: what it is of tells its keys, its elements are its values.
    pub fn map(&mut self, outer: PathId, key: PathId, value: PathId) -> PathId {
        let outer = self.container(outer, key);
        self.container(outer, value)
    }

    /// Several values: the first beside the rest.
    pub fn tuple(&mut self, values: &[PathId]) -> PathId {
        let tuple = self.builder.library("builtins.tuple");
        let mut path = self.builder.unknown();
        for &value in values.iter().rev() {
            let first = self.container(tuple, value);
            path = self.container(first, path);
        }
        path
    }

    /// What a loop over a value gives.
    pub fn item(&mut self, base: PathId) -> PathId {
        self.member(base, "(item)")
    }

    /// One of two values, if they are the same or one is `None`.
    pub fn either(&self, first: PathId, second: PathId) -> PathId {
        if first == second || second == self.none {
            first
        } else if first == self.none {
            second
        } else {
            self.builder.unknown()
        }
    }

    /// One of two values: certain if they turn out to be the same.
    pub fn union_of(&mut self, first: PathId, second: PathId) -> PathId {
        let unknown = self.builder.unknown();
        let joined = self.either(first, second);
        let is_library = |walker: &Self, path| matches!(walker.builder.node(path), PathNode::Library(_));
        if joined != unknown
            || first == unknown
            || second == unknown
            || is_library(self, first)
            || is_library(self, second)
        {
            return joined;
        }
        if let Some(&known) = self.unions.get(&(first, second)) {
            return known;
        }
        if self.unions.len() >= MAX_UNIONS {
            return unknown;
        }
        // A name with two meanings is what the linker compares.
        let namespace = self.builder.add_namespace(FILE_NAMESPACE, false);
        self.builder.bind(namespace, "(either)", first);
        self.builder.bind(namespace, "(either)", second);
        let base = self.builder.path(PathNode::Namespace(namespace));
        let path = self.builder.member(base, "(either)");
        self.unions.insert((first, second), path);
        path
    }

    /// The class of a value.
    pub fn class_of(&mut self, value: PathId) -> PathId {
        match self.builder.node(value) {
            PathNode::Instance(class) => class,
            _ => self.builder.unknown(),
        }
    }

    // Names.

    /// The innermost scope that assignments bind in.
    fn binding_scope(&self) -> usize {
        self.scopes
            .iter()
            .rposition(|scope| scope.kind != ScopeKind::Expression)
            .unwrap_or(0)
    }

    /// Makes a name mean a value from here on.
    pub fn set(&mut self, name: &'a str, bound: Bound) {
        let at = self.binding_scope();
        self.set_in(at, name, bound);
    }

    /// Makes a name of the innermost scope, be it an expression's, mean a value.
    pub fn set_here(&mut self, name: &'a str, value: PathId) {
        let at = self.scopes.len() - 1;
        self.set_in(at, name, Bound { value, refers: false });
    }

    fn set_in(&mut self, at: usize, name: &'a str, bound: Bound) {
        let scope = &mut self.scopes[at];
        if scope.outer.contains_key(name) {
            return;
        }
        let entry = scope.names.entry(name).or_insert(Local {
            bound: None,
            times: 1,
        });
        let before = entry.bound.replace(bound);
        if scope.branches > 0 {
            scope.log.push((name, before));
        }
    }

    pub fn look_up(&mut self, name: &'a str, at: u32) -> Meaning {
        let innermost = self.scopes.len() - 1;
        let mut inner_function = false;
        for index in (0..=innermost).rev() {
            let scope = &self.scopes[index];
            match scope.kind {
                ScopeKind::Module => return self.look_up_module(name, at, !inner_function),
                ScopeKind::Class if inner_function => continue,
                _ => {}
            }
            if scope.outer.get(name) == Some(&Outer::Global) {
                return self.look_up_module(name, at, false);
            }
            if let Some(local) = scope.names.get(name) {
                match local.bound {
                    Some(bound) if bound.refers => return Meaning::Refers(bound.value),
                    Some(bound) if !inner_function || local.times <= 1 || scope.kind == ScopeKind::Class => {
                        return Meaning::Local(bound.value);
                    }
                    // Not bound yet: in a class that is the outer name.
                    None if scope.kind == ScopeKind::Class => {}
                    None if !inner_function => return Meaning::Local(self.none),
                    _ => return Meaning::Local(self.builder.unknown()),
                }
            }
            inner_function |= scope.kind == ScopeKind::Function;
        }
        self.look_up_module(name, at, false)
    }

    /// A name of the module, used at `at`; directly, or in code that runs later.
    fn look_up_module(&mut self, name: &'a str, at: u32, directly: bool) -> Meaning {
        let unknown = self.builder.unknown();
        let Some(bindings) = self.module_names.get(name) else {
            return Meaning::Refers(self.builder.name(FILE_NAMESPACE, name));
        };
        if directly && bindings.len() > 1 {
            // Code of the module sees what is bound so far.
            let before = bindings.partition_point(|binding| binding.at < at);
            if let Some(before) = before.checked_sub(1).and_then(|last| bindings.get(last))
                && !before.conditional
                && before.path != unknown
            {
                return Meaning::Refers(before.path);
            }
        }
        if self.variables.contains(name) {
            let bound = self.scopes[0].names.get(name).and_then(|local| local.bound);
            return Meaning::Local(bound.filter(|_| directly).map_or(unknown, |bound| bound.value));
        }
        Meaning::Refers(self.builder.name(FILE_NAMESPACE, name))
    }

    // Branches.

    pub fn begin_branch(&mut self) -> usize {
        let at = self.binding_scope();
        let scope = &mut self.scopes[at];
        scope.branches += 1;
        scope.log.len()
    }

    /// Ends a branch: takes back what it changed.
    pub fn end_branch(&mut self, mark: usize, leaves: bool) -> Branch<'a> {
        let at = self.binding_scope();
        let scope = &mut self.scopes[at];
        scope.branches -= 1;
        let mut changes = BTreeMap::new();
        for (name, before) in scope.log.drain(mark..).rev() {
            if let Some(local) = scope.names.get_mut(name) {
                if let Some(now) = local.bound {
                    changes.entry(name).or_insert(now);
                }
                local.bound = before;
            }
        }
        Branch { changes, leaves }
    }

    /// After alternatives of which one was taken.
    pub fn join(&mut self, branches: &[Branch<'a>]) {
        let mut names: BTreeMap<&'a str, ()> = BTreeMap::new();
        let alive: Vec<&Branch<'a>> = branches.iter().filter(|branch| !branch.leaves).collect();
        for branch in &alive {
            names.extend(branch.changes.keys().map(|&name| (name, ())));
        }
        let at = self.binding_scope();
        for &name in names.keys() {
            let before = self.scopes[at].names.get(name).and_then(|local| local.bound);
            let mut joined: Option<Bound> = None;
            for branch in &alive {
                let Some(bound) = branch.changes.get(name).copied().or(before) else {
                    continue;
                };
                joined = Some(match joined {
                    None => bound,
                    Some(first) if first == bound => first,
                    Some(first) => Bound {
                        value: if first.refers || bound.refers {
                            self.builder.unknown()
                        } else {
                            self.union_of(first.value, bound.value)
                        },
                        refers: false,
                    },
                });
            }
            if let Some(bound) = joined {
                self.set_in(at, name, bound);
            }
        }
    }

    /// At the start of a loop: what it binds anew is not certain inside.
    pub fn forget_rebound(&mut self, node: Node<'t>) {
        let at = self.binding_scope();
        let scope = &self.scopes[at];
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        let first = scope.binds.partition_point(|&(at, _)| at < start);
        let rebound: Vec<&'a str> = scope.binds[first..]
            .iter()
            .take_while(|&&(at, _)| at < end)
            .map(|&(_, name)| name)
            .filter(|name| {
                let local = scope.names.get(name);
                local.is_some_and(|local| local.bound.is_some_and(|bound| bound.value != self.none))
            })
            .collect();
        let value = self.builder.unknown();
        for name in rebound {
            self.set_in(at, name, Bound { value, refers: false });
        }
    }

    /// The function scope that a `return` here leaves.
    pub fn function_scope(&mut self) -> Option<&mut Scope<'a>> {
        self.scopes
            .iter_mut()
            .rev()
            .find(|scope| scope.kind != ScopeKind::Expression)
            .filter(|scope| scope.kind == ScopeKind::Function)
    }

    // Metrics.

    pub fn branch_point(&mut self) {
        if let Some((_, metrics)) = self.metrics.last_mut() {
            metrics.branches += 1;
        }
    }
}
