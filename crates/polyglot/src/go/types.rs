//! Types, signatures, and the parts of structs and interfaces.

use tree_sitter::Node;

use super::{
    FILE_BLOCK, Kind,
    scope::{Binding, Meaning, Shape, UNKNOWN},
    walker::{Place, Walker},
};
use crate::{
    model::{DefinitionIndex, Field, PathId, PathNode},
    syntax::span,
};

/// Parameters to bind once the body begins.
pub(super) type Bindings<'s> = Vec<(&'s str, Meaning)>;

/// Where the names of parameters and results go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Before their types.
    Written,
    /// Nowhere: they are no part of a type. A definition's stand before its body.
    Apart,
}

/// Parameters of one type that follow each other.
struct Run<'s> {
    declared: &'s str,
    count: usize,
    meaning: Meaning,
}

/// The shape of a container of what has one.
fn wrapped(element: Meaning) -> Option<Shape> {
    element.shape.map(|shape| Shape {
        containers: shape.containers + 1,
        ..shape
    })
}

impl<'s, 't> Walker<'s, 't> {
    pub fn bind_all(&mut self, bindings: &mut Bindings<'s>) {
        for (name, meaning) in bindings.drain(..) {
            self.scopes.bind(name, Binding::Local(meaning));
        }
    }

    /// The package that an import binds a name to.
    pub fn package(&mut self, name: &str) -> PathId {
        match self.scopes.find(name) {
            Some(_) => self.builder.unknown(),
            None => self.builder.name(FILE_BLOCK, name),
        }
    }

    pub fn qualified_type(&mut self) -> Meaning {
        let mut meaning = UNKNOWN;
        let fields = &self.grammar.fields;
        self.each(|walker, node, _| {
            let field = walker.field();
            let name = walker.slice(node);
            if field == fields.package {
                let path = walker.package(name);
                walker.builder.reference(span(node), name, path, false);
                meaning = Meaning::of(path);
            } else if field == fields.name {
                let path = walker.builder.member(meaning.path, name);
                walker.builder.reference(span(node), name, path, false);
                meaning = Meaning::of(path);
            } else {
                walker.visit();
            }
        });
        meaning
    }

    /// A pointer, or an element of a set of types: what its one type means.
    pub fn single(&mut self) -> Meaning {
        let mut meaning = None;
        let mut several = false;
        self.each(|walker, node, _| {
            let visited = walker.visit();
            if node.is_named() {
                several |= meaning.replace(visited).is_some();
            }
        });
        meaning.filter(|_| !several).unwrap_or(UNKNOWN)
    }

    pub fn parenthesized_type(&mut self, place: Place) -> Meaning {
        let node = self.cursor.node();
        let inner = node.named_child(0).map_or(Kind::Other, |inner| self.kind(inner));
        let keep = place.precedence > 0
            && matches!(
                inner,
                Kind::ChannelType | Kind::FunctionType | Kind::PointerType | Kind::ParenthesizedType
            );
        let mut meaning = UNKNOWN;
        self.each(|walker, node, kind| match kind {
            Kind::OpenParen | Kind::CloseParen => {
                if keep {
                    walker.leaf(node);
                }
            }
            _ => meaning = walker.visit(),
        });
        meaning
    }

    /// A slice, an array or a channel.
    pub fn container(&mut self) -> Meaning {
        let fields = &self.grammar.fields;
        let channel = self.kind(self.cursor.node()) == Kind::ChannelType;
        let mut element = UNKNOWN;
        self.each(|walker, _, _| {
            let field = walker.field();
            if field == fields.element || field == fields.value {
                element = walker.visit_in(Place {
                    precedence: u8::from(channel),
                    call: false,
                });
            } else {
                walker.visit();
            }
        });
        let shape = wrapped(element);
        let element = self.value_of(element);
        // A range over a channel begins with what it holds, not with an index.
        let key = if channel { element } else { self.builder.unknown() };
        Meaning::composite(self.builder.path(PathNode::Container(key, element))).shaped(shape)
    }

    pub fn map(&mut self) -> Meaning {
        let fields = &self.grammar.fields;
        let (mut key, mut value) = (UNKNOWN, UNKNOWN);
        self.each(|walker, _, _| {
            let field = walker.field();
            let visited = walker.visit();
            if field == fields.key {
                key = visited;
            } else if field == fields.value {
                value = visited;
            }
        });
        let shape = wrapped(value);
        let key = self.value_of(key);
        let value = self.value_of(value);
        Meaning::composite(self.builder.path(PathNode::Container(key, value))).shaped(shape)
    }

