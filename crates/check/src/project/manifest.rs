//! `renyi.json`, `renyi.lock.json` and `package.json` (4.3 of the language).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

pub const MANIFEST: &str = "renyi.json";
pub const LOCK: &str = "renyi.lock.json";

/// `renyi.json`
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub name: String,
    pub version: String,
    pub purpose: Option<String>,
    #[serde(default)]
    pub dependencies: Unique<String>,
    /// A directory, from the project root unless absolute, or an `http` or `https` base.
    pub registry: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub budgets: Budgets,
    #[serde(default, deserialize_with = "or_default")]
    pub foreign: Unique<ForeignModule>,
    #[serde(default, deserialize_with = "or_default")]
    pub python: Python,
}

/// Thresholds of `renyi index --budgets`; what is absent has the default of 10.6.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budgets {
    pub public_per_module: Option<u64>,
    pub effect_paths_per_module: Option<u64>,
    pub fan_out_per_definition: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignModule {
    pub library: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub symbols: Unique<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Python {
    pub interpreter: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub modules: Unique<PythonModule>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonModule {
    pub package: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub symbols: Unique<String>,
}

/// `renyi.lock.json`
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    pub packages: Vec<Locked>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    pub name: String,
    pub version: String,
    /// `sha256:` and the digits of the hash of the package's `package.json`.
    pub hash: String,
}

/// `package.json` of a registry.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageManifest {
    pub name: String,
    pub version: String,
    pub purpose: Option<String>,
    pub dependencies: Unique<String>,
    pub toolchain: String,
    pub files: Vec<PackageFile>,
    pub effects: Vec<PackageEffects>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFile {
    pub path: String,
    pub hash: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageEffects {
    pub function: String,
    pub needs: Vec<String>,
    pub fails: Vec<String>,
}

/// A JSON object as a map that refuses a key told twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unique<V>(pub BTreeMap<String, V>);

impl<V> Default for Unique<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Unique<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = Unique<V>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some(key) = access.next_key::<String>()? {
                    if entries.contains_key(&key) {
                        return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
                    }
                    entries.insert(key, access.next_value()?);
                }
                Ok(Unique(entries))
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// `null` stands for an absent key.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

impl Manifest {
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if !is_package_name(&manifest.name) {
            return Err(format!(
                "`name`: expected a package name such as `my_tool`, found `{}`",
                manifest.name
            ));
        }
        version_of("version", &manifest.version)?;
        for (name, version) in &manifest.dependencies.0 {
            if !is_package_name(name) {
                return Err(format!("`dependencies`: `{name}` is not a package name"));
            }
            version_of(&format!("dependencies.{name}"), version)?;
        }
        for (module, foreign) in &manifest.foreign.0 {
            if foreign.library.is_empty() {
                return Err(format!(
                    "`foreign.{module}.library`: expected at least one library"
                ));
            }
        }
        Ok(manifest)
    }
}

impl Lock {
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lock: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut names = BTreeSet::new();
        for package in &lock.packages {
            if !is_package_name(&package.name) {
                return Err(format!("`packages`: `{}` is not a package name", package.name));
            }
            version_of(&format!("packages.{}", package.name), &package.version)?;
            if !names.insert(&package.name) {
                return Err(format!("`packages`: `{}` stands twice", package.name));
            }
        }
        Ok(lock)
    }
}

impl PackageManifest {
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        version_of("version", &manifest.version)?;
        for file in &manifest.files {
            if !stays_inside(&file.path) {
                return Err(format!(
                    "`files`: the path `{}` does not stay inside the package",
                    file.path
                ));
            }
        }
        Ok(manifest)
    }
}

/// `[a-z][a-z0-9_]*`
fn is_package_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_lowercase())
        && characters.all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '_')
}

fn version_of(field: &str, version: &str) -> Result<[u64; 3], String> {
    let parts: Vec<&str> = version.split('.').collect();
    let number = |part: &str| {
        (!part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse::<u64>().ok())
            .flatten()
    };
    match parts[..] {
        [major, minor, patch] => match (number(major), number(minor), number(patch)) {
            (Some(major), Some(minor), Some(patch)) => Ok([major, minor, patch]),
            _ => Err(format!(
                "`{field}`: expected `major.minor.patch`, found `{version}`"
            )),
        },
        _ => Err(format!(
            "`{field}`: expected `major.minor.patch`, found `{version}`"
        )),
    }
}

/// A relative path of plain parts.
fn stays_inside(path: &str) -> bool {
    !path.is_empty()
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_or_refused_with_the_reason() {
        let whole = r#"{"name": "desk", "version": "0.1.0", "purpose": null, "dependencies": {"csv_kit": "1.2.0"},
            "budgets": {"fan_out_per_definition": 5}, "foreign": {"bind.zlib": {"library": ["z"]}},
            "python": {"modules": {"stats": {}}}}"#;
        let manifest = Manifest::parse(whole).expect("a whole manifest");
        assert_eq!(manifest.budgets.fan_out_per_definition, Some(5));
        assert!(manifest.python.modules.0.contains_key("stats"));
        for (text, reason) in [
            ("{", "EOF"),
            (r#"{"name": "desk"}"#, "missing field `version`"),
            (
                r#"{"name": "Desk", "version": "0.1.0"}"#,
                "expected a package name",
            ),
            (r#"{"name": "desk", "version": "0.1"}"#, "major.minor.patch"),
            (
                r#"{"name": "desk", "name": "desk", "version": "0.1.0"}"#,
                "duplicate field",
            ),
            (
                r#"{"name": "desk", "version": "0.1.0", "size": 3}"#,
                "unknown field `size`",
            ),
            (
                r#"{"name": "desk", "version": "0.1.0", "dependencies": {"kit": "1.0.0", "kit": "1.0.0"}}"#,
                "stands twice",
            ),
            (
                r#"{"name": "desk", "version": "0.1.0", "foreign": {"zlib": {"library": []}}}"#,
                "at least one library",
            ),
        ] {
            let error = Manifest::parse(text).expect_err(text);
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_package_stays_in_its_folder() {
        for path in ["../kit.ry", "/kit.ry", "a//b.ry", "a/../../b.ry", ""] {
            assert!(!stays_inside(path), "{path}");
        }
        assert!(stays_inside("parts/kit.ry"));
    }
}
