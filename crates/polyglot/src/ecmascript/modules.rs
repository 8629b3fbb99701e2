//! Modules: what a file imports, exports and declares at its top level.

use tree_sitter::Node;

use super::{
    Kind, documentation, literals,
    scope::Binding,
    walker::{Declares, Loose, Walker},
};
use crate::{
    builder::Declared,
    model::*,
    syntax::{MAX_DEPTH, span},
};

/// How a declaration of a module stands there.
#[derive(Clone, Copy)]
struct Standing<'t> {
    /// The declaration with its `export`.
    whole: Node<'t>,
    comment: Option<Node<'t>>,
    exported: bool,
    default: bool,
}

impl<'s, 't> Walker<'s, 't> {
    pub fn program(&mut self, root: Node<'t>) {
        self.survey(root);
        let mut cursor = root.walk();
        let first = root
            .named_children(&mut cursor)
            .find(|&child| self.kind(child) != Kind::HashBang);
        if let Some(first) = first
            && self.kind(first) == Kind::Comment
        {
            let documentation = documentation::read(self.slice(first));
            if documentation.of_file && !documentation.purpose.is_empty() {
                self.builder.set_purpose(&documentation.purpose);
            }
        }
        self.module(root, false);
        self.loose_statements(root);
    }

    /// Notes which names the file's modules declare, and as what.
    fn survey(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        let mut pending = vec![node];
        while let Some(at) = pending.pop() {
            let mut names: Vec<(&'s str, Declares)> = Vec::new();
            let value = Declares {
                value: true,
                ..Declares::default()
            };
            let type_ = Declares {
                type_: true,
                ..Declares::default()
            };
            let both = Declares {
                value: true,
                type_: true,
                import: false,
            };
            let import = Declares {
                import: true,
                ..value
            };
            let named =
                |walker: &Self, at: Node<'t>| walker.field(at, fields.name).map(|name| walker.slice(name));
            match self.kind(at) {
                Kind::Program | Kind::StatementBlock | Kind::Error => {
                    let mut cursor = at.walk();
                    pending.extend(at.named_children(&mut cursor));
                }
                Kind::ExportStatement => {
                    let mut cursor = at.walk();
                    let children: Vec<_> = at.named_children(&mut cursor).collect();
                    let from = self.field(at, fields.source).is_some();
                    for &child in &children {
                        if self.kind(child) == Kind::ExportClause && !from {
                            for specifier in self.children(child) {
                                if let Some(name) = self.field(specifier, fields.name) {
                                    self.exported.insert(self.slice(name));
                                }
                            }
                        } else if self.kind(child) == Kind::Identifier && !from {
                            self.exported.insert(self.slice(child));
                        }
                    }
                    pending.extend(children);
                    self.builder
                        .namespace_mut(FILE_NAMESPACE)
                        .exports
                        .get_or_insert_default();
                }
                Kind::AmbientDeclaration => {
                    let mut cursor = at.walk();
                    pending.extend(at.named_children(&mut cursor));
                }
                Kind::FunctionDeclaration | Kind::GeneratorDeclaration | Kind::FunctionSignature => {
                    names.extend(named(self, at).map(|name| (name, value)));
                }
                Kind::ClassDeclaration | Kind::AbstractClass | Kind::EnumDeclaration => {
                    names.extend(named(self, at).map(|name| (name, both)));
                }
                Kind::InterfaceDeclaration | Kind::TypeAlias => {
                    names.extend(named(self, at).map(|name| (name, type_)));
                }
                Kind::ExpressionStatement => {
                    if let Some(inner) = self.first_named(at)
                        && self.kind(inner) == Kind::InternalModule
                    {
                        pending.push(inner);
                    }
                }
                Kind::InternalModule | Kind::Module => {
                    names.extend(named(self, at).map(|name| (name.split('.').next().unwrap_or(name), both)));
                    pending.extend(self.field(at, fields.body));
                }
                Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
                    for child in self.children(at) {
                        if let Some(name) = self.field(child, fields.name) {
                            let imports = self.imports_value(child);
                            for name in self.names_of(name) {
                                names.push((name, if imports { import } else { value }));
                            }
                        }
                    }
                }
                Kind::ImportStatement => {
                    self.builder
                        .namespace_mut(FILE_NAMESPACE)
                        .exports
                        .get_or_insert_default();
                    for name in self.imported_names(at) {
                        names.push((name, import));
                    }
                }
                Kind::ImportAlias => {
                    if let Some(name) = self.first_named(at) {
                        names.push((self.slice(name), import));
                    }
                }
                _ => {}
            }
            for (name, declares) in names {
                let known = self.declared.entry(name).or_default();
                known.type_ |= declares.type_;
                known.value |= declares.value;
                known.import |= declares.import;
            }
        }
    }

