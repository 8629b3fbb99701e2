//! Whether a `match` has an arm for every case (7.3 of the language).

use syntax::Code;
use syntax::tree::{Expression, Span};

use super::{Body, Outcome};
use crate::declaration::TypeKind;
use crate::program::Program;
use crate::types::Type;

/// Steps after which a match is taken to be exhaustive: more than any that a person can read.
const MAX_STEPS: usize = 20_000;

/// What a pattern covers.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    /// Everything.
    Any,
    /// One value of a type whose cases cannot be listed.
    Literal,
    Case(Case, Vec<Shape>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Variant(u32),
    Record,
    Nothing,
    Some,
    Boolean(bool),
    Success,
    Failure,
    /// The failure at a position of the declared ones.
    Failed(usize),
}

/// What stands in one column: a type, or what can fail.
#[derive(Clone, Debug)]
enum Column {
    Value(Type),
    Result { value: Type, fails: Vec<Type> },
    Failure(Vec<Type>),
}

impl Body<'_> {
    /// Reports the cases that no arm without a guard covers.
    pub(super) fn exhaustive(
        &mut self,
        subject: &Expression,
        of: &Outcome,
        rows: Vec<(Shape, bool)>,
        has_otherwise: bool,
        span: Span,
    ) {
        if has_otherwise {
            return;
        }
        let column = if of.fails.is_empty() {
            Column::Value(self.deep(&of.value))
        } else {
            Column::Result {
                value: self.deep(&of.value),
                fails: of.fails.iter().map(|failure| self.deep(failure)).collect(),
            }
        };
        if matches!(&column, Column::Value(Type::Error | Type::Never | Type::NoValue)) {
            return;
        }
        let rows: Vec<Vec<Shape>> = rows
            .into_iter()
            .filter(|(_, guarded)| !guarded)
            .map(|(shape, _)| vec![shape])
            .collect();
        let mut search = Search {
            program: self.program,
            steps: 0,
        };
        let mut missing = Vec::new();
        search.missing(rows, &[column], &mut missing);
        if missing.is_empty() {
            return;
        }
        let cases: Vec<String> = missing.iter().filter_map(|case| case.first().cloned()).collect();
        let fix = if cases.iter().any(|case| case == "_") {
            "add `otherwise`, or a name that takes every value".to_owned()
        } else {
            let listed: Vec<String> = cases.iter().map(|case| format!("`when {case} then …`")).collect();
            format!("add {}", listed.join(", "))
        };
        let span = Span::new(span.start, subject.span.end.max(span.start));
        self.report(
            Code::NotExhaustive,
            span,
            "the `match` has no arm for some cases",
            fix,
        );
    }
}

struct Search<'a> {
    program: &'a Program,
    steps: usize,
}

