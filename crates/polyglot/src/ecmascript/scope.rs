//! Local scopes.

use std::collections::HashMap;

use crate::model::PathId;

#[derive(Debug, Clone, Copy)]
pub(super) enum Binding {
    /// A variable or a parameter: plain text. The path is what its value is.
    Local(PathId),
    /// A definition inside a function, or something imported there.
    Named(PathId),
}

/// Names of one space bound in the scopes around a place.
#[derive(Default)]
pub(super) struct Scopes<'s> {
    bindings: HashMap<&'s str, Vec<Binding>>,
    bound: Vec<&'s str>,
    marks: Vec<usize>,
}

impl<'s> Scopes<'s> {
    pub fn enter(&mut self) {
        self.marks.push(self.bound.len());
    }

    pub fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for name in self.bound.drain(mark..) {
            if let Some(bindings) = self.bindings.get_mut(name) {
                bindings.pop();
            }
        }
    }

    pub fn bind(&mut self, name: &'s str, binding: Binding) {
        self.bindings.entry(name).or_default().push(binding);
        self.bound.push(name);
    }

    /// Says what a name that is bound already means.
    pub fn update(&mut self, name: &str, binding: Binding) {
        if let Some(last) = self.bindings.get_mut(name).and_then(|found| found.last_mut()) {
            *last = binding;
        }
    }

    pub fn find(&self, name: &str) -> Option<Binding> {
        if self.bound.is_empty() {
            return None;
        }
        self.bindings.get(name)?.last().copied()
    }
}
