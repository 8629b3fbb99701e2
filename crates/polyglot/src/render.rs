//! Readable text of linked skeletons: what the cases compare, and what one looks
//! at to see why a reference did or did not resolve.

use std::fmt::Write as _;

use crate::{
    effects::{Capabilities, Capability, EffectTable},
    frontend::{FileIndex, Project},
    link::{Linker, Target},
    model::*,
};

/// The canonical tokens of a definition, blanks between: `@name` is a reference,
/// `<library name>` a library name, `·` its own name, `%` a module.
pub fn canonical(
    linker: &Linker<'_>,
    project: &Project<'_>,
    targets: &[Target],
    file: FileIndex,
    definition: &Definition,
) -> String {
    let skeleton = project.file(file).skeleton;
    let mut text = String::new();
    for (at, token) in skeleton.tokens_of(definition).iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        if at == definition.signature_tokens as usize && at > 0 {
            text.push_str("| ");
        }
        match token.view() {
            TokenView::Text(name) => text.push_str(skeleton.str(name)),
            TokenView::OwnName => text.push('·'),
            TokenView::Reference(index) => match &targets[index as usize] {
                Target::Definition(id) => {
                    text.push('@');
                    text.push_str(&full_name(linker, project, file, *id));
                }
                Target::Library(name) => {
                    let _ = write!(text, "<{name}>");
                }
                Target::Module => text.push('%'),
                Target::Unknown => text.push_str(skeleton.str(skeleton.references[index as usize].text)),
            },
        }
    }
    text.replace('\n', "⏎")
}

/// Qualified name of a definition, with its module when that is another file's.
pub fn full_name(
    linker: &Linker<'_>,
    project: &Project<'_>,
    from: FileIndex,
    id: crate::link::GlobalId,
) -> String {
    let (file, index) = linker.locate(id);
    let skeleton = project.file(file).skeleton;
    let name = skeleton.str(skeleton.definition(index).qualified);
    if file == from {
        return name.to_owned();
    }
    format!(
        "{}{}{name}",
        linker.module_name(file),
        project.file(file).front_end.separator()
    )
}

/// Everything a front end says of a file, as text.
pub fn describe(linker: &Linker<'_>, project: &Project<'_>, file: FileIndex) -> String {
    let mut out = String::new();
    let at = project.file(file);
    let skeleton = at.skeleton;
    let targets = linker.link_file(file);
    let effects =
        EffectTable::parse(at.front_end.effects()).expect("the table of a front end is well formed");
    let _ = writeln!(out, "module {}", linker.module_name(file));
    if let Some(purpose) = skeleton.purpose {
        let _ = writeln!(out, "  purpose {}", skeleton.str(purpose));
    }
    for &import in &skeleton.imports {
        let _ = writeln!(out, "  import {}", skeleton.str(import));
    }
    for error in &skeleton.diagnostics {
        let _ = writeln!(out, "  error {}:{}: {}", error.line, error.column, error.message);
    }
    for definition in &skeleton.definitions {
        describe_definition(&mut out, skeleton, definition);
        let text = canonical(linker, project, &targets, file, definition);
        let _ = writeln!(out, "  text {text}");
        let mut capabilities = Capabilities::default();
        for token in skeleton.tokens_of(definition) {
            if let TokenView::Reference(index) = token.view()
                && let Target::Library(name) = &targets[index as usize]
            {
                capabilities = capabilities.union(effects.of(name));
            }
        }
        if !capabilities.is_empty() {
            let names: Vec<_> = capabilities.iter().map(Capability::name).collect();
            let _ = writeln!(out, "  effects {}", names.join(" "));
        }
    }
    out
}

fn describe_definition(out: &mut String, skeleton: &Skeleton, definition: &Definition) {
    let visibility = match definition.reach {
        Reach::Private => "private",
        Reach::Restricted => "restricted",
        Reach::Public => "public",
    };
    let _ = write!(
        out,
        "\n{} {} {visibility}",
        definition.kind.name(),
        skeleton.str(definition.qualified)
    );
    if definition.visibility.0 != 0 {
        let _ = write!(out, " `{}`", skeleton.str(definition.visibility));
    }
    let _ = writeln!(
        out,
        " lines {}-{} depth {} branches {}",
        definition.lines.0, definition.lines.1, definition.metrics.depth, definition.metrics.branches
    );
    let _ = writeln!(out, "  signature {}", skeleton.str(definition.signature));
    if definition.purpose.0 != 0 {
        let _ = writeln!(out, "  purpose {}", skeleton.str(definition.purpose));
    }
    for &(start, len) in &definition.failures {
        let tokens = &skeleton.tokens_of(definition)[start as usize..(start + len) as usize];
        let words: Vec<_> = tokens
            .iter()
            .map(|token| match token.view() {
                TokenView::Text(text) => skeleton.str(text),
                TokenView::OwnName => skeleton.str(definition.name),
                TokenView::Reference(index) => skeleton.str(skeleton.references[index as usize].text),
            })
            .collect();
        let _ = writeln!(out, "  fails {}", words.join(" "));
    }
    for (flag, name) in [
        (definition.has_example, "example"),
        (definition.deprecated, "deprecated"),
        (definition.property, "property"),
    ] {
        if flag {
            let _ = writeln!(out, "  {name}");
        }
    }
}
