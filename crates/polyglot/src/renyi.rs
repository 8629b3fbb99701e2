//! The Renyi language: definitions of a file with their canonical tokens.
//!
//! What a name means is not told by paths: the whole project is checked, and each reference
//! has its one target from there (`check`). Here every name is a reference whose path is
//! unknown, at its place in the canonical layout of the file.
//!
//! A definition's text is that of the language's section 10.3 with its signature first,
//! and without `public`, which the map tells beside the name.

use check::index::{metrics, spell::Speller, text_span_of};
use syntax::lex::{LexedPart, LexedText, Token, TokenKind, lex};
use syntax::tree::{
    DocClauseKind, Docs, Function, Item, ItemKind, Module, Name, TextForm, Type, TypeDeclarationKind,
};
use syntax::{Mode, Parsed};

use crate::builder::{Builder, Declared};
use crate::frontend::{FileIndex, FrontEnd, Layout, ModuleTarget, Project};
use crate::model::{DefinitionIndex, DefinitionKind, Metrics, Reach, Skeleton, Span};

/// The family's name.
pub const RENYI: &str = "renyi";

pub struct Renyi;

impl FrontEnd for Renyi {
    fn name(&self) -> &'static str {
        RENYI
    }

    fn version(&self) -> u32 {
        1
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["renyi", "ry"]
    }

    fn extract(&self, source: &str) -> Skeleton {
        extract(source)
    }

    fn configuration_files(&self) -> &'static [&'static str] {
        &["renyi.json", "renyi.lock.json"]
    }

    fn layout(&self, project: &Project<'_>) -> Box<dyn Layout> {
        Box::new(Roots {
            names: project
                .files
                .iter()
                .map(|file| {
                    let configuration = project.configuration.iter().map(|(path, _)| *path);
                    let (_, inner) = place(file.path, file.declared_module(), configuration);
                    check::project::module_name(inner)
                })
                .collect(),
        })
    }
}

/// The project root of a Renyi file, and the file's path from there: the directory of the nearest
/// `renyi.json` among `configuration`. Without one it is where the path that the module's
/// name asks for begins, or else the root of the tree.
pub fn place<'p>(
    path: &'p str,
    declared: Option<&str>,
    configuration: impl Iterator<Item = &'p str>,
) -> (&'p str, &'p str) {
    let mut root = None;
    for manifest in configuration {
        let Some(folder) = manifest.strip_suffix("renyi.json") else {
            continue;
        };
        let folder = folder.strip_suffix('/').unwrap_or(folder);
        let below = folder.is_empty()
            || path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'));
        if below && root.is_none_or(|root: &str| folder.len() > root.len()) {
            root = Some(folder);
        }
    }
    let root = root
        .or_else(|| check::project::root_for(path, declared?))
        .unwrap_or("");
    let inner = path.strip_prefix(root).unwrap_or(path);
    (root, inner.strip_prefix('/').unwrap_or(inner))
}

struct Roots {
    names: Vec<String>,
}

impl Layout for Roots {
    fn module_name(&self, file: FileIndex) -> String {
        self.names[file.0 as usize].clone()
    }

    fn resolve(&self, _from: FileIndex, _specifier: &str) -> ModuleTarget {
        ModuleTarget::Unknown
    }
}

/// The tree of a file that may be a program's or one of declarations.
fn parse(text: &str) -> Parsed {
    let parsed = syntax::parse(text, Mode::Module);
    if parsed.is_well_formed() {
        return parsed;
    }
    let declarations = syntax::parse(text, Mode::Declarations);
    if declarations.is_well_formed() {
        declarations
    } else {
        parsed
    }
}

fn span(of: syntax::Span) -> Span {
    Span {
        start: of.start,
        end: of.end,
    }
}

