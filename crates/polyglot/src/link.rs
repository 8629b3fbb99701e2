//! Links skeletons: follows every path across files to what it means.
//!
//! A path means the same whatever was looked up before it, on any thread: the
//! memory of results holds only what did not depend on where the search began
//! (a search that met itself is not remembered).

use std::sync::{Arc, Mutex};

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use rayon::prelude::*;

use crate::{
    frontend::{FileIndex, FrontEnd, Layout, LibraryMethod, ModuleTarget, Project},
    model::*,
};

/// A definition of the project: its number in order of file, then of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Definition(GlobalId),
    /// A name that is not of the project, fully qualified.
    Library(Arc<str>),
    /// A module of the project.
    Module,
    /// Nothing that is certain.
    Unknown,
}

/// What following a path gives, for the steps after it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Unknown,
    /// The thing itself: a type, a function.
    Definition(GlobalId),
    /// A function with the type it was looked up on.
    Bound(GlobalId, GlobalId),
    /// A value of a type.
    Instance(GlobalId),
    Module(FileIndex, NamespaceId),
    Directory(Arc<str>, FileIndex),
    Library(Arc<str>),
    Container(Arc<Value>, Arc<Value>),
    /// Called, it gives the value.
    Callable(Arc<Value>),
    /// The members of the type's bases.
    Bases(GlobalId),
    /// A value of the type a method was called on; only inside result types.
    Receiver,
    /// One name with two meanings, in a language that keeps types and modules
    /// apart from values: the type or module, and the value.
    Split(Arc<Value>, Arc<Value>),
}

#[derive(Debug, Clone)]
struct Found {
    target: Target,
    value: Value,
}

impl Found {
    fn unknown() -> Self {
        Self {
            target: Target::Unknown,
            value: Value::Unknown,
        }
    }

    fn value(value: Value) -> Self {
        let target = match &value {
            Value::Definition(id) | Value::Bound(id, _) => Target::Definition(*id),
            Value::Module(..) | Value::Directory(..) => Target::Module,
            Value::Library(name) => Target::Library(name.clone()),
            // A name that is called means the value: see `link_file`.
            Value::Split(kind, _) => Self::value((**kind).clone()).target,
            _ => Target::Unknown,
        };
        Self { target, value }
    }
}

/// Deeper searches than this give up. A frame takes a few hundred bytes; the
/// caller provides the stack (see [`STACK_BYTES`]).
const MAX_SEARCH_DEPTH: u32 = 2_000;

/// Stack that a thread needs to link.
pub const STACK_BYTES: usize = 32 << 20;

/// Types inherit through at most this many others.
const MAX_BASES: usize = 64;

/// A chain of names for names longer than this leads to nothing.
const MAX_ALIASES: usize = 64;

/// A name of one namespace with more meanings than this leads to nothing.
const MAX_MEANINGS: usize = 64;

// Names of what a type has without a name: fields of a definition, halves of a
// container. No identifier is spelled so. Several values are a container of the
// first and the rest, the rest being such a container again.
const ELEMENT: &str = "[]";
const CALL: &str = "()";
const KEY: &str = "(key)";
const FIRST: &str = "(first)";
const REST: &str = "(rest)";
/// What a loop over a value gives: keys of a map, elements of another container.
const ITEM: &str = "(item)";
/// What entering a value as a context gives.
const ENTER: &str = "(enter)";

/// The name under which a module exports what stands for all of it
/// (`module.exports = create`).
const WHOLE_MODULE: &str = "export=";

/// Star imports of star imports resolve through at most this many.
const MAX_STAR_ROUNDS: usize = 12;

const SHARDS: usize = 64;

/// The results of one search so far.
struct Search {
    /// Of the file where the search began; the others are of its family.
    front_end: &'static dyn FrontEnd,
    /// Paths being followed.
    active: HashSet<(FileIndex, PathId)>,
    depth: u32,
    /// Whether some result depended on a path being followed already.
    met_itself: bool,
}

impl Search {
    fn new(front_end: &'static dyn FrontEnd) -> Self {
        Self {
            front_end,
            active: HashSet::new(),
            depth: 0,
            met_itself: false,
        }
    }
}

/// Follows the paths of a project.
pub struct Linker<'a> {
    project: &'a Project<'a>,
    layouts: HashMap<&'static str, Box<dyn Layout>>,
    /// First global id of each file.
    first: Vec<u32>,
    names: Vec<NameTables>,
    /// Of files that are not alone in their module.
    groups: HashMap<FileIndex, Arc<Group>>,
    members: HashMap<GlobalId, Members>,
    /// What each star import of each namespace of each file leads to.
    stars: Vec<Vec<Vec<Value>>>,
    memory: Vec<Mutex<HashMap<(FileIndex, PathId), Found>>>,
}

