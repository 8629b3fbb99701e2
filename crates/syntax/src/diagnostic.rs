//! What a file is told about itself: the codes of the specification's table, each with its
//! severity, and a diagnostic with its span and its fix.

use std::fmt;

use crate::tree::Span;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    Warning,
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

macro_rules! codes {
    ($($variant:ident => $spelling:literal, $severity:ident;)*) => {
        /// The codes of section 7.2, in the order of their spelling.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Code {
            $($variant,)*
        }

        impl Code {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn spelling(self) -> &'static str {
                match self {
                    $(Self::$variant => $spelling,)*
                }
            }

            /// Its severity; `deprecated` becomes an error under `--strict`.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)*
                }
            }
        }
    };
}

codes! {
    AmbiguousVariant => "ambiguous-variant", Error;
    AngleComparison => "angle-comparison", Error;
    ArgumentCount => "argument-count", Error;
    ArgumentName => "argument-name", Error;
    ArgumentOrder => "argument-order", Error;
    BareFail => "bare-fail", Error;
    BlockTextStart => "block-text-start", Error;
    BodyLength => "body-length", Error;
    CapabilityMissing => "capability-missing", Error;
    CapabilityScope => "capability-scope", Error;
    CheckOutsideTest => "check-outside-test", Error;
    ConstraintViolation => "constraint-violation", Error;
    ConstructOpaque => "construct-opaque", Error;
    ConstructSum => "construct-sum", Error;
    Crlf => "crlf", Error;
    Deprecated => "deprecated", Warning;
    DuplicateImplementation => "duplicate-implementation", Error;
    DuplicateName => "duplicate-name", Error;
    EmptyHole => "empty-hole", Error;
    EqualsSign => "equals-sign", Error;
    ErrorNotDeclared => "error-not-declared", Error;
    ExampleEffects => "example-effects", Error;
    ExampleFails => "example-fails", Error;
    ExampleShape => "example-shape", Error;
    Expected => "expected", Error;
    ExternalName => "external-name", Error;
    ForeignArity => "foreign-arity", Error;
    ForeignKeyword => "foreign-keyword", Error;
    ForeignSignature => "foreign-signature", Error;
    ForeignType => "foreign-type", Error;
    GrantClause => "grant-clause", Error;
    GuardNoSink => "guard-no-sink", Warning;
    HoleSyntax => "hole-syntax", Error;
    IdentifierShape => "identifier-shape", Error;
    IgnoreNothing => "ignore-nothing", Error;
    IgnorePure => "ignore-pure", Error;
    ImmutableBinding => "immutable-binding", Error;
    ImportErrors => "import-errors", Error;
    IntegerDivision => "integer-division", Error;
    InvalidLiteral => "invalid-literal", Error;
    KindField => "kind-field", Error;
    LineWidth => "line-width", Warning;
    LoopVariables => "loop-variables", Error;
    ManifestInvalid => "manifest-invalid", Error;
    MaybeValue => "maybe-value", Error;
    MethodCall => "method-call", Error;
    MethodModule => "method-module", Error;
    MethodSignature => "method-signature", Error;
    MissingAbility => "missing-ability", Error;
    MissingEnd => "missing-end", Error;
    MissingFields => "missing-fields", Error;
    MissingMethod => "missing-method", Error;
    MissingOtherwise => "missing-otherwise", Error;
    MissingReturn => "missing-return", Error;
    MissingValue => "missing-value", Error;
    ModuleHeader => "module-header", Error;
    ModuleName => "module-name", Error;
    NestingDepth => "nesting-depth", Error;
    NotAMethod => "not-a-method", Error;
    NotCallable => "not-callable", Error;
    NotExhaustive => "not-exhaustive", Error;
    NumberShape => "number-shape", Error;
    OtherwiseFailMaybe => "otherwise-fail-maybe", Error;
    OtherwiseLine => "otherwise-line", Error;
    OutsideLoop => "outside-loop", Error;
    PackageMismatch => "package-mismatch", Error;
    PackageMissing => "package-missing", Error;
    PatternMismatch => "pattern-mismatch", Error;
    PrivateName => "private-name", Error;
    PublicImplementation => "public-implementation", Error;
    PublicMethod => "public-method", Error;
    PurposeMissing => "purpose-missing", Error;
    PythonSignature => "python-signature", Error;
    PythonType => "python-type", Error;
    QueryShape => "query-shape", Error;
    RangeLoop => "range-loop", Error;
    RefinementField => "refinement-field", Error;
    RegexInvalid => "regex-invalid", Error;
    ReservedWord => "reserved-word", Error;
    ReturnValue => "return-value", Error;
    SelfPosition => "self-position", Error;
    Semicolon => "semicolon", Error;
    Shadowing => "shadowing", Error;
    SingleLetterIdentifier => "single-letter-identifier", Error;
    StatementShape => "statement-shape", Error;
    SuperfluousOtherwise => "superfluous-otherwise", Error;
    SymbolicOperator => "symbolic-operator", Error;
    Tab => "tab", Error;
    TaskIndependence => "task-independence", Error;
    TextInHole => "text-in-hole", Error;
    ToolType => "tool-type", Error;
    TrailingWhitespace => "trailing-whitespace", Warning;
    TypeArity => "type-arity", Error;
    TypeAsValue => "type-as-value", Error;
    TypeMismatch => "type-mismatch", Error;
    TypeNameShape => "type-name-shape", Error;
    UnaryMinus => "unary-minus", Error;
    UnknownAbility => "unknown-ability", Error;
    UnknownCapability => "unknown-capability", Error;
    UnknownCharacter => "unknown-character", Error;
    UnknownEscape => "unknown-escape", Error;
    UnknownField => "unknown-field", Error;
    UnknownFunction => "unknown-function", Error;
    UnknownMethod => "unknown-method", Error;
    UnknownModule => "unknown-module", Error;
    UnknownName => "unknown-name", Error;
    UnknownReference => "unknown-reference", Error;
    UnknownType => "unknown-type", Error;
    Unreachable => "unreachable", Warning;
    UnterminatedBlockText => "unterminated-block-text", Error;
    UnterminatedHole => "unterminated-hole", Error;
    UnterminatedText => "unterminated-text", Error;
    UnusedBinding => "unused-binding", Error;
    UnusedResult => "unused-result", Error;
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.spelling())
    }
}

/// One line about one place, and one line saying what to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub code: Code,
    pub span: Span,
    pub message: String,
    pub fix: String,
}

impl Diagnostic {
    pub fn new(code: Code, span: Span, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            code,
            span,
            message: message.into(),
            fix: fix.into(),
        }
    }

    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Its severity with or without `--strict`, under which deprecation is an error.
    pub fn severity_under(&self, strict: bool) -> Severity {
        match self.code {
            Code::Deprecated if strict => Severity::Error,
            code => code.severity(),
        }
    }
}
