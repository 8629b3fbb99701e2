//! Small projects written down in a few lines, and maps made of them.
//!
//! ```text
//! module app.models [path=app/models.py] [lang=python]
//! type pub User : class _ | name str
//! method pub User.save : ( self ) | @app.db:write self   !filesystem.write ^Failed %deprecated
//! ```
//!
//! Words before `|` are the signature. `_` is the own name, `@name` refers to a
//! definition of the module and `@module:name` to one of another, `$name` is a
//! library name. `!` gives an effect of its own, `^` a failure, `%` a flag.

use std::{borrow::Cow, collections::BTreeMap};

use map::{
    Capabilities, Capability, DefinitionKind,
    identity::{Graph, Target, TextBuilder, identify},
    manifest::{Entry, Flags, Leaf, MapRoot, TargetName, Visibility, build_tree},
};
use store::{Batch, Hash, Kind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    Text(String),
    Own,
    Library(String),
    Reference(String, String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Def {
    pub kind: DefinitionKind,
    pub visibility: Visibility,
    pub name: String,
    pub signature: Vec<Word>,
    pub body: Vec<Word>,
    pub effects: Vec<String>,
    pub failures: Vec<String>,
    pub flags: Flags,
    pub purpose: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub path: String,
    pub language: String,
    pub defs: Vec<Def>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    pub modules: Vec<Module>,
}

impl Project {
    pub fn parse(text: &str) -> Self {
        let mut project = Self::default();
        for line in text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            match line.strip_prefix("module ") {
                Some(rest) => project.modules.push(parse_module(rest)),
                None => {
                    let module = project.modules.last_mut().expect("a module comes first");
                    let def = parse_def(line, &module.name);
                    module.defs.push(def);
                }
            }
        }
        project
    }

    /// Writes the map into a batch and gives its key.
    pub fn put(&self, batch: &mut Batch) -> Hash {
        Building::new(self).put(batch)
    }

    /// All definitions, with their modules.
    pub fn defs(&self) -> impl Iterator<Item = (&Module, &Def)> {
        self.modules
            .iter()
            .flat_map(|module| module.defs.iter().map(move |def| (module, def)))
    }
}

fn parse_module(text: &str) -> Module {
    let mut words = text.split_whitespace();
    let name = words.next().expect("a module has a name").to_owned();
    let mut module = Module {
        path: format!("{}.py", name.replace('.', "/")),
        language: "python".to_owned(),
        defs: Vec::new(),
        name,
    };
    for word in words {
        match word.split_once('=') {
            Some(("path", path)) => module.path = path.to_owned(),
            Some(("lang", language)) => module.language = language.to_owned(),
            _ => panic!("`{word}` says nothing of a module"),
        }
    }
    module
}

fn parse_def(line: &str, module: &str) -> Def {
    let (head, text) = line
        .split_once(" : ")
        .unwrap_or((line.trim_end_matches(" :"), ""));
    let (kind, rest) = head.split_once(' ').expect("a kind and a name");
    let (visibility, name) = match rest.split_once(' ') {
        Some(("pub", name)) => (Visibility::Public, name),
        Some(("restricted", name)) => (Visibility::Restricted, name),
        _ => (Visibility::Private, rest),
    };
    let mut def = Def {
        kind: DefinitionKind::from_name(kind).unwrap_or_else(|| panic!("`{kind}` is no kind")),
        visibility,
        name: name.to_owned(),
        signature: Vec::new(),
        body: Vec::new(),
        effects: Vec::new(),
        failures: Vec::new(),
        flags: Flags::default(),
        purpose: String::new(),
    };
    if def.kind == DefinitionKind::Test {
        def.flags = Flags::TEST;
    }
    let mut in_body = false;
    for word in text.split_whitespace() {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        let word = match (first, rest) {
            ("|", "") => {
                in_body = true;
                continue;
            }
            ("!", effect) if !effect.is_empty() => {
                def.effects.push(effect.to_owned());
                continue;
            }
            ("^", failure) if !failure.is_empty() => {
                def.failures.push(failure.to_owned());
                continue;
            }
            ("%", "deprecated") => {
                def.flags = def.flags.with(Flags::DEPRECATED);
                continue;
            }
            ("%", purpose) if !purpose.is_empty() => {
                def.purpose = purpose.to_owned();
                continue;
            }
            ("_", "") => Word::Own,
            ("$", name) if !name.is_empty() => Word::Library(name.to_owned()),
            ("@", name) if !name.is_empty() => match name.split_once(':') {
                Some((module, name)) => Word::Reference(module.to_owned(), name.to_owned()),
                None => Word::Reference(module.to_owned(), name.to_owned()),
            },
            _ => Word::Text(word.to_owned()),
        };
        if in_body {
            &mut def.body
        } else {
            &mut def.signature
        }
        .push(word);
    }
    def
}

struct Building<'p> {
    project: &'p Project,
    defs: Vec<(&'p Module, &'p Def)>,
    index: BTreeMap<(&'p str, &'p str), usize>,
}

