//! One spelling for literals of equal value.

use std::{borrow::Cow, fmt::Write as _};

/// A string or rune literal, quotes included, by its content: between `quote`s,
/// with escapes only where the content cannot stand for itself.
pub(super) fn quoted(literal: &str, quote: char) -> String {
    let mut out = String::with_capacity(literal.len());
    out.push(quote);
    if let Some(raw) = literal.strip_prefix('`') {
        for c in raw.strip_suffix('`').unwrap_or(raw).chars() {
            // The language discards carriage returns in raw strings.
            if c != '\r' {
                push(&mut out, c, quote);
            }
        }
    } else {
        let inner = literal.strip_prefix(quote).unwrap_or(literal);
        let inner = inner.strip_suffix(quote).unwrap_or(inner);
        unescape(&mut out, inner, quote);
    }
    out.push(quote);
    out
}

fn unescape(out: &mut String, inner: &str, quote: char) {
    let mut bytes = Vec::new();
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            flush(out, &mut bytes, quote);
            push(out, c, quote);
            continue;
        }
        let Some(escape) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let (digits, radix, skip) = match escape {
            'x' => (2, 16, 1),
            'u' => (4, 16, 1),
            'U' => (8, 16, 1),
            '0'..='7' => (3, 8, 0),
            _ => (0, 10, 0),
        };
        let number = rest
            .get(skip..skip + digits)
            .filter(|text| digits > 0 && text.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, radix).ok());
        match number {
            // Of a string, a byte; of a rune, the code point itself.
            Some(number) if matches!(escape, 'x' | '0'..='7') && quote == '"' && number < 256 => {
                bytes.push(number as u8);
                rest = &rest[skip + digits..];
            }
            Some(number) if char::from_u32(number).is_some() => {
                flush(out, &mut bytes, quote);
                push(out, char::from_u32(number).unwrap_or('\u{fffd}'), quote);
                rest = &rest[skip + digits..];
            }
            _ => {
                flush(out, &mut bytes, quote);
                let plain = match escape {
                    'a' => '\x07',
                    'b' => '\x08',
                    'f' => '\x0c',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\x0b',
                    '\\' | '\'' | '"' => escape,
                    // Not an escape of the language: kept as written.
                    _ => {
                        out.push('\\');
                        continue;
                    }
                };
                push(out, plain, quote);
                rest = &rest[escape.len_utf8()..];
            }
        }
    }
    flush(out, &mut bytes, quote);
}

/// Writes bytes given by escapes: as text where they are UTF-8.
fn flush(out: &mut String, bytes: &mut Vec<u8>, quote: char) {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            push(out, c, quote);
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    bytes.clear();
}

fn push(out: &mut String, c: char, quote: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\\' => out.push_str("\\\\"),
        c if c == quote => {
            out.push('\\');
            out.push(c);
        }
        c if (c as u32) < 0x20 || c as u32 == 0x7f => {
            let _ = write!(out, "\\x{:02x}", c as u32);
        }
        c => out.push(c),
    }
}

/// Whether a literal is its own canonical spelling, seen at a glance.
pub(super) fn is_plain(literal: &str, quote: u8) -> bool {
    let bytes = literal.as_bytes();
    bytes.len() >= 2
        && bytes[0] == quote
        && bytes[bytes.len() - 1] == quote
        && bytes[1..bytes.len() - 1]
            .iter()
            .all(|&b| b >= 0x20 && b != b'\\' && b != quote && b != 0x7f)
}

/// A number in lower case, an imaginary one without leading zeros.
pub(super) fn number(literal: &str) -> Cow<'_, str> {
    if literal.bytes().all(|b| b.is_ascii_digit()) {
        return Cow::Borrowed(literal);
    }
    let mut number = literal.to_ascii_lowercase();
    if number.ends_with('i')
        && number
            .bytes()
            .rev()
            .skip(1)
            .all(|b| b.is_ascii_digit() || b == b'_')
    {
        let trimmed = number.trim_start_matches(['0', '_']);
        number = if trimmed == "i" {
            "0i".to_owned()
        } else {
            trimmed.to_owned()
        };
    }
    Cow::Owned(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_have_one_spelling() {
        assert_eq!(quoted("`a\r\n\"b`", '"'), quoted(r#""a\n\"b""#, '"'));
        assert_eq!(quoted(r#""\x41\u0042\103""#, '"'), "\"ABC\"");
        assert_eq!(quoted(r#""\xe2\x82\xac""#, '"'), "\"€\"");
        assert_eq!(quoted(r#""\xff""#, '"'), "\"\\xff\"");
        assert_ne!(quoted(r#""\xff""#, '"'), quoted("`\\xff`", '"'));
        assert_eq!(quoted(r"'\x41'", '\''), "'A'");
        assert_eq!(quoted(r"'\''", '\''), r"'\''");
        assert_eq!(quoted(r"'\xff'", '\''), "'ÿ'");
        assert_eq!(quoted("\"\\", '"'), "\"\\\"");
        assert_eq!(quoted("\"\\x€", '"'), "\"\\x€\"");
    }

    #[test]
    fn numbers_are_in_lower_case() {
        assert_eq!(number("0XFFp-2"), "0xffp-2");
        assert_eq!(number("0123i"), "123i");
        assert_eq!(number("0i"), "0i");
        assert_eq!(number("0X1I"), "0x1i");
    }
}
