//! Canonical texts stay as they are; other texts become canonical and keep their tokens.
//!
//! `UPDATE_GOLDEN=1` writes the goldens of `cases/format` anew.

use std::fs;
use std::path::{Path, PathBuf};

use syntax::format::format;
use syntax::lex::{LexedPart, TokenKind, lex};
use syntax::{Mode, parse};

fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of cases") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ry") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} has no cases");
    found
}

fn formatted(source: &str, mode: Mode) -> String {
    format(source, mode).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}\n{source}"))
}

/// Tokens and comments without places, sorted: clauses, imports and comments may move.
fn tokens(source: &str) -> Vec<String> {
    let lexed = lex(source);
    let mut all = Vec::new();
    for token in &lexed.tokens {
        match token.kind {
            TokenKind::Newline => {}
            TokenKind::Text(index) => {
                for part in &lexed.texts[index as usize].parts {
                    all.push(match part {
                        LexedPart::Characters { value, .. } => format!("{value:?}"),
                        LexedPart::Hole { tokens, .. } => {
                            let spelled: Vec<&str> =
                                tokens.iter().map(|token| token.span.text(source)).collect();
                            spelled.join(" ")
                        }
                    });
                }
            }
            TokenKind::ClauseText => {
                let words: Vec<&str> = token.span.text(source).split_whitespace().collect();
                all.push(words.join(" "));
            }
            kind => all.push(format!("{kind:?} {}", token.span.text(source))),
        }
    }
    all.extend(
        lexed
            .comments
            .iter()
            .map(|comment| comment.span.text(source).to_owned()),
    );
    all.sort();
    all
}

#[test]
fn canonical_programs_stay() {
    for path in files("cases/programs") {
        let source = fs::read_to_string(&path).expect("a case");
        similar(&formatted(&source, Mode::Module), &source, &path);
    }
}

#[test]
fn the_library_is_canonical() {
    for path in files("../check/library") {
        let source = fs::read_to_string(&path).expect("a declaration file");
        let actual = formatted(&source, Mode::Declarations);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &actual).expect("a declaration file");
        }
        similar(&actual, &source, &path);
    }
}

#[test]
fn other_layouts_become_canonical() {
    for path in files("cases/format") {
        let source = fs::read_to_string(&path).expect("a case");
        let actual = formatted(&source, Mode::Module);
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &actual).expect("a golden");
        }
        similar(&actual, &fs::read_to_string(&golden).unwrap_or_default(), &path);
        similar(&formatted(&actual, Mode::Module), &actual, &path);
        assert_eq!(tokens(&actual), tokens(&source), "{}", path.display());
    }
}

/// Programs with every line break and indentation that means nothing changed come out the same.
#[test]
fn one_program_has_one_layout() {
    for path in files("cases/programs") {
        let source = fs::read_to_string(&path).expect("a case");
        let unindented: String = source
            .split_inclusive('\n')
            .map(|line| format!(" {}", line.trim_start_matches(' ')))
            .collect();
        if !source.contains("\"\"\"") {
            similar(&formatted(&unindented, Mode::Module), &source, &path);
        }
        let spread = source.replace(", ", ",\n");
        if parse(&spread, Mode::Module).is_well_formed() {
            let again = formatted(&spread, Mode::Module);
            similar(&formatted(&again, Mode::Module), &again, &path);
        }
    }
}

fn similar(actual: &str, expected: &str, path: &Path) {
    for (number, (left, right)) in actual.lines().zip(expected.lines()).enumerate() {
        assert_eq!(left, right, "{}:{}\n{actual}", path.display(), number + 1);
    }
    assert_eq!(actual, expected, "{}", path.display());
}
