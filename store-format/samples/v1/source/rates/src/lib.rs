//! Exchange rates.

use std::collections::HashMap;
use std::fs;
use std::io;

pub mod table;

use table::Table;

/// Something with a rate.
pub trait Rated {
    fn rate(&self, currency: &str) -> Option<f64>;

    fn has(&self, currency: &str) -> bool {
        self.rate(currency).is_some()
    }
}

impl Rated for Table {
    fn rate(&self, currency: &str) -> Option<f64> {
        self.find(currency)
    }
}

/// Reads a table.
pub fn read(path: &str) -> io::Result<Table> {
    let text = fs::read_to_string(path)?;
    Ok(parse(&text))
}

fn parse(text: &str) -> Table {
    let mut rates = HashMap::new();
    for line in text.lines() {
        if let Some((currency, rate)) = line.split_once(' ') {
            rates.insert(currency.to_owned(), rate.parse().unwrap_or(1.0));
        }
    }
    Table::new(rates)
}

pub fn is_even(n: u64) -> bool {
    n == 0 || is_odd(n - 1)
}

pub fn is_odd(n: u64) -> bool {
    n != 0 && is_even(n - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses() {
        assert!(parse("EUR 2").has("EUR"));
    }
}