    fn imported_names(&self, node: Node<'t>) -> Vec<&'s str> {
        let fields = &self.grammar.fields;
        let mut names = Vec::new();
        let mut pending = vec![node];
        while let Some(at) = pending.pop() {
            match self.kind(at) {
                Kind::Identifier => names.push(self.slice(at)),
                Kind::ImportSpecifier => {
                    let local = self
                        .field(at, fields.alias)
                        .or_else(|| self.field(at, fields.name));
                    names.extend(local.map(|local| self.slice(local)));
                }
                Kind::ImportStatement
                | Kind::ImportClause
                | Kind::NamedImports
                | Kind::NamespaceImport
                | Kind::ImportRequire => {
                    let mut cursor = at.walk();
                    pending.extend(at.named_children(&mut cursor));
                }
                _ => {}
            }
        }
        names
    }

    /// Reads the top level of a module. In a module that is only declared all
    /// names are exported.
    fn module(&mut self, node: Node<'t>, ambient: bool) {
        let mut cursor = node.walk();
        let mut comment = None;
        let mut heads: Vec<(Node<'t>, Standing<'t>)> = Vec::new();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let child = cursor.node();
            match self.kind(child) {
                Kind::Comment => comment = Some(child),
                _ if child.is_named() => {
                    let standing = Standing {
                        whole: child,
                        comment: comment.take(),
                        exported: ambient,
                        default: false,
                    };
                    self.top(child, standing, &mut heads);
                }
                _ => {}
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        self.flush(&mut heads);
    }

    /// Heads of overloads without an implementation: one definition.
    fn flush(&mut self, heads: &mut Vec<(Node<'t>, Standing<'t>)>) {
        let Some((last, standing)) = heads.pop() else {
            return;
        };
        let first = heads.first().map_or(standing, |(_, standing)| *standing);
        let earlier: Vec<_> = heads.drain(..).map(|(head, _)| head).collect();
        let standing = Standing {
            comment: first.comment.or(standing.comment),
            ..standing
        };
        self.declaration(last, standing, &earlier);
    }

    fn top(&mut self, node: Node<'t>, standing: Standing<'t>, heads: &mut Vec<(Node<'t>, Standing<'t>)>) {
        let fields = &self.grammar.fields;
        let name =
            |walker: &Self, node: Node<'t>| walker.field(node, fields.name).map(|name| walker.slice(name));
        match self.kind(node) {
            Kind::FunctionSignature => {
                if heads
                    .first()
                    .is_some_and(|(head, _)| name(self, *head) != name(self, node))
                {
                    self.flush(heads);
                }
                heads.push((node, standing));
            }
            Kind::FunctionDeclaration | Kind::GeneratorDeclaration => {
                if heads
                    .first()
                    .is_some_and(|(head, _)| name(self, *head) != name(self, node))
                {
                    self.flush(heads);
                }
                let comment = heads
                    .first()
                    .and_then(|(_, first)| first.comment)
                    .or(standing.comment);
                let earlier: Vec<_> = heads.drain(..).map(|(head, _)| head).collect();
                self.declaration(node, Standing { comment, ..standing }, &earlier);
            }
            Kind::ExportStatement => self.export(node, standing, heads),
            Kind::AmbientDeclaration => {
                for child in self.children(node) {
                    match self.kind(child) {
                        Kind::StatementBlock => self.module(child, true),
                        _ if child.is_named() => self.top(child, standing, heads),
                        _ => {}
                    }
                }
            }
            _ => {
                self.flush(heads);
                self.top_statement(node, standing);
            }
        }
    }

    fn top_statement(&mut self, node: Node<'t>, standing: Standing<'t>) {
        match self.kind(node) {
            Kind::ImportStatement | Kind::ImportAlias => self.import(node),
            Kind::ClassDeclaration
            | Kind::AbstractClass
            | Kind::InterfaceDeclaration
            | Kind::TypeAlias
            | Kind::EnumDeclaration => self.declaration(node, standing, &[]),
            Kind::InternalModule | Kind::Module => self.inline_module(node, standing),
            Kind::ExpressionStatement => {
                let inner = self.first_named(node);
                match inner.map(|inner| (inner, self.kind(inner))) {
                    Some((inner, Kind::InternalModule)) => self.inline_module(inner, standing),
                    Some((inner, Kind::Assignment)) if self.assigned(inner, standing) => {}
                    _ => self.set_aside(node, ""),
                }
            }
            Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
                self.module_variables(node, standing);
            }
            Kind::EmptyStatement | Kind::HashBang => {}
            Kind::Error => {
                // What of a broken piece is whole.
                let mut heads = Vec::new();
                for child in self.children(node) {
                    if self.is_statement(child) {
                        let standing = Standing {
                            whole: child,
                            comment: None,
                            ..standing
                        };
                        self.guarded(child, (), |walker| walker.top(child, standing, &mut heads));
                    } else {
                        self.set_aside(child, "");
                    }
                }
                self.flush(&mut heads);
            }
            _ => self.set_aside(node, ""),
        }
    }

    /// A function, class, interface, alias or enumeration.
    fn declaration(&mut self, node: Node<'t>, standing: Standing<'t>, heads: &[Node<'t>]) {
        let kind = match self.kind(node) {
            Kind::InterfaceDeclaration => DefinitionKind::Ability,
            Kind::ClassDeclaration
            | Kind::AbstractClass
            | Kind::EnumDeclaration
            | Kind::TypeAlias
            | Kind::Class => DefinitionKind::Type,
            _ => DefinitionKind::Function,
        };
        let name_node = self.field(node, self.grammar.fields.name);
        let name = name_node.map_or("default", |name| self.slice(name));
        let index = self.declare(name, kind, standing.whole, name_node);
        self.settle(index, name, name_node.is_some(), standing);
        self.define(index, node, standing.whole, heads);
    }

    /// Documents a definition of the module, binds its name and says who sees it.
    fn settle(&mut self, index: DefinitionIndex, name: &str, binds: bool, standing: Standing<'t>) {
        self.document(index, standing.comment);
        let path = self.builder.definition_path(index);
        if binds {
            self.bind_once(name, path);
        }
        let public = standing.exported || standing.default || self.exported.contains(name);
        if standing.exported || standing.default {
            let outside = if standing.default { "default" } else { name };
            self.export_once(outside, path);
        }
        let definition = self.builder.definition_mut(index);
        definition.reach = if public { Reach::Public } else { Reach::Private };
        if public {
            let word = self.builder.intern("export");
            self.builder.definition_mut(index).visibility = word;
        }
    }

    /// Of several declarations of one name in one space, the first counts.
    fn bind_once(&mut self, name: &str, path: PathId) {
        let name = self.builder.intern(name);
        if !self.taken(name, path, false) {
            self.builder
                .namespace_mut(self.namespace)
                .names
                .push((name, path));
        }
    }

    fn export_once(&mut self, name: &str, path: PathId) {
        let name = self.builder.intern(name);
        if !self.taken(name, path, true) {
            let namespace = self.builder.namespace_mut(self.namespace);
            namespace.exports.get_or_insert_default().push((name, path));
        }
    }

    fn taken(&mut self, name: Str, path: PathId, outside: bool) -> bool {
        let space = |walker: &Self, path: PathId| match walker.builder.node(path) {
            PathNode::Definition(index) => matches!(
                walker.builder.definition(index).kind,
                DefinitionKind::Type | DefinitionKind::Ability
            ),
            PathNode::Namespace(_) => true,
            _ => false,
        };
        let new = space(self, path);
        !self.bound.insert((self.namespace, name, new, outside))
    }

    fn export(&mut self, node: Node<'t>, standing: Standing<'t>, heads: &mut Vec<(Node<'t>, Standing<'t>)>) {
        let fields = &self.grammar.fields;
        let children = self.children(node);
        let default = children.iter().any(|&child| self.kind(child) == Kind::Default);
        let source = self
            .field(node, fields.source)
            .map(|source| literals::content(self.slice(source)));
        let standing = Standing {
            exported: !default,
            default,
            ..standing
        };
        if let Some(declaration) = self.field(node, fields.declaration) {
            return self.top(declaration, standing, heads);
        }
        self.flush(heads);
        if let Some(value) = self.field(node, fields.value) {
            return self.export_default(value, standing);
        }
        if let Some(specifier) = source {
            self.builder.add_import(specifier);
        }
        let mut star = false;
        for &child in &children {
            match self.kind(child) {
                Kind::Star => star = true,
                Kind::ExportClause => {
                    star = false;
                    for specifier in self.children(child) {
                        if self.kind(specifier) == Kind::ExportSpecifier {
                            self.export_specifier(specifier, source);
                        }
                    }
                }
                Kind::NamespaceExport => {
                    star = false;
                    if let (Some(name), Some(source)) = (self.first_named(child), source) {
                        let name = self.plain_name(name);
                        let module = self.builder.module(source);
                        self.builder.export(self.namespace, name, module);
                    }
                }
                // `export = value` and `export as namespace X`.
                Kind::Equals => {
                    if let Some(&value) = children.last().filter(|_| children.len() > 2) {
                        let value = children
                            .iter()
                            .rev()
                            .copied()
                            .find(|child| child.is_named())
                            .unwrap_or(value);
                        self.whole_export(value, standing);
                    }
                    return;
                }
                _ => {}
            }
        }
        if star && let Some(source) = source {
            let module = self.builder.module(source);
            self.builder.namespace_mut(self.namespace).stars.push(module);
        }
    }

    /// What the file exports beside its own definitions under their own names.
    pub fn declare_published(&mut self) {
        let file = &self.builder.skeleton().namespaces[FILE_NAMESPACE.0 as usize];
        let Some(exports) = &file.exports else { return };
        let named = exports
            .iter()
            .map(|&(name, path)| (self.builder.str(name).to_owned(), path));
        let stars = file.stars.iter().map(|&star| match self.builder.node(star) {
            PathNode::Module(specifier) => (format!("* from {}", self.builder.str(specifier)), star),
            _ => ("*".to_owned(), star),
        });
        let exports = named.chain(stars).collect();
        self.builder.declare_exports(exports);
    }

    fn export_specifier(&mut self, node: Node<'t>, source: Option<&'s str>) {
        let fields = &self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let name = self.plain_name(name_node);
        let outside = self
            .field(node, fields.alias)
            .map_or(name, |alias| self.plain_name(alias));
        let path = match source {
            Some(source) => {
                let module = self.builder.module(source);
                self.builder.member(module, name)
            }
            None => self.builder.name(self.namespace, name),
        };
        self.builder.export(self.namespace, outside, path);
    }

    fn export_default(&mut self, value: Node<'t>, standing: Standing<'t>) {
        let inner = self.bare(value);
        match self.kind(inner) {
            Kind::Identifier => {
                let name = self.slice(inner);
                let path = self.builder.name(self.namespace, name);
                self.builder.export(self.namespace, "default", path);
            }
            Kind::FunctionExpression | Kind::GeneratorFunction | Kind::Class => {
                self.declaration(inner, standing, &[]);
            }
            kind => {
                let function = kind == Kind::ArrowFunction;
                let kind = if function {
                    DefinitionKind::Function
                } else {
                    DefinitionKind::Constant
                };
                let index = self.declare("default", kind, standing.whole, None);
                self.settle(index, "default", false, standing);
                self.value_definition(index, inner, standing.whole.start_byte());
            }
        }
    }

    /// A definition that is a value without a declaration of its own.
    fn value_definition(&mut self, index: DefinitionIndex, value: Node<'t>, start: usize) {
        let frame = std::mem::take(&mut self.frame);
        let place = self.enter_place(index);
        self.builder.open(index);
        self.builder.own_name();
        let path = if matches!(
            self.kind(value),
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction
        ) {
            self.function_value(index, start, value)
        } else {
            self.builder.end_signature();
            self.sign(index, start, value.start_byte());
            self.visit(value)
        };
        self.builder.close();
        self.place = place;
        self.set_metrics(index, frame);
        self.builder.definition_mut(index).value = Some(path);
    }

    /// `export = value`, `module.exports = value`.
    fn whole_export(&mut self, value: Node<'t>, standing: Standing<'t>) -> bool {
        let inner = self.bare(value);
        let path = match self.kind(inner) {
            Kind::Identifier => {
                let name = self.slice(inner);
                self.exported.insert(name);
                self.builder.name(self.namespace, name)
            }
            Kind::FunctionExpression | Kind::GeneratorFunction | Kind::ArrowFunction => {
                let name_node = self.field(inner, self.grammar.fields.name);
                let name = name_node.map_or("exports", |name| self.slice(name));
                let index = self.declare(name, DefinitionKind::Function, standing.whole, name_node);
                let standing = Standing {
                    exported: false,
                    default: true,
                    ..standing
                };
                self.settle(index, name, false, standing);
                let function = self.plain_function();
                self.value_definition(index, inner, standing.whole.start_byte());
                self.function = function;
                self.builder.definition_path(index)
            }
            Kind::Class => {
                let name_node = self.field(inner, self.grammar.fields.name);
                let name = name_node.map_or("exports", |name| self.slice(name));
                let index = self.declare(name, DefinitionKind::Type, standing.whole, name_node);
                let standing = Standing {
                    exported: false,
                    default: true,
                    ..standing
                };
                self.settle(index, name, false, standing);
                self.define(index, inner, standing.whole, &[]);
                self.builder.definition_path(index)
            }
            Kind::Call => {
                // `module.exports = require('./other')`.
                let Some(path) = self.required(inner) else {
                    return false;
                };
                path
            }
            Kind::Object => return self.object_export(inner),
            _ => return false,
        };
        self.builder.export(FILE_NAMESPACE, "export=", path);
        true
    }

    /// `module.exports = { a, b: c }` where all are names: exports without a token.
    fn object_export(&mut self, object: Node<'t>) -> bool {
        let fields = &self.grammar.fields;
        let mut plain = true;
        for child in self.children(object) {
            let (name, value) = match self.kind(child) {
                Kind::ShorthandProperty => (self.slice(child), child),
                Kind::Pair => match (self.field(child, fields.key), self.field(child, fields.value)) {
                    (Some(key), Some(value)) if self.kind(value) == Kind::Identifier => {
                        (self.plain_name(key), value)
                    }
                    _ => {
                        plain = false;
                        continue;
                    }
                },
                _ if child.is_named() => {
                    plain = false;
                    continue;
                }
                _ => continue,
            };
            let value = self.slice(value);
            self.exported.insert(value);
            let path = self.builder.name(self.namespace, value);
            self.builder.export(FILE_NAMESPACE, name, path);
        }
        plain
    }

    // Imports.

    pub fn import(&mut self, node: Node<'t>) {
        let fields = &self.grammar.fields;
        if self.kind(node) == Kind::ImportAlias {
            let parts: Vec<_> = self
                .children(node)
                .into_iter()
                .filter(|child| child.is_named())
                .collect();
            if let [name, target] = parts[..] {
                let mut path = None;
                for part in self.slice(target).split('.') {
                    path = Some(match path {
                        None => self.builder.name(self.namespace, part),
                        Some(base) => self.builder.member(base, part),
                    });
                }
                if let Some(path) = path {
                    let name = self.slice(name);
                    self.bind_import(name, path);
                }
            }
            return;
        }
        let mut source = self.field(node, fields.source);
        let mut clause = None;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::ImportClause => clause = Some(child),
                Kind::ImportRequire => {
                    clause = Some(child);
                    source = source.or_else(|| self.field(child, fields.source));
                }
                _ => {}
            }
        }
        let Some(source) = source else { return };
        let specifier = literals::content(self.slice(source));
        self.builder.add_import(specifier);
        let module = self.builder.module(specifier);
        let Some(clause) = clause else { return };
        let require = self.kind(clause) == Kind::ImportRequire;
        for child in self.children(clause) {
            match self.kind(child) {
                Kind::Identifier => {
                    let name = self.slice(child);
                    let path = if require {
                        module
                    } else {
                        self.builder.member(module, "default")
                    };
                    self.bind_import(name, path);
                }
                Kind::NamespaceImport => {
                    if let Some(name) = self.first_named(child) {
                        let name = self.slice(name);
                        self.bind_import(name, module);
                    }
                }
                Kind::NamedImports => {
                    for specifier in self.children(child) {
                        let Some(name) = self.field(specifier, fields.name) else {
                            continue;
                        };
                        let local = self.field(specifier, fields.alias).unwrap_or(name);
                        let name = self.plain_name(name);
                        let path = self.builder.member(module, name);
                        let local = self.slice(local);
                        self.bind_import(local, path);
                    }
                }
                _ => {}
            }
        }
    }

