//! Every command on a small project with a history.

use std::fs;

use crate::project::Project;

const FIRST: &str = "//- go.mod\nmodule example.com/shop\n//- shop.go\n// Package shop sells things.\npackage shop\n\nimport \"os\"\n\n// Price says what an item costs.\nfunc Price(item string) int {\n\treturn base(item) * 2\n}\n\nfunc base(item string) int {\n\treturn len(item)\n}\n\n// Load reads the list.\nfunc Load(path string) ([]byte, error) {\n\treturn os.ReadFile(path)\n}\n//- shop_test.go\npackage shop\n\nimport \"testing\"\n\nfunc TestPrice(t *testing.T) {\n\tif Price(\"a\") != 2 {\n\t\tt.Fail()\n\t}\n}\n";

/// Two commits: `base` renamed, then `Price` and `Load` changed.
fn shop() -> Project {
    let project = Project::new(FIRST);
    project.commit("first");
    let path = project.path().join("shop.go");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("base(", "basePrice(")).unwrap();
    project.commit("rename base");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace(
            "Price(item string) int {\n\treturn basePrice(item) * 2",
            "Price(item string, count int) int {\n\treturn basePrice(item) * count",
        ),
    )
    .unwrap();
    project.commit("count items");
    project
}

#[test]
fn index_prints_a_line_per_definition() {
    let project = Project::new(FIRST);
    let text = project.run(&["index"]).ok().stdout;
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("project "), "{text}");
    assert_eq!(lines.next(), Some("2 modules, 4 definitions"));
    assert!(
        text.contains("module example.com/shop  shop.go  3 definitions (2 public)"),
        "{text}"
    );
    assert!(text.contains("inferred effects: filesystem.read"), "{text}");
    assert!(text.contains("fan_in=1"), "{text}");
}

#[test]
fn a_rename_is_one_entry() {
    let project = shop();
    let run = project.run(&["diff", "HEAD~2", "HEAD~1", "--json"]);
    assert_eq!(run.code, 1);
    let changes = run.json()["changes"].as_array().unwrap().clone();
    assert_eq!(changes.len(), 1, "{changes:#?}");
    assert_eq!(changes[0]["name"], "example.com/shop.basePrice");
    assert_eq!(changes[0]["changes"][0]["change"], "renamed", "{changes:#?}");
}

#[test]
fn a_signature_change_is_major_and_reaches_its_test() {
    let project = shop();
    let text = project.run(&["diff", "HEAD~1"]).stdout;
    assert!(text.contains("signature  example.com/shop.Price"), "{text}");
    assert!(text.contains("test:TestPrice"), "{text}");
    assert!(text.contains("version bump: major"), "{text}");
    let markdown = project.run(&["diff", "HEAD~1", "HEAD", "--markdown"]).stdout;
    assert!(
        markdown.contains("major") && markdown.contains("Price"),
        "{markdown}"
    );
}

#[test]
fn equal_bases_differ_in_nothing() {
    let project = shop();
    let run = project.run(&["diff", "HEAD", "."]).ok();
    assert!(run.stdout.contains("no changes in any definition"), "{run:#?}");
}

#[test]
fn every_kind_of_base_is_one_map() {
    let project = shop();
    let saved = project.run(&["index", "--json", "-q"]).ok().stdout;
    project.put("../saved.json", saved.as_bytes());
    let saved = project.path().join("../saved.json");
    let map = serde_json::from_str::<serde_json::Value>(&fs::read_to_string(&saved).unwrap()).unwrap()["map"]
        .clone();
    let map = map.as_str().unwrap();
    let saved = saved.to_str().unwrap().to_owned();
    for base in [
        "HEAD",
        ".",
        "worktrees/main",
        map,
        &map[..12],
        &saved,
        "git:HEAD",
        "ref:worktrees/main",
    ] {
        let run = project.run(&["diff", base, "HEAD"]);
        assert_eq!(run.code, 0, "{base}: {run:#?}");
    }
    fs::remove_file(saved).unwrap();
}

