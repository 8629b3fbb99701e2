//! The order of the members of a component: who unfolds alike, and who is first.
//!
//! The rule (store-format/map.md) goes in rounds. In round 0 members are
//! compared by their keys. In each further round two members that were equal are
//! compared by the places of their inner targets in the round before, from the
//! first target to the last. When a round tells no more members apart, those
//! still equal unfold alike. Nothing but keys and ordered references enters, and
//! not how many alike members there are, so the order is a function of the
//! unfolding alone.
//!
//! Computed round by round the rule costs rounds x references. Here a round
//! looks only at references to members whose class got another number in the
//! round before. When a class is split its largest part keeps the number, so a
//! member changes number at most log2 n times, and each reference is looked at
//! as often: O(m log n) looks, plus sorting them, however many rounds there are.
//!
//! Classes are intervals of one array, kept in order, so the place of a class is
//! where its interval starts.

use std::{cmp::Ordering, ops::Range};

/// The inner references of a component, flat: those of member `i` end at
/// `ends[i]`. Members are numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub ends: Vec<usize>,
    pub targets: Vec<u32>,
}

impl Inner {
    fn range(&self, member: usize) -> Range<usize> {
        let start = if member == 0 { 0 } else { self.ends[member - 1] };
        start..self.ends[member]
    }
}

/// The rank of each member, equal for members that unfold alike; ranks run from
/// 0 without a gap. `compare` is the order of keys, and members with equal keys
/// have equally many inner references.
pub(super) fn ranks(inner: &Inner, compare: impl Fn(u32, u32) -> Ordering) -> Vec<u32> {
    let mut partition = Partition::by_key(inner, compare);
    let sources = Sources::of(inner);
    // At first every member counts as changed, from a class that none kept.
    let mut changed: Vec<Change> = (0..inner.ends.len() as u32)
        .map(|member| Change {
            member,
            kept: partition.class_of[member as usize],
        })
        .collect();
    while !changed.is_empty() {
        let looks = partition.looks(&sources, &changed);
        changed = partition.split_all(&looks);
    }
    partition.ranks()
}

/// The references that lead to each member, flat.
struct Sources {
    starts: Vec<usize>,
    /// The member that refers, and the position among its inner references.
    references: Vec<(u32, u32)>,
}

impl Sources {
    fn of(inner: &Inner) -> Self {
        let members = inner.ends.len();
        let mut starts = vec![0; members + 1];
        for &target in &inner.targets {
            starts[target as usize + 1] += 1;
        }
        for member in 0..members {
            starts[member + 1] += starts[member];
        }
        let mut free = starts.clone();
        let mut references = vec![(0, 0); inner.targets.len()];
        for member in 0..members {
            for (position, at) in inner.range(member).enumerate() {
                let slot = &mut free[inner.targets[at] as usize];
                references[*slot] = (member as u32, position as u32);
                *slot += 1;
            }
        }
        Self { starts, references }
    }

    fn to(&self, member: u32) -> &[(u32, u32)] {
        let member = member as usize;
        &self.references[self.starts[member]..self.starts[member + 1]]
    }
}

/// A member that got another class, and the class that kept the number.
#[derive(Clone, Copy)]
struct Change {
    member: u32,
    kept: u32,
}

/// A reference whose target changed class.
#[derive(Clone, Copy)]
struct Look {
    class: u32,
    member: u32,
    position: u32,
    /// The place of the target's class.
    place: u32,
    /// The place of the class that kept the number: where the target of an equal
    /// member is, at this position, if that one did not change.
    kept: u32,
}

struct Partition {
    elements: Vec<u32>,
    position_of: Vec<u32>,
    class_of: Vec<u32>,
    start: Vec<u32>,
    len: Vec<u32>,
}

