//! Programs that parse without a word, and faulty files beside what is said about them.
//!
//! `UPDATE_GOLDEN=1` writes the goldens of `cases/faults` anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use syntax::{Code, Mode, parse};

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

fn rendered(source: &str, mode: Mode) -> String {
    let mut out = String::new();
    for diagnostic in parse(source, mode).diagnostics {
        let before = &source[..diagnostic.span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |text| text.chars().count()) + 1;
        let length = diagnostic.span.text(source).chars().count();
        writeln!(
            out,
            "{line}:{column}+{length} {}: {}\n  fix: {}",
            diagnostic.code, diagnostic.message, diagnostic.fix
        )
        .expect("a text takes any text");
    }
    out
}

#[test]
fn programs_parse_without_a_diagnostic() {
    for path in files("cases/programs") {
        let source = fs::read_to_string(&path).expect("a case");
        assert_eq!(rendered(&source, Mode::Module), "", "{}", path.display());
    }
}

#[test]
fn library_declarations_parse_without_a_diagnostic() {
    for path in files("../check/library") {
        let source = fs::read_to_string(&path).expect("a declaration file");
        assert_eq!(rendered(&source, Mode::Declarations), "", "{}", path.display());
    }
}

#[test]
fn faults_are_named_where_they_are() {
    for path in files("cases/faults") {
        let source = fs::read_to_string(&path).expect("a case");
        let actual = rendered(&source, Mode::Module);
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &actual).expect("a golden");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(actual, expected, "{}", path.display());
        assert!(!actual.is_empty(), "{} has no fault", path.display());
    }
}

/// Every code that the lexer or the parser gives has a case that fires it.
#[test]
fn no_code_is_without_a_case() {
    const LAYOUT_AND_SYNTAX: &[Code] = &[
        Code::AngleComparison,
        Code::BlockTextStart,
        Code::CapabilityScope,
        Code::Crlf,
        Code::EmptyHole,
        Code::EqualsSign,
        Code::ExampleShape,
        Code::Expected,
        Code::ExternalName,
        Code::ForeignKeyword,
        Code::HoleSyntax,
        Code::IdentifierShape,
        Code::MissingEnd,
        Code::ModuleHeader,
        Code::NumberShape,
        Code::OtherwiseLine,
        Code::PublicImplementation,
        Code::PublicMethod,
        Code::QueryShape,
        Code::RangeLoop,
        Code::ReservedWord,
        Code::Semicolon,
        Code::SingleLetterIdentifier,
        Code::StatementShape,
        Code::SymbolicOperator,
        Code::Tab,
        Code::TextInHole,
        Code::TypeNameShape,
        Code::UnaryMinus,
        Code::UnknownCharacter,
        Code::UnknownEscape,
        Code::UnterminatedBlockText,
        Code::UnterminatedHole,
        Code::UnterminatedText,
    ];
    let fired: BTreeSet<Code> = files("cases/faults")
        .iter()
        .flat_map(|path| parse(&fs::read_to_string(path).expect("a case"), Mode::Module).diagnostics)
        .map(|diagnostic| diagnostic.code)
        .collect();
    let wanted: BTreeSet<Code> = LAYOUT_AND_SYNTAX.iter().copied().collect();
    assert_eq!(fired, wanted);
}

/// Every prefix and every single missing line of a program is read to its end.
#[test]
fn cut_programs_are_read() {
    for path in files("cases/programs") {
        let source = fs::read_to_string(&path).expect("a case");
        for (end, _) in source.char_indices() {
            parse(&source[..end], Mode::Module);
        }
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        for missing in 0..lines.len() {
            let rest: String = lines
                .iter()
                .enumerate()
                .filter(|(position, _)| *position != missing)
                .map(|(_, line)| *line)
                .collect();
            parse(&rest, Mode::Module);
        }
    }
}

/// Nesting without end is refused, and not by the stack: threads of the test runner have 2 MB.
#[test]
fn deep_nesting_is_refused() {
    let head = "module deep\n\nfunction deep() returns Integer\n  return ";
    for (open, middle) in [
        ("(", "1"),
        ("[", "1"),
        ("not ", "true"),
        ("aa(", "1"),
        ("2 power ", "2"),
        ("if true then ", "1"),
        ("for each xx in ", "yy"),
        ("{", "1"),
        ("- ", "1"),
    ] {
        let source = format!("{head}{}{middle}\nend\n", open.repeat(100_000));
        assert!(!parse(&source, Mode::Module).is_well_formed(), "{open}");
    }
    let blocks = format!(
        "module deep\n\nfunction deep()\n{}end\n",
        "if true then\n".repeat(100_000)
    );
    assert!(!parse(&blocks, Mode::Module).is_well_formed());
    let types = format!("module deep\n\ntype Deep is {}Text\n", "maybe ".repeat(100_000));
    assert!(!parse(&types, Mode::Module).is_well_formed());
}
