//! Expressions: their tokens, and what their value is.

use tree_sitter::Node;

use super::{Kind, literals, scope::Binding, walker::Walker};
use crate::{model::*, syntax::span};

impl<'s, 't> Walker<'s, 't> {
    /// Reads any node in its place; the path is its value, if it is one.
    pub fn visit(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        if node.child_count() == 0 {
            return self.visit_leaf(node);
        }
        self.guarded(node, unknown, |walker| walker.visit_inner(node))
    }

    fn visit_leaf(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        match self.kind(node) {
            Kind::Identifier => return self.value_reference(node, false),
            Kind::TypeIdentifier | Kind::ThisType => return self.type_(node),
            Kind::This => {
                self.text("this");
                return self.function.this;
            }
            Kind::Super => {
                self.text("super");
                return self.function.super_;
            }
            Kind::ShorthandProperty => {
                self.leaf(node);
                self.text(":");
                return self.value_reference(node, false);
            }
            // The words `number` and `string` have the kinds' names.
            Kind::Number
                if self
                    .slice(node)
                    .starts_with(|first: char| first == '.' || first.is_ascii_digit()) =>
            {
                let number = literals::number(self.slice(node));
                self.text(&number);
            }
            Kind::Comment | Kind::HtmlComment | Kind::EmptyStatement | Kind::HashBang | Kind::Semicolon => {}
            Kind::Template => self.template(node, false),
            Kind::String => self.string(node),
            Kind::StatementBlock
            | Kind::Object
            | Kind::Break
            | Kind::Continue
            | Kind::Debugger
            | Kind::Return => {
                self.statement(node);
            }
            _ => self.leaf(node),
        }
        unknown
    }

