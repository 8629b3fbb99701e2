//! ECMAScript: JavaScript with JSX, TypeScript, TypeScript with JSX.
//!
//! Three front ends differ in their grammar only and are one family, since their
//! files import each other. Values and types are apart: `interface A` and
//! `const A` in one module are two definitions, and a name means the one that
//! its place asks for.
//!
//! What the canonical text drops or spells one way:
//!
//! - layout, comments, optional semicolons (every statement and member ends in
//!   one `;`), empty statements, trailing commas, imports, exports;
//! - parentheses: what belongs together is written by the structure of the
//!   expression. A binary expression on the left stands bare, so that `a + b * c`
//!   is `a + ( b * c )`; chains of one logical operator, of `|` or of `&` in types
//!   are flat; parameters of arrow functions always stand in parentheses and
//!   `new X` is `new X()`;
//! - strings are written by their content, whichever quotes they have; other
//!   escapes stay as written. A quoted property name that needs no quotes has none;
//! - numbers in lower case, without needless zeros, dots and plus signs; the flags
//!   of a regular expression are sorted;
//! - `{ a }` is `{ a: a }`, in patterns too;
//! - text in JSX has its white space folded as JSX does, and `{" "}` is a blank;
//!   an attribute in braces that is a plain string has none;
//! - white space in templates that formatters reformat (`css`, `html`, `graphql`,
//!   `gql`, `markdown`, `styled`).
//!
//! A minified file is one definition: its names change with every build.
//!
//! Heads of overloads belong to the implementation. A call of `test`, `it` or
//! their variants with a title is a test; `describe` leaves no token.
//!
//! Refused: what a callback's parameters are unless a container calls it, types
//! of type parameters beyond their constraint, members added to a type by
//! declaring it twice, names of a pattern at the top level (they lead to the
//! module that takes the value apart).

mod classes;
mod declarations;
mod documentation;
mod expressions;
mod functions;
mod jsx;
mod layout;
mod literals;
mod modules;
mod repair;
mod scope;
mod statements;
mod types;
mod walker;

use std::sync::OnceLock;

use tree_sitter::Language;

use crate::{
    frontend::{FrontEnd, Layout, LibraryMethod, Project},
    model::Skeleton,
};

/// The three dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcmaScript {
    JavaScript,
    Tsx,
    TypeScript,
}

