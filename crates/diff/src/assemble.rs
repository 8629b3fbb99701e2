//! From matched sides to the changes that are reported.

use std::collections::BTreeMap;

use map::{
    DefinitionKind,
    manifest::{Effects, Flags, Visibility},
};

use crate::{
    bump,
    compare::Edit,
    follow::{Followers, Following, Leader, NewName},
    matching::Matching,
    model::{Bump, Change, Counts, Definition, Detail, MapDiff, Reach, Reached, Work},
    reach::Walk,
    side::{Node, Side},
};

/// Names that the reaches of all changes may list together, and those of changes
/// that were inherited, which are mostly parts of others.
const MAX_LISTED: usize = 1 << 19;
const MAX_LISTED_INHERITED: usize = 1 << 16;

/// A change, and where its definition stands on either side.
struct Found {
    change: Change,
    old: Option<Node>,
    new: Option<Node>,
    leader: Option<Leader>,
}

pub(crate) struct Assembly<'m, 's> {
    pub matching: &'m Matching<'s>,
    pub edits: Vec<(Node, Node, Edit)>,
    pub maps: (store::Hash, store::Hash),
    pub work: Work,
}

impl Assembly<'_, '_> {
    pub fn finish(self) -> MapDiff {
        let followers = Followers::new(self.matching);
        let mut following = Following::new();
        let mut found = Vec::new();
        let mut deprecated = Vec::new();
        let mut edits = self.edits.iter().peekable();
        let mut reached_only = 0;
        for (old, new) in self.matching.pairs() {
            let edited = edits.next_if(|&&(a, b, _)| (a, b) == (old, new));
            let edit = edited.map(|&(_, _, edit)| edit).unwrap_or_default();
            reached_only += u64::from(edited.is_some() && edit.is_none());
            let new_name = followers.new_name(old, new);
            if let Some(NewName::Followed(leader)) = new_name {
                following.entry(leader).or_default().push(new);
            }
            found.extend(self.matched(&followers, old, new, edit, new_name));
            if self.is_newly_deprecated(Some(old), new) {
                deprecated.push(describe(self.matching.new, new));
            }
        }
        found.extend(self.matching.left_old().into_iter().map(|old| self.removed(old)));
        for new in self.matching.left_new() {
            found.push(self.added(new));
            if self.is_newly_deprecated(None, new) {
                deprecated.push(describe(self.matching.new, new));
            }
        }
        found.extend(
            self.matching
                .moved
                .iter()
                .filter_map(|(&old, &new)| self.moved_file(old, new, &following)),
        );
        for each in &mut found {
            let members = each.leader.and_then(|leader| following.get(&leader));
            each.change.members = members.map_or(0, |members| members.len() as u32);
            each.change.bump = bump::bump_of(&each.change);
        }
        let key = |found: &Found| {
            let definition = &found.change.definition;
            (
                definition.qualified.clone(),
                definition.path.clone(),
                found.old,
                found.new,
            )
        };
        found.sort_by_cached_key(key);
        deprecated.sort_by(|a, b| (&a.qualified, &a.path).cmp(&(&b.qualified, &b.path)));

        let (reached, tests) = self.reach(&mut found, &following);
        let changes: Vec<Change> = found.into_iter().map(|found| found.change).collect();
        let (bump, reason) = bump::decide(&changes);
        let counts = count(&changes, reached_only, tests.len());
        MapDiff {
            old: self.maps.0,
            new: self.maps.1,
            changes,
            bump,
            reason,
            deprecated,
            reached,
            tests,
            counts,
            work: self.work,
        }
    }

    fn is_newly_deprecated(&self, old: Option<Node>, new: Node) -> bool {
        let is = |flags: Flags| flags.contains(Flags::DEPRECATED);
        is(self.matching.new.entry(new).flags)
            && !old.is_some_and(|old| is(self.matching.old.entry(old).flags))
    }

