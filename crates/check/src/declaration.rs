//! Declarations with their types resolved: all that a definition shows to others.

use std::sync::Arc;

use syntax::tree::Span;

use crate::program::DefId;
use crate::types::{AbilityReference, Capability, Type, TypeParameterIndex};

/// One definition of a module, in item order; an implementation stands before its methods.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// Its own name: `total`, `Order`; a method's without the type; a test's text; empty for
    /// an implementation.
    pub name: Arc<str>,
    /// The name's token (a test's text, an implementation's ability).
    pub name_span: Span,
    pub place: TreePlace,
    pub public: bool,
    /// It has a `deprecated:` clause.
    pub deprecated: bool,
    /// Names of the type parameters in scope inside it, outermost first.
    pub type_parameters: Vec<TypeParameter>,
    pub kind: DefinitionKind,
}

/// Where in its module's tree a definition is: the item, and which of its methods.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TreePlace {
    pub item: u32,
    pub method: Option<u32>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct TypeParameter {
    pub name: Arc<str>,
    pub span: Span,
    /// What `where` says of it.
    pub bounds: Vec<AbilityReference>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum DefinitionKind {
    Function(Signature),
    /// A function with a receiver, declared on its own.
    Method {
        signature: Signature,
        /// The head type of the receiver; a type parameter's method has none.
        receiver: Option<DefId>,
    },
    Type(TypeKind),
    Ability(AbilityDeclaration),
    Implementation(Implementation),
    /// A method of an implementation; `receiver` as for a method.
    ImplementationMethod {
        signature: Signature,
        implementation: DefId,
        receiver: Option<DefId>,
        /// Which method of the ability it is; none when the ability has no such method
        /// (`unknown-method`).
        method: Option<u32>,
    },
    Constant(Type),
    Test {
        needs: Vec<Capability>,
    },
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Signature {
    /// With `self` first when there is a receiver.
    pub parameters: Vec<Parameter>,
    pub has_receiver: bool,
    pub returns: Option<Type>,
    pub fails: Vec<Type>,
    pub needs: Vec<Capability>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub name: Arc<str>,
    pub span: Span,
    /// `Type::SelfType` for the receiver in an ability; the target in an implementation.
    pub annotation: Type,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// A library type that a program cannot construct; its fields may be read.
    Opaque {
        fields: Vec<Field>,
        derives: Vec<Derive>,
    },
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
        refined: bool,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    pub name: Arc<str>,
    pub span: Span,
    pub annotation: Type,
    /// It has a condition; the tree at the definition's place has its expression.
    pub refined: bool,
    pub external_name: Option<Arc<str>>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    pub name: Arc<str>,
    pub span: Span,
    pub fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Derive {
    pub ability: DefId,
    pub span: Span,
    /// Positions of the fields after `by`.
    pub by: Vec<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct AbilityDeclaration {
    pub requirements: Vec<AbilityReference>,
    pub methods: Vec<AbilityMethod>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct AbilityMethod {
    pub name: Arc<str>,
    pub span: Span,
    /// In terms of `Self` and of the ability's own parameters.
    pub signature: Signature,
    /// Type parameters of the method itself, after the ability's.
    pub type_parameters: Vec<TypeParameter>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Implementation {
    /// In terms of the implementation's type parameters; none if it was not found.
    pub ability: Option<AbilityReference>,
    pub target: Type,
}

impl Definition {
    pub fn signature(&self) -> Option<&Signature> {
        match &self.kind {
            DefinitionKind::Function(signature)
            | DefinitionKind::Method { signature, .. }
            | DefinitionKind::ImplementationMethod { signature, .. } => Some(signature),
            _ => None,
        }
    }

    pub fn as_type(&self) -> Option<&TypeKind> {
        match &self.kind {
            DefinitionKind::Type(kind) => Some(kind),
            _ => None,
        }
    }

    pub fn as_ability(&self) -> Option<&AbilityDeclaration> {
        match &self.kind {
            DefinitionKind::Ability(ability) => Some(ability),
            _ => None,
        }
    }

    /// The position of a type parameter by its name.
    pub fn type_parameter(&self, name: &str) -> Option<TypeParameterIndex> {
        let position = self
            .type_parameters
            .iter()
            .position(|parameter| &*parameter.name == name)?;
        u16::try_from(position).ok().map(TypeParameterIndex)
    }
}

impl TypeKind {
    pub fn fields(&self) -> Option<&[Field]> {
        match self {
            Self::Record { fields, .. } | Self::Opaque { fields, .. } => Some(fields),
            _ => None,
        }
    }

    pub fn variants(&self) -> Option<&[Variant]> {
        match self {
            Self::Sum { variants, .. } => Some(variants),
            _ => None,
        }
    }

    /// Some construction of it can violate a condition.
    pub fn is_refined(&self) -> bool {
        let any = |fields: &[Field]| fields.iter().any(|field| field.refined);
        match self {
            Self::Opaque { fields, .. } | Self::Record { fields, .. } => any(fields),
            Self::Sum { variants, .. } => variants.iter().any(|variant| any(&variant.fields)),
            Self::Subtype { refined, .. } => *refined,
        }
    }

    pub fn derives(&self) -> &[Derive] {
        match self {
            Self::Record { derives, .. } | Self::Sum { derives, .. } | Self::Opaque { derives, .. } => {
                derives
            }
            _ => &[],
        }
    }
}
