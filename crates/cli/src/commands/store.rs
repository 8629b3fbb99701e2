//! `renyi store`: look into the store and check it.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use map::{
    identity::{Component, TextRef, TokenRef},
    manifest::{MapRoot, StoredLeaf},
};
use serde_json::json;
use store::{Hash, Kind, Objects, Store};

use super::Context;
use crate::{
    Verdict,
    output::{Output, safe},
};

/// Look into the store: list, print, count, verify
#[derive(Debug, Args)]
pub struct StoreCommand {
    #[command(subcommand)]
    command: Action,

    /// The project whose store it is
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// Print as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List names and their maps; with --objects every object
    Ls {
        /// List every object: kind, key, bytes
        #[arg(long)]
        objects: bool,
    },
    /// Print an object, by a name or the first digits of its key
    #[command(
        after_help = "Examples:\n  renyi store cat worktrees/main\n  renyi store cat b3:3f9c2a --raw > object.cbor"
    )]
    Cat {
        /// A name in the store, or at least 4 digits of a key
        object: String,
        /// Write the identity bytes as they are
        #[arg(long)]
        raw: bool,
    },
    /// Count objects and bytes by kind
    Stats,
    /// Read every byte and check every hash
    Verify,
    /// Merge all packs into one; a commit merges small packs by itself
    Compact,
}

impl StoreCommand {
    pub fn run(&self, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        let store = self.open(context)?;
        match &self.command {
            Action::Ls { objects: false } => self.names(&store, output),
            Action::Ls { objects: true } => self.objects(&store, output),
            Action::Cat { object, raw } => self.cat(&store, object, *raw, output),
            Action::Stats => self.stats(&store, output),
            Action::Verify => self.verify(&store, context, output),
            Action::Compact => self.compact(&store, output),
        }
    }

    /// Opens the store without making one.
    fn open(&self, context: &Context) -> anyhow::Result<Store> {
        let place = match &context.store {
            Some(store) => store.clone(),
            None => world::store_of(&self.path)?,
        };
        match Store::open(&place) {
            Err(error @ store::Error::NotAStore { .. }) => Err(error)
                .with_context(|| format!("no store at {}: `renyi index` makes one", place.display())),
            other => Ok(other?),
        }
    }

    fn names(&self, store: &Store, output: &mut Output) -> anyhow::Result<Verdict> {
        let refs = store.refs()?;
        if self.json {
            let names: BTreeMap<_, _> = refs
                .iter()
                .map(|(name, target)| {
                    (
                        name,
                        json!({"kind": target.kind.name(), "key": format!("b3:{}", target.key)}),
                    )
                })
                .collect();
            output.json(&json!(names))?;
            return Ok(Verdict::Done);
        }
        for (name, target) in refs {
            output.line(format_args!(
                "{} b3:{}  {}",
                target.kind.name(),
                target.key,
                safe(&name)
            ))?;
        }
        Ok(Verdict::Done)
    }

    fn objects(&self, store: &Store, output: &mut Output) -> anyhow::Result<Verdict> {
        let mut all = Vec::new();
        store.for_each(|listed| all.push(listed))?;
        for listed in all {
            if self.json {
                let line = json!({
                    "kind": listed.kind.name(),
                    "key": format!("b3:{}", listed.key),
                    "bytes": listed.identity_len,
                    "record_bytes": listed.record_len,
                });
                output.line(line)?;
            } else {
                output.line(format_args!(
                    "{:<9} b3:{} {}",
                    listed.kind.name(),
                    listed.key,
                    listed.identity_len
                ))?;
            }
        }
        Ok(Verdict::Done)
    }

