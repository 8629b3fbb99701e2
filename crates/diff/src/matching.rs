//! Which old definition is which new one (docs/diff.md, "Matching").
//!
//! Names first; then, among what is left, files that moved, ids, members of what
//! was matched, and texts whose references correspond, until nothing more is
//! found. Every pass goes through sorted lists, so equal maps match equally.

use std::collections::BTreeMap;

use map::{DefinitionId, DefinitionKind};
use store::Hash;

use crate::{
    components::Components,
    moves,
    relation::{Assumption, IdPair, Relation},
    side::{Node, Side, last_word, plain_name},
};

pub(crate) struct Matching<'s> {
    pub old: &'s Side<'s>,
    pub new: &'s Side<'s>,
    new_of: Vec<Option<Node>>,
    old_of: Vec<Option<Node>>,
    pub relation: Relation,
    /// Leaves that moved: the old index to the new one.
    pub moved: BTreeMap<usize, usize>,
    moved_modules: BTreeMap<&'s str, &'s str>,
}

/// Matches the definitions of two sides.
pub(crate) fn match_sides<'s>(
    old: &'s Side<'s>,
    new: &'s Side<'s>,
    components: &mut Components<'_>,
) -> Result<Matching<'s>, store::Error> {
    let mut matching = Matching {
        old,
        new,
        new_of: vec![None; old.len()],
        old_of: vec![None; new.len()],
        relation: Relation::default(),
        moved: BTreeMap::new(),
        moved_modules: BTreeMap::new(),
    };
    matching.match_names();
    if matching.is_finished() {
        return Ok(matching);
    }
    let left = matching.left_old().into_iter().map(|node| old.id(node));
    components.load(left.chain(matching.left_new().into_iter().map(|node| new.id(node))))?;
    let texts = Texts {
        old: texts(old, &matching.left_old(), components)?,
        new: texts(new, &matching.left_new(), components)?,
    };
    matching.match_moved_files(&texts);
    for _ in 0..MAX_ROUNDS {
        if matching.is_finished() || !matching.match_more(&texts, components)? {
            break;
        }
    }
    Ok(matching)
}

/// The text keys of the definitions that no name matched.
pub(crate) struct Texts {
    pub old: BTreeMap<Node, Hash>,
    pub new: BTreeMap<Node, Hash>,
}

fn texts(
    side: &Side<'_>,
    nodes: &[Node],
    components: &Components<'_>,
) -> Result<BTreeMap<Node, Hash>, store::Error> {
    nodes
        .iter()
        .map(|&node| Ok((node, components.text(side.id(node))?)))
        .collect()
}

/// Above this many pairs of one bucket, only definitions of one name are compared.
const MAX_PAIRS: usize = 1 << 14;

impl<'s> Matching<'s> {
    pub fn new_of(&self, old: Node) -> Option<Node> {
        self.new_of[old as usize]
    }

    pub fn old_of(&self, new: Node) -> Option<Node> {
        self.old_of[new as usize]
    }

    /// The pairs, in the order of the old side.
    pub fn pairs(&self) -> impl Iterator<Item = (Node, Node)> {
        self.old
            .nodes()
            .filter_map(|node| Some((node, self.new_of(node)?)))
    }

    pub fn left_old(&self) -> Vec<Node> {
        let left = self.old.nodes().filter(|&node| self.new_of(node).is_none());
        left.collect()
    }

    pub fn left_new(&self) -> Vec<Node> {
        let left = self.new.nodes().filter(|&node| self.old_of(node).is_none());
        left.collect()
    }

    fn is_finished(&self) -> bool {
        let all = |matched: &[Option<Node>]| matched.iter().all(Option::is_some);
        all(&self.new_of) || all(&self.old_of)
    }

    fn join(&mut self, old: Node, new: Node) {
        debug_assert!(self.is_free(old, new));
        self.new_of[old as usize] = Some(new);
        self.old_of[new as usize] = Some(old);
        self.relation.add(self.old.id(old), self.new.id(new));
    }

    fn is_free(&self, old: Node, new: Node) -> bool {
        self.new_of(old).is_none() && self.old_of(new).is_none()
    }

    /// Joins two definitions if both are free and of one kind.
    fn try_join(&mut self, old: Node, new: Node) -> bool {
        let joins = self.is_free(old, new) && self.old.kind(old) == self.new.kind(new);
        if joins {
            self.join(old, new);
        }
        joins
    }

