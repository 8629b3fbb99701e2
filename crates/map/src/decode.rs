//! What every decoder of this crate shares: refusing, and reading lists.

use std::sync::Arc;

use store::{
    Hash, Kind, Objects,
    cbor::{self, Decoder},
};

/// A refusal at `offset` of what is being decoded.
pub(crate) fn refuse<T>(offset: usize, expected: &'static str, found: impl Into<String>) -> cbor::Result<T> {
    Err(cbor::Error {
        offset,
        expected,
        found: found.into(),
    })
}

/// Decodes the whole of `bytes` as an object of `kind`.
pub(crate) fn object<'a, T>(
    kind: Kind,
    key: Option<Hash>,
    bytes: &'a [u8],
    decode: impl FnOnce(&mut Decoder<'a>) -> cbor::Result<T>,
) -> Result<T, store::Error> {
    let mut decoder = Decoder::new(bytes);
    decode(&mut decoder)
        .and_then(|value| decoder.end().map(|()| value))
        .map_err(|source| store::Error::Malformed { kind, key, source })
}

/// An array whose items `item` reads.
pub(crate) fn list<'a, T>(
    decoder: &mut Decoder<'a>,
    mut item: impl FnMut(&mut Decoder<'a>) -> cbor::Result<T>,
) -> cbor::Result<Vec<T>> {
    let len = decoder.array()?;
    // A length is at most the bytes that are left, yet an item in memory may be
    // many times larger than its byte, so large claims are not allocated for.
    let mut items = Vec::with_capacity(len.min(1024));
    for _ in 0..len {
        items.push(item(decoder)?);
    }
    Ok(items)
}

/// As [`list`], refusing items that do not strictly ascend.
pub(crate) fn ascending<'a, T: PartialOrd>(
    decoder: &mut Decoder<'a>,
    mut item: impl FnMut(&mut Decoder<'a>) -> cbor::Result<T>,
) -> cbor::Result<Vec<T>> {
    let len = decoder.array()?;
    let mut items: Vec<T> = Vec::with_capacity(len.min(1024));
    for _ in 0..len {
        let start = decoder.offset();
        let next = item(decoder)?;
        if items.last().is_some_and(|last| *last >= next) {
            return refuse(
                start,
                "items in ascending order",
                "one that is not above the last",
            );
        }
        items.push(next);
    }
    Ok(items)
}

/// A hash in full.
pub(crate) fn hash(decoder: &mut Decoder<'_>) -> cbor::Result<Hash> {
    decoder.bytes_of::<32>().map(Hash)
}

/// The identity bytes under a key that another object names.
pub fn fetch(objects: &dyn Objects, kind: Kind, key: &Hash) -> Result<Arc<[u8]>, store::Error> {
    match objects.get(kind, key)? {
        Some(object) => Ok(object.identity),
        None => Err(store::Error::Missing { kind, key: *key }),
    }
}
