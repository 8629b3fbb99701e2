//! The walk over a file's tree: what all its parts share.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
};

use tree_sitter::{Node, TreeCursor};

use super::{
    EcmaScript, Grammar, Kind, documentation, literals, repair,
    scope::{Binding, Scopes},
};
use crate::{
    builder::{Builder, Declared},
    model::*,
    syntax::{self, MAX_DEPTH, span},
};

/// What the names that a file declares at its top level, or imports, may mean.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Declares {
    pub type_: bool,
    pub value: bool,
    pub import: bool,
}

/// Metrics of the definition being read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame {
    pub depth: u32,
    pub deepest: u32,
    pub branches: u32,
}

/// What `return` and `this` mean where the walk is.
#[derive(Debug, Clone)]
pub(super) struct Function {
    /// What `this` is.
    pub this: PathId,
    /// What `super` is.
    pub super_: PathId,
    /// What returns give: nothing yet, one path, or not evident.
    pub result: Option<PathId>,
    /// The class whose constructor this is.
    pub constructs: Option<DefinitionIndex>,
}

/// Where new definitions are written.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub container: Option<DefinitionIndex>,
    /// What qualified names start with, dot included.
    pub prefix: String,
}

/// A statement of a module that belongs to no definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loose<'s, 't> {
    pub namespace: NamespaceId,
    pub node: Node<'t>,
    /// The word before a declarator.
    pub keyword: &'s str,
}

pub(super) struct Walker<'s, 't> {
    pub builder: Builder<'s>,
    pub grammar: &'static Grammar,
    pub values: Scopes<'s>,
    pub types: Scopes<'s>,
    pub namespace: NamespaceId,
    pub place: Place,
    pub function: Function,
    pub frame: Frame,
    /// How many functions are around, so that zero is the module.
    pub local: u32,
    /// Names of the file's namespaces.
    pub declared: HashMap<&'s str, Declares>,
    /// Names that the file exports by a list.
    pub exported: HashSet<&'s str>,
    /// Definitions inside functions, declared before they are read, by node.
    pub predeclared: HashMap<usize, DefinitionIndex>,
    /// Statements of modules that belong to no definition.
    pub loose: Vec<Loose<'s, 't>>,
    /// Titles of the `describe`s around.
    pub titles: String,
    /// Whether a statement read here may be a test.
    pub tests: bool,
    /// What the first parameter of the next function is, if its caller says so.
    pub hint: PathId,
    /// Names that patterns of the top level bind, and whether they are exported.
    pub apart: Vec<(NamespaceId, &'s str, bool)>,
    /// Names that are bound in a namespace, as types or not, seen outside or not.
    pub bound: HashSet<(NamespaceId, Str, bool, bool)>,
    /// Inline modules by name: they may be written in several pieces.
    pub namespaces: HashMap<(NamespaceId, &'s str), NamespaceId>,
    depth: u32,
    /// Reused, since a new one takes memory.
    cursor: RefCell<TreeCursor<'t>>,
}

/// Reads a file.
pub(super) fn extract(dialect: EcmaScript, source: &str) -> Skeleton {
    let grammar = dialect.grammar();
    let mut builder = Builder::new(source);
    if is_minified(source) {
        return whole(builder, source);
    }
    let Some(tree) = syntax::parse(&grammar.language, source) else {
        builder.error(
            Span::default(),
            "the text is too long or too intricate to read".to_owned(),
        );
        return builder.finish();
    };
    let tree = match tree.root_node().has_error() {
        true => repair::repaired(grammar, source, &tree).unwrap_or(tree),
        false => tree,
    };
    syntax::report_errors(&mut builder, &tree);
    let unknown = builder.unknown();
    let mut walker = Walker {
        builder,
        grammar,
        values: Scopes::default(),
        types: Scopes::default(),
        namespace: FILE_NAMESPACE,
        place: Place::default(),
        function: Function {
            this: unknown,
            super_: unknown,
            result: None,
            constructs: None,
        },
        frame: Frame::default(),
        local: 0,
        declared: HashMap::new(),
        exported: HashSet::new(),
        predeclared: HashMap::new(),
        loose: Vec::new(),
        titles: String::new(),
        tests: false,
        hint: unknown,
        apart: Vec::new(),
        bound: HashSet::new(),
        namespaces: HashMap::new(),
        depth: 0,
        cursor: RefCell::new(tree.walk()),
    };
    walker.program(tree.root_node());
    walker.publish_exported();
    walker.declare_published();
    walker.builder.finish()
}

/// Whether a tool wrote the text to be short. Its names mean nothing and change
/// with every build.
fn is_minified(source: &str) -> bool {
    let (mut lines, mut bytes, mut blocks) = (0, 0, 0);
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        lines += 1;
        bytes += line.len();
        if line.len() > 300 {
            // A long line of data is no program.
            blocks += line.matches("){").count() + line.matches("=>").count();
        }
    }
    bytes > 1_000 && bytes / lines > 300 && blocks > 4
}

/// A text as one definition.
fn whole(mut builder: Builder<'_>, source: &str) -> Skeleton {
    let end = source.len() as u32;
    let index = builder.declare(&Declared {
        name: "module",
        qualified: "module",
        kind: DefinitionKind::Module,
        container: None,
        span: Span { start: 0, end },
        name_span: Span::default(),
    });
    builder.definition_mut(index).reach = Reach::Private;
    builder.open(index);
    builder.end_signature();
    for word in source.split_whitespace() {
        builder.text(word);
    }
    builder.close();
    builder.finish()
}

impl<'s, 't> Walker<'s, 't> {
    /// Publishes what a statement exports that stands after the definition.
    fn publish_exported(&mut self) {
        for index in 0..self.builder.skeleton().definitions.len() {
            let index = DefinitionIndex(index as u32);
            let definition = self.builder.definition(index);
            let top = definition.container.is_none() && definition.name == definition.qualified;
            let exported = top && self.exported.contains(self.builder.str(definition.name));
            if exported && definition.reach == Reach::Private {
                let word = self.builder.intern("export");
                let definition = self.builder.definition_mut(index);
                definition.reach = Reach::Public;
                definition.visibility = word;
            }
        }
    }

