//! Which types have which abilities (5.6 to 5.8 of the language).

use crate::declaration::{Definition, DefinitionKind, TypeKind};
use crate::program::{DefId, Program};
use crate::types::{AbilityReference, Type};

/// Deepest nesting of types through which an ability is looked for; a type that goes deeper
/// (one that contains itself with ever larger arguments) has it.
const MAX_DEPTH: usize = 32;

/// How a type has an ability.
#[derive(Clone, PartialEq, Debug)]
pub enum Evidence {
    /// With these arguments of the ability.
    Arguments(Vec<Type>),
    /// Nothing is known of the type, because an error was reported.
    Unknown,
}

impl Program {
    /// How a type has an ability; `inside` has the bounds of its type parameters.
    pub fn evidence(&self, subject: &Type, ability: DefId, inside: &Definition) -> Option<Evidence> {
        self.evidence_within(subject, ability, inside, 0)
    }

    pub fn has(&self, subject: &Type, ability: DefId, inside: &Definition) -> bool {
        self.evidence(subject, ability, inside).is_some()
    }

    fn evidence_within(
        &self,
        subject: &Type,
        ability: DefId,
        inside: &Definition,
        depth: usize,
    ) -> Option<Evidence> {
        if depth > MAX_DEPTH {
            return Some(Evidence::Unknown);
        }
        let plain = || Some(Evidence::Arguments(Vec::new()));
        match subject {
            Type::Error | Type::Never | Type::Variable(_) => Some(Evidence::Unknown),
            Type::NoValue => None,
            Type::Function(_) => None,
            Type::SelfType => plain(),
            Type::Parameter(index) => {
                let bounds = inside.type_parameters.get(usize::from(index.0));
                let bounds = bounds
                    .map(|parameter| parameter.bounds.as_slice())
                    .unwrap_or_default();
                for bound in bounds {
                    if let Some(arguments) = self.required(bound, ability, subject, depth) {
                        return Some(Evidence::Arguments(arguments));
                    }
                }
                self.everywhere(subject, ability)
                    .or_else(|| (ability == self.prelude.equal).then(|| Evidence::Arguments(Vec::new())))
            }
            Type::Maybe(inner) => self.everywhere(subject, ability).or_else(|| {
                let structural = ability == self.prelude.equal || self.is_structural(ability);
                (structural
                    && (ability == self.prelude.equal
                        || self.evidence_within(inner, ability, inside, depth + 1).is_some()))
                .then(|| Evidence::Arguments(Vec::new()))
            }),
            Type::Named {
                definition,
                arguments,
            } => self.named_evidence(subject, *definition, arguments, ability, inside, depth),
        }
    }

    fn named_evidence(
        &self,
        subject: &Type,
        head: DefId,
        arguments: &[Type],
        ability: DefId,
        inside: &Definition,
        depth: usize,
    ) -> Option<Evidence> {
        let declared = self.tables.implementations.get(&(ability, Some(head)));
        for id in declared.into_iter().flatten() {
            if let Some(arguments) = self.implementation_for(*id, subject, inside, depth) {
                return Some(Evidence::Arguments(arguments));
            }
        }
        if let Some(evidence) = self.everywhere(subject, ability) {
            return Some(evidence);
        }
        if ability == self.prelude.equal {
            return Some(Evidence::Arguments(Vec::new()));
        }
        let kind = self.definition(head).as_type()?;
        let parts_have = |parts: &[Type]| {
            parts
                .iter()
                .all(|part| self.evidence_within(part, ability, inside, depth + 1).is_some())
        };
        if kind.derives().iter().any(|derive| derive.ability == ability) {
            return parts_have(arguments).then(|| Evidence::Arguments(Vec::new()));
        }
        if let TypeKind::Subtype { base, .. } = kind {
            let base = base.substitute(arguments, None);
            return self.evidence_within(&base, ability, inside, depth + 1);
        }
        let prelude = &self.prelude;
        let container = [prelude.list, prelude.set, prelude.map, prelude.pair].contains(&head);
        let ordered = ability != prelude.compare || head == prelude.list || head == prelude.pair;
        if container && ordered && self.is_structural(ability) && parts_have(arguments) {
            return Some(Evidence::Arguments(Vec::new()));
        }
        let shown = head == prelude.range && ability == prelude.to_text;
        shown.then(|| Evidence::Arguments(Vec::new()))
    }

    /// What containers and optionals have when their parts do.
    fn is_structural(&self, ability: DefId) -> bool {
        let prelude = &self.prelude;
        let structural = [
            prelude.compare,
            prelude.hash,
            prelude.to_text,
            prelude.to_json,
            prelude.from_json,
        ];
        structural.contains(&ability) || self.is_from_row(ability)
    }

    pub(crate) fn is_from_row(&self, ability: DefId) -> bool {
        let module = self.module(ability.module);
        &*module.name == "std.sqlite" && &*self.definition(ability).name == "FromRow"
    }

