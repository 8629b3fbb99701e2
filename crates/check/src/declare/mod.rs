//! From the trees of one module to its [`Definition`]s: every head with its types resolved.

mod documentation;
mod interface;
mod outline;
mod resolve;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use syntax::Code;
use syntax::tree::{self, Docs, Head, ItemKind, Name};

pub use outline::{Entry, EntryKind, Outline};
pub use resolve::{CAPABILITIES, Scope, Sink, TypeNames};

use crate::declaration::{
    AbilityDeclaration, AbilityMethod, Definition, DefinitionKind, Derive, Field, Implementation, Parameter,
    Signature, TreePlace, TypeKind, TypeParameter, Variant,
};
use crate::facts::{Place, Reference, Role, Target};
use crate::names::nearest;
use crate::program::{DefId, Import, Module, ModuleId, ModuleKind, VariantId};
use crate::project::Sources;
use crate::types::{AbilityReference, Type, TypeParameterIndex};

/// Everything that one module declares. `broken` are the modules that have errors.
pub fn declare(
    sources: &Sources,
    outlines: &[Arc<Outline>],
    id: ModuleId,
    broken: &BTreeSet<ModuleId>,
) -> Module {
    let source = &sources.list[id.0 as usize];
    let outline = &outlines[id.0 as usize];
    let tree = &source.parsed.module;
    let mut sink = Sink {
        diagnostics: source.diagnostics.clone(),
        references: Vec::new(),
    };
    sink.diagnostics.extend(outline.diagnostics.iter().cloned());
    let (imports, exposed) = imports(sources, outlines, id, broken, &mut sink);
    let broken_imports = imports.iter().filter(|import| import.broken);
    let broken_imports: BTreeSet<ModuleId> = broken_imports.map(|import| import.module).collect();
    let mut module_references = std::mem::take(&mut sink.references);
    let scope = Scope {
        outlines,
        module: id,
        exposed: &exposed,
        broken: &broken_imports,
    };
    let mut declarer = Declarer {
        scope,
        kind: &source.kind,
        imports: &imports,
        sink,
        definitions: Vec::with_capacity(outline.entries.len()),
        head_references: Vec::with_capacity(outline.entries.len() + 1),
        namespaces: imports.iter().map(|import| &*import.namespace).collect(),
    };
    for (position, item) in tree.items.iter().enumerate() {
        declarer.item(position as u32, item);
    }
    declarer.module_documentation(tree);
    module_references.append(&mut declarer.sink.references);
    let Declarer {
        sink,
        definitions,
        mut head_references,
        ..
    } = declarer;
    head_references.push(module_references);
    let variants = visible_variants(outlines, sources, id, &exposed, &broken_imports);
    let mut diagnostics = sink.diagnostics;
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    Module {
        name: source.name.clone(),
        kind: source.kind.clone(),
        file: source.file.clone(),
        source: source.text.clone(),
        parsed: source.parsed.clone(),
        interface: interface::hash(&definitions, &source.text, tree),
        imports,
        definitions,
        outline: outline.clone(),
        exposed,
        variants,
        head_references,
        diagnostics,
    }
}

