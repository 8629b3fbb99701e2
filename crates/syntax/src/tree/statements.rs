//! Statements and blocks.

use super::*;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Block {
    /// From the first to the last statement; empty where it would start when there is none.
    pub span: Span,
    pub statements: Vec<Statement>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Statement {
    pub id: NodeId,
    pub span: Span,
    pub kind: StatementKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum StatementKind {
    Let {
        mutable: bool,
        name: Name,
        annotation: Option<Type>,
        value: Expression,
    },
    Change {
        name: Name,
        value: Expression,
    },
    If {
        branches: Vec<Branch>,
        otherwise: Option<OtherwiseBlock>,
    },
    Match {
        subject: Expression,
        arms: Vec<Arm>,
        otherwise: Option<OtherwiseBlock>,
    },
    ForEach(Box<ForEach>),
    RepeatUntil {
        condition: Expression,
        body: Block,
    },
    RunConcurrently {
        within: Option<Expression>,
        body: Block,
    },
    Return(Option<Expression>),
    Fail(Option<Expression>),
    Crash(Expression),
    Break,
    Continue,
    Ignore(Expression),
    Check(Expression),
    /// A call, or a value that `otherwise` reads; anything else was reported
    /// (`statement-shape`) and stands here all the same.
    Expression(Expression),
    /// An error was reported here.
    Error,
}

/// `if condition then` or `otherwise if condition then`, and its block.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Branch {
    pub span: Span,
    pub condition: Expression,
    pub body: Block,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OtherwiseBlock {
    pub span: Span,
    pub body: Block,
}

/// `when pattern where guard then`, and its block.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Arm {
    pub span: Span,
    pub pattern: Pattern,
    pub guard: Option<Expression>,
    pub body: Block,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ForEach {
    pub source: Source,
    pub filter: Option<Expression>,
    pub order: Option<Order>,
    pub body: Block,
}