    /// The name that a module has on the new side, as far as files tell.
    pub fn new_module<'a>(&'a self, old: &'a str) -> &'a str {
        self.moved_modules.get(old).copied().unwrap_or(old)
    }

    fn match_names(&mut self) {
        let same_path = self.same_paths();
        for &(old, new) in &same_path {
            if self.old.leaves[old].module == self.new.leaves[new].module {
                self.match_leaf(old, new);
            }
        }
        // The same module in another file.
        for old in self.left_old() {
            let new = self.new;
            let named: Vec<Node> = new.named(self.old.module(old), self.old.name(old)).collect();
            let same_id = named
                .iter()
                .copied()
                .filter(|&node| new.id(node) == self.old.id(old));
            let _ = same_id
                .chain(named.iter().copied())
                .any(|node| self.try_join(old, node));
        }
        // The same file under another module's name.
        for (old, new) in same_path {
            let (before, after) = (&self.old.leaves[old], &self.new.leaves[new]);
            if before.module != after.module && !before.entries.is_empty() {
                self.note_move(old, new);
                self.match_leaf(old, new);
            }
        }
    }

    /// Leaves that both sides have at one path.
    fn same_paths(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut new = self.new.leaves.iter().enumerate().peekable();
        for (index, leaf) in self.old.leaves.iter().enumerate() {
            while new.next_if(|(_, other)| other.path < leaf.path).is_some() {}
            if let Some((other, _)) = new.next_if(|(_, other)| other.path == leaf.path) {
                pairs.push((index, other));
            }
        }
        pairs
    }

    fn note_move(&mut self, old: usize, new: usize) {
        self.moved.insert(old, new);
        let (before, after): (&str, &str) = (&self.old.leaves[old].module, &self.new.leaves[new].module);
        self.moved_modules.entry(before).or_insert(after);
    }

    /// Matches what has one name in two leaves.
    fn match_leaf(&mut self, old: usize, new: usize) {
        self.match_twins(old, new);
        let nodes = self.old.nodes_of(old);
        for node in nodes {
            if let Some(other) = self.new.in_leaf(new, self.old.name(node)) {
                self.try_join(node, other);
            }
        }
        self.match_rest_of_twins(old, new);
    }

    /// Definitions told apart by an ordinal move up when one before them goes, so
    /// equal ids come first among them.
    fn match_twins(&mut self, old: usize, new: usize) {
        for (olds, news) in self.twins(old, new) {
            for &node in &olds {
                let same = |other: &Node| self.new.id(*other) == self.old.id(node);
                let named = news.iter().copied().find(|&other| {
                    same(&other) && self.new.name(other) == self.old.name(node) && self.is_free(node, other)
                });
                let found = named.or_else(|| {
                    news.iter()
                        .copied()
                        .find(|&other| same(&other) && self.is_free(node, other))
                });
                if let Some(other) = found {
                    self.try_join(node, other);
                }
            }
        }
    }

    fn match_rest_of_twins(&mut self, old: usize, new: usize) {
        for (olds, news) in self.twins(old, new) {
            for &node in &olds {
                let _ = news.iter().any(|&other| self.try_join(node, other));
            }
        }
    }

