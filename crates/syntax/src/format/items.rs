//! Files and items (3.3).

use super::Builder;
use super::expressions::{capability_text, escaped};
use super::layout::{Doc, concat, flat, group, indent, text};
use crate::report::MAX_LINE_WIDTH;
use crate::tree::{
    Bound, Capability, Derive, DocClauseKind, Docs, Example, ExampleOutcome, Expression, Field, Function,
    Head, Import, Item, ItemKind, Module, Name, TypeDeclaration, TypeDeclarationKind, TypeParameters,
};

impl Builder<'_> {
    pub(super) fn module(&mut self, module: &Module) -> Doc {
        let mut docs = Vec::new();
        if let Some(path) = &module.header {
            docs.extend(self.above(path.span.start));
            docs.push(text(format!("module {path}")));
            docs.push(self.docs(&module.docs));
        }
        // Imports come first, and so do comments above them.
        for (position, import) in module.imports.iter().enumerate() {
            docs.push(Doc::Hard);
            if position == 0 {
                docs.push(Doc::Hard);
            }
            let in_order = module
                .items
                .first()
                .is_none_or(|item| import.span.start < item.span.start);
            if in_order {
                docs.extend(self.above(import.span.start));
            }
            docs.push(self.import(import));
        }
        for item in &module.items {
            docs.extend([Doc::Hard, Doc::Hard]);
            docs.extend(self.above(item.span.start));
            docs.push(self.item(item));
        }
        let rest = self.above(u32::MAX);
        if !rest.is_empty() {
            docs.extend([Doc::Hard, Doc::Hard]);
            docs.extend(rest);
            docs.pop();
        }
        concat(docs)
    }

    fn import(&mut self, import: &Import) -> Doc {
        let mut head = format!("import {}", import.path);
        if let Some(alias) = &import.alias {
            head.push_str(&format!(" as {}", alias.text));
        }
        let Some((first, rest)) = import.exposing.split_first() else {
            return text(head);
        };
        head.push_str(&format!(" exposing {}", first.text));
        let rest = rest
            .iter()
            .flat_map(|name| [text(","), Doc::Soft, text(&*name.text)])
            .collect();
        group(concat(vec![text(head), indent(concat(rest))]))
    }

    /// The clauses under a head, in their order.
    fn docs(&mut self, docs: &Docs) -> Doc {
        let mut lines: Vec<(u8, Doc)> = Vec::new();
        for clause in &docs.clauses {
            let line = match &clause.kind {
                DocClauseKind::Purpose(clause) => (0, text(prose("purpose:", &clause.text))),
                DocClauseKind::Tags(clause) => (1, text(prose("tags:", &clause.text))),
                DocClauseKind::SeeAlso(clause) => (2, text(prose("see also:", &clause.text))),
                DocClauseKind::Deprecated(clause) => (3, text(prose("deprecated:", &clause.text))),
                DocClauseKind::ExposeAsTool => (4, text("expose as tool")),
                DocClauseKind::Example(example) => (5, self.example(example)),
            };
            lines.push(line);
        }
        lines.sort_by_key(|(rank, _)| *rank);
        indent(concat(
            lines
                .into_iter()
                .flat_map(|(_, line)| [Doc::Hard, line])
                .collect(),
        ))
    }

    fn example(&mut self, example: &Example) -> Doc {
        let subject = self.expression(&example.subject);
        let outcome = match &example.outcome {
            ExampleOutcome::Is(value) => concat(vec![text("is "), self.expression(value)]),
            ExampleOutcome::FailsWith(pattern) => concat(vec![text("fails with "), self.pattern(pattern)]),
            ExampleOutcome::Error => concat(Vec::new()),
        };
        let start = || text("example: ");
        let mut alternatives = vec![
            flat(concat(vec![start(), subject.clone(), text(" "), outcome.clone()])),
            concat(vec![
                start(),
                flat(subject.clone()),
                indent(concat(vec![Doc::Hard, outcome.clone()])),
            ]),
        ];
        if let Some(broken) = subject.with_broken_arguments() {
            alternatives.push(concat(vec![start(), broken, text(" "), outcome]));
        }
        Doc::Choice(alternatives)
    }

    fn item(&mut self, item: &Item) -> Doc {
        let public = if item.public.is_some() { "public " } else { "" };
        let doc = match &item.kind {
            ItemKind::Function(function) => return self.function(public, function, 0),
            ItemKind::Type(declaration) => self.type_declaration(declaration),
            ItemKind::Ability(ability) => {
                let mut head = format!("ability {}{}", ability.name.text, of_names(&ability.parameters));
                if !ability.requirements.is_empty() {
                    head.push_str(" where ");
                    head.push_str(&self.bounds_text(&ability.requirements));
                }
                let mut docs = vec![text(head), self.docs(&ability.docs)];
                docs.push(self.methods(&ability.methods));
                docs.extend([Doc::Hard, text("end")]);
                concat(docs)
            }
            ItemKind::Implementation(implementation) => {
                let ability = self.named_text(&implementation.ability);
                let target = self.type_text(&implementation.target);
                let mut docs = vec![text(format!("ability {ability} for {target}"))];
                if let Some(parameters) = &implementation.type_parameters {
                    let parameters = self.parameters_text(parameters);
                    docs.push(indent(concat(vec![Doc::Hard, text(parameters)])));
                }
                docs.push(self.methods(&implementation.methods));
                docs.extend([Doc::Hard, text("end")]);
                concat(docs)
            }
            ItemKind::Constant(constant) => {
                let annotation = self.type_text(&constant.annotation);
                let head = format!("{public}let {}: {annotation} be", constant.name.text);
                let value = self.binding(head, &constant.value);
                return concat(vec![value, self.docs(&constant.docs)]);
            }
            ItemKind::Test(test) => {
                let mut docs = vec![text(format!("test \"{}\"", escaped(&test.name.value, true)))];
                if !test.needs.is_empty() {
                    docs.push(text(" "));
                    docs.push(self.needs(&test.needs));
                }
                if let Some(path) = &test.replays {
                    docs.push(text(format!(" replays \"{}\"", escaped(&path.value, true))));
                }
                docs.push(self.block(&test.body));
                docs.extend([Doc::Hard, text("end")]);
                concat(docs)
            }
        };
        concat(vec![text(public), doc])
    }

    fn methods(&mut self, methods: &[Function]) -> Doc {
        let mut docs = Vec::new();
        for method in methods {
            docs.push(Doc::Hard);
            docs.push(self.function("", method, 2));
        }
        indent(concat(docs))
    }

    fn function(&mut self, public: &str, function: &Function, column: usize) -> Doc {
        let above = self.above(function.head.span.start);
        let head = concat(vec![text(public), self.head(&function.head)]);
        self.held = above;
        let is_broken = head
            .flat_width()
            .is_none_or(|width| column + width > MAX_LINE_WIDTH)
            && function.head.has_clauses();
        let mut docs = vec![group(head), self.docs(&function.docs)];
        if let Some(body) = &function.body {
            if !body.statements.is_empty() && (is_broken || !function.docs.clauses.is_empty()) {
                docs.push(Doc::Hard);
            }
            docs.push(self.block(body));
            docs.extend([Doc::Hard, text("end")]);
        }
        concat(docs)
    }

    fn head(&mut self, head: &Head) -> Doc {
        let items = head
            .parameters
            .iter()
            .map(|parameter| (parameter.span.start, parameter.span.end, parameter))
            .collect();
        let parameters = self.bracketed("(", items, ")", |builder, parameter| {
            match &parameter.annotation {
                Some(annotation) => text(format!(
                    "{}: {}",
                    parameter.name.text,
                    builder.type_text(annotation)
                )),
                None => text(&*parameter.name.text),
            }
        });
        let mut clauses = Vec::new();
        if let Some(returns) = &head.returns {
            clauses.extend([Doc::Soft, text(format!("returns {}", self.type_text(returns)))]);
        }
        if !head.fails.is_empty() {
            let fails = self.types_text(&head.fails, " or ");
            clauses.extend([Doc::Soft, text(format!("or fails with {fails}"))]);
        }
        if !head.needs.is_empty() {
            clauses.extend([Doc::Soft, self.needs(&head.needs)]);
        }
        if let Some(parameters) = &head.type_parameters {
            clauses.extend([Doc::Soft, text(self.parameters_text(parameters))]);
        }
        let name = text(format!("function {}", head.name.text));
        concat(vec![name, parameters, indent(concat(clauses))])
    }

    fn needs(&mut self, needs: &[Capability]) -> Doc {
        let mut rest = Vec::new();
        for (position, need) in needs.iter().enumerate() {
            if position > 0 {
                rest.extend([text(","), Doc::Soft]);
            }
            rest.push(text(capability_text(need)));
        }
        group(concat(vec![text("needs "), indent(concat(rest))]))
    }

    fn parameters_text(&self, parameters: &TypeParameters) -> String {
        let mut out = format!("for any {}", joined(&parameters.names));
        if !parameters.bounds.is_empty() {
            out.push_str(" where ");
            out.push_str(&self.bounds_text(&parameters.bounds));
        }
        out
    }

    fn bounds_text(&self, bounds: &[Bound]) -> String {
        let spelled: Vec<String> = bounds
            .iter()
            .map(|bound| format!("{} can {}", bound.parameter.text, self.named_text(&bound.ability)))
            .collect();
        spelled.join(" and ")
    }

    fn type_declaration(&mut self, declaration: &TypeDeclaration) -> Doc {
        let head = format!(
            "type {}{}",
            declaration.name.text,
            of_names(&declaration.parameters)
        );
        match &declaration.kind {
            TypeDeclarationKind::Record { fields, derives } => {
                let docs = self.docs(&declaration.docs);
                let members = fields
                    .iter()
                    .map(|field| (field.span.start, Member::Field(field)))
                    .collect();
                self.members(text(head), docs, members, derives)
            }
            TypeDeclarationKind::Sum { variants, derives } => {
                let docs = self.docs(&declaration.docs);
                let members = variants
                    .iter()
                    .map(|variant| (variant.span.start, Member::Variant(variant)))
                    .collect();
                self.members(text(format!("{head} is one of")), docs, members, derives)
            }
            TypeDeclarationKind::Subtype { base, condition } => {
                let base = self.type_text(base);
                let head = self.conditioned(format!("{head} is {base}"), condition.as_ref());
                concat(vec![head, self.docs(&declaration.docs)])
            }
        }
    }

    fn members(&mut self, head: Doc, docs: Doc, members: Vec<(u32, Member<'_>)>, derives: &[Derive]) -> Doc {
        let mut lines = Vec::new();
        for (start, member) in members {
            lines.push(Doc::Hard);
            lines.extend(self.above(start));
            let (doc, end) = match member {
                Member::Field(field) => {
                    let doc = self.field("has ", field);
                    let external = match &field.external_name {
                        Some(name) => format!(" as \"{}\"", escaped(&name.value, true)),
                        None => String::new(),
                    };
                    (concat(vec![doc, text(external)]), field.span.end)
                }
                Member::Variant(variant) => {
                    let doc = if variant.fields.is_empty() {
                        text(&*variant.name.text)
                    } else {
                        let items = variant
                            .fields
                            .iter()
                            .map(|field| (field.span.start, field.span.end, field))
                            .collect();
                        let fields =
                            self.bracketed("(", items, ")", |builder, field| builder.field("", field));
                        concat(vec![text(&*variant.name.text), fields])
                    };
                    (doc, variant.span.end)
                }
            };
            lines.push(doc);
            lines.push(self.trailing(end));
        }
        for derive in derives {
            lines.push(Doc::Hard);
            lines.extend(self.above(derive.span.start));
            let by = if derive.by.is_empty() {
                String::new()
            } else {
                format!(" by {}", joined(&derive.by))
            };
            lines.push(text(format!("can {}{by}", derive.ability.text)));
            lines.push(self.trailing(derive.span.end));
        }
        concat(vec![head, docs, indent(concat(lines)), Doc::Hard, text("end")])
    }

    fn field(&mut self, word: &str, field: &Field) -> Doc {
        let annotation = self.type_text(&field.annotation);
        self.conditioned(
            format!("{word}{}: {annotation}", field.name.text),
            field.condition.as_ref(),
        )
    }

    /// `head where condition`, breaking before `where` and before every operand.
    fn conditioned(&mut self, head: String, condition: Option<&Expression>) -> Doc {
        let Some(condition) = condition else {
            return text(head);
        };
        let mut operands = Vec::new();
        self.connected(condition, "where ", &mut operands);
        let clauses = operands
            .into_iter()
            .flat_map(|operand| [Doc::Soft, operand])
            .collect();
        group(concat(vec![text(head), indent(concat(clauses))]))
    }
}

enum Member<'a> {
    Field(&'a Field),
    Variant(&'a crate::tree::Variant),
}

impl Head {
    fn has_clauses(&self) -> bool {
        self.returns.is_some()
            || !self.fails.is_empty()
            || !self.needs.is_empty()
            || self.type_parameters.is_some()
    }
}

/// A clause with runs of blanks in its text collapsed.
fn prose(word: &str, content: &str) -> String {
    let words: Vec<&str> = content
        .split([' ', '\t'])
        .filter(|word| !word.is_empty())
        .collect();
    format!("{word} {}", words.join(" "))
}

fn joined(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|name| &*name.text).collect();
    names.join(", ")
}

fn of_names(names: &[Name]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!(" of {}", joined(names))
    }
}
