//! Expressions: their tokens, and what they mean where that is evident.

use tree_sitter::Node;

use super::{
    FILE_BLOCK, Kind,
    scope::{Binding, Meaning, UNKNOWN},
    types::Names,
    walker::{Place, Walker},
};
use crate::{
    model::{PathId, PathNode},
    syntax::span,
};

const PRIMARY: u8 = 7;
const UNARY: u8 = 6;

/// How tightly an expression binds.
fn precedence_of(operator: &str) -> u8 {
    match operator {
        "*" | "/" | "%" | "<<" | ">>" | "&" | "&^" => 5,
        "+" | "-" | "|" | "^" => 4,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => 3,
        "&&" => 2,
        _ => 1,
    }
}

/// What the elements of a literal are.
#[derive(Clone, Copy)]
pub(super) struct Elements<'t> {
    key: Option<Node<'t>>,
    element: Option<Node<'t>>,
    /// Of a struct: a value of it, whose fields the keys name.
    fields: Option<PathId>,
}

impl<'s, 't> Walker<'s, 't> {
    fn operand(&mut self, precedence: u8) -> Meaning {
        self.visit_in(Place {
            precedence,
            call: false,
        })
    }

    pub fn selector(&mut self, place: Place) -> Meaning {
        let mut meaning = UNKNOWN;
        let fields = &self.grammar.fields;
        self.each(|walker, node, _| {
            let field = walker.field();
            if field == fields.operand {
                meaning = walker.operand(PRIMARY);
            } else if field == fields.field {
                let name = walker.slice(node);
                let path = walker.builder.member(meaning.path, name);
                walker.builder.reference(span(node), name, path, place.call);
                meaning = walker.field_of(meaning, name).unwrap_or(Meaning::of(path));
            } else {
                walker.visit();
            }
        });
        meaning
    }

