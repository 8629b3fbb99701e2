//! What checking finds out about the inside of one definition.

use syntax::Diagnostic;
use syntax::tree::{NodeId, Span};

use crate::program::{DefId, ModuleId, VariantId};
use crate::types::{Capability, Type};

/// One token that refers to something.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// The name's token: for a method the member alone, without what stands before the dot.
    pub span: Span,
    pub target: Target,
    pub role: Role,
    pub place: Place,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A function, method, type, ability or constant, of the program or its library.
    Definition(DefId),
    /// A method called on a value of a bounded type parameter: whichever implementation the
    /// caller brings.
    AbilityMethod {
        ability: DefId,
        method: u32,
    },
    Variant(VariantId),
    /// A field of a record, or of a variant.
    Field {
        owner: DefId,
        variant: Option<u32>,
        field: u32,
    },
    /// A binding, parameter, loop or pattern variable: the node that introduces it.
    Local(NodeId),
    TypeParameter(u16),
    /// The namespace before a dot, or the path of an import.
    Module(ModuleId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Called, or (for a function) given by name to a call.
    Call,
    Pass,
    /// A constant or a local read, a field accessed.
    Read,
    /// A local changed, a field given a new value.
    Write,
    /// A type or variant constructed.
    Construct,
    /// A type or variant matched by a pattern.
    Match,
    /// A type named in an annotation, an ability in a bound, `can` or head.
    Name,
    /// `see also:`
    Mention,
}

/// Which part of a definition a reference stands in; the index counts head and body alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    Head,
    Body,
    Example,
    Condition,
    Documentation,
}

/// All that is known of one definition's inside. A definition without an inside (an
/// implementation) has empty facts. Spans count from the definition's start
/// ([`crate::Module::start`]), so that facts outlive changes elsewhere in their file.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The type of each expression and pattern by its node; `Type::Error` where none is known.
    pub types: Vec<Type>,
    /// Of body, examples and conditions, in source order. (Those of heads are in
    /// [`crate::Module::head_references`].)
    pub references: Vec<Reference>,
    /// Where parameters, bindings, loop and pattern variables are introduced.
    pub bindings: Vec<(Span, NodeId)>,
    /// Abilities dispatched to without a name in the source: `to_text` of a hole, `compare` of
    /// an ordering, `to_list` of a walk. For an interpreter; the index does not count them.
    pub implicit: Vec<ImplicitCall>,
    /// Capabilities that the body uses itself: declared ones of what it calls and passes.
    pub used: Vec<Capability>,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ImplicitCall {
    pub node: NodeId,
    pub ability: DefId,
    pub subject: Type,
}
