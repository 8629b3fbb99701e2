//! Type expressions.

use super::*;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Type {
    pub id: NodeId,
    pub span: Span,
    pub kind: TypeKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", content = "value")]
pub enum TypeKind {
    Named(NamedType),
    /// `maybe T`
    Maybe(Box<Type>),
    Function(Box<FunctionType>),
    /// An error was reported here.
    Error,
}

/// `Name`, `Name of A, B`, `Map of K to V`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NamedType {
    pub span: Span,
    pub name: Name,
    pub arguments: Vec<Type>,
    /// Written `of K to V` and not `of K, V`.
    pub with_to: bool,
}

/// `function(A, B) returns R or fails with E needs c`
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FunctionType {
    pub parameters: Vec<Type>,
    pub returns: Option<Type>,
    pub fails: Vec<Type>,
    pub needs: Vec<Capability>,
}
