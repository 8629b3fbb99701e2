fn add(a: u8) -> u8 { a }
#[cfg(test)]
mod tests {
    use super::*;
    fn helper() -> u8 { add(1) }
    /// It adds.
    #[test]
    fn adds() { assert_eq!(helper(), super::add(1)); }
    #[tokio::test]
    async fn waits() { if helper() > 1 { for _ in 0..3 { match 1 { 1 => {} _ => {} } } } }
}
