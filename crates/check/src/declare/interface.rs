//! A hash of all that other modules can see of one.

use std::fmt::Write as _;

use syntax::tree;

use crate::declaration::{Definition, DefinitionKind, Field, Signature, TypeKind};

/// Everything but spans, documentation and bodies. A refined type counts as it is written, for
/// its conditions are evaluated wherever it is constructed from literals.
pub fn hash(definitions: &[Definition], source: &str, tree: &tree::Module) -> [u8; 32] {
    let mut text = String::with_capacity(definitions.len() * 64);
    for definition in definitions {
        // A `String` takes whatever is written to it.
        let _ = write!(
            text,
            "{:?} {} {} ",
            definition.name, definition.public, definition.deprecated
        );
        for parameter in &definition.type_parameters {
            let _ = write!(text, "any {} {:?} ", parameter.name, parameter.bounds);
        }
        match &definition.kind {
            DefinitionKind::Function(signature) => {
                text.push_str("function ");
                write_signature(&mut text, signature);
            }
            DefinitionKind::Method { signature, receiver } => {
                let _ = write!(text, "method {receiver:?} ");
                write_signature(&mut text, signature);
            }
            DefinitionKind::Type(kind) => {
                if kind.is_refined() {
                    text.push_str(tree.items[definition.place.item as usize].span.text(source));
                }
                for derive in kind.derives() {
                    let _ = write!(text, "can {:?} {:?} ", derive.ability, derive.by);
                }
                match kind {
                    TypeKind::Opaque { fields, .. } => {
                        text.push_str("opaque ");
                        write_fields(&mut text, fields);
                    }
                    TypeKind::Record { fields, .. } => {
                        text.push_str("record ");
                        write_fields(&mut text, fields);
                    }
                    TypeKind::Sum { variants, .. } => {
                        text.push_str("sum ");
                        for variant in variants {
                            let _ = write!(text, "{:?} ", variant.name);
                            write_fields(&mut text, &variant.fields);
                        }
                    }
                    TypeKind::Subtype { base, refined } => {
                        let _ = write!(text, "subtype {base:?} {refined} ");
                    }
                }
            }
            DefinitionKind::Ability(ability) => {
                let _ = write!(text, "ability {:?} ", ability.requirements);
                for method in &ability.methods {
                    let _ = write!(text, "{:?} ", method.name);
                    for parameter in &method.type_parameters {
                        let _ = write!(text, "any {} {:?} ", parameter.name, parameter.bounds);
                    }
                    write_signature(&mut text, &method.signature);
                }
            }
            DefinitionKind::Implementation(implementation) => {
                let _ = write!(
                    text,
                    "implementation {:?} {:?} ",
                    implementation.ability, implementation.target
                );
            }
            DefinitionKind::ImplementationMethod {
                signature,
                implementation,
                ..
            } => {
                let _ = write!(text, "method of {implementation:?} ");
                write_signature(&mut text, signature);
            }
            DefinitionKind::Constant(annotation) => {
                let _ = write!(text, "constant {annotation:?} ");
            }
            DefinitionKind::Test { .. } => text.push_str("test "),
        }
        text.push('\n');
    }
    *blake3::hash(text.as_bytes()).as_bytes()
}

fn write_signature(text: &mut String, signature: &Signature) {
    for parameter in &signature.parameters {
        let _ = write!(text, "{} {:?} ", parameter.name, parameter.annotation);
    }
    let _ = write!(
        text,
        "{} {:?} {:?} {:?} ",
        signature.has_receiver, signature.returns, signature.fails, signature.needs
    );
}

fn write_fields(text: &mut String, fields: &[Field]) {
    for field in fields {
        let _ = write!(
            text,
            "{} {:?} {} {:?} ",
            field.name, field.annotation, field.refined, field.external_name
        );
    }
}
