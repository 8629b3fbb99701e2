//! End-to-end tests drive the built `renyi` binary; see `end_to_end.rs`.
