//! Saved maps: the JSON document of a map, and a map made of it again.
//!
//! The document has all that a diff needs, so a file kept by a CI job is a base
//! without the store it came from: ids, text hashes, ordered references, names.
//! Objects are rebuilt from it and hashed again; a document whose definitions do
//! not have the ids it claims is refused. Canonical texts are not in it, so a
//! diff against it compares signatures as they are spelled.

use std::{
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
};

use map::{
    Capabilities, Capability, DefinitionId, DefinitionKind,
    identity::{Graph, Target, identify},
    manifest::{Effects, Entry, Flags, Leaf, Location, MapRoot, TargetName, Visibility, build_tree},
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use store::{Batch, Hash, Objects, Store};

use crate::{
    base::Overlay,
    catalog::{Catalog, Detail, Leaves, Place, qualified},
    error::{Error, Result},
    renyi::Records,
};

/// Version of the document. Rises when a reader of the last one could be misled.
pub const DOCUMENT: u64 = 1;

/// What a document says of where it came from.
#[derive(Debug, Clone)]
pub struct Header {
    pub project: String,
    pub revision: String,
    pub toolchain: String,
    /// Where the project is on disk: packages that its modules import are found from there.
    pub place: PathBuf,
}

/// The document of a map.
///
/// # Errors
/// An object that is missing or damaged.
pub fn document(
    objects: &(dyn Objects + Sync),
    map: &Hash,
    root: &MapRoot,
    header: &Header,
) -> Result<Value> {
    let leaves = Leaves::read(objects, map)?;
    let catalog = leaves.catalog()?;
    let places: Vec<Place> = catalog.places().collect();
    let index: HashMap<Place, usize> = places
        .iter()
        .enumerate()
        .map(|(at, &place)| (place, at))
        .collect();
    let details: Vec<Detail> = places
        .par_iter()
        .map(|&place| catalog.detail(objects, place))
        .collect::<Result<_>>()?;
    let mut by_id: HashMap<DefinitionId, usize> = HashMap::new();
    for (at, &place) in places.iter().enumerate() {
        by_id.entry(catalog.entry(place).id).or_insert(at);
    }
    let referrers = catalog.referrers();
    let checked = Checked::of(objects, &catalog, &places, &header.place)?;
    let definitions: Vec<Value> = places
        .par_iter()
        .zip(&details)
        .map(|(&place, detail)| {
            let referring = referrers.get(&place).map_or(&[][..], |referrers| referrers);
            let mut record = record(&catalog, place, detail, referring);
            checked.complete(place, &mut record);
            let references: Vec<_> = detail
                .references
                .iter()
                .map(|id| by_id.get(id).copied())
                .collect();
            record["references"] = json!(references);
            record
        })
        .collect();
    let modules: Vec<Value> = (0..catalog.leaves().len())
        .map(|leaf| {
            let mut module = module(&catalog, leaf, &index);
            checked.complete_module(&catalog.leaves()[leaf].path, &mut module);
            module
        })
        .collect();
    Ok(json!({
        "document": DOCUMENT,
        "project": header.project,
        "revision": header.revision,
        "toolchain": header.toolchain,
        "map": format!("b3:{map}"),
        "extractors": root.extractors.iter().map(|(name, version)| (name.clone(), json!(version))).collect::<Map<_, _>>(),
        "modules": modules,
        "definitions": definitions,
    }))
}

fn module(catalog: &Catalog<'_>, leaf: usize, index: &HashMap<Place, usize>) -> Value {
    let contents = &catalog.leaves()[leaf];
    let mut places: Vec<Place> = (0..contents.entries.len())
        .map(|entry| Place { leaf, entry })
        .collect();
    places.sort_by_key(|place| index.get(place));
    let public = places
        .iter()
        .filter(|&&place| catalog.entry(place).visibility == Visibility::Public)
        .count();
    let mut effects = Capabilities::EMPTY;
    for &place in &places {
        effects = effects.union(catalog.entry(place).effects.capabilities);
    }
    json!({
        "name": contents.module,
        "file": contents.path,
        "language": contents.language,
        "package": null,
        "purpose": text_or_null(&contents.purpose),
        "imports": contents.imports,
        "definitions": places.len(),
        "public": public,
        "lines": contents.lines,
        "effects": capability_names(effects),
        "ids": places.iter().map(|&place| catalog.entry(place).id.to_string()).collect::<Vec<_>>(),
        "errors": contents.errors,
        "source": format!("b3:{}", contents.source),
    })
}

/// What the checker says of Renyi definitions, by place.
struct Checked {
    records: Records,
    /// The position of each definition among those of its module.
    ranks: HashMap<Place, (String, usize)>,
}

impl Checked {
    fn of(
        objects: &(dyn Objects + Sync),
        catalog: &Catalog<'_>,
        places: &[Place],
        place: &Path,
    ) -> Result<Self> {
        let records = Records::of(objects, catalog, place)?;
        let mut ranks = HashMap::new();
        if !records.is_empty() {
            let mut next: HashMap<usize, usize> = HashMap::new();
            for &place in places {
                let rank = next.entry(place.leaf).or_default();
                ranks.insert(place, (catalog.leaf(place).path.to_string(), *rank));
                *rank += 1;
            }
        }
        Ok(Self { records, ranks })
    }

    /// The fields of section 10.2 of the language, in place of what is known of any language.
    fn complete(&self, place: Place, value: &mut Value) {
        let Some((path, rank)) = self.ranks.get(&place) else {
            return;
        };
        let Some((module, definitions)) = self.records.module(path) else {
            return;
        };
        let Some(record) = definitions.get(*rank) else {
            return;
        };
        value["edges"] = json!({ "calls": value["calls"], "uses": value["uses"] });
        value["package"] = json!(module.package);
        value["tags"] = json!(record.tags.iter().map(|tag| &**tag).collect::<Vec<&str>>());
        value["see_also"] = json!(record.see_also.iter().map(|name| &**name).collect::<Vec<&str>>());
        value["exposed_as_tool"] = json!(record.exposed_as_tool);
        value["effects"] = json!({
            "declared": record.effects.declared,
            "transitive": record.effects.transitive,
            "inferred": false,
        });
        value["fails"] = json!({
            "declared": record.fails.declared,
            "transitive": record.fails.transitive,
        });
        value["calls"] = json!(record.calls);
        value["uses"] = json!(record.uses);
        value["implements"] = json!(record.implements.as_ref().map(|(ability, target)| json!({
            "ability": ability,
            "target": target,
        })));
        value["tested_by"] = json!(record.tested_by);
        let metrics = record.metrics;
        value["metrics"] = json!({
            "lines": metrics.lines,
            "depth": metrics.depth,
            "branches": metrics.branches,
            "effects": metrics.effects,
            "fan_in": metrics.fan_in,
            "fan_out": metrics.fan_out,
            "library_calls": metrics.library_calls,
        });
        value["coverage"] = json!({ "examples": record.examples, "tests": record.tested_by.len() });
    }

    fn complete_module(&self, path: &str, value: &mut Value) {
        if let Some((module, _)) = self.records.module(path) {
            value["package"] = json!(module.package);
            value["effects"] = json!(module.effects);
            value["canonical"] = json!(self.records.is_canonical(path));
        }
    }
}

/// The record of one definition.
pub fn record(catalog: &Catalog<'_>, place: Place, detail: &Detail, referrers: &[(Place, bool)]) -> Value {
    let leaf = catalog.leaf(place);
    let entry = catalog.entry(place);
    let mut referring: Vec<Place> = referrers
        .iter()
        .map(|(place, _)| *place)
        .filter(|&other| other != place)
        .collect();
    referring.sort();
    referring.dedup();
    let mut tested_by: Vec<String> = referring
        .iter()
        .filter(|&&place| catalog.entry(place).kind == DefinitionKind::Test)
        .map(|&place| catalog.qualified(place))
        .collect();
    tested_by.sort();
    let own = detail.record.clone().unwrap_or_default();
    let effects = capability_names(entry.effects.capabilities);
    json!({
        "id": entry.id.to_string(),
        "text_hash": format!("b3:{}", detail.text_hash),
        "module": leaf.module,
        "package": null,
        "name": entry.name,
        "kind": entry.kind.name(),
        "public": entry.visibility == Visibility::Public,
        "visibility": visibility_name(entry.visibility),
        "spelling": entry.spelling,
        "signature": entry.signature,
        "purpose": text_or_null(&entry.purpose),
        "tags": [],
        "see_also": [],
        "deprecated": entry.flags.contains(Flags::DEPRECATED),
        "exposed_as_tool": false,
        "effects": {
            "declared": own.declared,
            "own": capability_names(own.effects),
            "transitive": effects,
            "inferred": true,
        },
        "fails": { "declared": entry.failures, "transitive": null },
        "calls": catalog.edges(place, &entry.calls),
        "uses": catalog.edges(place, &entry.uses),
        "library": detail.libraries,
        "mentions": entry.unresolved,
        "implements": null,
        "tested_by": tested_by,
        "metrics": {
            "lines": entry.lines,
            "depth": own.metrics.depth,
            "branches": own.metrics.branches,
            "effects": effects.len(),
            "fan_in": referring.len(),
            "fan_out": entry.calls.len() + entry.uses.len(),
            "library_calls": detail.libraries.len(),
        },
        "coverage": { "examples": entry.flags.contains(Flags::DOC_EXAMPLE), "tests": !tested_by.is_empty() },
        "location": {
            "file": leaf.path,
            "line": entry.location.first_line,
            "end_line": entry.location.last_line,
            "start": entry.location.start,
            "end": entry.location.end,
        },
    })
}

/// Names of capabilities.
pub fn capability_names(capabilities: Capabilities) -> Vec<&'static str> {
    capabilities.iter().map(Capability::name).collect()
}

