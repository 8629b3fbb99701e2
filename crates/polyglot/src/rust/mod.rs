//! Rust.
//!
//! The file is read once, in source order. [`items`] finds definitions and what
//! they own, [`imports`] binds what `use` brings, [`tokens`] writes canonical
//! tokens and follows the types of expressions, [`macros`] does so for macros,
//! [`names`] turns paths, types and patterns into what the linker follows,
//! [`describe`] writes signatures, [`layout`] knows Cargo packages, [`prelude`]
//! the standard library.
//!
//! Names: an inline module is a namespace, its definitions are `module::name`;
//! members are `Type.method`, those of a trait's implementation
//! `<Type as Trait>.method`, tests `test:module::name`.
//!
//! The normal form drops what `rustfmt` may change, and nothing that means
//! something else:
//!
//! - white space, comments, documentation, `\r`;
//! - commas before a closing bracket (not that of a one-element tuple);
//! - the block around the one expression of a match arm or closure, the comma
//!   after an arm (every arm ends in one);
//! - parentheses around a whole operand: a value, an argument, a condition, and
//!   doubled ones;
//! - empty statements, the `;` after a loop, after a `return`, `break` or
//!   `continue` that ends its block;
//! - the `|` before the first alternative of a pattern, `-> ()`, an empty
//!   `where`, the `in` of `pub(in crate)`;
//! - the abi of a bare `extern` (it is `"C"`), `a` in `S { a }` (it is `a: a`), the delimiters of `vec!`
//!   and of the rules of `macro_rules!`;
//! - imports and `mod` lines: they are what names mean;
//! - the visibility of a definition, kept beside it; that of fields counts;
//! - the `mut` of a parameter: it is a matter of the body that is there.
//!
//! What a type derives is defined like implementations written out. A signature
//! has the types of parameters, the body what it calls them; attributes that
//! change neither how a definition is used nor what it accepts stand with the
//! body, among them `cfg`.
//!
//! Refused: a method of a value whose type is not evident, names that glob
//! imports of libraries may bring, what macros expand to. The arguments of a
//! macro are read as expressions where they are expressions, else as tokens in
//! which only paths and calls may refer.

mod describe;
mod imports;
mod items;
mod layout;
mod macros;
mod names;
mod prelude;
mod tokens;

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

use tree_sitter::{Language, Node, Parser};

use crate::{
    builder::Builder,
    frontend::{FrontEnd, Layout, LibraryMethod, Project},
    model::*,
    node_kinds, syntax,
};

pub struct Rust;

impl FrontEnd for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn version(&self) -> u32 {
        1
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["rs"]
    }

    fn extract(&self, source: &str) -> Skeleton {
        let grammar = grammar();
        let mut extractor = Extractor::new(source, grammar);
        match syntax::parse(&grammar.language, source) {
            Some(tree) => {
                extractor.file(tree.root_node());
                syntax::report_errors(&mut extractor.builder, &tree);
            }
            None => extractor
                .builder
                .error(Span::default(), "the file is too large to read".to_owned()),
        }
        let published = std::mem::take(&mut extractor.published);
        extractor.builder.declare_exports(published);
        extractor.builder.finish()
    }

    fn configuration_files(&self) -> &'static [&'static str] {
        &["Cargo.toml"]
    }

    fn layout(&self, project: &Project<'_>) -> Box<dyn Layout> {
        Box::new(layout::RustLayout::new(project))
    }

    fn builtin(&self, name: &str) -> Option<String> {
        prelude::builtin(name)
    }

    fn effects(&self) -> &'static str {
        include_str!("../../effects/rust.txt")
    }

    fn separator(&self) -> &'static str {
        "::"
    }

    fn is_internal(&self, path: &str) -> bool {
        layout::is_internal(path)
    }

    fn splits_names(&self) -> bool {
        true
    }

    fn library_method(&self, name: &str) -> LibraryMethod {
        prelude::library_method(name)
    }

    fn library_result<'n>(&self, qualified: &'n str) -> Option<&'n str> {
        prelude::library_result(qualified)
    }
}

