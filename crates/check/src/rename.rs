//! New names for definitions: which places of which files a name stands in.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use syntax::lex::{TokenKind, lex};
use syntax::tree::Span;
use syntax::{Diagnostic, Severity};

use crate::analysis::Analysis;
use crate::declaration::DefinitionKind;
use crate::facts::Target;
use crate::program::{DefId, ModuleId, ModuleKind};

/// Why a definition keeps its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// What was asked for is not a name of this kind of definition.
    NotAName { expected: &'static str },
    /// It is not this project's to rename, or its name is given elsewhere.
    Fixed { reason: String },
    /// Something of that name is there already.
    Clash { with: String },
    /// References in files with errors may be missed.
    Errors { files: Vec<Arc<str>> },
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAName { expected } => write!(formatter, "expected {expected}"),
            Self::Fixed { reason } => formatter.write_str(reason),
            Self::Clash { with } => write!(formatter, "`{with}` is there already"),
            Self::Errors { files } => {
                let listed: Vec<&str> = files.iter().map(|file| &**file).take(5).collect();
                write!(
                    formatter,
                    "the project has errors, so references could be missed; mend {} first",
                    listed.join(", ")
                )
            }
        }
    }
}

/// The places in which a definition's name stands, per file, ascending; the declaration included.
///
/// # Errors
/// The name may not change, or not to this one.
pub fn places(analysis: &Analysis, id: DefId, name: &str) -> Result<BTreeMap<Arc<str>, Vec<Span>>, Refusal> {
    let program = &analysis.program;
    let module = program.module(id.module);
    let definition = program.definition(id);
    match &module.kind {
        ModuleKind::Project => {}
        ModuleKind::Library => {
            return Err(Refusal::Fixed {
                reason: "a definition of the library has a fixed name".to_owned(),
            });
        }
        ModuleKind::Package { name, .. } => {
            return Err(Refusal::Fixed {
                reason: format!("it belongs to the package `{name}`"),
            });
        }
        ModuleKind::Foreign | ModuleKind::Python { .. } => {
            return Err(Refusal::Fixed {
                reason: "its name is that of a function of another language".to_owned(),
            });
        }
    }
    let fixed = |reason: &str| {
        Err(Refusal::Fixed {
            reason: reason.to_owned(),
        })
    };
    let wanted = match &definition.kind {
        DefinitionKind::Type(_) | DefinitionKind::Ability(_) => TokenKind::TypeName,
        DefinitionKind::Function(_) | DefinitionKind::Method { .. } | DefinitionKind::Constant(_) => {
            TokenKind::Identifier
        }
        DefinitionKind::ImplementationMethod { .. } => {
            return fixed("a method of an implementation is named by its ability");
        }
        DefinitionKind::Implementation(_) => return fixed("an implementation has no name of its own"),
        DefinitionKind::Test { .. } => return fixed("a test's name is its text: nothing refers to it"),
    };
    if !is_name(name, wanted) {
        return Err(Refusal::NotAName {
            expected: match wanted {
                TokenKind::TypeName => "a type name such as `OrderLine`",
                _ => "a name such as `order_line` that is no reserved word",
            },
        });
    }
    if *definition.name == *name {
        return fixed("it has this name");
    }
    let clash = match &definition.kind {
        DefinitionKind::Method {
            receiver: Some(receiver),
            ..
        } => program.tables.methods.contains_key(&(*receiver, name.into())),
        DefinitionKind::Method { .. } => false,
        _ => {
            // A name of the module, or one that stands unqualified where this one is exposed.
            let exposed_beside = program.modules().any(|(importer, other)| {
                let exposes = importer == id.module || other.exposed.values().any(|shown| *shown == id);
                exposes && (other.outline.names.contains_key(name) || other.exposed.contains_key(name))
            });
            module.outline.names.contains_key(name) || exposed_beside
        }
    };
    if clash {
        return Err(Refusal::Clash {
            with: name.to_owned(),
        });
    }
    let with_errors = files_with_errors(analysis);
    if !with_errors.is_empty() {
        return Err(Refusal::Errors { files: with_errors });
    }
    let mut found: BTreeMap<Arc<str>, Vec<Span>> = BTreeMap::new();
    found
        .entry(module.file.clone())
        .or_default()
        .push(definition.name_span);
    for (referring, other) in program.modules() {
        if other.kind == ModuleKind::Library {
            continue;
        }
        let spans = spans_in(analysis, referring, id);
        if !spans.is_empty() {
            found.entry(other.file.clone()).or_default().extend(spans);
        }
    }
    for spans in found.values_mut() {
        spans.sort();
        spans.dedup();
    }
    Ok(found)
}

/// Where a module refers to a definition.
fn spans_in(analysis: &Analysis, module: ModuleId, id: DefId) -> Vec<Span> {
    let program = &analysis.program;
    let declared = program.module(module);
    let target = Target::Definition(id);
    let mut spans: Vec<Span> = declared
        .head_references
        .iter()
        .flatten()
        .filter(|reference| reference.target == target)
        .map(|reference| reference.span)
        .collect();
    for (index, facts) in analysis.facts[module.0 as usize].list.iter().enumerate() {
        let definition = declared.definitions.get(index);
        let start = definition.map_or(0, |definition| declared.start(definition));
        let here = facts
            .references
            .iter()
            .filter(|reference| reference.target == target);
        spans.extend(here.map(|reference| reference.span.after(start)));
    }
    spans
}

pub fn files_with_errors(analysis: &Analysis) -> Vec<Arc<str>> {
    let wrong = |diagnostic: &Diagnostic| diagnostic.severity() == Severity::Error;
    analysis
        .program
        .modules()
        .filter(|(id, _)| analysis.diagnostics(*id).iter().any(wrong))
        .map(|(_, module)| module.file.clone())
        .collect()
}

/// The text is one token of this kind.
fn is_name(text: &str, kind: TokenKind) -> bool {
    let lexed = lex(text);
    let mut tokens = lexed.tokens.iter();
    lexed.diagnostics.is_empty()
        && tokens
            .next()
            .is_some_and(|first| first.kind == kind && first.span.end as usize == text.len())
}

/// A source with the name put in every place.
pub fn renamed(source: &str, spans: &[Span], name: &str) -> String {
    let mut out = String::with_capacity(source.len() + spans.len() * name.len());
    let mut at = 0;
    for span in spans {
        out.push_str(Span::new(at, span.start).text(source));
        out.push_str(name);
        at = span.end;
    }
    out.push_str(Span::new(at, source.len() as u32).text(source));
    out
}
