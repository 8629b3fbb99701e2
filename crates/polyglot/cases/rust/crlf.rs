use std::fs;
/// Reads
/// it.
///
/// More.
pub fn read() {
    fs::read("a
b");
}
