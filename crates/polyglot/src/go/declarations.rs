//! Declarations of the file: definitions, imports, documentation.

use std::collections::HashMap;

use tree_sitter::Node;

use super::{
    FILE_BLOCK, Kind,
    scope::{Binding, Meaning, UNKNOWN},
    types::{Bindings, Names},
    walker::Walker,
};
use crate::{
    builder::{Declared, first_paragraph, fold_space},
    model::{DefinitionIndex, DefinitionKind, FILE_NAMESPACE, Metrics, PathId, PathNode, Reach, Span},
    syntax::{self, span},
};

/// The comments directly above a declaration.
#[derive(Default)]
struct Documentation {
    start: Option<u32>,
    text: String,
    /// `//go:` lines that the compiler acts on.
    directives: Vec<String>,
}

/// What several declarations of one group have in common.
#[derive(Clone, Copy, Default)]
struct Group<'t> {
    /// Where the piece of source begins and ends, unless it is the spec's own.
    whole: Option<Span>,
    number: u32,
    /// The type and expressions that a constant without any repeats.
    repeated: (Option<Node<'t>>, Option<Node<'t>>),
}

impl<'s, 't> Walker<'s, 't> {
    /// Reads the whole file.
    pub fn file(&mut self) {
        self.collect_types();
        // Other packages see what is exported, if only nothing.
        self.builder
            .namespace_mut(FILE_NAMESPACE)
            .exports
            .get_or_insert_default();
        let mut examples = Vec::new();
        self.items(&mut examples);
        self.module_statements();
        self.mark_examples(&examples);
    }

    fn collect_types(&mut self) {
        let fields = &self.grammar.fields;
        self.each(|walker, _, kind| {
            if kind != Kind::TypeDeclaration {
                return;
            }
            walker.each(|walker, node, kind| {
                if kind == Kind::TypeSpec
                    && let (Some(name), Some(made_of)) =
                        (walker.child(node, fields.name), walker.child(node, fields.type_))
                {
                    let name = walker.slice(name);
                    walker.file_types.insert(name, made_of);
                }
            });
        });
    }

