//! Definitions: what they own, how they are described.

use tree_sitter::{Node, TreeCursor};

use super::{
    Extractor, Heads, Kind, Locals,
    describe::{has_example, outer_documentation},
    tokens::{is_item, visibility_text},
};
use crate::{
    builder::{Declared, first_paragraph},
    model::*,
    syntax,
};

/// Attributes and documentation seen before the item they belong to.
#[derive(Default)]
pub(super) struct Pending<'t> {
    pub(super) attributes: Vec<Node<'t>>,
    documentation: String,
    start: Option<u32>,
}

impl<'t> Pending<'t> {
    pub(super) fn attribute(&mut self, node: Node<'t>) {
        self.start.get_or_insert(node.start_byte() as u32);
        self.attributes.push(node);
    }

    pub(super) fn comment(&mut self, extractor: &Extractor<'_>, node: Node<'t>) {
        let text = extractor.slice(node);
        if let Some(documentation) = outer_documentation(text) {
            self.start.get_or_insert(node.start_byte() as u32);
            self.documentation.push_str(&documentation);
            self.documentation.push('\n');
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Where items are written.
#[derive(Clone, Default)]
struct Place<'t> {
    /// What their qualified names start with.
    prefix: String,
    container: Option<DefinitionIndex>,
    /// The type they are members of, when that is not the container.
    owner: Option<PathId>,
    /// Whether they are members and not names of the namespace.
    member: bool,
    /// The reach they have whatever they say.
    reach: Option<Reach>,
    /// The `extern` of the block around.
    foreign: Option<Node<'t>>,
    /// The implementation around, where methods must say what it says.
    head: Option<Node<'t>>,
}

/// What is put aside while a definition is read.
struct Outer<'s> {
    locals: Locals<'s>,
    metrics: Metrics,
    block_depth: u32,
    container: Option<DefinitionIndex>,
    prefix: String,
    generics: usize,
}

type Statement<'t> = (Vec<Node<'t>>, Node<'t>);

/// Traits that a type derives, times its parameters, up to which they are spelled out.
const MAX_DERIVED: usize = 4096;

/// Attributes that change neither how a definition is used nor what it accepts.
/// Others may be macros, which may.
fn is_of_the_body(attribute: &str) -> bool {
    matches!(
        attribute,
        "allow"
            | "automatically_derived"
            | "bench"
            | "cfg"
            | "cfg_attr"
            | "cold"
            | "coverage"
            | "default"
            | "deny"
            | "deprecated"
            | "doc"
            | "expect"
            | "forbid"
            | "ignore"
            | "inline"
            | "macro_export"
            | "macro_use"
            | "must_use"
            | "on_unimplemented"
            | "should_panic"
            | "skip"
            | "test"
            | "track_caller"
            | "warn"
    )
}

impl<'s> Extractor<'s> {
    pub(super) fn file(&mut self, root: Node<'_>) {
        self.collect_heads(root);
        let place = Place::default();
        let mut statements = Vec::new();
        self.items(&mut root.walk(), &place, &mut statements);
        self.module_statements(&statements, &place);
        if !self.file_documentation.is_empty() {
            let purpose = first_paragraph(&self.file_documentation);
            self.builder.set_purpose(&purpose);
        }
    }

    /// Reads the items below the node of the cursor.
    fn items<'t>(
        &mut self,
        cursor: &mut TreeCursor<'t>,
        place: &Place<'t>,
        statements: &mut Vec<Statement<'t>>,
    ) {
        let mut pending = Pending::default();
        if self.depth >= syntax::MAX_DEPTH || !cursor.goto_first_child() {
            return;
        }
        self.depth += 1;
        loop {
            let node = cursor.node();
            let kind = self.kind(node);
            match kind {
                Kind::LineComment | Kind::BlockComment => {
                    pending.comment(self, node);
                    if place.prefix.is_empty() && !place.member {
                        self.file_comment(node);
                    }
                }
                Kind::AttributeItem => pending.attribute(node),
                Kind::InnerAttributeItem | Kind::EmptyStatement | Kind::Visibility => {}
                _ if is_item(kind) => {
                    self.item(node, &mut pending, place);
                }
                Kind::AssociatedType => {}
                _ if node.is_error() => {
                    self.items(cursor, place, statements);
                    pending.clear();
                }
                _ if node.is_named() && !place.member => {
                    let attributes = std::mem::take(&mut pending).attributes;
                    if matches!(
                        kind,
                        Kind::ExpressionStatement | Kind::MacroInvocation | Kind::LetDeclaration
                    ) {
                        statements.push((attributes, node));
                    }
                }
                _ => pending.clear(),
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        self.depth -= 1;
        cursor.goto_parent();
    }

    fn file_comment(&mut self, node: Node<'_>) {
        let text = self.slice(node);
        let inner = text
            .strip_prefix("//!")
            .or_else(|| text.strip_prefix("/*!").map(|text| text.trim_end_matches("*/")));
        if let Some(inner) = inner {
            self.file_documentation.push_str(inner.trim());
            self.file_documentation.push('\n');
        }
    }

    /// An item among the statements of a block: a definition inside the one
    /// being read, which refers to it.
    pub(super) fn nested_item<'t>(&mut self, node: Node<'t>, pending: &mut Pending<'t>) {
        let container = self.container;
        let place = Place {
            prefix: self.prefix.clone(),
            container,
            ..Place::default()
        };
        if self.macros > 0 {
            // Parsed apart from the file: kept as text.
            self.leaves(node);
            pending.clear();
            return;
        }
        if let Some(definition) = self.item(node, pending, &place) {
            let name = self.builder.definition(definition).name;
            let name = self.builder.str(name).to_owned();
            let span = self.builder.definition(definition).name_span;
            let path = self.builder.definition_path(definition);
            self.builder.reference(span, &name, path, false);
        }
    }

    fn item<'t>(
        &mut self,
        node: Node<'t>,
        pending: &mut Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        let pending = std::mem::take(pending);
        if self.depth + ITEM_DEPTH >= syntax::MAX_DEPTH {
            if place.container.is_some() {
                self.leaves(node);
            }
            return None;
        }
        self.depth += ITEM_DEPTH;
        let definition = self.item_within(node, &pending, place);
        self.depth -= ITEM_DEPTH;
        definition
    }