/// Where each definition stands, an implementation before its methods.
fn spans(items: &[Item]) -> Vec<syntax::Span> {
    let mut spans = Vec::new();
    for item in items {
        spans.push(item.span);
        if let ItemKind::Implementation(implementation) = &item.kind {
            spans.extend(implementation.methods.iter().map(|method| method.span));
        }
    }
    spans
}

fn extract(source: &str) -> Skeleton {
    let canonical = check::index::canonical(source);
    let text = canonical.as_deref().unwrap_or(source);
    let parsed = parse(text);
    let module = &parsed.module;
    // Places are those of the file as it is.
    let places = match &canonical {
        Some(canonical) if canonical != source => spans(&parse(source).module.items),
        _ => spans(&module.items),
    };
    let mut builder = Builder::new(source);
    if let Some(header) = &module.header {
        builder.set_module(&header.to_string());
    }
    if let Some(purpose) = module.docs.purpose() {
        builder.set_purpose(&purpose.text);
    }
    for import in &module.imports {
        builder.add_import(&import.path.to_string());
    }
    for diagnostic in &parsed.diagnostics {
        builder.error(span(diagnostic.span), diagnostic.message.clone());
    }
    let lexed = lex(text);
    let mut pieces: Vec<Piece> = lexed
        .tokens
        .iter()
        .filter(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::EndOfFile))
        .map(|token| Piece {
            span: token.span,
            token: Some(*token),
        })
        .chain(lexed.comments.iter().map(|comment| Piece {
            span: comment.span,
            token: None,
        }))
        .collect();
    pieces.sort_by_key(|piece| piece.span);
    let mut mentions: Vec<Name> = Vec::new();
    for docs in all_docs(module) {
        for clause in &docs.clauses {
            if let DocClauseKind::SeeAlso(text) = &clause.kind {
                mentions.extend(text.parts());
            }
        }
    }
    mentions.sort_by_key(|name| name.span);
    let mut extractor = Extractor {
        mentions: &mentions,
        text,
        texts: &lexed.texts,
        pieces: &pieces,
        places: places.into_iter(),
        builder,
    };
    for item in &module.items {
        extractor.item(item);
    }
    let mut skeleton = extractor.builder.finish();
    skeleton.lines = text.lines().count() as u32;
    skeleton
}

/// The documentation of a module and of everything in it.
fn all_docs(module: &Module) -> Vec<&Docs> {
    let mut all = vec![&module.docs];
    for item in &module.items {
        all.extend(item.kind.docs());
        match &item.kind {
            ItemKind::Ability(ability) => all.extend(ability.methods.iter().map(|method| &method.docs)),
            ItemKind::Implementation(implementation) => {
                all.extend(implementation.methods.iter().map(|method| &method.docs));
            }
            _ => {}
        }
    }
    all
}

/// A token or a comment.
struct Piece {
    span: syntax::Span,
    token: Option<Token>,
}

struct Extractor<'a> {
    text: &'a str,
    texts: &'a [LexedText],
    /// Names after `see also:`, by place.
    mentions: &'a [Name],
    pieces: &'a [Piece],
    places: std::vec::IntoIter<syntax::Span>,
    builder: Builder<'a>,
}

/// What is said of a definition beside its tokens.
struct Told<'a> {
    kind: DefinitionKind,
    qualified: String,
    name: &'a str,
    name_span: syntax::Span,
    signature: String,
    docs: Option<&'a Docs>,
    /// What makes the signature, in order.
    head: Vec<syntax::Span>,
    fails: &'a [Type],
    metrics: metrics::Shape,
    public: bool,
}

