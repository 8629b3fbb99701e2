//! Python.
//!
//! The file is read once, in source order, after a look ahead at what each scope
//! binds ([`scope`]). [`definitions`] finds definitions and what they own,
//! [`statements`] and [`expressions`] write canonical tokens and follow types,
//! [`literals`] spells strings and numbers, [`types`] reads annotations,
//! [`layout`] knows packages, [`library`] the built-in names.
//!
//! The normal form drops what `ruff format` and `black` may change, and nothing
//! that means something else:
//!
//! - white space, comments, backslash continuations, `;` and blank suites' line
//!   breaks: each simple statement ends in `;`, a block stands between `→` and `←`;
//! - documentation strings and other statements that are only a string;
//! - parentheses: operands that are operators themselves are always grouped,
//!   everything else never is; a tuple always has its parentheses;
//! - commas before a closing bracket, those of one-element tuples apart;
//! - the spelling of strings: quotes, prefix, escapes, adjacent literals (they
//!   are one); of numbers: case, zeros beside a decimal point;
//! - the empty parentheses of a class, those around the items of a `with`;
//! - in annotations, the quotes around a type; `Optional[A]` and `Union[A, B]` (they are `A | None` and
//!   `A | B`), `List` and its like (they are the built-in types);
//! - imports: they are what names mean.
//!
//! Types are followed where they are evident: annotations, constructor calls,
//! results that are declared or the same at every `return`, attributes whose
//! assignments agree, `isinstance`, loops over typed containers. Branches that
//! disagree and names that loops rebind leave nothing certain.
//!
//! Refused: names that library star imports may bring, names that
//! `try`/`except` or `if`/`else` bind twice, attributes set from outside a class.

mod definitions;
mod expressions;
mod layout;
mod library;
mod literals;
mod scope;
mod statements;
mod types;
mod walker;

use std::sync::OnceLock;

use tree_sitter::Language;

use crate::{
    builder::Builder,
    frontend::{FrontEnd, Layout, LibraryMethod, Project},
    model::*,
    node_kinds, syntax,
};

pub struct Python;

impl FrontEnd for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn version(&self) -> u32 {
        1
    }

    fn constructors(&self) -> &'static [&'static str] {
        &["__new__", "__init__", "__post_init__"]
    }

    fn is_internal(&self, path: &str) -> bool {
        layout::is_internal(path)
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["py", "pyi"]
    }

    fn extract(&self, source: &str) -> Skeleton {
        let grammar = grammar();
        match syntax::parse(&grammar.language, source) {
            Some(tree) => {
                let mut walker = walker::Walker::new(source, grammar, tree.root_node());
                walker.file(tree.root_node());
                syntax::report_errors(&mut walker.builder, &tree);
                walker.builder.finish()
            }
            None => {
                let mut builder = Builder::new(source);
                builder.error(Span::default(), "the file is too large to read".to_owned());
                builder.finish()
            }
        }
    }

    fn layout(&self, project: &Project<'_>) -> Box<dyn Layout> {
        Box::new(layout::PythonLayout::new(project))
    }

    fn builtin(&self, name: &str) -> Option<String> {
        library::builtin(name)
    }

    fn effects(&self) -> &'static str {
        include_str!("../../effects/python.txt")
    }

    fn library_method(&self, name: &str) -> LibraryMethod {
        library::method(name)
    }

    fn exports_limit_stars(&self) -> bool {
        true
    }

    fn sets_attributes(&self) -> bool {
        true
    }
}

node_kinds! {
    enum Kind {
        Comment = "comment",
        LineContinuation = "line_continuation",
        Error = "ERROR",
        // Punctuation.
        OpenParenthesis = "(",
        CloseParenthesis = ")",
        OpenBracket = "[",
        CloseBracket = "]",
        Comma = ",",
        Colon = ":",
        Semicolon = ";",
        Equals = "=",
        // Statements.
        Module = "module",
        Block = "block",
        ExpressionStatement = "expression_statement",
        Assignment = "assignment",
        AugmentedAssignment = "augmented_assignment",
        ImportStatement = "import_statement",
        ImportFromStatement = "import_from_statement",
        FutureImportStatement = "future_import_statement",
        AliasedImport = "aliased_import",
        WildcardImport = "wildcard_import",
        RelativeImport = "relative_import",
        DottedName = "dotted_name",
        AssertStatement = "assert_statement",
        ReturnStatement = "return_statement",
        DeleteStatement = "delete_statement",
        RaiseStatement = "raise_statement",
        PassStatement = "pass_statement",
        BreakStatement = "break_statement",
        ContinueStatement = "continue_statement",
        GlobalStatement = "global_statement",
        NonlocalStatement = "nonlocal_statement",
        PrintStatement = "print_statement",
        ExecStatement = "exec_statement",
        TypeAliasStatement = "type_alias_statement",
        IfStatement = "if_statement",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        ForStatement = "for_statement",
        WhileStatement = "while_statement",
        TryStatement = "try_statement",
        ExceptClause = "except_clause",
        FinallyClause = "finally_clause",
        WithStatement = "with_statement",
        WithClause = "with_clause",
        WithItem = "with_item",
        MatchStatement = "match_statement",
        CaseClause = "case_clause",
        FunctionDefinition = "function_definition",
        ClassDefinition = "class_definition",
        DecoratedDefinition = "decorated_definition",
        Decorator = "decorator",
        // Parameters and arguments.
        Parameters = "parameters",
        LambdaParameters = "lambda_parameters",
        TypedParameter = "typed_parameter",
        DefaultParameter = "default_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        TypeParameter = "type_parameter",
        ArgumentList = "argument_list",
        KeywordArgument = "keyword_argument",
        // Patterns.
        CasePattern = "case_pattern",
        ClassPattern = "class_pattern",
        KeywordPattern = "keyword_pattern",
        SplatPattern = "splat_pattern",
        PatternList = "pattern_list",
        TuplePattern = "tuple_pattern",
        ListPattern = "list_pattern",
        ListSplatPattern = "list_splat_pattern",
        DictionarySplatPattern = "dictionary_splat_pattern",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        // Expressions.
        Identifier = "identifier",
        KeywordIdentifier = "keyword_identifier",
        Attribute = "attribute",
        Subscript = "subscript",
        Slice = "slice",
        Call = "call",
        Await = "await",
        Lambda = "lambda",
        BinaryOperator = "binary_operator",
        BooleanOperator = "boolean_operator",
        ComparisonOperator = "comparison_operator",
        NotOperator = "not_operator",
        UnaryOperator = "unary_operator",
        ConditionalExpression = "conditional_expression",
        NamedExpression = "named_expression",
        ParenthesizedExpression = "parenthesized_expression",
        ExpressionList = "expression_list",
        Tuple = "tuple",
        List = "list",
        Set = "set",
        Dictionary = "dictionary",
        Pair = "pair",
        ListSplat = "list_splat",
        DictionarySplat = "dictionary_splat",
        ListComprehension = "list_comprehension",
        SetComprehension = "set_comprehension",
        DictionaryComprehension = "dictionary_comprehension",
        GeneratorExpression = "generator_expression",
        ForInClause = "for_in_clause",
        IfClause = "if_clause",
        Yield = "yield",
        String = "string",
        ConcatenatedString = "concatenated_string",
        StringStart = "string_start",
        StringContent = "string_content",
        StringEnd = "string_end",
        Interpolation = "interpolation",
        FormatExpression = "format_expression",
        FormatSpecifier = "format_specifier",
        TypeConversion = "type_conversion",
        Integer = "integer",
        Float = "float",
        None = "none",
        True = "true",
        False = "false",
        // Types.
        Type = "type",
        GenericType = "generic_type",
        UnionType = "union_type",
        MemberType = "member_type",
    }
}