node_kinds! {
    enum Kind {
        LineComment = "line_comment",
        BlockComment = "block_comment",
        SourceFile = "source_file",
        // Items.
        FunctionItem = "function_item",
        FunctionSignatureItem = "function_signature_item",
        StructItem = "struct_item",
        UnionItem = "union_item",
        EnumItem = "enum_item",
        TraitItem = "trait_item",
        ImplItem = "impl_item",
        ModItem = "mod_item",
        ConstItem = "const_item",
        StaticItem = "static_item",
        TypeItem = "type_item",
        AssociatedType = "associated_type",
        MacroDefinition = "macro_definition",
        MacroRule = "macro_rule",
        UseDeclaration = "use_declaration",
        ExternCrate = "extern_crate_declaration",
        ForeignModItem = "foreign_mod_item",
        DeclarationList = "declaration_list",
        AttributeItem = "attribute_item",
        InnerAttributeItem = "inner_attribute_item",
        Attribute = "attribute",
        EmptyStatement = "empty_statement",
        // Parts of items.
        Visibility = "visibility_modifier",
        FunctionModifiers = "function_modifiers",
        ExternModifier = "extern_modifier",
        TypeParameters = "type_parameters",
        TypeParameter = "type_parameter",
        ConstParameter = "const_parameter",
        LifetimeParameter = "lifetime_parameter",
        WhereClause = "where_clause",
        WherePredicate = "where_predicate",
        TraitBounds = "trait_bounds",
        Parameters = "parameters",
        Parameter = "parameter",
        SelfParameter = "self_parameter",
        FieldDeclarationList = "field_declaration_list",
        OrderedFields = "ordered_field_declaration_list",
        FieldDeclaration = "field_declaration",
        EnumVariantList = "enum_variant_list",
        EnumVariant = "enum_variant",
        UseList = "use_list",
        ScopedUseList = "scoped_use_list",
        UseAsClause = "use_as_clause",
        UseWildcard = "use_wildcard",
        // Names and paths.
        Identifier = "identifier",
        TypeIdentifier = "type_identifier",
        FieldIdentifier = "field_identifier",
        ShorthandFieldIdentifier = "shorthand_field_identifier",
        ScopedIdentifier = "scoped_identifier",
        ScopedTypeIdentifier = "scoped_type_identifier",
        SelfWord = "self",
        Super = "super",
        Crate = "crate",
        Metavariable = "metavariable",
        Lifetime = "lifetime",
        Label = "label",
        PrimitiveType = "primitive_type",
        // Types.
        GenericType = "generic_type",
        GenericTypeWithTurbofish = "generic_type_with_turbofish",
        GenericFunction = "generic_function",
        TypeArguments = "type_arguments",
        TypeBinding = "type_binding",
        ReferenceType = "reference_type",
        PointerType = "pointer_type",
        ArrayType = "array_type",
        TupleType = "tuple_type",
        UnitType = "unit_type",
        AbstractType = "abstract_type",
        DynamicType = "dynamic_type",
        BoundedType = "bounded_type",
        FunctionType = "function_type",
        HigherRanked = "higher_ranked_trait_bound",
        RemovedBound = "removed_trait_bound",
        BracketedType = "bracketed_type",
        QualifiedType = "qualified_type",
        ForLifetimes = "for_lifetimes",
        UseBounds = "use_bounds",
        // Expressions and statements.
        Block = "block",
        ExpressionStatement = "expression_statement",
        LetDeclaration = "let_declaration",
        LetCondition = "let_condition",
        LetChain = "let_chain",
        IfExpression = "if_expression",
        ElseClause = "else_clause",
        MatchExpression = "match_expression",
        MatchBlock = "match_block",
        MatchArm = "match_arm",
        MatchPattern = "match_pattern",
        WhileExpression = "while_expression",
        LoopExpression = "loop_expression",
        ForExpression = "for_expression",
        ClosureExpression = "closure_expression",
        ClosureParameters = "closure_parameters",
        CallExpression = "call_expression",
        Arguments = "arguments",
        FieldExpression = "field_expression",
        StructExpression = "struct_expression",
        FieldInitializer = "field_initializer",
        ShorthandFieldInitializer = "shorthand_field_initializer",
        MacroInvocation = "macro_invocation",
        TokenTree = "token_tree",
        Parenthesized = "parenthesized_expression",
        TupleExpression = "tuple_expression",
        ArrayExpression = "array_expression",
        ReferenceExpression = "reference_expression",
        UnaryExpression = "unary_expression",
        TryExpression = "try_expression",
        AwaitExpression = "await_expression",
        IndexExpression = "index_expression",
        RangeExpression = "range_expression",
        CastExpression = "type_cast_expression",
        AssignmentExpression = "assignment_expression",
        ReturnExpression = "return_expression",
        BreakExpression = "break_expression",
        ContinueExpression = "continue_expression",
        AsyncBlock = "async_block",
        UnsafeBlock = "unsafe_block",
        // Patterns.
        TuplePattern = "tuple_pattern",
        TupleStructPattern = "tuple_struct_pattern",
        StructPattern = "struct_pattern",
        FieldPattern = "field_pattern",
        SlicePattern = "slice_pattern",
        CapturedPattern = "captured_pattern",
        ReferencePattern = "reference_pattern",
        RefPattern = "ref_pattern",
        MutPattern = "mut_pattern",
        OrPattern = "or_pattern",
        RemainingField = "remaining_field_pattern",
        // Literals.
        StringLiteral = "string_literal",
        RawStringLiteral = "raw_string_literal",
        CharLiteral = "char_literal",
        IntegerLiteral = "integer_literal",
        FloatLiteral = "float_literal",
        // Words and punctuation.
        Mut = "mutable_specifier",
        Async = "async",
        Extern = "extern",
        Comma = ",",
        Semicolon = ";",
        OpenBrace = "{",
        OpenParenthesis = "(",
        OpenBracket = "[",
        CloseBrace = "}",
        CloseParenthesis = ")",
        CloseBracket = "]",
        Greater = ">",
        Bar = "|",
        Bars = "||",
        Shift = ">>",
        Colon = ":",
        Colons = "::",
        Dot = ".",
        Bang = "!",
        Hash = "#",
        Arrow = "->",
        FatArrow = "=>",
    }
}

