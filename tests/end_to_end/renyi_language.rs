//! The commands that read files of the Renyi language.

use crate::project::{Project, repository};

const GREETING: &str = "\
module welcome
  purpose: Greet.

# Shown first.
function greeting(name: Text) returns Text
  return \"Hello, {name}!\"
end
";

#[test]
fn tokens_are_listed_with_comments_and_holes() {
    let project = Project::new("");
    project.put("welcome.ry", GREETING.as_bytes());
    let run = project.run(&["tokens", "welcome.ry"]).ok();
    for row in [
        "   1:1   word(module)           module",
        "   2:12  clause-text            \"Greet.\"",
        "   4:1   comment                \"# Shown first.\"",
        "   6:10  text                   \"\\\"Hello, {name}!\\\"\"",
        "   6:19  identifier             name",
        "   8:1   eof",
    ] {
        assert!(
            run.stdout.lines().any(|line| line == row),
            "{row}\n{}",
            run.stdout
        );
    }
}

#[test]
fn a_lexical_error_is_an_exit_code() {
    let project = Project::new("");
    project.put("bad.ry", b"module bad\n\nlet one: Integer = 1\n");
    let run = project.run(&["tokens", "bad.ry"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(
        run.stdout.contains("bad.ry:3:18: error [equals-sign]"),
        "{run:#?}"
    );
}

#[test]
fn the_tree_is_json_with_spans_in_characters() {
    let project = Project::new("");
    project.put(
        "dots.ry",
        "module dots\n  purpose: Ä.\n\nlet dots: Text be \"äö\"\n".as_bytes(),
    );
    let run = project.run(&["parse", "--json", "dots.ry"]).ok();
    let tree = run.json();
    assert_eq!(tree["header"]["segments"][0]["text"], "dots");
    let constant = &tree["items"][0]["kind"];
    assert_eq!(constant["kind"], "Constant");
    assert_eq!(
        constant["value"]["value"]["span"],
        serde_json::json!({"start": 45, "stop": 49})
    );
    assert_eq!(tree["items"][0]["public"], serde_json::Value::Null);
}

#[test]
fn the_tree_is_printed_and_a_fault_has_its_place_and_fix() {
    let project = Project::new("");
    project.put("welcome.ry", GREETING.as_bytes());
    let run = project.run(&["parse", "welcome.ry"]).ok();
    assert!(run.stdout.starts_with("Module {"), "{run:#?}");
    project.put("open.ry", GREETING.replace("end\n", "").as_bytes());
    let run = project.run(&["parse", "--diagnostics", "open.ry"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert_eq!(
        run.stdout,
        "open.ry:7:1: error [missing-end]: the file ends inside a block\n  fix: close the block with `end`\n"
    );
}

#[test]
fn layout_alone_is_a_warning() {
    let project = Project::new("");
    project.put(
        "wide.ry",
        format!("module wide\n  purpose: {}\n", "a".repeat(100)).as_bytes(),
    );
    let run = project.run(&["parse", "--diagnostics", "wide.ry"]).ok();
    assert!(
        run.stdout.starts_with("wide.ry:2:1: warning [line-width]"),
        "{run:#?}"
    );
}

#[test]
fn what_is_not_text_is_refused() {
    let project = Project::new("");
    project.put("bytes.ry", b"module \xff\n");
    project
        .run(&["parse", "bytes.ry"])
        .fails_with(2, "bytes.ry: byte 7 is not UTF-8");
    project
        .run(&["tokens", "none.ry"])
        .fails_with(2, "cannot read none.ry");
}

#[test]
fn a_file_is_formatted_once_and_only_when_it_can_be() {
    let project = Project::new("");
    project.put("welcome.ry", GREETING.as_bytes());
    project.put("loose.ry", GREETING.replace("  ", "      ").as_bytes());
    project.put("bad.ry", b"module bad\n\nfunction (\n");
    let run = project.run(&["format", "--check", "welcome.ry", "loose.ry"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert_eq!(run.stdout, "loose.ry: not in canonical layout\n");
    let run = project.run(&["format", "welcome.ry", "loose.ry"]).ok();
    assert_eq!(run.stdout, "loose.ry: formatted\n");
    let text = std::fs::read_to_string(project.path().join("loose.ry")).expect("a file");
    assert_eq!(text, GREETING);
    project.run(&["format", "--check", "welcome.ry", "loose.ry"]).ok();
    let run = project.run(&["format", "bad.ry"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(
        run.stdout.starts_with("bad.ry:3:10: error [expected]"),
        "{run:#?}"
    );
    assert_eq!(
        std::fs::read(project.path().join("bad.ry")).expect("a file"),
        b"module bad\n\nfunction (\n"
    );
    let files = std::fs::read_dir(project.path()).expect("the project").count();
    assert!(files <= 4, "nothing is left beside the files");
}

/// The programs of the language's description, in a git repository.
fn programs() -> Project {
    let project = Project::new("");
    let root = repository().join("crates/syntax/cases/programs");
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let inner = path
                .strip_prefix(&root)
                .expect("a path below")
                .to_string_lossy()
                .replace('\\', "/");
            project.put(&inner, &std::fs::read(&path).expect("a program"));
        }
    }
    project.commit("programs");
    project
}

#[test]
fn check_tells_what_is_wrong_as_lines_as_json_and_with_sources() {
    let project = programs();
    let run = project.run(&["check"]).ok();
    assert_eq!(run.stdout, "");
    let run = project.run(&["check", "--json", "doors.ry", "ledger.ry"]).ok();
    assert_eq!(run.stdout, "[]\n[]\n");
    project.edit(
        "doors.ry",
        "return ends_shut(toggles - 1)",
        "return ends_shut(toggles)  ",
    );
    project.edit("doors.ry", "rule(door.toggles)", "rule(door.toggle)");
    let run = project.run(&["check", "doors.ry"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert_eq!(
        run.stdout,
        "doors.ry:26:54: error [unknown-field]: a `Door` has no field `toggle`\n  fix: did you mean `toggles`?\n\
         doors.ry:14:28: warning [trailing-whitespace]: blanks at the end of the line\n  fix: remove them\n"
    );
    let run = project.run(&["check", "--json", "doors.ry"]);
    assert!(
        run.stdout.starts_with(
            "[\n  {\"file\": \"doors.ry\", \"line\": 26, \"column\": 54, \"end_line\": 26, \"end_column\": 60, \
             \"severity\": \"error\", \"code\": \"unknown-field\", \"message\": \"a `Door` has no field `toggle`\", \
             \"fix\": \"did you mean `toggles`?\"},\n"
        ),
        "{run:#?}"
    );
    let run = project.run(&["check", "--source", "doors.ry"]);
    assert!(
        run.stdout
            .contains("│                                                      ^^^^^^"),
        "{run:#?}"
    );
    let run = project.run(&["check", "missing.ry"]);
    assert_eq!(run.code, 2, "{run:#?}");
}

#[test]
fn strict_makes_deprecation_an_error() {
    let project = programs();
    project.put(
        "desk/use.ry",
        b"module desk.use\n  purpose: Use what is old.\n\nimport desk.tools\n\nfunction shown() returns List of Text\n  \
          return tools.titles([])\nend\n",
    );
    let run = project.run(&["check", "desk/use.ry"]).ok();
    assert!(run.stdout.contains("warning [deprecated]"), "{run:#?}");
    let run = project.run(&["check", "--strict", "desk/use.ry"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(run.stdout.contains("error [deprecated]"), "{run:#?}");
}

#[test]
fn a_map_has_the_forms_of_the_language() {
    let project = programs();
    let run = project.run(&["index"]).ok();
    for line in [
        "module doors  doors.ry  5 definitions (3 public)  32 lines  effects: none",
        "  function       doors.ends_open  ends_open(toggles: Integer) returns Boolean  effects: none  lines=7 depth=1 \
         branches=1 effects=0 fan_in=2 fan_out=1 library_calls=0",
    ] {
        assert!(
            run.stdout.lines().any(|found| found == line),
            "{line}\n{}",
            run.stdout
        );
    }
    let document: serde_json::Value =
        serde_json::from_str(&project.run(&["index", "--json"]).ok().stdout).expect("JSON");
    let definitions = document["definitions"].as_array().expect("definitions");
    let close = definitions
        .iter()
        .find(|definition| definition["name"] == "close")
        .expect("desk.tools.close");
    assert_eq!(close["tags"], serde_json::json!(["tickets", "write"]));
    assert_eq!(close["see_also"], serde_json::json!(["open_titles"]));
    assert_eq!(close["exposed_as_tool"], true);
    assert_eq!(
        close["fails"],
        serde_json::json!({"declared": ["NoReason"], "transitive": ["NoReason"]})
    );
    let run = project.run(&["index", "--budgets"]).ok();
    assert!(
        run.stdout
            .starts_with("module poller: 7 transitive effect paths (budget 5): console, filesystem.read, "),
        "{run:#?}"
    );
    let run = project.run(&["index", "--figures"]).ok();
    assert_eq!(run.stdout.lines().count(), 8, "{run:#?}");
    let run = project.run(&["tools", "desk"]).ok();
    let tools: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(tools[0]["name"], "desk.tools.close");
    assert_eq!(
        tools[0]["input_schema"]["properties"]["ticket"]["properties"]["replies"]["items"],
        serde_json::json!({"$ref": "#/$defs/Ticket"})
    );
    assert_eq!(
        tools[1]["output_schema"],
        serde_json::json!({"type": "array", "items": {"type": "string"}})
    );
}

#[test]
fn a_saved_map_of_renyi_modules_is_a_base() {
    let project = programs();
    let saved = project.run(&["index", "--json"]).ok().stdout;
    project.put("saved.json", saved.as_bytes());
    let run = project.run(&["diff", "saved.json"]).ok();
    assert!(run.stdout.contains("no changes in any definition"), "{run:#?}");
}

#[test]
fn a_rename_is_one_entry_of_the_diff_and_nothing_is_half_done() {
    let project = programs();
    let run = project.run(&["rename", "ledger.amount_of", "quantity_of"]).ok();
    assert!(
        run.stdout
            .starts_with("renamed ledger.amount_of to quantity_of: 7 places in 1 file\n"),
        "{run:#?}"
    );
    project.run(&["rename", "Ticket", "Request"]).ok();
    assert_eq!(project.run(&["check"]).ok().stdout, "");
    let run = project.run(&["diff", "HEAD"]);
    assert!(run.stdout.contains("2 definitions changed"), "{run:#?}");
    for (definition, name, reason) in [
        ("doors.accepted", "ends_open", "`ends_open` is there already"),
        ("welcome.greeting", "Greeting", "expected a name such as"),
        ("reports.summary", "label", "the project would not check"),
        ("Shelf.size", "length", "named by its ability"),
        ("nothing_such", "other", "no Renyi definition is named"),
    ] {
        let run = project.run(&["rename", definition, name]);
        assert_eq!(run.code, 2, "{run:#?}");
        assert!(run.stderr.contains(reason), "{run:#?}");
    }
    let run = project
        .run(&["rename", "greeting", "welcome_line", "--dry-run"])
        .ok();
    assert!(
        run.stdout.starts_with("would rename welcome.greeting"),
        "{run:#?}"
    );
    assert!(project.read("welcome.ry").contains("greeting("));
}

#[test]
fn frozen_specs_name_the_clause_that_changed() {
    let project = programs();
    let run = project.run(&["check", "--frozen-specs", "all"]).ok();
    assert_eq!(run.stdout, "");
    project.edit("stock.ry", "amount is at least 0", "amount is at least 1");
    project.edit("ledger.ry", "is 2.5\n", "is 2.50\n");
    project.edit("stock.ry", "is 3 and left", "is 3 or left");
    project.edit("numbers.ry", "return \"zero\"", "return \"nought\"");
    let run = project.run(&["check", "--frozen-specs", "all"]);
    assert_eq!(run.code, 1, "{run:#?}");
    let clauses: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| {
            line.split("[spec_frozen]: the ")
                .nth(1)?
                .split(" changed since")
                .next()
        })
        .collect();
    assert_eq!(
        clauses,
        [
            "example of ledger.amount_of",
            "where of stock.Box",
            "test of stock.test:selling more than there is fails",
        ]
    );
    let run = project.run(&["check", "--frozen-specs", "sign,grade"]).ok();
    assert_eq!(run.stdout, "");
}

/// The corpus of this repository is canonical and free of diagnostics.
#[test]
fn the_examples_are_clean() {
    let project = Project::new("");
    let examples = repository().join("examples");
    let examples = examples.to_str().expect("a path");
    let run = project.run(&["check", examples]).ok();
    assert_eq!(run.stdout, "");
    let mut files = vec!["format".to_owned(), "--check".to_owned()];
    let mut folders = vec![repository().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ry") {
                files.push(path.to_string_lossy().into_owned());
            }
        }
    }
    assert!(files.len() > 40, "the corpus has at least thirty programs");
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    project.run(&files).ok();
    let run = project
        .run(&["--store", "store", "index", examples, "--summary"])
        .ok();
    assert!(!run.stdout.contains("errors"), "{run:#?}");
}

/// A package that is not of the tree is found through the lock, and a map follows it.
#[test]
fn packages_are_read_from_their_registry() {
    let project = Project::new("");
    let package = |text: &str| {
        format!(
            "{{\n  \"name\": \"kit\",\n  \"version\": \"1.0.0\",\n  \"purpose\": null,\n  \"dependencies\": {{}},\n  \
             \"toolchain\": \"renyi 0.1.0\",\n  \"files\": [\n    {{\n      \"path\": \"kit.ry\",\n      \"hash\": \"{text}\"\n    \
             }}\n  ],\n  \"effects\": []\n}}\n"
        )
    };
    let put = |needs: &str| {
        project.put("registry/kit/1.0.0/package.json", package(needs).as_bytes());
        project.put(
            "registry/kit/1.0.0/kit.ry",
            format!(
                "module kit\n  purpose: A kit.\n\nimport std.console\n\npublic function shout(text: Text) needs {needs}\n  \
                 purpose: Shout.\n\n  console.print(text)\nend\n"
            )
            .as_bytes(),
        );
    };
    put("console");
    project.put(
        "app/renyi.json",
        b"{\"name\": \"app\", \"version\": \"0.1.0\", \"dependencies\": {\"kit\": \"1.0.0\"}, \"registry\": \"../registry\"}",
    );
    project.put(
        "app/renyi.lock.json",
        b"{\"packages\": [{\"name\": \"kit\", \"version\": \"1.0.0\", \"hash\": \"sha256:0\"}]}",
    );
    project.put(
        "app/main.ry",
        b"module main\n  purpose: Shout.\n\nimport kit\n\npublic function main() needs console\n  purpose: Shout \
          once.\n\n  kit.shout(\"a\")\nend\n",
    );
    let run = project.run(&["check", "app"]);
    assert!(run.stdout.contains("[package-mismatch]"), "{run:#?}");
    let map = |expected: &str| {
        let run = project.run(&["--store", "store", "index", "app"]);
        assert!(run.stdout.contains(expected), "{expected}: {run:#?}");
    };
    map("main() needs console  effects: console  ");
    // The map follows a package that changes, though no file of the project does.
    put("console, time");
    map("main() needs console  effects: console, time  ");
}
