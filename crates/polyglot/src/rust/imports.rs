//! What `use` and `extern crate` bring.
//!
//! Imports leave no tokens: they bind names of the namespace they stand in. A
//! path starts at something of its own module or else at a crate; a module and
//! a function of one name may both be meant, so modules have a second key.

use std::collections::HashSet;

use tree_sitter::Node;

use super::{Extractor, Heads, Kind, names::is_capitalised};
use crate::model::*;

impl<'s> Extractor<'s> {
    /// Collects the names that a `use` of this module may start with.
    pub(super) fn collect_heads(&mut self, module: Node<'_>) {
        let mut heads = Heads::default();
        let fields = &self.grammar.fields;
        let mut cursor = module.walk();
        for item in module.children(&mut cursor) {
            match self.kind(item) {
                Kind::ModItem => {
                    if let Some(name) = self.field(item, fields.name) {
                        heads.modules.insert(self.slice(name));
                    }
                }
                Kind::EnumItem | Kind::StructItem | Kind::TraitItem | Kind::TypeItem | Kind::UnionItem => {
                    if let Some(name) = self.field(item, fields.name) {
                        heads.names.insert(self.slice(name));
                    }
                }
                Kind::ExternCrate => {
                    let name = self
                        .field(item, fields.alias)
                        .or_else(|| self.field(item, fields.name));
                    if let Some(name) = name {
                        heads.names.insert(self.slice(name));
                    }
                }
                Kind::UseDeclaration => {
                    if let Some(tree) = self.field(item, fields.argument) {
                        let first = self.first_name(tree);
                        self.imported(tree, first, &mut heads.names, 0);
                    }
                }
                _ => {}
            }
        }
        if let Some(last) = self.heads.last_mut() {
            *last = heads;
        }
    }

    fn first_name(&self, node: Node<'_>) -> &'s str {
        let text = self.slice(node);
        text.split(|c: char| c.is_whitespace() || c == ':' || c == '{')
            .next()
            .unwrap_or("")
    }

    /// Names that a tree of imports brings, that of its own first part aside.
    fn imported(&self, tree: Node<'_>, first: &str, into: &mut HashSet<&'s str>, depth: u32) {
        if depth > 64 {
            return;
        }
        let fields = &self.grammar.fields;
        match self.kind(tree) {
            Kind::UseAsClause => {
                if let Some(alias) = self.field(tree, fields.alias) {
                    into.insert(self.slice(alias));
                }
            }
            Kind::ScopedIdentifier => {
                let name = self.last_name(tree);
                if name != first {
                    into.insert(name);
                }
            }
            Kind::ScopedUseList => {
                if let Some(list) = self.field(tree, fields.list) {
                    if let Some(path) = self.field(tree, fields.path) {
                        let name = self.last_name(path);
                        if name != first {
                            into.insert(name);
                        }
                    }
                    self.imported(list, first, into, depth + 1);
                }
            }
            Kind::UseList => {
                let mut cursor = tree.walk();
                for part in tree.named_children(&mut cursor) {
                    // The parts of a group without a path have first parts of their own.
                    let first = if first.is_empty() {
                        self.first_name(part)
                    } else {
                        first
                    };
                    self.imported(part, first, into, depth + 1);
                }
            }
            Kind::Identifier => {
                let name = self.slice(tree);
                if name != first {
                    into.insert(name);
                }
            }
            _ => {}
        }
    }

    pub(super) fn extern_crate(&mut self, node: Node<'_>) {
        let fields = &self.grammar.fields;
        let Some(name) = self.field(node, fields.name) else {
            return;
        };
        let crate_name = self.slice(name);
        let name = self
            .field(node, fields.alias)
            .map_or(crate_name, |alias| self.slice(alias));
        let path = if crate_name == "self" {
            self.builder.module("crate")
        } else {
            self.external(crate_name)
        };
        let namespace = self.namespace;
        self.builder.bind(namespace, name, path);
        self.builder.add_import(crate_name);
    }

    /// Binds the names that a `use` brings.
    /// Whether an item is marked as public to all.
    pub(super) fn is_public(&self, node: Node<'_>) -> bool {
        let mut cursor = node.walk();
        let mark = node
            .children(&mut cursor)
            .find(|&child| self.kind(child) == Kind::Visibility);
        mark.is_some_and(|mark| self.slice(mark) == "pub")
    }

    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        if let Some(tree) = self.field(node, self.grammar.fields.argument) {
            self.use_tree(tree, None, "", 0);
        }
    }