fn imports(
    sources: &Sources,
    outlines: &[Arc<Outline>],
    id: ModuleId,
    broken: &BTreeSet<ModuleId>,
    sink: &mut Sink,
) -> (Vec<Import>, BTreeMap<Arc<str>, DefId>) {
    let source = &sources.list[id.0 as usize];
    let mut imports: Vec<Import> = Vec::new();
    let mut exposed = BTreeMap::new();
    for (import, target) in source.parsed.module.imports.iter().zip(&source.imports) {
        let Some(name) = import.alias.as_ref().or(import.path.segments.last()) else {
            continue;
        };
        if imports.iter().any(|other| other.namespace == name.text) {
            sink.report(
                Code::DuplicateName,
                name.span,
                format!("the namespace `{}` is imported already", name.text),
                format!("give one of the two another name: `import {} as …`", import.path),
            );
            continue;
        }
        let Some(module) = *target else { continue };
        let is_broken = broken.contains(&module);
        if is_broken {
            sink.report(
                Code::ImportErrors,
                import.path.span,
                format!(
                    "the module `{}` has errors, so nothing here is checked against it",
                    import.path
                ),
                format!("mend `{}` first", sources.list[module.0 as usize].file),
            );
        }
        sink.refer(import.path.span, Target::Module(module), Role::Name, Place::Head);
        let outline = &outlines[module.0 as usize];
        for shown in &import.exposing {
            let found = outline.names.get(&shown.text).copied();
            let found = found.filter(|index| {
                let kind = outline.entries[*index as usize].kind;
                matches!(kind, EntryKind::Type | EntryKind::Ability)
            });
            let Some(index) = found else {
                if !is_broken && !shown.is_missing() {
                    let names = outline.names.keys().map(|name| &**name);
                    let mut names: Vec<&str> = names.collect();
                    names.sort_unstable();
                    let fix = match nearest(&shown.text, names) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("expose a type or ability that `{}` declares", import.path),
                    };
                    sink.report(
                        Code::UnknownType,
                        shown.span,
                        format!("`{}` has no type or ability `{}`", import.path, shown.text),
                        fix,
                    );
                }
                continue;
            };
            let definition = DefId { module, index };
            sink.refer(
                shown.span,
                Target::Definition(definition),
                Role::Name,
                Place::Head,
            );
            if !outline.entries[index as usize].public && module != id {
                if !is_broken {
                    sink.report(
                        Code::PrivateName,
                        shown.span,
                        format!("`{}` is private to `{}`", shown.text, import.path),
                        format!("make it public there, or do without `{}`", shown.text),
                    );
                }
                continue;
            }
            let own = outlines[id.0 as usize].names.contains_key(&shown.text);
            if own || exposed.contains_key(&shown.text) {
                sink.report(
                    Code::DuplicateName,
                    shown.span,
                    format!("`{}` names something here already", shown.text),
                    "expose it from one module, and rename what is your own",
                );
                continue;
            }
            exposed.insert(shown.text.clone(), definition);
        }
        imports.push(Import {
            namespace: name.text.clone(),
            module,
            span: import.span,
            broken: is_broken,
            namespace_span: name.span,
        });
    }
    (imports, exposed)
}

/// Variants of own, exposed and prelude sums, by name.
fn visible_variants(
    outlines: &[Arc<Outline>],
    sources: &Sources,
    id: ModuleId,
    exposed: &BTreeMap<Arc<str>, DefId>,
    broken: &BTreeSet<ModuleId>,
) -> BTreeMap<Arc<str>, Vec<VariantId>> {
    let mut variants: BTreeMap<Arc<str>, Vec<VariantId>> = BTreeMap::new();
    let of_module = |module: ModuleId| {
        let entries = outlines[module.0 as usize].entries.iter().enumerate();
        let types = entries.filter(|(_, entry)| entry.kind == EntryKind::Type);
        types.map(move |(index, _)| DefId {
            module,
            index: index as u32,
        })
    };
    let mut sums: Vec<DefId> = of_module(id).collect();
    sums.extend(exposed.values().filter(|found| !broken.contains(&found.module)));
    if id != ModuleId(0) {
        sums.extend(of_module(ModuleId(0)));
    }
    for sum in sums {
        let entry = &outlines[sum.module.0 as usize].entries[sum.index as usize];
        let tree = &sources.list[sum.module.0 as usize].parsed.module;
        let ItemKind::Type(declaration) = &tree.items[entry.place.item as usize].kind else {
            continue;
        };
        let tree::TypeDeclarationKind::Sum { variants: list, .. } = &declaration.kind else {
            continue;
        };
        for (index, variant) in list.iter().enumerate() {
            if !variant.name.is_missing() {
                variants
                    .entry(variant.name.text.clone())
                    .or_default()
                    .push(VariantId {
                        sum,
                        index: index as u32,
                    });
            }
        }
    }
    variants
}