    fn bind_import(&mut self, name: &'s str, path: PathId) {
        if self.local > 0 {
            self.values.bind(name, Binding::Named(path));
        } else {
            self.builder.bind(self.namespace, name, path);
        }
    }

    /// What a declarator's value imports: `require('x')` or a member of it.
    fn required(&mut self, value: Node<'t>) -> Option<PathId> {
        let fields = &self.grammar.fields;
        let value = self.bare(value);
        match self.kind(value) {
            Kind::Member => {
                let base = self.field(value, fields.object)?;
                let property = self.field(value, fields.property)?;
                let base = self.required(base)?;
                let name = self.slice(property);
                Some(self.builder.member(base, name))
            }
            Kind::Call if self.is_require(value) => {
                let arguments = self.field(value, fields.arguments)?;
                let specifier = literals::content(self.slice(self.first_named(arguments)?));
                self.builder.add_import(specifier);
                Some(self.builder.module(specifier))
            }
            _ => None,
        }
    }

    fn is_require(&self, call: Node<'t>) -> bool {
        let fields = &self.grammar.fields;
        let (Some(function), Some(arguments)) = (
            self.field(call, fields.function),
            self.field(call, fields.arguments),
        ) else {
            return false;
        };
        let Some(argument) = self.first_named(arguments) else {
            return false;
        };
        self.kind(function) == Kind::Identifier
            && self.slice(function) == "require"
            && self.values.find("require").is_none()
            && self.kind(argument) == Kind::String
    }