    fn matched(
        &self,
        followers: &Followers<'_, '_>,
        old: Node,
        new: Node,
        edit: Edit,
        new_name: Option<NewName>,
    ) -> Option<Found> {
        let (a, b) = (self.matching.old, self.matching.new);
        let (before, after) = (a.entry(old), b.entry(new));
        let mut details = Vec::new();
        if edit.signature {
            details.push(Detail::Signature {
                old: before.signature.to_string(),
                new: after.signature.to_string(),
                body: edit.body,
            });
        } else if edit.locals {
            details.push(Detail::LocalNames);
        } else if edit.body {
            details.push(Detail::Body);
        }
        if before.visibility != after.visibility {
            details.push(visibility(
                (before.visibility, &before.spelling),
                (after.visibility, &after.spelling),
            ));
        }
        let inferred = !b.declares_effects(new);
        let (widened, narrowed) = differences(&effect_names(&before.effects), &effect_names(&after.effects));
        if !widened.is_empty() || !narrowed.is_empty() {
            details.push(Detail::Effects {
                widened,
                narrowed,
                inferred,
            });
        }
        let renamed = |failure: &str| followers.translate(failure);
        let (added, removed) = failures(&before.failures, &after.failures, renamed);
        if !added.is_empty() || !removed.is_empty() {
            details.push(Detail::Failures {
                added,
                removed,
                inferred,
            });
        }
        let inherited = edit.is_none()
            && details
                .iter()
                .all(|detail| matches!(detail, Detail::Effects { .. } | Detail::Failures { .. }));
        let is_own_name = matches!(new_name, Some(NewName::Renamed | NewName::Moved));
        if is_own_name {
            let (from, was_public) = (a.qualified(old), a.is_exposed(old));
            details.push(match new_name {
                Some(NewName::Moved) => Detail::Moved { from, was_public },
                _ => Detail::Renamed { from, was_public },
            });
        }
        if details.is_empty() {
            return None;
        }
        let mut change = change(describe(b, new), Some(describe(a, old)), details);
        change.inherited = inherited && !is_own_name;
        Some(Found {
            change,
            old: Some(old),
            new: Some(new),
            leader: is_own_name.then_some(Leader::Definition(old)),
        })
    }

    fn removed(&self, old: Node) -> Found {
        let definition = describe(self.matching.old, old);
        Found {
            change: change(definition.clone(), Some(definition), vec![Detail::Removed]),
            old: Some(old),
            new: None,
            leader: None,
        }
    }

    fn added(&self, new: Node) -> Found {
        let effects = effect_names(&self.matching.new.entry(new).effects);
        let definition = describe(self.matching.new, new);
        Found {
            change: change(definition, None, vec![Detail::Added { effects }]),
            old: None,
            new: Some(new),
            leader: None,
        }
    }

    fn moved_file(&self, old: usize, new: usize, following: &Following) -> Option<Found> {
        let (a, b) = (self.matching.old, self.matching.new);
        let leader = Leader::File(old);
        let members = following.get(&leader)?;
        let public = members.iter().any(|&node| b.is_exposed(node));
        let mut was_public = members.iter().filter_map(|&node| self.matching.old_of(node));
        let was_public = was_public.any(|node| a.is_exposed(node));
        let (before, after) = (describe_file(a, old, was_public), describe_file(b, new, public));
        let detail = Detail::Moved {
            from: before.qualified.clone(),
            was_public,
        };
        Some(Found {
            change: change(after, Some(before), vec![detail]),
            old: None,
            new: None,
            leader: Some(leader),
        })
    }

