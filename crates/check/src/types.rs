//! Types as the checker compares them.

use std::sync::Arc;

use crate::program::DefId;

/// A type. Named types of the prelude (`Integer`, `List of …`) are like all others; the
/// well-known ones are found through [`crate::Prelude`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Named {
        definition: DefId,
        arguments: Arc<[Type]>,
    },
    Maybe(Arc<Type>),
    Function(Arc<FunctionType>),
    /// A type parameter of the definition at hand: its position among the parameters that
    /// are in scope there. A method of a generic implementation, like an ability's method,
    /// counts those of the implementation or ability first, then its own.
    Parameter(TypeParameterIndex),
    /// `Self` inside an ability's declaration.
    SelfType,
    /// A type not yet known, of one body's inference; never part of a declaration.
    Variable(u32),
    /// The type of a way out (`fail`, `return`, `crash`, …): fits every type.
    Never,
    /// What a call without a result gives.
    NoValue,
    /// An error was reported; fits everything, so that one fault is told once.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeParameterIndex(pub u16);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub parameters: Vec<Type>,
    pub returns: Option<Type>,
    pub fails: Vec<Type>,
    pub needs: Vec<Capability>,
}

/// A capability as spelled in a `needs` list.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Capability {
    /// `filesystem.read`
    pub path: Arc<str>,
    pub scope: Option<Arc<str>>,
}

/// An ability with its arguments: `Iterable of Text`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AbilityReference {
    pub ability: DefId,
    pub arguments: Vec<Type>,
}

impl Type {
    pub fn named(definition: DefId) -> Self {
        Self::Named {
            definition,
            arguments: Arc::new([]),
        }
    }

    pub fn generic(definition: DefId, arguments: impl Into<Arc<[Type]>>) -> Self {
        Self::Named {
            definition,
            arguments: arguments.into(),
        }
    }

    pub fn maybe(inner: Type) -> Self {
        Self::Maybe(Arc::new(inner))
    }

    /// The definition of a named type.
    pub fn head(&self) -> Option<DefId> {
        match self {
            Self::Named { definition, .. } => Some(*definition),
            _ => None,
        }
    }

    /// The type with each parameter replaced by the argument at its position and `Self` by
    /// `self_type`; parameters past the arguments stay.
    pub fn substitute(&self, arguments: &[Type], self_type: Option<&Type>) -> Type {
        self.map(&mut |leaf| match leaf {
            Type::Parameter(index) => arguments.get(usize::from(index.0)).cloned(),
            Type::SelfType => self_type.cloned(),
            _ => None,
        })
    }

    /// The type with every part for which `replace` gives something replaced, outermost
    /// first. Types are no deeper than the source that spelled them, which the parser
    /// limits, or than what inference has built, which it limits itself.
    pub fn map(&self, replace: &mut impl FnMut(&Type) -> Option<Type>) -> Type {
        if let Some(replaced) = replace(self) {
            return replaced;
        }
        match self {
            Self::Named {
                definition,
                arguments,
            } if !arguments.is_empty() => Self::Named {
                definition: *definition,
                arguments: arguments.iter().map(|part| part.map(replace)).collect(),
            },
            Self::Maybe(inner) => Self::Maybe(Arc::new(inner.map(replace))),
            Self::Function(function) => Self::Function(Arc::new(FunctionType {
                parameters: function.parameters.iter().map(|part| part.map(replace)).collect(),
                returns: function.returns.as_ref().map(|part| part.map(replace)),
                fails: function.fails.iter().map(|part| part.map(replace)).collect(),
                needs: function.needs.clone(),
            })),
            _ => self.clone(),
        }
    }
}

impl Capability {
    /// The capability that `needs` spells as this text, as a library declares it.
    pub fn of(path: &str) -> Self {
        Self {
            path: path.into(),
            scope: None,
        }
    }

    /// Its path is that of the other, or leads to it.
    pub fn covers_path(&self, other: &Self) -> bool {
        other
            .path
            .strip_prefix(&*self.path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// What is declared with `self` may use `other` (6.2), scopes compared.
    pub fn covers(&self, other: &Self) -> bool {
        self.covers_path(other)
            && match (&self.scope, &other.scope) {
                (None, _) => true,
                (Some(wide), Some(narrow)) if self.path.starts_with("filesystem") => {
                    let wide = wide.trim_end_matches('/');
                    narrow
                        .strip_prefix(wide)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                }
                (Some(wide), Some(narrow)) => wide == narrow,
                (Some(_), None) => false,
            }
    }

    /// `path` or `path("scope")`, as effect lists spell it.
    pub fn spelling(&self) -> String {
        match &self.scope {
            Some(scope) => format!("{}(\"{}\")", self.path, escaped(scope)),
            None => self.path.to_string(),
        }
    }
}

/// A text's characters as a text literal writes them.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '{' => out.push_str("\\{"),
            other => out.push(other),
        }
    }
    out
}
