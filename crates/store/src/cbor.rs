//! Canonical CBOR: the one byte string per value that objects are made of
//! (RFC 8949 section 4.2.1, deterministic encoding; store-format/cbor.md).
//!
//! The subset: unsigned integers, byte strings, text strings, arrays, `true`,
//! `false` and `null`. Lengths are definite, integers and lengths are of the
//! shortest form. The decoder refuses everything else, so decoding and encoding
//! again gives the same bytes, and a hash of bytes is a hash of a value.
//!
//! Maps are left out: every object is an array whose shape its kind and format
//! version fix, so no key needs sorting and no key can be there twice.

use std::fmt;

use ciborium_ll::{Encoder as Low, Header, simple};

/// Arrays nested deeper than this are refused.
pub const MAX_DEPTH: usize = 64;

/// Appends canonical CBOR to a byte vector.
#[derive(Debug, Default, Clone)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
        }
    }

    fn push(&mut self, header: Header) -> &mut Self {
        Low::from(&mut self.bytes)
            .push(header)
            .expect("writing to a vector cannot fail");
        self
    }

    /// Starts an array: the caller then writes exactly `len` items.
    pub fn array(&mut self, len: usize) -> &mut Self {
        self.push(Header::Array(Some(len)))
    }

    pub fn uint(&mut self, value: u64) -> &mut Self {
        // One-byte values are most of what is written.
        if value < 24 {
            self.bytes.push(value as u8);
            return self;
        }
        self.push(Header::Positive(value))
    }

    pub fn text(&mut self, value: &str) -> &mut Self {
        self.push(Header::Text(Some(value.len())));
        self.bytes.extend_from_slice(value.as_bytes());
        self
    }

    pub fn byte_string(&mut self, value: &[u8]) -> &mut Self {
        self.push(Header::Bytes(Some(value.len())));
        self.bytes.extend_from_slice(value);
        self
    }

    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.push(Header::Simple(if value { simple::TRUE } else { simple::FALSE }))
    }

    pub fn null(&mut self) -> &mut Self {
        self.push(Header::Simple(simple::NULL))
    }

    /// Appends bytes that are already one or more canonical items.
    pub fn raw(&mut self, items: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(items);
        self
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Why bytes are not the canonical CBOR that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Offset of the item in the decoded bytes.
    pub offset: usize,
    pub expected: &'static str,
    pub found: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "byte {}: expected {}, found {}",
            self.offset, self.expected, self.found
        )
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// Reads canonical CBOR from a slice, borrowing texts and byte strings.
#[derive(Debug, Clone)]
pub struct Decoder<'a> {
    bytes: &'a [u8],
    offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Major {
    Uint,
    Bytes,
    Text,
    Array,
    Simple,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn is_at_end(&self) -> bool {
        self.offset == self.bytes.len()
    }

    fn error<T>(&self, expected: &'static str, found: impl Into<String>) -> Result<T> {
        Err(Error {
            offset: self.offset,
            expected,
            found: found.into(),
        })
    }

    /// The head of the next item: its major type, its argument and its length.
    fn head(&self, expected: &'static str) -> Result<(Major, u64, usize)> {
        let rest = &self.bytes[self.offset..];
        let Some(&first) = rest.first() else {
            return self.error(expected, "the end");
        };
        let major = match first >> 5 {
            0 => Major::Uint,
            2 => Major::Bytes,
            3 => Major::Text,
            4 => Major::Array,
            7 => Major::Simple,
            _ => {
                return self.error(expected, format!("item 0x{first:02x}, of a type never written"));
            }
        };
        let (argument, size) = match first & 0x1f {
            small @ 0..=23 => (u64::from(small), 1),
            wide @ 24..=27 => {
                let width = 1usize << (wide - 24);
                let Some(tail) = rest.get(1..1 + width) else {
                    return self.error(expected, "the end inside a length");
                };
                let value = tail
                    .iter()
                    .fold(0u64, |value, &byte| value << 8 | u64::from(byte));
                let shortest = match wide {
                    24 => value >= 24,
                    25 => value > 0xff,
                    26 => value > 0xffff,
                    _ => value > 0xffff_ffff,
                };
                if !shortest {
                    return self.error(expected, "an integer that has a shorter form");
                }
                (value, 1 + width)
            }
            _ => return self.error(expected, "an indefinite length"),
        };
        Ok((major, argument, size))
    }

    fn expect(&mut self, major: Major, expected: &'static str) -> Result<u64> {
        let (found, argument, size) = self.head(expected)?;
        if found != major {
            return self.error(expected, format!("{found:?}").to_lowercase());
        }
        self.offset += size;
        Ok(argument)
    }

    /// The number of items of the array that starts here. Never more than the
    /// bytes that are left, so it is safe to allocate for.
    pub fn array(&mut self) -> Result<usize> {
        let start = self.offset;
        let len = self.expect(Major::Array, "an array")?;
        let left = self.bytes.len() - self.offset;
        if len > left as u64 {
            self.offset = start;
            return self.error("an array that fits", format!("{len} items in {left} bytes"));
        }
        Ok(len as usize)
    }

    /// An array of exactly `len` items.
    pub fn array_of(&mut self, len: usize) -> Result<()> {
        let start = self.offset;
        let found = self.array()?;
        if found != len {
            self.offset = start;
            return self.error(
                "an array of the kind's length",
                format!("{found} items, not {len}"),
            );
        }
        Ok(())
    }

    pub fn uint(&mut self) -> Result<u64> {
        self.expect(Major::Uint, "an unsigned integer")
    }

    pub fn u32(&mut self) -> Result<u32> {
        let start = self.offset;
        let value = self.uint()?;
        u32::try_from(value).or_else(|_| {
            self.offset = start;
            self.error("an integer below 2^32", value.to_string())
        })
    }

    pub fn byte_string(&mut self) -> Result<&'a [u8]> {
        let len = self.expect(Major::Bytes, "a byte string")?;
        self.take(len)
    }

    /// A byte string of exactly `N` bytes.
    pub fn bytes_of<const N: usize>(&mut self) -> Result<[u8; N]> {
        let start = self.offset;
        let found = self.byte_string()?;
        found.try_into().or_else(|_| {
            let len = found.len();
            self.offset = start;
            self.error(
                "a byte string of a hash's length",
                format!("{len} bytes, not {N}"),
            )
        })
    }

    pub fn text(&mut self) -> Result<&'a str> {
        let start = self.offset;
        let len = self.expect(Major::Text, "a text")?;
        let bytes = self.take(len)?;
        std::str::from_utf8(bytes).or_else(|_| {
            self.offset = start;
            self.error("a text", "bytes that are not UTF-8")
        })
    }

    pub fn bool(&mut self) -> Result<bool> {
        let start = self.offset;
        match self.expect(Major::Simple, "true or false")? {
            20 => Ok(false),
            21 => Ok(true),
            other => {
                self.offset = start;
                self.error("true or false", format!("simple value {other}"))
            }
        }
    }

    /// Consumes a null if one is next.
    pub fn null(&mut self) -> Result<bool> {
        let (major, argument, size) = self.head("an item")?;
        let is_null = major == Major::Simple && argument == 22 && size == 1;
        if is_null {
            self.offset += size;
        }
        Ok(is_null)
    }

    pub fn next_is_text(&self) -> bool {
        matches!(self.head("an item"), Ok((Major::Text, ..)))
    }

    pub fn next_is_uint(&self) -> bool {
        matches!(self.head("an item"), Ok((Major::Uint, ..)))
    }

    pub fn next_is_array(&self) -> bool {
        matches!(self.head("an item"), Ok((Major::Array, ..)))
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8]> {
        let left = self.bytes.len() - self.offset;
        if len > left as u64 {
            return self.error("a string that fits", format!("{len} bytes where {left} are left"));
        }
        let start = self.offset;
        self.offset += len as usize;
        Ok(&self.bytes[start..self.offset])
    }

    /// Steps over one item of any shape.
    pub fn skip(&mut self) -> Result<()> {
        self.skip_at(0)
    }

    fn skip_at(&mut self, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return self.error("arrays at most 64 deep", "a deeper one");
        }
        let (major, argument, size) = self.head("an item")?;
        match major {
            Major::Uint => self.offset += size,
            Major::Bytes => {
                self.byte_string()?;
            }
            Major::Text => {
                self.text()?;
            }
            Major::Array => {
                let len = self.array()?;
                for _ in 0..len {
                    self.skip_at(depth + 1)?;
                }
            }
            Major::Simple => {
                if size != 1 || !(20..=22).contains(&argument) {
                    return self.error("true, false or null", format!("simple value {argument}"));
                }
                self.offset += size;
            }
        }
        Ok(())
    }

    /// Succeeds if nothing is left.
    pub fn end(&self) -> Result<()> {
        if self.is_at_end() {
            return Ok(());
        }
        let left = self.bytes.len() - self.offset;
        self.error("the end", format!("{left} more bytes"))
    }
}

