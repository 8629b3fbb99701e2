//! Go.
//!
//! A directory's files with one package clause are one module. Its names are in
//! the file's first namespace, which peers share; imports are in a second one,
//! the file block, where every free name of the file is looked up first. The
//! file's own names are there as well: no build can have both this file and
//! another one with the same name.
//!
//! What the canonical text drops or spells one way:
//!
//! - layout, comments, semicolons against line ends, empty statements, trailing
//!   commas, imports, empty `var ()` groups, the grouping of package-level
//!   `const`, `var` and `type`. Of comments, `//go:` directives of a declaration
//!   stay, since they say something to the compiler (not `//go:build` and
//!   `//go:generate`);
//! - parentheses that the operators' precedence makes needless, those of a
//!   single unnamed result, and those of a type except where it is converted to
//!   or sent through a channel;
//! - strings and runes are written by their content, whichever quotes they have;
//!   numbers in lower case, imaginary ones without leading zeros;
//! - what `gofmt -s` drops: an element's type that the literal's type implies, a
//!   blank variable that ends a range, the `len` that ends a slice; and `for ; c ;`
//!   is `for c`.
//!
//! A constant's expression is the one it repeats where it has none of its own;
//! `iota` is followed by its number. `var _ = ...` belongs to the module.
//!
//! Fields with names no identifier can have describe types that are more than
//! their members: `[]` is what a named slice, map or channel holds, `(key)` the
//! key of a named map, `()` the result of a named function type. Several results
//! are a chain of containers, taken apart by `(first)` and `(rest)`.
//!
//! A file that a plain build leaves out keeps its names to itself.
//!
//! What one type or expression says of many names at once is written out for each
//! of them only up to a bound ([`walker::Walker::may_repeat`]).
//!
//! Refused: which of two files for different machines counts (what both define
//! leads to nothing), type parameters (what they stand for is unknown), the C of
//! cgo, `vendor` and `replace`. An example function marks what it is an example
//! of only within one file.

mod constraints;
mod declarations;
mod expressions;
mod layout;
mod literals;
mod scope;
mod statements;
mod types;
mod walker;

use std::sync::OnceLock;

use tree_sitter::Language;

use crate::{
    frontend::{FrontEnd, Layout, Project},
    model::{NamespaceId, Skeleton},
};

/// The Go front end.
pub struct Go;

/// Where a file's imports are bound. Its parent is the package.
const FILE_BLOCK: NamespaceId = NamespaceId(1);

crate::node_kinds! {
    enum Kind {
        ArgumentList = "argument_list",
        ArrayType = "array_type",
        AssignmentStatement = "assignment_statement",
        BinaryExpression = "binary_expression",
        Block = "block",
        CallExpression = "call_expression",
        ChannelType = "channel_type",
        Comma = ",",
        Comment = "comment",
        CommunicationCase = "communication_case",
        CompositeLiteral = "composite_literal",
        ConstDeclaration = "const_declaration",
        ConstSpec = "const_spec",
        CloseBrace = "}",
        CloseBracket = "]",
        CloseParen = ")",
        DefaultCase = "default_case",
        Dot = "dot",
        EmptyStatement = "empty_statement",
        ExpressionCase = "expression_case",
        ExpressionList = "expression_list",
        ExpressionSwitch = "expression_switch_statement",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldIdentifier = "field_identifier",
        FloatLiteral = "float_literal",
        ForClause = "for_clause",
        ForStatement = "for_statement",
        FuncLiteral = "func_literal",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        GenericType = "generic_type",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImaginaryLiteral = "imaginary_literal",
        ImplicitLengthArrayType = "implicit_length_array_type",
        ImportDeclaration = "import_declaration",
        ImportSpec = "import_spec",
        ImportSpecList = "import_spec_list",
        IndexExpression = "index_expression",
        IntLiteral = "int_literal",
        InterfaceType = "interface_type",
        InterpretedString = "interpreted_string_literal",
        Iota = "iota",
        KeyedElement = "keyed_element",
        LiteralElement = "literal_element",
        LiteralValue = "literal_value",
        MapType = "map_type",
        MethodDeclaration = "method_declaration",
        MethodElem = "method_elem",
        NegatedType = "negated_type",
        Newline = "\n",
        Nul = "\0",
        OpenBrace = "{",
        OpenParen = "(",
        PackageClause = "package_clause",
        PackageIdentifier = "package_identifier",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PointerType = "pointer_type",
        QualifiedType = "qualified_type",
        RangeClause = "range_clause",
        RawString = "raw_string_literal",
        ReceiveStatement = "receive_statement",
        RuneLiteral = "rune_literal",
        SelectStatement = "select_statement",
        SelectorExpression = "selector_expression",
        Semicolon = ";",
        ShortVarDeclaration = "short_var_declaration",
        SliceExpression = "slice_expression",
        SliceType = "slice_type",
        SourceFile = "source_file",
        StatementList = "statement_list",
        StructType = "struct_type",
        TypeAlias = "type_alias",
        TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion_expression",
        TypeCase = "type_case",
        TypeConversion = "type_conversion_expression",
        TypeDeclaration = "type_declaration",
        TypeElem = "type_elem",
        TypeIdentifier = "type_identifier",
        TypeInstantiation = "type_instantiation_expression",
        TypeParameterDeclaration = "type_parameter_declaration",
        TypeParameterList = "type_parameter_list",
        TypeSpec = "type_spec",
        TypeSwitch = "type_switch_statement",
        UnaryExpression = "unary_expression",
        VarDeclaration = "var_declaration",
        VarSpec = "var_spec",
        VarSpecList = "var_spec_list",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
        ShortAssign = ":=",
        Address = "&",
    }
}