    pub fn function_type(&mut self) -> Meaning {
        let mut result = None;
        let fields = &self.grammar.fields;
        let mut bindings = Vec::new();
        self.each(|walker, _, kind| {
            if walker.field() == fields.result {
                result = walker.results(&mut bindings, Names::Apart);
            } else if kind == Kind::ParameterList {
                walker.parameters(&mut bindings, false, Names::Apart);
            } else {
                walker.visit();
            }
        });
        Meaning {
            path: self.builder.unknown(),
            instance: Some(self.builder.unknown()),
            result: Some(result.unwrap_or(self.builder.unknown())),
            shape: None,
        }
    }

    /// The results of a signature: the tokens, and one value for all of them.
    pub fn results(&mut self, bindings: &mut Bindings<'s>, names: Names) -> Option<PathId> {
        if self.kind(self.cursor.node()) == Kind::ParameterList {
            let values = self.parameters(bindings, true, names);
            return self.tuple(&values);
        }
        let start = self.builder.position();
        let node = self.cursor.node();
        let meaning = self.outer_results(false, Self::visit);
        self.failure(node, start);
        Some(self.value_of(meaning))
    }

    /// Types inside a type are not results of the definition.
    fn outer_results<R>(&mut self, declares: bool, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.declares_results, declares);
        let result = visit(self);
        self.declares_results = outer;
        result
    }

    /// Records a result type that is an error.
    fn failure(&mut self, node: Node<'t>, start: u32) {
        if !self.declares_results {
            return;
        }
        let mut named = node;
        while matches!(self.kind(named), Kind::PointerType | Kind::ParenthesizedType) {
            let Some(inner) = named.named_child(0) else { return };
            named = inner;
        }
        let text = self.slice(named);
        let fails = match self.kind(named) {
            Kind::TypeIdentifier => text == "error" || text.ends_with("Error"),
            Kind::QualifiedType => text.ends_with("Error"),
            _ => false,
        };
        if fails {
            self.builder.failure_since(start);
        }
    }

    /// A list of parameters or results. Gives a value for each of them.
    pub fn parameters(&mut self, bindings: &mut Bindings<'s>, results: bool, names: Names) -> Vec<PathId> {
        let node = self.cursor.node();
        let apart = names == Names::Apart;
        let bare = results && self.is_needless(node, apart);
        let mut values = Vec::new();
        let mut comma = None;
        let mut run: Option<Run<'s>> = None;
        self.each(|walker, node, kind| match kind {
            Kind::Comma => comma = Some(node),
            Kind::OpenParen | Kind::CloseParen => {
                walker.end_run(&mut run);
                if !bare {
                    walker.leaf(node);
                }
                comma = None;
            }
            Kind::ParameterDeclaration | Kind::VariadicParameterDeclaration => {
                let fields = &walker.grammar.fields;
                let variadic = kind == Kind::VariadicParameterDeclaration;
                let declared = walker.child(node, fields.type_);
                let declared = declared.map_or("", |declared| walker.slice(declared));
                let same = apart && !variadic && !declared.is_empty();
                if let Some(run) = run.as_mut().filter(|run| same && run.declared == declared) {
                    comma = None;
                    let names = walker.names_of(node);
                    run.count += names.len().max(1);
                    values.extend(std::iter::repeat_n(run.meaning.path, names.len().max(1)));
                    bindings.extend(names.into_iter().map(|name| (name, run.meaning)));
                    return;
                }
                walker.end_run(&mut run);
                if let Some(comma) = comma.take() {
                    walker.leaf(comma);
                }
                let known = values.len();
                let meaning = walker.parameter(bindings, &mut values, (results, apart));
                run = apart.then_some(Run {
                    declared: if variadic { "" } else { declared },
                    count: values.len() - known,
                    meaning,
                });
            }
            _ => {
                if let Some(comma) = comma.take() {
                    walker.leaf(comma);
                }
                walker.visit();
            }
        });
        self.end_run(&mut run);
        values
    }

    /// `a, b int`, `a int, b int` and `int, int` say the same of what is taken.
    fn end_run(&mut self, run: &mut Option<Run<'s>>) {
        if let Some(run) = run.take()
            && run.count > 1
        {
            self.builder.text(&format!("*{}", run.count));
        }
    }

    fn names_of(&self, declaration: Node<'t>) -> Vec<&'s str> {
        let fields = &self.grammar.fields;
        let mut cursor = declaration.walk();
        let name = std::num::NonZeroU16::new(fields.name).unwrap_or(std::num::NonZeroU16::MIN);
        declaration
            .children_by_field_id(name, &mut cursor)
            .filter(|node| self.kind(*node) == Kind::Identifier)
            .map(|node| self.slice(node))
            .collect()
    }

    /// Whether a list of results says the same without parentheses: it is empty,
    /// or one type, whose name may stand apart.
    fn is_needless(&self, list: Node<'t>, apart: bool) -> bool {
        let mut cursor = list.walk();
        let mut parameters = list
            .named_children(&mut cursor)
            .filter(|child| self.kind(*child) != Kind::Comment);
        let Some(first) = parameters.next() else {
            return !list.has_error();
        };
        parameters.next().is_none()
            && self.kind(first) == Kind::ParameterDeclaration
            && self.names_of(first).len() <= usize::from(apart)
    }

    fn parameter(
        &mut self,
        bindings: &mut Bindings<'s>,
        values: &mut Vec<PathId>,
        (results, apart): (bool, bool),
    ) -> Meaning {
        let fields = &self.grammar.fields;
        let variadic = self.kind(self.cursor.node()) == Kind::VariadicParameterDeclaration;
        let mut names = Vec::new();
        let mut meaning = UNKNOWN;
        self.each(|walker, node, kind| {
            let field = walker.field();
            if field == fields.name && walker.kind(node) == Kind::Identifier {
                names.push(walker.slice(node));
                if !apart {
                    walker.leaf(node);
                }
            } else if field == fields.type_ {
                let start = walker.builder.position();
                let visited = walker.outer_results(false, Self::visit);
                if results {
                    walker.failure(node, start);
                }
                meaning = walker.variable_of(visited);
                if variadic {
                    let unknown = walker.builder.unknown();
                    let many = PathNode::Container(unknown, meaning.path);
                    meaning = Meaning::of(walker.builder.path(many));
                }
                values.extend(std::iter::repeat_n(meaning.path, names.len().max(1)));
                bindings.extend(names.drain(..).map(|name| (name, meaning)));
            } else if !(apart && kind == Kind::Comma) {
                walker.visit();
            }
        });
        meaning
    }

    /// Binds the type parameters of a list while their tokens are appended.
    pub fn type_parameters(&mut self) {
        let fields = &self.grammar.fields;
        // A parameter's constraint may name a later parameter.
        let list = self.cursor.node();
        let mut cursor = list.walk();
        for declaration in list.named_children(&mut cursor) {
            let mut inner = declaration.walk();
            for name in declaration.children_by_field_id(
                std::num::NonZeroU16::new(fields.name).unwrap_or(std::num::NonZeroU16::MIN),
                &mut inner,
            ) {
                self.scopes.bind(self.slice(name), Binding::Local(UNKNOWN));
            }
        }
        self.children();
    }

    /// The type parameters that a method's receiver names.
    pub fn receiver_type_parameters(&mut self, receiver: Node<'t>) {
        let mut names = Vec::new();
        let mut pending = vec![receiver];
        let mut cursor = receiver.walk();
        while let Some(node) = pending.pop() {
            if self.kind(node) == Kind::TypeArguments {
                crate::syntax::for_each_leaf(node, |leaf| {
                    if self.kind(leaf) == Kind::TypeIdentifier {
                        names.push(self.slice(leaf));
                    }
                });
            } else {
                pending.extend(node.named_children(&mut cursor));
            }
        }
        for name in names {
            self.scopes.bind(name, Binding::Local(UNKNOWN));
        }
    }

    /// The type identifier that a receiver's type comes down to.
    pub fn receiver_type(&self, receiver: Node<'t>) -> Option<Node<'t>> {
        let fields = &self.grammar.fields;
        let mut cursor = receiver.walk();
        let declaration = receiver
            .named_children(&mut cursor)
            .find(|child| self.kind(*child) == Kind::ParameterDeclaration)?;
        let mut at = self.child(declaration, fields.type_)?;
        for _ in 0..16 {
            match self.kind(at) {
                Kind::TypeIdentifier => return Some(at),
                _ => at = at.named_child(0)?,
            }
        }
        None
    }

    // Structs and interfaces.

    /// A struct type in the midst of something else.
    pub fn anonymous_struct(&mut self) -> Meaning {
        let outer = std::mem::take(&mut self.fields_here);
        self.struct_fields(None);
        let fields = std::mem::replace(&mut self.fields_here, outer);
        self.structs.push(fields);
        UNKNOWN.shaped(Some(Shape {
            index: self.structs.len() as u32 - 1,
            containers: 0,
        }))
    }

    /// The fields of a struct, recorded with `owner` when it has one.
    pub fn struct_fields(&mut self, owner: Option<DefinitionIndex>) {
        self.each(|walker, node, kind| match kind {
            Kind::FieldDeclarationList => {
                if owner.is_some() {
                    walker.builder.end_signature();
                }
                walker.each(|walker, _, kind| match kind {
                    Kind::FieldDeclaration => {
                        walker.field_declaration(owner);
                        walker.builder.text(";");
                    }
                    Kind::Semicolon | Kind::Newline | Kind::Nul => {}
                    _ => {
                        walker.visit();
                    }
                });
            }
            _ => walker.leaf(node),
        });
    }

    fn field_declaration(&mut self, owner: Option<DefinitionIndex>) {
        let fields = &self.grammar.fields;
        let mut names: Vec<&'s str> = Vec::new();
        self.each(|walker, node, _| {
            let field = walker.field();
            if field == fields.name {
                names.push(walker.slice(node));
                walker.leaf(node);
            } else if field == fields.type_ {
                let meaning = walker.visit();
                let Some(owner) = owner else {
                    let meaning = walker.variable_of(meaning);
                    walker
                        .fields_here
                        .extend(names.drain(..).map(|name| (name, meaning)));
                    return;
                };
                if names.is_empty() {
                    // Embedded: a field named as the type, whose members are its own.
                    let name = walker.slice(walker.last_name(node));
                    names.push(name);
                    walker.builder.definition_mut(owner).bases.push(meaning.path);
                }
                for name in names.drain(..) {
                    walker.add_field(owner, name, meaning);
                }
            } else {
                walker.visit();
            }
        });
    }

    /// `T` of `T`, `pkg.T` and `T[int]`.
    fn last_name(&self, node: Node<'t>) -> Node<'t> {
        let fields = &self.grammar.fields;
        match self.kind(node) {
            Kind::GenericType => self
                .child(node, fields.type_)
                .map_or(node, |inner| self.last_name(inner)),
            Kind::QualifiedType => self.child(node, fields.name).unwrap_or(node),
            _ => node,
        }
    }

    /// A field of the type that `meaning` is.
    pub fn add_field(&mut self, owner: DefinitionIndex, name: &str, meaning: Meaning) {
        let value = match meaning.result {
            Some(result) => result,
            None => self.value_of(meaning),
        };
        let name = self.builder.intern(name);
        let field = Field {
            name,
            value,
            callable: meaning.result.is_some(),
        };
        self.builder.definition_mut(owner).fields.push(field);
    }

    /// The methods and types of an interface, recorded with `owner` when it has one.
    pub fn interface_elements(&mut self, owner: Option<DefinitionIndex>) {
        self.each(|walker, node, kind| match kind {
            Kind::Semicolon | Kind::Newline | Kind::Nul => {}
            Kind::MethodElem => {
                walker.method_element(owner);
                walker.builder.text(";");
            }
            Kind::TypeElem => {
                let meaning = walker.visit();
                walker.builder.text(";");
                if let Some(owner) = owner
                    && meaning.path != UNKNOWN.path
                {
                    walker.builder.definition_mut(owner).bases.push(meaning.path);
                }
            }
            _ => {
                if kind == Kind::OpenBrace && owner.is_some() {
                    walker.builder.end_signature();
                }
                if node.child_count() == 0 {
                    walker.leaf(node);
                } else {
                    walker.visit();
                }
            }
        });
    }

    fn method_element(&mut self, owner: Option<DefinitionIndex>) {
        let fields = &self.grammar.fields;
        let mut name = "";
        let mut result = None;
        let mut bindings = Vec::new();
        self.each(|walker, node, kind| {
            let field = walker.field();
            if field == fields.name {
                name = walker.slice(node);
                walker.leaf(node);
            } else if field == fields.result {
                result = walker.results(&mut bindings, Names::Apart);
            } else if kind == Kind::ParameterList {
                walker.parameters(&mut bindings, false, Names::Apart);
            } else {
                walker.visit();
            }
        });
        if let Some(owner) = owner {
            let result = result.unwrap_or(self.builder.unknown());
            self.add_field(
                owner,
                name,
                Meaning {
                    result: Some(result),
                    ..UNKNOWN
                },
            );
        }
    }
}