impl Search<'_> {
    /// Adds to `found` what no row covers, spelled column by column; at most a few cases.
    fn missing(&mut self, rows: Vec<Vec<Shape>>, columns: &[Column], found: &mut Vec<Vec<String>>) {
        const MAX_FOUND: usize = 8;
        self.steps += 1;
        if self.steps > MAX_STEPS || found.len() >= MAX_FOUND {
            return;
        }
        let Some((column, rest)) = columns.split_first() else {
            if rows.is_empty() {
                found.push(Vec::new());
            }
            return;
        };
        let any_case = rows.iter().any(|row| matches!(row[0], Shape::Case(..)));
        let cases = if any_case || rows.is_empty() {
            self.cases(column)
        } else {
            None
        };
        let only_wild = rows
            .iter()
            .all(|row| matches!(row[0], Shape::Any | Shape::Literal));
        match cases {
            // Nothing here is told apart, unless this is the very value that is matched.
            Some(cases) if !only_wild || rows.is_empty() => {
                for (case, name, fields) in cases {
                    let narrowed: Vec<Vec<Shape>> = rows
                        .iter()
                        .filter_map(|row| narrow(row, case, fields.len()))
                        .collect();
                    let inner: Vec<Column> = fields
                        .iter()
                        .map(|(_, column)| column.clone())
                        .chain(rest.iter().cloned())
                        .collect();
                    // A case that no row names is missing as a whole.
                    let mut below = Vec::new();
                    if narrowed.is_empty() {
                        below.push(vec!["_".to_owned(); inner.len()]);
                    } else {
                        self.missing(narrowed, &inner, &mut below);
                    }
                    for witness in below {
                        if found.len() >= MAX_FOUND {
                            return;
                        }
                        let (of_fields, after) = witness.split_at(fields.len());
                        let mut line = vec![spelled(case, &name, &fields, of_fields)];
                        line.extend(after.iter().cloned());
                        found.push(line);
                    }
                }
            }
            _ => {
                let narrowed: Vec<Vec<Shape>> = rows
                    .into_iter()
                    .filter(|row| row[0] == Shape::Any)
                    .map(|row| row[1..].to_vec())
                    .collect();
                let mut below = Vec::new();
                self.missing(narrowed, rest, &mut below);
                for witness in below {
                    let mut line = vec!["_".to_owned()];
                    line.extend(witness);
                    found.push(line);
                }
            }
        }
    }

    /// The cases of a column, each with its name and the columns inside it.
    #[allow(clippy::type_complexity)]
    fn cases(&self, column: &Column) -> Option<Vec<(Case, String, Vec<(String, Column)>)>> {
        match column {
            Column::Result { value, fails } => Some(vec![
                (
                    Case::Success,
                    "success".to_owned(),
                    vec![(String::new(), Column::Value(value.clone()))],
                ),
                (
                    Case::Failure,
                    "failure".to_owned(),
                    vec![(String::new(), Column::Failure(fails.clone()))],
                ),
            ]),
            Column::Failure(fails) => {
                let mut cases = Vec::new();
                for (position, failure) in fails.iter().enumerate() {
                    let name = match failure.head() {
                        Some(head) => self.program.definition(head).name.to_string(),
                        None => return None,
                    };
                    cases.push((
                        Case::Failed(position),
                        name,
                        vec![(String::new(), Column::Value(failure.clone()))],
                    ));
                }
                Some(cases)
            }
            Column::Value(Type::Maybe(inner)) => Some(vec![
                (
                    Case::Some,
                    "some".to_owned(),
                    vec![(String::new(), Column::Value((**inner).clone()))],
                ),
                (Case::Nothing, "nothing".to_owned(), Vec::new()),
            ]),
            Column::Value(Type::Named {
                definition,
                arguments,
            }) => {
                if *definition == self.program.prelude.boolean {
                    return Some(vec![
                        (Case::Boolean(true), "true".to_owned(), Vec::new()),
                        (Case::Boolean(false), "false".to_owned(), Vec::new()),
                    ]);
                }
                let of_fields = |fields: &[crate::declaration::Field]| {
                    let each = |field: &crate::declaration::Field| {
                        let of = field.annotation.substitute(arguments, None);
                        (field.name.to_string(), Column::Value(of))
                    };
                    fields.iter().map(each).collect::<Vec<_>>()
                };
                let definition = self.program.definition(*definition);
                match definition.as_type()? {
                    TypeKind::Sum { variants, .. } => Some(
                        variants
                            .iter()
                            .enumerate()
                            .map(|(index, variant)| {
                                (
                                    Case::Variant(index as u32),
                                    variant.name.to_string(),
                                    of_fields(&variant.fields),
                                )
                            })
                            .collect(),
                    ),
                    TypeKind::Record { fields, .. } => Some(vec![(
                        Case::Record,
                        definition.name.to_string(),
                        of_fields(fields),
                    )]),
                    _ => None,
                }
            }
            Column::Value(_) => None,
        }
    }
}

/// The row for one case of its first column, if it speaks of it.
fn narrow(row: &[Shape], case: Case, fields: usize) -> Option<Vec<Shape>> {
    let (first, rest) = row.split_first()?;
    let inner = match first {
        Shape::Any => vec![Shape::Any; fields],
        Shape::Case(of, shapes) if *of == case => {
            let mut shapes = shapes.clone();
            shapes.resize(fields, Shape::Any);
            shapes
        }
        _ => return None,
    };
    Some(inner.into_iter().chain(rest.iter().cloned()).collect())
}

fn spelled(case: Case, name: &str, fields: &[(String, Column)], inner: &[String]) -> String {
    match case {
        Case::Some | Case::Success | Case::Failure => {
            let inner = inner.first().map_or("_", String::as_str);
            let inner = match (inner, case) {
                ("_", Case::Some) => "value",
                ("_", Case::Success) => "value",
                ("_", _) => "error",
                (inner, _) => inner,
            };
            format!("{name}({inner})")
        }
        Case::Failed(_) => match inner.first().map(String::as_str) {
            None | Some("_") => format!("error: {name}"),
            Some(inner) => inner.to_owned(),
        },
        _ => {
            let told: Vec<String> = fields
                .iter()
                .zip(inner)
                .filter(|(_, inner)| *inner != "_")
                .map(|((field, _), inner)| format!("{field}: {inner}"))
                .collect();
            if told.is_empty() {
                name.to_owned()
            } else {
                format!("{name}({})", told.join(", "))
            }
        }
    }
}