pub fn visibility_name(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "private",
        Visibility::Restricted => "restricted",
        Visibility::Public => "public",
    }
}

fn text_or_null(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

/// A saved map, read.
pub(crate) struct Saved {
    pub map: Hash,
    pub revision: String,
    pub batch: Batch,
}

/// Reads a document and makes its map again, whatever the store holds: the ids it
/// claims are checked, and texts that the store has serve the diff.
///
/// # Errors
/// [`Error::SavedMap`] for a file that is not such a document, or whose ids are
/// not those of its definitions.
pub(crate) fn read(path: &Path, store: &Store) -> Result<Saved> {
    let bad = |message: String| Error::SavedMap {
        path: path.to_owned(),
        message,
    };
    let bytes = std::fs::read(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        action: "read",
        source,
    })?;
    let document: Value = serde_json::from_slice(&bytes).map_err(|error| {
        bad(format!(
            "line {} column {}: expected a saved map: {error}",
            error.line(),
            error.column()
        ))
    })?;
    let version = document["document"].as_u64();
    if version != Some(DOCUMENT) {
        let found = version.map_or("none".to_owned(), |version| version.to_string());
        return Err(bad(format!(
            "expected a map saved as document version {DOCUMENT}, found {found}"
        )));
    }
    let revision = text(&document, "revision").to_owned();
    let (map, batch) = rebuild(&document).map_err(|message| match message {
        Failure::Document(message) => bad(message),
        Failure::Store(error) => error.into(),
    })?;
    // Reading it must not lead outside what was rebuilt, except for texts.
    let overlay = Overlay {
        store,
        extra: vec![&batch],
    };
    Leaves::read(&overlay, &map)?;
    Ok(Saved { map, revision, batch })
}

