//! What each scope binds, found before it is read: a name assigned anywhere in a
//! function is local to all of it, and functions may use what stands below them.

use std::collections::HashMap;

use tree_sitter::Node;

use super::{Kind, walker::*};
use crate::{builder::Declared, model::*, syntax};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function,
    /// A comprehension or a lambda.
    Expression,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outer {
    Global,
    Nonlocal,
}

/// A name that a scope binds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Local {
    pub bound: Option<Bound>,
    /// How many places bind it.
    pub times: u32,
}

#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub kind: ScopeKind,
    pub names: HashMap<&'a str, Local>,
    /// Names that `global` and `nonlocal` take out of the scope.
    pub outer: HashMap<&'a str, Outer>,
    /// Every place that binds a name, in order.
    pub binds: Vec<(u32, &'a str)>,
    /// Open branches, and what they changed.
    pub branches: u32,
    pub log: Vec<(&'a str, Option<Bound>)>,
    /// The definition of a class or function.
    pub definition: Option<DefinitionIndex>,
    /// Name and index of the class that a method's first parameter is of.
    pub receiver: Option<(&'a str, usize)>,
    /// What its `return`s give, if all the same.
    pub returns: Option<PathId>,
    pub yields: bool,
}

impl Scope<'_> {
    pub fn new(kind: ScopeKind, definition: Option<DefinitionIndex>) -> Self {
        Self {
            kind,
            names: HashMap::new(),
            outer: HashMap::new(),
            binds: Vec::new(),
            branches: 0,
            log: Vec::new(),
            definition,
            receiver: None,
            returns: None,
            yields: false,
        }
    }
}

/// A field of a class being read.
#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub name: &'a str,
    pub value: PathId,
    pub annotated: bool,
    /// Whether only methods set it.
    pub set: bool,
}

/// A class being read.
#[derive(Debug)]
pub(super) struct Class<'a> {
    pub index: DefinitionIndex,
    pub path: PathId,
    /// A value of it.
    pub value: PathId,
    pub fields: Vec<Attribute<'a>>,
    pub field_at: HashMap<&'a str, usize>,
    pub members: Vec<DefinitionIndex>,
    pub enumeration: bool,
    pub tests: bool,
}

/// A binding of a name of the module.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModuleName {
    pub path: PathId,
    pub at: u32,
    /// Whether it stands inside a branch.
    pub conditional: bool,
}

/// Where a scope's bindings are being collected.
#[derive(Debug, Clone, Copy)]
struct Collect {
    container: Option<DefinitionIndex>,
    kind: ScopeKind,
    conditional: bool,
    /// Whether names are bound, or only definitions declared.
    silent: bool,
    depth: u32,
}

impl<'a, 't> Walker<'a, 't> {
    /// Collects what the innermost scope binds in a block, and declares the
    /// definitions in it.
    pub fn collect(&mut self, block: Node<'t>) {
        let scope = self.scopes.last().expect("a scope is open");
        let at = Collect {
            container: scope.definition,
            kind: scope.kind,
            conditional: false,
            silent: false,
            depth: self.depth,
        };
        self.collect_parts(block, at);
    }

