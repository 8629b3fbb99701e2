//! The declarations of the standard library that this crate carries.

/// A library module's name and its source.
pub const LIBRARY: &[(&str, &str)] = &[
    ("std.prelude", include_str!("../library/prelude.ry")),
    ("std.console", include_str!("../library/console.ry")),
    ("std.csv", include_str!("../library/csv.ry")),
    ("std.environment", include_str!("../library/environment.ry")),
    ("std.filesystem", include_str!("../library/filesystem.ry")),
    ("std.foreign", include_str!("../library/foreign.ry")),
    ("std.http", include_str!("../library/http.ry")),
    ("std.json", include_str!("../library/json.ry")),
    ("std.process", include_str!("../library/process.ry")),
    ("std.python", include_str!("../library/python.ry")),
    ("std.random", include_str!("../library/random.ry")),
    ("std.regex", include_str!("../library/regex.ry")),
    ("std.server", include_str!("../library/server.ry")),
    ("std.sqlite", include_str!("../library/sqlite.ry")),
    ("std.time", include_str!("../library/time.ry")),
];

/// Stands in every hash of what the library says; changed with the declarations alone.
pub const LIBRARY_VERSION: u32 = 1;

pub const PRELUDE: &str = "std.prelude";

/// The source of a library module by its name.
pub fn library_source(name: &str) -> Option<&'static str> {
    let found = LIBRARY.iter().find(|(module, _)| *module == name);
    found.map(|(_, source)| *source)
}