    /// Whether a declarator only imports.
    fn imports_value(&self, declarator: Node<'t>) -> bool {
        let fields = &self.grammar.fields;
        let Some(mut value) = self.field(declarator, fields.value).map(|value| self.bare(value)) else {
            return false;
        };
        for _ in 0..8 {
            match self.kind(value) {
                Kind::Member => match self.field(value, fields.object) {
                    Some(object) => value = self.bare(object),
                    None => return false,
                },
                Kind::Call => return self.is_require(value) && self.is_plain_pattern(declarator),
                _ => return false,
            }
        }
        false
    }

    /// Whether a declarator's pattern only names members.
    fn is_plain_pattern(&self, declarator: Node<'t>) -> bool {
        let Some(name) = self.field(declarator, self.grammar.fields.name) else {
            return false;
        };
        match self.kind(name) {
            Kind::Identifier => true,
            Kind::ObjectPattern => {
                self.children(name)
                    .iter()
                    .filter(|child| child.is_named())
                    .all(|&child| {
                        self.kind(child) == Kind::ShorthandPattern
                            || self.kind(child) == Kind::PairPattern
                                && self
                                    .field(child, self.grammar.fields.value)
                                    .is_some_and(|value| self.kind(value) == Kind::Identifier)
                    })
            }
            _ => false,
        }
    }