    /// Finds what each change reaches; gives the table of all that is reached
    /// and the tests in it that are worth running.
    fn reach(&self, found: &mut [Found], following: &Following) -> (Vec<Reached>, Vec<u32>) {
        let (a, b) = (self.matching.old, self.matching.new);
        let mut old_walk = Walk::old(self.matching);
        let mut new_walk = Walk::new_side(self.matching);
        // Nodes of the new side, then those of the old one.
        let mut reaches: Vec<Option<Vec<Node>>> = vec![None; found.len()];
        let shift = b.len() as Node;
        for (inherited, limit) in [(false, MAX_LISTED), (true, MAX_LISTED_INHERITED)] {
            let mut listed = 0;
            for (at, each) in found.iter().enumerate() {
                if each.change.inherited != inherited || listed > limit {
                    continue;
                }
                let mut nodes = match (each.old, each.new) {
                    (Some(old), None) => old_walk.reach(&[old], false),
                    _ => {
                        let members = each.leader.and_then(|leader| following.get(&leader));
                        let mut from: Vec<Node> = members.cloned().unwrap_or_default();
                        from.extend(each.new);
                        new_walk.reach(&from, each.leader.is_some())
                    }
                };
                if each.new.is_none() && each.old.is_some() {
                    nodes.iter_mut().for_each(|node| *node += shift);
                }
                listed += nodes.len();
                reaches[at] = Some(nodes);
            }
        }
        let to_run: Vec<Node> = b
            .nodes()
            .filter(|&node| b.is_test(node) && new_walk.is_changed(node))
            .collect();
        let mut used = vec![false; a.len() + b.len()];
        for &node in reaches.iter().flatten().flatten().chain(&to_run) {
            used[node as usize] = true;
        }
        let table = Table::new(a, b, &used);
        for (each, nodes) in found.iter_mut().zip(reaches) {
            each.change.reach = table.reach(nodes);
        }
        let tests = table.indexes(&to_run);
        (table.reached, tests)
    }
}

/// All that is reached, by name.
struct Table {
    reached: Vec<Reached>,
    is_test: Vec<bool>,
    /// The index in `reached` of each node that is used.
    index: Vec<u32>,
}

impl Table {
    fn new(old: &Side<'_>, new: &Side<'_>, used: &[bool]) -> Self {
        let side = |node: usize| match node.checked_sub(new.len()) {
            None => (new, node as Node),
            Some(node) => (old, node as Node),
        };
        let mut named: Vec<(String, DefinitionKind, usize)> = (0..used.len())
            .filter(|&node| used[node])
            .map(|node| {
                let (side, at) = side(node);
                (side.qualified(at), side.kind(at), node)
            })
            .collect();
        named.sort_unstable();
        let mut table = Self {
            reached: Vec::new(),
            is_test: Vec::new(),
            index: vec![0; used.len()],
        };
        for (qualified, kind, node) in named {
            let (side, at) = side(node);
            let same = table
                .reached
                .last()
                .is_some_and(|last| last.qualified == qualified && last.kind == kind);
            if !same {
                table.reached.push(Reached { qualified, kind });
                table.is_test.push(side.is_test(at));
            }
            table.index[node] = table.reached.len() as u32 - 1;
        }
        table
    }

    fn indexes(&self, nodes: &[Node]) -> Vec<u32> {
        let mut indexes: Vec<u32> = nodes.iter().map(|&node| self.index[node as usize]).collect();
        indexes.sort_unstable();
        indexes.dedup();
        indexes
    }

    fn reach(&self, nodes: Option<Vec<Node>>) -> Reach {
        let Some(nodes) = nodes else {
            return Reach {
                cut: true,
                ..Reach::default()
            };
        };
        let definitions = self.indexes(&nodes);
        let tests = definitions
            .iter()
            .copied()
            .filter(|&index| self.is_test[index as usize])
            .collect();
        Reach {
            definitions,
            tests,
            cut: false,
        }
    }
}

fn change(definition: Definition, old: Option<Definition>, mut details: Vec<Detail>) -> Change {
    details.sort();
    Change {
        definition,
        old,
        details,
        members: 0,
        inherited: false,
        reach: Reach::default(),
        bump: Bump::None,
    }
}

