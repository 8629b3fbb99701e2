//! Drives the built binary as a person would.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bad_input;
mod commands;
mod diff_cases;
mod formatters;

mod incremental;
mod project;
mod renyi_language;
mod renyi_properties;
mod store_format;