crate::node_kinds! {
    enum Kind {
        AbstractClass = "abstract_class_declaration",
        AbstractMethod = "abstract_method_signature",
        AccessibilityModifier = "accessibility_modifier",
        AmbientDeclaration = "ambient_declaration",
        Arguments = "arguments",
        Array = "array",
        ArrayPattern = "array_pattern",
        ArrayType = "array_type",
        Arrow = "=>",
        ArrowFunction = "arrow_function",
        As = "as_expression",
        Asserts = "asserts",
        Assignment = "assignment_expression",
        AssignmentPattern = "assignment_pattern",
        Async = "async",
        AugmentedAssignment = "augmented_assignment_expression",
        Await = "await_expression",
        Binary = "binary_expression",
        Break = "break_statement",
        Call = "call_expression",
        CallSignature = "call_signature",
        Catch = "catch_clause",
        Class = "class",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassHeritage = "class_heritage",
        Comma = ",",
        Comment = "comment",
        HtmlComment = "html_comment",
        Computed = "computed_property_name",
        ConditionalType = "conditional_type",
        ConstructSignature = "construct_signature",
        ConstructorType = "constructor_type",
        Continue = "continue_statement",
        Debugger = "debugger_statement",
        Decorator = "decorator",
        Default = "default",
        DefaultType = "default_type",
        DoStatement = "do_statement",
        Else = "else_clause",
        EmptyStatement = "empty_statement",
        EnumAssignment = "enum_assignment",
        EnumBody = "enum_body",
        EnumDeclaration = "enum_declaration",
        Equals = "=",
        Error = "ERROR",
        ExportClause = "export_clause",
        ExportSpecifier = "export_specifier",
        ExportStatement = "export_statement",
        ExpressionStatement = "expression_statement",
        ExtendsClause = "extends_clause",
        ExtendsTypeClause = "extends_type_clause",
        FieldDefinition = "field_definition",
        Finally = "finally_clause",
        ForIn = "for_in_statement",
        ForStatement = "for_statement",
        FormalParameters = "formal_parameters",
        FunctionDeclaration = "function_declaration",
        FunctionExpression = "function_expression",
        FunctionSignature = "function_signature",
        FunctionType = "function_type",
        GeneratorDeclaration = "generator_function_declaration",
        GeneratorFunction = "generator_function",
        GenericType = "generic_type",
        Get = "get",
        HashBang = "hash_bang_line",
        HtmlCharacter = "html_character_reference",
        Identifier = "identifier",
        If = "if_statement",
        ImplementsClause = "implements_clause",
        Import = "import",
        ImportAlias = "import_alias",
        ImportClause = "import_clause",
        ImportRequire = "import_require_clause",
        ImportSpecifier = "import_specifier",
        ImportStatement = "import_statement",
        IndexSignature = "index_signature",
        IndexTypeQuery = "index_type_query",
        Infer = "infer_type",
        Instantiation = "instantiation_expression",
        InterfaceBody = "interface_body",
        InterfaceDeclaration = "interface_declaration",
        InternalModule = "internal_module",
        IntersectionType = "intersection_type",
        JsxAttribute = "jsx_attribute",
        JsxClosing = "jsx_closing_element",
        JsxElement = "jsx_element",
        JsxExpression = "jsx_expression",
        JsxOpening = "jsx_opening_element",
        JsxSelfClosing = "jsx_self_closing_element",
        JsxText = "jsx_text",
        Labeled = "labeled_statement",
        LexicalDeclaration = "lexical_declaration",
        LiteralType = "literal_type",
        LookupType = "lookup_type",
        MappedType = "mapped_type_clause",
        Member = "member_expression",
        MethodDefinition = "method_definition",
        MethodSignature = "method_signature",
        Module = "module",
        NamedImports = "named_imports",
        NamespaceExport = "namespace_export",
        NamespaceImport = "namespace_import",
        NestedIdentifier = "nested_identifier",
        NestedTypeIdentifier = "nested_type_identifier",
        New = "new_expression",
        NonNull = "non_null_expression",
        Null = "null",
        Number = "number",
        Object = "object",
        ObjectAssignmentPattern = "object_assignment_pattern",
        ObjectPattern = "object_pattern",
        ObjectType = "object_type",
        OptionalChain = "optional_chain",
        OptionalParameter = "optional_parameter",
        OptionalType = "optional_type",
        Pair = "pair",
        PairPattern = "pair_pattern",
        Parenthesized = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PredefinedType = "predefined_type",
        PrivateIdentifier = "private_property_identifier",
        Program = "program",
        PropertyIdentifier = "property_identifier",
        PropertySignature = "property_signature",
        PublicField = "public_field_definition",
        Readonly = "readonly",
        ReadonlyType = "readonly_type",
        Regex = "regex",
        RequiredParameter = "required_parameter",
        RestPattern = "rest_pattern",
        RestType = "rest_type",
        Return = "return_statement",
        Satisfies = "satisfies_expression",
        Semicolon = ";",
        Sequence = "sequence_expression",
        Set = "set",
        ShorthandProperty = "shorthand_property_identifier",
        ShorthandPattern = "shorthand_property_identifier_pattern",
        Spread = "spread_element",
        Star = "*",
        StatementBlock = "statement_block",
        Static = "static",
        StaticBlock = "class_static_block",
        String = "string",
        Subscript = "subscript_expression",
        Super = "super",
        SwitchBody = "switch_body",
        SwitchCase = "switch_case",
        SwitchDefault = "switch_default",
        Switch = "switch_statement",
        Template = "template_string",
        TemplateLiteralType = "template_literal_type",
        TemplateSubstitution = "template_substitution",
        Ternary = "ternary_expression",
        This = "this",
        ThisType = "this_type",
        Throw = "throw_statement",
        Try = "try_statement",
        TupleType = "tuple_type",
        TypeAlias = "type_alias_declaration",
        TypeAnnotation = "type_annotation",
        TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypePredicate = "type_predicate",
        TypePredicateAnnotation = "type_predicate_annotation",
        TypeQuery = "type_query",
        Unary = "unary_expression",
        Undefined = "undefined",
        UnionType = "union_type",
        Update = "update_expression",
        UsingDeclaration = "using_declaration",
        VariableDeclaration = "variable_declaration",
        VariableDeclarator = "variable_declarator",
        While = "while_statement",
        With = "with_statement",
        Yield = "yield_expression",
        CloseBrace = "}",
        CloseBracket = "]",
        CloseParen = ")",
        Greater = ">",
        Pipe = "|",
        Ampersand = "&",
    }
}