    fn item_within<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        match self.kind(node) {
            Kind::FunctionItem | Kind::FunctionSignatureItem => self.function(node, pending, place),
            Kind::StructItem | Kind::UnionItem | Kind::EnumItem => self.structure(node, pending, place),
            Kind::TraitItem => self.ability(node, pending, place),
            Kind::ImplItem => self.implementation(node, pending, place),
            Kind::ConstItem | Kind::StaticItem | Kind::TypeItem => self.constant(node, pending, place),
            Kind::MacroDefinition => self.macro_definition(node, pending, place),
            Kind::ModItem => {
                if place.container.is_none() && self.is_public(node) {
                    let name = self
                        .field(node, self.grammar.fields.name)
                        .map_or("", |name| self.slice(name));
                    let unknown = self.builder.unknown();
                    self.published
                        .push((format!("mod {}{name}", place.prefix), unknown));
                }
                self.module(node, pending, place);
                None
            }
            Kind::ForeignModItem => {
                self.foreign(node, place);
                None
            }
            Kind::UseDeclaration => {
                // Those of a block are bound when it is entered.
                if place.container.is_none() {
                    self.publishing = self.is_public(node).then(|| place.prefix.clone());
                    self.use_declaration(node);
                    self.publishing = None;
                }
                None
            }
            Kind::ExternCrate => {
                self.extern_crate(node);
                None
            }
            _ => None,
        }
    }

    fn declare(
        &mut self,
        node: Node<'_>,
        name: (&str, Span),
        qualified: &str,
        kind: DefinitionKind,
        pending: &Pending<'_>,
        place: &Place<'_>,
    ) -> DefinitionIndex {
        let mut span = self.span(node);
        if let Some(start) = pending.start {
            span.start = span.start.min(start.wrapping_add(self.shift));
        }
        let index = self.builder.declare(&Declared {
            name: name.0,
            qualified,
            kind,
            container: place.container,
            span,
            name_span: name.1,
        });
        let (visibility, reach) = self.reach(node);
        let purpose = first_paragraph(&pending.documentation);
        let purpose = self.builder.intern(&purpose);
        let visibility = self.builder.intern(&visibility);
        let deprecated = pending
            .attributes
            .iter()
            .any(|&attribute| self.attribute_name(attribute) == "deprecated");
        let definition = self.builder.definition_mut(index);
        definition.owner = place.owner;
        definition.visibility = visibility;
        definition.reach = place.reach.unwrap_or(reach);
        definition.purpose = purpose;
        definition.deprecated = deprecated;
        definition.has_example = has_example(&pending.documentation);
        index
    }

    fn reach(&self, node: Node<'_>) -> (String, Reach) {
        let modifier = (0..4)
            .map_while(|at| node.child(at))
            .find(|&child| self.kind(child) == Kind::Visibility);
        let Some(modifier) = modifier else {
            return (String::new(), Reach::Private);
        };
        let text = visibility_text(self.slice(modifier));
        let reach = match text.as_str() {
            "pub" => Reach::Public,
            "pub(self)" => Reach::Private,
            _ => Reach::Restricted,
        };
        (text, reach)
    }

    /// Starts to read a definition: its own scope, its own tokens.
    fn enter(&mut self, definition: DefinitionIndex) -> Outer<'s> {
        self.builder.open(definition);
        let prefix = format!("{}.", self.builder.qualified(definition));
        Outer {
            locals: std::mem::take(&mut self.locals),
            metrics: std::mem::take(&mut self.metrics),
            block_depth: std::mem::take(&mut self.block_depth),
            container: self.container.replace(definition),
            prefix: std::mem::replace(&mut self.prefix, prefix),
            generics: self.generics.len(),
        }
    }

    fn leave(&mut self, outer: Outer<'s>) {
        let metrics = self.metrics;
        let definition = self.builder.close();
        self.builder.definition_mut(definition).metrics = metrics;
        self.locals = outer.locals;
        self.metrics = outer.metrics;
        self.block_depth = outer.block_depth;
        self.container = outer.container;
        self.prefix = outer.prefix;
        self.generics.truncate(outer.generics);
    }

    /// Writes the attributes that say how a definition may be used: they belong
    /// to its signature.
    fn attributes(&mut self, pending: &Pending<'_>) {
        for &attribute in &pending.attributes {
            let name = self.attribute_name(attribute);
            if name != "derive" && !is_of_the_body(name) {
                self.attribute(attribute);
            }
        }
    }

    /// Ends the signature and writes the attributes that are none of it.
    fn end_signature(&mut self, pending: &Pending<'_>) {
        self.builder.end_signature();
        for &attribute in &pending.attributes {
            if is_of_the_body(self.attribute_name(attribute)) {
                self.attribute(attribute);
            }
        }
    }

    /// Defines what a type derives, as implementations.
    fn derived(
        &mut self,
        node: Node<'_>,
        pending: &Pending<'_>,
        place: &Place<'_>,
        definition: DefinitionIndex,
    ) {
        let fields = &self.grammar.fields;
        let derives = pending
            .attributes
            .iter()
            .filter(|&&attribute| self.attribute_name(attribute) == "derive");
        let abilities: Vec<Vec<Node<'_>>> = derives
            .flat_map(|&attribute| self.attribute_arguments(attribute))
            .collect();
        let parameters = self.field(node, fields.parameters);
        let many = parameters.map_or(0, |parameters| parameters.named_child_count());
        let parameters = parameters.filter(|_| abilities.len() * many <= MAX_DERIVED);
        let arguments: Vec<&'s str> = match parameters {
            Some(parameters) => self.parameter_names(parameters),
            None => Vec::new(),
        };
        let own = self.field(node, fields.name).map_or("", |name| self.slice(name));
        let target = match arguments.is_empty() {
            true => own.to_owned(),
            false => format!("{own}<{}>", arguments.join(", ")),
        };
        let reach = self.builder.definition(definition).reach;
        for ability in abilities {
            let (Some(first), Some(last)) = (ability.first(), ability.last()) else {
                continue;
            };
            let span = Span {
                start: self.span(*first).start,
                end: self.span(*last).end,
            };
            let words: String = ability.iter().map(|part| self.slice(*part)).collect();
            let name = format!("{words} for {target}");
            let implementation = self.builder.declare(&Declared {
                name: &name,
                qualified: &format!("{}{name}", place.prefix),
                kind: DefinitionKind::Implementation,
                container: place.container,
                span,
                name_span: span,
            });
            let signature = self.builder.intern(&format!("derive({words}) for {target}"));
            let described = self.builder.definition_mut(implementation);
            described.reach = reach;
            described.signature = signature;
            let outer = self.enter(implementation);
            self.enter_generics(node);
            self.builder.text("impl");
            if let Some(parameters) = parameters {
                self.emit(parameters);
            }
            self.tokens(&ability, false);
            self.builder.text("for");
            let path = self.builder.definition_path(definition);
            self.builder.reference(span, own, path, false);
            if !arguments.is_empty() {
                self.builder.text("<");
                for (at, argument) in arguments.iter().enumerate() {
                    if at > 0 {
                        self.builder.text(",");
                    }
                    self.builder.text(argument);
                }
                self.builder.text(">");
            }
            self.builder.end_signature();
            self.builder.text("derive");
            self.leave(outer);
        }
    }

    /// The names of type parameters, as arguments.
    fn parameter_names(&self, parameters: Node<'_>) -> Vec<&'s str> {
        let fields = &self.grammar.fields;
        let mut cursor = parameters.walk();
        parameters
            .named_children(&mut cursor)
            .filter(|part| !self.is_comment(*part) && self.kind(*part) != Kind::AttributeItem)
            .map(|part| {
                let name = self.field(part, fields.name).unwrap_or(part);
                self.slice(name)
            })
            .collect()
    }

    fn bind_item(&mut self, name: &str, definition: DefinitionIndex, place: &Place<'_>) {
        if !place.member {
            let path = self.builder.definition_path(definition);
            let namespace = self.namespace;
            self.builder.bind(namespace, name, path);
        }
    }

    fn function<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        let fields = &self.grammar.fields;
        let name_node = self.field(node, fields.name)?;
        let name = self.slice(name_node);
        let test = pending.attributes.iter().any(|&attribute| {
            matches!(
                self.attribute_name(attribute),
                "test" | "rstest" | "test_case" | "wasm_bindgen_test" | "quickcheck"
            )
        });
        let (kind, qualified) = if test {
            (DefinitionKind::Test, format!("test:{}{name}", place.prefix))
        } else if place.member {
            (DefinitionKind::Method, format!("{}{name}", place.prefix))
        } else {
            (DefinitionKind::Function, format!("{}{name}", place.prefix))
        };
        let name_span = self.span(name_node);
        let definition = self.declare(node, (name, name_span), &qualified, kind, pending, place);
        self.bind_item(name, definition, place);
        let body = self.field(node, fields.body);
        self.set_signature(definition, node, body);
        let outer = self.enter(definition);
        if let Some(head) = place.head {
            self.implementation_head(head);
        }
        if let Some(foreign) = place.foreign {
            self.extern_modifier(&mut foreign.walk(), true);
        }
        self.attributes(pending);
        let result = self.function_head(node, body, Some(name_node));
        self.builder.definition_mut(definition).value = result;
        self.end_signature(pending);
        if let Some(body) = body {
            self.parameter_patterns(node);
            self.block(&mut body.walk(), true);
        }
        self.leave(outer);
        Some(definition)
    }

    /// Writes the head of a function, binds its parameters, and gives its result.
    fn function_head<'t>(
        &mut self,
        node: Node<'t>,
        body: Option<Node<'t>>,
        own_name: Option<Node<'t>>,
    ) -> Option<PathId> {
        let fields = &self.grammar.fields;
        self.enter_generics(node);
        let name = self.field(node, fields.name);
        let returned = self.field(node, fields.return_type);
        let unit = returned.is_some_and(|returned| self.kind(returned) == Kind::UnitType);
        let mut result = None;
        let mut future = false;
        let mut cursor = node.walk();
        self.each(&mut cursor, |this, cursor, _| {
            let part = cursor.node();
            if Some(part) == body {
                return;
            }
            match this.kind(part) {
                Kind::Visibility | Kind::Semicolon => {}
                _ if Some(part) == name => {
                    if own_name.is_some() {
                        this.builder.own_name();
                    } else {
                        this.whole(part);
                    }
                }
                Kind::FunctionModifiers => {
                    future = this.slice(part).contains("async");
                    this.children(cursor);
                }
                Kind::Parameters => this.parameters(cursor),
                Kind::Arrow if unit => {}
                _ if Some(part) == returned => {
                    if !unit {
                        this.result(cursor);
                        let lowered = this.lower_result(part);
                        result = Some(lowered);
                    }
                }
                _ => {
                    this.walk(cursor);
                }
            }
        });
        match result {
            Some(result) if future => {
                let unknown = self.builder.unknown();
                Some(self.container_of(unknown, result))
            }
            result => result,
        }
    }

    fn lower_result(&mut self, node: Node<'_>) -> PathId {
        // `Self` in an implementation is its type; in a trait, the receiver's.
        let in_trait = self
            .self_type
            .is_some_and(|path| matches!(self.builder.node(path), PathNode::Definition(_)))
            && self.in_ability;
        self.self_is_receiver = in_trait;
        let value = self.lower(node);
        self.self_is_receiver = false;
        value
    }

    /// Writes the types of parameters and binds their names. What a body calls its
    /// parameters, and whether it assigns to them, is no part of the signature.
    fn parameters(&mut self, cursor: &mut TreeCursor<'_>) {
        self.each(cursor, |this, cursor, _| {
            let parameter = cursor.node();
            match this.kind(parameter) {
                Kind::Parameter => {
                    let pattern = this.field(parameter, this.grammar.fields.pattern);
                    this.each(cursor, |this, cursor, _| {
                        let part = cursor.node();
                        let named =
                            Some(part) == pattern || matches!(this.kind(part), Kind::Mut | Kind::Colon);
                        if !named {
                            this.walk(cursor);
                        }
                    });
                    this.bind_parameter(parameter);
                }
                Kind::SelfParameter => {
                    let borrowed = this.slice(parameter).starts_with('&');
                    this.each(cursor, |this, cursor, _| {
                        if borrowed || this.kind(cursor.node()) != Kind::Mut {
                            this.leaves(cursor.node());
                        }
                    });
                    let receiver = match this.self_type {
                        Some(path) => this.builder.instance(path),
                        None => this.builder.unknown(),
                    };
                    this.locals.bind("self", receiver);
                }
                _ => {
                    this.walk(cursor);
                }
            }
        });
    }

    /// Writes what a body calls the parameters of its function.
    fn parameter_patterns(&mut self, function: Node<'_>) {
        let fields = &self.grammar.fields;
        let mut cursor = function.walk();
        let mut children = function.named_children(&mut cursor);
        let Some(parameters) = children.find(|part| self.kind(*part) == Kind::Parameters) else {
            return;
        };
        let mut cursor = parameters.walk();
        for parameter in parameters.named_children(&mut cursor) {
            if self.kind(parameter) == Kind::Parameter
                && let Some(pattern) = self.field(parameter, fields.pattern)
            {
                self.pattern(&mut pattern.walk());
                self.builder.text(",");
            }
        }
    }

    /// Writes a result type and notes what it fails with: the second argument of
    /// `Result`, or all of an alias that gives it one.
    fn result(&mut self, cursor: &mut TreeCursor<'_>) {
        let node = cursor.node();
        if self.last_name(node) != "Result" {
            self.walk(cursor);
            return;
        }
        let start = self.builder.position();
        if self.kind(node) != Kind::GenericType {
            self.walk(cursor);
            self.builder.failure_since(start);
            return;
        }
        let fields = &self.grammar.fields;
        let arguments = self.field(node, fields.arguments);
        let failure = arguments.and_then(|arguments| self.type_argument(arguments, 1));
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let part = cursor.node();
            if Some(part) == arguments {
                self.each(cursor, |this, cursor, _| {
                    let start = this.builder.position();
                    this.walk(cursor);
                    if Some(cursor.node()) == failure {
                        this.builder.failure_since(start);
                    }
                });
            } else {
                self.path(cursor, false);
                if failure.is_none() {
                    self.builder.failure_since(start);
                }
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }

    fn structure<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        let fields = &self.grammar.fields;
        let name_node = self.field(node, fields.name)?;
        let name = self.slice(name_node);
        let qualified = format!("{}{name}", place.prefix);
        let kind = DefinitionKind::Type;
        let definition = self.declare(
            node,
            (name, self.span(name_node)),
            &qualified,
            kind,
            pending,
            place,
        );
        self.bind_item(name, definition, place);
        let body = self.field(node, fields.body);
        self.set_signature(definition, node, body);
        let outer = self.enter(definition);
        let own = self.builder.definition_path(definition);
        let around = self.self_type.replace(own);
        self.attributes(pending);
        self.enter_generics(node);
        let mut cursor = node.walk();
        let mut ended = false;
        self.each(&mut cursor, |this, cursor, _| {
            let part = cursor.node();
            match this.kind(part) {
                Kind::Visibility | Kind::Semicolon => {}
                _ if part == name_node => this.builder.own_name(),
                _ if Some(part) == body => {
                    this.end_signature(pending);
                    ended = true;
                    this.fields_of(cursor, definition, ".");
                }
                _ => {
                    this.walk(cursor);
                }
            }
        });
        if !ended {
            self.end_signature(pending);
        }
        self.self_type = around;
        self.leave(outer);
        self.derived(node, pending, place, definition);
        Some(definition)
    }

    /// Writes fields or variants and puts them into the definition.
    fn fields_of(&mut self, cursor: &mut TreeCursor<'_>, definition: DefinitionIndex, prefix: &str) {
        let fields = &self.grammar.fields;
        let ordered = self.kind(cursor.node()) == Kind::OrderedFields;
        let mut number = 0;
        self.each(cursor, |this, cursor, _| {
            let part = cursor.node();
            match this.kind(part) {
                Kind::FieldDeclaration => {
                    if let (Some(name), Some(declared)) =
                        (this.field(part, fields.name), this.field(part, fields.type_))
                    {
                        let name = format!("{prefix}{}", this.slice(name));
                        let value = this.lower(declared);
                        this.add_field(definition, &name, value, false);
                    }
                    this.children(cursor);
                }
                Kind::EnumVariant => {
                    let name = this.field(part, fields.name).map_or("", |name| this.slice(name));
                    let body = this.field(part, fields.body);
                    let own = this.builder.definition_path(definition);
                    let value = this.builder.instance(own);
                    let callable = body.is_some_and(|body| this.kind(body) == Kind::OrderedFields);
                    this.add_field(definition, name, value, callable);
                    let inner = format!("{name}.");
                    this.each(cursor, |this, cursor, at| {
                        let part = cursor.node();
                        if Some(part) == body {
                            this.fields_of(cursor, definition, &inner);
                        } else if this.kind(part) == Kind::Identifier && at < 2 {
                            this.whole(part);
                        } else {
                            this.walk(cursor);
                        }
                    });
                }
                Kind::OpenParenthesis | Kind::CloseParenthesis | Kind::OpenBrace | Kind::CloseBrace => {
                    this.whole(part);
                }
                Kind::AttributeItem | Kind::Visibility => {
                    this.walk(cursor);
                }
                _ if ordered => {
                    let value = this.lower(part);
                    this.add_field(definition, &format!("{prefix}{number}"), value, false);
                    number += 1;
                    this.walk(cursor);
                }
                _ => {
                    this.walk(cursor);
                }
            }
        });
    }

    fn add_field(&mut self, definition: DefinitionIndex, name: &str, value: PathId, callable: bool) {
        let name = self.builder.intern(name);
        self.builder.definition_mut(definition).fields.push(Field {
            name,
            value,
            callable,
        });
    }

    fn ability<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        let fields = &self.grammar.fields;
        let name_node = self.field(node, fields.name)?;
        let name = self.slice(name_node);
        let qualified = format!("{}{name}", place.prefix);
        let kind = DefinitionKind::Ability;
        let definition = self.declare(
            node,
            (name, self.span(name_node)),
            &qualified,
            kind,
            pending,
            place,
        );
        self.bind_item(name, definition, place);
        let body = self.field(node, fields.body);
        self.set_signature(definition, node, body);
        let reach = self.builder.definition(definition).reach;
        let outer = self.enter(definition);
        let own = self.builder.definition_path(definition);
        let around = self.self_type.replace(own);
        let was_in_ability = std::mem::replace(&mut self.in_ability, true);
        let associated = std::mem::take(&mut self.associated);
        self.attributes(pending);
        self.enter_generics(node);
        let bounds = self.field(node, fields.bounds);
        if let Some(bounds) = bounds {
            let mut cursor = bounds.walk();
            for bound in bounds.named_children(&mut cursor) {
                if matches!(
                    self.kind(bound),
                    Kind::TypeIdentifier | Kind::ScopedTypeIdentifier | Kind::GenericType
                ) {
                    let path = self.path_of(bound);
                    if path != self.builder.unknown() {
                        self.builder.definition_mut(definition).bases.push(path);
                    }
                }
            }
        }
        let mut cursor = node.walk();
        self.each(&mut cursor, |this, cursor, _| {
            let part = cursor.node();
            match this.kind(part) {
                Kind::Visibility => {}
                _ if part == name_node => this.builder.own_name(),
                _ if Some(part) == body => {}
                _ => {
                    this.walk(cursor);
                }
            }
        });
        self.end_signature(pending);
        if let Some(body) = body {
            let place = Place {
                prefix: format!("{}.", self.builder.qualified(definition)),
                container: Some(definition),
                member: true,
                reach: Some(reach),
                ..Place::default()
            };
            self.required(body, definition, &place);
        }
        self.in_ability = was_in_ability;
        self.associated = associated;
        self.self_type = around;
        self.leave(outer);
        Some(definition)
    }

    /// Writes what a trait requires; what it provides is defined apart.
    fn required<'t>(&mut self, body: Node<'t>, definition: DefinitionIndex, place: &Place<'t>) {
        let fields = &self.grammar.fields;
        let mut pending = Pending::default();
        let mut cursor = body.walk();
        let members: Vec<Node<'t>> = body.children(&mut cursor).collect();
        for member in members {
            let kind = self.kind(member);
            match kind {
                Kind::LineComment | Kind::BlockComment => pending.comment(self, member),
                Kind::AttributeItem => pending.attribute(member),
                Kind::FunctionItem => {
                    self.item(member, &mut pending, place);
                }
                Kind::FunctionSignatureItem => {
                    let head = std::mem::take(&mut pending);
                    self.attributes(&head);
                    self.end_signature(&head);
                    let generics = self.generics.len();
                    let mark = self.locals.order.len();
                    let value = self.function_head(member, None, None);
                    self.builder.text(";");
                    self.locals.leave(mark);
                    self.generics.truncate(generics);
                    if let Some(name) = self.field(member, fields.name) {
                        let name = self.slice(name);
                        let value = value.unwrap_or(self.builder.unknown());
                        self.add_field(definition, name, value, true);
                    }
                }
                Kind::ConstItem | Kind::AssociatedType | Kind::TypeItem => {
                    let head = std::mem::take(&mut pending);
                    self.attributes(&head);
                    self.end_signature(&head);
                    self.associated_item(member, Some(definition));
                }
                Kind::MacroInvocation | Kind::ExpressionStatement => {
                    self.emit(member);
                    pending.clear();
                }
                _ => pending.clear(),
            }
        }
    }

    /// Writes an associated constant or type as part of what it is associated with.
    fn associated_item(&mut self, node: Node<'_>, definition: Option<DefinitionIndex>) {
        let fields = &self.grammar.fields;
        let name = self.field(node, fields.name);
        if let (Some(definition), Some(name), Some(declared)) =
            (definition, name, self.field(node, fields.type_))
        {
            let name = self.slice(name);
            let value = self.lower(declared);
            self.add_field(definition, name, value, false);
        }
        let generics = self.generics.len();
        self.enter_generics(node);
        let mut cursor = node.walk();
        self.each(&mut cursor, |this, cursor, _| {
            let part = cursor.node();
            if Some(part) == name {
                this.whole(part);
            } else if this.kind(part) != Kind::Visibility {
                this.value(cursor);
            }
        });
        self.generics.truncate(generics);
    }

    fn implementation<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        let fields = &self.grammar.fields;
        let target = self.field(node, fields.type_)?;
        let ability = self.field(node, fields.trait_);
        let body = self.field(node, fields.body);
        let generics = self.generics.len();
        self.enter_generics(node);
        let owner = self.target_of(target);
        let around = self.self_type.replace(owner);
        let was_in_ability = std::mem::replace(&mut self.in_ability, false);
        let associated = std::mem::take(&mut self.associated);
        if let Some(body) = body {
            self.collect_associated(body);
        }
        let definition = match ability {
            Some(ability) => {
                Some(self.trait_implementation(node, pending, place, (target, ability, body), owner))
            }
            None => {
                self.inherent_implementation(target, node, body, place, owner);
                None
            }
        };
        self.associated = associated;
        self.in_ability = was_in_ability;
        self.self_type = around;
        self.generics.truncate(generics);
        definition
    }

    /// The type that an implementation is for: references are looked through.
    fn target_of(&mut self, node: Node<'_>) -> PathId {
        let fields = &self.grammar.fields;
        match self.kind(node) {
            Kind::ReferenceType => match self.field(node, fields.type_) {
                Some(inner) => self.target_of(inner),
                None => self.builder.unknown(),
            },
            Kind::TypeIdentifier | Kind::ScopedTypeIdentifier | Kind::GenericType => self.path_of(node),
            Kind::DynamicType => match self.field(node, fields.trait_) {
                Some(inner) => self.path_of(inner),
                None => self.builder.unknown(),
            },
            _ => self.builder.unknown(),
        }
    }

    fn collect_associated(&mut self, body: Node<'_>) {
        let fields = &self.grammar.fields;
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            if self.kind(member) == Kind::TypeItem
                && let (Some(name), Some(declared)) =
                    (self.field(member, fields.name), self.field(member, fields.type_))
            {
                let name = self.slice(name);
                let value = self.lower(declared);
                self.associated.push((name, value));
            }
        }
    }

    fn trait_implementation<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
        (target, ability, body): (Node<'t>, Node<'t>, Option<Node<'t>>),
        owner: PathId,
    ) -> DefinitionIndex {
        let target_text = self.text_of(target);
        let ability_text = self.text_of(ability);
        let name = format!("{ability_text} for {target_text}");
        let qualified = format!("{}{name}", place.prefix);
        let place_here = Place {
            reach: Some(Reach::Public),
            ..place.clone()
        };
        let kind = DefinitionKind::Implementation;
        let definition = self.declare(
            node,
            (&name, self.span(ability)),
            &qualified,
            kind,
            pending,
            &place_here,
        );
        self.set_signature(definition, node, body);
        let trait_path = self.path_of(ability);
        if owner != self.builder.unknown() && trait_path != self.builder.unknown() {
            self.builder.add_implements(owner, trait_path);
        }
        let outer = self.enter(definition);
        self.attributes(pending);
        self.implementation_head(node);
        self.end_signature(pending);
        let place = Place {
            prefix: format!("{}<{target_text} as {ability_text}>.", place.prefix),
            container: Some(definition),
            owner: Some(owner),
            member: true,
            reach: Some(Reach::Public),
            ..Place::default()
        };
        if let Some(body) = body {
            let mut pending = Pending::default();
            let mut cursor = body.walk();
            let members: Vec<Node<'t>> = body.children(&mut cursor).collect();
            for member in members {
                match self.kind(member) {
                    Kind::LineComment | Kind::BlockComment => pending.comment(self, member),
                    Kind::AttributeItem => pending.attribute(member),
                    Kind::FunctionItem | Kind::FunctionSignatureItem => {
                        self.item(member, &mut pending, &place);
                    }
                    Kind::ConstItem | Kind::TypeItem | Kind::AssociatedType => {
                        let head = std::mem::take(&mut pending);
                        self.attributes(&head);
                        self.end_signature(&head);
                        self.associated_item(member, None);
                    }
                    Kind::MacroInvocation | Kind::ExpressionStatement => {
                        self.emit(member);
                        pending.clear();
                    }
                    _ => pending.clear(),
                }
            }
        }
        self.leave(outer);
        definition
    }

    fn inherent_implementation<'t>(
        &mut self,
        target: Node<'t>,
        node: Node<'t>,
        body: Option<Node<'t>>,
        place: &Place<'t>,
        owner: PathId,
    ) {
        let fields = &self.grammar.fields;
        let mut cursor = node.walk();
        let bounded = self.kind(target) == Kind::GenericType
            || self.field(node, fields.parameters).is_some()
            || node
                .children(&mut cursor)
                .any(|child| self.kind(child) == Kind::WhereClause);
        let name = match self.kind(target) {
            Kind::GenericType | Kind::TypeIdentifier | Kind::ScopedTypeIdentifier => {
                self.last_name(target).to_owned()
            }
            _ => self.text_of(target),
        };
        let place = Place {
            prefix: format!("{}{name}.", place.prefix),
            container: place.container,
            owner: Some(owner),
            member: true,
            head: bounded.then_some(node),
            ..Place::default()
        };
        if let Some(body) = body {
            let mut statements = Vec::new();
            self.items(&mut body.walk(), &place, &mut statements);
        }
    }

    /// Writes an implementation up to its body.
    fn implementation_head(&mut self, node: Node<'_>) {
        let body = self.field(node, self.grammar.fields.body);
        let mut cursor = node.walk();
        self.each(&mut cursor, |this, cursor, _| {
            let part = cursor.node();
            if Some(part) != body && this.kind(part) != Kind::Semicolon {
                this.walk(cursor);
            }
        });
    }

    fn constant<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        let fields = &self.grammar.fields;
        let name_node = self.field(node, fields.name)?;
        let name = self.slice(name_node);
        let alias = self.kind(node) == Kind::TypeItem;
        let kind = if alias {
            DefinitionKind::Type
        } else {
            DefinitionKind::Constant
        };
        let qualified = format!("{}{name}", place.prefix);
        let definition = self.declare(
            node,
            (name, self.span(name_node)),
            &qualified,
            kind,
            pending,
            place,
        );
        if name != "_" {
            self.bind_item(name, definition, place);
        }
        let declared = self.field(node, fields.type_);
        let value = self.field(node, fields.value);
        let end = if alias { declared } else { value };
        self.set_signature(definition, node, end);
        let outer = self.enter(definition);
        if let Some(foreign) = place.foreign {
            self.extern_modifier(&mut foreign.walk(), true);
        }
        self.attributes(pending);
        self.enter_generics(node);
        let mut cursor = node.walk();
        let body = end;
        let mut ended = false;
        self.each(&mut cursor, |this, cursor, _| {
            let part = cursor.node();
            match this.kind(part) {
                Kind::Visibility | Kind::Semicolon => {}
                _ if part == name_node => this.builder.own_name(),
                _ if Some(part) == body => {
                    this.end_signature(pending);
                    ended = true;
                    this.value(cursor);
                }
                _ => {
                    this.walk(cursor);
                }
            }
        });
        if !ended {
            self.end_signature(pending);
        }
        if let Some(declared) = declared {
            let value = self.lower(declared);
            if value != self.builder.unknown() {
                self.builder.definition_mut(definition).value = Some(value);
            } else if alias {
                let unknown = self.builder.unknown();
                self.builder.definition_mut(definition).value = Some(unknown);
            }
        }
        self.leave(outer);
        Some(definition)
    }

    fn macro_definition<'t>(
        &mut self,
        node: Node<'t>,
        pending: &Pending<'t>,
        place: &Place<'t>,
    ) -> Option<DefinitionIndex> {
        let fields = &self.grammar.fields;
        let name_node = self.field(node, fields.name)?;
        let name = self.slice(name_node);
        let qualified = format!("{}{name}!", place.prefix);
        let kind = DefinitionKind::Macro;
        let definition = self.declare(
            node,
            (name, self.span(name_node)),
            &qualified,
            kind,
            pending,
            place,
        );
        let exported = pending
            .attributes
            .iter()
            .any(|&attribute| self.attribute_name(attribute) == "macro_export");
        if exported {
            self.builder.definition_mut(definition).reach = Reach::Public;
        }
        let signature = self.builder.intern(&format!("macro_rules! {name}"));
        self.builder.definition_mut(definition).signature = signature;
        let path = self.builder.definition_path(definition);
        let key = format!("{name}!");
        let namespace = self.namespace;
        self.builder.bind(namespace, &key, path);
        if namespace != FILE_NAMESPACE && place.container.is_none() {
            self.builder.bind(FILE_NAMESPACE, &key, path);
        }
        let outer = self.enter(definition);
        self.attributes(pending);
        self.builder.text("macro_rules!");
        self.builder.own_name();
        self.end_signature(pending);
        let mut cursor = node.walk();
        for rule in node.named_children(&mut cursor) {
            if self.kind(rule) != Kind::MacroRule {
                continue;
            }
            if let Some(left) = self.field(rule, fields.left) {
                self.leaves(left);
            }
            self.builder.text("=>");
            if let Some(right) = self.field(rule, fields.right) {
                self.rule_body(right);
            }
            self.builder.text(";");
        }
        self.leave(outer);
        Some(definition)
    }

    fn module<'t>(&mut self, node: Node<'t>, pending: &Pending<'t>, place: &Place<'t>) {
        let fields = &self.grammar.fields;
        let Some(name_node) = self.field(node, fields.name) else {
            return;
        };
        let name = self.slice(name_node);
        let namespace = self.namespace;
        let Some(body) = self.field(node, fields.body) else {
            let inline = place.prefix.replace("::", "/");
            let specifier = match self.path_attribute(pending) {
                Some(path) => format!("path {inline}{path}"),
                None => format!("mod {inline}{}", name.strip_prefix("r#").unwrap_or(name)),
            };
            let path = self.builder.module(&specifier);
            self.bind_module(name, path);
            return;
        };
        let externs = self.externs;
        let inner = self.builder.add_namespace(externs, true);
        let path = self.builder.path(PathNode::Namespace(inner));
        self.bind_module(name, path);
        self.namespace = inner;
        self.modules.push(inner);
        self.heads.push(Heads::default());
        self.collect_heads(body);
        let place = Place {
            prefix: format!("{}{name}::", place.prefix),
            container: place.container,
            ..Place::default()
        };
        let mut statements = Vec::new();
        self.items(&mut body.walk(), &place, &mut statements);
        self.module_statements(&statements, &place);
        self.heads.pop();
        self.modules.pop();
        self.namespace = namespace;
    }

    /// Binds a module, once more under a key that only modules have: `use`
    /// starts there, since it may import a function of the same name.
    fn bind_module(&mut self, name: &str, path: PathId) {
        let namespace = self.namespace;
        self.builder.bind(namespace, name, path);
        self.builder.bind(namespace, &format!("{name}/"), path);
    }

    /// The string of `#[path = "..."]`.
    fn path_attribute(&self, pending: &Pending<'_>) -> Option<&'s str> {
        let attribute = *pending
            .attributes
            .iter()
            .find(|&&attribute| self.attribute_name(attribute) == "path")?;
        let text = self.slice(attribute);
        let (_, rest) = text.split_once('"')?;
        let (path, _) = rest.split_once('"')?;
        Some(path)
    }

    fn foreign<'t>(&mut self, node: Node<'t>, place: &Place<'t>) {
        let mut cursor = node.walk();
        let modifier = node
            .children(&mut cursor)
            .find(|&child| self.kind(child) == Kind::ExternModifier);
        let Some(body) = self.field(node, self.grammar.fields.body) else {
            return;
        };
        let place = Place {
            foreign: modifier,
            ..place.clone()
        };
        let mut statements = Vec::new();
        self.items(&mut body.walk(), &place, &mut statements);
    }

    fn module_statements<'t>(&mut self, statements: &[Statement<'t>], place: &Place<'t>) {
        let (Some(first), Some(last)) = (statements.first(), statements.last()) else {
            return;
        };
        let span = Span {
            start: self.span(first.1).start,
            end: self.span(last.1).end,
        };
        let definition = self.builder.declare(&Declared {
            name: "module",
            qualified: &format!("{}module", place.prefix),
            kind: DefinitionKind::Module,
            container: place.container,
            span,
            name_span: Span {
                start: span.start,
                end: span.start,
            },
        });
        let outer = self.enter(definition);
        self.builder.end_signature();
        for (attributes, statement) in statements {
            for &attribute in attributes {
                self.attribute(attribute);
            }
            self.emit(*statement);
            if !self.slice(*statement).ends_with(';') {
                self.builder.text(";");
            }
        }
        self.leave(outer);
    }
}

/// Items take more stack than expressions.
const ITEM_DEPTH: u32 = 8;
