//! Names that are near to one that was not found.

/// The candidate that differs in the fewest letters, if they are few for its length; the first
/// of those that differ in as many.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wanted.chars().count() / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len().abs_diff(wanted.len()) > limit || candidate == wanted {
            continue;
        }
        let distance = edit_distance(wanted, candidate);
        if distance <= limit && best.is_none_or(|(least, name)| (distance, candidate) < (least, name)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Insertions, deletions and replacements of one letter, and swaps of neighbours.
fn edit_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut two_before: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = (0..=right.len()).collect();
    for row in 1..=left.len() {
        let mut current = vec![row; right.len() + 1];
        for column in 1..=right.len() {
            let changed = usize::from(left[row - 1] != right[column - 1]);
            let mut least = (before[column - 1] + changed)
                .min(before[column] + 1)
                .min(current[column - 1] + 1);
            if row > 1
                && column > 1
                && left[row - 1] == right[column - 2]
                && left[row - 2] == right[column - 1]
            {
                least = least.min(two_before[column - 2] + 1);
            }
            current[column] = least;
        }
        two_before = std::mem::replace(&mut before, current);
    }
    before[right.len()]
}

/// The text with `an` for `a` before a quoted name that begins with a vowel.
pub fn with_articles(text: String) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut rest = text.as_str();
    while let Some(at) = rest.find("a `") {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let word = before.is_empty() || before.ends_with(' ');
        let vowel = after[3..].starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']);
        out.push_str(if word && vowel { "an `" } else { "a `" });
        rest = &after[3..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = ["length", "largest", "last"];
        assert_eq!(nearest("lenght", names), Some("length"));
        assert_eq!(nearest("lasr", names), Some("last"));
        assert_eq!(nearest("is_empty", names), None);
        assert_eq!(nearest("id", ["it", "is"]), Some("is"));
    }

    #[test]
    fn articles_fit() {
        let text = "a `Text`, a `Integer`: extra `Item`, an `Order`, a `maybe Order`";
        let expected = "a `Text`, an `Integer`: extra `Item`, an `Order`, a `maybe Order`";
        assert_eq!(with_articles(text.to_owned()), expected);
    }
}