    /// A field of a struct without a name.
    fn field_of(&self, meaning: Meaning, name: &str) -> Option<Meaning> {
        let shape = meaning.shape.filter(|shape| shape.containers == 0)?;
        let fields = self.structs.get(shape.index as usize)?;
        fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, meaning)| *meaning)
    }

    pub fn call(&mut self) -> Meaning {
        let mut callee = UNKNOWN;
        let mut builtin = "";
        let mut first = None;
        let fields = &self.grammar.fields;
        self.each(|walker, node, kind| {
            let field = walker.field();
            if field == fields.function {
                if kind == Kind::Identifier && walker.scopes.find(walker.slice(node)).is_none() {
                    builtin = walker.slice(node);
                }
                callee = walker.visit_in(Place {
                    precedence: PRIMARY,
                    call: true,
                });
            } else if kind == Kind::ArgumentList {
                first = walker.arguments();
            } else {
                walker.visit();
            }
        });
        match (builtin, first) {
            ("new" | "make", Some(first)) => self.variable_of(first),
            ("append", Some(first)) => first,
            _ => Meaning::of(self.called(callee)),
        }
    }

    /// Visits arguments and gives what the first one means.
    fn arguments(&mut self) -> Option<Meaning> {
        let mut first = None;
        let mut comma = None;
        self.each(|walker, node, kind| match kind {
            Kind::OpenParen => walker.leaf(node),
            Kind::Comma => comma = Some(node),
            Kind::CloseParen => {
                comma = None;
                walker.leaf(node);
            }
            _ => {
                if let Some(comma) = comma.take() {
                    walker.leaf(comma);
                }
                let meaning = walker.visit();
                first.get_or_insert(meaning);
            }
        });
        first
    }

    pub fn unary(&mut self) -> Meaning {
        let mut operator = "";
        let mut operand = UNKNOWN;
        let fields = &self.grammar.fields;
        self.each(|walker, node, _| {
            if walker.field() == fields.operand {
                operand = walker.operand(UNARY);
            } else {
                operator = walker.slice(node);
                walker.visit();
            }
        });
        match operator {
            // Pointers are not told from what they point to.
            "&" | "*" => operand,
            "<-" => Meaning::of(self.builder.element(operand.path)).shaped(operand.inner_shape()),
            _ => UNKNOWN,
        }
    }

    /// A chain of operators of any length: the left spine is walked in a loop.
    pub fn binary(&mut self) {
        let mut levels = 0;
        while self.kind(self.cursor.node()) == Kind::BinaryExpression && self.cursor.goto_first_child() {
            levels += 1;
        }
        let operator_of = |walker: &Self, binary: Node<'t>| {
            let operator = walker.child(binary, walker.grammar.fields.operator);
            operator.map_or(0, |operator| precedence_of(walker.slice(operator)))
        };
        let node = self.cursor.node();
        // Only parentheses need to know what stands around them.
        let precedence = match self.kind(node) {
            Kind::ParenthesizedExpression => {
                self.cursor.goto_parent();
                let precedence = operator_of(self, self.cursor.node());
                self.cursor.goto_first_child();
                precedence
            }
            _ => 0,
        };
        if self.kind(node) != Kind::Comment {
            self.operand(precedence);
        }
        for _ in 0..levels {
            let mut precedence = 0;
            while self.cursor.goto_next_sibling() {
                let node = self.cursor.node();
                let field = self.field();
                if self.kind(node) == Kind::Comment {
                    continue;
                }
                if field == self.grammar.fields.operator {
                    precedence = precedence_of(self.slice(node));
                    self.leaf(node);
                } else {
                    self.operand(precedence + 1);
                }
            }
            self.cursor.goto_parent();
        }
    }

    pub fn parenthesized(&mut self, place: Place) -> Meaning {
        let node = self.cursor.node();
        let inner = node
            .named_children(&mut node.walk())
            .find(|child| self.kind(*child) != Kind::Comment);
        let inner_precedence = inner.map_or(0, |inner| match self.kind(inner) {
            Kind::BinaryExpression => self
                .child(inner, self.grammar.fields.operator)
                .map_or(0, |operator| precedence_of(self.slice(operator))),
            Kind::UnaryExpression => UNARY,
            Kind::ChannelType | Kind::FunctionType | Kind::PointerType => 0,
            _ => PRIMARY,
        });
        let keep = inner_precedence < place.precedence || node.has_error();
        let mut meaning = UNKNOWN;
        self.each(|walker, node, kind| match kind {
            Kind::OpenParen | Kind::CloseParen => {
                if keep {
                    walker.leaf(node);
                }
            }
            _ => {
                meaning = walker.visit_in(Place {
                    precedence: if keep { 0 } else { place.precedence },
                    call: place.call,
                });
            }
        });
        meaning
    }

    pub fn index(&mut self, place: Place) -> Meaning {
        let mut operand = UNKNOWN;
        let fields = &self.grammar.fields;
        self.each(|walker, _, _| {
            if walker.field() == fields.operand {
                operand = walker.visit_in(Place {
                    precedence: PRIMARY,
                    call: place.call,
                });
            } else {
                walker.visit();
            }
        });
        // `f[int](x)` calls f; `handlers[i](x)` calls what no path names.
        let names = matches!(
            self.builder.node(operand.path),
            PathNode::Name(..) | PathNode::Member(..)
        );
        let result = (place.call && names).then(|| self.builder.call(operand.path));
        Meaning {
            path: self.builder.element(operand.path),
            instance: None,
            result,
            shape: operand.inner_shape(),
        }
    }

    pub fn slice_of(&mut self) -> Meaning {
        let node = self.cursor.node();
        let fields = &self.grammar.fields;
        let whole = self.child(node, fields.capacity).is_none() && self.ends_at_length(node);
        let mut operand = UNKNOWN;
        self.each(|walker, _, _| {
            let field = walker.field();
            if field == fields.operand {
                operand = walker.operand(PRIMARY);
            } else if field != fields.end || !whole {
                walker.visit();
            }
        });
        operand
    }

    /// Whether a slice expression is `s[...:len(s)]`.
    fn ends_at_length(&self, node: Node<'t>) -> bool {
        let fields = &self.grammar.fields;
        let (Some(operand), Some(end)) = (self.child(node, fields.operand), self.child(node, fields.end))
        else {
            return false;
        };
        if self.kind(operand) != Kind::Identifier || self.kind(end) != Kind::CallExpression {
            return false;
        }
        let (Some(function), Some(arguments)) = (
            self.child(end, fields.function),
            self.child(end, fields.arguments),
        ) else {
            return false;
        };
        self.slice(function) == "len"
            && self.scopes.find("len").is_none()
            && arguments.named_child_count() == 1
            && arguments
                .named_child(0)
                .is_some_and(|argument| self.slice(argument) == self.slice(operand))
    }

    /// `x.(T)` and `T(x)`.
    pub fn converted(&mut self) -> Meaning {
        let mut meaning = UNKNOWN;
        let assertion = self.kind(self.cursor.node()) == Kind::TypeAssertion;
        let fields = &self.grammar.fields;
        let mut comma = None;
        self.each(|walker, node, kind| {
            let field = walker.field();
            if kind == Kind::Comma {
                comma = Some(node);
            } else if field == fields.type_ {
                // Written without parentheses, its results would seem to be.
                let bare = kind == Kind::FunctionType;
                if bare {
                    walker.builder.text("(");
                }
                meaning = walker.operand(PRIMARY);
                if bare {
                    walker.builder.text(")");
                }
            } else if field == fields.operand {
                walker.operand(if assertion { PRIMARY } else { 0 });
            } else {
                walker.visit();
            }
        });
        self.variable_of(meaning)
    }

    /// A generic type or function with its arguments: the meaning is without.
    pub fn generic(&mut self) -> Meaning {
        let mut meaning = None;
        let mut comma = None;
        self.each(|walker, node, kind| match kind {
            Kind::Comma => comma = Some(node),
            Kind::CloseBracket => {
                comma = None;
                walker.leaf(node);
            }
            _ => {
                if let Some(comma) = comma.take() {
                    walker.leaf(comma);
                }
                let visited = walker.visit();
                meaning.get_or_insert(visited);
            }
        });
        meaning.unwrap_or(UNKNOWN)
    }

    pub fn function_literal(&mut self) -> Meaning {
        self.scopes.enter();
        let mut bindings = Vec::new();
        let mut result = None;
        let fields = &self.grammar.fields;
        self.each(|walker, _, kind| {
            let field = walker.field();
            if kind == Kind::Block {
                walker.bind_all(&mut bindings);
                walker.block();
            } else if field == fields.result {
                result = walker.results(&mut bindings, Names::Written);
            } else if kind == Kind::ParameterList {
                walker.parameters(&mut bindings, false, Names::Written);
            } else {
                walker.visit();
            }
        });
        self.scopes.leave();
        Meaning {
            path: self.builder.unknown(),
            instance: None,
            result: Some(result.unwrap_or(self.builder.unknown())),
            shape: None,
        }
    }

    // Composite literals.

    pub fn composite_literal(&mut self) -> Meaning {
        let mut meaning = UNKNOWN;
        let mut elements = None;
        let fields = &self.grammar.fields;
        self.each(|walker, node, kind| {
            if kind == Kind::LiteralValue {
                walker.literal_value(elements);
            } else if walker.field() == fields.type_ {
                meaning = walker.visit();
                elements = Some(walker.elements_of(node, Some(meaning)));
            } else {
                walker.visit();
            }
        });
        self.variable_of(meaning)
    }

    /// What a literal of a type holds.
    fn elements_of(&mut self, mut node: Node<'t>, meaning: Option<Meaning>) -> Elements<'t> {
        for _ in 0..16 {
            match self.kind(node) {
                Kind::PointerType | Kind::ParenthesizedType | Kind::GenericType => {
                    node = node.named_child(0).unwrap_or(node);
                }
                _ => break,
            }
        }
        let fields = &self.grammar.fields;
        let container = |walker: &Self, node: Node<'t>| Elements {
            key: walker.child(node, fields.key),
            element: walker
                .child(node, fields.element)
                .or_else(|| walker.child(node, fields.value)),
            fields: None,
        };
        match self.kind(node) {
            Kind::ArrayType | Kind::SliceType | Kind::ImplicitLengthArrayType | Kind::MapType => {
                return container(self, node);
            }
            Kind::TypeIdentifier => {
                let name = self.slice(node);
                if self.scopes.find(name).is_none()
                    && let Some(&made_of) = self.file_types.get(name)
                    && matches!(
                        self.kind(made_of),
                        Kind::ArrayType | Kind::SliceType | Kind::MapType
                    )
                {
                    return container(self, made_of);
                }
            }
            _ => {}
        }
        let meaning = match meaning {
            Some(meaning) => meaning,
            None => self.named_type(node),
        };
        let value = self.value_of(meaning);
        Elements {
            key: None,
            element: None,
            fields: Some(value),
        }
    }

    /// What a named type means, without its tokens.
    fn named_type(&mut self, node: Node<'t>) -> Meaning {
        match self.kind(node) {
            Kind::TypeIdentifier => match self.scopes.find(self.slice(node)) {
                Some(Binding::Type(path)) => Meaning::of(path),
                Some(Binding::Local(_)) => UNKNOWN,
                None => Meaning::of(self.builder.name(FILE_BLOCK, self.slice(node))),
            },
            Kind::QualifiedType => {
                let fields = &self.grammar.fields;
                let (Some(package), Some(name)) =
                    (self.child(node, fields.package), self.child(node, fields.name))
                else {
                    return UNKNOWN;
                };
                let package = self.package(self.slice(package));
                Meaning::of(self.builder.member(package, self.slice(name)))
            }
            _ => UNKNOWN,
        }
    }

    pub fn literal_value(&mut self, elements: Option<Elements<'t>>) {
        self.guarded(|walker| walker.literal_parts(elements));
    }

    fn literal_parts(&mut self, elements: Option<Elements<'t>>) {
        let mut comma = None;
        self.each(|walker, node, kind| match kind {
            Kind::Comma => comma = Some(node),
            Kind::CloseBrace => {
                comma = None;
                walker.leaf(node);
            }
            _ => {
                if let Some(comma) = comma.take() {
                    walker.leaf(comma);
                }
                match kind {
                    Kind::KeyedElement => walker.keyed_element(elements),
                    Kind::LiteralElement => walker.literal_element(elements.and_then(|e| e.element)),
                    _ => {
                        walker.visit();
                    }
                }
            }
        });
    }

    fn keyed_element(&mut self, elements: Option<Elements<'t>>) {
        let fields = &self.grammar.fields;
        self.each(|walker, node, _| {
            let field = walker.field();
            if field == fields.key {
                match elements.and_then(|elements| elements.fields) {
                    Some(value) => walker.field_key(node, value),
                    None => walker.literal_element(elements.and_then(|elements| elements.key)),
                }
            } else if field == fields.value {
                walker.literal_element(elements.and_then(|elements| elements.element));
            } else {
                walker.visit();
            }
        });
    }

    /// The key of what is a struct, as far as one can see.
    fn field_key(&mut self, node: Node<'t>, value: PathId) {
        let name = self.slice(node);
        let identifier = node
            .named_child(0)
            .filter(|inner| self.kind(*inner) == Kind::Identifier);
        match identifier {
            Some(identifier) => {
                let path = self.builder.member(value, name);
                self.builder.reference(span(identifier), name, path, false);
            }
            None => self.literal_element(None),
        }
    }

    /// An element of a literal whose type the literal's type implies.
    fn literal_element(&mut self, implied: Option<Node<'t>>) {
        self.each(|walker, node, kind| {
            let Some(implied) = implied else {
                if kind == Kind::LiteralValue {
                    walker.literal_value(None);
                } else {
                    walker.visit();
                }
                return;
            };
            let fields = &walker.grammar.fields;
            match kind {
                Kind::LiteralValue => {
                    let elements = walker.elements_of(implied, None);
                    walker.literal_value(Some(elements));
                }
                Kind::CompositeLiteral if walker.is_type_of(node, implied) => {
                    walker.implied_literal(implied);
                }
                Kind::UnaryExpression if walker.kind(implied) == Kind::PointerType => {
                    let address = walker
                        .child(node, fields.operator)
                        .is_some_and(|operator| walker.kind(operator) == Kind::Address);
                    let operand = walker
                        .child(node, fields.operand)
                        .filter(|operand| address && walker.kind(*operand) == Kind::CompositeLiteral);
                    match (operand, implied.named_child(0)) {
                        (Some(operand), Some(pointed)) if walker.is_type_of(operand, pointed) => {
                            walker.at(operand, |walker| walker.implied_literal(pointed));
                        }
                        _ => {
                            walker.visit();
                        }
                    }
                }
                _ => {
                    walker.visit();
                }
            }
        });
    }

    /// Visits a composite literal without its type.
    fn implied_literal(&mut self, implied: Node<'t>) {
        let elements = self.elements_of(implied, None);
        self.each(|walker, _, kind| {
            if kind == Kind::LiteralValue {
                walker.literal_value(Some(elements));
            }
        });
    }

    /// Whether a composite literal's type is spelled as another type is.
    fn is_type_of(&self, literal: Node<'t>, other: Node<'t>) -> bool {
        let Some(own) = self.child(literal, self.grammar.fields.type_) else {
            return false;
        };
        if self.slice(own) == self.slice(other) {
            return true;
        }
        // Only layout may differ, and not by much: types are compared for every
        // element.
        let (shorter, longer) = (own.byte_range().len(), other.byte_range().len());
        let (shorter, longer) = (shorter.min(longer), shorter.max(longer));
        if self.kind(own) != self.kind(other) || longer > 4 * shorter + 200 {
            return false;
        }
        let words = |node: Node<'t>| {
            let mut words = Vec::new();
            crate::syntax::for_each_leaf(node, |leaf| {
                if !matches!(self.kind(leaf), Kind::Comment | Kind::Newline | Kind::Semicolon) {
                    words.push(self.slice(leaf));
                }
            });
            words
        };
        words(own) == words(other)
    }
}
