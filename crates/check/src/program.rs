//! A program: modules with their declarations, and the tables in which names are found.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use syntax::tree;
use syntax::{Diagnostic, Parsed, Span};

use crate::declaration::{Definition, DefinitionKind};
use crate::declare::{Outline, Tables};
use crate::facts::Reference;
use crate::types::Type;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u32);

/// A definition: its module and its position there. It stays the same as long as the
/// module's declarations do, whatever its bodies say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId {
    pub module: ModuleId,
    pub index: u32,
}

impl fmt::Debug for ModuleId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "m{}", self.0)
    }
}

impl fmt::Debug for DefId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "m{}.{}", self.module.0, self.index)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModuleKind {
    Project,
    /// A file of a dependency.
    Package {
        name: Arc<str>,
        version: Arc<str>,
    },
    /// `std.…`, from the declarations that this crate carries.
    Library,
    /// Declarations bound to C libraries by the manifest.
    Foreign,
    /// Declarations bound to a Python package by the manifest.
    Python {
        package: Arc<str>,
    },
}

/// One file, with everything it declares.
#[derive(Debug)]
pub struct Module {
    /// As qualified names spell it: `desk.orders`, `std.prelude`, `package.part`.
    pub name: Arc<str>,
    pub kind: ModuleKind,
    /// The file as `project::Files` spells it; a library module's own name.
    pub file: Arc<str>,
    pub source: Arc<str>,
    pub parsed: Arc<Parsed>,
    /// In source order; those that were not found are left out.
    pub imports: Vec<Import>,
    pub definitions: Vec<Definition>,
    pub outline: Arc<Outline>,
    /// Types and abilities that stand unqualified here besides the module's own and the
    /// prelude's: `exposing`.
    pub exposed: BTreeMap<Arc<str>, DefId>,
    /// Variants that stand bare here, by name: of own, exposed and prelude sums.
    pub variants: BTreeMap<Arc<str>, Vec<VariantId>>,
    /// References in heads, imports, `see also:` and derives, per definition and (last) for
    /// the module itself.
    pub head_references: Vec<Vec<Reference>>,
    /// Of imports and declarations; not of lexer, parser and bodies.
    pub diagnostics: Vec<Diagnostic>,
    /// A hash of all that other modules can see; bodies, comments and documentation do not
    /// count. While it and those of the imported modules stay, a body's facts stay.
    pub interface: [u8; 32],
}

#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    /// The name by which it is used: the last segment, or what follows `as`.
    pub namespace: Arc<str>,
    pub module: ModuleId,
    pub span: Span,
    /// `import-errors` was reported: nothing is checked against it.
    pub broken: bool,
    /// Of the name in the source that makes the namespace.
    pub namespace_span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariantId {
    pub sum: DefId,
    pub index: u32,
}

/// All modules of one analysis. Module 0 is `std.prelude`.
#[derive(Clone, Debug)]
pub struct Program {
    pub modules: Vec<Arc<Module>>,
    /// Per module.
    pub outlines: Vec<Arc<Outline>>,
    pub by_name: Arc<HashMap<Arc<str>, ModuleId>>,
    pub prelude: Prelude,
    pub tables: Arc<Tables>,
}

/// The definitions that the language itself speaks of. `std.json` and the like are found by
/// name when they are imported.
#[derive(Clone, Debug)]
pub struct Prelude {
    pub integer: DefId,
    pub decimal: DefId,
    pub float: DefId,
    pub boolean: DefId,
    pub text: DefId,
    pub bytes: DefId,
    pub list: DefId,
    pub map: DefId,
    pub set: DefId,
    pub range: DefId,
    pub pair: DefId,
    pub duration: DefId,
    pub ordering: DefId,
    pub equal: DefId,
    pub compare: DefId,
    pub hash: DefId,
    pub to_text: DefId,
    pub to_json: DefId,
    pub from_json: DefId,
    pub iterable: DefId,
    pub constraint_violation: DefId,
    pub invalid_number: DefId,
    pub invalid_encoding: DefId,
    pub timed_out: DefId,
    pub guarded: DefId,
}

impl Module {
    pub fn tree(&self) -> &tree::Module {
        &self.parsed.module
    }

    pub fn item(&self, definition: &Definition) -> &tree::Item {
        &self.tree().items[definition.place.item as usize]
    }

    /// The tree of a function or of a method of any kind.
    pub fn function(&self, definition: &Definition) -> Option<&tree::Function> {
        match (&self.item(definition).kind, definition.place.method) {
            (tree::ItemKind::Function(function), None) => Some(function),
            (tree::ItemKind::Implementation(implementation), Some(method)) => {
                implementation.methods.get(method as usize)
            }
            _ => None,
        }
    }

    /// The text of a definition: of a method its own, of everything else its item.
    pub fn span(&self, definition: &Definition) -> Span {
        match (&self.item(definition).kind, definition.place.method) {
            (tree::ItemKind::Implementation(implementation), Some(method)) => {
                implementation.methods[method as usize].span
            }
            _ => self.item(definition).span,
        }
    }

    /// What the spans of a definition's [`crate::Facts`] count from.
    pub fn start(&self, definition: &Definition) -> u32 {
        self.span(definition).start
    }

    pub fn import(&self, namespace: &str) -> Option<&Import> {
        self.imports.iter().find(|import| &*import.namespace == namespace)
    }

    /// A module whose text this program is responsible for: not of the library, not of a package.
    pub fn is_own(&self) -> bool {
        matches!(
            self.kind,
            ModuleKind::Project | ModuleKind::Foreign | ModuleKind::Python { .. }
        )
    }