    /// Binds what a declarator in a function imports, if that is all it does.
    pub fn local_import(&mut self, declarator: Node<'t>) -> bool {
        if !self.imports_value(declarator) {
            return false;
        }
        let fields = &self.grammar.fields;
        let (Some(name), Some(value)) = (
            self.field(declarator, fields.name),
            self.field(declarator, fields.value),
        ) else {
            return false;
        };
        let Some(path) = self.required(value) else {
            return false;
        };
        let pairs = self.pattern_members(name, path);
        for (name, path) in pairs {
            if self.local > 0 {
                self.values.update(name, Binding::Named(path));
            } else {
                self.builder.bind(self.namespace, name, path);
            }
        }
        true
    }

    fn pattern_members(&mut self, name: Node<'t>, path: PathId) -> Vec<(&'s str, PathId)> {
        let fields = &self.grammar.fields;
        if self.kind(name) == Kind::Identifier {
            return vec![(self.slice(name), path)];
        }
        let mut pairs = Vec::new();
        for child in self.children(name) {
            match self.kind(child) {
                Kind::ShorthandPattern => {
                    let name = self.slice(child);
                    pairs.push((name, self.builder.member(path, name)));
                }
                Kind::PairPattern => {
                    if let (Some(key), Some(value)) =
                        (self.field(child, fields.key), self.field(child, fields.value))
                    {
                        let key = self.plain_name(key);
                        let member = self.builder.member(path, key);
                        pairs.push((self.slice(value), member));
                    }
                }
                _ => {}
            }
        }
        pairs
    }