impl<'p> Building<'p> {
    fn new(project: &'p Project) -> Self {
        let defs: Vec<_> = project.defs().collect();
        let index = defs
            .iter()
            .enumerate()
            .map(|(at, (module, def))| ((module.name.as_str(), def.name.as_str()), at));
        Self {
            index: index.collect(),
            project,
            defs,
        }
    }

    fn target(&self, module: &str, name: &str) -> usize {
        let found = self.index.get(&(module, name));
        *found.unwrap_or_else(|| panic!("nothing is called {module}:{name}"))
    }

    fn targets(&self, def: &Def) -> Vec<usize> {
        let words = def.signature.iter().chain(&def.body);
        words
            .filter_map(|word| match word {
                Word::Reference(module, name) => Some(self.target(module, name)),
                _ => None,
            })
            .collect()
    }

    fn put(&self, batch: &mut Batch) -> Hash {
        let mut graph = Graph::new();
        for (module, def) in &self.defs {
            let text = text(&module.language, def);
            graph.add(
                text.text_hash,
                self.targets(def).into_iter().map(|at| Target::Node(at as u32)),
            );
            batch.put(Kind::Text, text.identity, None);
        }
        let identified = identify(&graph);
        for component in identified.components() {
            batch.put(Kind::Component, component.identity.to_vec(), None);
        }
        let effects = self.transitive_effects();
        let mut leaves = Vec::new();
        for module in &self.project.modules {
            let source = store::hash(Kind::Source, format!("{module:?}").as_bytes());
            let mut leaf = Leaf::new(
                module.path.as_str(),
                module.name.as_str(),
                module.language.as_str(),
                source,
            );
            for def in &module.defs {
                let at = self.target(&module.name, &def.name);
                let mut entry = Entry::new(def.name.as_str(), def.kind, identified.ids[at]);
                entry.visibility = def.visibility;
                entry.signature = Cow::Owned(rendered(def));
                entry.purpose = Cow::Owned(def.purpose.clone());
                entry.flags = def.flags;
                entry.failures = def
                    .failures
                    .iter()
                    .map(|failure| failure.as_str().into())
                    .collect();
                for effect in &effects[at] {
                    match Capability::from_name(effect) {
                        Some(capability) => {
                            let one: Capabilities = [capability].into_iter().collect();
                            entry.effects.capabilities = entry.effects.capabilities.union(one);
                        }
                        None => entry.effects.named.push(effect.as_str().into()),
                    }
                }
                for target in self.targets(def).into_iter().filter(|&target| target != at) {
                    let (module, def) = self.defs[target];
                    leaf.targets.push(TargetName {
                        module: module.name.as_str().into(),
                        name: def.name.as_str().into(),
                    });
                    entry.calls.push(leaf.targets.len() as u32 - 1);
                }
                leaf.entries.push(entry);
            }
            leaves.push(leaf.put(batch).expect("names are unique"));
        }
        leaves.sort_by(|a, b| a.path.cmp(&b.path));
        let tree = build_tree(leaves, batch);
        MapRoot {
            extractors: vec![("python".to_owned(), 1)],
            tree,
        }
        .put(batch)
    }

    fn transitive_effects(&self) -> Vec<Vec<String>> {
        let mut effects: Vec<Vec<String>> = self.defs.iter().map(|(_, def)| def.effects.clone()).collect();
        loop {
            let mut grew = false;
            for (at, (_, def)) in self.defs.iter().enumerate() {
                for target in self.targets(def) {
                    for effect in effects[target].clone() {
                        if !effects[at].contains(&effect) {
                            effects[at].push(effect);
                            grew = true;
                        }
                    }
                }
            }
            if !grew {
                return effects;
            }
        }
    }
}

fn text(language: &str, def: &Def) -> map::identity::FinishedText {
    let mut builder = TextBuilder::new();
    let write = |words: &[Word], builder: &mut TextBuilder| {
        for word in words {
            match word {
                Word::Text(text) => builder.text(text),
                Word::Own => builder.own_name(),
                Word::Library(name) => builder.library(name),
                Word::Reference(..) => builder.reference(),
            };
        }
    };
    write(&def.signature, &mut builder);
    builder.end_signature();
    write(&def.body, &mut builder);
    // Effects come from what is called.
    for effect in &def.effects {
        builder.text(effect);
    }
    builder.finish(language, def.kind)
}

fn rendered(def: &Def) -> String {
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let words: Vec<String> = def
        .signature
        .iter()
        .map(|word| match word {
            Word::Text(text) => text.clone(),
            Word::Own => simple(&def.name),
            Word::Library(name) | Word::Reference(_, name) => simple(name),
        })
        .collect();
    words.join(" ")
}