    fn cat(&self, store: &Store, name: &str, raw: bool, output: &mut Output) -> anyhow::Result<Verdict> {
        let (kind, key) = find(store, name)?;
        let object = store
            .get(kind, &key)?
            .ok_or(store::Error::Missing { kind, key })?;
        if raw {
            output.raw(&object.identity)?;
            return Ok(Verdict::Done);
        }
        if kind == Kind::Source && !self.json {
            output.raw(&object.identity)?;
            return Ok(Verdict::Done);
        }
        let mut value = describe(store, kind, &key, &object.identity)?;
        if let (Some(record), Kind::Component) = (&object.record, kind) {
            let members = Component::decode(&object.identity)?.len();
            value["record"] = match map::record::Record::decode(record, members)? {
                Some(record) => json!(record.members.iter().map(|member| json!({
                    "depth": member.metrics.depth,
                    "branches": member.metrics.branches,
                    "effects": world::saved::capability_names(member.effects),
                    "failures": member.failures.iter().map(|range| [range.start, range.len]).collect::<Vec<_>>(),
                })).collect::<Vec<_>>()),
                None => json!("of another schema"),
            };
        }
        output.json(&value)?;
        Ok(Verdict::Done)
    }

    fn stats(&self, store: &Store, output: &mut Output) -> anyhow::Result<Verdict> {
        let stats = store.stats()?;
        if self.json {
            let kinds: BTreeMap<_, _> = stats
                .kinds
                .iter()
                .map(|(kind, stats)| {
                    (
                        kind.name(),
                        json!({"objects": stats.objects, "bytes": stats.bytes}),
                    )
                })
                .collect();
            output.json(&json!({"packs": stats.packs, "bytes": stats.bytes, "kinds": kinds}))?;
            return Ok(Verdict::Done);
        }
        output.line(format_args!("{} packs, {} bytes", stats.packs, stats.bytes))?;
        for (kind, stats) in &stats.kinds {
            output.line(format_args!(
                "{:<9} {:>8} objects {:>12} bytes",
                kind.name(),
                stats.objects,
                stats.bytes
            ))?;
        }
        Ok(Verdict::Done)
    }

    fn compact(&self, store: &Store, output: &mut Output) -> anyhow::Result<Verdict> {
        let done = store.compact()?;
        if self.json {
            output.json(&json!({
                "packs_merged": done.merged, "objects": done.objects,
                "bytes_before": done.bytes_before, "bytes_after": done.bytes_after,
            }))?;
        } else if done.merged == 0 {
            output.line("nothing to merge")?;
        } else {
            output.line(format_args!(
                "{} packs merged, {} objects: {} bytes before, {} after",
                done.merged, done.objects, done.bytes_before, done.bytes_after
            ))?;
        }
        Ok(Verdict::Done)
    }

    fn verify(&self, store: &Store, context: &Context, output: &mut Output) -> anyhow::Result<Verdict> {
        let bar = context.bytes_bar("verifying");
        let report = store.verify(&mut |progress| {
            bar.set_length(progress.of);
            bar.set_position(progress.bytes);
        })?;
        bar.finish_and_clear();
        if self.json {
            let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
            output.json(&json!({"packs": report.packs, "objects": report.objects, "problems": problems}))?;
        } else {
            for problem in &report.problems {
                output.line(problem)?;
            }
            output.line(format_args!(
                "{} packs, {} objects: {}",
                report.packs,
                report.objects,
                if report.problems.is_empty() {
                    "all sound".to_owned()
                } else {
                    format!("{} problems", report.problems.len())
                }
            ))?;
        }
        Ok(if report.problems.is_empty() {
            Verdict::Done
        } else {
            Verdict::Different
        })
    }
}

/// The object that a name or the first digits of a key mean.
fn find(store: &Store, name: &str) -> anyhow::Result<(Kind, Hash)> {
    if let Some(target) = store.get_ref(name)? {
        return Ok((target.kind, target.key));
    }
    let digits = name.strip_prefix("b3:").unwrap_or(name);
    let digits = digits.split('#').next().unwrap_or(digits);
    if digits.len() < 4 || digits.len() > 64 || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        bail!("`{name}`: expected a name in the store, or 4 to 64 hexadecimal digits of a key");
    }
    let found = store.resolve_prefix(&digits.to_lowercase())?;
    match found[..] {
        [] => bail!("no object begins with {digits}"),
        [one] => Ok(one),
        _ => {
            let lines: Vec<String> = found
                .iter()
                .take(20)
                .map(|(kind, key)| format!("\n  {} b3:{key}", kind.name()))
                .collect();
            bail!("{digits} begins {} objects:{}", found.len(), lines.concat())
        }
    }
}