    // Values.

    fn module_variables(&mut self, node: Node<'t>, standing: Standing<'t>) {
        let fields = &self.grammar.fields;
        let children = self.children(node);
        let keyword = children.first().map_or("", |&child| self.slice(child));
        let count = children
            .iter()
            .filter(|&&child| self.kind(child) == Kind::VariableDeclarator)
            .count();
        for &child in &children {
            if self.kind(child) != Kind::VariableDeclarator {
                continue;
            }
            let Some(name_node) = self.field(child, fields.name) else {
                continue;
            };
            if !standing.exported && self.local_import(child) {
                continue;
            }
            if self.kind(name_node) != Kind::Identifier {
                for name in self.names_of(name_node) {
                    self.apart.push((self.namespace, name, standing.exported));
                }
                self.set_aside(child, keyword);
                continue;
            }
            let name = self.slice(name_node);
            let value = self.field(child, fields.value);
            // `var app = exports = module.exports = {}`.
            if value.is_some_and(|value| {
                let text = self.slice(value);
                let text = text.strip_prefix("exports = ").unwrap_or(text);
                text.starts_with("module.exports = ") && !self.declared.contains_key("module")
            }) {
                self.exported.insert(name);
                let path = self.builder.name(self.namespace, name);
                self.builder.export(FILE_NAMESPACE, "export=", path);
            }
            let kind = value
                .and_then(|value| self.defining_value(value))
                .unwrap_or(DefinitionKind::Constant);
            let whole = if count == 1 { standing.whole } else { child };
            let index = self.declare(name, kind, whole, Some(name_node));
            self.settle(index, name, true, standing);
            self.constant(index, keyword, child);
        }
    }