/// Files whose top-level names are one namespace.
#[derive(Default)]
struct Group {
    /// The files that have a name, in order.
    names: HashMap<Box<str>, Vec<FileIndex>>,
    /// The files with star imports.
    starred: Vec<FileIndex>,
}

impl Group {
    fn new(files: &[FileIndex], project: &Project<'_>, tables: &[NameTables]) -> Self {
        let mut group = Self::default();
        for &file in files {
            #[allow(clippy::iter_over_hash_type, reason = "each name is filled in order of files")]
            for name in tables[file.0 as usize].index.keys() {
                group.names.entry(name.clone()).or_default().push(file);
            }
            let namespace = project.file(file).skeleton.namespaces.first();
            if namespace.is_some_and(|namespace| !namespace.stars.is_empty()) {
                group.starred.push(file);
            }
        }
        group
    }
}

fn groups(
    project: &Project<'_>,
    layouts: &HashMap<&'static str, Box<dyn Layout>>,
    tables: &[NameTables],
) -> HashMap<FileIndex, Arc<Group>> {
    let mut made: HashMap<&[FileIndex], Arc<Group>> = HashMap::new();
    let mut groups = HashMap::new();
    for (at, file) in project.files.iter().enumerate() {
        let file_index = FileIndex(at as u32);
        let peers = layouts[file.front_end.family()].peers(file_index);
        if !peers.is_empty() {
            let group = made
                .entry(peers)
                .or_insert_with(|| Arc::new(Group::new(peers, project, tables)));
            groups.insert(file_index, group.clone());
        }
    }
    groups
}

/// Names of each namespace of a file, inside and outside.
struct NameTables {
    inside: Vec<HashMap<Str, Vec<PathId>>>,
    outside: Vec<Option<HashMap<Str, Vec<PathId>>>>,
    index: HashMap<Box<str>, Str>,
}

#[derive(Default)]
struct Members {
    /// Definitions that are members, in order of id.
    own: HashMap<Box<str>, Vec<GlobalId>>,
    /// Abilities implemented apart: file and path.
    abilities: Vec<(FileIndex, PathId)>,
}

