//! What a definition is, apart from what it is called (store-format/map.md).
//!
//! A definition's canonical text (`text`) is an ordered list of tokens with its
//! own name and its references blank. A graph (`graph`) says where each
//! reference leads. [`identify`] finds the strongly connected components of the
//! graph, orders the members of each (`order`) and describes each in full
//! (`component`); the hash of that description and a member's place in it are
//! the member's id.
//!
//! The law: two definitions share an id exactly when they unfold alike, where
//! the unfolding also says of each reference whether it stays in the component.

mod component;
mod graph;
mod order;
mod resolve;
mod text;

use std::{fmt, str::FromStr};

use store::Hash;

pub use component::{Component, Member, Reference};
pub use graph::{Graph, Target};
pub use resolve::{Identified, IdentifiedComponent, identify};
pub use text::{CanonicalText, FinishedText, TextBuilder, TextRef, Token, TokenRef, Tokens};

/// The identity of a definition: a component and a place among its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId {
    pub component: Hash,
    pub rank: u32,
}

impl DefinitionId {
    pub fn new(component: Hash, rank: u32) -> Self {
        Self { component, rank }
    }
}

/// `b3:` and 64 digits; `#rank` follows unless the rank is 0. So the first
/// member of a component is written as a lone definition is: their ids cannot
/// be confused, since the hash says which component it is.
impl fmt::Display for DefinitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b3:{}", self.component)?;
        if self.rank > 0 {
            write!(f, "#{}", self.rank)?;
        }
        Ok(())
    }
}

/// A text that is not the display of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnId(pub String);

impl fmt::Display for NotAnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not an id (b3:<64 hexadecimal digits>, or with #<rank>)",
            self.0
        )
    }
}

impl std::error::Error for NotAnId {}

/// Reads what is displayed, and `#0` too.
impl FromStr for DefinitionId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let parse = || {
            let digits = text.strip_prefix("b3:")?;
            let (hash, rank) = digits.split_once('#').unwrap_or((digits, "0"));
            let plain =
                rank.bytes().all(|byte| byte.is_ascii_digit()) && (rank == "0" || !rank.starts_with('0'));
            let rank = rank.parse().ok().filter(|_| plain)?;
            Some(Self::new(hash.parse().ok()?, rank))
        };
        parse().ok_or_else(|| NotAnId(text.to_owned()))
    }
}

/// What sort of thing a definition is. The number is what objects hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DefinitionKind {
    Function = 1,
    Method = 2,
    Type = 3,
    /// A trait, interface, protocol or ability.
    Ability = 4,
    /// An implementation of an ability for a type.
    Implementation = 5,
    Constant = 6,
    Test = 7,
    /// The top-level statements of a module.
    Module = 8,
    Macro = 9,
}

impl DefinitionKind {
    pub const ALL: [DefinitionKind; 9] = [
        DefinitionKind::Function,
        DefinitionKind::Method,
        DefinitionKind::Type,
        DefinitionKind::Ability,
        DefinitionKind::Implementation,
        DefinitionKind::Constant,
        DefinitionKind::Test,
        DefinitionKind::Module,
        DefinitionKind::Macro,
    ];

    /// The word people see.
    pub fn name(self) -> &'static str {
        match self {
            DefinitionKind::Function => "function",
            DefinitionKind::Method => "method",
            DefinitionKind::Type => "type",
            DefinitionKind::Ability => "ability",
            DefinitionKind::Implementation => "implementation",
            DefinitionKind::Constant => "constant",
            DefinitionKind::Test => "test",
            DefinitionKind::Module => "module",
            DefinitionKind::Macro => "macro",
        }
    }

    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u64 == number)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) fn decode(decoder: &mut store::cbor::Decoder<'_>) -> store::cbor::Result<Self> {
        let start = decoder.offset();
        let number = decoder.uint()?;
        match Self::from_number(number) {
            Some(kind) => Ok(kind),
            None => crate::decode::refuse(start, "the number of a kind of definition", number.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_print_and_parse() {
        for rank in [0, 1, u32::MAX] {
            let id = DefinitionId::new(Hash([0xab; 32]), rank);
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        let id = DefinitionId::new(Hash([7; 32]), 0);
        assert_eq!(format!("{id}#0").parse(), Ok(id));
        for wrong in ["", "b3:", "b3:12", "#1", "b3:é"] {
            assert!(wrong.parse::<DefinitionId>().is_err(), "{wrong}");
        }
        for suffix in ["#", "#01", "#+1", "#-1", "#4294967296", "#1#1"] {
            assert!(
                format!("{id}{suffix}").parse::<DefinitionId>().is_err(),
                "{suffix}"
            );
        }
    }

    #[test]
    fn kinds_lead_back() {
        for kind in DefinitionKind::ALL {
            assert_eq!(DefinitionKind::from_number(kind as u64), Some(kind));
            assert_eq!(DefinitionKind::from_name(kind.name()), Some(kind));
        }
    }
}
