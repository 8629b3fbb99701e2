//! The crate at its edge: laws of identity, trees and hostile bytes.

mod hostile;
mod identity;
mod manifest;
mod vectors;