fn describe(side: &Side<'_>, node: Node) -> Definition {
    let (leaf, entry) = (side.leaf(node), side.entry(node));
    Definition {
        qualified: side.qualified(node),
        module: leaf.module.to_string(),
        name: entry.name.to_string(),
        kind: entry.kind,
        language: leaf.language.to_string(),
        path: leaf.path.to_string(),
        line: entry.location.first_line,
        public: side.is_exposed(node),
        signature: entry.signature.to_string(),
    }
}

fn describe_file(side: &Side<'_>, leaf: usize, public: bool) -> Definition {
    let leaf = &side.leaves[leaf];
    Definition {
        qualified: leaf.module.to_string(),
        module: leaf.module.to_string(),
        name: String::new(),
        kind: DefinitionKind::Module,
        language: leaf.language.to_string(),
        path: leaf.path.to_string(),
        line: 1,
        public,
        signature: String::new(),
    }
}

fn visibility(old: (Visibility, &str), new: (Visibility, &str)) -> Detail {
    let word = |visibility| match visibility {
        Visibility::Private => "private",
        Visibility::Restricted => "restricted",
        Visibility::Public => "public",
    };
    let spelled = !old.1.is_empty() && !new.1.is_empty();
    let show = |(visibility, spelling): (Visibility, &str)| {
        if spelled {
            spelling.to_owned()
        } else {
            word(visibility).to_owned()
        }
    };
    Detail::Visibility {
        old: show(old),
        new: show(new),
        public: new.0 == Visibility::Public,
        narrowed: new.0 < old.0,
    }
}

/// Capabilities by name, with numbers for those of newer versions, then named effects.
fn effect_names(effects: &Effects<'_>) -> Vec<String> {
    let capability = |number| match map::Capability::from_number(number) {
        Some(capability) => capability.name().to_owned(),
        None => format!("capability {number}"),
    };
    let mut names: Vec<String> = effects.capabilities.numbers().map(capability).collect();
    names.extend(effects.named.iter().map(|name| name.to_string()));
    names.sort();
    names.dedup();
    names
}

/// What is only in the second list, and what is only in the first; both sorted.
fn differences(old: &[String], new: &[String]) -> (Vec<String>, Vec<String>) {
    let without = |from: &[String], other: &[String]| -> Vec<String> {
        from.iter()
            .filter(|item| other.binary_search(item).is_err())
            .cloned()
            .collect()
    };
    (without(new, old), without(old, new))
}

/// Failures added and removed, other than by renaming a type.
fn failures<T: AsRef<str>>(
    old: &[T],
    new: &[T],
    renamed: impl Fn(&str) -> String,
) -> (Vec<String>, Vec<String>) {
    let sorted = |items: &[T]| {
        let mut items: Vec<String> = items.iter().map(|item| item.as_ref().to_owned()).collect();
        items.sort();
        items
    };
    let (mut added, mut removed) = differences(&sorted(old), &sorted(new));
    let mut counterparts: BTreeMap<String, usize> = BTreeMap::new();
    removed.retain(|failure| {
        let is_there = added.contains(&renamed(failure));
        if is_there {
            *counterparts.entry(renamed(failure)).or_default() += 1;
        }
        !is_there
    });
    added.retain(|failure| !counterparts.contains_key(failure));
    (added, removed)
}

fn count(changes: &[Change], reached: u64, tests: usize) -> Counts {
    let mut counts = Counts {
        changes: changes.len() as u64,
        reached,
        tests: tests as u64,
        ..Counts::default()
    };
    for detail in changes.iter().flat_map(|change| &change.details) {
        *match detail {
            Detail::Removed => &mut counts.removed,
            Detail::Signature { .. } => &mut counts.signature,
            Detail::Visibility { .. } => &mut counts.visibility,
            Detail::Effects { .. } => &mut counts.effects,
            Detail::Failures { .. } => &mut counts.failures,
            Detail::Renamed { .. } => &mut counts.renamed,
            Detail::Moved { .. } => &mut counts.moved,
            Detail::Added { .. } => &mut counts.added,
            Detail::Body | Detail::LocalNames => &mut counts.body,
        } += 1;
    }
    counts
}
