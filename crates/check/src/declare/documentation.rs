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
                Mentioned::Found(targets) => {
                    // Each part of a dotted name refers to something.
                    let mut start = name.span.start;
                    for (segment, target) in name.text.split('.').zip(targets) {
                        let span = Span::new(start, start + segment.len() as u32);
                        start = span.end + 1;
                        self.sink.refer(span, target, Role::Mention, Place::Documentation);
                    }
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
        let import = |namespace: &str| {
            let mut imports = self.imports.iter();
            imports.find(|import| &*import.namespace == namespace)
        };
        let found = match parts[..] {
            [name] => self.named_in(self.scope.module, name).map(|id| vec![id]),
            [owner, name] => match import(owner) {
                Some(import) if import.broken => return Mentioned::Unchecked,
                Some(import) => {
                    let found = self.named_in(import.module, name);
                    return Mentioned::of(found.map(|id| vec![Target::Module(import.module), id.into()]));
                }
                None => self.method_named(owner, name),
            },
            [namespace, owner, name] => match import(namespace) {
                Some(import) if import.broken => return Mentioned::Unchecked,
                Some(import) => {
                    let module = import.module;
                    let found = self.named_in(module, owner);
                    let found = found.and_then(|id| Some((id, self.method_in(module, owner, name)?)));
                    return Mentioned::of(
                        found.map(|(id, method)| vec![Target::Module(module), id.into(), method.into()]),
                    );
                }
                None => None,
            },
            _ => None,
        };
        match found {
            Some(ids) if ids.iter().any(|id| self.scope.is_broken(*id)) => Mentioned::Unchecked,
            found => Mentioned::of(found.map(|ids| ids.into_iter().map(Target::from).collect())),
        }
    }

    fn named_in(&self, module: ModuleId, name: &str) -> Option<DefId> {
        let index = *self.outline(module).names.get(name)?;
        Some(DefId { module, index })
    }

    fn method_named(&self, owner: &str, name: &str) -> Option<Vec<DefId>> {
        let mut kinds = [EntryKind::Type, EntryKind::Ability].into_iter();
        let id = kinds.find_map(|kind| self.scope.find(owner, kind))?;
        if self.scope.is_broken(id) {
            return Some(vec![id]);
        }
        // An implementation may stand in any module.
        let method = self
            .method_in(id.module, owner, name)
            .or_else(|| self.method_in(self.scope.module, owner, name))?;
        Some(vec![id, method])
    }

    fn method_in(&self, module: ModuleId, owner: &str, name: &str) -> Option<DefId> {
        let index = self.outline(module).entries.iter().position(|entry| {
            matches!(entry.kind, EntryKind::Method | EntryKind::ImplementationMethod)
                && &*entry.name == name
                && entry.receiver.as_deref() == Some(owner)
        })?;
        Some(DefId {
            module,
            index: index as u32,
        })
    }
}

enum Mentioned {
    /// A target per part of the name.
    Found(Vec<Target>),
    /// In a module that has errors.
    Unchecked,
    Unknown,
}

impl Mentioned {
    fn of(found: Option<Vec<Target>>) -> Self {
        found.map_or(Self::Unknown, Self::Found)
    }
}

impl From<DefId> for Target {
    fn from(id: DefId) -> Self {
        Self::Definition(id)
    }
}