    fn use_tree(&mut self, tree: Node<'_>, base: Option<PathId>, written: &str, depth: u32) {
        if depth > 64 {
            return;
        }
        let fields = &self.grammar.fields;
        match self.kind(tree) {
            Kind::UseAsClause => {
                let (Some(path), Some(alias)) =
                    (self.field(tree, fields.path), self.field(tree, fields.alias))
                else {
                    return;
                };
                let alias = self.slice(alias);
                let (target, text) = self.use_path(path, base, written, 0);
                self.builder.add_import(&format!("{text} as {alias}"));
                let own = self.kind(path) == Kind::SelfWord;
                self.import(alias, target, (!own).then_some((path, base)));
            }
            Kind::ScopedUseList => {
                let (inner, text) = match self.field(tree, fields.path) {
                    Some(path) => {
                        let (inner, text) = self.use_path(path, base, written, 0);
                        (Some(inner), text)
                    }
                    None => (base, written.to_owned()),
                };
                if let Some(list) = self.field(tree, fields.list) {
                    self.use_tree(list, inner, &text, depth + 1);
                }
            }
            Kind::UseList => {
                let mut cursor = tree.walk();
                for part in tree.named_children(&mut cursor) {
                    self.use_tree(part, base, written, depth + 1);
                }
            }
            Kind::UseWildcard => {
                let (target, text) = match tree.named_child(0) {
                    Some(path) if !self.is_comment(path) => self.use_path(path, base, written, 0),
                    _ => (base.unwrap_or(self.builder.unknown()), written.to_owned()),
                };
                self.builder.add_import(&format!("{text}::*"));
                let namespace = self.namespace;
                if target != self.builder.unknown() {
                    self.builder.namespace_mut(namespace).stars.push(target);
                    if let Some(prefix) = &self.publishing {
                        self.published.push((format!("{prefix}{text}::*"), target));
                    }
                }
            }
            Kind::SelfWord if base.is_some() => {
                self.builder.add_import(written);
                let name = written.rsplit("::").next().unwrap_or(written);
                if let Some(base) = base {
                    self.import(name, base, None);
                }
            }
            Kind::Identifier | Kind::ScopedIdentifier | Kind::Crate | Kind::Super => {
                let (target, text) = self.use_path(tree, base, written, 0);
                self.builder.add_import(&text);
                let name = self.last_name(tree);
                self.import(name, target, Some((tree, base)));
            }
            _ => {}
        }
    }

    /// Makes an imported name mean what the path does; a name may also be that
    /// of a macro.
    fn import(&mut self, name: &str, target: PathId, source: Option<(Node<'_>, Option<PathId>)>) {
        if name == "_" || target == self.builder.unknown() {
            return;
        }
        let namespace = self.namespace;
        self.builder.bind(namespace, name, target);
        if let Some(prefix) = &self.publishing {
            self.published.push((format!("{prefix}{name}"), target));
        }
        if source.is_some()
            && let PathNode::Member(base, member) = self.builder.node(target)
        {
            let member = format!("{}!", self.builder.str(member));
            let path = self.builder.member(base, &member);
            self.builder.bind(namespace, &format!("{name}!"), path);
        }
    }

    /// What the path of a `use` means, and its text.
    fn use_path(
        &mut self,
        node: Node<'_>,
        base: Option<PathId>,
        written: &str,
        depth: u32,
    ) -> (PathId, String) {
        let unknown = self.builder.unknown();
        if depth > 64 {
            return (unknown, String::new());
        }
        let fields = &self.grammar.fields;
        let join = |text: &str| match written {
            "" => text.to_owned(),
            written => format!("{written}::{text}"),
        };
        match self.kind(node) {
            Kind::Crate => (self.builder.module("crate"), "crate".to_owned()),
            Kind::SelfWord => match base {
                Some(base) => (base, written.to_owned()),
                None => (self.this_module(), "self".to_owned()),
            },
            Kind::Super => (self.module_above(1), "super".to_owned()),
            Kind::Metavariable => (self.builder.module("crate"), "$crate".to_owned()),
            Kind::Identifier => {
                let name = self.slice(node);
                let path = match base {
                    Some(base) => self.builder.member(base, name),
                    None => self.use_head(name),
                };
                (path, join(name))
            }
            Kind::ScopedIdentifier => {
                let Some(name) = self.field(node, fields.name) else {
                    return (unknown, String::new());
                };
                let Some(path) = self.field(node, fields.path) else {
                    let name = self.slice(name);
                    return (self.external(name), name.to_owned());
                };
                if self.kind(name) == Kind::Super {
                    let text = self.slice(node);
                    return (self.module_above(text.matches("super").count()), text.to_owned());
                }
                let (inner, text) = self.use_path(path, base, written, depth + 1);
                let name = self.slice(name);
                (self.builder.member(inner, name), format!("{text}::{name}"))
            }
            _ => (unknown, self.slice(node).to_owned()),
        }
    }

    /// The first name of a `use`: something of this module, or a crate.
    fn use_head(&mut self, name: &'s str) -> PathId {
        let module = self.modules[self.modules.len() - 1];
        let heads = self.heads.last();
        if heads.is_some_and(|heads| heads.modules.contains(name)) {
            return self.builder.name(module, &format!("{name}/"));
        }
        let known = heads.is_some_and(|heads| heads.names.contains(name));
        if known || is_capitalised(name) {
            return self.builder.name(module, name);
        }
        self.external(name)
    }
}