enum Failure {
    Document(String),
    Store(store::Error),
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or("")
}

fn number(value: &Value) -> u32 {
    value
        .as_u64()
        .and_then(|value| value.try_into().ok())
        .unwrap_or(0)
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn hash(value: &str) -> Option<Hash> {
    value.strip_prefix("b3:")?.parse().ok()
}

fn rebuild(document: &Value) -> std::result::Result<(Hash, Batch), Failure> {
    let fail = |message: String| Failure::Document(message);
    let empty = Vec::new();
    let definitions = document["definitions"].as_array().unwrap_or(&empty);
    let mut batch = Batch::new();
    let ids = identities(definitions, &mut batch)?;
    let mut by_file: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut names: HashMap<String, (&str, &str)> = HashMap::new();
    let languages: HashMap<&str, &str> = document["modules"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .map(|module| (text(module, "file"), text(module, "language")))
        .collect();
    for (at, definition) in definitions.iter().enumerate() {
        let file = text(&definition["location"], "file");
        by_file.entry(file).or_default().push(at);
        let (module, name) = (text(definition, "module"), text(definition, "name"));
        let language = languages.get(file).copied().unwrap_or("");
        names.insert(qualified(language, module, name), (module, name));
    }
    let mut leaves = Vec::new();
    for module in document["modules"].as_array().unwrap_or(&empty) {
        let file = text(module, "file");
        let source =
            hash(text(module, "source")).ok_or_else(|| fail(format!("module {file}: no source hash")))?;
        let mut leaf = Leaf::new(file, text(module, "name"), text(module, "language"), source);
        leaf.lines = number(&module["lines"]);
        leaf.errors = number(&module["errors"]);
        leaf.purpose = Cow::Borrowed(text(module, "purpose"));
        leaf.imports = texts(&module["imports"]).map(Cow::Borrowed).collect();
        for &at in by_file.get(file).map_or(&[][..], |places| places) {
            let entry = entry(&definitions[at], ids[at], &names, &mut leaf.targets).map_err(fail)?;
            leaf.entries.push(entry);
        }
        leaves.push(leaf.put(&mut batch).map_err(Failure::Store)?);
    }
    leaves.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(pair) = leaves.windows(2).find(|pair| pair[0].path == pair[1].path) {
        return Err(fail(format!("module {} is there twice", pair[0].path)));
    }
    let extractors = document["extractors"].as_object().into_iter().flatten();
    let root = MapRoot {
        extractors: extractors
            .map(|(name, version)| (name.clone(), version.as_u64().unwrap_or(0)))
            .collect(),
        tree: build_tree(leaves, &mut batch),
    };
    let map = root.put(&mut batch);
    let claimed = text(document, "map");
    if claimed != format!("b3:{map}") {
        return Err(fail(format!(
            "expected the map {claimed}, found one that hashes to b3:{map}: the file was changed"
        )));
    }
    Ok((map, batch))
}

/// Identifies the definitions again and compares with what is claimed.
fn identities(definitions: &[Value], batch: &mut Batch) -> std::result::Result<Vec<DefinitionId>, Failure> {
    let fail = |at: usize, message: &str| {
        Failure::Document(format!(
            "definition {at} (`{}`): {message}",
            text(&definitions[at], "name")
        ))
    };
    let mut graph = Graph::with_capacity(definitions.len(), 0);
    for (at, definition) in definitions.iter().enumerate() {
        let text_hash = hash(text(definition, "text_hash")).ok_or_else(|| fail(at, "no text hash"))?;
        let mut targets = Vec::new();
        for reference in definition["references"].as_array().into_iter().flatten() {
            let target = reference
                .as_u64()
                .filter(|&target| (target as usize) < definitions.len());
            targets.push(Target::Node(
                target.ok_or_else(|| fail(at, "a reference to no definition"))? as u32,
            ));
        }
        graph.add(text_hash, targets);
    }
    let identified = identify(&graph);
    for (at, definition) in definitions.iter().enumerate() {
        let claimed = text(definition, "id");
        if identified.ids[at].to_string() != claimed {
            let message = format!("expected id {claimed}, found {}", identified.ids[at]);
            return Err(fail(at, &message));
        }
    }
    for component in identified.components() {
        batch.put_hashed(
            component.hash,
            store::Kind::Component,
            component.identity.to_vec(),
            None,
        );
    }
    Ok(identified.ids)
}

fn entry<'v>(
    definition: &'v Value,
    id: DefinitionId,
    names: &HashMap<String, (&'v str, &'v str)>,
    targets: &mut Vec<TargetName<'v>>,
) -> std::result::Result<Entry<'v>, String> {
    let name = text(definition, "name");
    let kind = DefinitionKind::from_name(text(definition, "kind"))
        .ok_or_else(|| format!("definition `{name}`: unknown kind `{}`", text(definition, "kind")))?;
    let mut entry = Entry::new(name, kind, id);
    entry.visibility = match text(definition, "visibility") {
        "public" => Visibility::Public,
        "restricted" => Visibility::Restricted,
        _ => Visibility::Private,
    };
    entry.spelling = Cow::Borrowed(text(definition, "spelling"));
    let location = &definition["location"];
    entry.location = Location {
        start: number(&location["start"]),
        end: number(&location["end"]),
        first_line: number(&location["line"]),
        last_line: number(&location["end_line"]),
    };
    entry.signature = Cow::Borrowed(text(definition, "signature"));
    entry.purpose = Cow::Borrowed(text(definition, "purpose"));
    entry.lines = number(&definition["metrics"]["lines"]);
    for (flag, holds) in [
        (
            Flags::DOC_EXAMPLE,
            definition["coverage"]["examples"] == true || number(&definition["coverage"]["examples"]) > 0,
        ),
        (Flags::TEST, kind == DefinitionKind::Test),
        (Flags::DEPRECATED, definition["deprecated"] == true),
    ] {
        if holds {
            entry.flags = entry.flags.with(flag);
        }
    }
    let reached = texts(&definition["effects"]["transitive"]);
    // What a language declares is told by name, what is inferred by capability.
    entry.effects = if definition["effects"]["inferred"] == false {
        Effects {
            capabilities: Capabilities::EMPTY,
            named: reached.map(Cow::Borrowed).collect(),
        }
    } else {
        Effects {
            capabilities: reached.filter_map(Capability::from_name).collect(),
            named: Vec::new(),
        }
    };
    let fails = &definition["fails"];
    let fails = match &fails["transitive"] {
        Value::Null => &fails["declared"],
        transitive => transitive,
    };
    entry.failures = texts(fails).map(Cow::Borrowed).collect();
    entry.unresolved = texts(&definition["mentions"]).map(Cow::Borrowed).collect();
    for (field, edges) in [("calls", &mut entry.calls), ("uses", &mut entry.uses)] {
        let list = match &definition["edges"] {
            Value::Null => &definition[field],
            edges => &edges[field],
        };
        for target in texts(list) {
            let &(module, name) = names
                .get(target)
                .ok_or_else(|| format!("definition `{name}`: {field} unknown `{target}`"))?;
            edges.push(targets.len() as u32);
            targets.push(TargetName {
                module: Cow::Borrowed(module),
                name: Cow::Borrowed(name),
            });
        }
    }
    Ok(entry)
}
