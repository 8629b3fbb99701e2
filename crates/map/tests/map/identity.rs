//! Ids are equal exactly when definitions unfold alike, and move with their texts.

use std::{collections::BTreeSet, time::Instant};

use map::identity::{
    Component, DefinitionId, DefinitionKind, Graph, Identified, Reference, Target, TextBuilder, identify,
};
use proptest::prelude::*;
use store::Hash;

/// The key of a text that stands for a number.
fn text(number: u32, references: usize) -> Hash {
    let mut builder = TextBuilder::new();
    builder.text(&number.to_string());
    for _ in 0..references {
        builder.reference();
    }
    builder.finish("test", DefinitionKind::Function).text_hash
}

/// Nodes as a number that says the text, and targets.
type Nodes = Vec<(u32, Vec<u32>)>;

fn graph(nodes: &Nodes) -> Graph {
    let mut graph = Graph::new();
    for (number, targets) in nodes {
        let targets = targets.iter().map(|&target| Target::Node(target));
        graph.add(text(*number, targets.len()), targets);
    }
    graph
}

/// Which nodes reach which, along at least one reference.
fn reaches(nodes: &Nodes) -> Vec<Vec<bool>> {
    let n = nodes.len();
    let mut reaches = vec![vec![false; n]; n];
    for (node, (_, targets)) in nodes.iter().enumerate() {
        for &target in targets {
            reaches[node][target as usize] = true;
        }
    }
    for over in 0..n {
        for from in 0..n {
            for to in 0..n {
                reaches[from][to] |= reaches[from][over] && reaches[over][to];
            }
        }
    }
    reaches
}

/// Which pairs of nodes unfold alike: the largest relation between nodes of equal
/// text whose targets are related one by one, and lead back both or neither.
fn alike(nodes: &Nodes) -> Vec<Vec<bool>> {
    let n = nodes.len();
    let reaches = reaches(nodes);
    let stays = |node: usize, target: u32| reaches[target as usize][node];
    let mut alike = vec![vec![true; n]; n];
    loop {
        let mut stable = true;
        for a in 0..n {
            for b in 0..n {
                let (of_a, of_b) = (&nodes[a], &nodes[b]);
                let holds = of_a.0 == of_b.0
                    && of_a.1.len() == of_b.1.len()
                    && of_a
                        .1
                        .iter()
                        .zip(&of_b.1)
                        .all(|(&x, &y)| alike[x as usize][y as usize] && stays(a, x) == stays(b, y));
                if alike[a][b] && !holds {
                    alike[a][b] = false;
                    stable = false;
                }
            }
        }
        if stable {
            return alike;
        }
    }
}

fn nodes(sizes: std::ops::Range<usize>, texts: u32) -> impl Strategy<Value = Nodes> {
    sizes.prop_flat_map(move |size| {
        let targets = prop::collection::vec(0..size as u32, 0..4);
        prop::collection::vec((0..texts, targets), size)
    })
}

/// Nodes that mostly refer on, so that components are large and alike.
fn rings(sizes: std::ops::Range<usize>) -> impl Strategy<Value = Nodes> {
    sizes.prop_flat_map(|size| {
        let hops = prop::collection::vec(1..4u32, 1..3);
        let texts = prop::collection::vec(prop_oneof![9 => Just(0u32), 1 => Just(1)], size);
        let stray = prop::option::of((0..size, 0..size as u32));
        (hops, texts, stray).prop_map(move |(hops, texts, stray)| {
            let targets = |node: u32| hops.iter().map(|hop| (node + hop) % size as u32).collect();
            let mut nodes: Nodes = (0..)
                .zip(texts)
                .map(|(node, text)| (text, targets(node)))
                .collect();
            if let Some((node, target)) = stray {
                nodes[node].1[0] = target;
            }
            nodes
        })
    })
}

fn shuffled(nodes: Nodes) -> impl Strategy<Value = (Nodes, Vec<u32>)> {
    let order: Vec<u32> = (0..nodes.len() as u32).collect();
    (Just(nodes), Just(order).prop_shuffle())
}

/// The same nodes, node `i` being at `order[i]`.
fn permute(nodes: &Nodes, order: &[u32]) -> Nodes {
    let mut permuted = vec![(0, Vec::new()); nodes.len()];
    for ((number, targets), &at) in nodes.iter().zip(order) {
        let targets = targets.iter().map(|&target| order[target as usize]).collect();
        permuted[at as usize] = (*number, targets);
    }
    permuted
}

fn check_law(nodes: &Nodes) -> Result<(), TestCaseError> {
    let identified = identify(&graph(nodes));
    let alike = alike(nodes);
    for (a, to_a) in alike.iter().enumerate() {
        for (b, &is_alike) in to_a.iter().enumerate() {
            let equal = identified.ids[a] == identified.ids[b];
            prop_assert_eq!(equal, is_alike, "nodes {} and {}", a, b);
        }
    }
    check_components(nodes, &identified)
}

