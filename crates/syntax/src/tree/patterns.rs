//! Patterns of `match` and of examples.

use super::*;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pattern {
    pub id: NodeId,
    pub span: Span,
    pub kind: PatternKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum PatternKind {
    /// A variant or a record; `None` fields when it stands bare.
    Construction {
        name: Name,
        fields: Option<Vec<FieldPattern>>,
    },
    Nothing,
    Some(Box<Pattern>),
    Success(Box<Pattern>),
    Failure(Box<Pattern>),
    Binding {
        name: Name,
        annotation: Option<Type>,
    },
    /// A literal expression without names.
    Literal(Box<Expression>),
    Error,
}

/// `name` alone binds the field to its own name.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FieldPattern {
    pub id: NodeId,
    pub span: Span,
    pub name: Name,
    pub pattern: Option<Pattern>,
}
