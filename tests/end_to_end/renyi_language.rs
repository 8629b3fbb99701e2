//! The commands that read files of the Renyi language.

use crate::project::Project;

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