/// Components say of each member its text and where its references lead.
fn check_components(nodes: &Nodes, identified: &Identified) -> Result<(), TestCaseError> {
    let mut seen = BTreeSet::new();
    for found in identified.components() {
        let component = Component::decode(found.identity).expect("just written");
        prop_assert!(component.is_canonical());
        prop_assert_eq!(component.len(), found.members.len());
        prop_assert!(component.outward.iter().all(|id| seen.contains(&id.component)));
        prop_assert!(seen.insert(found.hash), "a component is given once");
        for ((rank, member), &node) in (0..).zip(component.members()).zip(found.members) {
            let (number, targets) = &nodes[node as usize];
            prop_assert_eq!(identified.ids[node as usize], DefinitionId::new(found.hash, rank));
            prop_assert_eq!(member.text, text(*number, targets.len()));
            let ids = member.references().map(|reference| match reference {
                Reference::Inner(rank) => DefinitionId::new(found.hash, rank),
                Reference::Outward(id) => id,
            });
            prop_assert!(ids.eq(targets.iter().map(|&target| identified.ids[target as usize])));
        }
    }
    prop_assert!(identified.ids.iter().all(|id| seen.contains(&id.component)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]
    #[test]
    fn ids_are_equal_when_definitions_unfold_alike(nodes in nodes(1..7, 3)) {
        check_law(&nodes)?;
    }

    #[test]
    fn the_law_holds_with_one_text(nodes in nodes(1..9, 1)) {
        check_law(&nodes)?;
    }

    #[test]
    fn the_law_holds_in_rings(nodes in rings(2..14)) {
        check_law(&nodes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn the_order_of_nodes_does_not_matter(
        (nodes, order) in prop_oneof![nodes(1..9, 2), rings(2..12)].prop_flat_map(shuffled),
    ) {
        let before = identify(&graph(&nodes));
        let after = identify(&graph(&permute(&nodes, &order)));
        for (node, &at) in order.iter().enumerate() {
            prop_assert_eq!(before.ids[node], after.ids[at as usize]);
        }
        let objects = |identified: &Identified| -> BTreeSet<_> {
            identified.components().map(|found| (found.hash, found.identity.to_vec())).collect()
        };
        prop_assert_eq!(objects(&before), objects(&after));
    }

    #[test]
    fn copies_of_a_graph_have_the_same_ids(nodes in nodes(1..7, 2), at in any::<prop::sample::Index>()) {
        // Two copies, and a reference from the one into the other instead of itself.
        let size = nodes.len() as u32;
        let copy = nodes.iter().map(|(number, targets)| (*number, targets.iter().map(|t| t + size).collect()));
        let mut twice: Nodes = nodes.iter().cloned().chain(copy).collect();
        let before = identify(&graph(&twice));
        prop_assert_eq!(&before.ids[..nodes.len()], &before.ids[nodes.len()..]);
        let reaches = reaches(&nodes);
        let node = at.index(nodes.len());
        if let Some(target) = twice[node].1.iter_mut().find(|target| !reaches[**target as usize][node]) {
            *target += size;
            prop_assert_eq!(identify(&graph(&twice)).ids, before.ids);
        }
    }

    #[test]
    fn a_changed_text_moves_what_reaches_it(nodes in nodes(1..9, 2), at in any::<prop::sample::Index>()) {
        let node = at.index(nodes.len());
        let mut changed = nodes.clone();
        changed[node].0 = 99;
        let (before, after) = (identify(&graph(&nodes)), identify(&graph(&changed)));
        let reaches = reaches(&nodes);
        for (other, reached) in reaches.iter().enumerate() {
            let moves = other == node || reached[node];
            prop_assert_eq!(before.ids[other] != after.ids[other], moves, "node {}", other);
        }
    }

    #[test]
    fn known_ids_stand_for_nodes(nodes in nodes(1..9, 2), at in any::<prop::sample::Index>()) {
        // Only what reaches one node is identified again.
        let all = identify(&graph(&nodes));
        let reaches = reaches(&nodes);
        let node = at.index(nodes.len());
        let again: Vec<usize> = (0..nodes.len()).filter(|&n| n == node || reaches[n][node]).collect();
        let mut graph = Graph::new();
        for &n in &again {
            let (number, targets) = &nodes[n];
            let targets = targets.iter().map(|&target| {
                match again.binary_search(&(target as usize)) {
                    Ok(at) => Target::Node(at as u32),
                    Err(_) => Target::Known(all.ids[target as usize]),
                }
            });
            graph.add(text(*number, targets.len()), targets);
        }
        let some = identify(&graph);
        for (n, id) in again.into_iter().zip(some.ids) {
            prop_assert_eq!(id, all.ids[n]);
        }
    }
}

/// Every graph of up to three nodes, two texts and up to two references.
#[test]
fn the_law_holds_for_all_tiny_graphs() {
    for size in 1..=3u32 {
        let mut choices: Vec<(u32, Vec<u32>)> = Vec::new();
        for number in 0..2 {
            choices.push((number, Vec::new()));
            choices.extend((0..size).map(|a| (number, vec![a])));
            choices.extend((0..size * size).map(|ab| (number, vec![ab / size, ab % size])));
        }
        let total = choices.len().pow(size);
        for index in 0..total {
            let digit = |place: u32| choices[index / choices.len().pow(place) % choices.len()].clone();
            let nodes: Nodes = (0..size).map(digit).collect();
            check_law(&nodes).unwrap_or_else(|error| panic!("{nodes:?}: {error}"));
        }
    }
}

#[test]
fn mutual_recursion_of_twins_is_recursion() {
    let twins = identify(&graph(&vec![(0, vec![1]), (0, vec![0])]));
    let single = identify(&graph(&vec![(0, vec![0])]));
    assert_eq!(twins.ids, [single.ids[0], single.ids[0]]);
}

#[test]
fn a_call_into_a_cycle_is_not_the_cycle() {
    // f = g(); g = g(): f is outside the cycle, and keeps an id of its own.
    let nodes = vec![(0, vec![1]), (0, vec![1])];
    let ids = identify(&graph(&nodes)).ids;
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn swapped_references_are_another_definition() {
    let ids = identify(&graph(&vec![
        (0, vec![2, 3]),
        (0, vec![3, 2]),
        (1, vec![]),
        (2, vec![]),
    ]))
    .ids;
    assert_ne!(ids[0], ids[1]);
    assert_eq!(text(0, 2), text(0, 2), "though their texts are equal");
}

#[test]
fn large_graphs_take_seconds() {
    let timed = |what: &str, nodes: &Nodes, components: usize, members: usize| {
        let graph = graph(nodes);
        let start = Instant::now();
        let identified = identify(&graph);
        let taken = start.elapsed();
        assert_eq!(identified.len(), components, "{what}");
        let largest = identified.components().map(|found| found.members.len()).max();
        assert_eq!(largest, Some(members), "{what}");
        println!("{what}: {taken:?}");
        assert!(taken.as_secs() < 20, "{what}: {taken:?}");
    };
    let size = 20_000u32;
    let ring = |node: u32| (node + 1) % size;
    let different = (0..size)
        .map(|node| (node, vec![ring(node), ring(node * 7)]))
        .collect();
    timed("20,000 all different", &different, 1, size as usize);
    let alike = (0..size)
        .map(|node| (0, vec![ring(node), ring(node * 7)]))
        .collect();
    timed("20,000 all alike", &alike, 1, 1);
    let ring_but_one = (0..size)
        .map(|node| (u32::from(node == 0), vec![ring(node)]))
        .collect();
    timed(
        "a ring of 20,000, all but one alike",
        &ring_but_one,
        1,
        size as usize,
    );
    // Both ways along a line: distances from both ends take 10,000 rounds.
    let line = |node: u32| (0, vec![node.saturating_sub(1), (node + 1).min(size - 1)]);
    timed("a line of 20,000 both ways", &(0..size).map(line).collect(), 1, 1);
    let marked = (0..size)
        .map(|node| (u32::from(node == 0), line(node).1))
        .collect();
    timed("a marked line of 20,000 both ways", &marked, 1, size as usize);
    let binary = (0..size).map(|node| (u32::from(node == 0), vec![node * 2 % size, (node * 2 + 1) % size]));
    let binary: Nodes = binary.collect();
    let members = identify(&graph(&binary))
        .components()
        .map(|found| found.members.len())
        .max();
    timed("a de Bruijn graph of 20,000", &binary, 1, members.unwrap_or(0));
    let deep = 200_000u32;
    let chain = (0..deep).map(|node| (0, if node + 1 < deep { vec![node + 1] } else { vec![] }));
    timed("a chain 200,000 deep", &chain.collect(), deep as usize, 1);
    let mut wide: Nodes = (1..=10_000u32).map(|node| (node, vec![])).collect();
    wide.push((0, (0..10_000).rev().collect()));
    timed("10,000 references", &wide, 10_001, 1);
    let mut hub: Nodes = (1..=10_000u32).map(|node| (node % 10, vec![10_000])).collect();
    hub.push((0, (0..10_000).rev().collect()));
    timed("10,000 references in a cycle", &hub, 1, 11);
}

/// How long a million definitions take. Run by hand with
/// `--profile quick -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_million_definitions() {
    let mut random = 1u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(random) * u64::from(below)) >> 32) as u32
    };
    let size = 1_000_000;
    let mut graph = Graph::with_capacity(size as usize, 4 * size as usize);
    for node in 0..size {
        // Mostly back to what came before; one in fifty near and ahead, for cycles.
        let targets: Vec<Target> = (0..4)
            .map(|_| match next(50) {
                0 => Target::Node((node + next(20)).min(size - 1)),
                _ => Target::Node(next(node.max(1))),
            })
            .collect();
        graph.add(store::hash(store::Kind::Text, &node.to_le_bytes()), targets);
    }
    let start = Instant::now();
    let identified = identify(&graph);
    let taken = start.elapsed();
    let largest = identified.components().map(|found| found.members.len()).max();
    let bytes: usize = identified.components().map(|found| found.identity.len()).sum();
    println!(
        "{} components, the largest of {largest:?}, {bytes} bytes: {taken:?}",
        identified.len()
    );
}
