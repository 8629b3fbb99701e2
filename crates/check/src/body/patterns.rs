//! Patterns against the types of what they match.

use syntax::Code;
use syntax::tree::{FieldPattern, Name, Pattern, PatternKind, Span};

use super::exhaustive::{Case, Shape};
use super::{Body, Outcome};
use crate::declaration::{Field, TypeKind};
use crate::facts::{Role, Target};
use crate::names::nearest;
use crate::program::{DefId, VariantId};
use crate::types::Type;

impl Body<'_> {
    /// A pattern of a `match`: over what can fail, the two ways it can end.
    pub(super) fn pattern(&mut self, pattern: &Pattern, subject: &Outcome) -> Shape {
        if subject.value == Type::NoValue && subject.fails.is_empty() {
            self.report(
                Code::TypeMismatch,
                pattern.span,
                "the call that is matched returns nothing",
                "match on a value",
            );
            self.bind_all(pattern);
            return Shape::Any;
        }
        if subject.fails.is_empty() && !subject.open {
            return match &pattern.kind {
                PatternKind::Success(_) | PatternKind::Failure(_)
                    if !matches!(self.shallow(&subject.value), Type::Error | Type::Never) =>
                {
                    self.unfit(pattern.span, "what is matched cannot fail", "match on its value");
                    self.bind_all(pattern);
                    Shape::Any
                }
                _ => self.value_pattern(pattern, &subject.value),
            };
        }
        match &pattern.kind {
            PatternKind::Success(inner) => {
                self.set_type(pattern.id, &subject.value);
                if subject.value == Type::NoValue {
                    self.unfit(
                        inner.span,
                        "the call gives no value when it succeeds",
                        "write `otherwise` for success",
                    );
                    self.bind_all(inner);
                    return Shape::Case(Case::Success, vec![Shape::Any]);
                }
                let inner = self.value_pattern(inner, &subject.value);
                Shape::Case(Case::Success, vec![inner])
            }
            PatternKind::Failure(inner) => {
                let inner = self.failure_pattern(inner, &subject.fails);
                Shape::Case(Case::Failure, vec![inner])
            }
            PatternKind::Error => Shape::Any,
            _ => {
                self.unfit(
                    pattern.span,
                    "what is matched can fail",
                    "write `success(…)` or `failure(…)`",
                );
                self.bind_all(pattern);
                Shape::Any
            }
        }
    }

    /// The type that `success(name: Type)` says a call gives, for what is solved from its result.
    pub(super) fn success_hint<'p>(
        &mut self,
        mut patterns: impl Iterator<Item = &'p Pattern>,
    ) -> Option<Type> {
        let spelled = patterns.find_map(|pattern| match &pattern.kind {
            PatternKind::Success(inner) => match &inner.kind {
                PatternKind::Binding {
                    annotation: Some(spelled),
                    ..
                } => Some(spelled),
                _ => None,
            },
            _ => None,
        })?;
        // The pattern itself reports and refers.
        let kept = std::mem::take(&mut self.sink);
        let hint = self.resolve_type(spelled);
        self.sink = kept;
        Some(hint)
    }

    /// What stands in `failure(…)`, or after `fails with` of an example.
    pub(super) fn failure_pattern(&mut self, pattern: &Pattern, fails: &[Type]) -> Shape {
        match &pattern.kind {
            PatternKind::Binding {
                name,
                annotation: None,
            } => {
                let of = match fails {
                    [only] => only.clone(),
                    _ => Type::Error,
                };
                self.bind(name, pattern.id, of, "pattern variable");
                Shape::Any
            }
            PatternKind::Binding {
                name,
                annotation: Some(spelled),
            } => {
                let of = self.resolve_type(spelled);
                let position = self.failure_position(&of, fails, spelled.span);
                self.bind(name, pattern.id, of, "pattern variable");
                match position {
                    Some(position) => Shape::Case(Case::Failed(position), vec![Shape::Any]),
                    None => Shape::Any,
                }
            }
            PatternKind::Construction { name, .. } => {
                let candidates = self.matchable(name);
                let found = candidates.iter().find_map(|candidate| {
                    let position = fails
                        .iter()
                        .position(|failure| failure.head() == Some(candidate.owner()))?;
                    Some(position)
                });
                match found {
                    Some(position) => {
                        let of = fails[position].clone();
                        let inner = self.value_pattern(pattern, &of);
                        Shape::Case(Case::Failed(position), vec![inner])
                    }
                    None => {
                        if candidates.is_empty() {
                            self.unmatchable(name);
                        } else if !fails.contains(&Type::Error) && !fails.is_empty() {
                            let listed: Vec<String> =
                                fails.iter().map(|failure| self.spelling(failure)).collect();
                            self.unfit(
                                name.span,
                                format!("this never fails with `{}`", name.text),
                                format!("it fails with {}", listed.join(" or ")),
                            );
                        }
                        self.bind_all(pattern);
                        Shape::Any
                    }
                }
            }
            PatternKind::Error => Shape::Any,
            _ => {
                self.unfit(
                    pattern.span,
                    "a failure is matched by a variant, a record, or a name",
                    "write the failure's variant, or `failure(error: Type)`",
                );
                self.bind_all(pattern);
                Shape::Any
            }
        }
    }

    fn failure_position(&mut self, of: &Type, fails: &[Type], span: Span) -> Option<usize> {
        if *of == Type::Error {
            return None;
        }
        let position = fails.iter().position(|failure| self.deep(failure) == *of);
        if position.is_none() && !fails.contains(&Type::Error) {
            let spelling = self.spelling(of);
            let listed: Vec<String> = fails.iter().map(|failure| self.spelling(failure)).collect();
            self.unfit(
                span,
                format!("this never fails with `{spelling}`"),
                format!("it fails with {}", listed.join(" or ")),
            );
        }
        position
    }

    pub(super) fn value_pattern(&mut self, pattern: &Pattern, subject: &Type) -> Shape {
        let subject = self.deep(subject);
        self.set_type(pattern.id, &subject);
        match &pattern.kind {
            PatternKind::Binding { name, annotation } => {
                if let Some(spelled) = annotation {
                    let of = self.resolve_type(spelled);
                    if !self.try_unify(&of, &subject) {
                        let (wanted, found) = (self.spelling(&subject), self.spelling(&of));
                        self.unfit(
                            spelled.span,
                            format!("a `{wanted}` is matched, never a `{found}`"),
                            "leave the type out",
                        );
                    }
                }
                self.bind(name, pattern.id, subject, "pattern variable");
                Shape::Any
            }
            PatternKind::Nothing => match subject {
                Type::Maybe(_) | Type::Error | Type::Never => Shape::Case(Case::Nothing, Vec::new()),
                _ => {
                    let found = self.spelling(&subject);
                    self.unfit(
                        pattern.span,
                        format!("a `{found}` is never `nothing`"),
                        "remove this case",
                    );
                    Shape::Any
                }
            },
            PatternKind::Some(inner) => match &subject {
                Type::Maybe(of) => {
                    let inner = self.value_pattern(inner, of);
                    Shape::Case(Case::Some, vec![inner])
                }
                Type::Error | Type::Never => {
                    self.value_pattern(inner, &Type::Error);
                    Shape::Any
                }
                _ => {
                    let found = self.spelling(&subject);
                    self.unfit(
                        pattern.span,
                        format!("a `{found}` is always there"),
                        "match on the value itself",
                    );
                    self.bind_all(inner);
                    Shape::Any
                }
            },
            PatternKind::Success(inner) | PatternKind::Failure(inner) => {
                self.unfit(
                    pattern.span,
                    "only what is matched as a whole can have failed",
                    "match on the value itself",
                );
                self.bind_all(inner);
                Shape::Any
            }
            PatternKind::Literal(literal) => {
                let bottom = self.bottom(&subject);
                let actual = self.expression(literal, Some(&bottom));
                if self.accept(&actual, &bottom).is_err() {
                    let (wanted, found) = (self.spelling(&subject), self.spelling(&actual));
                    self.unfit(
                        pattern.span,
                        format!("a `{wanted}` is matched, never a `{found}`"),
                        format!("write a `{wanted}`"),
                    );
                }
                match literal.kind {
                    syntax::tree::ExpressionKind::Boolean(value) => {
                        Shape::Case(Case::Boolean(value), Vec::new())
                    }
                    _ => Shape::Literal,
                }
            }
            PatternKind::Construction { name, fields } => {
                self.construction_pattern(pattern, name, fields.as_deref(), &subject)
            }
            PatternKind::Error => Shape::Any,
        }
    }

    fn construction_pattern(
        &mut self,
        pattern: &Pattern,
        name: &Name,
        fields: Option<&[FieldPattern]>,
        subject: &Type,
    ) -> Shape {
        let candidates = self.matchable(name);
        let bind_fields = |body: &mut Self| {
            for field in fields.unwrap_or_default() {
                body.bind_field(field, &Type::Error);
            }
        };
        if candidates.is_empty() {
            self.unmatchable(name);
            bind_fields(self);
            return Shape::Any;
        }
        let (head, arguments) = match subject {
            Type::Named {
                definition,
                arguments,
            } => (*definition, arguments.clone()),
            Type::Error | Type::Never => {
                if let [only] = candidates[..] {
                    self.refer(name.span, Target::of_construction(only), Role::Match);
                }
                bind_fields(self);
                return Shape::Any;
            }
            Type::Maybe(_) => {
                let found = self.spelling(subject);
                self.unfit(
                    pattern.span,
                    format!("a `{found}` is matched"),
                    format!("write `some({}…)` and `nothing`", name.text),
                );
                bind_fields(self);
                return Shape::Any;
            }
            _ => {
                let found = self.spelling(subject);
                self.unfit(
                    pattern.span,
                    format!("a `{found}` is never a `{}`", name.text),
                    "write another pattern",
                );
                bind_fields(self);
                return Shape::Any;
            }
        };
        let Some(found) = candidates
            .iter()
            .find(|candidate| candidate.owner() == head)
            .copied()
        else {
            let spelling = self.spelling(subject);
            let fix = match self
                .program
                .definition(head)
                .as_type()
                .and_then(|kind| kind.variants())
            {
                Some(variants) => {
                    let names: Vec<&str> = variants.iter().map(|variant| &*variant.name).collect();
                    format!("write one of {}", names.join(", "))
                }
                None => "write another pattern".to_owned(),
            };
            self.unfit(
                name.span,
                format!("a `{spelling}` is never a `{}`", name.text),
                fix,
            );
            bind_fields(self);
            return Shape::Any;
        };
        self.refer(name.span, Target::of_construction(found), Role::Match);
        let program = self.program;
        let declared: &[Field] = match (found, program.definition(head).as_type()) {
            (Construction::Variant(variant), Some(TypeKind::Sum { variants, .. })) => {
                &variants[variant.index as usize].fields
            }
            (Construction::Type(_), Some(kind)) => kind.fields().unwrap_or_default(),
            _ => &[],
        };
        let mut shapes = vec![Shape::Any; declared.len()];
        let mut seen: Vec<usize> = Vec::new();
        for field in fields.unwrap_or_default() {
            let Some(position) = declared.iter().position(|known| known.name == field.name.text) else {
                let names = declared.iter().map(|known| &*known.name);
                let fix = match nearest(&field.name.text, names.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        let names: Vec<&str> = names.collect();
                        match names[..] {
                            [] => format!("write `{}` alone", name.text),
                            _ => format!("its fields are {}", names.join(", ")),
                        }
                    }
                };
                self.report(
                    Code::UnknownField,
                    field.name.span,
                    format!("`{}` has no field `{}`", name.text, field.name.text),
                    fix,
                );
                self.bind_field(field, &Type::Error);
                continue;
            };
            if seen.contains(&position) {
                self.report(
                    Code::DuplicateName,
                    field.name.span,
                    format!("the field `{}` is matched already", field.name.text),
                    "match it once",
                );
            }
            seen.push(position);
            let of = declared[position].annotation.substitute(&arguments, None);
            self.refer(
                field.name.span,
                Target::Field {
                    owner: head,
                    variant: found.variant(),
                    field: position as u32,
                },
                Role::Match,
            );
            shapes[position] = self.bind_field(field, &of);
        }
        let case = match found {
            Construction::Variant(variant) => Case::Variant(variant.index),
            Construction::Type(_) => Case::Record,
        };
        Shape::Case(case, shapes)
    }

    fn bind_field(&mut self, field: &FieldPattern, of: &Type) -> Shape {
        self.set_type(field.id, of);
        match &field.pattern {
            Some(pattern) => self.value_pattern(pattern, of),
            None => {
                self.bind(&field.name, field.id, of.clone(), "pattern variable");
                Shape::Any
            }
        }
    }

    /// What a name may match: variants and records. A sum, a subtype and what is opaque are
    /// matched by no pattern of their name.
    fn matchable(&self, name: &Name) -> Vec<Construction> {
        let mut candidates = self.constructions(name);
        candidates.retain(|candidate| match candidate {
            Construction::Variant(_) => true,
            Construction::Type(id) => matches!(
                self.program.definition(*id).as_type(),
                Some(TypeKind::Record { .. })
            ),
        });
        candidates
    }

    /// The name is that of a type without a pattern, or of nothing.
    fn unmatchable(&mut self, name: &Name) {
        match self.constructions(name).first() {
            Some(found) => {
                let kind = self.program.definition(found.owner()).as_type();
                let fix = match kind
                    .and_then(|kind| kind.variants())
                    .and_then(|variants| variants.first())
                {
                    Some(first) => format!(
                        "match a variant, such as `{}`, or write `name: {}`",
                        first.name, name.text
                    ),
                    None => format!("match a literal, or write `name: {}`", name.text),
                };
                self.unfit(
                    name.span,
                    format!("`{}` is neither a variant nor a record", name.text),
                    fix,
                );
            }
            None => self.unknown_construction(name),
        }
    }

    /// After an error: the names are bound all the same.
    fn bind_all(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Binding { name, annotation } => {
                let of = match annotation {
                    Some(spelled) => self.resolve_type(spelled),
                    None => Type::Error,
                };
                let index = self.bind(name, pattern.id, of, "pattern variable");
                self.locals[index].exempt = true;
            }
            PatternKind::Some(inner) | PatternKind::Success(inner) | PatternKind::Failure(inner) => {
                self.bind_all(inner);
            }
            PatternKind::Construction { fields, .. } => {
                for field in fields.iter().flatten() {
                    match &field.pattern {
                        Some(pattern) => self.bind_all(pattern),
                        None => {
                            let index = self.bind(&field.name, field.id, Type::Error, "pattern variable");
                            self.locals[index].exempt = true;
                        }
                    }
                }
            }
            PatternKind::Nothing | PatternKind::Literal(_) | PatternKind::Error => {}
        }
    }

    fn unfit(&mut self, span: Span, message: impl Into<String>, fix: impl Into<String>) {
        self.report(Code::PatternMismatch, span, message, fix);
    }
}

/// What a type name constructs or matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Construction {
    Variant(VariantId),
    Type(DefId),
}

impl Construction {
    pub(super) fn owner(self) -> DefId {
        match self {
            Self::Variant(variant) => variant.sum,
            Self::Type(id) => id,
        }
    }

    pub(super) fn variant(self) -> Option<u32> {
        match self {
            Self::Variant(variant) => Some(variant.index),
            Self::Type(_) => None,
        }
    }
}

impl Target {
    pub(super) fn of_construction(construction: Construction) -> Self {
        match construction {
            Construction::Variant(variant) => Self::Variant(variant),
            Construction::Type(id) => Self::Definition(id),
        }
    }
}