/// The grammar, its node kinds and the fields that are looked at.
struct Grammar {
    language: Language,
    kinds: Vec<Kind>,
    fields: Fields,
}

macro_rules! fields {
    ($($name:ident = $text:literal),* $(,)?) => {
        struct Fields { $($name: u16),* }

        impl Fields {
            fn new(language: &Language) -> Self {
                Self { $($name: language.field_id_for_name($text).map_or(0, u16::from)),* }
            }
        }
    };
}

fields! {
    name = "name", body = "body", type_ = "type", trait_ = "trait", parameters = "type_parameters",
    arguments = "type_arguments", bounds = "bounds", left = "left", right = "right", value = "value",
    pattern = "pattern", return_type = "return_type", path = "path", list = "list", alias = "alias",
    argument = "argument", element = "element", field = "field", function = "function",
    consequence = "consequence", call_arguments = "arguments",
}

fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| {
        let language: Language = tree_sitter_rust::LANGUAGE.into();
        Grammar {
            kinds: Kind::table(&language),
            fields: Fields::new(&language),
            language,
        }
    })
}

/// Variables in scope, with what their types are.
#[derive(Default)]
struct Locals<'s> {
    values: HashMap<&'s str, Vec<PathId>>,
    order: Vec<&'s str>,
}

impl<'s> Locals<'s> {
    fn get(&self, name: &str) -> Option<PathId> {
        self.values.get(name)?.last().copied()
    }

    fn bind(&mut self, name: &'s str, value: PathId) {
        self.values.entry(name).or_default().push(value);
        self.order.push(name);
    }

    fn leave(&mut self, mark: usize) {
        for name in self.order.drain(mark..) {
            if let Some(values) = self.values.get_mut(name) {
                values.pop();
            }
        }
    }
}

/// Names of a module that a `use` in it may start with.
#[derive(Default)]
struct Heads<'s> {
    modules: HashSet<&'s str>,
    names: HashSet<&'s str>,
}