    fn visit_inner(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        match self.kind(node) {
            Kind::Call | Kind::Member | Kind::Subscript | Kind::NonNull | Kind::Instantiation => {
                return self.chain(node);
            }
            Kind::Parenthesized => {
                let inner = self.bare(node);
                if self.kind(inner) != Kind::Parenthesized {
                    return self.visit(inner);
                }
                self.each(node);
            }
            Kind::Binary => return self.binary(node),
            Kind::Ternary => return self.ternary(node),
            Kind::Assignment => return self.assignment(node),
            Kind::AugmentedAssignment | Kind::Unary | Kind::Update | Kind::Yield => {
                for child in self.children(node) {
                    if child.is_named() {
                        self.operand(child);
                    } else {
                        self.leaf(child);
                    }
                }
            }
            Kind::Await => {
                self.text("await");
                let value = self.first_named(node).map(|inner| self.operand(inner));
                return match value {
                    Some(value) => self.builder.element(value),
                    None => unknown,
                };
            }
            Kind::New => return self.new_expression(node),
            Kind::As | Kind::Satisfies | Kind::TypeAssertion => return self.cast(node),
            Kind::Sequence => {
                self.text("(");
                self.each(node);
                self.text(")");
            }
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                self.callable(node, None);
            }
            Kind::MethodDefinition => {
                self.callable(node, Some((unknown, unknown)));
            }
            Kind::Class => self.class_expression(node),
            Kind::Array | Kind::ArrayPattern => return self.array(node),
            Kind::ObjectPattern => self.pattern(node, false),
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern | Kind::RestPattern => {
                self.pattern(node, false)
            }
            Kind::Pair => {
                for (field, child) in self.children_with_fields(node) {
                    if field == self.grammar.fields.key {
                        self.property_name(child);
                    } else {
                        self.visit(child);
                    }
                }
            }
            Kind::String => self.string(node),
            Kind::Template => self.template(node, false),
            Kind::Regex => {
                let regex = literals::regex(self.slice(node));
                self.text(&regex);
            }
            Kind::JsxElement | Kind::JsxSelfClosing => self.jsx(node),
            Kind::TypeArguments => {
                self.type_arguments(node);
            }
            Kind::TypeParameters => self.type_parameters(node),
            Kind::FormalParameters => self.parameters(node),
            Kind::GenericType
            | Kind::ArrayType
            | Kind::UnionType
            | Kind::IntersectionType
            | Kind::ParenthesizedType
            | Kind::ReadonlyType
            | Kind::IndexTypeQuery
            | Kind::RestType
            | Kind::OptionalType
            | Kind::TypeAnnotation
            | Kind::TypePredicateAnnotation
            | Kind::TypePredicate
            | Kind::Asserts
            | Kind::TypeQuery
            | Kind::LookupType
            | Kind::ObjectType
            | Kind::FunctionType
            | Kind::ConstructorType
            | Kind::CallSignature
            | Kind::ConstructSignature
            | Kind::ConditionalType
            | Kind::Infer
            | Kind::NestedTypeIdentifier
            | Kind::NestedIdentifier
            | Kind::LiteralType => return self.type_(node),
            Kind::TemplateLiteralType => self.template(node, false),
            Kind::IndexSignature => self.index_signature(node),
            Kind::RequiredParameter | Kind::OptionalParameter => {
                // Members of a tuple type have names.
                for (field, child) in self.children_with_fields(node) {
                    let names = [self.grammar.fields.name, self.grammar.fields.pattern];
                    if names.contains(&field) {
                        self.plain(child);
                    } else {
                        self.visit(child);
                    }
                }
            }
            _ if self.is_statement(node) => self.statement(node),
            _ => self.each(node),
        }
        unknown
    }

    fn index_signature(&mut self, node: Node<'t>) {
        self.enter_scope();
        let unknown = self.builder.unknown();
        for (field, child) in self.children_with_fields(node) {
            if field == self.grammar.fields.name {
                self.leaf(child);
            } else if self.kind(child) == Kind::MappedType {
                for (field, part) in self.children_with_fields(child) {
                    if field == self.grammar.fields.name {
                        let name = self.slice(part);
                        self.types.bind(name, super::scope::Binding::Local(unknown));
                        self.leaf(part);
                    } else {
                        self.visit(part);
                    }
                }
            } else {
                self.visit(child);
            }
        }
        self.leave_scope();
    }

    /// The node inside parentheses.
    pub fn bare(&self, node: Node<'t>) -> Node<'t> {
        let mut at = node;
        while self.kind(at) == Kind::Parenthesized {
            match self.first_named(at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }

    /// An expression that is a part of another, grouped where it needs to be.
    pub fn operand(&mut self, node: Node<'t>) -> PathId {
        let inner = self.bare(node);
        let group = matches!(
            self.kind(inner),
            Kind::Binary
                | Kind::Ternary
                | Kind::Assignment
                | Kind::AugmentedAssignment
                | Kind::Unary
                | Kind::Update
                | Kind::Await
                | Kind::Yield
                | Kind::ArrowFunction
                | Kind::As
                | Kind::Satisfies
                | Kind::TypeAssertion
        );
        if group {
            self.text("(");
        }
        let value = self.visit(inner);
        if group {
            self.text(")");
        }
        value
    }

    /// `a.b(c)[d]`: read from its start, however long.
    fn chain(&mut self, node: Node<'t>) -> PathId {
        let mut links: Vec<(Node<'t>, Vec<Node<'t>>)> = Vec::new();
        let mut at = node;
        loop {
            match self.kind(at) {
                Kind::Call | Kind::Member | Kind::Subscript | Kind::NonNull | Kind::Instantiation => {
                    let children = self.children(at);
                    let Some(&first) = children.first() else { break };
                    links.push((at, children));
                    at = first;
                }
                Kind::Parenthesized => {
                    let inner = self.bare(at);
                    if !self.is_link(inner) || self.is_optional(inner) {
                        break;
                    }
                    at = inner;
                }
                _ => break,
            }
        }
        links.reverse();
        let called = |walker: &Self, at: usize| {
            links
                .get(at)
                .is_some_and(|(link, _)| walker.kind(*link) == Kind::Call)
        };
        let mut path = match self.kind(at) {
            Kind::Identifier => self.value_reference(at, called(self, 0)),
            Kind::Parenthesized if self.is_link(self.bare(at)) => {
                let inner = self.bare(at);
                self.text("(");
                let path = self.visit(inner);
                self.text(")");
                path
            }
            _ => self.operand(at),
        };
        let mut receiver = self.builder.unknown();
        let mut method = "";
        for (index, (link, children)) in links.iter().enumerate() {
            match self.kind(*link) {
                Kind::Member => {
                    receiver = path;
                    for &child in &children[1..] {
                        match self.kind(child) {
                            Kind::PropertyIdentifier | Kind::PrivateIdentifier => {
                                method = self.slice(child);
                                path = self.member_reference(child, path, called(self, index + 1));
                            }
                            _ => {
                                self.visit(child);
                            }
                        }
                    }
                    continue;
                }
                Kind::Subscript => {
                    let mut index_node = None;
                    for &child in &children[1..] {
                        self.visit(child);
                        if child.is_named() {
                            index_node = Some(child);
                        }
                    }
                    path = match index_node.filter(|&index| self.kind(index) == Kind::String) {
                        Some(name) => self.builder.member(path, literals::content(self.slice(name))),
                        None => self.builder.element(path),
                    };
                }
                Kind::NonNull => self.text("!"),
                Kind::Instantiation => {
                    for &child in &children[1..] {
                        self.visit(child);
                    }
                }
                _ => {
                    let first = (index == 0).then_some(at);
                    let fold =
                        self.is_embedded(at, index == 0) || matches!(method, "css" | "global" | "resolve");
                    path = self.call(first, path, receiver, (method, fold), &children[1..]);
                }
            }
            method = "";
        }
        path
    }

    fn is_link(&self, node: Node<'t>) -> bool {
        matches!(
            self.kind(node),
            Kind::Call | Kind::Member | Kind::Subscript | Kind::NonNull | Kind::Instantiation
        )
    }

    /// Whether the chain may stop early, so that parentheses around it count.
    fn is_optional(&self, node: Node<'t>) -> bool {
        let mut at = node;
        while self.is_link(at) || self.kind(at) == Kind::Parenthesized {
            let children = self.children(at);
            if children
                .iter()
                .any(|&child| self.kind(child) == Kind::OptionalChain || self.slice(child) == "?.")
            {
                return true;
            }
            match children.iter().find(|child| child.is_named()) {
                Some(&first) => at = first,
                None => break,
            }
        }
        false
    }

    fn call(
        &mut self,
        callee: Option<Node<'t>>,
        path: PathId,
        receiver: PathId,
        (method, fold): (&str, bool),
        rest: &[Node<'t>],
    ) -> PathId {
        let unknown = self.builder.unknown();
        if matches!(
            method,
            "map"
                | "forEach"
                | "filter"
                | "find"
                | "findLast"
                | "findIndex"
                | "some"
                | "every"
                | "flatMap"
                | "sort"
                | "toSorted"
                | "then"
        ) {
            self.hint = self.builder.element(receiver);
        }
        let hint = self.hint;
        let mut argument = None;
        for &part in rest {
            match self.kind(part) {
                Kind::Arguments => {
                    argument = self.first_named(part);
                    self.arguments(part, hint);
                }
                Kind::Template => {
                    self.template(part, fold);
                }
                _ => {
                    self.visit(part);
                }
            }
        }
        self.hint = unknown;
        if let Some(callee) = callee
            && let Some(specifier) = argument.filter(|&argument| self.kind(argument) == Kind::String)
        {
            let module = literals::content(self.slice(specifier));
            if self.kind(callee) == Kind::Import {
                let module = self.builder.module(module);
                return self.container("Promise", module);
            }
            if self.is_free(callee, "require") {
                return self.builder.module(module);
            }
        }
        self.builder.call(path)
    }

    /// Whether a node is a name that nothing in the file declares.
    pub fn is_free(&self, node: Node<'t>, name: &str) -> bool {
        self.kind(node) == Kind::Identifier
            && self.slice(node) == name
            && self.values.find(name).is_none()
            && !self.declared.contains_key(name)
    }

    /// Where a chain starts.
    fn base(&self, node: Node<'t>) -> Node<'t> {
        let mut at = node;
        while self.is_link(at) {
            match self.first_named(at) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }

    /// Whether a template with this tag is in a language that formatters know.
    fn is_embedded(&self, base: Node<'t>, direct: bool) -> bool {
        if self.kind(base) != Kind::Identifier {
            return false;
        }
        let name = self.slice(base);
        let tag = matches!(
            name,
            "css"
                | "html"
                | "gql"
                | "graphql"
                | "markdown"
                | "md"
                | "keyframes"
                | "injectGlobal"
                | "createGlobalStyle"
                | "svg"
        );
        name == "styled" || direct && tag
    }

    fn arguments(&mut self, node: Node<'t>, hint: PathId) {
        let unknown = self.builder.unknown();
        let mut comma = false;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::Comma => comma = true,
                _ if child.is_named() => {
                    if comma {
                        self.text(",");
                    }
                    comma = false;
                    let function = matches!(self.kind(child), Kind::ArrowFunction | Kind::FunctionExpression);
                    self.hint = if function { hint } else { unknown };
                    self.visit(child);
                    self.hint = unknown;
                }
                _ => self.leaf(child),
            }
        }
    }

    /// A chain of operators. The left operand stands bare if it is one too.
    fn binary(&mut self, node: Node<'t>) -> PathId {
        let mut operators: Vec<(Node<'t>, Node<'t>)> = Vec::new();
        let mut at = node;
        while self.kind(at) == Kind::Binary {
            let children = self.children(at);
            let [left, operator, right] = children[..] else {
                self.each(at);
                return self.builder.unknown();
            };
            operators.push((operator, right));
            at = self.bare(left);
        }
        let mut value = self.operand(at);
        for (operator, right) in operators.into_iter().rev() {
            let text = self.slice(operator);
            self.text(text);
            if text == ">" && self.kind(right) == Kind::Template {
                // The grammar of TSX takes `tag<T>`...`` for two comparisons.
                let fold = self.is_embedded(self.base(at), self.kind(at) == Kind::Identifier);
                self.template(right, fold);
                continue;
            }
            if !matches!(text, "&&" | "||" | "??") {
                self.operand(right);
                value = self.builder.unknown();
                continue;
            }
            let mut pending = vec![right];
            let mut first = true;
            while let Some(next) = pending.pop() {
                let inner = self.bare(next);
                if self.kind(inner) == Kind::Binary
                    && let [left, operator, right] = self.children(inner)[..]
                    && self.slice(operator) == text
                {
                    pending.extend([right, left]);
                    continue;
                }
                if !first {
                    self.text(text);
                }
                first = false;
                let last = self.operand(next);
                if text == "&&" {
                    value = last;
                }
            }
        }
        value
    }

    fn ternary(&mut self, node: Node<'t>) -> PathId {
        let fields = &self.grammar.fields;
        let mut at = node;
        let mut value = None;
        let mut same = true;
        loop {
            self.frame.branches += 1;
            let (Some(condition), Some(yes), Some(no)) = (
                self.field(at, fields.condition),
                self.field(at, fields.consequence),
                self.field(at, fields.alternative),
            ) else {
                self.each(at);
                return self.builder.unknown();
            };
            self.operand(condition);
            self.text("?");
            let here = self.operand(yes);
            same &= *value.get_or_insert(here) == here;
            self.text(":");
            let inner = self.bare(no);
            if self.kind(inner) == Kind::Ternary {
                at = inner;
                continue;
            }
            let here = self.operand(no);
            return if same && value == Some(here) {
                here
            } else {
                self.builder.unknown()
            };
        }
    }

    fn assignment(&mut self, node: Node<'t>) -> PathId {
        let fields = &self.grammar.fields;
        let (Some(left), Some(right)) = (self.field(node, fields.left), self.field(node, fields.right))
        else {
            self.each(node);
            return self.builder.unknown();
        };
        let left = self.bare(left);
        self.visit(left);
        self.text("=");
        let value = self.visit(right);
        self.reassigned(left, value);
        if let Some(class) = self.function.constructs
            && value != self.builder.unknown()
            && self.kind(left) == Kind::Member
            && let Some(object) = self.field(left, fields.object)
            && self.kind(object) == Kind::This
            && let Some(property) = self.field(left, fields.property)
        {
            let name = self.slice(property);
            let known = self
                .builder
                .definition(class)
                .fields
                .iter()
                .any(|field| self.builder.str(field.name) == name);
            if !known {
                self.add_named_field(class, name, value, false);
            }
        }
        value
    }

    /// A variable whose type was only evident from its first value has none once it
    /// holds another; an annotation stays true.
    fn reassigned(&mut self, left: Node<'t>, value: PathId) {
        if self.kind(left) != Kind::Identifier {
            return;
        }
        let name = self.slice(left);
        let Some(Binding::Local(before)) = self.values.find(name) else {
            return;
        };
        let declared = match self.builder.node(before) {
            PathNode::Instance(inner) => {
                matches!(
                    self.builder.node(inner),
                    PathNode::Instance(_) | PathNode::Container(..)
                )
            }
            _ => false,
        };
        if before != value && !declared {
            let unknown = self.builder.unknown();
            self.values.update(name, Binding::Local(unknown));
        }
    }

    fn new_expression(&mut self, node: Node<'t>) -> PathId {
        let fields = &self.grammar.fields;
        self.text("new");
        let Some(constructor) = self.field(node, fields.constructor) else {
            self.each(node);
            return self.builder.unknown();
        };
        let inner = self.bare(constructor);
        let arguments = self.field(node, fields.arguments);
        let bare_call = arguments.is_none_or(|arguments| self.first_named(arguments).is_none());
        let path = if bare_call && self.is_free(inner, "Date") {
            let now = self.builder.library("Date.now");
            self.builder.reference(span(inner), "Date", now, true);
            now
        } else if self.kind(inner) == Kind::Identifier {
            self.value_reference(inner, true)
        } else {
            self.text("(");
            let path = self.visit(inner);
            self.text(")");
            path
        };
        let mut called = false;
        let unknown = self.builder.unknown();
        let mut elements = Vec::new();
        for (field, child) in self.children_with_fields(node) {
            if self.kind(child) == Kind::TypeArguments {
                elements = self.type_arguments(child);
            } else if field == fields.arguments {
                called = true;
                self.arguments(child, unknown);
            }
        }
        if !called {
            self.text("(");
            self.text(")");
        }
        if let Some(&element) = elements.last()
            && self.kind(inner) == Kind::Identifier
        {
            let name = self.slice(inner);
            if matches!(name, "Map" | "Set" | "WeakMap" | "WeakSet" | "Array") && self.is_free(inner, name) {
                return self.container(name, element);
            }
        }
        self.builder.instance(path)
    }

    /// Reads `new X(...)` after `throw`, noting what is thrown.
    pub fn thrown(&mut self, node: Node<'t>) {
        let inner = self.bare(node);
        let start = self.builder.position();
        self.visit(inner);
        if self.kind(inner) == Kind::New
            && let Some(constructor) = self.field(inner, self.grammar.fields.constructor)
            && self.kind(constructor) == Kind::Identifier
        {
            self.builder.failure_at(start + 1, 1);
        }
    }

    fn cast(&mut self, node: Node<'t>) -> PathId {
        let mut value = self.builder.unknown();
        let assertion = self.kind(node) == Kind::TypeAssertion;
        let children = self.children(node);
        let satisfies = self.kind(node) == Kind::Satisfies;
        let mut first = true;
        for child in children {
            if !child.is_named() {
                self.leaf(child);
            } else if self.kind(child) == Kind::TypeArguments {
                value = self.type_arguments(child).first().copied().unwrap_or(value);
            } else if first {
                let of_expression = self.operand(child);
                if !assertion {
                    value = of_expression;
                }
                first = false;
            } else {
                let of_type = self.type_(child);
                if !satisfies {
                    value = of_type;
                }
            }
        }
        value
    }

    fn array(&mut self, node: Node<'t>) -> PathId {
        let unknown = self.builder.unknown();
        let mut element: Option<PathId> = None;
        let mut after_element = false;
        let (mut pending, mut trailing) = (false, false);
        for child in self.children(node) {
            match self.kind(child) {
                Kind::Comma => {
                    if pending {
                        self.text(",");
                    }
                    pending = true;
                    trailing = after_element;
                    after_element = false;
                    continue;
                }
                Kind::CloseBracket if trailing => {}
                _ if pending => self.text(","),
                _ => {}
            }
            pending = false;
            let value = self.visit(child);
            after_element = child.is_named();
            if after_element {
                element = Some(match element {
                    None => value,
                    Some(known) if known == value => known,
                    Some(_) => unknown,
                });
            }
        }
        let element = element.unwrap_or(unknown);
        if element == unknown {
            unknown
        } else {
            self.container("Array", element)
        }
    }

    fn string(&mut self, node: Node<'t>) {
        let raw = self.slice(node);
        let text = literals::string(raw);
        self.text(&text);
    }

    /// A template: its texts as they stand, or with their white space folded.
    pub fn template(&mut self, node: Node<'t>, fold: bool) {
        let mut from = node.start_byte() as u32;
        for child in self.children(node) {
            let substitution =
                child.is_named() && child.child_count() > 0 && self.slice(child).starts_with("${");
            if !substitution {
                continue;
            }
            self.template_text(from, child.start_byte() as u32, fold);
            self.text("${");
            for part in self.children(child) {
                if part.is_named() {
                    self.visit(part);
                }
            }
            self.text("}");
            from = child.end_byte() as u32;
        }
        self.template_text(from, node.end_byte() as u32, fold);
    }

    fn template_text(&mut self, start: u32, end: u32, fold: bool) {
        let raw = self.builder.slice(Span { start, end });
        if fold {
            let words: String = raw.split_whitespace().collect();
            self.text(&words.replace([';', ','], "").replace('\'', "\""));
        } else if raw.contains('\r') {
            self.text(&raw.replace("\r\n", "\n"));
        } else {
            self.text(raw);
        }
    }
}
