//! Which definitions have another name only because they followed something:
//! the members of a renamed type, the definitions of a moved file.

use std::collections::BTreeMap;

use crate::{
    matching::{Matching, RenamedWords},
    side::{Node, plain_name},
};

/// What others followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leader {
    /// A leaf, by its index on the old side.
    File(usize),
    /// A definition of the old side.
    Definition(Node),
}

/// How the name of a matched definition differs from what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewName {
    Renamed,
    Moved,
    Followed(Leader),
}

pub(crate) struct Followers<'m, 's> {
    matching: &'m Matching<'s>,
    pub words: RenamedWords<'s>,
}

impl<'m, 's> Followers<'m, 's> {
    pub fn new(matching: &'m Matching<'s>) -> Self {
        Self {
            matching,
            words: matching.renamed_words(),
        }
    }

    /// How the name of a matched definition changed, if it did.
    pub fn new_name(&self, old: Node, new: Node) -> Option<NewName> {
        let (a, b) = (self.matching.old, self.matching.new);
        let other_name = plain_name(a.name(old)) != plain_name(b.name(new));
        let other_module = a.module(old) != b.module(new);
        if !other_name && !other_module {
            return None;
        }
        if let Some(leader) = self.leader(old, new, other_name) {
            return Some(NewName::Followed(leader));
        }
        Some(if other_name {
            NewName::Renamed
        } else {
            NewName::Moved
        })
    }

    fn leader(&self, old: Node, new: Node, other_name: bool) -> Option<Leader> {
        let (a, b) = (self.matching.old, self.matching.new);
        let leaf = a.leaf_index(old);
        if !other_name && self.matching.moved.get(&leaf) == Some(&b.leaf_index(new)) {
            return Some(Leader::File(leaf));
        }
        if let (Some((outer, rest)), Some((new_outer, new_rest))) = (a.container(old), b.container(new))
            && self.matching.new_of(outer) == Some(new_outer)
            && plain_name(rest) == plain_name(new_rest)
        {
            return match self.new_name(outer, new_outer)? {
                NewName::Followed(leader) => Some(leader),
                NewName::Renamed | NewName::Moved => Some(Leader::Definition(outer)),
            };
        }
        let module = a.module(old);
        let same_module = b.module(new) == module || b.module(new) == self.matching.new_module(module);
        if same_module && self.matching.translated_name(old, &self.words)? == b.name(new) {
            return self.word_leader(old).map(Leader::Definition);
        }
        None
    }

    /// The renamed type that the name of a definition mentions.
    fn word_leader(&self, old: Node) -> Option<Node> {
        let mut words = words(self.matching.old.name(old));
        words.find_map(|word| self.words.get(word).copied().flatten().map(|(_, node)| node))
    }

    /// A text with the new words for types that were renamed.
    pub fn translate(&self, text: &str) -> String {
        let mut translated = String::with_capacity(text.len());
        let mut rest = text;
        for word in words(text) {
            let Some((before, after)) = rest.split_once(word) else {
                break;
            };
            let new = self.words.get(word).copied().flatten();
            translated.push_str(before);
            translated.push_str(new.map_or(word, |(new, _)| new));
            rest = after;
        }
        translated.push_str(rest);
        translated
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// The new nodes that followed each leader.
pub(crate) type Following = BTreeMap<Leader, Vec<Node>>;
