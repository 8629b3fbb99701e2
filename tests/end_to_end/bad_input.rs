//! Input nobody should give, and disks that do not do their part: a clear
//! error or a partial result that says so; nothing lost, no panic.

use std::{fs, os::unix::fs::symlink, process::Command};

use crate::project::{Project, Run};

const PYTHON: &str = "//- app.py\ndef greet(name):\n    return name\n";

#[test]
fn not_a_directory() {
    let project = Project::new("");
    project
        .run(&["index", "nowhere"])
        .fails_with(2, "nowhere: cannot read");
    project.put("notes.txt", b"hello");
    project
        .run(&["index", "notes.txt"])
        .fails_with(2, "expected a source file of the project");
}

#[test]
fn an_empty_project_says_so() {
    let project = Project::new("");
    let run = project.run(&["index", "--summary"]).ok();
    assert!(run.stderr.contains("no definition was found"), "{run:#?}");
}

#[test]
fn a_file_that_is_not_text_is_partial() {
    let project = Project::new(PYTHON);
    project.put("blob.py", b"def f():\0\n");
    let run = project.run(&["index", "--summary"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(run.stderr.contains("blob.py: byte 8: a NUL"), "{run:#?}");
    assert!(run.stdout.contains("1 function"), "{run:#?}");
}

#[test]
fn bytes_that_are_not_utf8_keep_the_rest_of_the_file() {
    let project = Project::new("");
    project.put("latin.py", b"# caf\xe9\ndef f():\n    return 'caf\xe9'\n");
    let run = project.run(&["show", "f"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(run.stderr.contains("latin.py: byte 5: not UTF-8"), "{run:#?}");
    assert!(run.stdout.contains("def f():"), "{run:#?}");
}

#[test]
fn a_huge_file_is_left_out_and_named() {
    let project = Project::new(PYTHON);
    let line = "x = 1\n".repeat(1 << 20);
    project.put("huge.py", line.repeat(9).as_bytes());
    let run = project.run(&["index", "--summary"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(
        run.stderr.contains("huge.py: ") && run.stderr.contains("bytes long"),
        "{run:#?}"
    );
}

#[test]
fn deep_nesting_neither_overflows_nor_hangs() {
    let project = Project::new("");
    for (name, open, close) in [
        ("a.py", "(", ")"),
        ("b.js", "[", "]"),
        ("c.rs", "{", "}"),
        ("d.go", "(", ")"),
        ("e.ts", "{", "}"),
    ] {
        let deep = 100_000;
        project.put(
            name,
            format!("{}{}", open.repeat(deep), close.repeat(deep)).as_bytes(),
        );
    }
    project.run(&["index", "--summary"]).ok();
}

#[test]
fn a_minified_file_is_one_definition() {
    let project = Project::new("");
    let line: String = (0..20_000)
        .map(|at| format!("function f{at}(a){{return a+{at}}};"))
        .collect();
    project.put("bundle.js", line.as_bytes());
    let run = project.run(&["index", "--summary"]).ok();
    // Its names change with every build, so they are no names of the project.
    assert!(run.stdout.contains("1 module"), "{run:#?}");
    let text = line.replace("};", "};\n");
    project.put("bundle.js", text.as_bytes());
    let run = project.run(&["index", "--summary"]).ok();
    assert!(run.stdout.contains("20000 functions"), "{run:#?}");
}

#[test]
fn line_ends_and_byte_order_marks_do_not_count() {
    let plain = Project::new(PYTHON);
    let other = Project::new("");
    other.put("app.py", b"\xef\xbb\xbfdef greet(name):\r\n    return name\r\n");
    let id = |project: &Project| project.run(&["show", "greet", "--json"]).ok().json()["id"].clone();
    assert_eq!(id(&plain), id(&other));
}

#[test]
fn links_are_not_followed() {
    let project = Project::new(PYTHON);
    let outside = Project::new("//- secret.py\ndef secret(): pass\n");
    symlink(project.path(), project.path().join("loop")).unwrap();
    symlink(outside.path(), project.path().join("out")).unwrap();
    symlink(outside.path().join("secret.py"), project.path().join("link.py")).unwrap();
    let run = project.run(&["index", "--summary"]).ok();
    assert!(run.stdout.contains("1 function"), "{run:#?}");
}

#[test]
fn two_definitions_of_one_name_are_two() {
    let project = Project::new("//- app.py\ndef f():\n    return 1\n\ndef f():\n    return 2\n");
    let run = project.run(&["index"]).ok();
    assert!(
        run.stdout.contains("app.f ") && run.stdout.contains("app.f~2 "),
        "{run:#?}"
    );
}

#[test]
fn revisions_that_are_not_there() {
    let project = Project::new(PYTHON);
    project
        .run(&["index", "--rev", "HEAD"])
        .fails_with(2, "no git repository here or above");
    project.commit("first");
    project
        .run(&["index", "--rev", "v9"])
        .fails_with(2, "`v9` is not a revision here");
    project
        .run(&["diff", "nothing-of-the-kind"])
        .fails_with(2, "is not a base");
}

#[test]
fn a_shallow_clone_is_named_as_the_reason() {
    let project = Project::new(PYTHON);
    project.commit("first");
    project.put("app.py", b"def greet(name):\n    return 2\n");
    project.commit("second");
    let clone = Project::new("");
    let url = format!("file://{}", project.path().display());
    let status = Command::new("git")
        .args(["clone", "-q", "--depth", "1", &url, "clone"])
        .current_dir(clone.path())
        .status();
    assert!(status.unwrap().success());
    clone.run(&["index", "clone", "--rev", "HEAD", "--summary"]).ok();
    clone
        .run(&["index", "clone", "--rev", "HEAD~1"])
        .fails_with(2, "this clone is shallow");
}

#[test]
fn a_submodule_is_not_entered_by_revision() {
    let inner = Project::new("//- inner.py\ndef inner(): pass\n");
    inner.commit("inner");
    let project = Project::new(PYTHON);
    project.commit("first");
    let url = inner.path().display().to_string();
    let status = Command::new("git")
        .args([
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            &url,
            "sub",
        ])
        .current_dir(project.path())
        .status();
    assert!(status.unwrap().success());
    project.commit("with a submodule");
    let run = project.run(&["index", "--rev", "HEAD", "--summary"]).ok();
    assert!(run.stdout.contains("1 function"), "{run:#?}");
    project.run(&["diff", "HEAD"]).ok();
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let project = Project::new(PYTHON);
    project.run(&["index", "--summary"]).ok();
    let format = project.path().join(".renyi/format");
    let text = fs::read_to_string(&format).unwrap();
    let mut permissions = fs::metadata(&format).unwrap().permissions();
    #[allow(clippy::permissions_set_readonly_false, reason = "a file of the test's own")]
    permissions.set_readonly(false);
    fs::set_permissions(&format, permissions).unwrap();
    fs::write(&format, text.replace('1', "9")).unwrap();
    project
        .run(&["index", "--summary"])
        .fails_with(2, "use a newer renyi");
}

/// Runs with a fault injected into system calls; `None` where strace cannot be
/// had and nothing demands it.
fn with_fault(project: &Project, inject: &str, arguments: &[&str]) -> Option<Run> {
    let traced = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", inject])
        .arg(env!("CARGO_BIN_EXE_renyi"))
        .args(arguments)
        .current_dir(project.path())
        .env_remove("RENYI_STORE")
        .output();
    match traced {
        Ok(output) => Some(Run::of(output)),
        Err(error) => {
            assert!(
                std::env::var_os("RENYI_REQUIRE_TOOLS").is_none(),
                "strace is needed: {error}"
            );
            None
        }
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let project = Project::new(PYTHON);
    project.run(&["index", "--summary"]).ok();
    project.put("more.py", b"def more():\n    return greet(1)\n");
    for (call, when) in [
        ("write,pwrite64", 1),
        ("fsync,fdatasync", 1),
        ("fsync,fdatasync", 2),
        ("rename,renameat,renameat2,link,linkat", 1),
    ] {
        let inject = format!("inject={call}:error=ENOSPC:when={when}+");
        let Some(run) = with_fault(&project, &inject, &["index", "--summary", "-q"]) else {
            return;
        };
        assert!(
            run.code == 2 || run.code == 0 || run.code == 1,
            "{inject}: {run:#?}"
        );
        assert!(!run.stderr.contains("panicked"), "{inject}: {run:#?}");
        let verified = project.run(&["store", "verify"]).ok();
        assert!(verified.stdout.contains("all sound"), "{inject}: {verified:#?}");
    }
    project.run(&["index", "--summary"]).ok();
    assert!(project.run(&["show", "more"]).ok().stdout.contains("def more"));
}

#[test]
fn killed_at_every_write_loses_nothing() {
    let project = Project::new(PYTHON);
    project.run(&["index", "--summary"]).ok();
    let before = project.run(&["store", "ls"]).ok().stdout;
    project.put("more.py", b"def more():\n    return 1\n");
    // Each class of calls by itself, so that every one of them is the last once.
    for calls in [
        "write,pwrite64,ftruncate",
        "fsync,fdatasync",
        "rename,renameat,renameat2,link,linkat",
        "unlink,unlinkat",
        "mkdir,mkdirat",
    ] {
        for when in 1..200 {
            let inject = format!("inject={calls}:signal=KILL:when={when}");
            let arguments = ["index", "--summary", "-q"];
            let Some(run) = with_fault(&project, &inject, &arguments) else {
                return;
            };
            let verified = project.run(&["store", "verify"]).ok();
            assert!(verified.stdout.contains("all sound"), "{inject}: {verified:#?}");
            let now = project.run(&["store", "ls"]).ok().stdout;
            assert!(now == before || now.lines().count() == 1, "{inject}: {now}");
            let survived = run.code == 0;
            if survived {
                break;
            }
        }
        // The next round starts from a state that lacks what it will write.
        project.put(
            "more.py",
            format!("def more():\n    return {}\n", calls.len()).as_bytes(),
        );
    }
    project.run(&["index", "--summary"]).ok();
    assert!(project.run(&["show", "more"]).ok().stdout.contains("def more"));
}

#[test]
fn processes_that_index_at_once_lose_nothing() {
    let store = tempfile::TempDir::new().unwrap();
    let projects: Vec<Project> = (0..6)
        .map(|at| {
            let project = Project::new(PYTHON);
            project.put("own.py", format!("def own_{at}():\n    return {at}\n").as_bytes());
            project.commit("first");
            project
        })
        .collect();
    let start = |project: &Project, revision: bool| {
        let mut command = project.command(&["index", "--summary", "-q", "--store"]);
        command.arg(store.path());
        if revision {
            command.args(["--rev", "HEAD"]);
        }
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let running: Vec<_> = projects
        .iter()
        .flat_map(|project| [start(project, true), start(project, false), start(project, true)])
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let there = |project: &Project, arguments: &[&str]| {
        Run::of(
            project
                .command(arguments)
                .arg("--store")
                .arg(store.path())
                .output()
                .unwrap(),
        )
        .ok()
    };
    for (at, project) in projects.iter().enumerate() {
        let shown = there(project, &["show", &format!("own_{at}"), "--base", "HEAD"]);
        assert!(shown.stdout.contains(&format!("def own_{at}")), "{shown:#?}");
    }
    let names = there(&projects[0], &["store", "ls"]).stdout;
    assert_eq!(
        names.lines().filter(|line| line.contains("  git/")).count(),
        projects.len(),
        "{names}"
    );
    assert!(
        there(&projects[0], &["store", "verify"])
            .stdout
            .contains("all sound")
    );
}

#[test]
fn a_store_that_cannot_be_written_says_so() {
    let project = Project::new(PYTHON);
    let Some(run) = with_fault(
        &project,
        "inject=mkdir,mkdirat:error=EROFS",
        &["index", "--summary"],
    ) else {
        return;
    };
    run.fails_with(2, "Read-only file system");
}

#[test]
fn a_file_without_permission_is_a_problem_of_the_map() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new(PYTHON);
    project.put("locked.py", b"def locked(): pass\n");
    let locked = project.path().join("locked.py");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&locked).is_ok() {
        // The superuser reads it all the same: be somebody else.
        let open = "chmod -R a+rwX . && chmod 000 locked.py && exec setpriv --reuid=65534 --regid=65534 --clear-groups";
        let script = format!(
            "{open} {} index --summary --store store",
            env!("CARGO_BIN_EXE_renyi")
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(project.path())
            .output()
            .unwrap();
        let run = Run::of(output);
        if run.stderr.contains("setpriv") || run.stderr.contains("renyi: not found") || run.code == 126 {
            return;
        }
        assert_eq!(run.code, 1, "{run:#?}");
        assert!(
            run.stderr.contains("locked.py: ") && run.stderr.contains("Permission denied"),
            "{run:#?}"
        );
        return;
    }
    let run = project.run(&["index", "--summary"]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(
        run.stderr.contains("locked.py: ") && run.stderr.contains("Permission denied"),
        "{run:#?}"
    );
}

#[test]
fn a_closed_pipe_is_quiet() {
    let project = Project::new("");
    let functions: String = (0..5000)
        .map(|at| format!("def f{at}():\n    return {at}\n\n"))
        .collect();
    project.put("app.py", functions.as_bytes());
    let script = format!("{} index -q | head -1", env!("CARGO_BIN_EXE_renyi"));
    let run = Run::of(
        Command::new("sh")
            .args(["-c", &script])
            .current_dir(project.path())
            .output()
            .unwrap(),
    );
    assert_eq!(run.stderr, "", "{run:#?}");
}