    /// Groups of definitions of two leaves whose names differ by ordinals only.
    fn twins(&self, old: usize, new: usize) -> Vec<(Vec<Node>, Vec<Node>)> {
        let has_ordinal = |side: &Side<'_>, leaf: usize| {
            let mut entries = side.leaves[leaf].entries.iter();
            entries.any(|entry| entry.name.contains('~'))
        };
        if !has_ordinal(self.old, old) && !has_ordinal(self.new, new) {
            return Vec::new();
        }
        let mut groups: BTreeMap<_, (Vec<Node>, Vec<Node>)> = BTreeMap::new();
        for node in self.old.nodes_of(old) {
            groups
                .entry(plain_name(self.old.name(node)))
                .or_default()
                .0
                .push(node);
        }
        for node in self.new.nodes_of(new) {
            groups
                .entry(plain_name(self.new.name(node)))
                .or_default()
                .1
                .push(node);
        }
        groups
            .into_values()
            .filter(|(olds, news)| olds.len() + news.len() > 2)
            .collect()
    }

    fn match_moved_files(&mut self, texts: &Texts) {
        for (old, new) in moves::moved_files(self.old, self.new, texts) {
            self.note_move(old, new);
            self.match_leaf(old, new);
        }
    }

    /// One round of all that is not by name; whether it found anything.
    fn match_more(&mut self, texts: &Texts, components: &Components<'_>) -> Result<bool, store::Error> {
        let is_outer = |kind| {
            matches!(
                kind,
                DefinitionKind::Type | DefinitionKind::Ability | DefinitionKind::Module
            )
        };
        // Types before the rest, so that their members find them matched.
        let mut found = self.match_ids(is_outer);
        found |= self.match_members();
        found |= self.match_ids(|_| true);
        found |= self.match_members();
        found |= self.match_scattered_members();
        found |= self.match_texts(texts, components)?;
        found |= self.match_members();
        found |= self.match_cycles(texts, components)?;
        Ok(found)
    }

    fn match_ids(&mut self, of_kind: impl Fn(DefinitionKind) -> bool) -> bool {
        let (old, new) = (self.old, self.new);
        let mut olds = self.left_old();
        let mut news = self.left_new();
        olds.retain(|&node| of_kind(old.kind(node)));
        news.retain(|&node| of_kind(new.kind(node)));
        let key_old = |&node: &Node| (old.id(node), old.kind(node));
        let key_new = |&node: &Node| (new.id(node), new.kind(node));
        let mut found = false;
        for (olds, news) in buckets(olds, news, key_old, key_new) {
            for (old, new) in self.pair_up(&olds, &news, |_, _| true) {
                found |= self.try_join(old, new);
            }
        }
        found
    }

    /// Members of what was matched under another name or in another module.
    fn match_members(&mut self) -> bool {
        let mut found = false;
        loop {
            let words = self.renamed_words();
            let mut more = false;
            for node in self.left_old() {
                if let Some(new) = self.follower(node, &words) {
                    more |= self.try_join(node, new);
                }
            }
            if !more {
                return found;
            }
            found = true;
        }
    }

    /// Methods and implementations that stand in another module than their type
    /// does, on either side: what they are called says whose they are. Only what
    /// has its name alone is matched.
    fn match_scattered_members(&mut self) -> bool {
        /// Nodes of the old side and of the new one.
        type Sides = (Vec<Node>, Vec<Node>);
        let mut named: BTreeMap<(&str, DefinitionKind, &str), Sides> = BTreeMap::new();
        for node in self.left_old() {
            if self.old.is_scattered_kind(node) {
                named
                    .entry(self.old.name_in_package(node))
                    .or_default()
                    .0
                    .push(node);
            }
        }
        for node in self.left_new() {
            if self.new.is_scattered_kind(node) {
                named
                    .entry(self.new.name_in_package(node))
                    .or_default()
                    .1
                    .push(node);
            }
        }
        let mut found = false;
        for (olds, news) in named.into_values() {
            let (&[old], &[new]) = (&olds[..], &news[..]) else {
                continue;
            };
            let containers = (self.old.container(old), self.new.container(new));
            let apart = match containers {
                (Some((outer, _)), None) => self.new_of(outer).is_some(),
                (None, Some((outer, _))) => self.old_of(outer).is_some(),
                (None, None) => true,
                (Some(_), Some(_)) => false,
            };
            found |= apart && self.try_join(old, new);
        }
        found
    }

    /// Where a definition is if it followed what its name says it belongs to.
    fn follower(&self, old: Node, words: &RenamedWords<'_>) -> Option<Node> {
        if let Some((outer, rest)) = self.old.container(old) {
            let outer = self.new_of(outer)?;
            let name = [self.new.name(outer), rest].concat();
            let in_leaf = self.new.in_leaf(self.new.leaf_index(outer), &name);
            return in_leaf.or_else(|| self.new.named(self.new.module(outer), &name).next());
        }
        let name = self.translated_name(old, words)?;
        let module = self.old.module(old);
        let mut found = self.new.named(module, &name);
        found
            .next()
            .or_else(|| self.new.named(self.new_module(module), &name).next())
    }

    /// The name with the new words for types that were renamed; `None` if it
    /// mentions none, other than as its own name.
    pub fn translated_name(&self, old: Node, words: &RenamedWords<'_>) -> Option<String> {
        let name = self.old.name(old);
        let (mut rest, own) = match self.old.kind(old) {
            DefinitionKind::Implementation => (name, ""),
            DefinitionKind::Test => return None,
            _ => name.split_at(name.rfind('.')?),
        };
        let mut translated = String::with_capacity(name.len());
        let mut differs = false;
        while !rest.is_empty() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let starts_word = rest.starts_with(is_word);
            let end = rest.find(|c| is_word(c) != starts_word).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let new = words.get(word).copied().flatten().map(|(new, _)| new);
            differs |= new.is_some();
            translated.push_str(new.unwrap_or(word));
            rest = after;
        }
        translated.push_str(own);
        differs.then_some(translated)
    }

    /// The words that types were renamed from.
    pub fn renamed_words(&self) -> RenamedWords<'s> {
        let mut words = RenamedWords::new();
        for (old, new) in self.pairs() {
            if !matches!(self.old.kind(old), DefinitionKind::Type | DefinitionKind::Ability) {
                continue;
            }
            let (before, after) = (last_word(self.old.name(old)), last_word(self.new.name(new)));
            if before != after {
                words
                    .entry(before)
                    .and_modify(|known| {
                        if known.is_some_and(|(known, _)| known != after) {
                            *known = None;
                        }
                    })
                    .or_insert(Some((after, old)));
            }
        }
        words
    }

    /// Equal texts whose references correspond under the pairs so far.
    fn match_texts(&mut self, texts: &Texts, components: &Components<'_>) -> Result<bool, store::Error> {
        let mut found = false;
        for (olds, news) in self.text_buckets(texts) {
            let relation = &self.relation;
            let accept = |old: Node, new: Node| {
                references_correspond(components, relation, self.old.id(old), self.new.id(new))
            };
            for (old, new) in self.pair_up(&olds, &news, accept) {
                found |= self.try_join(old, new);
            }
        }
        Ok(found)
    }

    /// Definitions that refer to each other in a circle, all of them renamed:
    /// takes all pairs of equal texts as matched and drops those whose references
    /// then do not correspond, until the rest bear each other out.
    fn match_cycles(&mut self, texts: &Texts, components: &Components<'_>) -> Result<bool, store::Error> {
        let mut pairs: Vec<(Node, Node)> = Vec::new();
        for (olds, news) in self.text_buckets(texts) {
            pairs.extend(self.pair_up(&olds, &news, |_, _| true));
        }
        let ids: Vec<IdPair> = pairs
            .iter()
            .map(|&(old, new)| (self.old.id(old), self.new.id(new)))
            .collect();
        let holds = Assumption::new(&self.relation, components, &ids)?.holding();
        let mut found = false;
        for ((old, new), holds) in pairs.into_iter().zip(holds) {
            found |= holds && self.try_join(old, new);
        }
        Ok(found)
    }

    fn text_buckets(&self, texts: &Texts) -> Vec<(Vec<Node>, Vec<Node>)> {
        let key_old = |node: &Node| texts.old[node];
        let key_new = |node: &Node| texts.new[node];
        buckets(self.left_old(), self.left_new(), key_old, key_new)
    }

    /// Pairs of one bucket, the most alike first, each definition once.
    fn pair_up(
        &self,
        olds: &[Node],
        news: &[Node],
        accept: impl Fn(Node, Node) -> bool,
    ) -> Vec<(Node, Node)> {
        if let (&[old], &[new]) = (olds, news) {
            return if accept(old, new) {
                vec![(old, new)]
            } else {
                Vec::new()
            };
        }
        let mut scored: Vec<(Likeness, Node, Node)> = Vec::new();
        for (old, new) in self.candidates(olds, news) {
            if accept(old, new) {
                scored.push((self.likeness(old, new), old, new));
            }
        }
        scored.sort_unstable();
        let mut taken_old = vec![false; olds.len()];
        let mut taken_new = vec![false; news.len()];
        let at =
            |nodes: &[Node], node: Node| nodes.binary_search(&node).expect("candidates are of the lists");
        let mut pairs = Vec::new();
        for (_, old, new) in scored {
            let (a, b) = (at(olds, old), at(news, new));
            if !taken_old[a] && !taken_new[b] {
                (taken_old[a], taken_new[b]) = (true, true);
                pairs.push((old, new));
            }
        }
        pairs
    }

    /// Which pairs of a bucket to look at: all, unless they are very many.
    fn candidates(&self, olds: &[Node], news: &[Node]) -> Vec<(Node, Node)> {
        if olds.len() * news.len() <= MAX_PAIRS {
            let all = olds
                .iter()
                .flat_map(|&old| news.iter().map(move |&new| (old, new)));
            return all.collect();
        }
        let mut by_word: BTreeMap<&str, Vec<Node>> = BTreeMap::new();
        for &new in news {
            by_word
                .entry(last_word(self.new.name(new)))
                .or_default()
                .push(new);
        }
        let mut pairs = Vec::new();
        for &old in olds {
            let same_word = by_word.get(last_word(self.old.name(old)));
            let near = same_word.into_iter().flatten().take(MAX_NAMESAKES);
            pairs.extend(near.map(|&new| (old, new)));
        }
        // And, so that the rest is matched too, the lists side by side.
        pairs.extend(olds.iter().copied().zip(news.iter().copied()));
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn likeness(&self, old: Node, new: Node) -> Likeness {
        let (a, b) = (self.old, self.new);
        let same_module = self.new_module(a.module(old)) == b.module(new) || a.module(old) == b.module(new);
        let outer = a.container(old).map(|(outer, _)| self.new_of(outer));
        let same_outer = match (outer, b.container(new)) {
            (None, None) => true,
            (Some(matched), Some((outer, _))) => matched == Some(outer),
            _ => false,
        };
        Likeness {
            other_module: !same_module,
            other_container: !same_outer,
            members_that_differ: self.members_that_differ(old, new),
            name_distance: distance(a.name(old), b.name(new)),
        }
    }

    /// How many members of two types are not in both.
    fn members_that_differ(&self, old: Node, new: Node) -> usize {
        if self.old.kind(old) != DefinitionKind::Type {
            return 0;
        }
        let (before, after) = (members(self.old, old), members(self.new, new));
        let common = before
            .iter()
            .filter(|member| after.binary_search(member).is_ok())
            .count();
        before.len() + after.len() - 2 * common
    }
}

