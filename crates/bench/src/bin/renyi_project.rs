//! Writes a made Renyi project: `renyi_project DIR MODULES FUNCTIONS SEED`.

use std::path::Path;

use bench::renyi::{Shape, project};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, modules, functions, seed] = &arguments[..] else {
        return Err("usage: renyi_project DIR MODULES FUNCTIONS SEED".into());
    };
    let shape = Shape {
        seed: seed.parse()?,
        modules: modules.parse()?,
        functions: functions.parse()?,
        leaf_used_by_all: true,
    };
    for (path, text) in project(shape) {
        let file = Path::new(place).join(path);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, text)?;
    }
    Ok(())
}
