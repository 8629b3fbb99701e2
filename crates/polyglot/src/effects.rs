//! Capabilities that library names reach: a lower bound on a definition's effects.
//!
//! A table is text, one rule a line: a capability, blanks, a pattern. A pattern
//! is a qualified library name as the linker writes it (`os.remove`,
//! `std::fs::write`, `fs.readFile`); a final `*` matches any ending. `#` starts a
//! comment. The longest matching pattern counts; several rules may give the same
//! pattern several capabilities; `none` takes a name out of a wider pattern.

use std::collections::HashMap;

pub use map::{Capabilities, Capability};

/// A parsed table.
#[derive(Debug, Default)]
pub struct EffectTable {
    exact: HashMap<String, Capabilities>,
    /// Patterns that end in `*`, without it.
    prefix: HashMap<String, Capabilities>,
    longest_prefix: usize,
}

impl EffectTable {
    /// Parses a table.
    ///
    /// # Errors
    /// The number of the first line that is not a rule, and what is wrong with it.
    pub fn parse(table: &str) -> Result<Self, (usize, String)> {
        let mut parsed = Self::default();
        for (at, line) in table.lines().enumerate() {
            let rule = line.split('#').next().unwrap_or("").trim();
            if rule.is_empty() {
                continue;
            }
            let (capability, pattern) = rule
                .split_once(char::is_whitespace)
                .ok_or_else(|| (at + 1, format!("expected `capability pattern`, found `{rule}`")))?;
            let mut capabilities = Capabilities::default();
            if capability != "none" {
                let known = Capability::ALL
                    .into_iter()
                    .find(|known| known.name() == capability);
                capabilities
                    .insert(known.ok_or_else(|| (at + 1, format!("unknown capability `{capability}`")))?);
            }
            let pattern = pattern.trim();
            let (table, key) = match pattern.strip_suffix('*') {
                Some(prefix) => (&mut parsed.prefix, prefix),
                None => (&mut parsed.exact, pattern),
            };
            let entry = table.entry(key.to_owned()).or_default();
            *entry = entry.union(capabilities);
            if pattern.ends_with('*') {
                parsed.longest_prefix = parsed.longest_prefix.max(key.len());
            }
        }
        Ok(parsed)
    }

    /// What a library name can do.
    pub fn of(&self, qualified: &str) -> Capabilities {
        if let Some(&found) = self.exact.get(qualified) {
            return found;
        }
        let longest = self.longest_prefix.min(qualified.len());
        (0..=longest)
            .rev()
            .filter(|&end| qualified.is_char_boundary(end))
            .find_map(|end| self.prefix.get(&qualified[..end]).copied())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pattern_counts() {
        let table =
            EffectTable::parse("process os.*\nnone os.path.*\nfilesystem.read os.path.exists # stat\n")
                .expect("well formed");
        let names = |name| table.of(name).iter().map(Capability::name).collect::<Vec<_>>();
        assert_eq!(names("os.system"), ["process"]);
        assert_eq!(names("os.path.join"), [""; 0]);
        assert_eq!(names("os.path.exists"), ["filesystem.read"]);
        assert_eq!(names("re.match"), [""; 0]);
        assert_eq!(
            EffectTable::parse("\nfly os.*")
                .expect_err("no such capability")
                .0,
            2
        );
    }
}
