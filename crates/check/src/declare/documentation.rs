//! `purpose:` where it must stand, and the names after `see also:`.

use syntax::Code;
use syntax::tree::{self, Docs, Name, Span};

use super::outline::EntryKind;
use super::{Declarer, Outline};
use crate::facts::{Place, Role, Target};
use crate::names::nearest;
use crate::program::{DefId, ModuleId};

impl Declarer<'_> {
    pub(super) fn module_documentation(&mut self, tree: &tree::Module) {
        self.documentation(&tree.docs);
        if tree.docs.purpose().is_none() && !self.is_library() {
            let span = tree.header.as_ref().map_or(Span::at(0), |header| header.span);
            self.sink.report(
                Code::PurposeMissing,
                span,
                "the module does not say what it is for",
                "write `purpose: …` under its first line",
            );
        }
    }

    /// Public items and tools say what they are for.
    pub(super) fn purpose(&mut self, public: bool, docs: &Docs, name: &Name, noun: &str) {
        let tool = docs.exposed_as_tool().is_some();
        if docs.purpose().is_some() || name.is_missing() || !(public || tool) {
            return;
        }
        let what = if public {
            format!("public {noun}")
        } else {
            "tool".to_owned()
        };
        self.sink.report(
            Code::PurposeMissing,
            name.span,
            format!("the {what} `{}` does not say what it is for", name.text),
            "write `purpose: …` under its head",
        );
    }

    /// Resolves the names of `see also:`.
    pub(super) fn documentation(&mut self, docs: &Docs) {
        for name in docs.see_also() {
            match self.mentioned(&name.text) {
                Mentioned::Found(id) => {
                    self.sink.refer(
                        name.span,
                        Target::Definition(id),
                        Role::Mention,
                        Place::Documentation,
                    );
                }
                Mentioned::Unchecked => {}
                Mentioned::Unknown => {
                    let outline = self.outline(self.scope.module);
                    let mut names: Vec<&str> = outline.names.keys().map(|known| &**known).collect();
                    names.sort_unstable();
                    let fix = match nearest(&name.text, names) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "name a definition of this module, `module.name` or `Type.method`".to_owned(),
                    };
                    self.sink.report(
                        Code::UnknownReference,
                        name.span,
                        format!("`{}` names nothing here", name.text),
                        fix,
                    );
                }
            }
        }
    }

    fn outline(&self, module: ModuleId) -> &Outline {
        &self.scope.outlines[module.0 as usize]
    }

    fn mentioned(&self, spelled: &str) -> Mentioned {
        let parts: Vec<&str> = spelled.split('.').collect();
        match parts[..] {
            [name] => self.named_in(self.scope.module, name),
            [owner, name] => match self.imports.iter().find(|import| &*import.namespace == owner) {
                Some(import) if import.broken => Mentioned::Unchecked,
                Some(import) => self.named_in(import.module, name),
                None => self.method_named(owner, name),
            },
            [namespace, owner, name] => {
                match self.imports.iter().find(|import| &*import.namespace == namespace) {
                    Some(import) if import.broken => Mentioned::Unchecked,
                    Some(import) => self.method_in(import.module, owner, name),
                    None => Mentioned::Unknown,
                }
            }
            _ => Mentioned::Unknown,
        }
    }

    fn named_in(&self, module: ModuleId, name: &str) -> Mentioned {
        match self.outline(module).names.get(name) {
            Some(index) => Mentioned::Found(DefId {
                module,
                index: *index,
            }),
            None => Mentioned::Unknown,
        }
    }

    fn method_named(&self, owner: &str, name: &str) -> Mentioned {
        let types = [EntryKind::Type, EntryKind::Ability];
        let found = types.iter().find_map(|kind| self.scope.find(owner, *kind));
        match found {
            Some(id) if self.scope.is_broken(id) => Mentioned::Unchecked,
            Some(id) => match self.method_in(id.module, owner, name) {
                // An implementation may stand in any module.
                Mentioned::Unknown => self.method_in(self.scope.module, owner, name),
                found => found,
            },
            None => Mentioned::Unknown,
        }
    }

    fn method_in(&self, module: ModuleId, owner: &str, name: &str) -> Mentioned {
        let entries = self.outline(module).entries.iter();
        let index = entries.clone().position(|entry| {
            matches!(entry.kind, EntryKind::Method | EntryKind::ImplementationMethod)
                && &*entry.name == name
                && entry.receiver.as_deref() == Some(owner)
        });
        match index {
            Some(index) => Mentioned::Found(DefId {
                module,
                index: index as u32,
            }),
            None => Mentioned::Unknown,
        }
    }
}

enum Mentioned {
    Found(DefId),
    /// In a module that has errors.
    Unchecked,
    Unknown,
}