impl<'a> Linker<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        let mut layouts: HashMap<&'static str, Box<dyn Layout>> = HashMap::new();
        let mut first = Vec::with_capacity(project.files.len() + 1);
        let mut next = 0;
        for file in &project.files {
            layouts
                .entry(file.front_end.family())
                .or_insert_with(|| file.front_end.layout(project));
            first.push(next);
            next += file.skeleton.definitions.len() as u32;
        }
        first.push(next);
        let names: Vec<NameTables> = project
            .files
            .par_iter()
            .map(|file| NameTables::new(file.skeleton))
            .collect();
        let groups = groups(project, &layouts, &names);
        let mut linker = Self {
            project,
            layouts,
            first,
            names,
            groups,
            members: HashMap::new(),
            stars: Vec::new(),
            memory: (0..SHARDS).map(|_| Mutex::default()).collect(),
        };
        linker.find_stars();
        linker.members = linker.collect_members();
        // Membership was found without knowing members; what was remembered may
        // lack them.
        linker.memory = (0..SHARDS).map(|_| Mutex::default()).collect();
        linker
    }

    /// Follows all star imports, which may need each other: in rounds, each with
    /// what the round before found, until nothing changes. Following them while
    /// looking up a name would take exponential time where they form cycles.
    fn find_stars(&mut self) {
        let empty = |skeleton: &Skeleton| {
            let namespaces = skeleton.namespaces.iter();
            namespaces
                .map(|namespace| vec![Value::Unknown; namespace.stars.len()])
                .collect()
        };
        self.stars = self
            .project
            .files
            .iter()
            .map(|file| empty(file.skeleton))
            .collect();
        for _ in 0..MAX_STAR_ROUNDS {
            let next: Vec<Vec<Vec<Value>>> = (0..self.project.files.len() as u32)
                .into_par_iter()
                .map(|file| self.stars_of(FileIndex(file)))
                .collect();
            self.memory = (0..SHARDS).map(|_| Mutex::default()).collect();
            if next == self.stars {
                return;
            }
            self.stars = next;
        }
    }

    fn stars_of(&self, file: FileIndex) -> Vec<Vec<Value>> {
        let namespaces = &self.skeleton(file).namespaces;
        let follow = |&star: &PathId| self.follow(file, star, &mut self.search(file)).value;
        namespaces
            .iter()
            .map(|namespace| namespace.stars.iter().map(follow).collect())
            .collect()
    }

    pub fn definition_count(&self) -> u32 {
        *self.first.last().unwrap_or(&0)
    }

    pub fn global(&self, file: FileIndex, index: DefinitionIndex) -> GlobalId {
        GlobalId(self.first[file.0 as usize] + index.0)
    }

    /// The file of a definition and its index there.
    pub fn locate(&self, id: GlobalId) -> (FileIndex, DefinitionIndex) {
        let file = self.first.partition_point(|&first| first <= id.0) - 1;
        (FileIndex(file as u32), DefinitionIndex(id.0 - self.first[file]))
    }

    pub fn definition(&self, id: GlobalId) -> &'a Definition {
        let (file, index) = self.locate(id);
        self.project.files[file.0 as usize].skeleton.definition(index)
    }

    /// The name of a file's module.
    pub fn module_name(&self, file: FileIndex) -> String {
        self.layout(file).module_name(file)
    }

    /// A name for the module of each file. Files that are modules by themselves and
    /// would share a name (two `conftest.py`) are called by their paths.
    pub fn module_names(&self) -> Vec<String> {
        let files = (0..self.project.files.len() as u32).map(FileIndex);
        let mut names: Vec<String> = files.map(|file| self.module_name(file)).collect();
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for name in &names {
            *counts.entry(name).or_default() += 1;
        }
        let shared: Vec<bool> = names.iter().map(|name| counts[name.as_str()] > 1).collect();
        for (at, file) in self.project.files.iter().enumerate() {
            if shared[at] && !self.groups.contains_key(&FileIndex(at as u32)) {
                let (directory, name) = file.path.rsplit_once('/').unwrap_or(("", file.path));
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                let path = if directory.is_empty() {
                    stem.to_owned()
                } else {
                    format!("{directory}/{stem}")
                };
                names[at] = path.replace('/', file.front_end.separator());
            }
        }
        names
    }

    /// The members that run when a definition is called, if it is a type that has
    /// any: its own or inherited.
    pub fn constructors(&self, id: GlobalId) -> Vec<GlobalId> {
        if !is_type(self.definition(id).kind) {
            return Vec::new();
        }
        let (file, _) = self.locate(id);
        let names = self.project.files[file.0 as usize].front_end.constructors();
        let member = |name: &&str| match self
            .type_member(id, id, name, true, &mut self.search(file))?
            .target
        {
            Target::Definition(member) => Some(member),
            _ => None,
        };
        names.iter().filter_map(member).collect()
    }

    /// What each reference of a file leads to, in order.
    pub fn link_file(&self, file: FileIndex) -> Vec<Target> {
        let skeleton = self.skeleton(file);
        let mut known: Vec<Option<Found>> = vec![None; skeleton.paths.len()];
        let follow = |reference: &Reference| {
            let slot = &mut known[reference.path.0 as usize];
            let found = slot.get_or_insert_with(|| self.follow(file, reference.path, &mut self.search(file)));
            match &found.value {
                Value::Split(_, value) if reference.call => Found::value((**value).clone()).target,
                _ => found.target.clone(),
            }
        };
        skeleton.references.iter().map(follow).collect()
    }

    fn search(&self, file: FileIndex) -> Search {
        Search::new(self.project.files[file.0 as usize].front_end)
    }

    fn skeleton(&self, file: FileIndex) -> &'a Skeleton {
        self.project.files[file.0 as usize].skeleton
    }

    fn layout(&self, file: FileIndex) -> &dyn Layout {
        let family = self.project.files[file.0 as usize].front_end.family();
        self.layouts[family].as_ref()
    }

    /// Gives each type its members: definitions written inside it, and those
    /// whose owner leads to it.
    fn collect_members(&self) -> HashMap<GlobalId, Members> {
        let per_file: Vec<(Vec<(GlobalId, GlobalId)>, Vec<_>)> = (0..self.project.files.len() as u32)
            .into_par_iter()
            .map(|file| self.memberships(FileIndex(file)))
            .collect();
        let mut members: HashMap<GlobalId, Members> = HashMap::new();
        for (owned, abilities) in per_file {
            for (owner, member) in owned {
                let name = self
                    .skeleton(self.locate(member).0)
                    .str(self.definition(member).name);
                members
                    .entry(owner)
                    .or_default()
                    .own
                    .entry(name.into())
                    .or_default()
                    .push(member);
            }
            for (owner, ability) in abilities {
                members.entry(owner).or_default().abilities.push(ability);
            }
        }
        members
    }

    #[allow(clippy::type_complexity)]
    fn memberships(
        &self,
        file: FileIndex,
    ) -> (Vec<(GlobalId, GlobalId)>, Vec<(GlobalId, (FileIndex, PathId))>) {
        let skeleton = self.skeleton(file);
        let mut owned = Vec::new();
        for (at, definition) in skeleton.definitions.iter().enumerate() {
            let id = self.global(file, DefinitionIndex(at as u32));
            if let Some(owner) = definition.owner {
                if let Some(owner) = self.type_at(file, owner) {
                    owned.push((owner, id));
                }
            } else if let Some(container) = definition.container {
                owned.push((self.global(file, container), id));
            }
        }
        let abilities = skeleton
            .implements
            .iter()
            .filter_map(|implements| {
                Some((self.type_at(file, implements.target)?, (file, implements.ability)))
            })
            .collect();
        (owned, abilities)
    }

    /// The type definition a path leads to, aliases followed.
    fn type_at(&self, file: FileIndex, path: PathId) -> Option<GlobalId> {
        let search = &mut self.search(file);
        match self.follow(file, path, search).value {
            Value::Definition(id) | Value::Instance(id) => Some(id),
            Value::Split(kind, _) => match *kind {
                Value::Definition(id) => Some(id),
                _ => None,
            },
            _ => None,
        }
    }

    fn follow(&self, file: FileIndex, path: PathId, search: &mut Search) -> Found {
        let node = self.skeleton(file).path(path);
        match node {
            PathNode::Unknown => return Found::unknown(),
            PathNode::Definition(index) => return Found::value(Value::Definition(self.global(file, index))),
            PathNode::Namespace(namespace) => return Found::value(Value::Module(file, namespace)),
            PathNode::Library(name) => {
                return Found::value(Value::Library(self.skeleton(file).str(name).into()));
            }
            PathNode::Receiver => return Found::value(Value::Receiver),
            _ => {}
        }
        let key = (file, path);
        let shard = &self.memory[(file.0 as usize * 31 + path.0 as usize) % SHARDS];
        if let Some(found) = shard.lock().expect("no search panics").get(&key) {
            return found.clone();
        }
        if search.depth >= MAX_SEARCH_DEPTH || !search.active.insert(key) {
            search.met_itself = true;
            return Found::unknown();
        }
        search.depth += 1;
        let outer = std::mem::take(&mut search.met_itself);
        let found = self.follow_node(file, node, search);
        if !search.met_itself {
            shard.lock().expect("no search panics").insert(key, found.clone());
        }
        search.met_itself |= outer;
        search.depth -= 1;
        search.active.remove(&key);
        found
    }

    fn follow_node(&self, file: FileIndex, node: PathNode, search: &mut Search) -> Found {
        let skeleton = self.skeleton(file);
        match node {
            PathNode::Name(namespace, name) => self
                .look_up(file, namespace, skeleton.str(name), search)
                .unwrap_or_else(Found::unknown),
            PathNode::Module(specifier) => {
                let target = self.layout(file).resolve(file, skeleton.str(specifier));
                if let ModuleTarget::File(file) = target
                    && let Some(found) = self.own_name(file, FILE_NAMESPACE, WHOLE_MODULE, false, search)
                {
                    return found;
                }
                Found::value(module_value(target, file))
            }
            PathNode::Member(base, name) => {
                let base = self.follow(file, base, search).value;
                let name = skeleton.str(name);
                // What a module imports from itself is a module inside it.
                if base == Value::Module(file, FILE_NAMESPACE)
                    && let Some(target) = self.layout(file).submodule(&ModuleTarget::File(file), name)
                {
                    return Found::value(module_value(target, file));
                }
                self.member(&base, name, search)
            }
            PathNode::Call(base) => {
                let base = self.follow(file, base, search).value;
                Found::value(self.call(base, search))
            }
            PathNode::Instance(base) => {
                let base = self.follow(file, base, search).value;
                Found::value(self.instance(base, search))
            }
            PathNode::Element(base) => {
                let base = self.follow(file, base, search).value;
                Found::value(self.element(base, search))
            }
            PathNode::Container(outer, element) => {
                let outer = self.follow(file, outer, search).value;
                let element = self.follow(file, element, search).value;
                Found::value(Value::Container(Arc::new(outer), Arc::new(element)))
            }
            PathNode::Value(base) => match self.follow(file, base, search) {
                Found {
                    value: Value::Split(_, value),
                    ..
                } => Found::value((*value).clone()),
                found => found,
            },
            PathNode::Super(base) => Found::value(match self.follow(file, base, search).value {
                Value::Definition(id) | Value::Instance(id) => Value::Bases(id),
                _ => Value::Unknown,
            }),
            _ => Found::unknown(),
        }
    }

    /// A name as seen from inside a namespace.
    fn look_up(
        &self,
        file: FileIndex,
        namespace: NamespaceId,
        name: &str,
        search: &mut Search,
    ) -> Option<Found> {
        let mut at = Some(namespace);
        while let Some(here) = at {
            if let Some(found) = self.in_module(file, here, name, true, search) {
                return Some(found);
            }
            let namespace = self.skeleton(file).namespaces.get(here.0 as usize)?;
            at = namespace.parent.filter(|_| namespace.inherits);
        }
        if let Some(found) = self.free_name(file, name, search) {
            return Some(found);
        }
        let builtin = self.project.files[file.0 as usize].front_end.builtin(name)?;
        Some(Found::value(Value::Library(builtin.into())))
    }

    /// A name that a file gives to others without an import.
    fn free_name(&self, file: FileIndex, name: &str, search: &mut Search) -> Option<Found> {
        let giver = self.layout(file).free_name(file, name)?;
        self.own_name(giver, FILE_NAMESPACE, name, true, search)
    }

    /// A name of a module: its own, its peers', its stars', searched breadth
    /// first over star imports, each module once.
    fn in_module(
        &self,
        file: FileIndex,
        namespace: NamespaceId,
        name: &str,
        inside: bool,
        search: &mut Search,
    ) -> Option<Found> {
        let mut level = vec![(file, namespace, inside)];
        let mut seen: HashSet<(FileIndex, NamespaceId)> = HashSet::new();
        while !level.is_empty() {
            let mut next = Vec::new();
            let mut found: Option<Found> = None;
            for (file, namespace, inside) in level {
                if !seen.insert((file, namespace)) {
                    continue;
                }
                let alone = std::slice::from_ref(&file);
                let group = self.groups.get(&file).filter(|_| namespace == FILE_NAMESPACE);
                let naming = match group {
                    Some(group) => group.names.get(name).map_or(&[][..], |files| files),
                    None => alone,
                };
                for &peer in naming {
                    if let Some(here) = self.own_name(peer, namespace, name, inside, search) {
                        found = Some(self.agree(found, here, search));
                    }
                }
                for &peer in group.map_or(alone, |group| &group.starred) {
                    let stars = self.stars[peer.0 as usize].get(namespace.0 as usize);
                    for value in stars.into_iter().flatten() {
                        let value = match value {
                            Value::Split(kind, _) => kind,
                            value => value,
                        };
                        match value {
                            Value::Module(file, namespace) => next.push((*file, *namespace, false)),
                            // Members of a type brought into scope (`use Enum::*`).
                            value @ Value::Definition(_) => {
                                let member = self.member(value, name, search);
                                if member.value != Value::Unknown {
                                    found = Some(self.agree(found, member, search));
                                }
                            }
                            _ => {}
                        }
                    }
                }
            }
            if found.is_some() {
                return found;
            }
            level = next;
        }
        None
    }

    fn own_name(
        &self,
        file: FileIndex,
        namespace: NamespaceId,
        name: &str,
        inside: bool,
        search: &mut Search,
    ) -> Option<Found> {
        let tables = &self.names[file.0 as usize];
        let name = tables.index.get(name)?;
        let inner = tables.inside.get(namespace.0 as usize)?;
        let outer = tables.outside[namespace.0 as usize].as_ref();
        let paths = if inside { inner } else { outer.unwrap_or(inner) }.get(name)?;
        let mut found = None;
        for &path in paths {
            let next = self.follow(file, path, search);
            found = Some(self.agree(found, next, search));
        }
        found
    }

    /// Two meanings of one name: that one if they are the same, both if they live
    /// in different spaces of names, otherwise nothing.
    fn agree(&self, first: Option<Found>, second: Found, search: &Search) -> Found {
        let Some(first) = first else { return second };
        if first.value == second.value {
            return first;
        }
        if search.front_end.splits_names() {
            let sides = [&first.value, &second.value].map(|value| match value {
                Value::Module(..) | Value::Directory(..) => Some(true),
                Value::Definition(id) => Some(is_type(self.definition(*id).kind)),
                _ => None,
            });
            let split = |kind: Value, value: Value| Found::value(Value::Split(kind.into(), value.into()));
            match sides {
                [Some(true), Some(false)] => return split(first.value, second.value),
                [Some(false), Some(true)] => return split(second.value, first.value),
                _ => {}
            }
        }
        Found::unknown()
    }

    fn member(&self, base: &Value, name: &str, search: &mut Search) -> Found {
        match base {
            Value::Module(file, namespace) => {
                let inside = search.front_end.exports_limit_stars();
                if let Some(found) = self.in_module(*file, *namespace, name, inside, search) {
                    return found;
                }
                let submodule = match *namespace {
                    FILE_NAMESPACE => self.layout(*file).submodule(&ModuleTarget::File(*file), name),
                    _ => None,
                };
                if submodule.is_none()
                    && let Some(found) = self.free_name(*file, name, search)
                {
                    return found;
                }
                submodule.map_or_else(Found::unknown, |target| Found::value(module_value(target, *file)))
            }
            Value::Directory(path, from) => {
                let directory = ModuleTarget::Directory(path.to_string());
                let submodule = self.layout(*from).submodule(&directory, name);
                submodule.map_or_else(Found::unknown, |target| Found::value(module_value(target, *from)))
            }
            // Of several values from elsewhere, the first is what one goes on with.
            Value::Library(qualified) => Found::value(match name {
                FIRST | ENTER => Value::Library(qualified.clone()),
                REST | KEY | ITEM => Value::Unknown,
                // Languages whose fields and methods are apart mark fields by a dot.
                _ => Value::Library(
                    search
                        .front_end
                        .library_member(qualified, name.trim_start_matches('.'))
                        .into(),
                ),
            }),
            // Of a type and a value, only the value has members that its name reaches.
            Value::Split(kind, value) => match **kind {
                Value::Module(..) | Value::Directory(..) => match self.member(kind, name, search) {
                    found if found.value == Value::Unknown => self.member(value, name, search),
                    found => found,
                },
                _ => self.member(value, name, search),
            },
            Value::Definition(id) => match self.stands_for(*id, search) {
                Some(Value::Definition(id)) => self
                    .type_member(id, id, name, true, search)
                    .unwrap_or_else(Found::unknown),
                Some(value) => self.member(&value, name, search),
                None => Found::unknown(),
            },
            Value::Instance(id) => match self.type_member(*id, *id, name, true, search) {
                Some(found) => found,
                None if search.front_end.sets_attributes() && !name.starts_with('(') => self
                    .type_member(*id, *id, &format!("(self){name}"), true, search)
                    .unwrap_or_else(Found::unknown),
                None if search.front_end.library_method(name) == LibraryMethod::Copy => Found {
                    target: Target::Unknown,
                    value: Value::Callable(Arc::new(Value::Instance(*id))),
                },
                None => Found::unknown(),
            },
            Value::Bases(id) => self
                .type_member(*id, *id, name, false, search)
                .unwrap_or_else(Found::unknown),
            Value::Callable(value) => self.member(value, name, search),
            Value::Container(outer, element) => {
                match name {
                    FIRST | KEY => return Found::value((**outer).clone()),
                    REST | ENTER => return Found::value((**element).clone()),
                    ITEM => {
                        return Found::value(match &**outer {
                            Value::Container(_, key) => (**key).clone(),
                            _ => (**element).clone(),
                        });
                    }
                    _ => {}
                }
                let found = self.member(outer, name, search);
                let container = |element: &Arc<Value>| {
                    let outer = match &**outer {
                        Value::Container(map, _) => map.clone(),
                        _ => outer.clone(),
                    };
                    Value::Container(outer, element.clone())
                };
                let result = match search.front_end.library_method(name) {
                    LibraryMethod::Values => container(element),
                    LibraryMethod::Items => {
                        // Both parts say what they are part of, as a map's key does.
                        let value = Arc::new(Value::Container(outer.clone(), element.clone()));
                        let rest = Value::Container(value, Arc::new(Value::Unknown));
                        container(&Arc::new(Value::Container(outer.clone(), rest.into())))
                    }
                    LibraryMethod::Unknown => return found,
                    LibraryMethod::Copy | LibraryMethod::Same => base.clone(),
                    LibraryMethod::Element => (**element).clone(),
                };
                Found {
                    target: found.target,
                    value: Value::Callable(Arc::new(result)),
                }
            }
            Value::Bound(..) | Value::Receiver | Value::Unknown => Found::unknown(),
        }
    }

    /// What a definition that is only a name for something else stands for: the
    /// value of a constant, the type behind an alias.
    fn as_value(&self, id: GlobalId, search: &mut Search) -> Option<Value> {
        let definition = self.definition(id);
        let stands_for = matches!(definition.kind, DefinitionKind::Constant)
            || definition.kind == DefinitionKind::Type && definition.value.is_some();
        if !stands_for {
            return None;
        }
        let value = definition.value?;
        Some(self.follow(self.locate(id).0, value, search).value)
    }

    /// What a definition comes to when every name for something else is followed:
    /// itself if it is none, nothing if they lead in a circle.
    fn stands_for(&self, id: GlobalId, search: &mut Search) -> Option<Value> {
        let mut value = Value::Definition(id);
        for _ in 0..MAX_ALIASES {
            let Value::Definition(id) = value else {
                return Some(value);
            };
            match self.as_value(id, search) {
                Some(next) => value = next,
                None => return Some(value),
            }
        }
        search.met_itself = true;
        None
    }

    /// What a container holds. A type that is one by name says so with a field.
    fn element(&self, base: Value, search: &mut Search) -> Value {
        match base {
            Value::Container(_, element) => (*element).clone(),
            Value::Instance(id) => self
                .type_member(id, id, ELEMENT, true, search)
                .map_or(Value::Unknown, |found| found.value),
            Value::Definition(id) => match self.stands_for(id, search) {
                Some(value @ (Value::Container(..) | Value::Instance(_))) => self.element(value, search),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    /// A member of a type, its own first, then of its bases in order.
    fn type_member(
        &self,
        receiver: GlobalId,
        id: GlobalId,
        name: &str,
        own: bool,
        search: &mut Search,
    ) -> Option<Found> {
        let mut pending = vec![(id, own)];
        let mut seen = HashSet::new();
        while let Some((id, own)) = pending.pop() {
            if !seen.insert(id) || seen.len() > MAX_BASES {
                continue;
            }
            if own && let Some(found) = self.own_member(receiver, id, name, search) {
                return Some(found);
            }
            let file = self.locate(id).0;
            let mut bases = Vec::new();
            for &base in &self.definition(id).bases {
                bases.push((file, base));
            }
            if let Some(members) = self.members.get(&id) {
                bases.extend(&members.abilities);
            }
            for (file, base) in bases.into_iter().rev() {
                match self.follow(file, base, search).value {
                    Value::Definition(base) | Value::Instance(base) => {
                        if let Some(Value::Definition(base) | Value::Instance(base)) =
                            self.stands_for(base, search)
                        {
                            pending.push((base, true));
                        }
                    }
                    // What a library base may define shadows nothing that is
                    // known, but a name not found may be its own.
                    _ => {}
                }
            }
        }
        None
    }

    fn own_member(&self, receiver: GlobalId, id: GlobalId, name: &str, search: &mut Search) -> Option<Found> {
        if let Some(own) = self.members.get(&id).and_then(|members| members.own.get(name)) {
            // Twins (conditional, overloaded, two traits with one method name): the
            // type's own member goes before those of implemented traits.
            let in_implementation = |&&member: &&GlobalId| {
                let file = self.locate(member).0;
                let container = self.definition(member).container;
                container.is_some_and(|at| {
                    self.definition(self.global(file, at)).kind == DefinitionKind::Implementation
                })
            };
            let mut candidates = own.iter().filter(|member| !in_implementation(member));
            let member = match (&own[..], candidates.next(), candidates.next()) {
                (&[member], ..) | (_, Some(&member), None) => member,
                _ => return Some(Found::unknown()),
            };
            let definition = self.definition(member);
            let file = self.locate(member).0;
            let value = match definition.value.filter(|_| definition.property) {
                Some(value) => self.received(self.follow(file, value, search).value, receiver),
                None if is_type(definition.kind) => Value::Definition(member),
                None => Value::Bound(member, receiver),
            };
            return Some(Found {
                target: Target::Definition(member),
                value,
            });
        }
        let (file, _) = self.locate(id);
        let skeleton = self.skeleton(file);
        let field = self
            .definition(id)
            .fields
            .iter()
            .find(|field| skeleton.str(field.name) == name)?;
        let value = self.received(self.follow(file, field.value, search).value, receiver);
        Some(Found {
            target: Target::Unknown,
            value: if field.callable {
                Value::Callable(Arc::new(value))
            } else {
                value
            },
        })
    }

    /// Puts the receiver's type where a result type says "the receiver".
    fn received(&self, value: Value, receiver: GlobalId) -> Value {
        match value {
            Value::Receiver => Value::Instance(receiver),
            Value::Container(outer, element) => {
                let outer = self.received((*outer).clone(), receiver);
                let element = self.received((*element).clone(), receiver);
                Value::Container(Arc::new(outer), Arc::new(element))
            }
            other => other,
        }
    }

    fn call(&self, callee: Value, search: &mut Search) -> Value {
        match callee {
            Value::Definition(id) => self.call_definition(id, None, search),
            Value::Bound(id, receiver) => self.call_definition(id, Some(receiver), search),
            Value::Callable(value) => (*value).clone(),
            Value::Library(name) => match search.front_end.library_result(&name) {
                Some(result) if *result == *name => Value::Library(name),
                Some(result) => Value::Library(result.into()),
                None => Value::Unknown,
            },
            Value::Split(_, value) => self.call((*value).clone(), search),
            // A type of functions says with a field what calling them gives.
            Value::Instance(id) => match self.type_member(id, id, CALL, true, search) {
                Some(Found {
                    value: Value::Callable(value),
                    ..
                }) => (*value).clone(),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    fn call_definition(&self, id: GlobalId, receiver: Option<GlobalId>, search: &mut Search) -> Value {
        let definition = self.definition(id);
        if is_type(definition.kind) {
            return match self.stands_for(id, search) {
                Some(Value::Definition(id)) => Value::Instance(id),
                Some(other) => other,
                None => Value::Unknown,
            };
        }
        if definition.kind == DefinitionKind::Constant {
            return match self.stands_for(id, search) {
                Some(Value::Definition(end)) if end == id => Value::Unknown,
                Some(value) => self.call(value, search),
                None => Value::Unknown,
            };
        }
        let Some(result) = definition.value else {
            return Value::Unknown;
        };
        let result = self.follow(self.locate(id).0, result, search).value;
        match receiver {
            Some(receiver) => self.received(result, receiver),
            None => result,
        }
    }

    fn instance(&self, value: Value, search: &mut Search) -> Value {
        match value {
            Value::Definition(id) => match self.stands_for(id, search) {
                Some(Value::Definition(id)) if is_type(self.definition(id).kind) => Value::Instance(id),
                Some(Value::Definition(_)) | None => Value::Unknown,
                Some(other) => other,
            },
            other @ (Value::Instance(_) | Value::Library(_) | Value::Container(..) | Value::Receiver) => {
                other
            }
            Value::Split(kind, _) => self.instance((*kind).clone(), search),
            _ => Value::Unknown,
        }
    }
}

impl NameTables {
    fn new(skeleton: &Skeleton) -> Self {
        let table = |names: &[(Str, PathId)]| {
            let mut table: HashMap<Str, Vec<PathId>> = HashMap::with_capacity(names.len());
            for &(name, path) in names {
                let paths = table.entry(name).or_default();
                if paths.len() > MAX_MEANINGS {
                    continue;
                }
                if paths.len() == MAX_MEANINGS {
                    // Too many to compare: surely not all the same.
                    paths.push(PathId(0));
                } else if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            table
        };
        let inside: Vec<_> = skeleton
            .namespaces
            .iter()
            .map(|namespace| table(&namespace.names))
            .collect();
        let outside: Vec<_> = skeleton
            .namespaces
            .iter()
            .map(|namespace| namespace.exports.as_deref().map(table))
            .collect();
        let mut index = HashMap::new();
        for table in inside.iter().chain(outside.iter().flatten()) {
            #[allow(
                clippy::iter_over_hash_type,
                reason = "fills another table, where order is nothing"
            )]
            for &name in table.keys() {
                index.insert(skeleton.str(name).into(), name);
            }
        }
        Self {
            inside,
            outside,
            index,
        }
    }
}

fn is_type(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Type | DefinitionKind::Ability)
}

fn module_value(target: ModuleTarget, from: FileIndex) -> Value {
    match target {
        ModuleTarget::File(file) => Value::Module(file, FILE_NAMESPACE),
        ModuleTarget::Directory(path) => Value::Directory(path.into(), from),
        ModuleTarget::Library(name) => Value::Library(name.into()),
        ModuleTarget::Unknown => Value::Unknown,
    }
}