/// Checks that `bytes` are exactly one canonical item.
pub fn validate(bytes: &[u8]) -> Result<()> {
    let mut decoder = Decoder::new(bytes);
    decoder.skip()?;
    decoder.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> String {
        validate(bytes)
            .expect_err("these bytes are not canonical")
            .to_string()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut encoder = Encoder::new();
        encoder
            .array(7)
            .uint(0)
            .uint(24)
            .uint(u64::MAX)
            .text("é")
            .byte_string(&[1, 2])
            .bool(true)
            .null();
        let bytes = encoder.into_bytes();
        validate(&bytes).expect("canonical");
        let mut decoder = Decoder::new(&bytes);
        decoder.array_of(7).expect("array");
        assert_eq!(decoder.uint(), Ok(0));
        assert_eq!(decoder.uint(), Ok(24));
        assert_eq!(decoder.uint(), Ok(u64::MAX));
        assert_eq!(decoder.text(), Ok("é"));
        assert_eq!(decoder.bytes_of(), Ok([1, 2]));
        assert_eq!(decoder.bool(), Ok(true));
        assert_eq!(decoder.null(), Ok(true));
        decoder.end().expect("all was read");
    }

    #[test]
    fn other_forms_of_a_value_are_refused() {
        assert!(refused(&[0x18, 0x17]).contains("shorter form"), "23 in two bytes");
        assert!(refused(&[0x9f, 0xff]).contains("indefinite"));
        assert!(refused(&[0xa0]).contains("never written"), "a map");
        assert!(refused(&[0x20]).contains("never written"), "a negative integer");
        assert!(refused(&[0x61, 0xff]).contains("not UTF-8"));
        assert!(refused(&[0x00, 0x00]).contains("1 more bytes"));
        assert!(refused(&[]).contains("the end"));
        assert!(refused(&[0xf9, 0x3c, 0x00]).contains("simple value"), "a float");
        assert!(
            refused(&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).contains("items in 0 bytes")
        );
        assert!(refused(&[0x81; 1000]).contains("deeper"));
    }
}
