//! After an edit only what it touches is checked again, and what is said is the same as from afresh.

mod common;

use check::Analysis;
use common::{Memory, told};

const PARTS: &str = "\
module parts
  purpose: Parts of a machine.

public type Part
  purpose: A part.
  has weight: Integer where weight is at least 1
end

public function heavier(part: Part) returns Integer
  purpose: One more than its weight.

  return part.weight + 1
end

public function lighter(part: Part) returns Integer
  purpose: One less than its weight.

  return part.weight - 1
end
";

const USES: &str = "\
module uses
  purpose: Uses parts.

import parts exposing Part

public function both(part: Part) returns Integer
  purpose: Both weights.

  return parts.heavier(part) + parts.lighter(part)
end

public function made() returns Part
  purpose: A part.

  return Part(weight: 3)
end

public function plain(number: Integer) returns Integer
  purpose: Nothing of parts.

  return number
end
";

struct State {
    files: Memory,
    roots: Vec<String>,
    analysis: Analysis,
}

impl State {
    fn new() -> Self {
        let files = Memory::of(&[("parts.ry", PARTS), ("uses.ry", USES)]);
        let roots = vec!["parts.ry".to_owned(), "uses.ry".to_owned()];
        let analysis = Analysis::of(&files, &roots);
        assert_eq!(told(&analysis), "");
        Self {
            files,
            roots,
            analysis,
        }
    }

    /// Replaces a text, and gives how many bodies were checked. The result is that of a new analysis.
    #[track_caller]
    fn edit(mut self, file: &str, old: &str, new: &str) -> (Self, usize) {
        let text = self.files.0[file].replace(old, new);
        assert_ne!(text, self.files.0[file], "{old}");
        self.files.0.insert(file.to_owned(), text.clone());
        self.analysis = self.analysis.edit(file, &text, &self.files, &self.roots);
        let afresh = Analysis::of(&self.files, &self.roots);
        assert_eq!(told(&self.analysis), told(&afresh));
        let checked = self.analysis.checked;
        (self, checked)
    }
}

#[test]
fn a_body_is_checked_alone() {
    let (state, checked) = State::new().edit("parts.ry", "part.weight + 1", "part.weight + 2");
    assert_eq!(checked, 1);
    // What stands behind the edit has moved, and is not checked for that.
    let (state, checked) = state.edit(
        "parts.ry",
        "  return part.weight + 2",
        "  # more\n  return part.weight + 3",
    );
    assert_eq!(checked, 1);
    let (_, checked) = state.edit("uses.ry", "  return number", "  return number + 1");
    assert_eq!(checked, 1);
}

#[test]
fn a_signature_asks_for_those_who_see_it() {
    let (state, checked) = State::new().edit(
        "parts.ry",
        "heavier(part: Part) returns Integer",
        "heavier(part: Part) returns Decimal",
    );
    assert!(checked > 5, "{checked}");
    let said = told(&state.analysis);
    assert!(said.contains("parts.ry:12:10: error [type-mismatch]"), "{said}");
    // Nothing is checked against a module that has errors.
    assert!(said.contains("uses.ry:4:8: error [import-errors]"), "{said}");
    let (state, _) = state.edit("parts.ry", "returns Decimal", "returns Integer");
    assert_eq!(told(&state.analysis), "");
}

#[test]
fn a_condition_counts_where_literals_meet_it() {
    let (state, _) = State::new().edit("parts.ry", "weight is at least 1", "weight is at least 10");
    assert!(told(&state.analysis).contains("uses.ry:15:23: error [constraint-violation]"));
}

#[test]
fn a_fault_in_a_body_is_told_to_importers_and_forgotten() {
    let (state, _) = State::new().edit("parts.ry", "part.weight - 1", "part.wait - 1");
    let said = told(&state.analysis);
    assert!(
        said.contains("[unknown-field]") && said.contains("[import-errors]"),
        "{said}"
    );
    let (state, _) = state.edit("parts.ry", "part.wait", "part.weight");
    assert_eq!(told(&state.analysis), "");
    let (state, _) = state.edit("parts.ry", "end\n", "");
    assert!(told(&state.analysis).contains("[import-errors]"));
    let (state, _) = state.edit(
        "uses.ry",
        "import parts exposing Part",
        "import parts as things exposing Part",
    );
    let (_, _) = state.edit("uses.ry", "purpose: Uses parts.", "purpose: Uses all parts.");
}

#[test]
fn another_import_is_read() {
    let mut state = State::new();
    state.files.0.insert(
        "more.ry".to_owned(),
        "module more\n  purpose: More.\n\npublic function one_more(number: Integer) returns Integer\n  purpose: One \
         more.\n\n  return number + 1\nend\n"
            .to_owned(),
    );
    let (state, _) = state.edit(
        "uses.ry",
        "import parts exposing Part\n",
        "import more\nimport parts exposing Part\n",
    );
    let (state, _) = state.edit("uses.ry", "  return number", "  return more.one_more(number)");
    assert_eq!(told(&state.analysis), "");
}