/// A grammar with what is looked up in it once.
struct Grammar {
    language: Language,
    kinds: Vec<Kind>,
    fields: Fields,
}

macro_rules! fields {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Numbers of the grammar's fields; one that no field has for those it lacks.
        struct Fields { $($name: u16),* }

        impl Fields {
            fn of(language: &Language) -> Self {
                Self { $($name: language.field_id_for_name($text).map_or(u16::MAX, u16::from)),* }
            }
        }
    };
}

fields! {
    alias = "alias",
    alternative = "alternative",
    arguments = "arguments",
    body = "body",
    condition = "condition",
    consequence = "consequence",
    constructor = "constructor",
    declaration = "declaration",
    function = "function",
    increment = "increment",
    initializer = "initializer",
    key = "key",
    kind = "kind",
    left = "left",
    name = "name",
    object = "object",
    operator = "operator",
    parameter = "parameter",
    parameters = "parameters",
    pattern = "pattern",
    property = "property",
    return_type = "return_type",
    right = "right",
    source = "source",
    type_ = "type",
    value = "value",
}

impl EcmaScript {
    fn grammar(self) -> &'static Grammar {
        static GRAMMARS: [OnceLock<Grammar>; 3] = [const { OnceLock::new() }; 3];
        GRAMMARS[self as usize].get_or_init(|| {
            let language = Language::new(match self {
                EcmaScript::JavaScript => tree_sitter_javascript::LANGUAGE,
                EcmaScript::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
                EcmaScript::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            });
            Grammar {
                kinds: Kind::table(&language),
                fields: Fields::of(&language),
                language,
            }
        })
    }
}

/// Names that code has without a declaration: those of the language, of browsers
/// and of Node.
const BUILTINS: &[&str] = &[
    "AbortController",
    "AbortSignal",
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "Atomics",
    "Audio",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Blob",
    "Boolean",
    "BroadcastChannel",
    "Buffer",
    "Bun",
    "CompressionStream",
    "CustomEvent",
    "DOMException",
    "DOMParser",
    "DataView",
    "Date",
    "Deno",
    "Document",
    "Element",
    "Error",
    "EvalError",
    "Event",
    "EventSource",
    "EventTarget",
    "File",
    "FileReader",
    "FinalizationRegistry",
    "Float32Array",
    "Float64Array",
    "FormData",
    "Function",
    "HTMLElement",
    "Headers",
    "Image",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "IntersectionObserver",
    "Intl",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "MessageChannel",
    "MutationObserver",
    "NaN",
    "Node",
    "Notification",
    "Number",
    "Object",
    "Performance",
    "PerformanceObserver",
    "Promise",
    "Proxy",
    "RangeError",
    "ReadableStream",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Request",
    "ResizeObserver",
    "Response",
    "Set",
    "SharedArrayBuffer",
    "SharedWorker",
    "String",
    "Symbol",
    "SyntaxError",
    "TextDecoder",
    "TextEncoder",
    "TransformStream",
    "TypeError",
    "URIError",
    "URL",
    "URLSearchParams",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "WebAssembly",
    "WebSocket",
    "WebTransport",
    "Worker",
    "WritableStream",
    "XMLHttpRequest",
    "__dirname",
    "__filename",
    "addEventListener",
    "alert",
    "atob",
    "btoa",
    "caches",
    "cancelAnimationFrame",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "confirm",
    "console",
    "crypto",
    "customElements",
    "decodeURI",
    "decodeURIComponent",
    "document",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "fetch",
    "getComputedStyle",
    "global",
    "globalThis",
    "history",
    "indexedDB",
    "isFinite",
    "isNaN",
    "localStorage",
    "location",
    "matchMedia",
    "navigator",
    "open",
    "parseFloat",
    "parseInt",
    "performance",
    "postMessage",
    "process",
    "prompt",
    "queueMicrotask",
    "removeEventListener",
    "reportError",
    "requestAnimationFrame",
    "requestIdleCallback",
    "require",
    "screen",
    "self",
    "sessionStorage",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "unescape",
    "window",
];

