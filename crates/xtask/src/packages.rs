//! Ten packages of each language from their registries, indexed twice: the
//! first run must succeed, the second must write no object.
//!
//! Rust sources are those of this workspace's own dependencies; Go packages are those that Debian
//! distributes, beside parts of the installed toolchain.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::bail;

use crate::bench::shell;

const PYTHON: [&str; 10] = [
    "requests==2.32.3",
    "click==8.1.8",
    "flask==3.1.0",
    "attrs==24.3.0",
    "rich==13.9.4",
    "sqlparse==0.5.3",
    "httpx==0.28.1",
    "jinja2==3.1.5",
    "pydantic==2.10.4",
    "networkx==3.4.2",
];
const NPM: [(&str, &str); 10] = [
    ("rxjs@7.8.2", "src"),
    ("zod@3.24.2", "."),
    ("preact@10.26.4", "src"),
    ("date-fns@4.1.0", "."),
    ("hono@4.6.16", "."),
    ("express@4.21.2", "."),
    ("lodash@4.17.21", "."),
    ("immer@10.1.1", "src"),
    ("three@0.172.0", "src"),
    ("typescript@5.7.3", "lib"),
];
const RUST: [&str; 10] = [
    "clap_builder",
    "serde_json",
    "rayon",
    "git2",
    "regex-automata",
    "ignore",
    "indicatif",
    "toml",
    "proptest",
    "libc",
];
const GO: [&str; 10] = [
    "golang-github-gorilla-mux-dev",
    "golang-github-spf13-cobra-dev",
    "golang-github-sirupsen-logrus-dev",
    "golang-github-stretchr-testify-dev",
    "golang-github-prometheus-client-golang-dev",
    "golang-github-gin-gonic-gin-dev",
    "golang-golang-x-net-dev",
    "golang-golang-x-text-dev",
    "golang-google-grpc-dev",
    "golang-github-google-go-cmp-dev",
];
/// Parts of the Go toolchain's own sources, where they are installed.
const GO_TOOLCHAIN: [&str; 4] = ["net", "go", "crypto", "cmd/compile"];

pub fn run(scratch: &Path, renyi: &Path) -> anyhow::Result<()> {
    let store = scratch.join("store-packages");
    if store.exists() {
        fs::remove_dir_all(&store)?;
    }
    println!(
        "| package | files | definitions | syntax errors | objects of the 2nd run |\n|---|---|---|---|---|"
    );
    let mut bad = 0;
    let packages = scratch.join("packages");
    for place in places(scratch)? {
        let mut facts = Vec::new();
        for _ in 0..2 {
            let output = Command::new(renyi)
                .args(["index", "--summary", "--store"])
                .arg(&store)
                .arg(&place)
                .output()?;
            let remark = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.code().is_none_or(|code| code > 1) {
                bail!("{}: {remark}", place.display());
            }
            facts.push(remark);
        }
        let again = count(&facts[1], " objects");
        bad += usize::from(again != "0");
        println!(
            "| {} | {} | {} | {} | {again} |",
            package_name(&place, &packages),
            count(&facts[0], " files"),
            count(&facts[0], " definitions"),
            count(&facts[0], " errors"),
        );
    }
    if bad > 0 {
        bail!("{bad} packages wrote objects in their second run");
    }
    Ok(())
}

/// The folder of a package among those that were fetched, else the last part of its path.
fn package_name(place: &Path, packages: &Path) -> String {
    let packages = packages.canonicalize().unwrap_or_else(|_| packages.to_owned());
    let canonical = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let fetched = canonical
        .strip_prefix(packages)
        .ok()
        .and_then(|inner| inner.iter().next());
    let name = fetched.or(place.file_name()).unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The number before a word.
fn count(remark: &str, word: &str) -> String {
    let before = remark.split(word).next().unwrap_or("");
    before
        .rsplit(|c: char| !c.is_ascii_digit())
        .find(|digits| !digits.is_empty())
        .unwrap_or("?")
        .to_owned()
}

fn places(scratch: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let root = scratch.join("packages");
    fs::create_dir_all(&root)?;
    let mut places = Vec::new();
    for package in PYTHON {
        let name = package.replace("==", "-");
        if !root.join(&name).is_dir() {
            let script = format!(
                "mkdir -p '{name}.part' && python3 -m pip download -q --no-deps -d '{name}.part' '{package}' && \
                 for wheel in '{name}.part'/*.whl; do python3 -m zipfile -e \"$wheel\" '{name}.part'; done && mv '{name}.part' '{name}'"
            );
            shell(&root, &script)?;
        }
        places.push(root.join(name));
    }
    for (package, part) in NPM {
        let name = package.replace(['@', '/'], "-");
        if !root.join(&name).is_dir() {
            let script = format!(
                "mkdir -p '{name}.part' && cd '{name}.part' && npm pack --silent '{package}' >/dev/null && tar xf *.tgz && \
                 rm *.tgz && cd .. && rm -rf '{name}.done' && mv '{name}.part'/* '{name}.done' && rmdir '{name}.part' && mv '{name}.done' '{name}'"
            );
            shell(&root, &script)?;
        }
        places.push(root.join(name).join(part).canonicalize()?);
    }
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout)?;
    for name in RUST {
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let manifest = packages
            .filter(|package| package["name"] == name)
            .find_map(|package| package["manifest_path"].as_str());
        match manifest.and_then(|manifest| Path::new(manifest).parent()) {
            Some(place) => places.push(place.to_owned()),
            None => bail!("{name} is not a dependency of this workspace any more"),
        }
    }
    for package in GO {
        if !root.join(package).is_dir() {
            let script = format!(
                "rm -rf '{package}.part' && mkdir '{package}.part' && cd '{package}.part' && apt-get download -qq '{package}' && \
                 dpkg-deb -x *.deb . && cd .. && mv '{package}.part' '{package}'"
            );
            if let Err(error) = shell(&root, &script) {
                eprintln!("{package}: {error} (Debian's packages are fetched by apt-get)");
                continue;
            }
        }
        places.push(root.join(package).join("usr/share/gocode/src"));
    }
    let roots = ["/usr/share/go-1.19/src", "/usr/lib/go/src", "/usr/local/go/src"];
    match roots.iter().map(Path::new).find(|root| root.is_dir()) {
        Some(root) => places.extend(GO_TOOLCHAIN.iter().map(|name| root.join(name))),
        None => eprintln!("no Go sources here: install golang-go"),
    }
    Ok(places)
}
