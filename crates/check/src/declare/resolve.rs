//! From type expressions and capabilities in the source to [`Type`]s and [`Capability`]s.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use syntax::tree::{self, Span};
use syntax::{Code, Diagnostic};

use super::outline::{Entry, EntryKind, Outline};
use crate::facts::{Place, Reference, Role, Target};
use crate::names::{nearest, with_articles};
use crate::program::{DefId, ModuleId};
use crate::types::{AbilityReference, Capability, FunctionType, Type, TypeParameterIndex};

/// The names of types and abilities that stand unqualified in one module.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub outlines: &'a [Arc<Outline>],
    pub module: ModuleId,
    pub exposed: &'a BTreeMap<Arc<str>, DefId>,
    /// Imported modules that have errors: nothing is checked against them.
    pub broken: &'a BTreeSet<ModuleId>,
}

/// Where what is found goes.
#[derive(Default)]
pub struct Sink {
    pub diagnostics: Vec<Diagnostic>,
    pub references: Vec<Reference>,
}

impl Sink {
    pub fn report(&mut self, code: Code, span: Span, message: impl Into<String>, fix: impl Into<String>) {
        let (message, fix) = (with_articles(message.into()), with_articles(fix.into()));
        self.diagnostics.push(Diagnostic::new(code, span, message, fix));
    }

    pub fn refer(&mut self, span: Span, target: Target, role: Role, place: Place) {
        self.references.push(Reference {
            span,
            target,
            role,
            place,
        });
    }
}

/// What type expressions may name besides types.
#[derive(Clone, Copy, Default)]
pub struct TypeNames<'a> {
    /// In the order of their [`TypeParameterIndex`].
    pub parameters: &'a [Arc<str>],
    /// Inside an ability: `Self`.
    pub has_self: bool,
}