fn describe(store: &Store, kind: Kind, key: &Hash, identity: &[u8]) -> anyhow::Result<serde_json::Value> {
    let mut value = match kind {
        Kind::Text => {
            let text = TextRef::decode(identity)?;
            let tokens: Vec<_> = text
                .tokens()
                .map(|token| match token {
                    TokenRef::Text(text) => json!(text),
                    TokenRef::Library(name) => json!({ "library": name }),
                    TokenRef::Reference => json!({ "reference": null }),
                    TokenRef::OwnName => json!({ "own_name": null }),
                    TokenRef::ProjectModule => json!({ "module": null }),
                })
                .collect();
            json!({"language": text.language, "kind": text.kind.name(), "signature_tokens": text.signature, "tokens": tokens})
        }
        Kind::Component => {
            let component = Component::decode(identity)?;
            let members: Vec<_> = component
                .members()
                .map(|member| {
                    let references: Vec<_> = member
                        .references()
                        .map(|reference| match reference {
                            map::identity::Reference::Inner(rank) => format!("#{rank}"),
                            map::identity::Reference::Outward(id) => id.to_string(),
                        })
                        .collect();
                    json!({"text": format!("b3:{}", member.text), "references": references})
                })
                .collect();
            json!({ "members": members })
        }
        Kind::Map => {
            let root = MapRoot::decode(identity)?;
            let counts = root.tree.counts;
            json!({
                "extractors": root.extractors.iter().map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>(),
                "modules": counts.modules, "definitions": counts.definitions, "errors": counts.errors,
                "tree": format!("b3:{}", root.tree.key),
            })
        }
        Kind::Module => match StoredLeaf::read(store, key).and_then(|leaf| {
            let leaf = leaf.decode()?;
            Ok(json!({
                "path": leaf.path, "module": leaf.module, "language": leaf.language,
                "source": format!("b3:{}", leaf.source), "lines": leaf.lines, "errors": leaf.errors,
                "imports": leaf.imports,
                "definitions": leaf.entries.iter().map(|entry| json!({
                    "name": entry.name, "kind": entry.kind.name(), "id": entry.id.to_string(),
                    "signature": entry.signature, "line": entry.location.first_line,
                })).collect::<Vec<_>>(),
            }))
        }) {
            Ok(value) => value,
            Err(_) => generic(identity)?,
        },
        _ => generic(identity)?,
    };
    value["object"] = json!(format!("{} b3:{key}", kind.name()));
    Ok(value)
}

/// Any CBOR object as it stands.
fn generic(identity: &[u8]) -> anyhow::Result<serde_json::Value> {
    fn item(decoder: &mut store::cbor::Decoder<'_>, depth: usize) -> store::cbor::Result<serde_json::Value> {
        if decoder.next_is_array() && depth < store::cbor::MAX_DEPTH {
            let len = decoder.array()?;
            return (0..len)
                .map(|_| item(decoder, depth + 1))
                .collect::<Result<Vec<_>, _>>()
                .map(|items| json!(items));
        }
        if decoder.next_is_text() {
            return Ok(json!(decoder.text()?));
        }
        if decoder.next_is_uint() {
            return Ok(json!(decoder.uint()?));
        }
        if decoder.null()? {
            return Ok(serde_json::Value::Null);
        }
        if let Ok(value) = decoder.clone().bool() {
            decoder.bool()?;
            return Ok(json!(value));
        }
        let bytes = decoder.byte_string()?;
        Ok(json!(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        ))
    }
    Ok(json!({ "items": item(&mut store::cbor::Decoder::new(identity), 0)? }))
}
