//! Imports, declarations and their documentation.

use super::*;

/// `import a.b as c exposing X, Y`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Import {
    pub span: Span,
    pub path: Path,
    pub alias: Option<Name>,
    pub exposing: Vec<Name>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Item {
    /// From `public` or the first word to the last token, documentation included.
    pub span: Span,
    pub public: Option<Span>,
    pub kind: ItemKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum ItemKind {
    Function(Function),
    Type(TypeDeclaration),
    Ability(Ability),
    Implementation(Implementation),
    Constant(Constant),
    Test(Test),
}

/// A function, a method of an implementation, or (without a body) the head of a method in
/// an ability or of a function in a declaration module.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Function {
    /// From `function`, not from `public`.
    pub span: Span,
    /// `public` before a method, which is an error there; an item's stands in [`Item::public`].
    pub public: Option<Span>,
    pub head: Head,
    pub docs: Docs,
    pub body: Option<Block>,
    /// Nodes of head, examples and body.
    pub nodes: u32,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Head {
    /// From `function` to the last clause.
    pub span: Span,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub returns: Option<Type>,
    pub fails: Vec<Type>,
    pub needs: Vec<Capability>,
    pub type_parameters: Option<TypeParameters>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Parameter {
    pub id: NodeId,
    pub span: Span,
    /// `self` for the receiver.
    pub name: Name,
    pub is_self: bool,
    /// Only `self` may stand without.
    pub annotation: Option<Type>,
}

/// `for any A, B where A can Compare and …`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TypeParameters {
    pub span: Span,
    pub names: Vec<Name>,
    pub bounds: Vec<Bound>,
}

/// `A can Ability of X`; in a requirement the parameter is `self`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bound {
    pub span: Span,
    pub parameter: Name,
    pub ability: NamedType,
}

/// One capability of a `needs` list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Capability {
    pub span: Span,
    pub target: CapabilityPath,
    pub budget: Option<Budget>,
    /// After `only to`.
    pub sinks: Vec<CapabilityPath>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CapabilityPath {
    pub span: Span,
    pub path: Path,
    pub scope: Option<PlainText>,
}

/// `at most 3 per minute`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Budget {
    pub span: Span,
    /// The digits, `_` included.
    pub count: Name,
    pub unit: BudgetUnit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum BudgetUnit {
    Second,
    Minute,
    Hour,
    Day,
    Run,
}

impl BudgetUnit {
    pub fn word(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Run => "run",
        }
    }
}

/// A text without holes, its escapes resolved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlainText {
    pub span: Span,
    pub value: Arc<str>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TypeDeclaration {
    pub span: Span,
    pub name: Name,
    pub parameters: Vec<Name>,
    pub docs: Docs,
    pub kind: TypeDeclarationKind,
    /// Nodes of fields, conditions and examples.
    pub nodes: u32,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum TypeDeclarationKind {
    Record {
        fields: Vec<Field>,
        derives: Vec<Derive>,
    },
    Sum {
        variants: Vec<Variant>,
        derives: Vec<Derive>,
    },
    Subtype {
        base: Type,
        condition: Option<Expression>,
    },
}

/// `has name: T where … as "key"`, or one field of a variant.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Field {
    pub span: Span,
    pub name: Name,
    pub annotation: Type,
    pub condition: Option<Expression>,
    pub external_name: Option<PlainText>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Variant {
    pub span: Span,
    pub name: Name,
    pub fields: Vec<Field>,
}

/// `can Compare by f, g`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Derive {
    pub span: Span,
    pub ability: Name,
    pub by: Vec<Name>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ability {
    pub span: Span,
    pub name: Name,
    pub parameters: Vec<Name>,
    pub requirements: Vec<Bound>,
    pub docs: Docs,
    pub methods: Vec<Function>,
    /// Nodes of the ability's own head and examples; methods count their own.
    pub nodes: u32,
}

/// `ability A of X for T` … `end`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Implementation {
    pub span: Span,
    pub ability: NamedType,
    pub target: Type,
    pub type_parameters: Option<TypeParameters>,
    pub methods: Vec<Function>,
    /// Nodes of the head; methods count their own.
    pub nodes: u32,
}