/// The old last word of a renamed type, with the new one and the type; `None`
/// for a word that has several new ones.
pub(crate) type RenamedWords<'s> = BTreeMap<&'s str, Option<(&'s str, Node)>>;

/// Rounds after which what is left stays added and removed. Few are ever needed.
const MAX_ROUNDS: usize = 256;

/// How many definitions of one name a large bucket compares each with.
const MAX_NAMESAKES: usize = 16;

/// How unlike two definitions are that could be one; less comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    other_module: bool,
    other_container: bool,
    members_that_differ: usize,
    name_distance: usize,
}

/// The members of a definition in its leaf: the rest of their names and their ids, sorted.
fn members<'s>(side: &'s Side<'_>, node: Node) -> Vec<(&'s str, DefinitionId)> {
    let name = side.name(node);
    let leaf = side.leaf(node);
    let start = leaf.entries.partition_point(|entry| &*entry.name <= name);
    leaf.entries[start..]
        .iter()
        .take_while(|entry| entry.name.starts_with(name))
        .filter_map(|entry| Some((entry.name[name.len()..].strip_prefix('.')?, entry.id)))
        .collect()
}

fn references_correspond(
    components: &Components<'_>,
    relation: &Relation,
    old: DefinitionId,
    new: DefinitionId,
) -> bool {
    match (components.references(old), components.references(new)) {
        (Ok(before), Ok(after)) => {
            before.len() == after.len()
                && before
                    .zip(after)
                    .all(|(a, b)| relation.holds(a, b) || (a == old && b == new))
        }
        _ => false,
    }
}

/// The definitions of both sides that have one key, by key.
fn buckets<K: Ord>(
    mut olds: Vec<Node>,
    mut news: Vec<Node>,
    key_old: impl Fn(&Node) -> K,
    key_new: impl Fn(&Node) -> K,
) -> Vec<(Vec<Node>, Vec<Node>)> {
    olds.sort_by_cached_key(&key_old);
    news.sort_by_cached_key(&key_new);
    let mut found = Vec::new();
    let mut rest = &news[..];
    for olds in olds.chunk_by(|a, b| key_old(a) == key_old(b)) {
        let key = key_old(&olds[0]);
        rest = &rest[rest.partition_point(|node| key_new(node) < key)..];
        let (same, after) = rest.split_at(rest.partition_point(|node| key_new(node) == key));
        rest = after;
        if !same.is_empty() {
            found.push((olds.to_vec(), same.to_vec()));
        }
    }
    found
}

/// Levenshtein's distance between the first characters of two names.
fn distance(a: &str, b: &str) -> usize {
    const LONG: usize = 64;
    let b: Vec<char> = b.chars().take(LONG).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().take(LONG).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &right) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
