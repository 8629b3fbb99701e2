//! Prints what the front ends make of a directory.
//!
//! `dump references DIR`: one JSON line per reference that leads to a definition:
//! file, byte range, the target's file, byte range of its name, its name.
//! `dump definitions DIR`: one JSON line per definition.
//! `dump canonical DIR`: one line per definition with its canonical tokens.
//! `dump describe FILE`: all that is known of one file.
//! `dump errors DIR`: files with syntax errors; `dump stats DIR`: counts.

use std::{fs, path::Path};

use polyglot::{
    FileIndex, FrontEnd, Project, ProjectFile, front_end_for, front_ends,
    link::{Linker, Target},
    model::{DefinitionIndex, Skeleton, TokenView},
    render,
};
use rayon::prelude::*;

fn collect(root: &Path, at: &Path, files: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(at)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_symlink() || name == ".git" || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files);
            continue;
        }
        let relative = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .to_string_lossy()
            .into_owned();
        let configuration = front_ends()
            .iter()
            .any(|front_end| front_end.configuration_files().contains(&name.as_str()));
        if (configuration || front_end_for(&relative).is_some())
            && let Ok(bytes) = fs::read(&path)
        {
            files.push((relative, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}

fn main() {
    rayon::ThreadPoolBuilder::new()
        .stack_size(polyglot::link::STACK_BYTES)
        .build_global()
        .expect("a thread pool");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, path] = &arguments[..] else {
        eprintln!("usage: dump references|definitions|canonical|describe|errors|stats PATH");
        std::process::exit(2);
    };
    let root = Path::new(path);
    let mut files = Vec::new();
    if root.is_dir() {
        collect(root, root, &mut files);
    } else {
        let text = fs::read(root).expect("a readable file");
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        files.push((name, String::from_utf8_lossy(&text).into_owned()));
    }
    files.sort();
    let started = std::time::Instant::now();
    let read: Vec<(&str, &'static dyn FrontEnd, Skeleton)> = files
        .par_iter()
        .filter_map(|(path, text)| {
            let front_end = front_end_for(path)?;
            Some((path.as_str(), front_end, front_end.extract(text)))
        })
        .collect();
    let extracted = started.elapsed();
    let project = Project {
        files: read
            .iter()
            .map(|(path, front_end, skeleton)| ProjectFile {
                path,
                front_end: *front_end,
                skeleton,
            })
            .collect(),
        configuration: files
            .iter()
            .filter(|(path, _)| front_end_for(path).is_none())
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect(),
    };
    let linker = Linker::new(&project);
    let count = project.files.len() as u32;
    let linked: Vec<Vec<Target>> = (0..count)
        .into_par_iter()
        .map(|file| linker.link_file(FileIndex(file)))
        .collect();
    let total = started.elapsed();
    match mode.as_str() {
        "references" => {
            for (at, targets) in linked.iter().enumerate() {
                let file = &project.files[at];
                for (reference, target) in file.skeleton.references.iter().zip(targets) {
                    let Target::Definition(id) = target else { continue };
                    let (target_file, index) = linker.locate(*id);
                    let target_skeleton = project.file(target_file).skeleton;
                    let definition = target_skeleton.definition(index);
                    println!(
                        "{}",
                        serde_json::json!({
                            "file": file.path, "start": reference.span.start, "end": reference.span.end,
                            "target_file": project.file(target_file).path,
                            "target_start": definition.name_span.start, "target_end": definition.name_span.end,
                            "target": target_skeleton.str(definition.qualified),
                        })
                    );
                }
            }
        }
        "definitions" => {
            for file in &project.files {
                for definition in &file.skeleton.definitions {
                    println!(
                        "{}",
                        serde_json::json!({
                            "file": file.path, "start": definition.name_span.start,
                            "end": definition.name_span.end, "kind": definition.kind.name(),
                            "definition": file.skeleton.str(definition.qualified),
                        })
                    );
                }
            }
        }
        "canonical" => {
            for (at, targets) in linked.iter().enumerate() {
                let file = FileIndex(at as u32);
                let skeleton = project.file(file).skeleton;
                for index in 0..skeleton.definitions.len() as u32 {
                    let definition = skeleton.definition(DefinitionIndex(index));
                    println!(
                        "{} {} {}: {}",
                        project.file(file).path,
                        definition.kind.name(),
                        skeleton.str(definition.qualified),
                        render::canonical(&linker, &project, targets, file, definition)
                    );
                }
            }
        }
        "describe" => print!("{}", render::describe(&linker, &project, FileIndex(0))),
        "errors" => {
            for file in project.files.iter().filter(|file| file.skeleton.errors > 0) {
                let first = &file.skeleton.diagnostics[0];
                println!(
                    "{}:{}:{}: {} ({} errors)",
                    file.path, first.line, first.column, first.message, file.skeleton.errors
                );
            }
        }
        _ => {
            let definitions = linker.definition_count();
            let (mut tokens, mut references, mut resolved, mut libraries) = (0, 0, 0, 0);
            for (at, targets) in linked.iter().enumerate() {
                let skeleton = project.files[at].skeleton;
                tokens += skeleton.tokens.len();
                for token in &skeleton.tokens {
                    if let TokenView::Reference(index) = token.view() {
                        references += 1;
                        match targets[index as usize] {
                            Target::Definition(_) => resolved += 1,
                            Target::Library(_) => libraries += 1,
                            _ => {}
                        }
                    }
                }
            }
            let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
            println!(
                "{} files, {bytes} bytes, {definitions} definitions, {tokens} tokens, {references} references: {resolved} resolved, {libraries} library; extract {extracted:?}, with link {total:?}",
                read.len()
            );
        }
    }
}
