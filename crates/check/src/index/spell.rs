//! Signatures on one line (10.1 of the language), from the trees of a canonical text.

use std::fmt::Write as _;

use syntax::tree::{
    self, Ability, Capability, CapabilityPath, Field, Function, Head, Implementation, Span, TypeDeclaration,
    TypeDeclarationKind, TypeKind, TypeParameters,
};

/// Writes trees as their source spells them.
pub struct Speller<'a> {
    pub source: &'a str,
}

impl Speller<'_> {
    pub fn head(&self, head: &Head) -> String {
        let mut out = String::new();
        self.write_head(head, &mut out);
        out
    }

    fn write_head(&self, head: &Head, out: &mut String) {
        out.push_str(&head.name.text);
        out.push('(');
        for (position, parameter) in head.parameters.iter().enumerate() {
            if position > 0 {
                out.push_str(", ");
            }
            out.push_str(&parameter.name.text);
            if let Some(annotation) = &parameter.annotation {
                out.push_str(": ");
                self.write_type(annotation, out);
            }
        }
        out.push(')');
        self.write_result(head.returns.as_ref(), &head.fails, &head.needs, out);
        self.write_parameters(head.type_parameters.as_ref(), out);
    }

    fn write_result(
        &self,
        returns: Option<&tree::Type>,
        fails: &[tree::Type],
        needs: &[Capability],
        out: &mut String,
    ) {
        if let Some(returns) = returns {
            out.push_str(" returns ");
            self.write_type(returns, out);
        }
        for (position, failure) in fails.iter().enumerate() {
            out.push_str(if position == 0 { " or fails with " } else { " or " });
            self.write_type(failure, out);
        }
        self.write_needs(needs, out);
    }

    fn write_needs(&self, needs: &[Capability], out: &mut String) {
        for (position, need) in needs.iter().enumerate() {
            out.push_str(if position == 0 { " needs " } else { ", " });
            self.write_path(&need.target, out);
            if let Some(budget) = &need.budget {
                // A `String` takes whatever is written to it.
                let _ = write!(out, " at most {} per {}", budget.count.text, budget.unit.word());
            }
            for (position, sink) in need.sinks.iter().enumerate() {
                out.push_str(if position == 0 { " only to " } else { " or " });
                self.write_path(sink, out);
            }
        }
    }

    fn write_path(&self, path: &CapabilityPath, out: &mut String) {
        let _ = write!(out, "{}", path.path);
        if let Some(scope) = &path.scope {
            let _ = write!(out, "({})", scope.span.text(self.source));
        }
    }

    fn write_parameters(&self, parameters: Option<&TypeParameters>, out: &mut String) {
        let Some(parameters) = parameters else { return };
        for (position, name) in parameters.names.iter().enumerate() {
            out.push_str(if position == 0 { " for any " } else { ", " });
            out.push_str(&name.text);
        }
        for (position, bound) in parameters.bounds.iter().enumerate() {
            out.push_str(if position == 0 { " where " } else { " and " });
            out.push_str(&bound.parameter.text);
            out.push_str(" can ");
            self.write_named(&bound.ability, out);
        }
    }

    pub fn spelled(&self, of: &tree::Type) -> String {
        let mut out = String::new();
        self.write_type(of, &mut out);
        out
    }

    fn write_type(&self, of: &tree::Type, out: &mut String) {
        match &of.kind {
            TypeKind::Named(named) => self.write_named(named, out),
            TypeKind::Maybe(inner) => {
                out.push_str("maybe ");
                self.write_type(inner, out);
            }
            TypeKind::Function(function) => {
                out.push_str("function(");
                for (position, parameter) in function.parameters.iter().enumerate() {
                    if position > 0 {
                        out.push_str(", ");
                    }
                    self.write_type(parameter, out);
                }
                out.push(')');
                self.write_result(function.returns.as_ref(), &function.fails, &function.needs, out);
            }
            TypeKind::Error => out.push_str(&self.collapsed(of.span)),
        }
    }

    fn write_named(&self, named: &tree::NamedType, out: &mut String) {
        out.push_str(&named.name.text);
        for (position, argument) in named.arguments.iter().enumerate() {
            out.push_str(match (position, named.with_to) {
                (0, _) => " of ",
                (_, true) => " to ",
                (_, false) => ", ",
            });
            self.write_type(argument, out);
        }
    }

    fn write_names(&self, names: &[tree::Name], out: &mut String) {
        for (position, name) in names.iter().enumerate() {
            out.push_str(if position == 0 { " of " } else { ", " });
            out.push_str(&name.text);
        }
    }

    fn collapsed(&self, span: Span) -> String {
        crate::body::collapsed(span.text(self.source))
    }

    fn write_fields(&self, fields: &[Field], out: &mut String) {
        if fields.is_empty() {
            return;
        }
        out.push('(');
        for (position, field) in fields.iter().enumerate() {
            if position > 0 {
                out.push_str(", ");
            }
            out.push_str(&field.name.text);
            out.push_str(": ");
            self.write_type(&field.annotation, out);
            if let Some(condition) = &field.condition {
                out.push_str(" where ");
                out.push_str(&self.collapsed(condition.span));
            }
            if let Some(name) = &field.external_name {
                out.push_str(" as ");
                out.push_str(name.span.text(self.source));
            }
        }
        out.push(')');
    }

    pub fn type_declaration(&self, declaration: &TypeDeclaration) -> String {
        let mut out = declaration.name.text.to_string();
        self.write_names(&declaration.parameters, &mut out);
        match &declaration.kind {
            TypeDeclarationKind::Record { fields, .. } => self.write_fields(fields, &mut out),
            TypeDeclarationKind::Sum { variants, .. } => {
                for (position, variant) in variants.iter().enumerate() {
                    out.push_str(if position == 0 { " is " } else { " or " });
                    out.push_str(&variant.name.text);
                    self.write_fields(&variant.fields, &mut out);
                }
            }
            TypeDeclarationKind::Subtype { base, condition } => {
                out.push_str(" is ");
                self.write_type(base, &mut out);
                if let Some(condition) = condition {
                    out.push_str(" where ");
                    out.push_str(&self.collapsed(condition.span));
                }
            }
        }
        out
    }

    pub fn ability(&self, ability: &Ability) -> String {
        let mut out = ability.name.text.to_string();
        self.write_names(&ability.parameters, &mut out);
        for (position, bound) in ability.requirements.iter().enumerate() {
            out.push_str(if position == 0 {
                " where self can "
            } else {
                " and "
            });
            self.write_named(&bound.ability, &mut out);
        }
        for (position, method) in ability.methods.iter().enumerate() {
            out.push_str(if position == 0 { ": " } else { "; " });
            self.write_head(&method.head, &mut out);
        }
        out
    }

    /// `Ability of A for Target`
    pub fn implementation_name(&self, implementation: &Implementation) -> String {
        let mut out = String::new();
        self.write_named(&implementation.ability, &mut out);
        out.push_str(" for ");
        self.write_type(&implementation.target, &mut out);
        out
    }

    pub fn implementation(&self, implementation: &Implementation) -> String {
        let mut out = self.implementation_name(implementation);
        self.write_parameters(implementation.type_parameters.as_ref(), &mut out);
        out
    }

    pub fn test(&self, test: &tree::Test) -> String {
        let mut out = test.name.span.text(self.source).to_owned();
        self.write_needs(&test.needs, &mut out);
        if let Some(recording) = &test.replays {
            out.push_str(" replays ");
            out.push_str(recording.span.text(self.source));
        }
        out
    }

    /// A method's own name with the type that it is found by.
    pub fn method_name(&self, function: &Function, target: Option<&tree::Type>) -> String {
        let annotation = function
            .head
            .receiver()
            .and_then(|receiver| receiver.annotation.as_ref())
            .or(target);
        let owner = match annotation.map(|annotation| &annotation.kind) {
            Some(TypeKind::Named(named)) => &named.name.text,
            _ => "Self",
        };
        format!("{owner}.{}", function.head.name.text)
    }
}