    /// `exports.a = ...`, `module.exports = ...`, `A.prototype.b = function`,
    /// `a.b = function`. Whether the assignment was read.
    fn assigned(&mut self, node: Node<'t>, standing: Standing<'t>) -> bool {
        let fields = &self.grammar.fields;
        let (Some(left), Some(right)) = (self.field(node, fields.left), self.field(node, fields.right))
        else {
            return false;
        };
        if self.kind(left) != Kind::Member {
            // `exports = module.exports = value`.
            return self.slice(left) == "exports"
                && !self.declared.contains_key("exports")
                && self.kind(right) == self.kind(node)
                && self.assigned(right, standing);
        }
        let (Some(object), Some(property)) =
            (self.field(left, fields.object), self.field(left, fields.property))
        else {
            return false;
        };
        let text = self.slice(left);
        if text == "module.exports" && !self.declared.contains_key("module") {
            return self.whole_export(right, standing);
        }
        let object_text = self.slice(object);
        let name = self.slice(property);
        let value = self.bare(right);
        if matches!(object_text, "exports" | "module.exports") && !self.declared.contains_key("exports") {
            if self.kind(value) == Kind::Identifier {
                let inner = self.slice(value);
                self.exported.insert(inner);
                let path = self.builder.name(self.namespace, inner);
                self.builder.export(FILE_NAMESPACE, name, path);
                return true;
            }
            if name.starts_with("__") {
                return false;
            }
            let kind = self.defining_value(value).unwrap_or(DefinitionKind::Constant);
            let index = self.declare(name, kind, standing.whole, Some(property));
            self.settle(
                index,
                name,
                false,
                Standing {
                    exported: true,
                    ..standing
                },
            );
            if kind == DefinitionKind::Type {
                self.define(index, value, value, &[]);
            } else {
                let function = self.plain_function();
                self.value_definition(index, value, standing.whole.start_byte());
                self.function = function;
            }
            return true;
        }
        if self.defining_value(value) != Some(DefinitionKind::Function)
            || self.kind(value) == Kind::ArrowFunction
        {
            return false;
        }
        let owner = object_text.strip_suffix(".prototype").unwrap_or(object_text);
        if !self.declared.get(owner).is_some_and(|declares| declares.value) {
            return false;
        }
        let owner_path = self.builder.name(self.namespace, owner);
        let qualified = format!("{}{owner}.{name}", self.place.prefix);
        let index = self.builder.declare(&Declared {
            name,
            qualified: &qualified,
            kind: DefinitionKind::Method,
            container: None,
            span: span(standing.whole),
            name_span: span(property),
        });
        self.document(index, standing.comment);
        let definition = self.builder.definition_mut(index);
        definition.owner = Some(owner_path);
        definition.reach = if name.starts_with('_') {
            Reach::Private
        } else {
            Reach::Public
        };
        let function = self.plain_function();
        self.function.this = owner_path;
        self.value_definition(index, value, standing.whole.start_byte());
        self.function = function;
        true
    }

