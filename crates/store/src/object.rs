//! Objects: immutable bytes under the hash of those bytes (store-format/objects.md).
//!
//! The key of an object is BLAKE3 in its key-derivation mode over the identity
//! bytes, with a context string that names the object's kind and the version of
//! that kind. So no two kinds, and no two versions of a kind, share a key, and a
//! store can check any object without knowing what it means.
//!
//! A component object carries a record after its identity: a projection that is
//! cached, covered by its own checksum, and never evidence of anything.

use std::{cell::RefCell, collections::BTreeMap, fmt, str::FromStr, sync::Arc};

/// A BLAKE3-256 hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 hexadecimal digits, in lower case.
    pub fn to_hex(&self) -> String {
        let mut hex = String::with_capacity(64);
        for byte in self.0 {
            for digit in [byte >> 4, byte & 15] {
                hex.push(char::from_digit(u32::from(digit), 16).expect("a digit below 16"));
            }
        }
        hex
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", &self.to_hex()[..12])
    }
}

/// A text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAHash(pub String);

impl fmt::Display for NotAHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a hash of 64 hexadecimal digits", self.0)
    }
}

impl std::error::Error for NotAHash {}

impl FromStr for Hash {
    type Err = NotAHash;

    fn from_str(hex: &str) -> Result<Self, NotAHash> {
        let digits: Option<Vec<u8>> = hex.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        match digits {
            Some(digits) if digits.len() == 64 => {
                let mut bytes = [0; 32];
                for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
                    *byte = pair[0] << 4 | pair[1];
                }
                Ok(Self(bytes))
            }
            _ => Err(NotAHash(hex.to_owned())),
        }
    }
}

/// What an object is. The number is what packs write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The bytes of a source file.
    Source = 1,
    /// The canonical text of a definition, names and references blank.
    Text = 2,
    /// A strongly connected component of definitions.
    Component = 3,
    /// A leaf of a map: the entries of one module, or a run of them.
    Module = 4,
    /// An inner node of a map's tree over modules.
    Tree = 5,
    /// The root of a map.
    Map = 6,
    /// The names that point into the store.
    View = 7,
    /// A change of the view.
    Operation = 8,
}

impl Kind {
    pub const ALL: [Kind; 8] = [
        Kind::Source,
        Kind::Text,
        Kind::Component,
        Kind::Module,
        Kind::Tree,
        Kind::Map,
        Kind::View,
        Kind::Operation,
    ];

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == number)
    }

    /// The word people see.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Source => "source",
            Kind::Text => "text",
            Kind::Component => "component",
            Kind::Module => "module",
            Kind::Tree => "tree",
            Kind::Map => "map",
            Kind::View => "view",
            Kind::Operation => "operation",
        }
    }

    /// The context string of the key derivation: domain tag and version.
    pub fn context(self) -> &'static str {
        match self {
            Kind::Source => "renyi source 1",
            Kind::Text => "renyi text 1",
            Kind::Component => "renyi component 1",
            Kind::Module => "renyi module 1",
            Kind::Tree => "renyi tree 1",
            Kind::Map => "renyi map 1",
            Kind::View => "renyi view 1",
            Kind::Operation => "renyi operation 1",
        }
    }

    /// Whether identity bytes are canonical CBOR (all kinds but sources).
    pub fn is_cbor(self) -> bool {
        self != Kind::Source
    }
}

/// The key of an object of this kind with these identity bytes.
pub fn hash(kind: Kind, identity: &[u8]) -> Hash {
    // Deriving the key of a context costs one compression: worth keeping, since
    // most objects are a few hundred bytes.
    thread_local! {
        static HASHERS: RefCell<[blake3::Hasher; 8]> =
            RefCell::new(Kind::ALL.map(|kind| blake3::Hasher::new_derive_key(kind.context())));
    }
    HASHERS.with_borrow_mut(|hashers| {
        let hasher = &mut hashers[kind as usize - 1];
        hasher.reset();
        hasher.update(identity);
        Hash(*hasher.finalize().as_bytes())
    })
}

/// An object as read: its identity was hashed and its record's checksum compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub kind: Kind,
    pub identity: Arc<[u8]>,
    pub record: Option<Arc<[u8]>>,
}

/// Objects that can be read by key: a store on disk, or a batch in memory.
pub trait Objects {
    /// The object under this key, or `None` if it is not held.
    fn get(&self, kind: Kind, key: &Hash) -> Result<Option<Object>, crate::Error>;

    fn contains(&self, kind: Kind, key: &Hash) -> Result<bool, crate::Error> {
        Ok(self.get(kind, key)?.is_some())
    }
}

/// Objects made and not yet written. Keeps the order of first insertion, which
/// is the order in which a pack lays them out.
#[derive(Debug, Default)]
pub struct Batch {
    objects: Vec<(Hash, Object)>,
    index: BTreeMap<(Kind, Hash), usize>,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an object and says its key; one that is there already stays as it is.
    pub fn put(&mut self, kind: Kind, identity: Vec<u8>, record: Option<Vec<u8>>) -> Hash {
        let key = hash(kind, &identity);
        self.put_hashed(key, kind, identity, record);
        key
    }

    /// As [`Batch::put`], for a caller that has the key; it must be the right one.
    pub fn put_hashed(&mut self, key: Hash, kind: Kind, identity: Vec<u8>, record: Option<Vec<u8>>) {
        debug_assert_eq!(hash(kind, &identity), key, "a key is the hash of its identity");
        if self.index.contains_key(&(kind, key)) {
            return;
        }
        self.index.insert((kind, key), self.objects.len());
        let object = Object {
            kind,
            identity: identity.into(),
            record: record.map(Into::into),
        };
        self.objects.push((key, object));
    }

    /// Adds an object read or made elsewhere, under its key.
    pub fn put_object(&mut self, key: Hash, object: Object) {
        if !self.index.contains_key(&(object.kind, key)) {
            self.index.insert((object.kind, key), self.objects.len());
            self.objects.push((key, object));
        }
    }

    pub fn len(&self) -> usize {
        self.objects.len()
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Hash, &Object)> {
        self.objects.iter().map(|(key, object)| (key, object))
    }
}

impl Objects for Batch {
    fn get(&self, kind: Kind, key: &Hash) -> Result<Option<Object>, crate::Error> {
        Ok(self
            .index
            .get(&(kind, *key))
            .map(|&at| self.objects[at].1.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_do_not_share_keys() {
        let keys: std::collections::BTreeSet<_> = Kind::ALL.iter().map(|&kind| hash(kind, b"\x80")).collect();
        assert_eq!(keys.len(), Kind::ALL.len());
    }

    #[test]
    fn hashes_print_and_parse() {
        let key = hash(Kind::Text, b"\x80");
        assert_eq!(key.to_string().parse(), Ok(key));
        assert!("12".parse::<Hash>().is_err());
        assert!("é".repeat(32).parse::<Hash>().is_err());
    }
}