struct Declarer<'a> {
    scope: Scope<'a>,
    kind: &'a ModuleKind,
    imports: &'a [Import],
    sink: Sink,
    definitions: Vec<Definition>,
    head_references: Vec<Vec<Reference>>,
    namespaces: BTreeSet<&'a str>,
}

impl Declarer<'_> {
    fn is_library(&self) -> bool {
        *self.kind == ModuleKind::Library
    }

    fn define(&mut self, definition: Definition) {
        self.definitions.push(definition);
        let mut references = std::mem::take(&mut self.sink.references);
        references.sort_by_key(|reference| reference.span);
        self.head_references.push(references);
    }

    fn item(&mut self, position: u32, item: &tree::Item) {
        let place = TreePlace {
            item: position,
            method: None,
        };
        let public = item.public.is_some();
        let docs = item.kind.docs();
        if let Some(docs) = docs {
            self.documentation(docs);
        }
        let deprecated = docs.is_some_and(|docs| docs.deprecated().is_some());
        let definition = |name: &Name, type_parameters, kind| Definition {
            name: name.text.clone(),
            name_span: name.span,
            place,
            public,
            deprecated,
            type_parameters,
            kind,
        };
        match &item.kind {
            ItemKind::Function(function) => {
                self.purpose(public, &function.docs, &function.head.name, "function");
                let type_parameters =
                    self.type_parameters(function.head.type_parameters.as_ref(), &[], false);
                let grants = &*function.head.name.text == "main" && function.head.receiver().is_none();
                let signature = self.signature(&function.head, &type_parameters, false, grants);
                let kind = match function.head.receiver() {
                    Some(receiver) => {
                        let annotation = signature.parameters.first().map(|first| &first.annotation);
                        let head = annotation.and_then(Type::head);
                        self.receiver_place(receiver, annotation);
                        DefinitionKind::Method {
                            signature,
                            receiver: head,
                        }
                    }
                    None => DefinitionKind::Function(signature),
                };
                self.binding_names(&function.head);
                self.examples_allowed(&function.docs, &function.head);
                self.bound_modules(&function.head);
                self.define(definition(&function.head.name, type_parameters, kind));
            }
            ItemKind::Type(declaration) => {
                self.purpose(public, &declaration.docs, &declaration.name, "type");
                let type_parameters = self.plain_parameters(&declaration.parameters);
                let kind = self.type_kind(declaration, &type_parameters);
                let kind = DefinitionKind::Type(kind);
                self.define(definition(&declaration.name, type_parameters, kind));
            }
            ItemKind::Ability(ability) => {
                self.purpose(public, &ability.docs, &ability.name, "ability");
                let type_parameters = self.plain_parameters(&ability.parameters);
                let kind = self.ability(ability, &type_parameters);
                self.define(definition(
                    &ability.name,
                    type_parameters,
                    DefinitionKind::Ability(kind),
                ));
            }
            ItemKind::Constant(constant) => {
                self.purpose(public, &constant.docs, &constant.name, "constant");
                let annotation = self.scope.resolve_type(
                    &constant.annotation,
                    TypeNames::default(),
                    Place::Head,
                    &mut self.sink,
                );
                let kind = DefinitionKind::Constant(annotation);
                self.define(definition(&constant.name, Vec::new(), kind));
            }
            ItemKind::Test(test) => {
                let needs = self.scope.resolve_needs(&test.needs, true, &mut self.sink);
                self.define(Definition {
                    name: test.name.value.clone(),
                    name_span: test.name.span,
                    place,
                    public: false,
                    deprecated: false,
                    type_parameters: Vec::new(),
                    kind: DefinitionKind::Test { needs },
                });
            }
            ItemKind::Implementation(implementation) => self.implementation(place, implementation),
        }
    }

    fn implementation(&mut self, place: TreePlace, implementation: &tree::Implementation) {
        let type_parameters = self.type_parameters(implementation.type_parameters.as_ref(), &[], false);
        let parameters = names_of(&type_parameters);
        let names = TypeNames {
            parameters: &parameters,
            has_self: false,
        };
        let ability = self
            .scope
            .resolve_ability(&implementation.ability, names, Place::Head, &mut self.sink);
        let target = self
            .scope
            .resolve_type(&implementation.target, names, Place::Head, &mut self.sink);
        let id = DefId {
            module: self.scope.module,
            index: self.definitions.len() as u32,
        };
        let public = ability
            .as_ref()
            .is_some_and(|found| self.scope.entry(found.ability).public);
        let kind = DefinitionKind::Implementation(Implementation {
            ability,
            target: target.clone(),
        });
        self.define(Definition {
            name: "".into(),
            name_span: implementation.ability.name.span,
            place,
            public: false,
            deprecated: false,
            type_parameters: type_parameters.clone(),
            kind,
        });
        for (position, method) in implementation.methods.iter().enumerate() {
            self.documentation(&method.docs);
            let mut all = type_parameters.clone();
            let own = self.type_parameters(method.head.type_parameters.as_ref(), &parameters, false);
            all.extend(own);
            let mut signature = self.signature(&method.head, &all, false, false);
            if let Some(receiver) = method.head.receiver()
                && receiver.annotation.is_none()
                && let Some(first) = signature.parameters.first_mut()
            {
                first.annotation = target.clone();
            }
            self.binding_names(&method.head);
            self.examples_allowed(&method.docs, &method.head);
            self.define(Definition {
                name: method.head.name.text.clone(),
                name_span: method.head.name.span,
                place: TreePlace {
                    method: Some(position as u32),
                    ..place
                },
                public,
                deprecated: method.docs.deprecated().is_some(),
                type_parameters: all,
                kind: DefinitionKind::ImplementationMethod {
                    signature,
                    implementation: id,
                    receiver: target.head(),
                    // Known when all modules are declared.
                    method: None,
                },
            });
        }
    }

    fn plain_parameters(&mut self, list: &[Name]) -> Vec<TypeParameter> {
        let mut parameters: Vec<TypeParameter> = Vec::with_capacity(list.len());
        for name in list {
            self.distinct(name, parameters.iter().map(|known| &known.name), "type parameter");
            parameters.push(TypeParameter {
                name: name.text.clone(),
                span: name.span,
                bounds: Vec::new(),
            });
        }
        parameters
    }

    fn distinct<'n>(&mut self, name: &Name, mut known: impl Iterator<Item = &'n Arc<str>>, noun: &str) {
        if !name.is_missing() && known.any(|known| *known == name.text) {
            self.sink.report(
                Code::DuplicateName,
                name.span,
                format!("there is a {noun} `{}` already", name.text),
                "give one of the two another name",
            );
        }
    }

    /// Those of a `for any`, after `outer` ones that are in scope already.
    fn type_parameters(
        &mut self,
        spelled: Option<&tree::TypeParameters>,
        outer: &[Arc<str>],
        has_self: bool,
    ) -> Vec<TypeParameter> {
        let Some(spelled) = spelled else {
            return Vec::new();
        };
        let mut parameters = self.plain_parameters(&spelled.names);
        for name in &spelled.names {
            self.distinct(name, outer.iter(), "type parameter");
        }
        let all: Vec<Arc<str>> = outer
            .iter()
            .cloned()
            .chain(parameters.iter().map(|parameter| parameter.name.clone()))
            .collect();
        let names = TypeNames {
            parameters: &all,
            has_self,
        };
        for bound in &spelled.bounds {
            let ability = self
                .scope
                .resolve_ability(&bound.ability, names, Place::Head, &mut self.sink);
            let position = spelled
                .names
                .iter()
                .position(|name| name.text == bound.parameter.text);
            match (position, ability) {
                (Some(position), Some(ability)) => parameters[position].bounds.push(ability),
                (Some(_), None) => {}
                (None, _) => {
                    let listed: Vec<&str> = spelled.names.iter().map(|name| &*name.text).collect();
                    self.sink.report(
                        Code::UnknownType,
                        bound.parameter.span,
                        format!(
                            "`{}` is not a type parameter of this `for any`",
                            bound.parameter.text
                        ),
                        format!("bound one of {}", listed.join(", ")),
                    );
                }
            }
        }
        parameters
    }

    fn signature(
        &mut self,
        head: &Head,
        type_parameters: &[TypeParameter],
        in_ability: bool,
        grants: bool,
    ) -> Signature {
        let parameters = names_of(type_parameters);
        let names = TypeNames {
            parameters: &parameters,
            has_self: in_ability,
        };
        let mut list: Vec<Parameter> = Vec::with_capacity(head.parameters.len());
        for (position, parameter) in head.parameters.iter().enumerate() {
            if parameter.is_self && position > 0 {
                self.sink.report(
                    Code::SelfPosition,
                    parameter.name.span,
                    "`self` is the first parameter",
                    "write it before the others",
                );
            }
            self.distinct(&parameter.name, list.iter().map(|known| &known.name), "parameter");
            let annotation = match &parameter.annotation {
                Some(annotation) => self
                    .scope
                    .resolve_type(annotation, names, Place::Head, &mut self.sink),
                None if in_ability => Type::SelfType,
                None => Type::Error,
            };
            list.push(Parameter {
                name: parameter.name.text.clone(),
                span: parameter.name.span,
                annotation,
            });
        }
        let mut each = |spelled: &tree::Type| {
            self.scope
                .resolve_type(spelled, names, Place::Head, &mut self.sink)
        };
        let returns = head.returns.as_ref().map(&mut each);
        let fails = head.fails.iter().map(&mut each).collect();
        Signature {
            parameters: list,
            has_receiver: head.receiver().is_some(),
            returns,
            fails,
            needs: self.scope.resolve_needs(&head.needs, grants, &mut self.sink),
        }
    }

    /// A method stands in the module of its receiver's type.
    fn receiver_place(&mut self, receiver: &tree::Parameter, annotation: Option<&Type>) {
        let (message, fix) = match annotation {
            Some(Type::Named { definition, .. }) if definition.module == self.scope.module => return,
            Some(Type::Error) if receiver.annotation.is_some() => return,
            Some(Type::Named { definition, .. }) => {
                let name = &self.scope.entry(*definition).name;
                (
                    format!("a method of `{name}` stands in the module that declares `{name}`"),
                    "write a plain function: give the parameter another name than `self`",
                )
            }
            _ if receiver.annotation.is_none() => (
                "`self` has no type here".to_owned(),
                "write `self: T` with a type that this module declares",
            ),
            _ => (
                "a method belongs to a type that its module declares".to_owned(),
                "write a plain function: give the parameter another name than `self`",
            ),
        };
        self.sink.report(Code::MethodModule, receiver.span, message, fix);
    }

    /// Parameters may not repeat the name of a function or namespace (4.1).
    fn binding_names(&mut self, head: &Head) {
        if self.is_library() {
            return;
        }
        for parameter in head.parameters.iter().filter(|parameter| !parameter.is_self) {
            self.shadowing(&parameter.name);
        }
    }

    fn shadowing(&mut self, name: &Name) {
        if name.is_missing() {
            return;
        }
        let outline = &self.scope.outlines[self.scope.module.0 as usize];
        let function = outline
            .names
            .get(&name.text)
            .is_some_and(|index| outline.entries[*index as usize].kind == EntryKind::Function);
        let what = if function {
            "a function of this module"
        } else if self.namespaces.contains(&*name.text) {
            "an imported module"
        } else {
            return;
        };
        self.sink.report(
            Code::Shadowing,
            name.span,
            format!("`{}` is the name of {what}", name.text),
            "choose another name",
        );
    }

    fn type_kind(&mut self, declaration: &tree::TypeDeclaration, parameters: &[TypeParameter]) -> TypeKind {
        let names = names_of(parameters);
        match &declaration.kind {
            tree::TypeDeclarationKind::Record { fields, derives } => {
                let fields = self.fields(fields, &names);
                let derives = self.derives(derives, Some(&fields));
                let opaque =
                    self.is_library() && declaration.docs.tags().iter().any(|tag| &**tag == "opaque");
                if opaque {
                    TypeKind::Opaque { fields, derives }
                } else {
                    TypeKind::Record { fields, derives }
                }
            }
            tree::TypeDeclarationKind::Sum { variants, derives } => {
                let mut list: Vec<Variant> = Vec::with_capacity(variants.len());
                for variant in variants {
                    self.distinct(&variant.name, list.iter().map(|known| &known.name), "variant");
                    let fields = self.fields(&variant.fields, &names);
                    list.push(Variant {
                        name: variant.name.text.clone(),
                        span: variant.name.span,
                        fields,
                    });
                }
                let derives = self.derives(derives, None);
                TypeKind::Sum {
                    variants: list,
                    derives,
                }
            }
            tree::TypeDeclarationKind::Subtype { base, condition } => {
                let names = TypeNames {
                    parameters: &names,
                    has_self: false,
                };
                TypeKind::Subtype {
                    base: self.scope.resolve_type(base, names, Place::Head, &mut self.sink),
                    refined: condition.is_some(),
                }
            }
        }
    }

    fn fields(&mut self, list: &[tree::Field], parameters: &[Arc<str>]) -> Vec<Field> {
        let names = TypeNames {
            parameters,
            has_self: false,
        };
        let mut fields: Vec<Field> = Vec::with_capacity(list.len());
        for field in list {
            self.distinct(&field.name, fields.iter().map(|known| &known.name), "field");
            let annotation = self
                .scope
                .resolve_type(&field.annotation, names, Place::Head, &mut self.sink);
            fields.push(Field {
                name: field.name.text.clone(),
                span: field.name.span,
                annotation,
                refined: field.condition.is_some(),
                external_name: field.external_name.as_ref().map(|text| text.value.clone()),
            });
        }
        fields
    }

    fn derives(&mut self, list: &[tree::Derive], fields: Option<&[Field]>) -> Vec<Derive> {
        const DERIVABLE: [&str; 6] = ["Compare", "Hash", "ToText", "ToJson", "FromJson", "FromRow"];
        let mut derives = Vec::with_capacity(list.len());
        for derive in list {
            let name = &derive.ability;
            let Some(ability) = self.scope.find(&name.text, EntryKind::Ability) else {
                if !name.is_missing() {
                    self.scope.unknown_ability(name, &mut self.sink);
                }
                continue;
            };
            self.sink
                .refer(name.span, Target::Definition(ability), Role::Name, Place::Head);
            let standard = DERIVABLE.contains(&&*name.text) && self.is_standard(ability);
            let equal = &*name.text == "Equal" && ability.module == ModuleId(0);
            if !standard && !equal {
                self.sink.report(
                    Code::UnknownAbility,
                    name.span,
                    format!("`{}` cannot be derived", name.text),
                    format!("write an implementation: `ability {} for …`", name.text),
                );
                continue;
            }
            let mut by = Vec::new();
            for field in &derive.by {
                let position =
                    fields.and_then(|fields| fields.iter().position(|known| known.name == field.text));
                match position {
                    Some(position) => by.push(position),
                    None => {
                        let known = fields.unwrap_or_default().iter().map(|field| &*field.name);
                        let fix = match nearest(&field.text, known) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => "name a field of this type".to_owned(),
                        };
                        self.sink.report(
                            Code::UnknownField,
                            field.span,
                            format!("this type has no field `{}`", field.text),
                            fix,
                        );
                    }
                }
            }
            derives.push(Derive {
                ability,
                span: name.span,
                by,
            });
        }
        derives
    }

    /// One of the library: its outline is that of a declaration.
    fn is_standard(&self, ability: DefId) -> bool {
        ability.module == ModuleId(0)
            || (&*self.scope.entry(ability).name == "FromRow"
                && self.imports.iter().any(|import| import.module == ability.module))
    }

    fn ability(&mut self, ability: &tree::Ability, parameters: &[TypeParameter]) -> AbilityDeclaration {
        let names = names_of(parameters);
        let spelled = TypeNames {
            parameters: &names,
            has_self: true,
        };
        let requirements: Vec<AbilityReference> = ability
            .requirements
            .iter()
            .filter_map(|bound| {
                self.scope
                    .resolve_ability(&bound.ability, spelled, Place::Head, &mut self.sink)
            })
            .collect();
        let mut methods: Vec<AbilityMethod> = Vec::with_capacity(ability.methods.len());
        for method in &ability.methods {
            self.documentation(&method.docs);
            let name = &method.head.name;
            self.distinct(name, methods.iter().map(|known| &known.name), "method");
            let own = self.type_parameters(method.head.type_parameters.as_ref(), &names, true);
            let all: Vec<TypeParameter> = parameters.iter().cloned().chain(own.iter().cloned()).collect();
            let signature = self.signature(&method.head, &all, true, false);
            if let Some(need) = method.head.needs.first() {
                self.sink.report(
                    Code::MethodSignature,
                    need.span,
                    "a method of an ability has no effects",
                    "remove `needs`, or write a plain function",
                );
            }
            if !signature.has_receiver {
                self.sink.report(
                    Code::MethodSignature,
                    name.span,
                    "a method of an ability has `self` as its first parameter",
                    format!("write `{}(self, …)`", name.text),
                );
            }
            methods.push(AbilityMethod {
                name: name.text.clone(),
                span: name.span,
                signature,
                type_parameters: own,
            });
        }
        AbilityDeclaration {
            requirements,
            methods,
        }
    }

    /// Functions of foreign and Python modules have the shape that their bridge carries.
    fn bound_modules(&mut self, head: &Head) {
        match self.kind {
            ModuleKind::Foreign => {
                let needs = head.needs.iter().map(|need| need.target.path.to_string());
                let needs: Vec<String> = needs.collect();
                let plain = needs == ["foreign"] && head.fails.is_empty() && head.type_parameters.is_none();
                if !plain || head.receiver().is_some() {
                    self.sink.report(
                        Code::ForeignSignature,
                        head.name.span,
                        "a foreign function needs exactly `foreign`, cannot fail and has no type parameters",
                        format!("write `function {}(…) returns … needs foreign`", head.name.text),
                    );
                }
            }
            ModuleKind::Python { package } => {
                let python = matches!(&head.needs[..], [need]
                    if need.target.path.to_string() == "python"
                        && need.target.scope.as_ref().is_some_and(|scope| scope.value == *package));
                let fails = matches!(&head.fails[..], [tree::Type { kind: tree::TypeKind::Named(named), .. }]
                    if &*named.name.text == "PythonError");
                if !python || !fails || head.type_parameters.is_some() || head.receiver().is_some() {
                    self.sink.report(
                        Code::PythonSignature,
                        head.name.span,
                        format!(
                            "a Python function needs exactly `python(\"{package}\")`, fails with `PythonError` \
                             alone and has no type parameters"
                        ),
                        format!("write `or fails with PythonError needs python(\"{package}\")`"),
                    );
                }
            }
            _ => {}
        }
    }

    fn examples_allowed(&mut self, docs: &Docs, head: &Head) {
        if head.needs.is_empty() {
            return;
        }
        for example in docs.examples() {
            self.sink.report(
                Code::ExampleEffects,
                example.span,
                "a function with effects has no examples",
                "write a test with the same `needs`",
            );
        }
    }
}

