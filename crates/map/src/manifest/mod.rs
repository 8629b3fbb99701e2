//! The Merkle tree over source files.