#[test]
fn a_saved_map_needs_no_store() {
    let project = shop();
    let document = project
        .run(&["index", "--rev", "HEAD~1", "--json", "-q"])
        .ok()
        .stdout;
    let other = Project::new("");
    other.put("before.json", document.as_bytes());
    for file in ["go.mod", "shop.go", "shop_test.go"] {
        other.put(file, &fs::read(project.path().join(file)).unwrap());
    }
    let text = other.run(&["diff", "before.json"]).stdout;
    assert!(text.contains("signature  example.com/shop.Price"), "{text}");
    // A document that was changed is refused.
    other.put(
        "before.json",
        document.replace("\"basePrice\"", "\"otherName\"").as_bytes(),
    );
    other.run(&["diff", "before.json"]).fails_with(2, "before.json");
}

#[test]
fn index_diff_is_diff() {
    let project = shop();
    let by_index = project.run(&["index", "--diff", "HEAD~1", "--json"]);
    let by_diff = project.run(&["diff", "HEAD~1", "--json"]);
    assert_eq!(by_index.code, 1);
    assert_eq!(by_index.stdout, by_diff.stdout);
}

#[test]
fn show_gives_text_and_neighbours() {
    let project = shop();
    let shown = project.run(&["show", "Price"]).ok().stdout;
    assert!(
        shown.contains("// Price says what an item costs.\nfunc Price(item string, count int) int {"),
        "{shown}"
    );
    assert!(shown.contains("calls 1: example.com/shop.basePrice"), "{shown}");
    assert!(
        shown.contains("tests 1: example.com/shop.test:TestPrice"),
        "{shown}"
    );
    let old = project
        .run(&["show", "base", "--base", "HEAD~2", "--json"])
        .ok()
        .json();
    assert_eq!(old["text"], "func base(item string) int {\n\treturn len(item)\n}");
    assert_eq!(old["callers"][0], "example.com/shop.Price");
    let id = old["id"].as_str().unwrap();
    let by_id = project.run(&["show", &id[..16], "--json"]).ok().json();
    assert_eq!(by_id["name"], "basePrice", "the id survives the rename");
}

#[test]
fn names_that_are_wrong_get_help() {
    let project = shop();
    project
        .run(&["show", "Prise"])
        .fails_with(2, "did you mean: example.com/shop.Price");
    project.write("//- other.go\npackage shop\n\ntype A struct{}\ntype B struct{}\n\nfunc (a A) Run() {}\nfunc (b B) Run() {}\n");
    project
        .run(&["show", "Run"])
        .fails_with(2, "`Run` names 2 definitions:");
}

#[test]
fn log_follows_renames() {
    let project = shop();
    let text = project.run(&["index", "--rev", "..HEAD"]).ok().stdout;
    assert_eq!(text.lines().count(), 3, "{text}");
    let log = project.run(&["log", "basePrice"]).ok();
    assert!(
        log.stdout.contains("renamed from example.com/shop.base"),
        "{log:#?}"
    );
    let log = project.run(&["log", "Price", "--json"]).ok().stdout;
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("\"signature\""), "{log}");
}

#[test]
fn store_commands() {
    let project = shop();
    project
        .run(&["store", "ls"])
        .fails_with(2, "`renyi index` makes one");
    project.run(&["index", "--summary"]).ok();
    let names = project.run(&["store", "ls"]).ok().stdout;
    let map = names.split_whitespace().nth(1).unwrap().to_owned();
    assert!(names.contains("worktrees/main"), "{names}");
    assert!(project.run(&["store", "cat", &map]).ok().json()["definitions"] == 4);
    assert!(project.run(&["store", "cat", &map[..14]]).ok().json()["definitions"] == 4);
    assert!(project.run(&["store", "stats", "--json"]).ok().json()["kinds"]["map"]["objects"] == 1);
    assert!(
        project
            .run(&["store", "verify"])
            .ok()
            .stdout
            .contains("all sound")
    );
    assert_eq!(
        project
            .run(&["index", "--store", "elsewhere", "--summary"])
            .ok()
            .code,
        0
    );
    assert!(project.path().join("elsewhere/format").exists());
}