fn names_of(parameters: &[TypeParameter]) -> Vec<Arc<str>> {
    parameters
        .iter()
        .map(|parameter| parameter.name.clone())
        .collect()
}

struct TypeOf(TypeKind);

impl From<TypeOf> for DefinitionKind {
    fn from(TypeOf(kind): TypeOf) -> Self {
        Self::Type(kind)
    }
}

/// Everything that is looked up across modules.
#[derive(Debug, Default)]
pub struct Tables {
    /// Every implementation, by ability and head type of its target; a target that is a type
    /// parameter, `maybe` or a function type stands under no head.
    pub implementations: HashMap<(DefId, Option<DefId>), Vec<DefId>>,
    /// Methods (declared on their own or in an implementation) by receiver and name.
    pub methods: HashMap<(DefId, Arc<str>), Vec<DefId>>,
    /// Methods of implementations for every type, by name.
    pub open_methods: HashMap<Arc<str>, Vec<DefId>>,
    /// Every ability that has a method of a name, and which method it is.
    pub ability_methods: HashMap<Arc<str>, Vec<(DefId, u32)>>,
    /// Stands for all implementations there are.
    pub implementations_hash: [u8; 32],
}

impl Tables {
    /// Those of all modules, in their order.
    pub fn of<'m>(modules: impl Iterator<Item = &'m Module>) -> Self {
        let mut tables = Self::default();
        let mut hasher = blake3::Hasher::new();
        for (module, declared) in modules.enumerate() {
            for (index, definition) in declared.definitions.iter().enumerate() {
                let id = DefId {
                    module: ModuleId(module as u32),
                    index: index as u32,
                };
                let name = &definition.name;
                match &definition.kind {
                    DefinitionKind::Ability(ability) => {
                        for (position, method) in ability.methods.iter().enumerate() {
                            let list = tables.ability_methods.entry(method.name.clone()).or_default();
                            list.push((id, position as u32));
                        }
                    }
                    DefinitionKind::Implementation(implementation) => {
                        hasher.update(format!("{id:?} {implementation:?}\n").as_bytes());
                        if let Some(ability) = &implementation.ability {
                            let key = (ability.ability, implementation.target.head());
                            tables.implementations.entry(key).or_default().push(id);
                        }
                    }
                    DefinitionKind::Method {
                        receiver: Some(receiver),
                        ..
                    }
                    | DefinitionKind::ImplementationMethod {
                        receiver: Some(receiver),
                        ..
                    } => tables
                        .methods
                        .entry((*receiver, name.clone()))
                        .or_default()
                        .push(id),
                    DefinitionKind::ImplementationMethod { receiver: None, .. } => {
                        tables.open_methods.entry(name.clone()).or_default().push(id);
                    }
                    _ => {}
                }
            }
        }
        tables.implementations_hash = *hasher.finalize().as_bytes();
        tables
    }

    /// Tells each method of an implementation which method of its ability it is.
    pub fn name_methods(&self, module: &mut Module) {
        let abilities: Vec<Option<DefId>> = module
            .definitions
            .iter()
            .map(|definition| match &definition.kind {
                DefinitionKind::Implementation(implementation) => {
                    implementation.ability.as_ref().map(|ability| ability.ability)
                }
                _ => None,
            })
            .collect();
        for definition in &mut module.definitions {
            if let DefinitionKind::ImplementationMethod {
                implementation,
                method,
                ..
            } = &mut definition.kind
            {
                let ability = abilities[implementation.index as usize];
                let named = self.ability_methods.get(&definition.name).into_iter().flatten();
                let mut named = named.filter(|(of, _)| Some(*of) == ability);
                *method = named.next().map(|(_, position)| *position);
            }
        }
    }
}

impl Definition {
    /// All type parameters in scope inside, as types.
    pub fn own_parameters(&self) -> Vec<Type> {
        (0..self.type_parameters.len())
            .map(|index| Type::Parameter(TypeParameterIndex(index as u16)))
            .collect()
    }
}
