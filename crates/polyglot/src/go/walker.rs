//! The walk over a syntax tree that everything else here is a step of.
//!
//! One cursor serves the whole walk: a visit begins with the cursor on its node
//! and ends with it there.

use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};

use super::{
    FILE_BLOCK, Grammar, Kind, grammar, literals,
    scope::{Binding, Meaning, Scopes, UNKNOWN},
};
use crate::{
    builder::Builder,
    model::{DefinitionIndex, FILE_NAMESPACE, Metrics, PathId, PathNode, Skeleton, Span, Str, Token},
    syntax::{self, MAX_DEPTH, span},
};

/// What the place of an expression asks of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// Operators that bind less keep their parentheses.
    pub precedence: u8,
    /// Whether the expression is called here.
    pub call: bool,
}

pub(super) struct Walker<'s, 't> {
    pub grammar: &'static Grammar,
    pub builder: Builder<'s>,
    pub source: &'s str,
    pub cursor: TreeCursor<'t>,
    pub scopes: Scopes<'s>,
    /// Types that the file declares at top level, to the type they are made of.
    pub file_types: HashMap<&'s str, Node<'t>>,
    /// Texts of tokens that are the same wherever they stand.
    fixed: Vec<Option<Str>>,
    depth: u32,
    /// The number of the constant being read in its group.
    pub iota: Option<u32>,
    pub metrics: Metrics,
    pub block_depth: u32,
    /// The innermost definition being read.
    pub inside: Option<DefinitionIndex>,
    /// Whether the type being read is among the results a definition declares.
    pub declares_results: bool,
    /// Fields of the struct without a name being read.
    pub fields_here: Vec<(&'s str, Meaning)>,
    /// Fields of the structs without a name, so far.
    pub structs: Vec<Vec<(&'s str, Meaning)>>,
    /// Whether a plain build leaves the file out.
    pub left_out: bool,
    /// Bytes of types and expressions written out for further names.
    repeated: usize,
    /// How many errors are around the declarations being read.
    errors: u32,
    /// Top-level nodes that are no definition of their own.
    pub loose: Vec<Node<'t>>,
}

pub(super) fn extract(source: &str) -> Skeleton {
    let grammar = grammar();
    let mut builder = Builder::new(source);
    builder.add_namespace(FILE_NAMESPACE, true);
    let Some(tree) = syntax::parse(&grammar.language, source) else {
        builder.error(Span::default(), "the text is too long to read".to_owned());
        return builder.finish();
    };
    let mut walker = Walker {
        grammar,
        builder,
        source,
        cursor: tree.walk(),
        scopes: Scopes::default(),
        file_types: HashMap::new(),
        fixed: vec![None; grammar.kinds.len()],
        depth: 0,
        iota: None,
        metrics: Metrics::default(),
        block_depth: 0,
        inside: None,
        declares_results: false,
        fields_here: Vec::new(),
        structs: Vec::new(),
        left_out: super::constraints::is_left_out(source),
        repeated: 0,
        errors: 0,
        loose: Vec::new(),
    };
    walker.file();
    let mut builder = walker.builder;
    syntax::report_errors(&mut builder, &tree);
    builder.finish()
}

impl<'s, 't> Walker<'s, 't> {
    pub fn kind(&self, node: Node<'t>) -> Kind {
        // An error has a number beyond the table.
        let kind = self.grammar.kinds.get(usize::from(node.kind_id()));
        kind.copied().unwrap_or(Kind::Other)
    }

    pub fn slice(&self, node: Node<'t>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// Number of the field that the cursor's node is, zero for none.
    pub fn field(&self) -> u16 {
        self.cursor.field_id().map_or(0, u16::from)
    }

    pub fn child(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Visits the children of the cursor's node, comments left out.
    pub fn each(&mut self, mut visit: impl FnMut(&mut Self, Node<'t>, Kind)) {
        if !self.cursor.goto_first_child() {
            return;
        }
        loop {
            let node = self.cursor.node();
            let kind = self.kind(node);
            if kind != Kind::Comment {
                visit(self, node, kind);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
    }

    /// Does a part of the walk at another node.
    pub fn at<R>(&mut self, node: Node<'t>, visit: impl FnOnce(&mut Self) -> R) -> R {
        let here = std::mem::replace(&mut self.cursor, node.walk());
        let result = visit(self);
        self.cursor = here;
        result
    }

    /// Appends a leaf's text.
    pub fn leaf(&mut self, node: Node<'t>) {
        let id = usize::from(node.kind_id());
        if node.is_named() || id >= self.fixed.len() {
            let text = self.slice(node);
            if !text.is_empty() {
                self.builder.text(text);
            }
            return;
        }
        if node.start_byte() == node.end_byte() {
            return;
        }
        let text = match self.fixed[id] {
            Some(text) => text,
            None => {
                let text = self.builder.intern(self.slice(node));
                self.fixed[id] = Some(text);
                text
            }
        };
        self.builder.push(Token::text(text));
    }

    /// Appends all leaves below a node as text.
    pub fn leaves(&mut self, node: Node<'t>) {
        syntax::for_each_leaf(node, |leaf| {
            if !matches!(
                self.kind(leaf),
                Kind::Comment | Kind::Newline | Kind::Semicolon | Kind::Nul
            ) {
                self.leaf(leaf);
            }
        });
    }

    /// Whether a type or expression of some bytes may be written out once more for
    /// a further name. In all they may take about as much as the file.
    pub fn may_repeat(&mut self, bytes: usize) -> bool {
        self.repeated = self.repeated.saturating_add(bytes);
        self.repeated <= self.source.len() + (1 << 20)
    }

    /// Looks for declarations inside an error.
    pub fn inside_error(&mut self, visit: impl FnOnce(&mut Self)) {
        if self.errors < 16 {
            self.errors += 1;
            visit(self);
            self.errors -= 1;
        }
    }

    pub fn visit(&mut self) -> Meaning {
        self.visit_in(Place::default())
    }

    pub fn visit_in(&mut self, place: Place) -> Meaning {
        let node = self.cursor.node();
        self.guarded(|walker| walker.visit_node(node, place))
            .unwrap_or(UNKNOWN)
    }

    /// Visits one level deeper, or not at all where that is too deep.
    pub fn guarded<R>(&mut self, visit: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= MAX_DEPTH {
            self.leaves(self.cursor.node());
            return None;
        }
        self.depth += 1;
        let result = visit(self);
        self.depth -= 1;
        Some(result)
    }

    fn visit_node(&mut self, node: Node<'t>, place: Place) -> Meaning {
        match self.kind(node) {
            Kind::Identifier | Kind::TypeIdentifier => return self.identifier(node, place),
            Kind::SelectorExpression => return self.selector(place),
            Kind::CallExpression => return self.call(),
            Kind::CompositeLiteral => return self.composite_literal(),
            Kind::UnaryExpression => return self.unary(),
            Kind::BinaryExpression => self.binary(),
            Kind::ParenthesizedExpression => return self.parenthesized(place),
            Kind::IndexExpression => return self.index(place),
            Kind::SliceExpression => return self.slice_of(),
            Kind::TypeAssertion | Kind::TypeConversion => return self.converted(),
            Kind::TypeInstantiation => return self.generic(),
            Kind::FuncLiteral => return self.function_literal(),
            Kind::InterpretedString => {
                let text = self.slice(node);
                if literals::is_plain(text, b'"') {
                    self.builder.text(text);
                } else {
                    self.builder.text(&literals::quoted(text, '"'));
                }
            }
            Kind::RawString => self.builder.text(&literals::quoted(self.slice(node), '"')),
            Kind::RuneLiteral => self.builder.text(&literals::quoted(self.slice(node), '\'')),
            Kind::IntLiteral | Kind::FloatLiteral | Kind::ImaginaryLiteral => {
                self.builder.text(&literals::number(self.slice(node)));
            }
            Kind::Iota => {
                self.builder.text("iota");
                if let Some(number) = self.iota {
                    self.builder.text(&number.to_string());
                }
            }
            Kind::Comment | Kind::Newline | Kind::Semicolon | Kind::Nul | Kind::EmptyStatement => {}

            Kind::GenericType => return self.generic(),
            Kind::QualifiedType => return self.qualified_type(),
            Kind::PointerType | Kind::TypeElem => return self.single(),
            Kind::ParenthesizedType => return self.parenthesized_type(place),
            Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType | Kind::ChannelType => {
                return self.container();
            }
            Kind::MapType => return self.map(),
            Kind::FunctionType => return self.function_type(),
            Kind::StructType => return self.anonymous_struct(),
            Kind::InterfaceType => self.interface_elements(None),

            Kind::Block => self.block(),
            Kind::StatementList => self.statements(),
            Kind::IfStatement => self.if_statement(),
            Kind::ForStatement => self.for_statement(),
            Kind::ForClause => self.for_clause(),
            Kind::RangeClause => self.range(),
            Kind::ExpressionSwitch | Kind::SelectStatement => self.switch(),
            Kind::TypeSwitch => self.type_switch(),
            Kind::ExpressionCase | Kind::DefaultCase | Kind::CommunicationCase | Kind::TypeCase => {
                self.case(None)
            }
            Kind::ShortVarDeclaration | Kind::ReceiveStatement => self.short_declaration(),
            Kind::ConstDeclaration | Kind::VarDeclaration => self.local_values(),
            Kind::TypeDeclaration => self.local_types(),
            Kind::LiteralValue => self.literal_value(None),
            _ => {
                if node.child_count() == 0 {
                    self.leaf(node);
                } else {
                    return self.children();
                }
            }
        }
        UNKNOWN
    }

    /// Visits the children in order, without a comma before a closing bracket.
    /// The meaning is that of the last child, if it is the only one with any.
    pub fn children(&mut self) -> Meaning {
        let mut comma = None;
        let mut meaning = UNKNOWN;
        self.each(|walker, node, kind| match kind {
            Kind::Comma => comma = Some(node),
            Kind::CloseParen | Kind::CloseBrace | Kind::CloseBracket => {
                comma = None;
                walker.leaf(node);
            }
            _ => {
                if let Some(comma) = comma.take() {
                    walker.leaf(comma);
                }
                meaning = walker.visit();
            }
        });
        meaning
    }

    /// An identifier that stands alone: a local, or a name of the file or package.
    fn identifier(&mut self, node: Node<'t>, place: Place) -> Meaning {
        let name = self.slice(node);
        match self.scopes.find(name) {
            Some(Binding::Local(meaning)) => {
                self.builder.text(name);
                meaning
            }
            Some(Binding::Type(path)) => {
                self.builder.reference(span(node), name, path, place.call);
                Meaning::of(path)
            }
            None if matches!(name, "_" | "" | "nil") => {
                self.leaf(node);
                UNKNOWN
            }
            None => {
                let path = self.builder.name(FILE_BLOCK, name);
                self.builder.reference(span(node), name, path, place.call);
                Meaning::of(path)
            }
        }
    }

    /// A value of the type that a type expression means.
    pub fn value_of(&mut self, meaning: Meaning) -> PathId {
        match meaning.instance {
            Some(instance) => instance,
            None => self.builder.instance(meaning.path),
        }
    }

    /// What a variable of a type means.
    pub fn variable_of(&mut self, meaning: Meaning) -> Meaning {
        Meaning {
            path: self.value_of(meaning),
            instance: None,
            result: meaning.result,
            shape: meaning.shape,
        }
    }

    /// What calling something gives.
    pub fn called(&mut self, meaning: Meaning) -> PathId {
        match (meaning.instance, meaning.result) {
            (_, Some(result)) => result,
            (Some(instance), None) => instance,
            (None, None) => self.builder.call(meaning.path),
        }
    }

    /// One value for several results.
    pub fn tuple(&mut self, values: &[PathId]) -> Option<PathId> {
        let (&last, rest) = values.split_last()?;
        if rest.is_empty() {
            return Some(last);
        }
        let unknown = self.builder.unknown();
        let node = |first, rest| PathNode::Container(first, rest);
        let mut tuple = self.builder.path(node(last, unknown));
        for &value in rest.iter().rev() {
            tuple = self.builder.path(node(value, tuple));
        }
        Some(tuple)
    }

    /// The result at a position of several.
    pub fn part(&mut self, tuple: PathId, position: usize) -> PathId {
        let mut rest = tuple;
        for _ in 0..position {
            rest = self.builder.member(rest, "(rest)");
        }
        self.builder.member(rest, "(first)")
    }
}
