//! Capabilities that library names reach: a lower bound on a definition's effects.
//!
//! A table is text, one rule a line: a capability, blanks, a pattern. A pattern
//! is a qualified library name as the linker writes it (`os.remove`,
//! `std::fs::write`, `fs.readFile`); a final `*` matches any ending. `#` starts a
//! comment. The longest matching pattern counts; several rules may give the same
//! pattern several capabilities; `none` takes a name out of a wider pattern.

use std::collections::HashMap;

/// What code can do besides computing. Numbers are those of stored records and
/// only ever added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Capability {
    FilesystemRead = 0,
    FilesystemWrite = 1,
    NetworkHttp = 2,
    NetworkSocket = 3,
    Process = 4,
    Environment = 5,
    Time = 6,
    Random = 7,
    Console = 8,
    Foreign = 9,
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
}

/// A set of capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Capabilities(pub u16);

impl Capabilities {
    pub fn insert(&mut self, capability: Capability) {
        self.0 |= 1 << capability as u16;
    }

    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn contains(self, capability: Capability) -> bool {
        self.0 & 1 << capability as u16 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL
            .into_iter()
            .filter(move |&capability| self.contains(capability))
    }
}

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
