//! Records, variants and subtypes made of their parts, and copies with parts replaced (5.2 and 5.3
//! of the language).

use syntax::Code;
use syntax::tree::{Argument, Arguments, Expression, Name, Span, TextLiteral, Update};
use syntax::tree::{ExpressionKind, TypeDeclarationKind};

use super::constant::{Constant, Evaluation};
use super::expressions::is_literal;
use super::patterns::Construction;
use super::{Body, Outcome};
use crate::declaration::{Definition, Field, TypeKind};
use crate::declare::EntryKind;
use crate::facts::{Role, Target};
use crate::names::nearest;
use crate::program::DefId;
use crate::types::Type;

/// What is known of the conditions of a construction.
enum Conditions {
    /// There are none, or they hold.
    Hold,
    /// They are decided when the program runs.
    Open,
    /// All parts are literals, and the checker cannot evaluate the condition.
    Unknown,
}

impl Body<'_> {
    /// Everything that a name may construct or match here: variants, then a type.
    pub(super) fn constructions(&self, name: &Name) -> Vec<Construction> {
        let variants = self.module.variants.get(&name.text);
        let variants = variants.into_iter().flatten().copied().map(Construction::Variant);
        let found = self.scope_of().find(&name.text, EntryKind::Type);
        variants.chain(found.map(Construction::Type)).collect()
    }

    /// The one that is meant: the expected type decides among several.
    fn construction(&mut self, name: &Name, expected: Option<&Type>) -> Option<Construction> {
        let candidates = self.constructions(name);
        if candidates.is_empty() {
            self.unknown_construction(name);
            return None;
        }
        if let [only] = candidates[..] {
            return Some(only);
        }
        let mut wanted = expected.map(|expected| self.shallow(expected));
        while let Some(Type::Maybe(inner)) = wanted {
            wanted = Some(self.shallow(&inner));
        }
        let head = wanted.as_ref().and_then(Type::head);
        if let Some(found) = candidates
            .iter()
            .find(|candidate| Some(candidate.owner()) == head)
        {
            return Some(*found);
        }
        let of_types = candidates
            .iter()
            .find(|candidate| matches!(candidate, Construction::Type(_)));
        if let Some(found) = of_types {
            return Some(*found);
        }
        let sums: Vec<&str> = candidates
            .iter()
            .map(|candidate| &*self.program.definition(candidate.owner()).name)
            .collect();
        self.report(
            Code::AmbiguousVariant,
            name.span,
            format!("`{}` is a variant of {}", name.text, sums.join(" and of ")),
            "say which is meant by a type: `let name: Type be …`",
        );
        None
    }

    pub(super) fn unknown_construction(&mut self, name: &Name) {
        if name.is_missing() {
            return;
        }
        // What an import that has errors exposes is not known.
        let exposed = self.module.exposed.get(&name.text);
        if exposed.is_some_and(|id| self.broken.contains(&id.module)) || !self.broken.is_empty() {
            return;
        }
        let candidates = self.module.variants.keys().map(|known| &**known);
        let types = self.names(EntryKind::Type);
        let near = nearest(&name.text, candidates.chain(types));
        let fix = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => match self.home_of(&name.text) {
                Some((module, exposed)) => format!("expose it: `import {module} exposing {exposed}`"),
                None => "declare the type, or expose it in its import".to_owned(),
            },
        };
        self.report(
            Code::UnknownType,
            name.span,
            format!("there is no type or variant `{}` here", name.text),
            fix,
        );
    }

    /// A public type or variant of that name elsewhere: its module, and what to expose of it.
    fn home_of(&self, name: &str) -> Option<(String, String)> {
        for (_, module) in self.program.modules() {
            for definition in &module.definitions {
                let Some(kind) = definition.as_type().filter(|_| definition.public) else {
                    continue;
                };
                let variant = kind
                    .variants()
                    .into_iter()
                    .flatten()
                    .any(|known| &*known.name == name);
                if variant || &*definition.name == name {
                    return Some((module.name.to_string(), definition.name.to_string()));
                }
            }
        }
        None
    }

    /// A type name alone, as a value: a variant without fields.
    pub(super) fn bare(&mut self, name: &Name, expected: Option<&Type>) -> Outcome {
        let Some(found) = self.construction(name, expected) else {
            return Outcome::of(Type::Error);
        };
        match found {
            Construction::Variant(variant) => {
                self.refer(name.span, Target::Variant(variant), Role::Construct);
                let sum = self.program.definition(variant.sum);
                let fields = match sum.as_type() {
                    Some(TypeKind::Sum { variants, .. }) => &variants[variant.index as usize].fields,
                    _ => return Outcome::of(Type::Error),
                };
                if !fields.is_empty() {
                    let spelled: Vec<String> =
                        fields.iter().map(|field| format!("{}: …", field.name)).collect();
                    self.report(
                        Code::MissingFields,
                        name.span,
                        format!("the variant `{}` has fields", name.text),
                        format!("write `{}({})`", name.text, spelled.join(", ")),
                    );
                }
                let of = self.generic(variant.sum, expected, name.span);
                Outcome::of(of)
            }
            Construction::Type(id) => {
                self.refer(name.span, Target::Definition(id), Role::Name);
                let fix = match self.program.definition(id).as_type() {
                    Some(TypeKind::Sum { variants, .. }) => match variants.first() {
                        Some(first) => format!("write a variant, such as `{}`", first.name),
                        None => "write a value".to_owned(),
                    },
                    _ => format!("construct one: `{}(…)`", name.text),
                };
                self.report(
                    Code::TypeAsValue,
                    name.span,
                    format!("`{}` is a type, not a value", name.text),
                    fix,
                );
                Outcome::of(Type::Error)
            }
        }
    }

    /// A type with open arguments, which the expected type may settle.
    fn generic(&mut self, id: DefId, expected: Option<&Type>, span: Span) -> Type {
        let count = self.program.definition(id).type_parameters.len();
        let arguments: Vec<Type> = (0..count).map(|_| self.fresh()).collect();
        for argument in &arguments {
            self.pending.push((argument.clone(), span, "this value"));
        }
        let of = Type::generic(id, arguments);
        self.hint(&of, expected);
        of
    }

    /// Learns from an expected type what it can, and says nothing when it does not fit.
    pub(super) fn hint(&mut self, of: &Type, expected: Option<&Type>) {
        let Some(expected) = expected else { return };
        if self.is_settled(of) {
            return;
        }
        if self.try_unify(of, expected) {
            return;
        }
        match (self.shallow(of), self.shallow(expected)) {
            (Type::Maybe(of), expected) if !matches!(expected, Type::Maybe(_)) => {
                self.try_unify(&of, &expected);
            }
            (of, Type::Maybe(expected)) => {
                self.try_unify(&of, &expected);
            }
            _ => {}
        }
    }

    /// `Name(…)`
    pub(super) fn construct(
        &mut self,
        name: &Name,
        arguments: &Arguments,
        expected: Option<&Type>,
        whole: Span,
    ) -> Outcome {
        let Some(found) = self.construction(name, expected) else {
            self.loose_arguments(arguments);
            return Outcome::of(Type::Error);
        };
        let program = self.program;
        let owner = found.owner();
        let definition = program.definition(owner);
        if self.broken.contains(&owner.module) {
            self.refer(name.span, Target::of_construction(found), Role::Construct);
            self.loose_arguments(arguments);
            return Outcome::of(Type::Error);
        }
        self.refer(name.span, Target::of_construction(found), Role::Construct);
        match (found, definition.as_type()) {
            (Construction::Variant(variant), Some(TypeKind::Sum { variants, .. })) => {
                let fields = &variants[variant.index as usize].fields;
                self.with_fields(found, name, fields, arguments, expected, whole)
            }
            (Construction::Type(_), Some(TypeKind::Record { fields, .. })) => {
                self.with_fields(found, name, fields, arguments, expected, whole)
            }
            (_, Some(TypeKind::Subtype { base, .. })) => {
                let base = base.clone();
                self.subtype(owner, name, &base, arguments, expected)
            }
            (_, Some(TypeKind::Sum { variants, .. })) => {
                let fix = match variants.first() {
                    Some(first) => format!("write a variant, such as `{}`", first.name),
                    None => "write a value".to_owned(),
                };
                self.loose_arguments(arguments);
                self.report(
                    Code::ConstructSum,
                    name.span,
                    format!("`{}` is made of variants, and is none itself", name.text),
                    fix,
                );
                Outcome::of(Type::Error)
            }
            _ => {
                self.loose_arguments(arguments);
                self.report(
                    Code::ConstructOpaque,
                    name.span,
                    format!("a `{}` cannot be constructed", name.text),
                    match &*name.text {
                        "List" | "Set" => "write a list literal: `[…]`",
                        "Map" => "write a map literal: `{…: …}`",
                        _ => "call a function of its module that gives one",
                    },
                );
                Outcome::of(Type::Error)
            }
        }
    }

    fn with_fields(
        &mut self,
        found: Construction,
        name: &Name,
        fields: &[Field],
        arguments: &Arguments,
        expected: Option<&Type>,
        whole: Span,
    ) -> Outcome {
        let of = self.generic(found.owner(), expected, name.span);
        let parameters = match &of {
            Type::Named { arguments, .. } => arguments.clone(),
            _ => [].into(),
        };
        let wanted: Vec<(&str, Type)> = fields
            .iter()
            .map(|field| (&*field.name, field.annotation.substitute(&parameters, None)))
            .collect();
        let what = format!("`{}`", name.text);
        let given = self.named_arguments(&what, arguments, &wanted, Naming::Fields, name.span);
        let values: Vec<Option<&Expression>> = given
            .iter()
            .map(|position| position.map(|position| &arguments.list[position].value))
            .collect();
        let conditions = if self.is_date(found.owner()) {
            self.date(&values, whole)
        } else {
            let refined: Vec<(&Field, &Expression)> = fields
                .iter()
                .zip(&values)
                .filter(|(field, _)| field.refined)
                .filter_map(|(field, value)| value.map(|value| (field, value)))
                .collect();
            self.field_conditions(found, &refined)
        };
        self.constructed(of, conditions)
    }

    fn constructed(&self, of: Type, conditions: Conditions) -> Outcome {
        let violation = Type::named(self.program.prelude.constraint_violation);
        match conditions {
            Conditions::Hold => Outcome::of(of),
            Conditions::Open => Outcome {
                value: of,
                fails: vec![violation],
                open: false,
            },
            Conditions::Unknown => Outcome {
                value: of,
                fails: Vec::new(),
                open: true,
            },
        }
    }

    /// The conditions of fields, given the values that they get.
    fn field_conditions(&mut self, found: Construction, refined: &[(&Field, &Expression)]) -> Conditions {
        if refined.is_empty() {
            return Conditions::Hold;
        }
        if !refined.iter().all(|(_, value)| is_literal(value)) {
            return Conditions::Open;
        }
        let mut unknown = false;
        for (field, value) in refined {
            let condition = self.field_condition(found, &field.name);
            let literal = self.literal(value, &field.annotation);
            let (Some(condition), Some(literal)) = (condition, literal) else {
                unknown = true;
                continue;
            };
            let evaluation = Evaluation {
                program: self.program,
                module: found.owner().module,
                name: &field.name,
                value: &literal,
            };
            match evaluation.truth(condition) {
                Some(true) => {}
                Some(false) => self.violated(found.owner(), condition, value.span),
                None => unknown = true,
            }
        }
        if unknown {
            Conditions::Unknown
        } else {
            Conditions::Hold
        }
    }

    fn violated(&mut self, owner: DefId, condition: &Expression, span: Span) {
        let source = &self.program.module(owner.module).source;
        let text = collapsed(condition.span.text(source));
        self.report(
            Code::ConstraintViolation,
            span,
            format!("this literal does not meet the condition `{text}`"),
            format!("write a value for which `{text}`"),
        );
    }

    fn subtype(
        &mut self,
        owner: DefId,
        name: &Name,
        base: &Type,
        arguments: &Arguments,
        expected: Option<&Type>,
    ) -> Outcome {
        let of = self.generic(owner, expected, name.span);
        let parameters = match &of {
            Type::Named { arguments, .. } => arguments.clone(),
            _ => [].into(),
        };
        let base = base.substitute(&parameters, None);
        let what = format!("`{}`", name.text);
        let spelled = [("value", base.clone())];
        let given = self.named_arguments(&what, arguments, &spelled, Naming::Positional, name.span);
        let Some(value) = given
            .first()
            .copied()
            .flatten()
            .map(|position| &arguments.list[position].value)
        else {
            return Outcome::of(of);
        };
        self.library_literal(owner, value);
        let Some(condition) = self.subtype_condition(owner) else {
            return Outcome::of(of);
        };
        if !is_literal(value) {
            return self.constructed(of, Conditions::Open);
        }
        let conditions = match self.literal(value, &base) {
            Some(literal) => {
                let evaluation = Evaluation {
                    program: self.program,
                    module: owner.module,
                    name: "value",
                    value: &literal,
                };
                match evaluation.truth(condition) {
                    Some(true) => Conditions::Hold,
                    Some(false) => {
                        self.violated(owner, condition, value.span);
                        Conditions::Hold
                    }
                    None => Conditions::Unknown,
                }
            }
            None => Conditions::Unknown,
        };
        self.constructed(of, conditions)
    }

    /// `value with f: x, g: y`
    pub(super) fn update(&mut self, value: &Expression, updates: &[Update]) -> Outcome {
        let of = self.expression(value, None);
        let of = self.shallow(&of);
        let (head, parameters) = match self.bottom(&of) {
            Type::Named {
                definition,
                arguments,
            } => (definition, arguments),
            other => {
                for update in updates {
                    self.expression(&update.value, None);
                }
                self.not_a_record(&other, value.span);
                return Outcome::of(Type::Error);
            }
        };
        let program = self.program;
        let Some(TypeKind::Record { fields, .. }) = program.definition(head).as_type() else {
            for update in updates {
                self.expression(&update.value, None);
            }
            self.not_a_record(&of, value.span);
            return Outcome::of(Type::Error);
        };
        let mut refined = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        for update in updates {
            let Some(position) = fields.iter().position(|field| field.name == update.name.text) else {
                self.expression(&update.value, None);
                self.unknown_field(&update.name, &of, fields);
                continue;
            };
            if seen.contains(&position) {
                self.report(
                    Code::DuplicateName,
                    update.name.span,
                    format!("the field `{}` has a new value already", update.name.text),
                    "give it one value",
                );
            }
            seen.push(position);
            self.refer(
                update.name.span,
                Target::Field {
                    owner: head,
                    variant: None,
                    field: position as u32,
                },
                Role::Write,
            );
            let wanted = fields[position].annotation.substitute(&parameters, None);
            self.value(&update.value, &wanted);
            if fields[position].refined {
                refined.push((&fields[position], &update.value));
            }
        }
        let result = Type::generic(head, parameters);
        let conditions = if self.is_date(head) {
            Conditions::Open
        } else {
            self.field_conditions(Construction::Type(head), &refined)
        };
        self.constructed(result, conditions)
    }

    fn not_a_record(&mut self, of: &Type, span: Span) {
        match of {
            Type::Error | Type::Never => {}
            Type::Maybe(_) => {
                let found = self.spelling(of);
                self.report(
                    Code::MaybeValue,
                    span,
                    format!("this is a `{found}`, and a record is needed"),
                    "say what happens without one: `(… otherwise …) with …`",
                );
            }
            _ => {
                let found = self.spelling(of);
                self.report(
                    Code::TypeMismatch,
                    span,
                    format!("`with` copies a record, and this is a `{found}`"),
                    "construct a new value",
                );
            }
        }
    }

    pub(super) fn unknown_field(&mut self, name: &Name, of: &Type, fields: &[Field]) {
        if name.is_missing() {
            return;
        }
        let names = fields.iter().map(|field| &*field.name);
        let fix = match nearest(&name.text, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let names: Vec<&str> = names.collect();
                match names[..] {
                    [] => "it has no fields".to_owned(),
                    _ => format!("its fields are {}", names.join(", ")),
                }
            }
        };
        let spelling = self.spelling(of);
        self.report(
            Code::UnknownField,
            name.span,
            format!("a `{spelling}` has no field `{}`", name.text),
            fix,
        );
    }

    // Literals that the library checks.

    fn is_date(&self, id: DefId) -> bool {
        let definition: &Definition = self.program.definition(id);
        &*definition.name == "Date" && &*self.program.module(id.module).name == "std.time"
    }

    fn date(&mut self, values: &[Option<&Expression>], span: Span) -> Conditions {
        let integer = Type::named(self.program.prelude.integer);
        let mut parts = Vec::with_capacity(3);
        for value in values {
            let Some(value) = value else {
                return Conditions::Hold;
            };
            match self.literal(value, &integer).filter(|_| is_literal(value)) {
                Some(Constant::Integer(part)) => parts.push(part),
                _ => return Conditions::Open,
            }
        }
        if let [year, month, day] = parts[..] {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
                4 | 6 | 9 | 11 => 30,
                2 if leap => 29,
                2 => 28,
                _ => 0,
            };
            if !(1..=length).contains(&day) {
                let message = if length == 0 {
                    format!("there is no month {month}")
                } else {
                    format!("month {month} of year {year} has {length} days")
                };
                self.report(
                    Code::ConstraintViolation,
                    span,
                    message,
                    "write a day that the calendar has",
                );
            }
        }
        Conditions::Hold
    }

    fn library_literal(&mut self, owner: DefId, value: &Expression) {
        let ExpressionKind::Text(TextLiteral { .. }) = &value.kind else {
            return;
        };
        let text = Type::named(self.program.prelude.text);
        let Some(Constant::Text(text)) = self.literal(value, &text) else {
            return;
        };
        let module = &self.program.module(owner.module).name;
        let name = &self.program.definition(owner).name;
        match (&**module, &**name) {
            ("std.filesystem", "Path") if text.is_empty() || text.chars().any(char::is_control) => {
                self.report(
                    Code::InvalidLiteral,
                    value.span,
                    "a path is not empty and has no control characters",
                    "write the path of a file or directory",
                );
            }
            ("std.http", "Url") if !is_absolute_url(&text) => {
                self.report(
                    Code::InvalidLiteral,
                    value.span,
                    "an address has a scheme and a host",
                    "write it whole: `https://example.org/…`",
                );
            }
            ("std.regex", "Pattern") => self.pattern_literal(&text, value.span),
            _ => {}
        }
    }

    /// A literal that is used as a pattern must compile.
    pub(super) fn pattern_literal(&mut self, text: &str, span: Span) {
        if let Err(error) = regex::Regex::new(text) {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason).to_owned();
            self.report(
                Code::RegexInvalid,
                span,
                format!("this pattern does not compile: {reason}"),
                "write a regular expression of the Rust `regex` crate's syntax",
            );
        }
    }

    // Arguments.

    /// Checks arguments against what is wanted, and gives for each wanted one the position of
    /// its argument.
    pub(super) fn named_arguments(
        &mut self,
        what: &str,
        arguments: &Arguments,
        wanted: &[(&str, Type)],
        naming: Naming,
        name_span: Span,
    ) -> Vec<Option<usize>> {
        let list = &arguments.list;
        let mut given: Vec<Option<usize>> = vec![None; wanted.len()];
        let named = match naming {
            Naming::Fields => true,
            Naming::Parameters => wanted.len() > 1,
            Naming::Positional => false,
        };
        let noun = if naming == Naming::Fields {
            "field"
        } else {
            "argument"
        };
        if list.len() != wanted.len() {
            let known = |argument: &Argument| {
                argument
                    .name
                    .as_ref()
                    .is_none_or(|name| wanted.iter().any(|(wanted, _)| **wanted == *name.text))
            };
            // A field that does not exist is told by its name.
            if naming != Naming::Fields || list.iter().all(known) {
                let spelled: Vec<String> = wanted
                    .iter()
                    .map(|(name, _)| {
                        if named {
                            format!("{name}: …")
                        } else {
                            "…".to_owned()
                        }
                    })
                    .collect();
                let count = match wanted.len() {
                    0 => format!("no {noun}s"),
                    1 => format!("one {noun}"),
                    count => format!("{count} {noun}s"),
                };
                let bare = what.trim_matches('`').to_owned();
                let fix = match (wanted.len(), naming) {
                    (0, Naming::Fields) => format!("write `{bare}` alone"),
                    _ => format!("write `{bare}({})`", spelled.join(", ")),
                };
                self.report(
                    Code::ArgumentCount,
                    name_span.to(arguments.span),
                    format!("{what} takes {count}, here it has {}", list.len()),
                    fix,
                );
            }
        }
        let mut last = None;
        for (position, argument) in list.iter().enumerate() {
            let mut place;
            match (&argument.name, named) {
                (Some(name), true) => {
                    place = wanted.iter().position(|(wanted, _)| **wanted == *name.text);
                    if place.is_none() {
                        let names = wanted.iter().map(|(name, _)| *name);
                        let fix = match nearest(&name.text, names.clone()) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => {
                                let names: Vec<&str> = names.collect();
                                format!("the {noun}s are {}", names.join(", "))
                            }
                        };
                        let code = if naming == Naming::Fields {
                            Code::UnknownField
                        } else {
                            Code::ArgumentName
                        };
                        self.report(
                            code,
                            name.span,
                            format!("{what} has no {noun} `{}`", name.text),
                            fix,
                        );
                    } else if place.is_some_and(|place| given[place].is_some()) {
                        self.report(
                            Code::DuplicateName,
                            name.span,
                            format!("the {noun} `{}` is given already", name.text),
                            "give it once",
                        );
                        place = None;
                    } else if place < last {
                        self.report(
                            Code::ArgumentOrder,
                            name.span,
                            format!("the {noun}s stand in the order of their declaration"),
                            {
                                let names: Vec<String> =
                                    wanted.iter().map(|(name, _)| format!("{name}: …")).collect();
                                format!("write them as `{}`", names.join(", "))
                            },
                        );
                    } else {
                        last = place;
                    }
                }
                (Some(name), false) => {
                    self.report(
                        Code::ArgumentName,
                        name.span,
                        if naming == Naming::Positional {
                            format!("{what} takes its {noun} without a name")
                        } else {
                            format!("a single {noun} has no name")
                        },
                        format!("leave out `{}:`", name.text),
                    );
                    place = (position < wanted.len()).then_some(position);
                }
                (None, true) => {
                    let free = (position < wanted.len()).then_some(position);
                    place = free.filter(|place| given[*place].is_none());
                    let fix = match place {
                        Some(place) => format!("write `{}: …`", wanted[place].0),
                        None => "name it".to_owned(),
                    };
                    if wanted.len() > 1 || naming == Naming::Fields {
                        self.report(
                            Code::ArgumentName,
                            argument.value.span,
                            format!("every {noun} of {what} is named"),
                            fix,
                        );
                    }
                }
                (None, false) => place = (position < wanted.len()).then_some(position),
            }
            match place {
                Some(place) => {
                    given[place] = Some(position);
                    let wanted = wanted[place].1.clone();
                    self.value(&argument.value, &wanted);
                }
                None => {
                    self.expression(&argument.value, None);
                }
            }
        }
        given
    }

    /// Arguments of something unknown: only what they say themselves is checked.
    pub(super) fn loose_arguments(&mut self, arguments: &Arguments) {
        for argument in &arguments.list {
            let mark = self.pending.len();
            self.expression(&argument.value, None);
            // What nothing types is no fault of its own here.
            for (variable, _, _) in self.pending.split_off(mark) {
                let error = Type::Error;
                self.unify(&variable, &error);
                if let Type::Variable(index) = self.shallow(&variable) {
                    self.variables[index as usize] = Some(Type::Error);
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Naming {
    /// All named, even a single one.
    Fields,
    /// One without a name, several with.
    Parameters,
    /// None named.
    Positional,
}

/// Has a scheme, and a host after it.
fn is_absolute_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let mut letters = scheme.chars();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|next| next.is_ascii_alphanumeric() || "+-.".contains(next))
        && !host.split(':').next().unwrap_or_default().is_empty()
        && !text.chars().any(|next| next.is_whitespace() || next.is_control())
}

/// Blanks and line breaks as one blank each.
pub(crate) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The trees of conditions.
impl<'a> Body<'a> {
    fn declaration_of(&self, id: DefId) -> Option<&'a TypeDeclarationKind> {
        let program = self.program;
        let module = program.module(id.module);
        match &module.item(program.definition(id)).kind {
            syntax::tree::ItemKind::Type(declaration) => Some(&declaration.kind),
            _ => None,
        }
    }

    pub(super) fn subtype_condition(&self, id: DefId) -> Option<&'a Expression> {
        match self.declaration_of(id)? {
            TypeDeclarationKind::Subtype { condition, .. } => condition.as_ref(),
            _ => None,
        }
    }

    fn field_condition(&self, found: Construction, field: &str) -> Option<&'a Expression> {
        let fields = match (self.declaration_of(found.owner())?, found) {
            (TypeDeclarationKind::Record { fields, .. }, Construction::Type(_)) => fields,
            (TypeDeclarationKind::Sum { variants, .. }, Construction::Variant(variant)) => {
                &variants.get(variant.index as usize)?.fields
            }
            _ => return None,
        };
        let field = fields.iter().find(|known| &*known.name.text == field)?;
        field.condition.as_ref()
    }
}