    /// Visits the children with the documentation that stands above each.
    fn documented(&mut self, mut visit: impl FnMut(&mut Self, Node<'t>, Kind, Documentation)) {
        if !self.cursor.goto_first_child() {
            return;
        }
        let mut comments: Vec<Node<'t>> = Vec::new();
        let mut last_row = usize::MAX;
        loop {
            let node = self.cursor.node();
            let kind = self.kind(node);
            match kind {
                Kind::Comment => {
                    let row = node.start_position().row;
                    let follows = comments
                        .last()
                        .is_some_and(|last| last.end_position().row + 1 == row);
                    if !follows {
                        comments.clear();
                    }
                    if row != last_row {
                        comments.push(node);
                    }
                }
                Kind::Newline | Kind::Semicolon | Kind::Nul => {}
                _ => {
                    let above = comments.last().is_some_and(|last| {
                        last.end_position().row + 1 == node.start_position().row
                            || last.end_position().row == node.start_position().row
                    });
                    let documentation = match above {
                        true => self.documentation(&comments),
                        false => Documentation::default(),
                    };
                    comments.clear();
                    visit(self, node, kind, documentation);
                    last_row = node.end_position().row;
                }
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
    }

    fn documentation(&self, comments: &[Node<'t>]) -> Documentation {
        let mut documentation = Documentation {
            start: comments.first().map(|first| first.start_byte() as u32),
            ..Documentation::default()
        };
        for &comment in comments {
            let text = self.slice(comment);
            if let Some(line) = text.strip_prefix("//") {
                if is_directive(line) {
                    let ignored = ["go:build", "go:generate"];
                    if line.starts_with("go:") && !ignored.iter().any(|word| line.starts_with(word)) {
                        documentation.directives.push(format!("//{}", fold_space(line)));
                    }
                    continue;
                }
                documentation
                    .text
                    .push_str(line.strip_prefix(' ').unwrap_or(line).trim_end());
            } else {
                let text = text.strip_prefix("/*").unwrap_or(text);
                documentation
                    .text
                    .push_str(text.strip_suffix("*/").unwrap_or(text).trim_matches('\n'));
            }
            documentation.text.push('\n');
        }
        documentation
    }

    fn items(&mut self, examples: &mut Vec<&'s str>) {
        self.documented(|walker, node, kind, documentation| match kind {
            Kind::PackageClause => {
                if let Some(name) = node.named_child(0) {
                    let name = walker.slice(name);
                    walker.builder.set_module(name);
                }
                let purpose = first_paragraph(&documentation.text);
                if !purpose.is_empty() {
                    walker.builder.set_purpose(&purpose);
                }
            }
            Kind::ImportDeclaration => walker.imports(),
            Kind::FunctionDeclaration | Kind::MethodDeclaration => {
                if let Some(name) = walker.child(node, walker.grammar.fields.name)
                    && let Some(example) = walker.slice(name).strip_prefix("Example")
                    && kind == Kind::FunctionDeclaration
                {
                    examples.push(example);
                }
                walker.function(node, &documentation);
            }
            Kind::ConstDeclaration | Kind::VarDeclaration => {
                let keyword = if kind == Kind::ConstDeclaration {
                    "const"
                } else {
                    "var"
                };
                let grouped = node
                    .children(&mut node.walk())
                    .any(|child| matches!(walker.kind(child), Kind::OpenParen | Kind::VarSpecList));
                let mut group = Group {
                    whole: (!grouped).then(|| with_documentation(node, &documentation)),
                    ..Group::default()
                };
                walker.values(keyword, &mut group, &documentation);
            }
            Kind::TypeDeclaration => {
                let grouped = node
                    .children(&mut node.walk())
                    .any(|child| walker.kind(child) == Kind::OpenParen);
                let whole = (!grouped).then(|| with_documentation(node, &documentation));
                walker.documented(|walker, node, kind, own| {
                    if matches!(kind, Kind::TypeSpec | Kind::TypeAlias) {
                        let documentation = if grouped { &own } else { &documentation };
                        let piece = whole.unwrap_or_else(|| with_documentation(node, &own));
                        walker.type_definition(node, piece, documentation);
                    }
                });
            }
            _ if node.is_error() => walker.inside_error(|walker| walker.items(examples)),
            Kind::EmptyStatement => {}
            _ => walker.loose.push(node),
        });
    }

    fn imports(&mut self) {
        let fields = &self.grammar.fields;
        self.each(|walker, node, kind| {
            if kind == Kind::ImportSpecList {
                walker.imports();
            } else if node.is_error() {
                walker.inside_error(Self::imports);
            }
            if kind != Kind::ImportSpec {
                return;
            }
            let Some(path) = walker.child(node, fields.path) else {
                return;
            };
            let path = walker.slice(path).trim_matches(['"', '`']);
            let Some(name) = walker.child(node, fields.name) else {
                walker.builder.add_import(path);
                for name in super::layout::names_of_import(path) {
                    let module = walker.builder.module(path);
                    walker.builder.bind(FILE_BLOCK, name, module);
                }
                return;
            };
            let alias = walker.slice(name);
            walker.builder.add_import(&format!("{alias} {path}"));
            let module = walker.builder.module(path);
            match alias {
                "_" => {}
                "." => walker.builder.namespace_mut(FILE_BLOCK).stars.push(module),
                _ => walker.builder.bind(FILE_BLOCK, alias, module),
            }
        });
    }

    /// Makes a name of the package, unless builds leave the file out. In the file
    /// itself it is what the name means whatever other files there are: a build
    /// with this file has no other.
    fn bind_package(&mut self, name: &str, path: PathId) {
        self.builder.bind(FILE_BLOCK, name, path);
        if self.left_out {
            return;
        }
        self.builder.bind(FILE_NAMESPACE, name, path);
        if name.starts_with(char::is_uppercase) {
            self.builder.export(FILE_NAMESPACE, name, path);
        }
    }

    /// Fills in what every kind of definition has.
    fn describe(
        &mut self,
        index: DefinitionIndex,
        name: &str,
        signature: &str,
        documentation: &Documentation,
    ) {
        let signature = self.builder.intern(signature);
        let purpose = self.builder.intern(&first_paragraph(&documentation.text));
        let local = self.builder.definition(index).container.is_some();
        let definition = self.builder.definition_mut(index);
        definition.signature = signature;
        definition.purpose = purpose;
        definition.reach = match name.chars().next() {
            Some(first) if first.is_uppercase() && !local => Reach::Public,
            _ => Reach::Private,
        };
        definition.deprecated = documentation
            .text
            .lines()
            .any(|line| line.starts_with("Deprecated:"));
    }

    fn open(&mut self, index: DefinitionIndex, documentation: &Documentation) {
        self.builder.open(index);
        for directive in &documentation.directives {
            self.builder.text(directive);
        }
    }

    /// The source between two places on one line, without comments.
    fn one_line(&self, node: Node<'t>, end: usize) -> String {
        let source = self.source.get(node.start_byte()..end).unwrap_or("");
        let mut text = String::new();
        if source.contains("//") || source.contains("/*") {
            let mut at = node.start_byte();
            let mut comments = Vec::new();
            syntax::for_each_leaf(node, |leaf| {
                if self.kind(leaf) == Kind::Comment && leaf.end_byte() <= end {
                    comments.push(leaf.byte_range());
                }
            });
            for comment in comments {
                text.push_str(self.source.get(at..comment.start).unwrap_or(""));
                text.push(' ');
                at = comment.end;
            }
            text.push_str(self.source.get(at..end).unwrap_or(""));
        } else {
            text.push_str(source);
        }
        let mut line = fold_space(&text);
        if text.contains('\n') {
            for (spelled, canonical) in [
                ("( ", "("),
                (", )", ")"),
                (" )", ")"),
                ("[ ", "["),
                (", ]", "]"),
                (" ]", "]"),
            ] {
                line = line.replace(spelled, canonical);
            }
        }
        line
    }

    fn function(&mut self, node: Node<'t>, documentation: &Documentation) {
        let fields = &self.grammar.fields;
        let Some(name_node) = self.child(node, fields.name) else {
            self.loose.push(node);
            return;
        };
        let name = self.slice(name_node);
        let receiver = self.child(node, fields.receiver);
        let owner = receiver.and_then(|receiver| self.receiver_type(receiver));
        let test = receiver.is_none() && self.is_test(node, name);
        let qualified = match owner {
            Some(owner) => format!("{}.{name}", self.slice(owner)),
            None if test => format!("test:{name}"),
            None => name.to_owned(),
        };
        let index = self.builder.declare(&Declared {
            name,
            qualified: &qualified,
            kind: match receiver {
                Some(_) => DefinitionKind::Method,
                None if test => DefinitionKind::Test,
                None => DefinitionKind::Function,
            },
            container: None,
            span: with_documentation(node, documentation),
            name_span: span(name_node),
        });
        if let Some(owner) = owner {
            let owner = self.slice(owner);
            let path = self.builder.name(FILE_BLOCK, owner);
            self.builder.definition_mut(index).owner = (!self.left_out).then_some(path);
        } else if receiver.is_none() && name != "init" && name != "_" {
            let path = self.builder.definition_path(index);
            self.bind_package(name, path);
        }
        let end = self
            .child(node, fields.body)
            .map_or(node.end_byte(), |body| body.start_byte());
        let signature = self.one_line(node, end);
        self.describe(index, name, &signature, documentation);
        self.begin(index, documentation);
        self.scopes.enter();
        if let Some(receiver) = receiver {
            self.receiver_type_parameters(receiver);
        }
        let mut bindings = Vec::new();
        let mut lists = Vec::new();
        let mut result = None;
        self.each(|walker, _, kind| {
            let field = walker.field();
            let known = bindings.len();
            if field == fields.name {
                walker.builder.own_name();
            } else if field == fields.body {
                walker.builder.end_signature();
                walker.parameter_names(&lists);
                walker.bind_all(&mut bindings);
                walker.block();
            } else if field == fields.result {
                walker.declares_results = true;
                result = walker.results(&mut bindings, Names::Apart);
                walker.declares_results = false;
                lists.push(names_since(&bindings, known));
            } else if kind == Kind::ParameterList {
                walker.parameters(&mut bindings, false, Names::Apart);
                lists.push(names_since(&bindings, known));
            } else if kind == Kind::TypeParameterList {
                walker.type_parameters();
            } else {
                walker.visit();
            }
        });
        self.scopes.leave();
        self.builder.definition_mut(index).value = result;
        self.end(index);
    }

    /// The names that a body gives to what its function takes and returns: a list
    /// for each pair of parentheses, none if all is without a name.
    fn parameter_names(&mut self, lists: &[Vec<&'s str>]) {
        if lists.iter().all(Vec::is_empty) {
            return;
        }
        for names in lists {
            self.builder.text("(");
            for name in names {
                self.builder.text(name);
            }
            self.builder.text(")");
        }
    }

    /// Opens a definition's tokens and counts its metrics from zero.
    fn begin(&mut self, index: DefinitionIndex, documentation: &Documentation) {
        self.open(index, documentation);
        self.inside = Some(index);
        self.metrics = Metrics::default();
        self.block_depth = 0;
    }

    fn end(&mut self, index: DefinitionIndex) {
        self.builder.close();
        self.builder.definition_mut(index).metrics = self.metrics;
        self.inside = None;
    }

    /// `TestX(t *testing.T)` and its like, and examples.
    fn is_test(&self, node: Node<'t>, name: &str) -> bool {
        let fields = &self.grammar.fields;
        let parameters = self.child(node, fields.parameters);
        let parameters = parameters.map_or("", |parameters| self.slice(parameters));
        let starts = |prefix: &str| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        };
        let takes = |what: &str| parameters.contains(what);
        if starts("Example") {
            return parameters == "()" && self.child(node, fields.result).is_none() && self.tests_here();
        }
        starts("Test") && takes("*testing.T)")
            || starts("Benchmark") && takes("*testing.B)")
            || starts("Fuzz") && takes("*testing.F)")
    }

    /// Whether the file is one of tests, as far as its text tells.
    fn tests_here(&self) -> bool {
        let skeleton = self.builder.skeleton();
        skeleton
            .module
            .is_some_and(|module| self.builder.str(module).ends_with("_test"))
            || skeleton
                .imports
                .iter()
                .any(|import| self.builder.str(*import) == "testing")
            || self.source.contains("// Output:")
            || self.source.contains("// Unordered output:")
    }

    /// `ExampleT_Method_suffix` is an example of `T.Method`.
    fn mark_examples(&mut self, examples: &[&'s str]) {
        if examples.is_empty() {
            return;
        }
        let definitions = &self.builder.skeleton().definitions;
        let by_name: HashMap<String, usize> = (0..definitions.len())
            .map(|at| (self.builder.str(definitions[at].qualified).to_owned(), at))
            .collect();
        for example in examples {
            let mut parts = example.split('_');
            let mut qualified = parts.next().unwrap_or("").to_owned();
            for part in parts {
                if part.starts_with(char::is_uppercase) {
                    qualified.push('.');
                    qualified.push_str(part);
                }
            }
            if let Some(&found) = by_name.get(&qualified) {
                let index = DefinitionIndex(found as u32);
                self.builder.definition_mut(index).has_example = true;
            }
        }
    }

    // Constants and variables of the package.

    fn values(&mut self, keyword: &'static str, group: &mut Group<'t>, documentation: &Documentation) {
        self.documented(|walker, node, kind, own| match kind {
            Kind::ConstSpec | Kind::VarSpec => {
                let documentation = if group.whole.is_some() {
                    documentation
                } else {
                    &own
                };
                walker.value(node, keyword, group, documentation);
                group.number += 1;
            }
            Kind::VarSpecList => walker.values(keyword, group, documentation),
            _ if node.is_error() => {
                walker.inside_error(|walker| walker.values(keyword, group, documentation));
            }
            _ => {}
        });
    }

    fn value(
        &mut self,
        node: Node<'t>,
        keyword: &'static str,
        group: &mut Group<'t>,
        documentation: &Documentation,
    ) {
        let fields = &self.grammar.fields;
        let mut names = Vec::new();
        self.each(|walker, node, kind| {
            if walker.field() == fields.name && kind == Kind::Identifier {
                names.push(node);
            }
        });
        let mut declared = self.child(node, fields.type_);
        let mut list = self.child(node, fields.value);
        let mut repeats = false;
        if keyword == "const" {
            if list.is_none() {
                (declared, list) = group.repeated;
                repeats = true;
            }
            group.repeated = (declared, list);
        }
        let all_expressions: Vec<Node<'t>> = list.map_or(Vec::new(), |list| {
            list.named_children(&mut list.walk())
                .filter(|child| self.kind(*child) != Kind::Comment)
                .collect()
        });
        if names.iter().any(|name| self.slice(*name) == "_") {
            // `_ = iota` only counts; other blanks are checks.
            let counts = list.is_none_or(|list| self.slice(list).contains("iota"));
            if keyword == "var" || !counts {
                self.loose.push(node);
            }
        }
        for (at, &name_node) in names.iter().enumerate() {
            let name = self.slice(name_node);
            if name == "_" {
                continue;
            }
            // One expression may give many names their values; so many that all
            // but the first go without.
            let (mut declared, mut expressions) = (declared, &all_expressions[..]);
            if repeats || at > 0 {
                let shared = match expressions.len() {
                    1 => expressions[0].byte_range().len(),
                    _ => expressions
                        .get(at)
                        .map_or(0, |own| own.byte_range().len() * usize::from(repeats)),
                };
                let bytes = declared.map_or(0, |declared| declared.byte_range().len()) + shared;
                if !self.may_repeat(bytes) {
                    (declared, expressions) = (None, &[]);
                }
            }
            let index = self.builder.declare(&Declared {
                name,
                qualified: name,
                kind: DefinitionKind::Constant,
                container: None,
                span: group
                    .whole
                    .unwrap_or_else(|| with_documentation(node, documentation)),
                name_span: span(name_node),
            });
            let path = self.builder.definition_path(index);
            self.bind_package(name, path);
            let mut signature = format!("{keyword} {name}");
            if let Some(declared) = declared {
                signature.push(' ');
                signature.push_str(&self.one_line(declared, declared.end_byte()));
            }
            self.describe(index, name, &signature, documentation);
            self.begin(index, documentation);
            self.iota = (keyword == "const").then_some(group.number);
            self.builder.text(keyword);
            self.builder.own_name();
            let mut meaning = declared.map(|declared| {
                let meaning = self.at(declared, Self::visit);
                self.variable_of(meaning)
            });
            self.builder.end_signature();
            let own = match expressions.len() {
                1 => expressions,
                _ => expressions.get(at..=at).unwrap_or(&[]),
            };
            if !own.is_empty() {
                self.builder.text("=");
                let values: Vec<Meaning> = own
                    .iter()
                    .map(|&expression| self.at(expression, Self::visit))
                    .collect();
                if expressions.len() != names.len() {
                    // Which of the results it is.
                    self.builder.text(&format!("#{at}"));
                    let value = self.value_at(&values, own.first().copied(), names.len(), at);
                    meaning.get_or_insert(value);
                } else if let [value] = values[..] {
                    meaning.get_or_insert(value);
                }
            }
            self.iota = None;
            self.builder.definition_mut(index).value = meaning
                .map(|meaning| meaning.path)
                .filter(|path| *path != UNKNOWN.path);
            self.end(index);
        }
    }

    // Types.

    fn type_definition(&mut self, node: Node<'t>, piece: Span, documentation: &Documentation) {
        let fields = &self.grammar.fields;
        let Some(name_node) = self.child(node, fields.name) else {
            return;
        };
        let name = self.slice(name_node);
        let index = self.declare_type(node, name_node, piece, None);
        if name != "_" {
            let path = self.builder.definition_path(index);
            self.bind_package(name, path);
        }
        self.type_body(node, index, documentation);
        self.inside = None;
    }

    /// A type in a function: the function refers to it where it is declared.
    pub fn local_type(&mut self, node: Node<'t>) {
        let Some(name_node) = self.child(node, self.grammar.fields.name) else {
            return;
        };
        let name = self.slice(name_node);
        let outer = self.inside;
        let index = self.declare_type(node, name_node, span(node), outer);
        let path = self.builder.definition_path(index);
        self.builder.reference(span(name_node), name, path, false);
        self.scopes.bind(name, Binding::Type(path));
        let metrics = std::mem::take(&mut self.metrics);
        self.type_body(node, index, &Documentation::default());
        self.metrics = metrics;
        self.inside = outer;
    }

    fn declare_type(
        &mut self,
        node: Node<'t>,
        name_node: Node<'t>,
        piece: Span,
        container: Option<DefinitionIndex>,
    ) -> DefinitionIndex {
        let name = self.slice(name_node);
        let made_of = self.child(node, self.grammar.fields.type_);
        let ability = made_of.is_some_and(|made_of| self.kind(made_of) == Kind::InterfaceType);
        let qualified = match container {
            Some(container) => format!("{}.{name}", self.builder.qualified(container)),
            None => name.to_owned(),
        };
        self.builder.declare(&Declared {
            name,
            qualified: &qualified,
            kind: if ability {
                DefinitionKind::Ability
            } else {
                DefinitionKind::Type
            },
            container,
            span: piece,
            name_span: span(name_node),
        })
    }

    /// The tokens of a type's declaration and what its values have.
    fn type_body(&mut self, node: Node<'t>, index: DefinitionIndex, documentation: &Documentation) {
        let fields = &self.grammar.fields;
        let made_of = self.child(node, fields.type_);
        let kind = made_of.map_or(Kind::Other, |made_of| self.kind(made_of));
        let end = match (kind, made_of) {
            (Kind::StructType, Some(made_of)) => made_of.start_byte() + "struct".len(),
            (Kind::InterfaceType, Some(made_of)) => made_of.start_byte() + "interface".len(),
            _ => node.end_byte(),
        };
        let signature = format!("type {}", self.one_line(node, end));
        let name = self.child(node, fields.name).map_or("", |name| self.slice(name));
        self.describe(index, name, &signature, documentation);
        self.open(index, documentation);
        self.inside = Some(index);
        self.builder.text("type");
        self.scopes.enter();
        let alias = self.kind(node) == Kind::TypeAlias;
        self.each(|walker, node, kind| {
            let field = walker.field();
            if field == fields.name {
                walker.builder.own_name();
            } else if field == fields.type_ {
                match kind {
                    Kind::StructType => walker.struct_fields(Some(index)),
                    Kind::InterfaceType => walker.interface_elements(Some(index)),
                    _ => walker.underlying(index, node, alias),
                }
            } else if kind == Kind::TypeParameterList {
                walker.type_parameters();
            } else {
                walker.visit();
            }
        });
        self.scopes.leave();
        self.builder.close();
    }

    /// The type that another is, or is made of.
    fn underlying(&mut self, index: DefinitionIndex, node: Node<'t>, alias: bool) {
        let meaning = self.visit();
        let value = meaning.instance.unwrap_or(meaning.path);
        if alias {
            let known = value != UNKNOWN.path;
            self.builder.definition_mut(index).value = known.then_some(value);
            return;
        }
        if let Some(result) = meaning.result {
            self.add_field(
                index,
                "()",
                Meaning {
                    result: Some(result),
                    ..UNKNOWN
                },
            );
        } else if let Some(instance) = meaning.instance {
            if let PathNode::Container(key, element) = self.builder.node(instance) {
                self.add_field(index, "[]", Meaning::composite(element));
                if self.kind(node) == Kind::MapType {
                    self.add_field(index, "(key)", Meaning::composite(key));
                }
            }
        } else if meaning.path != UNKNOWN.path {
            // It has the fields of the other type, and no name of its own hides
            // them; it lacks the methods, which a valid program does not use.
            self.builder.definition_mut(index).bases.push(meaning.path);
        }
    }

    // What is left.

    fn module_statements(&mut self) {
        let loose = std::mem::take(&mut self.loose);
        let (Some(first), Some(last)) = (loose.first(), loose.last()) else {
            return;
        };
        let index = self.builder.declare(&Declared {
            name: "module",
            qualified: "module",
            kind: DefinitionKind::Module,
            container: None,
            span: Span {
                start: first.start_byte() as u32,
                end: (last.end_byte() as u32).max(first.end_byte() as u32),
            },
            name_span: Span::default(),
        });
        self.begin(index, &Documentation::default());
        self.builder.end_signature();
        self.scopes.enter();
        for node in loose {
            let kind = self.kind(node);
            let start = self.builder.position();
            self.at(node, |walker| match kind {
                Kind::ConstSpec | Kind::VarSpec => {
                    let keyword = if kind == Kind::ConstSpec { "const" } else { "var" };
                    walker.builder.text(keyword);
                    walker.local_spec();
                }
                _ => {
                    walker.visit();
                }
            });
            if self.builder.position() > start {
                self.builder.text(";");
            }
        }
        self.scopes.leave();
        self.end(index);
    }
}

fn with_documentation(node: Node<'_>, documentation: &Documentation) -> Span {
    let own = span(node);
    Span {
        start: documentation.start.unwrap_or(own.start).min(own.start),
        end: own.end,
    }
}

fn names_since<'s>(bindings: &Bindings<'s>, from: usize) -> Vec<&'s str> {
    bindings[from..].iter().map(|&(name, _)| name).collect()
}

/// A comment, without its slashes, that speaks to a tool.
fn is_directive(line: &str) -> bool {
    if line.starts_with("export ") || line.starts_with("line ") || line.starts_with("extern ") {
        return true;
    }
    let Some((tool, rest)) = line.split_once(':') else {
        return false;
    };
    let word =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    word(tool) && rest.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
}
