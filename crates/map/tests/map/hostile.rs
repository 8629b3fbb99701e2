//! No bytes make a decoder panic, and what a decoder takes it writes again.

use map::{
    identity::{Component, Graph, Target, TextBuilder, TextRef, identify},
    manifest::{Counts, LeafRef, MapReader, MapRoot, StoredLeaf, TreeRef, build_tree},
    record::{MemberRecord, Metrics, Record, TokenRange},
    {Capability, DefinitionId, DefinitionKind},
};
use proptest::{prelude::*, sample::Index};
use store::{Batch, Hash, Kind, Object, Objects};

use crate::manifest::leaf;

/// What a decoder takes must be what the encoder writes.
fn check_bytes(bytes: &[u8]) {
    if let Ok(text) = TextRef::decode(bytes) {
        assert_eq!(text.tokens().count(), text.tokens().len());
        assert_eq!(text.to_text().encode().identity, bytes);
    }
    if let Ok(component) = Component::decode(bytes) {
        let references = component.members().map(|member| member.references().len());
        references.sum::<usize>();
        if component.is_canonical() {
            let mut graph = Graph::new();
            for member in component.members() {
                let targets = member.references().map(|reference| match reference {
                    map::identity::Reference::Inner(rank) => Target::Node(rank),
                    map::identity::Reference::Outward(id) => Target::Known(id),
                });
                graph.add(member.text, targets);
            }
            let identified = identify(&graph);
            assert!(identified.components().any(|found| found.identity == bytes));
        }
    }
    if let Ok(root) = MapRoot::decode(bytes) {
        assert_eq!(root.encode(), bytes);
    }
    for members in 0..3 {
        if let Ok(Some(record)) = Record::decode(bytes, members) {
            assert_eq!(record.encode(), bytes);
        }
    }
    check_leaf(bytes);
    check_tree(bytes);
}

fn check_leaf(bytes: &[u8]) {
    let mut batch = Batch::new();
    let key = batch.put(Kind::Module, bytes.to_vec(), None);
    let Ok(stored) = StoredLeaf::read(&batch, &key) else {
        return;
    };
    if let Ok(leaf) = stored.decode() {
        let again = leaf
            .put(&mut Batch::new())
            .expect("a leaf that was read can be written");
        assert_eq!(again.key, key);
    }
}

/// A store in which every `Tree` object is the same one, whatever its key.
struct Liar {
    map: Object,
    tree: Object,
}

impl Objects for Liar {
    fn get(&self, kind: Kind, _: &Hash) -> Result<Option<Object>, store::Error> {
        Ok(match kind {
            Kind::Map => Some(self.map.clone()),
            Kind::Tree => Some(self.tree.clone()),
            _ => None,
        })
    }
}

fn object(kind: Kind, identity: Vec<u8>) -> Object {
    Object {
        kind,
        identity: identity.into(),
        record: None,
    }
}

fn check_tree(bytes: &[u8]) {
    let tree = TreeRef {
        key: store::hash(Kind::Tree, bytes),
        counts: Counts::default(),
    };
    let root = MapRoot {
        extractors: Vec::new(),
        tree,
    };
    let liar = Liar {
        map: object(Kind::Map, root.encode()),
        tree: object(Kind::Tree, bytes.to_vec()),
    };
    let key = store::hash(Kind::Map, &root.encode());
    let reader = MapReader::open(&liar, &key).expect("the root is a good one");
    let _ = reader.leaves();
    let _ = reader.find("a/b");
    let _ = map::manifest::diff_leaves(&reader, &reader);
    let change = map::manifest::TreeChange::Remove("a/b".into());
    let _ = map::manifest::update_tree(&liar, &mut Batch::new(), &tree, [change]);
}

