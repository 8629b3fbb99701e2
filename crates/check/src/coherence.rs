//! What declarations must agree on among each other: implementations with their abilities,
//! derived abilities with the parts of their types, tools and bridges with what can be carried.

use std::collections::HashMap;

use syntax::tree::{ItemKind, Span};
use syntax::{Code, Diagnostic};

use crate::declaration::{Definition, DefinitionKind, Derive, Field, Implementation, Signature, TypeKind};
use crate::names::with_articles;
use crate::program::{DefId, Module, ModuleId, ModuleKind, Program};
use crate::types::{AbilityReference, Type, TypeParameterIndex};

/// What is wrong in one module.
pub fn check(program: &Program, id: ModuleId) -> Vec<Diagnostic> {
    let module = program.module(id);
    let mut checker = Checker {
        program,
        id,
        module,
        diagnostics: Vec::new(),
    };
    if module.parsed.is_well_formed() {
        checker.module();
    }
    checker.diagnostics
}

struct Checker<'a> {
    program: &'a Program,
    id: ModuleId,
    module: &'a Module,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn report(&mut self, code: Code, span: Span, message: impl Into<String>, fix: impl Into<String>) {
        let (message, fix) = (with_articles(message.into()), with_articles(fix.into()));
        self.diagnostics.push(Diagnostic::new(code, span, message, fix));
    }

    fn module(&mut self) {
        let mut methods: HashMap<(DefId, &str), Vec<(&Type, &Definition)>> = HashMap::new();
        for (index, definition) in self.module.definitions.iter().enumerate() {
            let id = DefId {
                module: self.id,
                index: index as u32,
            };
            match &definition.kind {
                DefinitionKind::Type(kind) => self.type_kind(definition, kind),
                DefinitionKind::Implementation(implementation) => {
                    self.implementation(id, definition, implementation);
                }
                DefinitionKind::Method {
                    signature,
                    receiver: Some(receiver),
                } => {
                    let target = signature.parameters.first().map(|first| &first.annotation);
                    let same = methods.entry((*receiver, &definition.name)).or_default();
                    if let Some(target) = target {
                        let twin = same.iter().any(|(other, _)| overlap(other, target));
                        same.push((target, definition));
                        if twin {
                            let head = &self.program.definition(*receiver).name;
                            self.report(
                                Code::DuplicateName,
                                definition.name_span,
                                format!("`{head}` has a method `{}` already", definition.name),
                                "give one of the two another name",
                            );
                        }
                    }
                }
                _ => {}
            }
            if let Some(signature) = definition.signature() {
                self.tool(definition, signature);
                self.bridge(definition, signature);
                self.container_keys(definition, signature);
            }
        }
    }

    /// Keys and items that a head spells have `Hash`.
    fn container_keys(&mut self, definition: &Definition, signature: &Signature) {
        if self.module.kind == ModuleKind::Library {
            return;
        }
        for parameter in &signature.parameters {
            self.keys(&parameter.annotation, parameter.span, definition);
        }
        if let Some(returns) = &signature.returns {
            self.keys(returns, definition.name_span, definition);
        }
    }

    fn keys(&mut self, spelled: &Type, span: Span, inside: &Definition) {
        let prelude = &self.program.prelude;
        let mut missing = None;
        spelled.map(&mut |part| {
            if let Type::Named {
                definition,
                arguments,
            } = part
                && (*definition == prelude.map || *definition == prelude.set)
                && let Some(key) = arguments.first()
                && !matches!(key, Type::Parameter(_))
                && !self.program.has(key, prelude.hash, inside)
            {
                missing.get_or_insert_with(|| (*definition == prelude.map, key.clone()));
            }
            None
        });
        if let Some((map, key)) = missing {
            let what = if map {
                "the keys of a map"
            } else {
                "the items of a set"
            };
            let spelling = self.program.spelling(&key, inside);
            self.report(
                Code::MissingAbility,
                span,
                format!("{what} need `Hash`, which `{spelling}` does not have"),
                format!("add `can Hash` to `{spelling}`"),
            );
        }
    }

    fn type_kind(&mut self, definition: &Definition, kind: &TypeKind) {
        let prelude = &self.program.prelude;
        let json = [prelude.to_json, prelude.from_json];
        match kind {
            TypeKind::Record { fields, derives } => {
                for derive in derives {
                    self.derive(definition, derive, fields);
                }
                self.fields(definition, fields);
            }
            TypeKind::Sum { variants, derives } => {
                for derive in derives {
                    for variant in variants {
                        self.derive(definition, derive, &variant.fields);
                    }
                }
                for variant in variants {
                    self.fields(definition, &variant.fields);
                    let kind = variant.fields.iter().find(|field| &*field.name == "kind");
                    if let Some(kind) = kind
                        && derives.iter().any(|derive| json.contains(&derive.ability))
                    {
                        self.report(
                            Code::KindField,
                            kind.span,
                            "in JSON `kind` has the variant's name, so no field may be called so",
                            "give the field another name",
                        );
                    }
                }
            }
            TypeKind::Subtype { base, .. } => self.endless(definition, base),
            TypeKind::Opaque { .. } => {}
        }
    }

    /// A subtype stands on something other than subtypes of itself.
    fn endless(&mut self, definition: &Definition, base: &Type) {
        let program = self.program;
        let mut seen: Vec<DefId> = Vec::new();
        let mut current = base.clone();
        while let Type::Named {
            definition: head,
            arguments,
        } = &current
        {
            let own = program.find(self.id, &definition.name) == Some(*head);
            if own {
                self.report(
                    Code::TypeMismatch,
                    definition.name_span,
                    format!("`{}` stands on itself", definition.name),
                    "name another base",
                );
                return;
            }
            // A circle that this type only leads into is told where it is.
            if seen.contains(head) {
                return;
            }
            seen.push(*head);
            match program.definition(*head).as_type() {
                Some(TypeKind::Subtype { base, .. }) => current = base.substitute(arguments, None),
                _ => return,
            }
        }
    }

    fn fields(&mut self, definition: &Definition, fields: &[Field]) {
        if self.module.kind == ModuleKind::Library {
            return;
        }
        for field in fields {
            self.keys(&field.annotation, field.span, definition);
        }
    }

    /// The parts of a type have what it derives.
    fn derive(&mut self, definition: &Definition, derive: &Derive, fields: &[Field]) {
        let prelude = &self.program.prelude;
        let compared = derive.ability == prelude.compare;
        for (position, field) in fields.iter().enumerate() {
            if compared && !derive.by.is_empty() && !derive.by.contains(&position) {
                continue;
            }
            if self.part_has(&field.annotation, derive.ability, definition) {
                continue;
            }
            let ability = &self.program.definition(derive.ability).name;
            let spelling = self.program.spelling(&field.annotation, definition);
            self.report(
                Code::MissingAbility,
                derive.span,
                format!(
                    "`{}` cannot derive `{ability}`: the field `{}` is a `{spelling}`, which does not have it",
                    definition.name, field.name
                ),
                format!("give `{spelling}` the ability, or write an implementation"),
            );
        }
    }

    fn part_has(&self, part: &Type, ability: DefId, definition: &Definition) -> bool {
        let prelude = &self.program.prelude;
        if self.program.is_from_row(ability) {
            return self.is_column(part);
        }
        let nested = (ability == prelude.to_text && part.head() == Some(prelude.bytes))
            || (ability == prelude.compare && part.head() == Some(prelude.boolean));
        nested || matches!(part, Type::Parameter(_)) || self.program.has(part, ability, definition)
    }

    /// A cell of a row can hold it.
    fn is_column(&self, part: &Type) -> bool {
        let prelude = &self.program.prelude;
        match part {
            Type::Maybe(inner) => !matches!(**inner, Type::Maybe(_)) && self.is_column(inner),
            Type::Parameter(_) | Type::Error => true,
            Type::Named { definition, .. } => {
                let cells = [
                    prelude.integer,
                    prelude.float,
                    prelude.decimal,
                    prelude.text,
                    prelude.boolean,
                    prelude.bytes,
                ];
                cells.contains(definition)
                    || match self.program.definition(*definition).as_type() {
                        Some(TypeKind::Subtype { base, .. }) => self.is_column(base),
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    fn implementation(&mut self, id: DefId, definition: &Definition, implementation: &Implementation) {
        let Some(ability) = &implementation.ability else {
            return;
        };
        let head = implementation.target.head();
        let program = self.program;
        let name = &program.definition(ability.ability).name;
        let spelling = program.spelling(&implementation.target, definition);
        // Those that stand before this one, in the order of modules.
        let same = program.tables.implementations.get(&(ability.ability, head));
        let mut earlier = same.into_iter().flatten().take_while(|other| **other < id);
        let twin = earlier.any(|other| match &program.definition(*other).kind {
            DefinitionKind::Implementation(other) => overlap(&other.target, &implementation.target),
            _ => false,
        });
        if twin {
            self.report(
                Code::DuplicateImplementation,
                definition.name_span,
                format!("`{spelling}` has an implementation of `{name}` already"),
                "remove one of the two",
            );
        }
        if implementation.target == Type::Error {
            return;
        }
        let Some(declared) = program.definition(ability.ability).as_ability() else {
            return;
        };
        for required in &declared.requirements {
            let required = required.substitute(&ability.arguments, &implementation.target);
            let evidence = program.evidence(&implementation.target, required.ability, definition);
            let fits = match evidence {
                Some(crate::Evidence::Arguments(arguments)) => arguments == required.arguments,
                Some(crate::Evidence::Unknown) => true,
                None => false,
            };
            if !fits {
                let wanted = program.ability_spelling(&required, definition);
                self.report(
                    Code::MissingAbility,
                    definition.name_span,
                    format!("`{name}` asks for `{wanted}`, which `{spelling}` does not have"),
                    format!("write `ability {wanted} for {spelling}`, or derive it"),
                );
            }
        }
        self.methods(id, definition, ability, &implementation.target);
    }

    fn methods(&mut self, id: DefId, definition: &Definition, ability: &AbilityReference, target: &Type) {
        let program = self.program;
        let Some(declared) = program.definition(ability.ability).as_ability() else {
            return;
        };
        let name = &program.definition(ability.ability).name;
        let written = &self.module.definitions[id.index as usize + 1..];
        let written = written.iter().take_while(|method| {
            matches!(&method.kind, DefinitionKind::ImplementationMethod { implementation, .. } if *implementation == id)
        });
        let mut seen: Vec<u32> = Vec::new();
        for method in written {
            let DefinitionKind::ImplementationMethod {
                signature,
                method: position,
                ..
            } = &method.kind
            else {
                continue;
            };
            let Some(position) = *position else {
                let names = declared.methods.iter().map(|method| &*method.name);
                let fix = match crate::names::nearest(&method.name, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "write it as a method of its own, outside of the implementation".to_owned(),
                };
                self.report(
                    Code::UnknownMethod,
                    method.name_span,
                    format!("`{name}` has no method `{}`", method.name),
                    fix,
                );
                continue;
            };
            if seen.contains(&position) {
                self.report(
                    Code::DuplicateName,
                    method.name_span,
                    format!("the implementation has a method `{}` already", method.name),
                    "remove one of the two",
                );
                continue;
            }
            seen.push(position);
            let wanted = &declared.methods[position as usize];
            // The method's own type parameters stand after the implementation's.
            let first = definition.type_parameters.len();
            let own = (0..wanted.type_parameters.len())
                .map(|index| Type::Parameter(TypeParameterIndex((first + index) as u16)));
            let arguments: Vec<Type> = ability.arguments.iter().cloned().chain(own).collect();
            let expected = expected_signature(&wanted.signature, &arguments, target);
            let own_count = method.type_parameters.len() - first;
            if own_count != wanted.type_parameters.len() || !same_signature(&expected, signature) {
                let mut spelled = self.spelled(&wanted.name, &expected, method);
                if !wanted.signature.has_receiver {
                    spelled = wanted.name.to_string();
                }
                self.report(
                    Code::MethodSignature,
                    method.name_span,
                    format!("`{}` is not what `{name}` declares", method.name),
                    format!("write `{spelled}`"),
                );
            }
        }
        for (position, wanted) in declared.methods.iter().enumerate() {
            if !seen.contains(&(position as u32)) {
                let expected = expected_signature(&wanted.signature, &ability.arguments, target);
                let spelled = self.spelled(&wanted.name, &expected, definition);
                self.report(
                    Code::MissingMethod,
                    definition.name_span,
                    format!("the implementation lacks the method `{}`", wanted.name),
                    format!("write `function {spelled}`"),
                );
            }
        }
    }

    fn spelled(&self, name: &str, signature: &Signature, inside: &Definition) -> String {
        let mut out = format!("{name}(");
        for (position, parameter) in signature.parameters.iter().enumerate() {
            if position > 0 {
                out.push_str(", ");
            }
            out.push_str(&parameter.name);
            if &*parameter.name != "self" {
                out.push_str(": ");
                out.push_str(&self.program.spelling(&parameter.annotation, inside));
            }
        }
        out.push(')');
        if let Some(returns) = &signature.returns {
            out.push_str(" returns ");
            out.push_str(&self.program.spelling(returns, inside));
        }
        for (position, failure) in signature.fails.iter().enumerate() {
            out.push_str(if position == 0 { " or fails with " } else { " or " });
            out.push_str(&self.program.spelling(failure, inside));
        }
        out
    }

    /// What agents call has a JSON form.
    fn tool(&mut self, definition: &Definition, signature: &Signature) {
        let docs = self.module.function(definition).map(|function| &function.docs);
        let Some(span) = docs.and_then(|docs| docs.exposed_as_tool()) else {
            return;
        };
        if !matches!(self.module.item(definition).kind, ItemKind::Function(_)) {
            return;
        }
        let prelude = &self.program.prelude;
        for parameter in &signature.parameters {
            if !self
                .program
                .has(&parameter.annotation, prelude.from_json, definition)
            {
                let spelling = self.program.spelling(&parameter.annotation, definition);
                self.report(
                    Code::ToolType,
                    parameter.span,
                    format!("a tool's parameter is read from JSON, and `{spelling}` has no `FromJson`"),
                    format!("add `can FromJson` to `{spelling}`"),
                );
            }
        }
        if let Some(returns) = &signature.returns
            && !self.program.has(returns, prelude.to_json, definition)
        {
            let spelling = self.program.spelling(returns, definition);
            self.report(
                Code::ToolType,
                span,
                format!("a tool's result is written as JSON, and `{spelling}` has no `ToJson`"),
                format!("add `can ToJson` to `{spelling}`"),
            );
        }
    }

    fn bridge(&mut self, definition: &Definition, signature: &Signature) {
        match &self.module.kind {
            ModuleKind::Foreign => self.foreign(definition, signature),
            ModuleKind::Python { .. } => self.python(definition, signature),
            _ => {}
        }
    }

    fn foreign(&mut self, definition: &Definition, signature: &Signature) {
        const MAX_WORDS: usize = 6;
        let prelude = &self.program.prelude;
        let scalar = |part: &Type| {
            part.head().is_some_and(|head| {
                [prelude.float, prelude.boolean, prelude.text].contains(&head)
                    || &*self.program.module(head.module).name == "std.foreign"
            }) || *part == Type::Error
        };
        let bytes = |part: &Type| part.head() == Some(prelude.bytes);
        let mut words = 0;
        for parameter in &signature.parameters {
            words += if bytes(&parameter.annotation) { 2 } else { 1 };
            if !scalar(&parameter.annotation) && !bytes(&parameter.annotation) {
                let spelling = self.program.spelling(&parameter.annotation, definition);
                self.report(
                    Code::ForeignType,
                    parameter.span,
                    format!("a `{spelling}` cannot be given to a foreign function"),
                    "use a width type of `std.foreign`, `Float`, `Boolean`, `Text` or `Bytes`",
                );
            }
        }
        if words > MAX_WORDS {
            self.report(
                Code::ForeignArity,
                definition.name_span,
                format!("the arguments take {words} machine words; {MAX_WORDS} are the most"),
                "give fewer arguments (`Bytes` takes two words)",
            );
        }
        if let Some(returns) = &signature.returns {
            let optional_text = matches!(returns, Type::Maybe(inner) if inner.head() == Some(prelude.text));
            if !scalar(returns) && !optional_text {
                let spelling = self.program.spelling(returns, definition);
                self.report(
                    Code::ForeignType,
                    definition.name_span,
                    format!("a foreign function cannot return a `{spelling}`"),
                    "return a width type of `std.foreign`, `Float`, `Boolean`, `Text` or `maybe Text`",
                );
            }
        }
    }

    fn python(&mut self, definition: &Definition, signature: &Signature) {
        let prelude = &self.program.prelude;
        for parameter in &signature.parameters {
            if !self
                .program
                .has(&parameter.annotation, prelude.to_json, definition)
            {
                let spelling = self.program.spelling(&parameter.annotation, definition);
                self.report(
                    Code::PythonType,
                    parameter.span,
                    format!("an argument crosses as JSON, and `{spelling}` has no `ToJson`"),
                    format!("add `can ToJson` to `{spelling}`"),
                );
            }
        }
        if let Some(returns) = &signature.returns
            && !self.program.has(returns, prelude.from_json, definition)
        {
            let spelling = self.program.spelling(returns, definition);
            self.report(
                Code::PythonType,
                definition.name_span,
                format!("the result crosses as JSON, and `{spelling}` has no `FromJson`"),
                format!("add `can FromJson` to `{spelling}`"),
            );
        }
    }
}

fn expected_signature(declared: &Signature, arguments: &[Type], target: &Type) -> Signature {
    let each = |part: &Type| part.substitute(arguments, Some(target));
    let mut signature = declared.clone();
    for parameter in &mut signature.parameters {
        parameter.annotation = each(&parameter.annotation);
    }
    signature.returns = signature.returns.as_ref().map(each);
    signature.fails = signature.fails.iter().map(each).collect();
    signature
}

/// Equal up to spans and to what errors were reported for; effects apart, which neither has.
fn same_signature(expected: &Signature, written: &Signature) -> bool {
    let same = |left: &Type, right: &Type| left == right || *left == Type::Error || *right == Type::Error;
    expected.parameters.len() == written.parameters.len()
        && expected
            .parameters
            .iter()
            .zip(&written.parameters)
            .all(|(left, right)| left.name == right.name && same(&left.annotation, &right.annotation))
        && match (&expected.returns, &written.returns) {
            (Some(left), Some(right)) => same(left, right),
            (None, None) => true,
            _ => false,
        }
        && expected.fails.len() == written.fails.len()
        && expected
            .fails
            .iter()
            .all(|left| written.fails.iter().any(|right| same(left, right)))
        && written.needs.is_empty()
}

/// Some type fits both, type parameters standing for any type.
fn overlap(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Parameter(_) | Type::Error, _) | (_, Type::Parameter(_) | Type::Error) => true,
        (
            Type::Named {
                definition: first,
                arguments: left,
            },
            Type::Named {
                definition: second,
                arguments: right,
            },
        ) => {
            first == second
                && left
                    .iter()
                    .zip(right.iter())
                    .all(|(left, right)| overlap(left, right))
        }
        (Type::Maybe(left), Type::Maybe(right)) => overlap(left, right),
        (Type::Function(_), Type::Function(_)) => true,
        (left, right) => left == right,
    }
}