impl<'a> Scope<'a> {
    pub fn entry(&self, id: DefId) -> &'a Entry {
        &self.outlines[id.module.0 as usize].entries[id.index as usize]
    }

    fn own(&self, module: ModuleId, name: &str) -> Option<DefId> {
        let index = *self.outlines[module.0 as usize].names.get(name)?;
        Some(DefId { module, index })
    }

    /// A type or ability by its unqualified name: own, exposed or of the prelude.
    pub fn find(&self, name: &str, kind: EntryKind) -> Option<DefId> {
        let fits = |id: &DefId| self.entry(*id).kind == kind;
        self.own(self.module, name)
            .filter(fits)
            .or_else(|| self.exposed.get(name).copied().filter(fits))
            .or_else(|| self.own(ModuleId(0), name).filter(fits))
    }

    /// All names of a kind that [`Self::find`] would find.
    pub fn names(&self, kind: EntryKind) -> Vec<&'a str> {
        let of_module = |module: ModuleId| {
            let outline: &'a Outline = &self.outlines[module.0 as usize];
            let entries = outline.entries.iter();
            entries
                .filter(move |entry| entry.kind == kind)
                .map(|entry| &*entry.name)
        };
        let exposed = self.exposed.iter();
        let exposed = exposed.filter(|(_, id)| self.entry(**id).kind == kind);
        let mut names: Vec<&str> = of_module(self.module)
            .chain(exposed.map(|(name, _)| &**name))
            .chain(of_module(ModuleId(0)))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub fn is_broken(&self, id: DefId) -> bool {
        self.broken.contains(&id.module)
    }

    pub fn resolve_type(
        &self,
        spelled: &tree::Type,
        names: TypeNames<'_>,
        place: Place,
        sink: &mut Sink,
    ) -> Type {
        match &spelled.kind {
            tree::TypeKind::Named(named) => self.resolve_named(named, names, place, sink),
            tree::TypeKind::Maybe(inner) => {
                let inner = self.resolve_type(inner, names, place, sink);
                match inner {
                    Type::Error => Type::Error,
                    inner => Type::maybe(inner),
                }
            }
            tree::TypeKind::Function(function) => {
                let mut each = |part: &tree::Type| self.resolve_type(part, names, place, sink);
                let parameters = function.parameters.iter().map(&mut each).collect();
                let returns = function.returns.as_ref().map(&mut each);
                let fails = function.fails.iter().map(&mut each).collect();
                let needs = self.resolve_needs(&function.needs, false, sink);
                Type::Function(Arc::new(FunctionType {
                    parameters,
                    returns,
                    fails,
                    needs,
                }))
            }
            tree::TypeKind::Error => Type::Error,
        }
    }

    fn resolve_named(
        &self,
        named: &tree::NamedType,
        names: TypeNames<'_>,
        place: Place,
        sink: &mut Sink,
    ) -> Type {
        let mut arguments: Vec<Type> = Vec::with_capacity(named.arguments.len());
        // References stand in source order: the name before its arguments.
        let name = &named.name;
        let refuse_arguments = |what: &str, sink: &mut Sink| {
            if !named.arguments.is_empty() {
                sink.report(
                    Code::TypeArity,
                    named.span,
                    format!("{what} takes no type arguments"),
                    format!("write `{}` alone", name.text),
                );
            }
        };
        if let Some(position) = names.parameters.iter().position(|known| *known == name.text) {
            sink.refer(
                name.span,
                Target::TypeParameter(position as u16),
                Role::Name,
                place,
            );
            refuse_arguments("a type parameter", sink);
            return Type::Parameter(TypeParameterIndex(position as u16));
        }
        if names.has_self && &*name.text == "Self" {
            refuse_arguments("`Self`", sink);
            return Type::SelfType;
        }
        let Some(id) = self.find(&name.text, EntryKind::Type) else {
            for argument in &named.arguments {
                self.resolve_type(argument, names, place, sink);
            }
            if !name.is_missing() {
                self.unknown_type(name, sink);
            }
            return Type::Error;
        };
        sink.refer(name.span, Target::Definition(id), Role::Name, place);
        for argument in &named.arguments {
            arguments.push(self.resolve_type(argument, names, place, sink));
        }
        if self.is_broken(id) {
            return Type::Error;
        }
        let arity = self.entry(id).arity;
        let map = self.find("Map", EntryKind::Type) == Some(id);
        if arguments.len() != arity || (named.with_to && !map) {
            self.arity(named, arity, sink);
            return Type::Error;
        }
        if arguments.contains(&Type::Error) {
            return Type::Error;
        }
        Type::generic(id, arguments)
    }

    fn unknown_type(&self, name: &tree::Name, sink: &mut Sink) {
        let (message, fix) = if self.find(&name.text, EntryKind::Ability).is_some() {
            (
                format!("`{}` is an ability, not a type", name.text),
                format!(
                    "name a type, or bound a type parameter: `for any Item where Item can {}`",
                    name.text
                ),
            )
        } else {
            let candidates = self.names(EntryKind::Type);
            let fix = match nearest(&name.text, candidates) {
                Some(near) => format!("did you mean `{near}`?"),
                None => match foreign_type(&name.text) {
                    Some(own) => format!("write `{own}`"),
                    None => format!("declare it, or expose it: `import … exposing {}`", name.text),
                },
            };
            (format!("there is no type `{}` here", name.text), fix)
        };
        sink.report(Code::UnknownType, name.span, message, fix);
    }

    fn arity(&self, named: &tree::NamedType, arity: usize, sink: &mut Sink) {
        let found = named.arguments.len();
        let arguments = |count: usize| match count {
            0 => "no type arguments".to_owned(),
            1 => "one type argument".to_owned(),
            count => format!("{count} type arguments"),
        };
        sink.report(
            Code::TypeArity,
            named.span,
            format!(
                "`{}` takes {}, here it has {}",
                named.name.text,
                arguments(arity),
                if found == 0 {
                    "none".to_owned()
                } else {
                    found.to_string()
                }
            ),
            match arity {
                0 => format!("write `{}` alone", named.name.text),
                1 => format!("write `{} of …` with one type", named.name.text),
                _ if &*named.name.text == "Map" => "write `Map of … to …`".to_owned(),
                arity => format!(
                    "write `{} of …` with {arity} types, separated by commas",
                    named.name.text
                ),
            },
        );
    }

    /// An ability with its arguments, in a bound, a requirement or a head.
    pub fn resolve_ability(
        &self,
        named: &tree::NamedType,
        names: TypeNames<'_>,
        place: Place,
        sink: &mut Sink,
    ) -> Option<AbilityReference> {
        let name = &named.name;
        let found = self.find(&name.text, EntryKind::Ability);
        if let Some(id) = found {
            sink.refer(name.span, Target::Definition(id), Role::Name, place);
        } else if !name.is_missing() {
            self.unknown_ability(name, sink);
        }
        let mut arguments = Vec::with_capacity(named.arguments.len());
        for argument in &named.arguments {
            arguments.push(self.resolve_type(argument, names, place, sink));
        }
        let ability = found.filter(|id| !self.is_broken(*id))?;
        let arity = self.entry(ability).arity;
        if arguments.len() != arity || named.with_to {
            self.arity(named, arity, sink);
            return None;
        }
        Some(AbilityReference { ability, arguments })
    }

    pub fn unknown_ability(&self, name: &tree::Name, sink: &mut Sink) {
        let fix = match nearest(&name.text, self.names(EntryKind::Ability)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it, or expose it: `import … exposing {}`", name.text),
        };
        let message = if self.find(&name.text, EntryKind::Type).is_some() {
            format!("`{}` is a type, not an ability", name.text)
        } else {
            format!("there is no ability `{}` here", name.text)
        };
        sink.report(Code::UnknownAbility, name.span, message, fix);
    }

    /// A `needs` list; budgets and guards only where a grant may stand.
    pub fn resolve_needs(&self, list: &[tree::Capability], grants: bool, sink: &mut Sink) -> Vec<Capability> {
        let mut needs = Vec::with_capacity(list.len());
        for capability in list {
            needs.extend(resolve_path(&capability.target, sink));
        }
        for capability in list {
            let sinks: Vec<Capability> = capability
                .sinks
                .iter()
                .filter_map(|path| resolve_path(path, sink))
                .collect();
            let clause = match (&capability.budget, capability.sinks.is_empty()) {
                (Some(budget), _) => Some(budget.span),
                (None, false) => Some(capability.span),
                (None, true) => None,
            };
            if let Some(span) = clause.filter(|_| !grants) {
                sink.report(
                    Code::GrantClause,
                    span,
                    "a budget or guard stands only in the grant of `main` or of a test",
                    "move the clause to the `needs` of `main`",
                );
            } else if !sinks.is_empty() && !sinks.iter().any(|end| needs.iter().any(|need| need.covers(end)))
            {
                sink.report(
                    Code::GuardNoSink,
                    capability.span,
                    "none of the sinks is in this grant, so what is read here can go nowhere",
                    "add one of the sinks to `needs`",
                );
            }
        }
        needs
    }
}

