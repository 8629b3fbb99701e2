//! The names of one module, before any of its types is resolved.

use std::collections::HashMap;
use std::sync::Arc;

use syntax::tree::{self, Head, ItemKind, Span, TypeKind};
use syntax::{Code, Diagnostic};

use crate::declaration::TreePlace;

/// What a module defines, in the order of [`crate::Definition`]s.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub entries: Vec<Entry>,
    /// Types, abilities, functions and constants by name; not methods, tests,
    /// implementations. Of several of one name the first.
    pub names: HashMap<Arc<str>, u32>,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub kind: EntryKind,
    pub name: Arc<str>,
    pub name_span: Span,
    pub public: bool,
    pub place: TreePlace,
    /// The name of the head type of a method's receiver.
    pub receiver: Option<Arc<str>>,
    /// Type parameters that a type or ability takes.
    pub arity: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    Function,
    Method,
    Type,
    Ability,
    Implementation,
    ImplementationMethod,
    Constant,
    Test,
}

impl EntryKind {
    pub fn noun(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method | Self::ImplementationMethod => "method",
            Self::Type => "type",
            Self::Ability => "ability",
            Self::Implementation => "implementation",
            Self::Constant => "constant",
            Self::Test => "test",
        }
    }
}

impl Outline {
    pub fn of(module: &tree::Module) -> Self {
        let mut outline = Self::default();
        for (position, item) in module.items.iter().enumerate() {
            outline.item(position as u32, item);
        }
        outline
    }

    fn item(&mut self, position: u32, item: &tree::Item) {
        let place = TreePlace {
            item: position,
            method: None,
        };
        let entry = |kind, name: &tree::Name| Entry {
            kind,
            name: name.text.clone(),
            name_span: name.span,
            public: item.public.is_some(),
            place,
            receiver: None,
            arity: 0,
        };
        match &item.kind {
            ItemKind::Function(function) => match function.head.receiver() {
                Some(receiver) => self.entries.push(Entry {
                    receiver: receiver.annotation.as_ref().and_then(head_name),
                    ..entry(EntryKind::Method, &function.head.name)
                }),
                None => self.named(entry(EntryKind::Function, &function.head.name)),
            },
            ItemKind::Type(declaration) => self.named(Entry {
                arity: declaration.parameters.len(),
                ..entry(EntryKind::Type, &declaration.name)
            }),
            ItemKind::Ability(ability) => self.named(Entry {
                arity: ability.parameters.len(),
                ..entry(EntryKind::Ability, &ability.name)
            }),
            ItemKind::Constant(constant) => self.named(entry(EntryKind::Constant, &constant.name)),
            ItemKind::Test(test) => self.entries.push(Entry {
                kind: EntryKind::Test,
                name: test.name.value.clone(),
                name_span: test.name.span,
                public: false,
                place,
                receiver: None,
                arity: 0,
            }),
            ItemKind::Implementation(implementation) => {
                let receiver = head_name(&implementation.target);
                self.entries.push(Entry {
                    kind: EntryKind::Implementation,
                    name: "".into(),
                    name_span: implementation.ability.name.span,
                    public: false,
                    place,
                    receiver: receiver.clone(),
                    arity: 0,
                });
                for (method, function) in implementation.methods.iter().enumerate() {
                    let Head { name, .. } = &function.head;
                    self.entries.push(Entry {
                        kind: EntryKind::ImplementationMethod,
                        name: name.text.clone(),
                        name_span: name.span,
                        public: false,
                        place: TreePlace {
                            item: position,
                            method: Some(method as u32),
                        },
                        receiver: receiver.clone(),
                        arity: 0,
                    });
                }
            }
        }
    }

    fn named(&mut self, entry: Entry) {
        let index = self.entries.len() as u32;
        if !entry.name.is_empty() {
            if let Some(first) = self.names.get(&entry.name) {
                let first = &self.entries[*first as usize];
                self.diagnostics.push(Diagnostic::new(
                    Code::DuplicateName,
                    entry.name_span,
                    format!("the module has a {} `{}` already", first.kind.noun(), entry.name),
                    "give one of the two another name",
                ));
            } else {
                self.names.insert(entry.name.clone(), index);
            }
        }
        self.entries.push(entry);
    }
}

fn head_name(annotation: &tree::Type) -> Option<Arc<str>> {
    match &annotation.kind {
        TypeKind::Named(named) => Some(named.name.text.clone()),
        _ => None,
    }
}
