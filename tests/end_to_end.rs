//! Drives the built binary.