/// Every capability of 6.2, and what its scope is called.
pub const CAPABILITIES: &[(&str, Option<&str>)] = &[
    ("console", None),
    ("environment", Some("a variable name")),
    ("filesystem", Some("a path")),
    ("filesystem.read", Some("a path")),
    ("filesystem.write", Some("a path")),
    ("foreign", None),
    ("network", Some("a host")),
    ("network.http", Some("a host")),
    ("network.socket", Some("a host")),
    ("process", Some("a program")),
    ("python", Some("a package")),
    ("random", None),
    ("time", None),
];

fn resolve_path(spelled: &tree::CapabilityPath, sink: &mut Sink) -> Option<Capability> {
    let path = spelled.path.to_string();
    let Some((_, scope)) = CAPABILITIES.iter().find(|(known, _)| *known == path) else {
        let fix = match nearest(&path, CAPABILITIES.iter().map(|(known, _)| *known)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let known: Vec<&str> = CAPABILITIES.iter().map(|(known, _)| *known).collect();
                format!("write one of {}", known.join(", "))
            }
        };
        sink.report(
            Code::UnknownCapability,
            spelled.path.span,
            format!("there is no capability `{path}`"),
            fix,
        );
        return None;
    };
    if let Some(written) = &spelled.scope
        && scope.is_none()
    {
        sink.report(
            Code::CapabilityScope,
            written.span,
            format!("`{path}` takes no scope"),
            format!("write `{path}` alone"),
        );
    }
    Some(Capability {
        path: path.into(),
        scope: spelled
            .scope
            .as_ref()
            .filter(|_| scope.is_some())
            .map(|text| text.value.clone()),
    })
}

/// What other languages call the types of the prelude.
fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "Int" | "Long" | "Number" | "Nat" => "Integer",
        "Bool" => "Boolean",
        "String" | "Str" | "Char" | "Character" => "Text",
        "Double" | "Real" => "Float",
        "Array" | "Vector" | "Vec" | "Sequence" => "List of …",
        "Dict" | "Dictionary" | "HashMap" | "Object" => "Map of … to …",
        "Option" | "Optional" | "Maybe" => "maybe …",
        "HashSet" => "Set of …",
        "Tuple" => "Pair of …, …",
        "Result" | "Either" => "… or fails with …",
        _ => return None,
    })
}
