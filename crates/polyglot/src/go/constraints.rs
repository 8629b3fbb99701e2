//! Build constraints: which files no build reads unless it is asked to.
//!
//! The judgement is that of a plain build: tags of one's own are off, language
//! versions are on, and what depends on the machine is open. A file that is out
//! for certain keeps its names to itself, so that they are no twins of those
//! that count.

/// Tags that a plain build may have set.
const MACHINES: &[&str] = &[
    "386",
    "aix",
    "amd64",
    "android",
    "arm",
    "arm64",
    "cgo",
    "darwin",
    "dragonfly",
    "freebsd",
    "gc",
    "gccgo",
    "illumos",
    "ios",
    "js",
    "linux",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mipsle",
    "netbsd",
    "openbsd",
    "plan9",
    "ppc64",
    "ppc64le",
    "riscv64",
    "s390x",
    "solaris",
    "unix",
    "wasip1",
    "wasm",
    "windows",
];

/// Whether a plain build leaves the file out, whatever the machine.
pub(super) fn is_left_out(source: &str) -> bool {
    let mut old = Some(true);
    for line in source.lines() {
        let line = line.trim();
        let Some(comment) = line.strip_prefix("//") else {
            if line.is_empty() {
                continue;
            }
            break;
        };
        if let Some(expression) = comment.strip_prefix("go:build ") {
            let mut parser = Parser {
                rest: expression,
                depth: 0,
            };
            return parser.or() == Some(false) && parser.rest.trim().is_empty();
        }
        if let Some(options) = comment.trim_start().strip_prefix("+build ") {
            let any = options.split_whitespace().map(|option| {
                option
                    .split(',')
                    .map(|term| match term.strip_prefix('!') {
                        Some(tag) => tag_is_set(tag).map(|set| !set),
                        None => tag_is_set(term),
                    })
                    .fold(Some(true), and)
            });
            old = and(old, any.fold(Some(false), or));
        }
    }
    old == Some(false)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
}

fn tag_is_set(tag: &str) -> Option<bool> {
    if tag.starts_with("go1.") {
        Some(true)
    } else if MACHINES.binary_search(&tag).is_ok() {
        None
    } else {
        Some(false)
    }
}

/// `||` over `&&` over `!`, tags and parentheses. What it cannot read is open.
struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn or(&mut self) -> Option<bool> {
        let mut value = self.and();
        while self.take("||") {
            let right = self.and();
            value = or(value, right);
        }
        value
    }

    fn and(&mut self) -> Option<bool> {
        let mut value = self.not();
        while self.take("&&") {
            let right = self.not();
            value = and(value, right);
        }
        value
    }

    fn not(&mut self) -> Option<bool> {
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        if self.take("!") {
            return self.not().map(|value| !value);
        }
        if self.take("(") {
            let value = self.or();
            self.take(")");
            return value;
        }
        let rest = self.rest.trim_start();
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
            .unwrap_or(rest.len());
        let tag = &rest[..end];
        self.rest = &rest[end..];
        if tag.is_empty() { None } else { tag_is_set(tag) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_build_decides() {
        assert!(MACHINES.is_sorted());
        for (constraint, out) in [
            ("//go:build ignore", true),
            ("//go:build !nomsgpack", false),
            ("//go:build nomsgpack", true),
            ("//go:build !go1.18", true),
            ("//go:build linux", false),
            ("//go:build linux && appengine", true),
            ("//go:build !(linux || tools)", false),
            ("//go:build (", false),
            ("// +build !go1.16 finder", true),
            ("// +build linux,cgo darwin", false),
            ("// +build ignore\n\n// +build linux", true),
            ("package a\n//go:build ignore", false),
        ] {
            assert_eq!(is_left_out(constraint), out, "{constraint}");
        }
        assert!(!is_left_out(&format!("//go:build {}", "!(".repeat(100_000))));
    }
}
