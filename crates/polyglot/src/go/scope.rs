//! Local scopes, and what is known of the value of an expression.

use std::collections::HashMap;

use crate::model::PathId;

/// What an expression or a type means to the steps after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning {
    /// The thing itself: a value, a function, a named type.
    pub path: PathId,
    /// Of a type without a name: a value of the type.
    pub instance: Option<PathId>,
    /// Of a function value or type: what calling it gives.
    pub result: Option<PathId>,
    /// Of a struct without a name: which one.
    pub shape: Option<Shape>,
}

/// A struct type without a name, or containers of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Index into the structs that the walk has seen.
    pub index: u32,
    /// How many containers are around it.
    pub containers: u32,
}

pub(super) const UNKNOWN: Meaning = Meaning::of(PathId(0));

impl Meaning {
    pub const fn of(path: PathId) -> Self {
        Self {
            path,
            instance: None,
            result: None,
            shape: None,
        }
    }

    pub const fn composite(instance: PathId) -> Self {
        Self {
            path: PathId(0),
            instance: Some(instance),
            result: None,
            shape: None,
        }
    }

    /// What is in the struct's containers.
    pub fn inner_shape(self) -> Option<Shape> {
        let shape = self.shape?;
        let containers = shape.containers.checked_sub(1)?;
        Some(Shape { containers, ..shape })
    }

    pub fn shaped(self, shape: Option<Shape>) -> Self {
        Self { shape, ..self }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Binding {
    /// A variable, a constant or a type parameter: plain text.
    Local(Meaning),
    /// A type declared in a function, which is a definition of its own.
    Type(PathId),
}

/// Names bound in the scopes around a place.
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
        if name != "_" && !name.is_empty() {
            self.bindings.entry(name).or_default().push(binding);
            self.bound.push(name);
        }
    }

    pub fn find(&self, name: &str) -> Option<Binding> {
        if self.bound.is_empty() {
            return None;
        }
        self.bindings.get(name)?.last().copied()
    }
}
