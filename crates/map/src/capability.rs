//! What code can reach outside itself: files, network, processes and the like.
//!
//! Numbers are what objects hold, and are only ever added to. A set keeps the
//! numbers of newer versions that it cannot name, so that reading and writing
//! again loses nothing.

use std::fmt;

use store::cbor::{self, Decoder, Encoder};

use crate::decode::refuse;

/// Something outside the program that a call reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Capability {
    FilesystemRead = 1,
    FilesystemWrite = 2,
    NetworkHttp = 3,
    NetworkSocket = 4,
    Process = 5,
    Environment = 6,
    Time = 7,
    Random = 8,
    Console = 9,
    Foreign = 10,
}

impl Capability {
    pub const ALL: [Capability; 10] = [
        Capability::FilesystemRead,
        Capability::FilesystemWrite,
        Capability::NetworkHttp,
        Capability::NetworkSocket,
        Capability::Process,
        Capability::Environment,
        Capability::Time,
        Capability::Random,
        Capability::Console,
        Capability::Foreign,
    ];

    /// The word people see and write.
    pub fn name(self) -> &'static str {
        match self {
            Capability::FilesystemRead => "filesystem.read",
            Capability::FilesystemWrite => "filesystem.write",
            Capability::NetworkHttp => "network.http",
            Capability::NetworkSocket => "network.socket",
            Capability::Process => "process",
            Capability::Environment => "environment",
            Capability::Time => "time",
            Capability::Random => "random",
            Capability::Console => "console",
            Capability::Foreign => "foreign",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|capability| capability.name() == name)
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|&capability| capability as u8 == number)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of capabilities, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Capabilities(u64);

impl Capabilities {
    pub const EMPTY: Capabilities = Capabilities(0);
    /// Numbers above this do not fit a set and are refused.
    pub const MAX_NUMBER: u8 = 63;

    pub fn insert(&mut self, capability: Capability) {
        self.0 |= 1 << (capability as u8);
    }

    pub fn contains(self, capability: Capability) -> bool {
        self.0 >> (capability as u8) & 1 == 1
    }

    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is here and not in `other`.
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The numbers in the set, ascending, those without a name here included.
    pub fn numbers(self) -> impl Iterator<Item = u8> {
        (1..=Self::MAX_NUMBER).filter(move |&number| self.0 >> number & 1 == 1)
    }

    /// The capabilities that have a name here, by number.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        self.numbers().filter_map(Capability::from_number)
    }

    pub(crate) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Writes the numbers without the head of their array.
    pub(crate) fn encode_items(self, encoder: &mut Encoder) {
        for number in self.numbers() {
            encoder.uint(u64::from(number));
        }
    }

    /// Adds the number that comes next, which must be above all in the set.
    pub(crate) fn decode_item(&mut self, decoder: &mut Decoder<'_>) -> cbor::Result<()> {
        let start = decoder.offset();
        let number = decoder.uint()?;
        if number == 0 || number > u64::from(Self::MAX_NUMBER) {
            return refuse(start, "the number of a capability", number.to_string());
        }
        if self.0 >> number != 0 {
            return refuse(start, "ascending numbers of capabilities", number.to_string());
        }
        self.0 |= 1 << number;
        Ok(())
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        let mut set = Self::EMPTY;
        for capability in capabilities {
            set.insert(capability);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back() {
        for capability in Capability::ALL {
            assert_eq!(Capability::from_name(capability.name()), Some(capability));
            assert_eq!(Capability::from_number(capability as u8), Some(capability));
        }
        let all: Capabilities = Capability::ALL.into_iter().collect();
        assert_eq!(all.iter().count(), Capability::ALL.len());
        assert!(!Capabilities::EMPTY.contains(Capability::Time));
    }
}