    /// What a package boundary separates.
    pub fn package(&self) -> Option<&str> {
        match &self.kind {
            ModuleKind::Package { name, .. } => Some(name),
            _ => None,
        }
    }

    pub fn is_declarations(&self) -> bool {
        matches!(
            self.kind,
            ModuleKind::Library | ModuleKind::Foreign | ModuleKind::Python { .. }
        )
    }
}

impl Prelude {
    /// Finds them in the prelude's outline, which this crate carries.
    pub(crate) fn of(outline: &Outline) -> Self {
        let find = |name: &str| DefId {
            module: ModuleId(0),
            index: outline.names.get(name).copied().unwrap_or_default(),
        };
        Self {
            integer: find("Integer"),
            decimal: find("Decimal"),
            float: find("Float"),
            boolean: find("Boolean"),
            text: find("Text"),
            bytes: find("Bytes"),
            list: find("List"),
            map: find("Map"),
            set: find("Set"),
            range: find("Range"),
            pair: find("Pair"),
            duration: find("Duration"),
            ordering: find("Ordering"),
            equal: find("Equal"),
            compare: find("Compare"),
            hash: find("Hash"),
            to_text: find("ToText"),
            to_json: find("ToJson"),
            from_json: find("FromJson"),
            iterable: find("Iterable"),
            constraint_violation: find("ConstraintViolation"),
            invalid_number: find("InvalidNumber"),
            invalid_encoding: find("InvalidEncoding"),
            timed_out: find("TimedOut"),
            guarded: find("Guarded"),
        }
    }
}

impl Program {
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }

    pub fn modules(&self) -> impl Iterator<Item = (ModuleId, &Module)> {
        let numbered = self.modules.iter().enumerate();
        numbered.map(|(index, module)| (ModuleId(index as u32), &**module))
    }

    pub fn definition(&self, id: DefId) -> &Definition {
        &self.module(id.module).definitions[id.index as usize]
    }

    /// A definition of a module by its own name.
    pub fn find(&self, module: ModuleId, name: &str) -> Option<DefId> {
        let index = *self.module(module).outline.names.get(name)?;
        Some(DefId { module, index })
    }

    /// `module.name`, `module.Type.method`, `module.Ability of A for Target`, `module.test:…`
    pub fn qualified_name(&self, id: DefId) -> String {
        format!("{}.{}", self.module(id.module).name, self.display_name(id))
    }

    /// The name within its module.
    pub fn display_name(&self, id: DefId) -> String {
        let definition = self.definition(id);
        match &definition.kind {
            DefinitionKind::Method { receiver, signature }
            | DefinitionKind::ImplementationMethod {
                receiver, signature, ..
            } => {
                let head = match (
                    receiver,
                    signature.parameters.first().map(|first| &first.annotation),
                ) {
                    (Some(head), _) => self.definition(*head).name.to_string(),
                    (None, Some(annotation @ Type::Parameter(_))) => self.spelling(annotation, definition),
                    _ => "Self".to_owned(),
                };
                format!("{head}.{}", definition.name)
            }
            DefinitionKind::Implementation(implementation) => {
                let ability = match &implementation.ability {
                    Some(ability) => self.ability_spelling(ability, definition),
                    None => "_".to_owned(),
                };
                format!(
                    "{ability} for {}",
                    self.spelling(&implementation.target, definition)
                )
            }
            DefinitionKind::Test { .. } => format!("test:{}", definition.name),
            _ => definition.name.to_string(),
        }
    }

    /// A type as the canonical layout writes it, with unqualified names. `inside` names the
    /// type parameters.
    pub fn spelling(&self, spelled: &Type, inside: &Definition) -> String {
        let mut out = String::new();
        self.spell(spelled, inside, &mut out);
        out
    }

    pub fn ability_spelling(
        &self,
        reference: &crate::types::AbilityReference,
        inside: &Definition,
    ) -> String {
        let spelled = Type::generic(reference.ability, reference.arguments.clone());
        self.spelling(&spelled, inside)
    }

    fn spell(&self, spelled: &Type, inside: &Definition, out: &mut String) {
        match spelled {
            Type::Named {
                definition,
                arguments,
            } => {
                out.push_str(&self.definition(*definition).name);
                let separator = if *definition == self.prelude.map {
                    " to "
                } else {
                    ", "
                };
                for (position, argument) in arguments.iter().enumerate() {
                    out.push_str(if position == 0 { " of " } else { separator });
                    self.spell(argument, inside, out);
                }
            }
            Type::Maybe(inner) => {
                out.push_str("maybe ");
                self.spell(inner, inside, out);
            }
            Type::Function(function) => {
                out.push_str("function(");
                for (position, parameter) in function.parameters.iter().enumerate() {
                    if position > 0 {
                        out.push_str(", ");
                    }
                    self.spell(parameter, inside, out);
                }
                out.push(')');
                if let Some(returns) = &function.returns {
                    out.push_str(" returns ");
                    self.spell(returns, inside, out);
                }
                for (position, failure) in function.fails.iter().enumerate() {
                    out.push_str(if position == 0 { " or fails with " } else { " or " });
                    self.spell(failure, inside, out);
                }
                for (position, need) in function.needs.iter().enumerate() {
                    out.push_str(if position == 0 { " needs " } else { ", " });
                    out.push_str(&need.spelling());
                }
            }
            Type::Parameter(index) => match inside.type_parameters.get(usize::from(index.0)) {
                Some(parameter) => out.push_str(&parameter.name),
                None => out.push('_'),
            },
            Type::SelfType => out.push_str("Self"),
            Type::NoValue => out.push_str("no value"),
            Type::Variable(_) | Type::Never | Type::Error => out.push('_'),
        }
    }
}