    fn collect_parts(&mut self, node: Node<'t>, mut at: Collect) {
        at.depth += 1;
        if at.depth > syntax::MAX_DEPTH {
            return;
        }
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            self.collect_part(part, at);
        }
        self.release(parts);
    }

    fn collect_part(&mut self, part: Part<'t>, at: Collect) {
        let node = part.node;
        let inside = Collect {
            conditional: true,
            ..at
        };
        match part.kind {
            Kind::Block | Kind::Error | Kind::WithStatement | Kind::WithClause | Kind::WithItem => {
                self.collect_parts(node, at);
            }
            Kind::IfStatement => self.collect_if(node, at),
            Kind::WhileStatement
            | Kind::TryStatement
            | Kind::ElifClause
            | Kind::ElseClause
            | Kind::FinallyClause
            | Kind::MatchStatement
            | Kind::CaseClause => self.collect_parts(node, inside),
            Kind::ForStatement => {
                let parts = self.parts(node);
                if let Some(target) = self.field(parts, self.grammar.fields.left) {
                    self.collect_target(target.node, inside);
                }
                self.release(parts);
                self.collect_parts(node, inside);
            }
            Kind::ExceptClause => {
                let parts = self.parts(node);
                if let Some(alias) = self.field(parts, self.grammar.fields.alias) {
                    self.collect_target(alias.node, inside);
                }
                self.release(parts);
                self.collect_parts(node, inside);
            }
            Kind::AsPattern => {
                let parts = self.parts(node);
                if let Some(alias) = self.field(parts, self.grammar.fields.alias) {
                    self.collect_target(alias.node, at);
                } else if parts.end > parts.start {
                    // In a `case`, the name is the last part.
                    let last = self.parts[parts.end - 1];
                    self.collect_target(last.node, at);
                }
                self.release(parts);
                self.collect_parts(node, at);
            }
            Kind::CasePattern => self.collect_capture(node, at),
            Kind::ExpressionStatement => self.collect_statement(node, at),
            Kind::ImportStatement => self.collect_import(node, at),
            Kind::ImportFromStatement => self.collect_import_from(node, at),
            Kind::GlobalStatement | Kind::NonlocalStatement => {
                let outer = if part.kind == Kind::GlobalStatement {
                    Outer::Global
                } else {
                    Outer::Nonlocal
                };
                let parts = self.parts(node);
                for index in parts.start..parts.end {
                    if self.parts[index].kind == Kind::Identifier {
                        let name = self.slice(self.parts[index].node);
                        let scope = self.scopes.last_mut().expect("a scope is open");
                        scope.outer.insert(name, outer);
                        scope.names.remove(name);
                    }
                }
                self.release(parts);
            }
            Kind::TypeAliasStatement => self.collect_alias(node, at),
            Kind::FunctionDefinition | Kind::ClassDefinition => self.collect_definition(node, node, at),
            Kind::DecoratedDefinition => {
                let parts = self.parts(node);
                let definition = self.field(parts, self.grammar.fields.definition);
                self.release(parts);
                if let Some(definition) = definition {
                    self.collect_definition(definition.node, node, at);
                }
            }
            _ if self.has_walrus => self.collect_walrus(node, at),
            _ => {}
        }
    }

    /// `if TYPE_CHECKING` binds for certain; its `else` is for another reader.
    fn collect_if(&mut self, node: Node<'t>, at: Collect) {
        let parts = self.parts(node);
        let checking = self.parts[parts.start..parts.end]
            .iter()
            .find(|part| part.node.is_named())
            .is_some_and(|condition| {
                matches!(
                    self.slice(condition.node),
                    "TYPE_CHECKING" | "typing.TYPE_CHECKING" | "t.TYPE_CHECKING"
                )
            });
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if checking && part.kind == Kind::Block {
                self.collect_parts(part.node, at);
            } else {
                let other = checking && part.kind == Kind::ElseClause && at.kind == ScopeKind::Module;
                let conditional = Collect {
                    conditional: true,
                    silent: at.silent || other,
                    ..at
                };
                self.collect_part(part, conditional);
            }
        }
        self.release(parts);
    }

    fn collect_statement(&mut self, node: Node<'t>, at: Collect) {
        let parts = self.parts(node);
        let first = self.first_named(parts);
        self.release(parts);
        let Some(first) = first else { return };
        match first.kind {
            Kind::Assignment => {
                let constant = at.kind == ScopeKind::Module && !at.conditional;
                if constant && let Some((name, path)) = self.declare_constant(node, first.node) {
                    self.bind_module(name, first.node, path, at);
                    if self.has_walrus {
                        self.collect_walrus(first.node, at);
                    }
                    return;
                }
                self.collect_assignment(first.node, at);
            }
            Kind::AugmentedAssignment => {
                let parts = self.parts(first.node);
                let target = self.field(parts, self.grammar.fields.left);
                self.release(parts);
                if at.kind == ScopeKind::Function
                    && let Some(target) = target
                {
                    self.collect_target(target.node, at);
                }
            }
            _ => {}
        }
        if self.has_walrus {
            self.collect_walrus(first.node, at);
        }
    }

    fn collect_assignment(&mut self, node: Node<'t>, at: Collect) {
        if at.depth > syntax::MAX_DEPTH {
            return;
        }
        let parts = self.parts(node);
        let target = self.field(parts, self.grammar.fields.left);
        let value = self.field(parts, self.grammar.fields.right);
        self.release(parts);
        if let Some(target) = target {
            self.collect_target(target.node, at);
        }
        if let Some(value) = value.filter(|value| value.kind == Kind::Assignment) {
            let deeper = Collect {
                depth: at.depth + 1,
                ..at
            };
            self.collect_assignment(value.node, deeper);
        }
    }

    /// A module-level `NAME = value` or `NAME: type`.
    fn declare_constant(&mut self, statement: Node<'t>, node: Node<'t>) -> Option<(&'a str, PathId)> {
        let parts = self.parts(node);
        let target = self.field(parts, self.grammar.fields.left);
        let value = self.field(parts, self.grammar.fields.right);
        self.release(parts);
        let target = target.filter(|target| target.kind == Kind::Identifier)?;
        if value.is_some_and(|value| matches!(value.kind, Kind::Assignment | Kind::AugmentedAssignment)) {
            return None;
        }
        let name = self.slice(target.node);
        let index = self.builder.declare(&Declared {
            name,
            qualified: name,
            kind: DefinitionKind::Constant,
            container: None,
            span: syntax::span(statement),
            name_span: syntax::span(target.node),
        });
        self.declared.insert(target.node.start_byte() as u32, index);
        let path = self.builder.definition_path(index);
        Some((name, path))
    }

    fn collect_alias(&mut self, node: Node<'t>, at: Collect) {
        let parts = self.parts(node);
        let left = self.field(parts, self.grammar.fields.left);
        self.release(parts);
        let Some(left) = left else { return };
        let mut name = left.node;
        while let Some(inner) = name.child(0).filter(|_| self.kind(name) != Kind::Identifier) {
            name = inner;
        }
        if self.kind(name) == Kind::Identifier {
            self.declare(name, node, DefinitionKind::Type, at);
        }
    }

    fn collect_definition(&mut self, node: Node<'t>, whole: Node<'t>, at: Collect) {
        let parts = self.parts(node);
        let name = self.field(parts, self.grammar.fields.name);
        self.release(parts);
        let Some(name) = name else { return };
        let kind = match self.kind(node) {
            Kind::ClassDefinition => DefinitionKind::Type,
            _ if at.kind == ScopeKind::Class => DefinitionKind::Method,
            _ => DefinitionKind::Function,
        };
        self.declare(name.node, whole, kind, at);
    }

    fn declare(&mut self, name: Node<'t>, whole: Node<'t>, mut kind: DefinitionKind, at: Collect) {
        let text = self.slice(name);
        let mut qualified = match at.container {
            Some(container) => format!("{}.{text}", self.builder.qualified(container)),
            None => text.to_owned(),
        };
        let is_test = match kind {
            DefinitionKind::Function => at.kind == ScopeKind::Module && text.starts_with("test_"),
            DefinitionKind::Method => {
                text.starts_with("test") && self.classes.last().is_some_and(|class| class.tests)
            }
            _ => false,
        };
        if is_test {
            kind = DefinitionKind::Test;
            qualified.insert_str(0, "test:");
        }
        let index = self.builder.declare(&Declared {
            name: text,
            qualified: &qualified,
            kind,
            container: at.container,
            span: syntax::span(whole),
            name_span: syntax::span(name),
        });
        self.declared.insert(name.start_byte() as u32, index);
        if at.conditional {
            self.conditional.insert(index);
        }
        let path = self.builder.definition_path(index);
        if at.kind == ScopeKind::Class
            && let Some(class) = self.classes.last_mut()
        {
            class.members.push(index);
        }
        match at.kind {
            ScopeKind::Module => self.bind_module(text, name, path, at),
            ScopeKind::Function => {
                self.bind_local(text, name);
                // Code above may use it when it runs.
                let scope = self.scopes.last_mut().expect("a scope is open");
                if let Some(local) = scope.names.get_mut(text) {
                    local.bound = (local.times == 1).then_some(Bound {
                        value: path,
                        refers: true,
                    });
                }
            }
            _ => {}
        }
    }

    // Imports.

    /// `import a.b`, `import a.b as c`.
    fn collect_import(&mut self, node: Node<'t>, at: Collect) {
        if at.kind == ScopeKind::Module {
            self.import_statement(node, &mut |walker, name, node, path| {
                walker.bind_module(name, node, path, at);
            });
        } else {
            self.import_statement(node, &mut |walker, name, node, _| walker.bind_local(name, node));
        }
    }

    fn collect_import_from(&mut self, node: Node<'t>, at: Collect) {
        if at.kind == ScopeKind::Module {
            self.import_from_statement(node, &mut |walker, name, node, path| {
                walker.bind_module(name, node, path, at);
            });
        } else {
            self.import_from_statement(node, &mut |walker, name, node, _| walker.bind_local(name, node));
        }
    }

    /// Calls `bind` with each name that an `import` binds and what it means.
    pub fn import_statement(
        &mut self,
        node: Node<'t>,
        bind: &mut dyn FnMut(&mut Self, &'a str, Node<'t>, PathId),
    ) {
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::DottedName => {
                    let specifier = self.dotted(part.node);
                    let first = specifier.split('.').next().unwrap_or("").to_owned();
                    let name = self.slice(part.node.child(0).unwrap_or(part.node));
                    let path = self.builder.module(&first);
                    bind(self, name, part.node, path);
                }
                Kind::AliasedImport => {
                    let inner = self.parts(part.node);
                    let name = self.field(inner, self.grammar.fields.name);
                    let alias = self.field(inner, self.grammar.fields.alias);
                    self.release(inner);
                    if let (Some(name), Some(alias)) = (name, alias) {
                        let specifier = self.dotted(name.node);
                        let path = self.builder.module(&specifier);
                        let name = self.slice(alias.node);
                        bind(self, name, alias.node, path);
                    }
                }
                _ => {}
            }
        }
        self.release(parts);
    }

    pub fn import_from_statement(
        &mut self,
        node: Node<'t>,
        bind: &mut dyn FnMut(&mut Self, &'a str, Node<'t>, PathId),
    ) {
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let Some(module) = self.field(parts, fields.module_name) else {
            self.release(parts);
            return;
        };
        let specifier = self.dotted(module.node);
        let base = self.builder.module(&specifier);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.kind == Kind::WildcardImport && self.scopes.len() == 1 {
                self.builder.namespace_mut(FILE_NAMESPACE).stars.push(base);
            }
            if part.field != fields.name {
                continue;
            }
            let (name, alias) = if part.kind == Kind::AliasedImport {
                let inner = self.parts(part.node);
                let name = self.field(inner, fields.name);
                let alias = self.field(inner, fields.alias);
                self.release(inner);
                match (name, alias) {
                    (Some(name), Some(alias)) => (name.node, alias.node),
                    _ => continue,
                }
            } else {
                (part.node, part.node)
            };
            let imported = self.slice(name);
            let path = self.builder.member(base, imported);
            let alias_text = self.slice(alias);
            bind(self, alias_text, alias, path);
        }
        self.release(parts);
    }

    /// A dotted name without blanks.
    pub fn dotted(&self, node: Node<'t>) -> String {
        let text = self.slice(node);
        let mut dotted = String::with_capacity(text.len());
        let mut comment = false;
        for character in text.chars() {
            match character {
                '#' => comment = true,
                '\n' => comment = false,
                _ if comment || character.is_whitespace() || character == '\\' => {}
                _ => dotted.push(character),
            }
        }
        dotted
    }

    // Targets.

    fn collect_target(&mut self, node: Node<'t>, at: Collect) {
        match self.kind(node) {
            Kind::Identifier | Kind::KeywordIdentifier => {
                let name = self.slice(node);
                if at.kind == ScopeKind::Module {
                    let unknown = self.builder.unknown();
                    self.bind_module(name, node, unknown, at);
                } else {
                    self.bind_local(name, node);
                }
            }
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::ListSplatPattern
            | Kind::ExpressionList
            | Kind::Tuple
            | Kind::List
            | Kind::ListSplat
            | Kind::ParenthesizedExpression
            | Kind::AsPatternTarget => {
                if at.depth > syntax::MAX_DEPTH {
                    return;
                }
                let deeper = Collect {
                    depth: at.depth + 1,
                    ..at
                };
                let parts = self.parts(node);
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    self.collect_target(part.node, deeper);
                }
                self.release(parts);
            }
            _ => {}
        }
    }

    /// Names that a `case` captures.
    fn collect_capture(&mut self, node: Node<'t>, mut at: Collect) {
        at.depth += 1;
        if at.depth > syntax::MAX_DEPTH {
            return;
        }
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::Identifier if self.kind(node) != Kind::KeywordPattern => {
                    self.collect_target(part.node, at);
                }
                Kind::DottedName if self.kind(node) != Kind::ClassPattern => {
                    if part.node.child_count() == 1
                        && let Some(name) = part.node.child(0)
                    {
                        self.collect_target(name, at);
                    }
                }
                Kind::DottedName => {}
                _ => self.collect_capture(part.node, at),
            }
        }
        self.release(parts);
    }

    /// Names that expressions bind, also those of comprehensions.
    fn collect_walrus(&mut self, node: Node<'t>, mut at: Collect) {
        at.depth += 1;
        if at.depth > syntax::MAX_DEPTH {
            return;
        }
        match self.kind(node) {
            Kind::Lambda => return,
            Kind::NamedExpression => {
                let parts = self.parts(node);
                let name = self.field(parts, self.grammar.fields.name);
                self.release(parts);
                if let Some(name) = name {
                    self.collect_target(name.node, at);
                }
            }
            _ => {}
        }
        let parts = self.parts(node);
        for index in parts.start..parts.end {
            let part = self.parts[index].node;
            if part.is_named() {
                self.collect_walrus(part, at);
            }
        }
        self.release(parts);
    }

    fn bind_local(&mut self, name: &'a str, node: Node<'t>) {
        let scope = self.scopes.last_mut().expect("a scope is open");
        if scope.kind == ScopeKind::Class || scope.outer.contains_key(name) {
            return;
        }
        scope.binds.push((node.start_byte() as u32, name));
        let local = scope.names.entry(name).or_insert(Local {
            bound: None,
            times: 0,
        });
        local.times += 1;
        if local.times > 1 {
            local.bound = None;
        }
    }

    fn bind_module(&mut self, name: &'a str, node: Node<'t>, path: PathId, at: Collect) {
        let start = node.start_byte() as u32;
        if at.silent {
            return;
        }
        let known = self.module_names.contains_key(name);
        if path != self.builder.unknown() {
            self.variables.remove(name);
        } else if !known {
            self.variables.insert(name);
        }
        self.module_names.entry(name).or_default().push(ModuleName {
            path,
            at: node.end_byte() as u32,
            conditional: at.conditional,
        });
        let scope = self.scopes.last_mut().expect("a scope is open");
        scope.binds.push((start, name));
        scope.names.entry(name).or_insert(Local {
            bound: None,
            times: 0,
        });
    }
}