/// Reads one file.
struct Extractor<'s> {
    builder: Builder<'s>,
    grammar: &'static Grammar,
    /// Added to the offsets of the tree being read: the arguments of a macro are
    /// parsed apart, behind one byte of their own.
    shift: u32,
    parser: Option<Parser>,
    /// How many macros the arguments being read are nested in.
    macros: u32,
    depth: u32,
    /// Where a name that is no variable is looked up.
    namespace: NamespaceId,
    /// The inline modules around, outermost (the file) first.
    modules: Vec<NamespaceId>,
    /// For each of them, names that `use` may start with.
    heads: Vec<Heads<'s>>,
    /// What `pub use` and `pub mod` publish.
    published: Vec<(String, PathId)>,
    /// While a `pub use` is read, where its names are: the path of inline modules.
    publishing: Option<String>,
    /// Names that only other crates can have.
    externs: NamespaceId,
    extern_names: HashSet<&'s str>,
    container: Option<DefinitionIndex>,
    prefix: String,
    locals: Locals<'s>,
    /// Generic parameters, with a value of their bound.
    generics: Vec<(&'s str, PathId)>,
    self_type: Option<PathId>,
    /// Whether `Self` in a result is the type of the receiver.
    self_is_receiver: bool,
    in_ability: bool,
    /// Associated types of the implementation being read.
    associated: Vec<(&'s str, PathId)>,
    metrics: Metrics,
    block_depth: u32,
    file_documentation: String,
}

impl<'s> Extractor<'s> {
    fn new(source: &'s str, grammar: &'static Grammar) -> Self {
        let mut builder = Builder::new(source);
        let externs = builder.add_namespace(FILE_NAMESPACE, false);
        builder.namespace_mut(externs).parent = None;
        let file = builder.namespace_mut(FILE_NAMESPACE);
        file.parent = Some(externs);
        file.inherits = true;
        Self {
            builder,
            grammar,
            shift: 0,
            parser: None,
            macros: 0,
            depth: 0,
            namespace: FILE_NAMESPACE,
            modules: vec![FILE_NAMESPACE],
            heads: vec![Heads::default()],
            published: Vec::new(),
            publishing: None,
            externs,
            extern_names: HashSet::new(),
            container: None,
            prefix: String::new(),
            locals: Locals::default(),
            generics: Vec::new(),
            self_type: None,
            self_is_receiver: false,
            in_ability: false,
            associated: Vec::new(),
            metrics: Metrics::default(),
            block_depth: 0,
            file_documentation: String::new(),
        }
    }

    fn kind(&self, node: Node<'_>) -> Kind {
        self.grammar
            .kinds
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or(Kind::Other)
    }

    fn span(&self, node: Node<'_>) -> Span {
        Span {
            start: (node.start_byte() as u32).wrapping_add(self.shift),
            end: (node.end_byte() as u32).wrapping_add(self.shift),
        }
    }

    fn slice(&self, node: Node<'_>) -> &'s str {
        self.builder.slice(self.span(node))
    }

    fn field<'t>(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        matches!(self.kind(node), Kind::LineComment | Kind::BlockComment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reading must end and must not panic, whatever is read: cut, repeated and
    /// overwritten sources.
    #[test]
    fn broken_sources_are_read() {
        const WORDS: &[u8] = b"(){}[]<>'\"#!|,;:=&\n/x";
        let source = include_str!("tokens.rs");
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for _ in 0..40 {
            let start = random(source.len() - 3_000);
            let mut bytes = source.as_bytes()[start..start + 1 + random(2_999)].to_vec();
            for _ in 0..random(20) {
                let at = random(bytes.len());
                bytes[at] = WORDS[random(WORDS.len())];
            }
            let text = String::from_utf8_lossy(&bytes);
            let skeleton = Rust.extract(&text);
            for definition in &skeleton.definitions {
                assert!(definition.tokens.1 as usize <= skeleton.tokens.len());
            }
        }
    }

    #[test]
    fn deep_nesting_is_read() {
        let deep = 20_000;
        for (open, close) in [
            ("(", ")"),
            ("fn f() {", "}"),
            ("m!(", ")"),
            ("Vec<", ">"),
            ("a.b(", ")"),
        ] {
            let text = format!("fn f() {{ {}{} }}", open.repeat(deep), close.repeat(deep));
            let read = std::thread::Builder::new()
                .stack_size(crate::link::STACK_BYTES)
                .spawn(move || Rust.extract(&text).definitions.len())
                .expect("a thread")
                .join();
            assert!(read.is_ok_and(|definitions| definitions > 0));
        }
    }
}