    pub fn kind(&self, node: Node<'_>) -> Kind {
        self.grammar
            .kinds
            .get(node.kind_id() as usize)
            .copied()
            .unwrap_or(Kind::Error)
    }

    pub fn slice(&self, node: Node<'_>) -> &'s str {
        self.builder.slice(span(node))
    }

    pub fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Children without comments.
    pub fn children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut children = Vec::with_capacity(node.child_count() as usize);
        let mut cursor = self.cursor.borrow_mut();
        cursor.reset(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if !matches!(self.kind(child), Kind::Comment | Kind::HtmlComment) {
                    children.push(child);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        children
    }

    /// Children without comments, each with the number of its field.
    pub fn children_with_fields(&self, node: Node<'t>) -> Vec<(u16, Node<'t>)> {
        let mut children = Vec::with_capacity(node.child_count() as usize);
        let mut cursor = self.cursor.borrow_mut();
        cursor.reset(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if !matches!(self.kind(child), Kind::Comment | Kind::HtmlComment) {
                    children.push((cursor.field_id().map_or(0, u16::from), child));
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        children
    }

    pub fn first_named(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|&child| !matches!(self.kind(child), Kind::Comment | Kind::HtmlComment))
    }

    pub fn text(&mut self, text: &str) {
        self.builder.text(text);
    }

    pub fn leaf(&mut self, node: Node<'_>) {
        let text = self.slice(node);
        if !text.is_empty() {
            self.builder.text(text);
        }
    }

    /// Runs `inner` unless the tree is too deep here, where its leaves stay text.
    pub fn guarded<T>(&mut self, node: Node<'t>, otherwise: T, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.plain(node);
            return otherwise;
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The leaves of a tree as text.
    pub fn plain(&mut self, node: Node<'t>) {
        let kinds = &self.grammar.kinds;
        let builder = &mut self.builder;
        syntax::for_each_leaf(node, |leaf| {
            if !matches!(
                kinds.get(leaf.kind_id() as usize),
                Some(Kind::Comment | Kind::HtmlComment)
            ) {
                let text = builder.slice(span(leaf));
                if !text.trim().is_empty() {
                    builder.text(text);
                }
            }
        });
    }

    /// Visits children in order; a comma before a closing bracket is dropped, and
    /// so are semicolons.
    pub fn each(&mut self, node: Node<'t>) {
        let mut comma = false;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::Comma => {
                    comma = true;
                    continue;
                }
                Kind::Semicolon => continue,
                Kind::CloseBrace | Kind::CloseBracket | Kind::CloseParen | Kind::Greater => {}
                _ if comma => self.text(","),
                _ => {}
            }
            comma = false;
            self.visit(child);
        }
    }

    // Names.

    /// What a name in the place of a value means.
    pub fn value_name(&mut self, name: &'s str) -> Option<Binding> {
        if let Some(binding) = self.values.find(name) {
            return Some(binding);
        }
        if name == "exports" && !self.declared.contains_key(name) {
            return Some(Binding::Named(
                self.builder.path(PathNode::Namespace(FILE_NAMESPACE)),
            ));
        }
        let path = self.builder.name(self.namespace, name);
        let declares = self.declared.get(name).copied().unwrap_or_default();
        let path = if declares.import || declares.type_ && declares.value {
            self.builder.path(PathNode::Value(path))
        } else {
            path
        };
        Some(Binding::Named(path))
    }

    /// A name in the place of a value, and what the value is.
    pub fn value_reference(&mut self, node: Node<'_>, call: bool) -> PathId {
        let name = self.slice(node);
        match self.value_name(name) {
            Some(Binding::Local(path)) => {
                self.builder.text(name);
                path
            }
            Some(Binding::Named(path)) => {
                self.builder.reference(span(node), name, path, call);
                path
            }
            None => self.builder.unknown(),
        }
    }

    /// What a name in the place of a type means: the type itself.
    pub fn type_name(&mut self, name: &'s str) -> Binding {
        if let Some(binding) = self.types.find(name) {
            return binding;
        }
        if self.declared.contains_key(name) {
            return Binding::Named(self.builder.name(self.namespace, name));
        }
        Binding::Named(self.builder.unknown())
    }

    /// A member's name after a dot.
    pub fn member_reference(&mut self, node: Node<'_>, base: PathId, call: bool) -> PathId {
        let name = self.slice(node);
        // A name may mean a namespace besides the value, and so may its member.
        let path = match self.builder.node(base) {
            PathNode::Value(both) => {
                let member = self.builder.member(both, name);
                self.builder.path(PathNode::Value(member))
            }
            _ => self.builder.member(base, name),
        };
        self.builder.reference(span(node), name, path, call);
        path
    }

    // Definitions.

    pub fn declare(
        &mut self,
        name: &str,
        kind: DefinitionKind,
        whole: Node<'_>,
        name_node: Option<Node<'_>>,
    ) -> DefinitionIndex {
        let qualified = format!("{}{name}", self.place.prefix);
        self.builder.declare(&Declared {
            name,
            qualified: &qualified,
            kind,
            container: self.place.container,
            span: span(whole),
            name_span: name_node.map(span).unwrap_or(Span {
                start: whole.start_byte() as u32,
                end: whole.start_byte() as u32,
            }),
        })
    }

    /// Fills in what a documentation comment says.
    pub fn document(&mut self, index: DefinitionIndex, comment: Option<Node<'_>>) {
        let Some(comment) = comment else { return };
        let documentation = documentation::read(self.slice(comment));
        let purpose = self.builder.intern(&documentation.purpose);
        let start = comment.start_byte() as u32;
        let line = self.builder.line_of(start);
        let definition = self.builder.definition_mut(index);
        definition.purpose = purpose;
        definition.has_example = documentation.has_example;
        definition.deprecated = documentation.deprecated;
        if start < definition.span.start {
            definition.span.start = start;
            definition.lines.0 = line;
        }
    }

    /// The source from `start` to `end` is the definition's signature.
    pub fn sign(&mut self, index: DefinitionIndex, start: usize, end: usize) {
        let source = self.builder.slice(Span {
            start: start as u32,
            end: end as u32,
        });
        let line = documentation::one_line(source);
        let line = line.trim_end().trim_end_matches(['{', ';', ',']).trim_end();
        let signature = self.builder.intern(line);
        self.builder.definition_mut(index).signature = signature;
    }

    /// Makes new definitions part of `index` until the place is put back.
    pub fn enter_place(&mut self, index: DefinitionIndex) -> Place {
        let prefix = format!("{}.", self.builder.qualified(index));
        std::mem::replace(
            &mut self.place,
            Place {
                container: Some(index),
                prefix,
            },
        )
    }

    pub fn set_metrics(&mut self, index: DefinitionIndex, outer: Frame) {
        let frame = std::mem::replace(&mut self.frame, outer);
        let metrics = &mut self.builder.definition_mut(index).metrics;
        metrics.depth = frame.deepest;
        metrics.branches = frame.branches;
    }

    pub fn enter_scope(&mut self) {
        self.values.enter();
        self.types.enter();
    }

    pub fn leave_scope(&mut self) {
        self.types.leave();
        self.values.leave();
    }

    /// A property's name where it is declared.
    pub fn property_name(&mut self, node: Node<'t>) {
        match self.kind(node) {
            Kind::String => {
                let name = literals::property_name(self.slice(node));
                self.text(&name);
            }
            Kind::Computed => self.each(node),
            Kind::Number => {
                let number = literals::number(self.slice(node));
                self.text(&number);
            }
            _ => self.leaf(node),
        }
    }

    /// A property's name as others write it.
    pub fn plain_name(&self, node: Node<'t>) -> &'s str {
        match self.kind(node) {
            Kind::String => literals::content(self.slice(node)),
            _ => self.slice(node),
        }
    }

    /// Container of a library type with a known element.
    pub fn container(&mut self, outer: &str, element: PathId) -> PathId {
        let outer = self.builder.library(outer);
        self.builder.path(PathNode::Container(outer, element))
    }
}
