//! The file, its constants, functions and classes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tree_sitter::Node;

use super::{Kind, library, scope::*, walker::*};
use crate::{
    builder::{Declared, first_paragraph},
    model::*,
    syntax,
};

/// A name that more branches bind means nothing certain.
const MAX_MEANINGS: usize = 16;

/// What decorators say of a definition.
#[derive(Debug, Default)]
struct Decorators {
    property: bool,
    class_method: bool,
    static_method: bool,
    /// Another accessor of a property that stands above.
    accessor: bool,
    context: bool,
    deprecated: bool,
}

/// Names that `__all__` lists.
#[derive(Debug, Default)]
struct All {
    names: BTreeSet<String>,
    present: bool,
    /// Whether it holds something else than literals.
    unclear: bool,
}

impl All {
    fn known(&self) -> bool {
        self.present && !self.unclear
    }
}

impl<'a, 't> Walker<'a, 't> {
    pub fn file(&mut self, root: Node<'t>) {
        self.scopes.push(Scope::new(ScopeKind::Module, None));
        self.collect(root);
        let parts = self.parts(root);
        let mut all = All::default();
        let mut module: Option<Span> = None;
        let mut first = true;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            self.read_all(part, &mut all);
            if first && let Some(text) = self.documentation(part) {
                self.builder.set_purpose(&first_paragraph(&text));
            }
            first = false;
            if self.is_module_statement(part) {
                let span = syntax::span(part.node);
                module = Some(Span {
                    start: module.map_or(span.start, |module| module.start),
                    end: span.end,
                });
            }
        }
        self.bind_names(&all);
        if let Some(span) = module {
            let index = self.builder.declare(&Declared {
                name: "module",
                qualified: "module",
                kind: DefinitionKind::Module,
                container: None,
                span,
                name_span: Span {
                    start: span.start,
                    end: span.start,
                },
            });
            let definition = self.builder.definition_mut(index);
            definition.reach = Reach::Public;
            self.open(index);
            self.builder.end_signature();
        }
        for index in parts.start..parts.end {
            let part = self.parts[index];
            self.statement(part);
        }
        if module.is_some() {
            self.close();
        }
        self.release(parts);
        for index in 0..self.builder.skeleton().definitions.len() {
            self.set_reach(DefinitionIndex(index as u32), &all);
        }
        self.scopes.pop();
    }

    fn is_module_statement(&mut self, part: Part<'t>) -> bool {
        match part.kind {
            Kind::ImportStatement
            | Kind::ImportFromStatement
            | Kind::FutureImportStatement
            | Kind::FunctionDefinition
            | Kind::ClassDefinition
            | Kind::DecoratedDefinition
            | Kind::TypeAliasStatement
            | Kind::Semicolon
            | Kind::PassStatement => false,
            Kind::ExpressionStatement => {
                if self.is_string_statement(part) {
                    return false;
                }
                let parts = self.parts(part.node);
                let first = self.first_named(parts);
                self.release(parts);
                !first.is_some_and(|first| {
                    first.kind == Kind::Assignment && self.declared_name(first.node).is_some()
                })
            }
            Kind::IfStatement => !self.only_imports_for_checking(part.node),
            _ => true,
        }
    }

    /// Whether a statement is `if TYPE_CHECKING:` over imports alone.
    pub fn only_imports_for_checking(&mut self, node: Node<'t>) -> bool {
        let parts = self.parts(node);
        let condition = self.first_named(parts).map_or("", |part| self.slice(part.node));
        let mut only = condition == "TYPE_CHECKING" || condition.ends_with(".TYPE_CHECKING");
        for index in parts.start..parts.end {
            let part = self.parts[index];
            match part.kind {
                Kind::ElifClause | Kind::ElseClause => only = false,
                Kind::Block if only => {
                    let inner = self.parts(part.node);
                    only = self.parts[inner.start..inner.end].iter().all(|part| {
                        matches!(
                            part.kind,
                            Kind::ImportStatement
                                | Kind::ImportFromStatement
                                | Kind::Semicolon
                                | Kind::PassStatement
                        )
                    });
                    self.release(inner);
                }
                _ => {}
            }
        }
        self.release(parts);
        only
    }

    /// The definition that an assignment declares.
    pub fn declared_name(&mut self, assignment: Node<'t>) -> Option<DefinitionIndex> {
        let at = assignment.start_byte() as u32;
        self.declared.get(&at).copied()
    }

    /// Puts the names of the module into its namespace.
    fn bind_names(&mut self, all: &All) {
        let unknown = self.builder.unknown();
        let mut names: Vec<(&'a str, Vec<PathId>)> = Vec::with_capacity(self.module_names.len());
        let mut ordered: Vec<(&'a str, u32)> = self
            .module_names
            .iter()
            .map(|(&name, bindings)| (name, bindings.first().map_or(0, |first| first.at)))
            .collect();
        ordered.sort_unstable_by_key(|&(name, at)| (at, name));
        for (name, _) in ordered {
            let bindings = &self.module_names[name];
            let last = bindings
                .iter()
                .rposition(|binding| !binding.conditional)
                .unwrap_or(0);
            let mut paths: Vec<PathId> = bindings[last..].iter().map(|binding| binding.path).collect();
            if bindings[last].conditional {
                paths = bindings.iter().map(|binding| binding.path).collect();
            }
            paths.dedup();
            if paths.len() > MAX_MEANINGS {
                paths = vec![unknown];
            }
            // A variable keeps its definition when it is assigned again.
            if let Some(constant) = paths.iter().copied().find(|&path| self.is_constant(path))
                && paths.iter().all(|&path| path == constant || path == unknown)
            {
                paths = vec![constant];
            }
            names.push((name, paths));
        }
        for (name, paths) in &names {
            for &path in paths {
                self.builder.bind(FILE_NAMESPACE, name, path);
            }
        }
        if all.known() {
            for name in &all.names {
                let path = self.builder.name(FILE_NAMESPACE, name);
                self.builder.export(FILE_NAMESPACE, name, path);
            }
        } else if names.iter().any(|(name, _)| name.starts_with('_')) {
            self.builder
                .namespace_mut(FILE_NAMESPACE)
                .exports
                .get_or_insert_default();
            for (name, paths) in names.iter().filter(|(name, _)| !name.starts_with('_')) {
                for &path in paths {
                    self.builder.export(FILE_NAMESPACE, name, path);
                }
            }
        }
    }

    fn is_constant(&self, path: PathId) -> bool {
        match self.builder.node(path) {
            PathNode::Definition(index) => self.builder.definition(index).kind == DefinitionKind::Constant,
            _ => false,
        }
    }

    /// Whether a module-level name is also assigned elsewhere in the module.
    fn is_assigned_again(&self, name: &str) -> bool {
        self.module_names
            .get(name)
            .is_some_and(|bindings| bindings.len() > 1)
    }

    fn set_reach(&mut self, index: DefinitionIndex, all: &All) {
        let definition = self.builder.definition(index);
        if definition.kind == DefinitionKind::Module {
            return;
        }
        let name = self.builder.str(definition.name);
        let dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
        let public = match definition.container {
            None if all.known() => all.names.contains(name) || dunder,
            Some(container)
                if !matches!(
                    self.builder.definition(container).kind,
                    DefinitionKind::Type | DefinitionKind::Ability
                ) =>
            {
                false
            }
            _ => dunder || !name.starts_with('_'),
        };
        self.builder.definition_mut(index).reach = if public { Reach::Public } else { Reach::Private };
    }

    /// What a statement says of `__all__`.
    fn read_all(&mut self, part: Part<'t>, all: &mut All) {
        if part.kind != Kind::ExpressionStatement || !self.slice(part.node).starts_with("__all__") {
            return;
        }
        let parts = self.parts(part.node);
        let first = self.first_named(parts);
        self.release(parts);
        let Some(first) = first else { return };
        let parts = self.parts(first.node);
        let last = self.parts[parts.start..parts.end].last().copied();
        self.release(parts);
        let Some(last) = last else { return };
        match first.kind {
            Kind::Assignment => {
                *all = All {
                    present: true,
                    ..All::default()
                };
                self.read_names(last.node, all);
            }
            Kind::AugmentedAssignment => self.read_names(last.node, all),
            // `__all__.append("name")`, `__all__.extend([...])`.
            Kind::Call => self.read_names(last.node, all),
            _ => {}
        }
    }

    fn read_names(&mut self, node: Node<'t>, all: &mut All) {
        let parts = self.parts(node);
        match self.kind(node) {
            Kind::String | Kind::ConcatenatedString => {
                if let Some(name) = self.plain_string(node) {
                    all.names.insert(name);
                }
            }
            Kind::List | Kind::Tuple | Kind::ExpressionList | Kind::ArgumentList => {
                for index in parts.start..parts.end {
                    let part = self.parts[index];
                    match part.kind {
                        Kind::String | Kind::ConcatenatedString | Kind::List | Kind::Tuple => {
                            self.read_names(part.node, all);
                        }
                        _ if part.node.is_named() => all.unclear = true,
                        _ => {}
                    }
                }
            }
            Kind::ParenthesizedExpression => {
                if let Some(inner) = self.first_named(parts) {
                    let node = self.unwrap(inner.node);
                    self.read_names(node, all);
                }
            }
            _ => all.unclear = true,
        }
        self.release(parts);
    }

    // Opening and closing.

    pub fn open(&mut self, index: DefinitionIndex) {
        self.builder.open(index);
        self.metrics.push((0, Metrics::default()));
    }

    pub fn close(&mut self) -> DefinitionIndex {
        let index = self.builder.close();
        if let Some((_, metrics)) = self.metrics.pop() {
            self.builder.definition_mut(index).metrics = metrics;
        }
        index
    }

    // Constants.

    pub fn constant(&mut self, index: DefinitionIndex, assignment: Node<'t>) {
        let fields = &self.grammar.fields;
        let parts = self.parts(assignment);
        let annotation = self.field(parts, fields.type_);
        let value = self.field(parts, fields.right);
        self.release(parts);
        self.open(index);
        self.builder.own_name();
        let mut evident = None;
        if let Some(annotation) = annotation {
            self.text(":");
            evident = Some(self.annotation(annotation.node));
        }
        self.builder.end_signature();
        let mut found = self.builder.unknown();
        if let Some(value) = value {
            self.text("=");
            let says_alias = annotation.is_some_and(|part| self.slice(part.node).ends_with("TypeAlias"));
            let value = self.unwrap(value.node);
            found = match self.alias_type(value) {
                Some(alias) if self.kind(value) == Kind::Subscript => {
                    self.annotation(value);
                    alias
                }
                _ if says_alias => self.annotation(value),
                alias => {
                    let found = self.expression(value, false);
                    alias.unwrap_or(found)
                }
            };
            if says_alias {
                evident = None;
            }
        }
        let name = self.builder.definition(index).name;
        let name = self.builder.str(name).to_owned();
        if let Some(evident) = evident.filter(|&path| path != self.builder.unknown()) {
            found = evident;
        } else if self.is_assigned_again(&name) {
            found = self.builder.unknown();
        }
        let found = self.known(found);
        let index = self.close();
        let signature = match annotation {
            Some(annotation) => format!("{name}: {}", self.one_line(syntax::span(annotation.node))),
            None => name,
        };
        let signature = self.builder.intern(&signature);
        let unknown = self.builder.unknown();
        let definition = self.builder.definition_mut(index);
        definition.signature = signature;
        definition.value = (found != unknown).then_some(found);
    }

    pub fn type_alias(&mut self, node: Node<'t>) {
        let parts = self.parts(node);
        let left = self.field(parts, self.grammar.fields.left);
        let right = self.field(parts, self.grammar.fields.right);
        self.release(parts);
        let (Some(left), Some(right)) = (left, right) else {
            return;
        };
        let mut name = left.node;
        while let Some(inner) = name.child(0).filter(|_| self.kind(name) != Kind::Identifier) {
            name = inner;
        }
        let Some(&index) = self.declared.get(&(name.start_byte() as u32)) else {
            return;
        };
        self.open(index);
        self.text("type");
        self.builder.own_name();
        self.scopes.push(Scope::new(ScopeKind::Expression, None));
        self.type_parameters(left.node, name);
        self.builder.end_signature();
        self.text("=");
        let value = self.annotation(right.node);
        self.scopes.pop();
        let value = self.known(value);
        let index = self.close();
        let signature = format!("type {}", self.one_line(syntax::span(left.node)));
        let signature = self.builder.intern(&signature);
        let unknown = self.builder.unknown();
        let definition = self.builder.definition_mut(index);
        definition.signature = signature;
        definition.value = (value != unknown).then_some(value);
    }

    /// Tokens of the type parameters inside `node`, all but `name`.
    fn type_parameters(&mut self, node: Node<'t>, name: Node<'t>) {
        let unknown = self.builder.unknown();
        let mut found = Vec::new();
        syntax::for_each_leaf(node, |leaf| found.push(leaf));
        for leaf in found {
            if leaf == name || matches!(self.kind(leaf), Kind::Comment | Kind::LineContinuation) {
                continue;
            }
            if self.kind(leaf) == Kind::Identifier {
                let text = self.slice(leaf);
                match self.look_up(text, leaf.start_byte() as u32) {
                    Meaning::Refers(path) if !self.is_first_use(text) => {
                        self.builder.reference(syntax::span(leaf), text, path, false);
                        continue;
                    }
                    _ => self.set_here(text, unknown),
                }
            }
            self.leaf(leaf);
        }
    }

    /// Whether a name means nothing that this file knows: a parameter it declares.
    fn is_first_use(&self, name: &str) -> bool {
        !self.module_names.contains_key(name) && library::builtin(name).is_none()
    }

    // Functions.

    pub fn function(&mut self, node: Node<'t>, decorated: Option<Node<'t>>) {
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let name = self.field(parts, fields.name);
        let parameters = self.field(parts, fields.parameters);
        let type_parameters = self.field(parts, fields.type_parameters);
        let result = self.field(parts, fields.return_type);
        let body = self.field(parts, fields.body);
        let is_async = self.parts[parts.start..parts.end]
            .first()
            .is_some_and(|part| part.node.kind() == "async");
        self.release(parts);
        let Some(name) = name else { return };
        let Some(&index) = self.declared.get(&(name.node.start_byte() as u32)) else {
            return;
        };
        let class = match self.scopes.last() {
            Some(scope) if scope.kind == ScopeKind::Class => self.classes.len().checked_sub(1),
            _ => None,
        };
        self.open(index);
        let decorators = self.decorators(decorated);
        if is_async {
            self.text("async");
        }
        self.text("def");
        self.builder.own_name();
        self.scopes.push(Scope::new(ScopeKind::Expression, None));
        if let Some(type_parameters) = type_parameters {
            self.type_parameters(type_parameters.node, name.node);
        }
        let mut scope = Scope::new(ScopeKind::Function, Some(index));
        let unknown = self.builder.unknown();
        let mut first_annotation = "";
        if let Some(parameters) = parameters {
            let bound = self.parameters(parameters.node);
            for (position, parameter) in bound.into_iter().enumerate() {
                let mut value = parameter.value;
                if position == 0
                    && let Some(class) = class.filter(|_| !decorators.static_method && !parameter.splat)
                {
                    first_annotation = parameter.annotation;
                    let class_itself = decorators.class_method
                        || matches!(
                            self.slice(name.node),
                            "__new__" | "__init_subclass__" | "__class_getitem__"
                        );
                    value = if class_itself {
                        self.classes[class].path
                    } else {
                        scope.receiver = Some((parameter.name, class));
                        self.classes[class].value
                    };
                }
                if value == self.builder.path(PathNode::Receiver) {
                    value = class.map_or(unknown, |class| self.classes[class].value);
                }
                scope.names.insert(
                    parameter.name,
                    Local {
                        bound: Some(Bound { value, refers: false }),
                        times: 1,
                    },
                );
            }
        }
        let mut declared = None;
        if let Some(result) = result {
            self.text("->");
            let path = self.annotation(result.node);
            declared = Some(path);
            if !first_annotation.is_empty() {
                let written = self.slice(result.node).trim_matches(['"', '\'']);
                if first_annotation == written || class_argument(first_annotation) == Some(written) {
                    declared = Some(self.builder.path(PathNode::Receiver));
                }
            }
        }
        self.builder.end_signature();
        self.scopes.push(scope);
        if let Some(body) = body {
            self.collect(body.node);
            self.body(body.node);
        }
        let scope = self.scopes.pop();
        self.scopes.pop();
        let inferred = scope
            .filter(|scope| !scope.yields)
            .and_then(|scope| scope.returns)
            .map(|path| self.as_receiver(path, class));
        let mut value = match declared {
            Some(declared) => self.known(declared),
            None => inferred.map_or(unknown, |path| self.known(path)),
        };
        if value != unknown {
            if is_async && !matches!(self.builder.node(value), PathNode::Container(..) if decorators.context)
            {
                value = self.library_container("types.CoroutineType", value);
            } else if decorators.context {
                value = self.element(value);
                value = self.library_container("contextlib.contextmanager", value);
            }
        }
        self.close();
        let documentation = body.and_then(|body| self.block_documentation(body.node));
        let end = match (result, parameters) {
            (Some(result), _) => result.node.end_byte(),
            (_, Some(parameters)) => parameters.node.end_byte(),
            _ => name.node.end_byte(),
        };
        let signature = self.one_line(Span {
            start: node.start_byte() as u32,
            end: end as u32,
        });
        self.describe(index, &signature, documentation);
        let owner = decorators.accessor.then_some(unknown);
        let definition = self.builder.definition_mut(index);
        definition.value = (value != unknown).then_some(value);
        definition.property = decorators.property;
        definition.deprecated |= decorators.deprecated;
        definition.owner = owner;
    }

    /// A result that is the method's own receiver.
    fn as_receiver(&mut self, path: PathId, class: Option<usize>) -> PathId {
        let Some(class) = class else { return path };
        let (itself, value) = (self.classes[class].path, self.classes[class].value);
        if path == value || self.builder.node(path) == PathNode::Call(itself) {
            return self.builder.path(PathNode::Receiver);
        }
        path
    }

    fn describe(&mut self, index: DefinitionIndex, signature: &str, documentation: Option<String>) {
        let signature = self.builder.intern(signature);
        let text = documentation.unwrap_or_default();
        let purpose = first_paragraph(&text);
        let purpose = self.builder.intern(&purpose);
        let definition = self.builder.definition_mut(index);
        definition.signature = signature;
        definition.purpose = purpose;
        definition.has_example = text.lines().any(|line| line.trim_start().starts_with(">>> "));
        definition.deprecated |= text.contains(".. deprecated::");
    }

    /// Tokens of the decorators, and what they say.
    fn decorators(&mut self, decorated: Option<Node<'t>>) -> Decorators {
        let mut found = Decorators::default();
        let Some(decorated) = decorated else { return found };
        let parts = self.parts(decorated);
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if part.kind != Kind::Decorator {
                continue;
            }
            let inner = self.parts(part.node);
            let expression = self.first_named(inner);
            self.release(inner);
            let Some(expression) = expression else { continue };
            self.text("@");
            self.expression(expression.node, false);
            self.text(";");
            let text = self.slice(expression.node);
            let called = text.split('(').next().unwrap_or("").trim();
            let (base, last) = called.rsplit_once('.').unwrap_or(("", called));
            match last {
                "property" | "cached_property" | "abstractproperty" | "lazyproperty" | "lazy_property"
                | "reify" | "memoized_property" | "hybrid_property" => found.property = true,
                "classmethod" | "abstractclassmethod" => found.class_method = true,
                "staticmethod" | "abstractstaticmethod" => found.static_method = true,
                "setter" | "deleter" if !base.is_empty() => found.accessor = true,
                "getter" if !base.is_empty() => found.property = true,
                "contextmanager" | "asynccontextmanager" => found.context = true,
                "deprecated" => found.deprecated = true,
                _ => {}
            }
        }
        self.release(parts);
        found
    }

    // Classes.

    pub fn class(&mut self, node: Node<'t>, decorated: Option<Node<'t>>) {
        let fields = &self.grammar.fields;
        let parts = self.parts(node);
        let name = self.field(parts, fields.name);
        let type_parameters = self.field(parts, fields.type_parameters);
        let bases = self.field(parts, fields.superclasses);
        let body = self.field(parts, fields.body);
        self.release(parts);
        let Some(name) = name else { return };
        let Some(&index) = self.declared.get(&(name.node.start_byte() as u32)) else {
            return;
        };
        self.open(index);
        let decorators = self.decorators(decorated);
        self.text("class");
        self.builder.own_name();
        self.scopes.push(Scope::new(ScopeKind::Expression, None));
        if let Some(type_parameters) = type_parameters {
            self.type_parameters(type_parameters.node, name.node);
        }
        let path = self.builder.definition_path(index);
        let value = self.builder.instance(path);
        let class_name = self.slice(name.node);
        let mut class = Class {
            index,
            path,
            value,
            fields: Vec::new(),
            field_at: HashMap::new(),
            members: Vec::new(),
            enumeration: false,
            tests: class_name.starts_with("Test"),
        };
        if let Some(bases) = bases {
            self.bases(bases.node, &mut class);
        }
        self.builder.end_signature();
        self.classes.push(class);
        self.scopes.push(Scope::new(ScopeKind::Class, Some(index)));
        if let Some(body) = body {
            self.collect(body.node);
            self.body(body.node);
        }
        self.scopes.pop();
        self.scopes.pop();
        let class = self.classes.pop().expect("the class was pushed");
        self.close();
        self.settle_members(&class);
        let documentation = body.and_then(|body| self.block_documentation(body.node));
        let end = bases.or(type_parameters).unwrap_or(name).node.end_byte();
        let signature = self.one_line(Span {
            start: node.start_byte() as u32,
            end: end as u32,
        });
        let signature = signature.strip_suffix("()").unwrap_or(&signature).to_owned();
        self.describe(index, &signature, documentation);
        let mut fields = Vec::with_capacity(class.fields.len());
        for Attribute { name, value, set, .. } in class.fields {
            let name = match set {
                true => self.builder.intern(&format!("(self){name}")),
                false => self.builder.intern(name),
            };
            let value = self.known(value);
            fields.push(Field {
                name,
                value,
                callable: false,
            });
        }
        let definition = self.builder.definition_mut(index);
        definition.fields.extend(fields);
        definition.deprecated |= decorators.deprecated;
    }

    fn bases(&mut self, node: Node<'t>, class: &mut Class<'a>) {
        let parts = self.parts(node);
        let count = self.parts[parts.start..parts.end]
            .iter()
            .filter(|part| part.node.is_named())
            .count();
        if count > 0 {
            self.text("(");
        }
        let mut written = 0;
        for index in parts.start..parts.end {
            let part = self.parts[index];
            if !part.node.is_named() {
                continue;
            }
            if written > 0 {
                self.text(",");
            }
            written += 1;
            if part.kind == Kind::KeywordArgument {
                self.argument(part);
                continue;
            }
            let mut path = self.expression(part.node, false);
            let mut text = self.slice(part.node);
            if part.kind == Kind::Subscript {
                path = match self.builder.node(path) {
                    PathNode::Element(base) => base,
                    _ => path,
                };
                text = text.split('[').next().unwrap_or("").trim_end();
            }
            let last = text.rsplit('.').next().unwrap_or("");
            if last == "Protocol" {
                self.builder.definition_mut(class.index).kind = DefinitionKind::Ability;
            }
            class.enumeration |= library::is_enumeration(last);
            class.tests |= last.ends_with("TestCase") || last.ends_with("TestBase");
            if path != self.builder.unknown() {
                self.builder.definition_mut(class.index).bases.push(path);
            }
        }
        if count > 0 {
            self.text(")");
        }
        self.release(parts);
    }

    /// Of members with one name, the one that the name leads to; and what special
    /// methods say of values of the class.
    fn settle_members(&mut self, class: &Class<'a>) {
        let mut members: BTreeMap<Str, Vec<DefinitionIndex>> = BTreeMap::new();
        for &index in &class.members {
            let definition = self.builder.definition(index);
            if definition.owner.is_none() {
                members.entry(definition.name).or_default().push(index);
            }
        }
        let unknown = self.builder.unknown();
        for (name, indexes) in members {
            let Some((&last, others)) = indexes.split_last() else {
                continue;
            };
            // The last definition counts, unless a branch decides.
            if !indexes.iter().any(|index| self.conditional.contains(index)) {
                for &other in others {
                    self.builder.definition_mut(other).owner = Some(unknown);
                }
            }
            let special = match self.builder.str(name) {
                "__iter__" | "__aiter__" => "(item)",
                "__getitem__" => "[]",
                "__enter__" | "__aenter__" => "(enter)",
                "__call__" => "()",
                _ => continue,
            };
            let method = self.builder.definition_path(last);
            let mut value = self.builder.call(method);
            if matches!(self.builder.str(name), "__iter__" | "__aenter__") {
                value = self.builder.element(value);
            }
            let callable = special == "()";
            let name = self.builder.intern(special);
            let field = Field {
                name,
                value,
                callable,
            };
            self.builder.definition_mut(class.index).fields.push(field);
        }
    }

    // Documentation.

    /// Whether a statement is a string and nothing else.
    pub fn is_string_statement(&mut self, part: Part<'t>) -> bool {
        if part.kind != Kind::ExpressionStatement || !self.slice(part.node).ends_with(['"', '\'']) {
            return false;
        }
        let parts = self.parts(part.node);
        let only = parts.end - parts.start == 1;
        let kind = self.parts.get(parts.start).map(|part| part.kind);
        self.release(parts);
        only && matches!(kind, Some(Kind::String | Kind::ConcatenatedString))
    }

    /// The text of a statement that is a string.
    fn documentation(&mut self, part: Part<'t>) -> Option<String> {
        if !self.is_string_statement(part) {
            return None;
        }
        let parts = self.parts(part.node);
        let string = self.first_named(parts);
        self.release(parts);
        self.plain_string(string?.node)
    }

    fn block_documentation(&mut self, block: Node<'t>) -> Option<String> {
        let parts = self.parts(block);
        let first = (parts.end > parts.start).then(|| self.parts[parts.start]);
        self.release(parts);
        self.documentation(first?)
    }

    /// Source on one line, without comments and the blanks that layout puts.
    fn one_line(&self, span: Span) -> String {
        let source = self.builder.slice(span);
        let mut line = String::with_capacity(source.len());
        let mut characters = source.chars().peekable();
        let mut blank = false;
        let mut quote: Option<char> = None;
        while let Some(character) = characters.next() {
            if let Some(open) = quote {
                line.push(character);
                if character == '\\'
                    && let Some(next) = characters.next()
                {
                    line.push(next);
                } else if character == open {
                    quote = None;
                }
                continue;
            }
            match character {
                '#' => while characters.next_if(|&next| next != '\n').is_some() {},
                '\\' if characters.peek().is_some_and(|next| matches!(next, '\n' | '\r')) => blank = true,
                _ if character.is_whitespace() => blank = true,
                _ => {
                    if matches!(character, ')' | ']' | '}') {
                        blank = false;
                        if line.ends_with(',') {
                            line.pop();
                        }
                    }
                    if blank && !line.is_empty() && !line.ends_with(['(', '[', '{']) && character != ',' {
                        line.push(' ');
                    }
                    blank = false;
                    if matches!(character, '"' | '\'') {
                        quote = Some(character);
                    }
                    line.push(character);
                }
            }
        }
        line.replace(['\n', '\r'], " ")
    }
}

/// `T` of `type[T]`.
fn class_argument(annotation: &str) -> Option<&str> {
    let inner = annotation
        .strip_prefix("type[")
        .or_else(|| annotation.strip_prefix("Type["))
        .or_else(|| annotation.strip_prefix("t.Type["))
        .or_else(|| annotation.strip_prefix("typing.Type["))?;
    Some(inner.strip_suffix(']')?.trim_matches(['"', '\'']))
}