/// `let name: T be value`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Constant {
    pub span: Span,
    pub name: Name,
    pub annotation: Type,
    pub value: Expression,
    pub docs: Docs,
    pub nodes: u32,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Test {
    pub span: Span,
    pub name: PlainText,
    pub needs: Vec<Capability>,
    pub replays: Option<PlainText>,
    pub body: Block,
    pub nodes: u32,
}

/// The documentation clauses under a head, in source order.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Docs {
    pub clauses: Vec<DocClause>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DocClause {
    pub span: Span,
    pub kind: DocClauseKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum DocClauseKind {
    Purpose(ClauseText),
    Tags(ClauseText),
    SeeAlso(ClauseText),
    Deprecated(ClauseText),
    ExposeAsTool,
    Example(Example),
}

/// The rest of a line after a clause word and its colon, trimmed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClauseText {
    pub span: Span,
    pub text: Arc<str>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Example {
    /// What follows the colon.
    pub span: Span,
    pub subject: Expression,
    pub outcome: ExampleOutcome,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum ExampleOutcome {
    Is(Expression),
    FailsWith(Pattern),
    /// `example-shape` was reported.
    Error,
}

impl Docs {
    /// The last `purpose:`, as for every clause but `example:` (the last one holds).
    pub fn purpose(&self) -> Option<&ClauseText> {
        self.last(|kind| match kind {
            DocClauseKind::Purpose(text) => Some(text),
            _ => None,
        })
    }

    pub fn deprecated(&self) -> Option<&ClauseText> {
        self.last(|kind| match kind {
            DocClauseKind::Deprecated(text) => Some(text),
            _ => None,
        })
    }

    pub fn tags(&self) -> Vec<Arc<str>> {
        self.last(|kind| match kind {
            DocClauseKind::Tags(text) => Some(text),
            _ => None,
        })
        .map(|clause| clause.parts().into_iter().map(|name| name.text).collect())
        .unwrap_or_default()
    }

    /// The names of the last `see also:`, each with where it stands.
    pub fn see_also(&self) -> Vec<Name> {
        self.last(|kind| match kind {
            DocClauseKind::SeeAlso(text) => Some(text),
            _ => None,
        })
        .map(ClauseText::parts)
        .unwrap_or_default()
    }

    pub fn exposed_as_tool(&self) -> Option<Span> {
        self.clauses
            .iter()
            .find(|clause| clause.kind == DocClauseKind::ExposeAsTool)
            .map(|clause| clause.span)
    }

    pub fn examples(&self) -> impl Iterator<Item = &Example> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            DocClauseKind::Example(example) => Some(example),
            _ => None,
        })
    }

    fn last<'a, T>(&'a self, pick: impl Fn(&'a DocClauseKind) -> Option<&'a T>) -> Option<&'a T> {
        self.clauses.iter().rev().find_map(|clause| pick(&clause.kind))
    }
}

impl ClauseText {
    /// Split at commas, trimmed, without the empty ones.
    pub fn parts(&self) -> Vec<Name> {
        let mut start = self.span.start;
        let mut parts = Vec::new();
        for piece in self.text.split(',') {
            let trimmed = piece.trim();
            if !trimmed.is_empty() {
                let lead = (piece.len() - piece.trim_start().len()) as u32;
                let span = Span::new(start + lead, start + lead + trimmed.len() as u32);
                parts.push(Name {
                    text: trimmed.into(),
                    span,
                });
            }
            start += piece.len() as u32 + 1;
        }
        parts
    }
}

impl ItemKind {
    pub fn docs(&self) -> Option<&Docs> {
        match self {
            Self::Function(function) => Some(&function.docs),
            Self::Type(declaration) => Some(&declaration.docs),
            Self::Ability(ability) => Some(&ability.docs),
            Self::Constant(constant) => Some(&constant.docs),
            Self::Implementation(_) | Self::Test(_) => None,
        }
    }
}

impl Head {
    pub fn receiver(&self) -> Option<&Parameter> {
        self.parameters.first().filter(|parameter| parameter.is_self)
    }
}
