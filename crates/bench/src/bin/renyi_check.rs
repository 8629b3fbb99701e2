//! What checking and indexing a made Renyi project costs, cold and after edits, and how fast its
//! files are read beside tree-sitter: `renyi_check [MODULES] [FUNCTIONS]`.
//!
//! Medians of several runs of one process; ratios are to the cold run beside them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use bench::renyi::{Shape, project};
use check::Analysis;
use check::index::Index;
use check::project::Files;

const RUNS: usize = 5;

struct Memory(BTreeMap<String, String>);

impl Files for Memory {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).map(|text| text.clone().into_bytes())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let modules: usize = arguments.next().map_or(Ok(2_000), |text| text.parse())?;
    let functions: usize = arguments.next().map_or(Ok(45), |text| text.parse())?;
    let files = project(Shape {
        seed: 7,
        modules,
        functions,
        leaf_used_by_all: true,
    });
    let roots: Vec<String> = files.iter().skip(1).map(|(path, _)| path.clone()).collect();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let mut memory = Memory(files.into_iter().collect());

    let (cold, analysis) = timed(|| Analysis::of(&memory, &roots));
    let (indexed, index) = timed(|| Index::of(&analysis));
    let definitions = index.definitions.len();
    drop(index);
    println!(
        "| {modules} modules, {definitions} definitions, {} MB | s | definitions a second |",
        bytes / 1_000_000
    );
    println!("|---|---|---|");
    println!("| check, cold | {cold:.3} | {:.0} |", definitions as f64 / cold);
    println!(
        "| index records, cold | {indexed:.3} | {:.0} |",
        definitions as f64 / indexed
    );

    println!("\n| after editing | bodies checked | check, ms | of cold |\n|---|---|---|---|");
    let middle = modules / 2;
    let mut analysis = Some(analysis);
    for (what, module, old, new) in [
        ("one body", middle, "  return ", "  return 0 + "),
        ("one signature", middle, "input", "start"),
        (
            "the signature of a leaf that everything uses",
            0,
            "input",
            "start",
        ),
    ] {
        let file = format!("part{module:05}.ry");
        let mut times = Vec::new();
        let mut checked = 0;
        for _ in 0..RUNS {
            let before = memory.0[&file].clone();
            let after = edited(&before, module, old, new);
            if after == before {
                return Err(format!("{file} has no `{old}`").into());
            }
            for (round, text) in [after, before].into_iter().enumerate() {
                memory.0.insert(file.clone(), text.clone());
                let Some(earlier) = analysis.take() else { continue };
                let started = Instant::now();
                let next = earlier.edit(&file, &text, &memory, &roots);
                if round == 0 {
                    times.push(started.elapsed().as_secs_f64());
                    checked = next.checked;
                }
                analysis = Some(next);
            }
        }
        let median = median(&mut times);
        println!(
            "| {what} | {checked} | {:.2} | 1/{:.0} |",
            median * 1e3,
            cold / median
        );
    }

    println!("\n| reading | MB | MB/s |\n|---|---|---|");
    let text: Vec<&String> = memory.0.values().take(200).collect();
    speed("Renyi tokens", &text, |source| {
        syntax::lex::lex(source);
    });
    speed("Renyi tree", &text, |source| {
        syntax::parse(source, syntax::Mode::Module);
    });
    speed("Renyi, canonical layout", &text, |source| {
        let _ = syntax::format::format(source, syntax::Mode::Module);
    });
    let own = own_sources(Path::new("crates"))?;
    let own: Vec<&String> = own.iter().collect();
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_rust::LANGUAGE.into())?;
    speed(
        "Rust by tree-sitter (the sources of this project)",
        &own,
        |source| {
            parser.parse(source, None);
        },
    );
    Ok(())
}

/// The file with a text replaced in the first function of its module.
fn edited(text: &str, module: usize, old: &str, new: &str) -> String {
    let start = text
        .find(&format!("public function step_{module}_0("))
        .unwrap_or_default();
    let end = text[start..]
        .find("\nend\n")
        .map_or(text.len(), |end| start + end);
    [&text[..start], &text[start..end].replace(old, new), &text[end..]].concat()
}

fn timed<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..3 {
        drop(last.take());
        let started = Instant::now();
        last = Some(work());
        times.push(started.elapsed().as_secs_f64());
    }
    let Some(last) = last else {
        unreachable!("three runs")
    };
    (median(&mut times), last)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn speed(what: &str, texts: &[&String], mut read: impl FnMut(&str)) {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            texts.iter().for_each(|text| read(text));
            started.elapsed().as_secs_f64()
        })
        .collect();
    let megabytes = bytes as f64 / 1e6;
    println!(
        "| {what} | {megabytes:.1} | {:.0} |",
        megabytes / median(&mut times)
    );
}

fn own_sources(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources.extend(own_sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(std::fs::read_to_string(path)?);
        }
    }
    Ok(sources)
}