impl Extractor<'_> {
    fn item(&mut self, item: &Item) {
        let speller = Speller { source: self.text };
        let whole = text_span_of(item);
        let public = item.public.is_some();
        let nowhere = syntax::Span::at(whole.start);
        let told = match &item.kind {
            ItemKind::Function(function) => self.function(function, None, public),
            ItemKind::Type(declaration) => {
                let parameters = declaration.parameters.last();
                let start = declaration.span.start;
                let end = parameters.unwrap_or(&declaration.name).span.end;
                let mut head = vec![syntax::Span::new(start, end)];
                match &declaration.kind {
                    TypeDeclarationKind::Record { fields, .. } => {
                        head.extend(fields.iter().map(|field| field.span));
                    }
                    TypeDeclarationKind::Sum { variants, .. } => {
                        head.extend(variants.iter().map(|variant| variant.span));
                    }
                    TypeDeclarationKind::Subtype { .. } => head = vec![whole],
                }
                Told {
                    kind: DefinitionKind::Type,
                    qualified: declaration.name.text.to_string(),
                    name: &declaration.name.text,
                    name_span: declaration.name.span,
                    signature: speller.type_declaration(declaration),
                    docs: Some(&declaration.docs),
                    head,
                    fails: &[],
                    metrics: metrics::Shape::default(),
                    public,
                }
            }
            ItemKind::Ability(ability) => {
                let end = ability.requirements.last().map(|bound| bound.span.end);
                let end = end.or(ability.parameters.last().map(|name| name.span.end));
                let end = end.unwrap_or(ability.name.span.end);
                let mut head = vec![syntax::Span::new(ability.span.start, end)];
                head.extend(ability.methods.iter().map(|method| method.head.span));
                Told {
                    kind: DefinitionKind::Ability,
                    qualified: ability.name.text.to_string(),
                    name: &ability.name.text,
                    name_span: ability.name.span,
                    signature: speller.ability(ability),
                    docs: Some(&ability.docs),
                    head,
                    fails: &[],
                    metrics: metrics::Shape::default(),
                    public,
                }
            }
            ItemKind::Constant(constant) => Told {
                kind: DefinitionKind::Constant,
                qualified: constant.name.text.to_string(),
                name: &constant.name.text,
                name_span: constant.name.span,
                signature: format!(
                    "{}: {}",
                    constant.name.text,
                    speller.spelled(&constant.annotation)
                ),
                docs: Some(&constant.docs),
                head: vec![syntax::Span::new(
                    constant.span.start,
                    constant.annotation.span.end,
                )],
                fails: &[],
                metrics: metrics::Shape {
                    depth: 0,
                    ..metrics::of_expression(&constant.value)
                },
                public,
            },
            ItemKind::Test(test) => {
                let end = test.needs.last().map(|need| need.span.end);
                let end = test.replays.as_ref().map(|path| path.span.end).or(end);
                Told {
                    kind: DefinitionKind::Test,
                    qualified: format!("test:{}", test.name.value),
                    name: "",
                    name_span: nowhere,
                    signature: speller.test(test),
                    docs: None,
                    head: vec![syntax::Span::new(
                        test.span.start,
                        end.unwrap_or(test.name.span.end),
                    )],
                    fails: &[],
                    metrics: metrics::of_block(&test.body),
                    public: false,
                }
            }
            ItemKind::Implementation(implementation) => {
                let parameters = implementation.type_parameters.as_ref();
                let end = parameters.map_or(implementation.target.span.end, |each| each.span.end);
                let shapes = implementation
                    .methods
                    .iter()
                    .filter_map(|method| method.body.as_ref());
                let metrics = shapes
                    .map(metrics::of_block)
                    .fold(metrics::Shape::default(), |all, each| metrics::Shape {
                        depth: all.depth.max(each.depth),
                        branches: all.branches + each.branches,
                    });
                Told {
                    kind: DefinitionKind::Implementation,
                    qualified: speller.implementation_name(implementation),
                    name: "",
                    name_span: nowhere,
                    signature: speller.implementation(implementation),
                    docs: None,
                    head: vec![syntax::Span::new(implementation.span.start, end)],
                    fails: &[],
                    metrics,
                    public: false,
                }
            }
        };
        let index = self.define(&told, whole, item.public, None);
        if let ItemKind::Implementation(implementation) = &item.kind {
            for method in &implementation.methods {
                let told = self.function(method, Some(&implementation.target), false);
                self.define(&told, method.span, method.public, Some(index));
            }
        }
    }

    fn function<'f>(&self, function: &'f Function, target: Option<&Type>, public: bool) -> Told<'f> {
        let speller = Speller { source: self.text };
        let method = function.head.receiver().is_some() || target.is_some();
        Told {
            kind: if method {
                DefinitionKind::Method
            } else {
                DefinitionKind::Function
            },
            qualified: if method {
                speller.method_name(function, target)
            } else {
                function.head.name.text.to_string()
            },
            name: &function.head.name.text,
            name_span: function.head.name.span,
            signature: speller.head(&function.head),
            docs: Some(&function.docs),
            head: vec![function.head.span],
            fails: &function.head.fails,
            metrics: function.body.as_ref().map(metrics::of_block).unwrap_or_default(),
            public,
        }
    }

    fn define(
        &mut self,
        told: &Told<'_>,
        whole: syntax::Span,
        public: Option<syntax::Span>,
        container: Option<DefinitionIndex>,
    ) -> DefinitionIndex {
        let place = self.places.next().unwrap_or(whole);
        let index = self.builder.declare(&Declared {
            name: told.name,
            qualified: &told.qualified,
            kind: told.kind,
            container,
            span: span(place),
            name_span: Span::default(),
        });
        let signature = self.builder.intern(&told.signature);
        let purpose = told.docs.and_then(|docs| docs.purpose());
        let purpose = purpose.map(|purpose| purpose.text.clone()).unwrap_or_default();
        let purpose = self.builder.intern(&purpose);
        let definition = self.builder.definition_mut(index);
        definition.signature = signature;
        definition.purpose = purpose;
        definition.reach = if told.public {
            Reach::Public
        } else {
            Reach::Private
        };
        definition.metrics = Metrics {
            depth: told.metrics.depth,
            branches: told.metrics.branches,
        };
        definition.has_example = told.docs.is_some_and(|docs| docs.examples().next().is_some());
        definition.deprecated = told.docs.is_some_and(|docs| docs.deprecated().is_some());

        let first = self
            .pieces
            .partition_point(|piece| piece.span.start < whole.start);
        let pieces = self.pieces[first..]
            .iter()
            .take_while(|piece| piece.span.end <= whole.end);
        let pieces = pieces.filter(|piece| Some(piece.span) != public);
        let in_head = |piece: &&Piece| told.head.iter().any(|part| part.contains(piece.span));
        let (head, rest): (Vec<&Piece>, Vec<&Piece>) = pieces.partition(in_head);
        self.builder.open(index);
        // A failure is a run of tokens of the head.
        let mut fails: Vec<(u32, u32)> = vec![(0, 0); told.fails.len()];
        for piece in head {
            let before = self.builder.position();
            self.piece(piece, told.name_span);
            let after = self.builder.position();
            for (failure, range) in told.fails.iter().zip(&mut fails) {
                if failure.span.contains(piece.span) {
                    if range.1 == 0 {
                        range.0 = before;
                    }
                    range.1 += after - before;
                }
            }
        }
        self.builder.end_signature();
        for piece in rest {
            self.piece(piece, told.name_span);
        }
        for (start, count) in fails.into_iter().filter(|(_, count)| *count > 0) {
            self.builder.failure_at(start, count);
        }
        self.builder.close();
        index
    }

    fn piece(&mut self, piece: &Piece, own_name: syntax::Span) {
        match piece.token {
            None => self.builder.text(piece.span.text(self.text)),
            Some(_) if piece.span == own_name => self.builder.own_name(),
            Some(token) => self.token(token),
        }
    }

    fn token(&mut self, token: Token) {
        let text = token.span.text(self.text);
        match token.kind {
            TokenKind::Identifier | TokenKind::TypeName | TokenKind::Member => {
                let path = self.builder.unknown();
                self.builder.reference(span(token.span), text, path, false);
            }
            TokenKind::ClauseText => self.clause(token.span),
            TokenKind::Text(index) => {
                let Some(lexed) = self.texts.get(index as usize) else {
                    self.builder.text(text);
                    return;
                };
                let holes = lexed
                    .parts
                    .iter()
                    .any(|part| matches!(part, LexedPart::Hole { .. }));
                if !holes && lexed.form != TextForm::Block {
                    self.builder.text(text);
                    return;
                }
                let quote = if lexed.form == TextForm::Block {
                    "\"\"\""
                } else {
                    "\""
                };
                self.builder.text(quote);
                for part in &lexed.parts {
                    match part {
                        // The indentation of a block text is not part of it.
                        LexedPart::Characters { value, .. } if lexed.form == TextForm::Block => {
                            self.builder.text(value);
                        }
                        LexedPart::Characters { span, .. } => {
                            self.builder.text(span.text(self.text));
                        }
                        LexedPart::Hole { tokens, .. } => {
                            self.builder.text("{");
                            for token in tokens {
                                if !matches!(token.kind, TokenKind::Newline | TokenKind::EndOfFile) {
                                    self.token(*token);
                                }
                            }
                            self.builder.text("}");
                        }
                    }
                }
                self.builder.text(quote);
            }
            _ => self.builder.text(text),
        }
    }

    /// A line of documentation: its words as they are, but for the names it mentions.
    fn clause(&mut self, at: syntax::Span) {
        let first = self.mentions.partition_point(|name| name.span.start < at.start);
        let names = self.mentions[first..]
            .iter()
            .take_while(|name| name.span.end <= at.end);
        let mut mentioned = false;
        for name in names {
            self.builder.text(if mentioned { "," } else { "" });
            mentioned = true;
            for (position, segment) in segments(name).enumerate() {
                if position > 0 {
                    self.builder.text(".");
                }
                let path = self.builder.unknown();
                self.builder
                    .reference(span(segment), segment.text(self.text), path, false);
            }
        }
        if !mentioned {
            self.builder.text(at.text(self.text).trim());
        }
    }
}