fn samples() -> Vec<Vec<u8>> {
    let mut builder = TextBuilder::new();
    builder
        .text("def")
        .own_name()
        .end_signature()
        .library("os.getcwd")
        .reference()
        .project_module();
    let text = builder.finish("python", DefinitionKind::Function);
    let mut graph = Graph::new();
    graph.add(
        text.text_hash,
        [
            Target::Node(1),
            Target::Known(DefinitionId::new(Hash([5; 32]), 3)),
        ],
    );
    graph.add(Hash([1; 32]), [Target::Node(0)]);
    let component = identify(&graph)
        .components()
        .next()
        .expect("one component")
        .identity
        .to_vec();
    let record = Record {
        members: vec![MemberRecord {
            metrics: Metrics {
                depth: 1,
                branches: 2,
            },
            failures: vec![TokenRange { start: 1, len: 2 }],
            effects: [Capability::Random, Capability::Process].into_iter().collect(),
            declared: vec!["Console".into()],
            shape: Some(Hash([5; 32])),
        }],
    };
    let mut batch = Batch::new();
    let leaves = ["a/b", "c", "d"].map(|path| LeafRef {
        path: path.into(),
        key: Hash([4; 32]),
        counts: Counts {
            modules: 1,
            definitions: 3,
            errors: 0,
        },
    });
    let tree = build_tree(leaves, &mut batch);
    let node = batch
        .iter()
        .map(|(_, object)| object.identity.to_vec())
        .next()
        .expect("one node");
    let root = MapRoot {
        extractors: vec![("go".into(), 1), ("rust".into(), 30)],
        tree,
    };
    vec![text.identity, component, record.encode(), node, root.encode()]
}

fn mutate(mut bytes: Vec<u8>, edits: &[(Index, u8, u8)]) -> Vec<u8> {
    for (at, how, value) in edits {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        match how % 4 {
            0 => bytes[at] = *value,
            1 => bytes[at] ^= 1 << (value % 8),
            2 => bytes.insert(at, *value),
            _ => drop(bytes.remove(at)),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]
    #[test]
    fn random_bytes_are_taken_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_bytes(&bytes);
    }

    #[test]
    fn damaged_objects_are_taken_or_refused(
        sample in any::<Index>(),
        edits in prop::collection::vec((any::<Index>(), any::<u8>(), any::<u8>()), 0..4),
    ) {
        let samples = samples();
        check_bytes(&mutate(samples[sample.index(samples.len())].clone(), &edits));
    }

    #[test]
    fn damaged_leaves_are_taken_or_refused(
        leaf in leaf(0..3),
        edits in prop::collection::vec((any::<Index>(), any::<u8>(), any::<u8>()), 0..4),
    ) {
        let mut batch = Batch::new();
        leaf.put(&mut batch).expect("a leaf that can be written");
        let (_, object) = batch.iter().next().expect("one object");
        check_bytes(&mutate(object.identity.to_vec(), &edits));
    }
}

#[test]
fn the_samples_are_good() {
    for bytes in samples() {
        check_bytes(&bytes);
        let taken = [
            TextRef::decode(&bytes).is_ok(),
            Component::decode(&bytes).is_ok_and(|component| component.is_canonical()),
            matches!(Record::decode(&bytes, 1), Ok(Some(_))),
            MapRoot::decode(&bytes).is_ok(),
        ];
        let is_tree = bytes.starts_with(&[0x82, 0x00, 0x83]);
        assert_eq!(
            taken.iter().filter(|taken| **taken).count(),
            usize::from(!is_tree)
        );
    }
}

#[test]
fn a_missing_part_is_named() {
    let mut batch = Batch::new();
    let tree = build_tree([], &mut batch);
    let root = MapRoot {
        extractors: Vec::new(),
        tree,
    };
    let mut without_tree = Batch::new();
    let key = root.put(&mut without_tree);
    let reader = MapReader::open(&without_tree, &key).expect("the root is there");
    let error = reader.leaves().expect_err("the tree is not");
    assert_eq!(
        error.to_string(),
        format!("tree object {} is not in the store", tree.key)
    );
}
