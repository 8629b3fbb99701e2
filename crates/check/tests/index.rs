//! The facts that the language's description gives for two of its programs (12.11 and 12.12).

mod common;

use check::index::{Canonical, DefinitionRecord, Index, references};
use check::{Analysis, DefId, Role, Target};
use common::Folder;
use sha2::{Digest as _, Sha256};

fn indexed(file: &str) -> (Analysis, Index) {
    let files = Canonical(Folder::at("../syntax/cases/programs"));
    let analysis = Analysis::of(&files, &[file.to_owned()]);
    let index = Index::of(&analysis);
    (analysis, index)
}

fn named<'a>(index: &'a Index, name: &str) -> &'a DefinitionRecord {
    let found = index.definitions.iter().find(|record| record.name == name);
    found.unwrap_or_else(|| panic!("no definition `{name}`"))
}

/// 10.4: the text with its own name and every name of a definition of the project blank.
fn text_hash(analysis: &Analysis, record: &DefinitionRecord) -> String {
    let module = analysis.program.module(record.id.module);
    let definition = &module.definitions[record.id.index as usize];
    let mut blanks = Vec::new();
    if !definition.name.is_empty() && record.kind.name() != "test" {
        blanks.push(definition.name_span);
    }
    for reference in references(analysis, record.id) {
        let counts = matches!(reference.place, check::Place::Head | check::Place::Body);
        let project = |id: &DefId| analysis.program.module(id.module).kind != check::ModuleKind::Library;
        if let Target::Definition(target) = &reference.target
            && counts
            && project(target)
            && reference.role != Role::Mention
        {
            blanks.push(reference.span);
        }
    }
    blanks.sort();
    let mut text = String::new();
    let mut at = record.span.start;
    for blank in blanks {
        text.push_str(check_span(at, blank.start).text(&module.source));
        text.push('_');
        at = blank.end;
    }
    text.push_str(check_span(at, record.span.end).text(&module.source));
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check_span(start: u32, end: u32) -> syntax::Span {
    syntax::Span::new(start, end)
}

fn row(record: &DefinitionRecord) -> String {
    let metrics = record.metrics;
    format!(
        "{} {} {:?} calls {} uses {} fails {} / {} effects {} lines {} depth {} branches {} fan {} / {} library {} coverage {} {}",
        record.kind.name(),
        record.signature,
        record.lines,
        record.calls.join(" "),
        record.uses.join(" "),
        record.fails.declared.join(" "),
        record.fails.transitive.join(" "),
        record.effects.transitive.join(" "),
        metrics.lines,
        metrics.depth,
        metrics.branches,
        metrics.fan_in,
        metrics.fan_out,
        metrics.library_calls,
        record.examples,
        record.tested_by.len(),
    )
}

#[test]
fn doors() {
    let (analysis, index) = indexed("doors.ry");
    let module = &index.modules[0];
    assert_eq!(
        (
            module.definitions.len(),
            module.public,
            module.lines,
            module.errors
        ),
        (5, 3, 32, 0)
    );
    assert!(module.effects.is_empty());
    for (name, expected, hash) in [
        (
            "Door",
            "type Door(toggles: Integer) (4, 7) calls  uses std.prelude.Integer fails  /  effects  lines 4 depth 0 \
             branches 0 fan 2 / 0 library 0 coverage 0 1",
            "37ab0c0b656d264cfbbca2c2982f9996c0105c06441322bd3c1cb10af6352353",
        ),
        (
            "ends_open",
            "function ends_open(toggles: Integer) returns Boolean (9, 15) calls doors.ends_shut uses \
             std.prelude.Boolean std.prelude.Integer fails  /  effects  lines 7 depth 1 branches 1 fan 2 / 1 library \
             0 coverage 1 1",
            "1f3d0d5faa11340c90100776d32fda3776c34da8e8ceb9e8fece99fc7efe0aed",
        ),
        (
            "ends_shut",
            "function ends_shut(toggles: Integer) returns Boolean (17, 20) calls doors.ends_open uses \
             std.prelude.Boolean std.prelude.Integer fails  /  effects  lines 4 depth 1 branches 1 fan 1 / 1 library \
             0 coverage 0 0",
            "c42664dc53463c204120326e6c369603b3a0f8ced148aba455e37d89ba8797fb",
        ),
        (
            "accepted",
            "function accepted(doors_seen: List of Door, rule: function(Integer) returns Boolean) returns List of Door \
             (22, 27) calls  uses doors.Door std.prelude.Boolean std.prelude.Integer std.prelude.List fails  /  \
             effects  lines 6 depth 0 branches 1 fan 1 / 1 library 0 coverage 0 1",
            "c30278c1accf86ecda3e4819c50655715f88bc05c97e54f1377a0abb56bf6b34",
        ),
        (
            "test:the open doors are kept",
            "test \"the open doors are kept\" (29, 32) calls doors.accepted doors.ends_open uses doors.Door fails  \
             /  effects  lines 4 depth 0 branches 0 fan 0 / 3 library 0 coverage 0 0",
            "bc7af5780c0d624af116f23ee6f6fc4ea070a83b73047223f8eca424627616b2",
        ),
    ] {
        let record = named(&index, name);
        assert_eq!(row(record), expected);
        assert_eq!(text_hash(&analysis, record), hash, "{name}");
    }
}

#[test]
fn ledger() {
    let (analysis, index) = indexed("ledger.ry");
    let module = &index.modules[0];
    assert_eq!((module.definitions.len(), module.public), (7, 6));
    assert_eq!(module.effects, ["console"]);
    let errors = named(&index, "LedgerError");
    assert_eq!(
        row(errors),
        "type LedgerError is BadLine(line: Text) or Overdrawn(missing: Decimal) (6, 11) calls  uses std.prelude.Decimal \
         std.prelude.Text std.prelude.ToText fails  /  effects  lines 6 depth 0 branches 0 fan 4 / 0 library 0 \
         coverage 0 0"
    );
    const BOTH: &str = "InvalidNumber LedgerError";
    for (name, calls, uses, declared, numbers, hash) in [
        (
            "amount_of",
            "std.prelude.List.at std.prelude.Text.split std.prelude.Text.to_decimal",
            "ledger.LedgerError std.prelude.Decimal std.prelude.Text",
            "LedgerError",
            [9, 0, 2, 4, 1, 3],
            "5b8faf8105e44f18df03ce5156ef338d60a82feeb659f579c09495fc842d7a3d",
        ),
        (
            "balance",
            "ledger.amount_of std.prelude.Text.is_empty",
            "ledger.LedgerError std.prelude.Decimal std.prelude.List std.prelude.Text",
            "LedgerError",
            [15, 2, 5, 1, 2, 1],
            "0f01c1d1d25c1b131615e635b218a6254ec7acbf87d1e33b5c18d2c2fe628f05",
        ),
        (
            "readable_total",
            "ledger.amount_of",
            "std.prelude.Decimal std.prelude.List std.prelude.Text",
            "",
            [10, 1, 2, 0, 1, 0],
            "d1d6b412b45e5c1b4ae8aa94866730ee6d7d14ebbb7e022a97b5d0572ed9814b",
        ),
        (
            "explained",
            "ledger.amount_of",
            "ledger.LedgerError std.prelude.Text",
            "",
            [9, 1, 3, 0, 2, 0],
            "b172a7fe124195a7e28f60cf0eeca846bf3d506f9612ac8b30bd4efca07c5653",
        ),
        (
            "opening_balance",
            "ledger.amount_of",
            "std.prelude.Decimal",
            "",
            [3, 0, 1, 1, 1, 0],
            "69d2ac8f1e15fd32fdae9b2db62c533328c301d79e25549648b9aeabeed2deb3",
        ),
        (
            "main",
            "ledger.balance ledger.opening_balance std.console.print",
            "ledger.LedgerError",
            "LedgerError",
            [7, 0, 1, 0, 3, 1],
            "c1e7dcec0ffd0edf3430aa093311b7d4c7318e5751ef517cec363cc2ce548f74",
        ),
    ] {
        let record = named(&index, name);
        assert_eq!(record.calls.join(" "), calls, "{name}");
        assert_eq!(record.uses.join(" "), uses, "{name}");
        assert_eq!(record.fails.declared.join(" "), declared, "{name}");
        assert_eq!(record.fails.transitive.join(" "), BOTH, "{name}");
        let metrics = record.metrics;
        let found = [
            metrics.lines,
            metrics.depth as usize,
            metrics.branches as usize,
            metrics.fan_in,
            metrics.fan_out,
            metrics.library_calls,
        ];
        assert_eq!(found, numbers, "{name}");
        assert_eq!(text_hash(&analysis, record), hash, "{name}");
    }
    assert_eq!(
        text_hash(&analysis, errors),
        "3274d2d6bc01f7c492bd6d123cbcdb307e9078683b0fb6863a96016de9d2d6f1"
    );
    assert_eq!(named(&index, "main").effects.transitive, ["console"]);
}