impl FrontEnd for EcmaScript {
    fn name(&self) -> &'static str {
        match self {
            EcmaScript::JavaScript => "javascript",
            EcmaScript::Tsx => "tsx",
            EcmaScript::TypeScript => "typescript",
        }
    }

    fn family(&self) -> &'static str {
        "ecmascript"
    }

    fn version(&self) -> u32 {
        1
    }

    fn constructors(&self) -> &'static [&'static str] {
        &["constructor"]
    }

    fn extensions(&self) -> &'static [&'static str] {
        match self {
            EcmaScript::JavaScript => &["cjs", "js", "jsx", "mjs"],
            EcmaScript::Tsx => &["tsx"],
            EcmaScript::TypeScript => &["cts", "mts", "ts"],
        }
    }

    fn extract(&self, source: &str) -> Skeleton {
        walker::extract(*self, source)
    }

    fn is_internal(&self, path: &str) -> bool {
        layout::is_internal(path)
    }

    fn configuration_files(&self) -> &'static [&'static str] {
        &[
            "jsconfig.json",
            "package.json",
            "tsconfig.base.json",
            "tsconfig.json",
        ]
    }

    fn layout(&self, project: &Project<'_>) -> Box<dyn Layout> {
        Box::new(layout::Modules::new(project))
    }

    fn builtin(&self, name: &str) -> Option<String> {
        BUILTINS.binary_search(&name).is_ok().then(|| name.to_owned())
    }

    fn effects(&self) -> &'static str {
        include_str!("../../effects/ecmascript.txt")
    }

    fn splits_names(&self) -> bool {
        true
    }

    fn library_method(&self, name: &str) -> LibraryMethod {
        match name {
            "filter" | "slice" | "concat" | "reverse" | "sort" | "splice" | "values" | "toSorted"
            | "toReversed" | "toSpliced" | "with" | "fill" | "add" | "catch" | "finally" => {
                LibraryMethod::Same
            }
            "at" | "pop" | "shift" | "find" | "findLast" | "get" => LibraryMethod::Element,
            _ => LibraryMethod::Unknown,
        }
    }

    fn library_member(&self, qualified: &str, name: &str) -> String {
        match name {
            "default" => qualified.to_owned(),
            _ => format!("{qualified}.{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIALECTS: [EcmaScript; 3] = [EcmaScript::JavaScript, EcmaScript::Tsx, EcmaScript::TypeScript];

    #[test]
    fn builtins_are_sorted() {
        assert!(BUILTINS.is_sorted());
    }

    /// Cases with bytes replaced and cut: any text gives a skeleton.
    #[test]
    fn damaged_files_are_read() {
        let sources = [
            include_str!("../../cases/typescript/classes.ts"),
            include_str!("../../cases/typescript/scoping.ts"),
            include_str!("../../cases/typescript/tests.test.ts"),
            include_str!("../../cases/typescript/normal_form.ts"),
            include_str!("../../cases/javascript/commonjs.files"),
            include_str!("../../cases/javascript/view.jsx"),
        ];
        let junk = [
            "{", "}", "(", "`", "'", "<", "\\", "${", "/*", "=>", "export ", "\u{e9}", "\0",
        ];
        let mut random = 7_u32;
        for source in sources {
            for round in 0..60 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let mut at = (random >> 8) as usize % source.len();
                while !source.is_char_boundary(at) {
                    at -= 1;
                }
                let rest = if round % 3 == 0 { "" } else { &source[at..] };
                let text = format!("{}{}{rest}", &source[..at], junk[round % junk.len()]);
                for dialect in DIALECTS {
                    dialect.extract(&text);
                }
            }
        }
    }

    #[test]
    fn noise_is_read() {
        let mut random = 1_u32;
        let alphabet: Vec<char> = "abA$_ \n\t()[]{}<>.,;:?!=+-*/%&|^~'\"`\\#@0x1e\u{0}\u{fffd}\u{e9}"
            .chars()
            .collect();
        for _ in 0..40 {
            let text: String = (0..2_000)
                .map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(random >> 8) as usize % alphabet.len()]
                })
                .collect();
            for dialect in DIALECTS {
                dialect.extract(&text);
            }
        }
    }

    #[test]
    fn deep_nesting_is_read() {
        for part in [
            "(",
            "[",
            "{",
            "a(",
            "a=>",
            "a?",
            "!",
            "<a>",
            "`${",
            "function f(){",
            "class A{b(){",
            "a.",
            "if(a)",
            "describe('a',()=>{",
            "type A=",
            "a||",
            "(a:",
            "namespace A{",
            "x=",
            "new ",
            "import('a').",
            "a<",
        ] {
            let text = part.repeat(3_000);
            for dialect in DIALECTS {
                dialect.extract(&text);
            }
        }
    }
}