impl Partition {
    fn by_key(inner: &Inner, compare: impl Fn(u32, u32) -> Ordering) -> Self {
        let members = inner.ends.len();
        let mut elements: Vec<u32> = (0..members as u32).collect();
        elements.sort_unstable_by(|&a, &b| compare(a, b));
        let mut partition = Self {
            position_of: vec![0; members],
            class_of: vec![0; members],
            start: Vec::new(),
            len: Vec::new(),
            elements: Vec::new(),
        };
        for (position, &member) in elements.iter().enumerate() {
            partition.position_of[member as usize] = position as u32;
            if position == 0 || compare(elements[position - 1], member) != Ordering::Equal {
                partition.start.push(position as u32);
                partition.len.push(0);
            }
            let class = partition.start.len() - 1;
            partition.class_of[member as usize] = class as u32;
            partition.len[class] += 1;
        }
        partition.elements = elements;
        partition
    }

    /// The references to look at in this round, grouped by class, then member,
    /// then position. Members alone in their class cannot be split.
    fn looks(&self, sources: &Sources, changed: &[Change]) -> Vec<Look> {
        let mut looks = Vec::new();
        for change in changed {
            let place = self.start[self.class_of[change.member as usize] as usize];
            let kept = self.start[change.kept as usize];
            for &(member, position) in sources.to(change.member) {
                let class = self.class_of[member as usize];
                if self.len[class as usize] > 1 {
                    looks.push(Look {
                        class,
                        member,
                        position,
                        place,
                        kept,
                    });
                }
            }
        }
        looks.sort_unstable_by_key(|look| (look.class, look.member, look.position));
        looks
    }

    fn split_all(&mut self, looks: &[Look]) -> Vec<Change> {
        let mut changed = Vec::new();
        for of_class in looks.chunk_by(|a, b| a.class == b.class) {
            self.split(of_class, &mut changed);
        }
        changed
    }

    /// Splits one class by the looks at its members.
    fn split(&mut self, looks: &[Look], changed: &mut Vec<Change>) {
        let class = looks[0].class;
        let mut touched: Vec<&[Look]> = looks.chunk_by(|a, b| a.member == b.member).collect();
        touched.sort_by(|a, b| compare_looks(a, b));
        let start = self.start[class as usize];
        let end = start + self.len[class as usize];
        // Members that nothing was looked at for have the empty list; they stay
        // where they are, between those that come before and those after.
        let before = touched.partition_point(|looks| compare_looks(looks, &[]) == Ordering::Less);
        for (offset, looks) in touched[..before].iter().enumerate() {
            self.move_to(looks[0].member, start + offset as u32);
        }
        for (offset, looks) in touched[before..].iter().rev().enumerate() {
            self.move_to(looks[0].member, end - 1 - offset as u32);
        }
        let mut parts = Vec::new();
        let mut at = start;
        push_parts(&mut parts, &mut at, &touched[..before]);
        let after = end - (touched.len() - before) as u32;
        if at < after {
            parts.push(at..after);
            at = after;
        }
        push_parts(&mut parts, &mut at, &touched[before..]);
        self.renumber(class, &parts, changed);
    }

    fn move_to(&mut self, member: u32, position: u32) {
        let from = self.position_of[member as usize];
        let other = self.elements[position as usize];
        self.elements.swap(from as usize, position as usize);
        self.position_of[other as usize] = from;
        self.position_of[member as usize] = position;
    }

    /// Makes classes of the parts of a class; the largest keeps the number.
    fn renumber(&mut self, class: u32, parts: &[Range<u32>], changed: &mut Vec<Change>) {
        let largest = (0..parts.len()).max_by_key(|&part| (parts[part].len(), usize::MAX - part));
        for (index, part) in parts.iter().enumerate() {
            if Some(index) == largest {
                self.start[class as usize] = part.start;
                self.len[class as usize] = part.len() as u32;
                continue;
            }
            let new = self.start.len() as u32;
            self.start.push(part.start);
            self.len.push(part.len() as u32);
            for position in part.clone() {
                let member = self.elements[position as usize];
                self.class_of[member as usize] = new;
                changed.push(Change { member, kept: class });
            }
        }
    }

    fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.elements.len()];
        let mut rank = 0;
        for (position, &member) in self.elements.iter().enumerate() {
            let class = self.class_of[member as usize];
            if position > 0 && self.class_of[self.elements[position - 1] as usize] != class {
                rank += 1;
            }
            ranks[member as usize] = rank;
        }
        ranks
    }
}

fn push_parts(parts: &mut Vec<Range<u32>>, at: &mut u32, touched: &[&[Look]]) {
    for alike in touched.chunk_by(|a, b| compare_looks(a, b) == Ordering::Equal) {
        let end = *at + alike.len() as u32;
        parts.push(*at..end);
        *at = end;
    }
}

/// The order of two members of one class by the places of their targets. At a
/// position where only one was looked at, the other's target kept its number.
fn compare_looks(a: &[Look], b: &[Look]) -> Ordering {
    for index in 0..a.len().max(b.len()) {
        let ordering = match (a.get(index), b.get(index)) {
            (Some(a), Some(b)) => match a.position.cmp(&b.position) {
                Ordering::Equal => a.place.cmp(&b.place),
                Ordering::Less => a.place.cmp(&a.kept),
                Ordering::Greater => b.kept.cmp(&b.place),
            },
            (Some(a), None) => a.place.cmp(&a.kept),
            (None, Some(b)) => b.kept.cmp(&b.place),
            (None, None) => Ordering::Equal,
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rule as it is written, round by round.
    fn by_rule(inner: &Inner, keys: &[u8]) -> Vec<u32> {
        let number = |values: &[(u32, Vec<u32>)]| -> Vec<u32> {
            let mut sorted = values.to_vec();
            sorted.sort();
            sorted.dedup();
            let place = |value| sorted.binary_search(value).expect("all values are there") as u32;
            values.iter().map(place).collect()
        };
        let first: Vec<_> = keys.iter().map(|&key| (u32::from(key), Vec::new())).collect();
        let mut ranks = number(&first);
        loop {
            let values: Vec<_> = (0..keys.len())
                .map(|member| {
                    let targets = &inner.targets[inner.range(member)];
                    (
                        ranks[member],
                        targets.iter().map(|&to| ranks[to as usize]).collect(),
                    )
                })
                .collect();
            let next = number(&values);
            if next == ranks {
                return ranks;
            }
            ranks = next;
        }
    }

    fn inner(members: usize, degrees: &[usize], targets: &[u32]) -> Inner {
        let mut inner = Inner::default();
        let mut targets = targets.iter().cycle();
        for member in 0..members {
            for _ in 0..degrees[member % degrees.len()] {
                let target = targets.next().expect("a cycle has no end");
                inner.targets.push(target % members as u32);
            }
            inner.ends.push(inner.targets.len());
        }
        inner
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn the_fast_way_follows_the_rule(
            keys in prop::collection::vec(0u8..3, 1..40),
            degrees in prop::collection::vec(0usize..4, 1..4),
            targets in prop::collection::vec(any::<u32>(), 1..200),
        ) {
            // A key says the degree too, as a component's keys do.
            let members = keys.len();
            let degree = |member: usize| degrees[usize::from(keys[member]) % degrees.len()];
            let degrees: Vec<usize> = (0..members).map(degree).collect();
            let inner = inner(members, &degrees, &targets);
            let fast = ranks(&inner, |a, b| keys[a as usize].cmp(&keys[b as usize]));
            prop_assert_eq!(fast, by_rule(&inner, &keys));
        }

        #[test]
        fn rings_follow_the_rule(keys in prop::collection::vec(0u8..2, 1..60), hop in 1u32..5) {
            let members = keys.len();
            let targets: Vec<u32> = (0..members as u32).map(|member| member + hop).collect();
            let inner = inner(members, &[1], &targets);
            let fast = ranks(&inner, |a, b| keys[a as usize].cmp(&keys[b as usize]));
            prop_assert_eq!(fast, by_rule(&inner, &keys));
        }
    }
}
