//! The floor: read every source file of a directory, hash its bytes, parse it
//! with the grammar that renyi uses, and visit every node. No indexer on the
//! same grammars can cost less; `cargo xtask bench` runs it beside the index.

use std::{fs, path::PathBuf};

use rayon::prelude::*;
use tree_sitter::{Language, Parser};

fn language(path: &std::path::Path) -> Option<Language> {
    Some(match path.extension()?.to_str()? {
        "go" => tree_sitter_go::LANGUAGE.into(),
        "js" | "jsx" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE.into(),
        "py" | "pyi" => tree_sitter_python::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        _ => return None,
    })
}

fn main() {
    let root = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let files: Vec<PathBuf> = ignore::WalkBuilder::new(root)
        .require_git(false)
        .git_global(false)
        .filter_entry(|entry| entry.file_name() != "node_modules")
        .build()
        .flatten()
        .map(ignore::DirEntry::into_path)
        .filter(|path| path.is_file() && language(path).is_some())
        .collect();
    let totals = files
        .par_iter()
        .map(|path| measure(path))
        .reduce(|| (0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 ^ b.2));
    println!(
        "{} files, {} bytes, {} nodes, check {:x}",
        files.len(),
        totals.0,
        totals.1,
        totals.2
    );
}

/// Bytes, nodes, and something of the hash so that it is not optimised away.
fn measure(path: &std::path::Path) -> (usize, usize, u8) {
    let (Ok(bytes), Some(language)) = (fs::read(path), language(path)) else {
        return (0, 0, 0);
    };
    let check = blake3::hash(&bytes).as_bytes()[0];
    let mut parser = Parser::new();
    if parser.set_language(&language).is_err() {
        return (bytes.len(), 0, check);
    }
    let Some(tree) = parser.parse(&bytes, None) else {
        return (bytes.len(), 0, check);
    };
    let mut cursor = tree.walk();
    let mut nodes = 1;
    loop {
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            nodes += 1;
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return (bytes.len(), nodes, check);
            }
            if cursor.goto_next_sibling() {
                nodes += 1;
                break;
            }
        }
    }
}
