//! Expressions.

use super::*;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Expression {
    pub id: NodeId,
    pub span: Span,
    pub kind: ExpressionKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum ExpressionKind {
    /// Spelled as in the source, `-` included when negative.
    Integer {
        negative: bool,
    },
    Decimal {
        negative: bool,
    },
    Text(TextLiteral),
    Boolean(bool),
    Nothing,
    SelfValue,
    List(Vec<Expression>),
    Map(Vec<Entry>),
    Name(Name),
    /// A type or variant without arguments.
    TypeName(Name),
    /// `name(…)`
    Call {
        name: Name,
        arguments: Arguments,
    },
    /// `TypeName(…)`
    Construct {
        name: Name,
        arguments: Arguments,
    },
    /// `first.a.b(…)`: at least one link.
    Chain {
        first: Box<Expression>,
        links: Vec<Link>,
    },
    /// Operators of one binding strength, left to right: at least one operand after the first.
    Operators {
        first: Box<Expression>,
        rest: Vec<Operand>,
    },
    /// `base power exponent`, right associative.
    Power {
        base: Box<Expression>,
        exponent: Box<Expression>,
    },
    Not(Box<Expression>),
    Compare {
        left: Box<Expression>,
        operator: Comparison,
        operator_span: Span,
        right: Box<Expression>,
    },
    /// `value with f: x, g: y`
    With {
        value: Box<Expression>,
        updates: Vec<Update>,
    },
    /// `value otherwise o otherwise p`, left to right: at least one outcome.
    Otherwise {
        value: Box<Expression>,
        outcomes: Vec<Outcome>,
    },
    Parenthesised(Box<Expression>),
    Range {
        from: Box<Expression>,
        to: Box<Expression>,
        by: Option<Box<Expression>>,
    },
    If {
        branches: Vec<ValueBranch>,
        otherwise: Option<Box<Outcome>>,
    },
    Match {
        subject: Box<Expression>,
        arms: Vec<ValueArm>,
        otherwise: Option<Box<Outcome>>,
    },
    Query(Box<Query>),
    /// An error was reported here.
    Error,
}

/// `key: value` of a map literal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entry {
    pub key: Expression,
    pub value: Expression,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Arguments {
    /// With the parentheses.
    pub span: Span,
    pub list: Vec<Argument>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Argument {
    pub name: Option<Name>,
    pub value: Expression,
}

/// `.name` or `.name(…)`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Link {
    /// The node of the chain up to and with this link.
    pub id: NodeId,
    /// From the dot.
    pub span: Span,
    pub name: Name,
    pub arguments: Option<Arguments>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Operand {
    /// The node of the chain up to and with this operand.
    pub id: NodeId,
    pub operator: Operator,
    pub operator_span: Span,
    pub value: Expression,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Operator {
    Or,
    And,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "remainder",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Comparison {
    Is,
    IsNot,
    IsLessThan,
    IsAtMost,
    IsGreaterThan,
    IsAtLeast,
}

impl Comparison {
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Is => "is",
            Self::IsNot => "is not",
            Self::IsLessThan => "is less than",
            Self::IsAtMost => "is at most",
            Self::IsGreaterThan => "is greater than",
            Self::IsAtLeast => "is at least",
        }
    }

    pub fn is_ordering(self) -> bool {
        !matches!(self, Self::Is | Self::IsNot)
    }
}

/// `f: x` after `with`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Update {
    pub span: Span,
    pub name: Name,
    pub value: Expression,
}

/// What follows `otherwise`, or the result of a branch of an `if` or `match` expression.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outcome {
    /// In a chain of `otherwise`: the node of the value up to and with this outcome.
    pub id: NodeId,
    pub span: Span,
    pub kind: OutcomeKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum OutcomeKind {
    Value(Expression),
    /// `fail` passes the failure on; `fail with v`.
    Fail(Option<Expression>),
    Return(Option<Expression>),
    Crash(Expression),
    Break,
    Continue,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValueBranch {
    pub span: Span,
    pub condition: Expression,
    pub outcome: Outcome,
}

/// `when pattern where guard then outcome`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValueArm {
    pub span: Span,
    pub pattern: Pattern,
    pub guard: Option<Expression>,
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TextLiteral {
    pub form: TextForm,
    /// Neighbouring characters are one part; no part is empty.
    pub parts: Vec<TextPart>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum TextForm {
    Line,
    Block,
    Raw,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum TextPart {
    /// Escapes resolved, indentation of a block removed.
    Characters { span: Span, value: Arc<str> },
    /// `{expression}`; the span has the braces.
    Hole { span: Span, value: Expression },
}

impl TextLiteral {
    /// The value of a text without holes.
    pub fn plain(&self) -> Option<Arc<str>> {
        match self.parts.as_slice() {
            [] => Some("".into()),
            [TextPart::Characters { value, .. }] => Some(value.clone()),
            _ => None,
        }
    }
}

/// `for each x in xs, y in ys where … sorted by … group by … collect …`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Query {
    pub sources: Vec<Source>,
    pub concurrently: Option<Concurrently>,
    pub filter: Option<Expression>,
    pub order: Option<Order>,
    pub group_by: Option<Expression>,
    pub terminal: Option<Terminal>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Concurrently {
    pub span: Span,
    pub within: Option<Expression>,
}

/// `x in xs`, `key, value in map`, `i from 1 to 3`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Source {
    pub span: Span,
    /// One or two; more were reported (`loop-variables`, by the checker).
    pub variables: Vec<LoopVariable>,
    /// `in`; absent before a bare range.
    pub in_span: Option<Span>,
    pub value: Expression,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LoopVariable {
    pub id: NodeId,
    pub name: Name,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Order {
    pub span: Span,
    pub key: Expression,
    pub descending: Option<Span>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Terminal {
    pub span: Span,
    pub kind: TerminalKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum TerminalKind {
    Collect(Expression),
    Sum(Expression),
    Any(Expression),
    All(Expression),
    Count,
    First,
}
