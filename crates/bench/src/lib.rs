//! Inputs of any size for measurements and properties.

pub mod renyi;