/// The parts of a dotted name.
fn segments(name: &Name) -> impl Iterator<Item = syntax::Span> + '_ {
    let mut start = name.span.start;
    name.text.split('.').map(move |segment| {
        let span = syntax::Span::new(start, start + segment.len() as u32);
        start = span.end + 1;
        span
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_manifest_is_the_root() {
        let manifests = ["a/renyi.json", "a/b/renyi.json", "abc/renyi.json"];
        let place = |path| place(path, Some("c.d"), manifests.into_iter());
        assert_eq!(place("x/c/d.ry"), ("x", "c/d.ry"));
        assert_eq!(place("a/b/c/d.ry"), ("a/b", "c/d.ry"));
        assert_eq!(place("a/d.ry"), ("a", "d.ry"));
        assert_eq!(place("ab/d.ry"), ("", "ab/d.ry"));
        assert_eq!(place("d.ry"), ("", "d.ry"));
    }

    #[test]
    fn layout_and_order_of_fields_are_apart_from_the_text() {
        let source = "module doors\n  purpose: Doors.\n\n# A door.\npublic type Door\n  purpose: A door.\n  has \
                      toggles: Integer\nend\n\nfunction opened(door: Door) returns Door\n  return door\nend\n";
        let loose = source
            .replace("(door: Door)", "( door : Door )")
            .replace("  return", "    return");
        let (tight, loose) = (extract(source), extract(&loose));
        assert_eq!(tight.tokens, loose.tokens);
        assert_eq!(tight.strings, loose.strings);
        assert_eq!(
            tight.str(tight.definitions[0].signature),
            "Door(toggles: Integer)"
        );
        assert_eq!(tight.definitions[1].lines, (10, 12));
        assert_eq!(tight.definitions[0].reach, Reach::Public);
    }
}