/// The grammar with what is looked up in it once.
struct Grammar {
    language: Language,
    kinds: Vec<Kind>,
    fields: Fields,
}

macro_rules! fields {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Numbers of the grammar's fields.
        struct Fields { $($name: u16),* }

        impl Fields {
            fn of(language: &Language) -> Self {
                Self { $($name: language.field_id_for_name($text).map_or(0, u16::from)),* }
            }
        }
    };
}

fields! {
    alias = "alias",
    arguments = "arguments",
    body = "body",
    capacity = "capacity",
    element = "element",
    end = "end",
    field = "field",
    function = "function",
    initializer = "initializer",
    key = "key",
    left = "left",
    name = "name",
    operand = "operand",
    operator = "operator",
    package = "package",
    parameters = "parameters",
    path = "path",
    receiver = "receiver",
    result = "result",
    right = "right",
    type_ = "type",
    update = "update",
    value = "value",
}

fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| {
        let language = Language::new(tree_sitter_go::LANGUAGE);
        Grammar {
            kinds: Kind::table(&language),
            fields: Fields::of(&language),
            language,
        }
    })
}

/// Names that every Go file has without a declaration.
const BUILTINS: &[&str] = &[
    "any",
    "append",
    "bool",
    "byte",
    "cap",
    "clear",
    "close",
    "comparable",
    "complex",
    "complex128",
    "complex64",
    "copy",
    "delete",
    "error",
    "float32",
    "float64",
    "imag",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "len",
    "make",
    "max",
    "min",
    "new",
    "panic",
    "print",
    "println",
    "real",
    "recover",
    "rune",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

impl FrontEnd for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn version(&self) -> u32 {
        1
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn extract(&self, source: &str) -> Skeleton {
        walker::extract(source)
    }

    fn configuration_files(&self) -> &'static [&'static str] {
        &["go.mod"]
    }

    fn layout(&self, project: &Project<'_>) -> Box<dyn Layout> {
        Box::new(layout::Packages::new(project))
    }

    fn builtin(&self, name: &str) -> Option<String> {
        BUILTINS
            .binary_search(&name)
            .is_ok()
            .then(|| format!("builtin.{name}"))
    }

    fn is_internal(&self, path: &str) -> bool {
        let mut folders = path.split('/').rev();
        folders.next().is_some_and(|name| name.ends_with("_test.go"))
            || folders.any(|folder| folder == "internal" || folder == "testdata" || folder.starts_with('_'))
    }

    fn effects(&self) -> &'static str {
        include_str!("../../effects/go.txt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtins_are_sorted() {
        assert!(BUILTINS.is_sorted());
    }

    /// A small generator, the same on every machine.
    fn next(state: &mut u64) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 16) as usize
    }

    #[test]
    fn damaged_files_are_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/go");
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for entry in std::fs::read_dir(folder).expect("the cases") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "golden") {
                continue;
            }
            let bytes = std::fs::read(path).expect("readable");
            if bytes.is_empty() {
                continue;
            }
            for round in 0..40 {
                let mut bytes = bytes.clone();
                let at = next(&mut state) % bytes.len();
                match round % 4 {
                    0 => bytes.truncate(at),
                    1 => drop(bytes.drain(at..(at + next(&mut state) % 40).min(bytes.len()))),
                    2 => bytes[at] = next(&mut state) as u8,
                    _ => bytes.insert(at, b"(){}[];,.\"`'\n*"[next(&mut state) % 14]),
                }
                Go.extract(&String::from_utf8_lossy(&bytes));
            }
        }
    }

    #[test]
    fn what_many_names_share_stays_small() {
        let names = |n: usize| (0..n).map(|at| format!("a{at}")).collect::<Vec<_>>();
        let long = vec!["1"; 20_000].join(" + ");
        for text in [
            format!("package p\nvar {} = f({long})\n", names(5_000).join(", ")),
            format!(
                "package p\nvar {} = {}\n",
                names(5_000).join(", "),
                vec!["1"; 4_999].join(", ")
            ),
            format!("package p\nconst (\nx = {long}\n{}\n)\n", names(5_000).join("\n")),
            format!(
                "package p\nvar {} struct {{ x [{long}]int }}\n",
                names(5_000).join(", ")
            ),
        ] {
            let skeleton = Go.extract(&text);
            assert!(skeleton.definitions.len() >= 5_000);
            assert!(skeleton.tokens.len() < 2_000_000, "{}", skeleton.tokens.len());
        }
    }

    #[test]
    fn deep_nesting_is_read() {
        const DEEP: usize = 5_000;
        for (open, close) in [
            ("(", ")"),
            ("-", ""),
            ("a+", ""),
            ("f(", ")"),
            ("[]", ""),
            ("map[a]", ""),
            ("[]T{", "}"),
            ("func() { ", "}"),
            ("struct{ a ", "}"),
            ("a.b().", ""),
            ("{", "}"),
            ("if a { ", "}"),
            ("if a {} else ", ""),
            ("L: ", ""),
            ("T[", "]"),
        ] {
            let (open, close) = (open.repeat(DEEP), close.repeat(DEEP));
            for text in [
                format!("package p\nvar x = {open}a{close}\n"),
                format!("package p\nvar x {open}a{close}\n"),
                format!("package p\nvar x = []T{open}a{close}\n"),
                format!("package p\nfunc f() {{ {open} a {close} }}\n"),
                format!("package p\nimport ({open}a{close})\nconst ({open}a{close})\n"),
                format!("package p\nvar x = []{open}T{close}{{ {{ a: 1 }} }}\n"),
                format!("package p\n{open}"),
            ] {
                Go.extract(&text);
            }
        }
    }
}
