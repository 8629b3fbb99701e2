//! One spelling for each literal.

use std::borrow::Cow;

/// A string literal by its content between `"`; quotes inside need no escape.
pub(super) fn string(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    text.push('"');
    push_content(&mut text, content(raw));
    text.push('"');
    text
}

/// What stands between the quotes.
pub(super) fn content(raw: &str) -> &str {
    let Some(quote) = raw
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\'' | '`'))
    else {
        return raw;
    };
    let inner = &raw[1..];
    inner.strip_suffix(quote).unwrap_or(inner)
}

fn push_content(text: &mut String, content: &str) {
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let mut after = rest[at + 1..].chars();
        match after.next() {
            Some(quote @ ('"' | '\'')) => text.push(quote),
            Some(other) => {
                text.push('\\');
                text.push(other);
            }
            None => text.push('\\'),
        }
        rest = after.as_str();
    }
    text.push_str(rest);
}

/// A property's name: bare if it can be.
pub(super) fn property_name(raw: &str) -> String {
    let inner = content(raw);
    if is_name(inner) || is_simple_number(inner) {
        return inner.to_owned();
    }
    string(raw)
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, b'_' | b'$'))
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
}

fn is_simple_number(text: &str) -> bool {
    let mut parts = text.splitn(2, '.');
    parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A number in lower case without what does not count.
pub(super) fn number(raw: &str) -> Cow<'_, str> {
    if raw.bytes().all(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(raw);
    }
    let lower = raw.to_ascii_lowercase();
    let radix = lower.len() > 1 && lower.starts_with('0') && !lower[1..].starts_with(['.', 'e']);
    if radix || lower.ends_with('n') {
        return Cow::Owned(lower);
    }
    let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, ""));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let mut text = String::with_capacity(lower.len() + 1);
    text.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    if !exponent.trim_matches(['0', '-']).is_empty() {
        text.push('e');
        text.push_str(exponent);
    }
    Cow::Owned(text)
}

/// A regular expression with its flags sorted.
pub(super) fn regex(raw: &str) -> String {
    let (pattern, flags) = raw.rsplit_once('/').unwrap_or((raw, ""));
    let mut flags: Vec<char> = flags.chars().collect();
    flags.sort_unstable();
    let mut text = format!("{pattern}/");
    text.extend(flags);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_spelling() {
        for (raw, expected) in [
            ("0XAB", "0xab"),
            ("1.0", "1"),
            ("1.", "1"),
            (".5", "0.5"),
            ("1E+5", "1e5"),
            ("1.50e-07", "1.5e-07"),
            ("10N", "10n"),
            ("100", "100"),
            ("0.0", "0"),
            ("1e00", "1"),
            ("0777", "0777"),
            ("1_000.0", "1_000"),
        ] {
            assert_eq!(number(raw), expected, "{raw}");
        }
    }

    #[test]
    fn strings_have_one_spelling() {
        assert_eq!(string(r#"'it\'s "x"\n\\'"#), string(r#""it's \"x\"\n\\""#));
        assert_ne!(string(r"'\\n'"), string(r"'\n'"));
        assert_eq!(string("'"), "\"\"");
        assert_eq!(property_name("'a-b'"), "\"a-b\"");
        assert_eq!(property_name("'ab'"), "ab");
    }
}