#[test]
fn one_file_with_what_it_refers_to() {
    let project = Project::new(
        "//- go.mod\nmodule example.com/m\n//- a/a.go\npackage a\n\nimport \"example.com/m/b\"\n\nfunc A() int { return b.B() }\n//- b/b.go\npackage b\n\nfunc B() int { return 1 }\n//- c/c.go\npackage c\n\nfunc C() int { return 1 }\n",
    );
    let text = project.run(&["index", "a/a.go", "--store", "s"]).ok().stdout;
    assert!(text.contains("2 modules, 2 definitions"), "{text}");
}

#[test]
fn completions_and_help() {
    let project = Project::new("");
    assert!(
        project
            .run(&["completions", "bash"])
            .ok()
            .stdout
            .contains("renyi")
    );
    for command in ["index", "diff", "show", "log", "store", "completions"] {
        let help = project.run(&[command, "--help"]).ok().stdout;
        assert!(help.contains("Usage:"), "{help}");
    }
    assert_eq!(project.run(&["frobnicate"]).code, 2);
}

#[test]
fn log_follows_files_and_types() {
    let project =
        Project::new("//- a.py\nclass A:\n    def m(self):\n        return 1\n\n\ndef f():\n    return 1\n");
    project.commit("one");
    project.put(
        "a.py",
        b"class A:\n    def m(self):\n        return 2\n\n\ndef f():\n    return 2\n",
    );
    project.commit("two");
    fs::rename(project.path().join("a.py"), project.path().join("b.py")).unwrap();
    project.commit("move");
    project.put(
        "b.py",
        b"class B:\n    def m(self):\n        return 2\n\n\ndef f():\n    return 2\n",
    );
    project.commit("rename");
    project.run(&["index", "--rev", "..HEAD"]).ok();
    let function = project.run(&["log", "f"]).ok().stdout;
    assert!(
        function.contains("moved from a") && function.contains("a.f  body"),
        "{function}"
    );
    let method = project.run(&["log", "B.m"]).ok().stdout;
    assert!(method.contains("renamed from b.A"), "{method}");
    assert!(
        method.contains("moved from a") && method.contains("a.A.m  body"),
        "{method}"
    );
}

#[test]
fn modules_of_one_name_are_told_apart() {
    let test = |name: &str| format!("from conftest import load\n\n\ndef test_{name}():\n    assert load()\n");
    let project = Project::new("");
    for (name, result) in [("one", "1"), ("two", "2")] {
        project.put(
            &format!("{name}/conftest.py"),
            format!("def load():\n    return {result}\n").as_bytes(),
        );
        project.put(&format!("{name}/test_{name}.py"), test(name).as_bytes());
    }
    let shown = project.run(&["show", "one.conftest.load", "--json"]).ok().json();
    assert_eq!(shown["location"]["file"], "one/conftest.py");
    let callers = shown["callers"].as_array().unwrap();
    assert!(
        callers
            .iter()
            .all(|caller| caller.as_str().unwrap().contains("test_one")),
        "{callers:#?}"
    );
}

#[test]
fn a_name_of_a_path_and_a_revision_is_refused() {
    let project = Project::new(FIRST);
    project.commit("first");
    project.put("docs/read.md", b"text");
    git2::Repository::open(project.path())
        .and_then(|repository| {
            let head = repository.head()?.peel_to_commit()?;
            repository.branch("docs", &head, false).map(drop)
        })
        .unwrap();
    project
        .run(&["diff", "docs"])
        .fails_with(2, "path:docs, git:docs");
    project.run(&["diff", "git:docs"]).ok();
}