/// Field numbers.
#[derive(Debug)]
struct Fields {
    name: u16,
    alias: u16,
    module_name: u16,
    left: u16,
    right: u16,
    value: u16,
    body: u16,
    type_: u16,
    operators: u16,
    return_type: u16,
    parameters: u16,
    type_parameters: u16,
    superclasses: u16,
    definition: u16,
    cause: u16,
}

#[derive(Debug)]
struct Grammar {
    language: Language,
    kinds: Vec<Kind>,
    fields: Fields,
}

fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| {
        let language: Language = tree_sitter_python::LANGUAGE.into();
        let mut kinds = Kind::table(&language);
        for (id, kind) in kinds.iter_mut().enumerate() {
            // Keywords share their names with the nodes they start.
            let name = language.node_kind_for_id(id as u16).unwrap_or("");
            if !language.node_kind_is_named(id as u16) && name.starts_with(char::is_alphabetic) {
                *kind = Kind::Other;
            }
        }
        let field = |name| language.field_id_for_name(name).map_or(0, u16::from);
        let fields = Fields {
            name: field("name"),
            alias: field("alias"),
            module_name: field("module_name"),
            left: field("left"),
            right: field("right"),
            value: field("value"),
            body: field("body"),
            type_: field("type"),
            operators: field("operators"),
            return_type: field("return_type"),
            parameters: field("parameters"),
            type_parameters: field("type_parameters"),
            superclasses: field("superclasses"),
            definition: field("definition"),
            cause: field("cause"),
        };
        Grammar {
            language,
            kinds,
            fields,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sound text, damaged in many ways: every reading ends, and ends well.
    #[test]
    fn damaged_text_is_read() {
        let sound = "@a(1)\nclass A(B[C], m=D):\n    x: 'A' = f\"{a!r:>{b}}\"\n    def f(self, *b: int, **c) -> \"A\":\n\
                     \x20       for (a, b), c in [d for e in f if (g := h)]:\n            with a as b: yield (a, *b)[c:d, ...]\n\
                     \x20       match x:\n            case A(y=1) | [z, *_] if w: raise E from e\n        try: return self.x\n\
                     \x20       except* (E): pass\n";
        let mut seed = 7_u64;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for _ in 0..500 {
            let mut bytes = sound.as_bytes().to_vec();
            for _ in 0..next(6) {
                let at = next(bytes.len());
                match next(3) {
                    0 => bytes[at] = next(256) as u8,
                    1 => drop(bytes.drain(at..(at + next(40)).min(bytes.len() - 1))),
                    _ => bytes.insert(at, b"()[]{}:'\"\\\n #=@"[next(15)]),
                }
            }
            Python.extract(&String::from_utf8_lossy(&bytes));
        }
        for end in 0..sound.len() {
            Python.extract(&sound[..end]);
        }
    }

    #[test]
    fn deep_text_is_read() {
        for (open, middle, close) in [
            ("(", "1", ")"),
            ("[", "", "]"),
            ("-", "1", ""),
            ("not ", "x", ""),
            ("lambda: ", "x", ""),
            ("f(", "", ")"),
            ("x if y else ", "z", ""),
        ] {
            let text = format!("x = {}{middle}{}", open.repeat(20_000), close.repeat(20_000));
            assert!(!Python.extract(&text).definitions.is_empty());
        }
        for step in [".a", "()", "[0]", " + a", " and a", " ** a"] {
            Python.extract(&format!("x = a{}", step.repeat(20_000)));
        }
    }
}
