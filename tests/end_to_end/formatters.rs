//! What a formatter may change does not count: real packages, the real
//! formatters, with default options and with odd ones; after formatting, the
//! diff reports nothing.
//!
//! Packages come from the registries and are kept under `RENYI_TOOLS` (default
//! `target/tools`). Without a tool a test says so and passes, unless
//! RENYI_REQUIRE_TOOLS is set, as it is in CI.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::project::{Run, repository};

/// Where packages are kept between runs.
fn kept() -> PathBuf {
    let tools =
        std::env::var_os("RENYI_TOOLS").map_or_else(|| repository().join("target/tools"), PathBuf::from);
    let kept = tools.join("packages");
    fs::create_dir_all(&kept).unwrap();
    kept
}

/// Runs a script; false if it failed and nothing demands that it succeed.
fn shell(directory: &Path, script: &str) -> bool {
    let output = Command::new("sh")
        .args(["-ec", script])
        .current_dir(directory)
        .output()
        .unwrap();
    let done = output.status.success();
    if !done {
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(
            std::env::var_os("RENYI_REQUIRE_TOOLS").is_none(),
            "`{script}` failed: {why}"
        );
        eprintln!("not run: `{script}` failed: {why}");
    }
    done
}

/// The program that a test needs is there.
fn has(program: &str) -> bool {
    shell(Path::new("."), &format!("command -v {program} >/dev/null"))
}

/// A package fetched by a script that leaves it in a directory of its name.
fn package(name: &str, fetch: &str) -> Option<PathBuf> {
    let kept = kept();
    let place = kept.join(name);
    if !place.is_dir() {
        let work = TempDir::new_in(&kept).unwrap();
        if !shell(work.path(), fetch) {
            return None;
        }
        // Another test may have been faster.
        let _ = fs::rename(work.path().join(name), &place);
    }
    place.is_dir().then_some(place)
}

fn pypi(package: &str, version: &str) -> String {
    format!(
        "python3 -m pip download -q --no-deps --no-build-isolation --no-binary :all: {package}=={version} || \
         python3 -m pip download -q --no-deps {package}=={version}; \
         mkdir {package}; for archive in *.tar.gz; do [ -e \"$archive\" ] && tar xf \"$archive\" -C {package} --strip-components 1; done; \
         for wheel in *.whl; do [ -e \"$wheel\" ] && python3 -m zipfile -e \"$wheel\" {package}; done; ls {package}/* >/dev/null"
    )
}

fn npm(name: &str, package: &str, version: &str, part: &str) -> String {
    format!("npm pack --silent {package}@{version} >/dev/null && tar xf *.tgz && mv package/{part} {name}")
}

/// The sources of a crate that this workspace is built from.
fn registry_crate(name: &str) -> PathBuf {
    // Without a platform, cargo asks for the packages of every platform, and a
    // build has only fetched those of its own.
    let host = Command::new("rustc")
        .args(["--print", "host-tuple"])
        .output()
        .unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", String::from_utf8_lossy(&host.stdout).trim()])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let manifest = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|package| package["name"] == name)
        .and_then(|package| package["manifest_path"].as_str())
        .unwrap_or_else(|| panic!("{name}: not a dependency of this workspace"));
    Path::new(manifest).parent().unwrap().to_owned()
}

