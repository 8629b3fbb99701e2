//! The `needs` rule (6.3 of the language).

use std::collections::BTreeSet;

use syntax::Code;
use syntax::tree::Span;

use super::{Body, Use};
use crate::program::{DefId, ModuleKind};
use crate::types::Capability;

impl Body<'_> {
    /// A function is called, or given to a call by its name: what it needs is used here.
    pub(super) fn charge(&mut self, callee: DefId, needs: &[Capability], span: Span) {
        if !needs.is_empty() {
            self.effectful += 1;
        }
        for capability in needs {
            self.uses.push(Use {
                capability: capability.clone(),
                span,
                callee,
            });
        }
    }

    /// Everything used is covered by what is declared.
    pub(super) fn effects(&mut self, needs: &[Capability], what: &str) {
        let mut told: BTreeSet<(Span, Capability)> = BTreeSet::new();
        for used in self.uses.clone() {
            if needs.iter().any(|need| self.covers(need, &used)) {
                continue;
            }
            if !told.insert((used.span, used.capability.clone())) {
                continue;
            }
            let callee = self.program.module(used.callee.module);
            let name = &self.program.definition(used.callee).name;
            let of = match &callee.kind {
                ModuleKind::Package { name, .. } if callee.package() != self.module.package() => {
                    format!(" of the package `{name}`")
                }
                _ => String::new(),
            };
            let spelling = used.capability.spelling();
            let fix = if needs.is_empty() && what.starts_with('`') {
                format!("declare `needs {spelling}`, or do without the call")
            } else if what.starts_with("a ") {
                "do it in a function, and give the result to what needs it".to_owned()
            } else {
                format!("add `{spelling}` to `needs`")
            };
            self.report(
                Code::CapabilityMissing,
                used.span,
                format!("`{name}`{of} needs `{spelling}`, which {what} does not declare"),
                fix,
            );
        }
    }

    fn covers(&self, need: &Capability, used: &Use) -> bool {
        let callee = self.program.module(used.callee.module);
        if callee.package() != self.module.package() {
            return need.covers_path(&used.capability);
        }
        if callee.kind == ModuleKind::Library && used.capability.scope.is_none() {
            // The primitive is told its scope by its arguments, when it runs.
            return need.covers_path(&used.capability);
        }
        need.covers(&used.capability)
    }
}