    // Namespaces.

    fn inline_module(&mut self, node: Node<'t>, standing: Standing<'t>) {
        let fields = &self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let outer = self.namespace;
        let prefix = self.place.prefix.clone();
        let name = self.plain_name(name_node);
        let quoted = self.kind(name_node) == Kind::String;
        let parts: Vec<&'s str> = if quoted {
            vec![name]
        } else {
            name.split('.').collect()
        };
        for (at, part) in parts.into_iter().enumerate() {
            let part = part.trim();
            let known = if quoted {
                None
            } else {
                self.namespaces.get(&(self.namespace, part)).copied()
            };
            let namespace = known.unwrap_or_else(|| self.builder.add_namespace(self.namespace, true));
            if known.is_none() && !quoted {
                self.namespaces.insert((self.namespace, part), namespace);
                let path = self.builder.path(PathNode::Namespace(namespace));
                self.bind_once(part, path);
                if standing.exported || at > 0 {
                    self.export_once(part, path);
                }
            }
            self.namespace = namespace;
            self.builder
                .namespace_mut(namespace)
                .exports
                .get_or_insert_default();
            self.place.prefix.push_str(part);
            self.place.prefix.push('.');
        }
        if let Some(body) = self.field(node, fields.body) {
            let ambient = self.kind(standing.whole) == Kind::AmbientDeclaration || quoted;
            self.guarded(body, (), |walker| walker.module(body, ambient));
        }
        self.place.prefix = prefix;
        self.namespace = outer;
    }

    // Statements of the module.

    fn set_aside(&mut self, node: Node<'t>, keyword: &'s str) {
        self.loose.push(Loose {
            namespace: self.namespace,
            node,
            keyword,
        });
    }

    fn loose_statements(&mut self, root: Node<'t>) {
        let loose = std::mem::take(&mut self.loose);
        if loose.is_empty() {
            return;
        }
        let mut index = None;
        if loose.iter().any(|loose| self.stays(loose.node)) {
            let first = loose.first().map_or(root, |loose| loose.node);
            let declared = self.declare("module", DefinitionKind::Module, root, None);
            let line = self.builder.line_of(first.start_byte() as u32);
            let end = loose
                .last()
                .map_or(root.end_byte(), |loose| loose.node.end_byte());
            let last = self.builder.line_of(end.saturating_sub(1) as u32);
            let definition = self.builder.definition_mut(declared);
            definition.span = Span {
                start: first.start_byte() as u32,
                end: end as u32,
            };
            definition.lines = (line, last);
            let path = self.builder.definition_path(declared);
            for (namespace, name, exported) in std::mem::take(&mut self.apart) {
                let outer = std::mem::replace(&mut self.namespace, namespace);
                self.bind_once(name, path);
                if exported {
                    self.export_once(name, path);
                }
                self.namespace = outer;
            }
            self.builder.open(declared);
            self.builder.end_signature();
            index = Some(declared);
        }
        let place = index.map(|index| self.enter_place(index));
        let frame = std::mem::take(&mut self.frame);
        for Loose {
            namespace,
            node: statement,
            keyword,
        } in loose
        {
            self.namespace = namespace;
            self.tests = true;
            match self.kind(statement) {
                Kind::VariableDeclarator => {
                    self.text(keyword);
                    self.declarator(statement);
                    self.text(";");
                }
                _ => self.statement(statement),
            }
        }
        self.namespace = FILE_NAMESPACE;
        if let Some(place) = place {
            self.place = place;
        }
        if let Some(index) = index {
            self.builder.close();
            self.set_metrics(index, frame);
        }
    }

    /// Whether a statement leaves tokens in the module: all but tests do.
    fn stays(&self, statement: Node<'t>) -> bool {
        let mut pending = vec![(statement, 0)];
        while let Some((at, depth)) = pending.pop() {
            let call = match self.kind(at) {
                Kind::ExpressionStatement => self.first_named(at),
                Kind::Call => Some(at),
                Kind::Comment | Kind::EmptyStatement => continue,
                _ => None,
            };
            match call.and_then(|call| self.test_body(call)) {
                Some(body) if depth < MAX_DEPTH / 4 => {
                    pending.extend(body.into_iter().map(|at| (at, depth + 1)))
                }
                _ => return true,
            }
        }
        false
    }
}
