use std::collections::HashMap;

/// Rates by currency.
pub struct Table {
    rates: HashMap<String, f64>,
}

impl Table {
    pub fn new(rates: HashMap<String, f64>) -> Self {
        Self { rates }
    }

    pub fn find(&self, currency: &str) -> Option<f64> {
        self.rates.get(currency).copied()
    }
}