    /// An implementation for every type: its target is a type parameter.
    fn everywhere(&self, subject: &Type, ability: DefId) -> Option<Evidence> {
        let open = self.tables.implementations.get(&(ability, None))?;
        open.iter().find_map(|id| {
            let DefinitionKind::Implementation(implementation) = &self.definition(*id).kind else {
                return None;
            };
            let arguments = self.matched(*id, &implementation.target, subject)?;
            let reference = implementation.ability.as_ref()?;
            Some(Evidence::Arguments(substituted(&reference.arguments, &arguments)))
        })
    }

    /// The arguments with which an implementation gives its ability to a type.
    fn implementation_for(
        &self,
        id: DefId,
        subject: &Type,
        inside: &Definition,
        depth: usize,
    ) -> Option<Vec<Type>> {
        let definition = self.definition(id);
        let DefinitionKind::Implementation(implementation) = &definition.kind else {
            return None;
        };
        let arguments = self.matched(id, &implementation.target, subject)?;
        for (parameter, argument) in definition.type_parameters.iter().zip(&arguments) {
            for bound in &parameter.bounds {
                self.evidence_within(argument, bound.ability, inside, depth + 1)?;
            }
        }
        let reference = implementation.ability.as_ref()?;
        Some(substituted(&reference.arguments, &arguments))
    }

    /// What a definition's type parameters are when `pattern` is to be `subject`; `Error` for
    /// those that it leaves open.
    pub fn matched(&self, definition: DefId, pattern: &Type, subject: &Type) -> Option<Vec<Type>> {
        let mut found = vec![None; self.definition(definition).type_parameters.len()];
        match_type(pattern, subject, &mut found).then(|| {
            found
                .into_iter()
                .map(|part| part.unwrap_or(Type::Error))
                .collect()
        })
    }

    /// The arguments with which a bound brings an ability, itself or by what it requires.
    fn required(
        &self,
        bound: &AbilityReference,
        ability: DefId,
        subject: &Type,
        depth: usize,
    ) -> Option<Vec<Type>> {
        if bound.ability == ability {
            return Some(bound.arguments.clone());
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let declaration = self.definition(bound.ability).as_ability()?;
        declaration.requirements.iter().find_map(|required| {
            let required = required.substitute(&bound.arguments, subject);
            self.required(&required, ability, subject, depth + 1)
        })
    }

    /// Every ability that a bound brings, with its arguments, the bound's own first.
    pub fn brought(&self, bound: &AbilityReference, subject: &Type) -> Vec<AbilityReference> {
        let mut all = vec![bound.clone()];
        let mut next = 0;
        while next < all.len() && all.len() <= MAX_DEPTH {
            let current = all[next].clone();
            if let Some(declaration) = self.definition(current.ability).as_ability() {
                for required in &declaration.requirements {
                    let required = required.substitute(&current.arguments, subject);
                    if !all.contains(&required) {
                        all.push(required);
                    }
                }
            }
            next += 1;
        }
        all
    }
}

impl AbilityReference {
    pub fn substitute(&self, arguments: &[Type], self_type: &Type) -> Self {
        let each = |part: &Type| part.substitute(arguments, Some(self_type));
        Self {
            ability: self.ability,
            arguments: self.arguments.iter().map(each).collect(),
        }
    }
}

fn substituted(types: &[Type], arguments: &[Type]) -> Vec<Type> {
    types
        .iter()
        .map(|part| part.substitute(arguments, None))
        .collect()
}

/// Fits `subject` to a pattern whose type parameters are open.
fn match_type(pattern: &Type, subject: &Type, found: &mut [Option<Type>]) -> bool {
    match (pattern, subject) {
        (_, Type::Error | Type::Never) => true,
        (Type::Parameter(index), _) => match found.get_mut(usize::from(index.0)) {
            Some(slot @ None) => {
                *slot = Some(subject.clone());
                true
            }
            Some(Some(known)) => known == subject || matches!(known, Type::Variable(_)),
            None => false,
        },
        // What inference does not know yet may become anything.
        (_, Type::Variable(_)) => true,
        (
            Type::Named {
                definition: left,
                arguments: pattern,
            },
            Type::Named {
                definition: right,
                arguments: subject,
            },
        ) => {
            left == right
                && pattern.len() == subject.len()
                && pattern
                    .iter()
                    .zip(subject.iter())
                    .all(|(pattern, subject)| match_type(pattern, subject, found))
        }
        (Type::Maybe(pattern), Type::Maybe(subject)) => match_type(pattern, subject, found),
        (Type::Function(pattern), Type::Function(subject)) => {
            let mut pairs = pattern.parameters.iter().zip(&subject.parameters);
            pattern.parameters.len() == subject.parameters.len()
                && pairs.all(|(pattern, subject)| match_type(pattern, subject, found))
                && match (&pattern.returns, &subject.returns) {
                    (Some(pattern), Some(subject)) => match_type(pattern, subject, found),
                    (None, None) => true,
                    _ => false,
                }
        }
        (pattern, subject) => pattern == subject,
    }
}