/// Copies a package, formats the copy, and compares: first odd options and then
/// the default, so that every package is changed whatever style it was in.
fn check(package: &Path, steps: &[&str]) {
    let work = TempDir::new().unwrap();
    let store = work.path().join("store");
    let name = package.file_name().unwrap().to_string_lossy().into_owned();
    // All copies have the directory's name: some languages name modules by it.
    let copy = |step: usize| work.path().join(step.to_string()).join(&name);
    fs::create_dir_all(copy(0).parent().unwrap()).unwrap();
    copy_directory(package, &copy(0));
    for (step, script) in steps.iter().enumerate() {
        fs::create_dir_all(copy(step + 1).parent().unwrap()).unwrap();
        copy_directory(&copy(step), &copy(step + 1));
        if !shell(&copy(step + 1), script) {
            return;
        }
        let output = Command::new(env!("CARGO_BIN_EXE_renyi"))
            .args(["diff", "-q", "--store"])
            .args([
                &store,
                Path::new("--path"),
                &copy(step),
                &copy(step),
                &copy(step + 1),
            ])
            .output()
            .unwrap();
        let run = Run::of(output);
        assert!(
            run.code == 0 && run.stdout.contains("no changes in any definition"),
            "{name}, after `{script}`: {}\n{}",
            run.stdout.lines().take(20).collect::<Vec<_>>().join("\n"),
            run.stderr
        );
    }
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy_directory(&entry.path(), &target);
        } else if kind.is_file() {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Go sources as no gofmt would leave them: no indentation, doubled blank lines,
/// spaces before brackets. Files with raw strings are left as they are.
fn mangle_go(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            mangle_go(&path);
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        if path.extension().is_none_or(|extension| extension != "go")
            || text.contains('`')
            || text.contains("/*")
        {
            continue;
        }
        let mangled: String = text
            .lines()
            .map(|line| line.trim_start().to_owned() + "\n")
            .collect();
        fs::write(&path, mangled.replace("\n\n", "\n\n\n")).unwrap();
    }
}

#[test]
fn gofmt() {
    if !has("gofmt") {
        return;
    }
    for name in ["net/http", "go/types", "encoding"] {
        let found = ["/usr/share/go-1.19/src", "/usr/lib/go/src", "/usr/local/go/src"]
            .iter()
            .map(|root| Path::new(root).join(name))
            .find(|path| path.is_dir());
        let Some(source) = found else {
            assert!(
                std::env::var_os("RENYI_REQUIRE_TOOLS").is_none(),
                "Go's sources are needed"
            );
            eprintln!("not run: no Go sources here");
            return;
        };
        let mangled = TempDir::new().unwrap();
        let copy = mangled.path().join(source.file_name().unwrap());
        copy_directory(&source, &copy);
        // Broken on purpose: gofmt refuses them.
        shell(&copy, "find . -name testdata -prune -exec rm -rf {} +");
        mangle_go(&copy);
        check(&copy, &["gofmt -w ."]);
    }
}

#[test]
fn rustfmt() {
    if !has("rustfmt") {
        return;
    }
    let format = |options: &str| {
        format!(
            "find . -name '*.rs' -not -path './target/*' -print0 | xargs -0 -n 40 rustfmt --edition 2021 --config skip_children=true,{options} 2>/dev/null || \
            find . -name '*.rs' -print0 | xargs -0 -n 1 rustfmt --edition 2021 --config {options} 2>/dev/null || true"
        )
    };
    let narrow = format("max_width=60,use_small_heuristics=Off,hard_tabs=true");
    let wide = format("max_width=100");
    for name in ["serde_json", "clap_builder", "rayon"] {
        let package = registry_crate(name);
        let copy = TempDir::new().unwrap();
        let sources = copy.path().join(name);
        copy_directory(&package, &sources);
        check(&sources, &[&narrow, &wide]);
    }
}

#[test]
fn ruff_and_black() {
    if !has("ruff") || !has("black") {
        return;
    }
    let packages = [("requests", "2.32.3"), ("click", "8.1.8"), ("sqlparse", "0.5.3")];
    for (name, version) in packages {
        let Some(package) = package(name, &pypi(name, version)) else {
            return;
        };
        check(
            &package,
            &[
                "ruff format --no-cache --isolated -q --config 'line-length=60' --config 'format.quote-style=\"single\"' .",
                "black -q --workers 1 .",
                "ruff format --no-cache --isolated -q .",
            ],
        );
    }
}

#[test]
fn prettier() {
    if !has("prettier") {
        return;
    }
    let packages = [
        ("rxjs", "7.8.2", "src"),
        ("preact", "10.26.4", "src"),
        ("zod", "3.24.2", "lib"),
    ];
    let odd = "prettier --log-level error --no-config --print-width 60 --single-quote --trailing-comma none --arrow-parens avoid";
    let default = "prettier --log-level error --no-config --write .";
    for (name, version, part) in packages {
        let Some(package) = package(name, &npm(name, name, version, part)) else {
            return;
        };
        // The grammar cannot read the type of several lines before a member
        // named `in` that preact has, if no semicolon parts them.
        let semicolons = if name == "preact" { "" } else { " --no-semi" };
        check(&package, &[&format!("{odd}{semicolons} --write ."), default]);
    }
}
