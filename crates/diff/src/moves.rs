//! Files that moved: leaves of one side only that hold mostly the same.

use std::collections::{BTreeMap, HashMap};

use store::Hash;

use crate::{
    matching::Texts,
    side::{Node, Side},
};

/// Names and texts that more leaves than this have say nothing of any of them.
const COMMON: usize = 32;

/// Pairs of an old and a new leaf such that the file moved from one to the
/// other: the surest first, each leaf once.
pub(crate) fn moved_files(old: &Side<'_>, new: &Side<'_>, texts: &Texts) -> Vec<(usize, usize)> {
    let (gone, come) = (only_here(old, new), only_here(new, old));
    if gone.is_empty() || come.is_empty() {
        return Vec::new();
    }
    let shared = count_shared(old, new, texts, &gone, &come);
    let mut candidates: Vec<_> = shared
        .into_iter()
        .filter_map(|((a, b), shared)| {
            let (before, after) = (&old.leaves[a], &new.leaves[b]);
            let same_source = before.source == after.source;
            let most = before.entries.len().max(after.entries.len());
            let other_file = file_name(&before.path) != file_name(&after.path);
            (same_source || 2 * shared >= most).then_some((
                !same_source,
                most - shared.min(most),
                other_file,
                a,
                b,
            ))
        })
        .collect();
    candidates.sort_unstable();
    let mut taken_old = vec![false; old.leaves.len()];
    let mut taken_new = vec![false; new.leaves.len()];
    let mut pairs = Vec::new();
    for (.., a, b) in candidates {
        if !taken_old[a] && !taken_new[b] {
            (taken_old[a], taken_new[b]) = (true, true);
            pairs.push((a, b));
        }
    }
    pairs
}

/// Leaves with definitions at paths that the other side does not have.
fn only_here(side: &Side<'_>, other: &Side<'_>) -> Vec<usize> {
    let elsewhere = |path: &str| {
        other
            .leaves
            .binary_search_by(|leaf| (*leaf.path).cmp(path))
            .is_ok()
    };
    (0..side.leaves.len())
        .filter(|&leaf| !side.leaves[leaf].entries.is_empty() && !elsewhere(&side.leaves[leaf].path))
        .collect()
}

/// How many definitions of one name and text two leaves have, where any.
fn count_shared(
    old: &Side<'_>,
    new: &Side<'_>,
    texts: &Texts,
    gone: &[usize],
    come: &[usize],
) -> BTreeMap<(usize, usize), usize> {
    let mut holders: HashMap<(&str, Hash), Vec<usize>> = HashMap::new();
    for &leaf in come {
        for node in new.nodes_of(leaf) {
            if let Some(&text) = texts.new.get(&node) {
                holders.entry((new.name(node), text)).or_default().push(leaf);
            }
        }
    }
    let mut shared = BTreeMap::new();
    let mut count = |leaf: usize, node: Node| {
        let text = *texts.old.get(&node)?;
        let found = holders.get(&(old.name(node), text))?;
        for &other in found.iter().filter(|_| found.len() <= COMMON) {
            *shared.entry((leaf, other)).or_insert(0) += 1;
        }
        Some(())
    };
    for &leaf in gone {
        for node in old.nodes_of(leaf) {
            count(leaf, node);
        }
    }
    shared
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
