//! The inside of one definition, checked against the declarations alone.

mod calls;
mod constant;
mod construct;
mod effects;
mod exhaustive;
mod expressions;
mod flow;
mod outcomes;
mod patterns;
mod queries;
mod statements;
mod unify;

pub(crate) use construct::collapsed;

use std::collections::BTreeSet;
use std::sync::Arc;

use syntax::tree::{self, Docs, ExampleOutcome, Expression, ItemKind, Name, NodeId, Span};
use syntax::{Code, Diagnostic};

use crate::declaration::{Definition, DefinitionKind, Field, Signature, TreePlace};
use crate::declare::{EntryKind, Scope, Sink, TypeNames};
use crate::facts::{Facts, ImplicitCall, Place, Reference, Role, Target};
use crate::program::{DefId, Module, ModuleId, Program};
use crate::types::{Capability, Type};

/// Checks a definition; past the last one of its module, the module's own examples.
pub fn check(program: &Program, id: DefId) -> Facts {
    let module = program.module(id.module);
    let nobody = Definition {
        name: module.name.clone(),
        name_span: Span::at(0),
        place: TreePlace {
            item: 0,
            method: None,
        },
        public: false,
        deprecated: false,
        type_parameters: Vec::new(),
        kind: DefinitionKind::Test { needs: Vec::new() },
    };
    let Some(definition) = module.definitions.get(id.index as usize) else {
        let mut body = Body::new(program, id.module, &nobody, module.tree().nodes);
        body.examples(&module.tree().docs);
        return body.finish(0);
    };
    let item = module.item(definition);
    let mut body = Body::new(program, id.module, definition, nodes_of(module, definition));
    match (&item.kind, &definition.kind) {
        (_, DefinitionKind::ImplementationMethod { signature, .. })
        | (ItemKind::Function(_), DefinitionKind::Function(signature))
        | (ItemKind::Function(_), DefinitionKind::Method { signature, .. }) => {
            if let Some(function) = module.function(definition) {
                body.function(function, signature);
            }
        }
        (ItemKind::Type(declaration), _) => body.type_declaration(declaration),
        (ItemKind::Ability(ability), _) => {
            body.examples(&ability.docs);
            for method in &ability.methods {
                let own = std::mem::replace(&mut body.types, vec![Type::Error; method.nodes as usize]);
                body.examples(&method.docs);
                body.types = own;
            }
        }
        (ItemKind::Constant(constant), DefinitionKind::Constant(annotation)) => {
            body.examples(&constant.docs);
            body.place = Place::Body;
            body.value(&constant.value, annotation);
            body.settle();
            body.effects(&[], "a constant");
        }
        (ItemKind::Test(test), DefinitionKind::Test { needs }) => {
            body.context = Context::Test;
            body.block_of_body(&test.body);
            body.effects(needs, "the test");
        }
        _ => {}
    }
    body.finish(module.start(definition))
}

/// How many nodes the part of the tree has that a definition's facts speak of.
fn nodes_of(module: &Module, definition: &Definition) -> u32 {
    if let Some(function) = module.function(definition) {
        return function.nodes;
    }
    match &module.item(definition).kind {
        ItemKind::Function(function) => function.nodes,
        ItemKind::Type(declaration) => declaration.nodes,
        ItemKind::Ability(ability) => ability.nodes,
        ItemKind::Implementation(implementation) => implementation.nodes,
        ItemKind::Constant(constant) => constant.nodes,
        ItemKind::Test(test) => test.nodes,
    }
}

/// What surrounds a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Context {
    Function,
    Test,
    /// A constant, condition or example: nothing can be returned or passed on.
    Pure,
}

#[derive(Clone, Debug)]
struct Local {
    name: Arc<str>,
    span: Span,
    node: NodeId,
    annotation: Type,
    mutable: bool,
    read: bool,
    /// Its not being read is no fault.
    exempt: bool,
    noun: &'static str,
    /// The task of the innermost `run concurrently` that bound it, and how deep that is.
    task: (usize, usize),
}

/// What an expression gives: its value's type, and how it can fail instead.
#[derive(Clone, Debug)]
struct Outcome {
    value: Type,
    fails: Vec<Type>,
    /// Whether it can fail cannot be told: a refinement of literals that is not evaluated.
    open: bool,
}

impl Outcome {
    fn of(value: Type) -> Self {
        Self {
            value,
            fails: Vec::new(),
            open: false,
        }
    }
}

/// A capability that the body uses, and where.
#[derive(Clone, Debug)]
struct Use {
    capability: Capability,
    span: Span,
    callee: DefId,
}

struct Body<'a> {
    program: &'a Program,
    module_id: ModuleId,
    module: &'a Module,
    inside: &'a Definition,
    parameters: Vec<Arc<str>>,
    broken: BTreeSet<ModuleId>,
    context: Context,
    place: Place,
    types: Vec<Type>,
    sink: Sink,
    implicit: Vec<ImplicitCall>,
    uses: Vec<Use>,
    /// Calls so far that have effects, through function values too.
    effectful: usize,
    locals: Vec<Local>,
    /// Positions in `locals` of what can be seen, innermost last.
    visible: Vec<usize>,
    /// What inference knows of its variables.
    variables: Vec<Option<Type>>,
    /// Variables in the order in which something was learned of them.
    trail: Vec<u32>,
    /// Variables that the statement at hand must settle, and where they come from.
    pending: Vec<(Type, Span, &'static str)>,
    /// Bounds of variables that are not settled yet.
    pending_bounds: Vec<calls::PendingBound>,
    returns: Option<Type>,
    fails: Vec<Type>,
    loops: usize,
    nesting: usize,
    /// `run concurrently` blocks around: how many, and which task of each.
    tasks: Vec<usize>,
    /// `loops` at the start of the innermost task.
    loops_outside: usize,
    /// Failures that a bare `fail` would pass on.
    passing: Option<Vec<Type>>,
    /// Fields of the type whose condition is being checked.
    siblings: Vec<Arc<str>>,
}

impl<'a> Body<'a> {
    fn new(program: &'a Program, module_id: ModuleId, inside: &'a Definition, nodes: u32) -> Self {
        let module = program.module(module_id);
        let broken = module.imports.iter().filter(|import| import.broken);
        Self {
            program,
            module_id,
            module,
            inside,
            parameters: inside
                .type_parameters
                .iter()
                .map(|known| known.name.clone())
                .collect(),
            broken: broken.map(|import| import.module).collect(),
            context: Context::Pure,
            place: Place::Example,
            types: vec![Type::Error; nodes as usize],
            sink: Sink::default(),
            implicit: Vec::new(),
            uses: Vec::new(),
            effectful: 0,
            locals: Vec::new(),
            visible: Vec::new(),
            variables: Vec::new(),
            trail: Vec::new(),
            pending: Vec::new(),
            pending_bounds: Vec::new(),
            returns: None,
            fails: Vec::new(),
            loops: 0,
            nesting: 0,
            tasks: Vec::new(),
            loops_outside: 0,
            passing: None,
            siblings: Vec::new(),
        }
    }

    fn finish(mut self, start: u32) -> Facts {
        let types = std::mem::take(&mut self.types);
        let types = types.iter().map(|part| self.deep(part)).collect();
        let mut used: Vec<Capability> = self.uses.iter().map(|used| used.capability.clone()).collect();
        used.sort();
        used.dedup();
        let mut references: Vec<Reference> = std::mem::take(&mut self.sink.references);
        references.sort_by_key(|reference| reference.span);
        for reference in &mut references {
            reference.span = reference.span.relative_to(start);
        }
        let introduced = self.locals.iter().filter(|local| local.node != NodeId(u32::MAX));
        let bindings = introduced
            .map(|local| (local.span.relative_to(start), local.node))
            .collect();
        let implicit = std::mem::take(&mut self.implicit);
        let implicit = implicit.into_iter().map(|call| ImplicitCall {
            subject: self.deep(&call.subject),
            ..call
        });
        let implicit = implicit.collect();
        let mut diagnostics: Vec<Diagnostic> = self.sink.diagnostics;
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
        diagnostics.dedup_by(|left, right| left.code == right.code && left.span == right.span);
        for diagnostic in &mut diagnostics {
            diagnostic.span = diagnostic.span.relative_to(start);
        }
        Facts {
            types,
            references,
            bindings,
            implicit,
            used,
            diagnostics,
        }
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>, fix: impl Into<String>) {
        self.sink.report(code, span, message, fix);
    }

    fn refer(&mut self, span: Span, target: Target, role: Role) {
        let place = self.place;
        self.sink.refer(span, target, role, place);
    }

    fn set_type(&mut self, node: NodeId, value: &Type) {
        if let Some(slot) = self.types.get_mut(node.index()) {
            *slot = value.clone();
        }
    }

    fn spelling(&self, spelled: &Type) -> String {
        self.program.spelling(&self.deep(spelled), self.inside)
    }

    fn names(&self, kind: EntryKind) -> Vec<&'a str> {
        static NONE: BTreeSet<ModuleId> = BTreeSet::new();
        let scope: Scope<'a> = Scope {
            outlines: &self.program.outlines,
            module: self.module_id,
            exposed: &self.module.exposed,
            broken: &NONE,
        };
        scope.names(kind)
    }

    fn scope_of(&self) -> Scope<'_> {
        Scope {
            outlines: &self.program.outlines,
            module: self.module_id,
            exposed: &self.module.exposed,
            broken: &self.broken,
        }
    }

    fn resolve_type(&mut self, spelled: &tree::Type) -> Type {
        let mut sink = std::mem::take(&mut self.sink);
        let names = TypeNames {
            parameters: &self.parameters,
            has_self: false,
        };
        let resolved = self
            .scope_of()
            .resolve_type(spelled, names, self.place, &mut sink);
        self.sink = sink;
        self.set_type(spelled.id, &resolved);
        resolved
    }

    fn function(&mut self, function: &tree::Function, signature: &Signature) {
        self.examples(&function.docs);
        let Some(block) = &function.body else { return };
        self.context = Context::Function;
        self.place = Place::Body;
        self.returns = signature.returns.clone();
        self.fails = signature.fails.clone();
        for (parameter, declared) in function.head.parameters.iter().zip(&signature.parameters) {
            self.set_type(parameter.id, &declared.annotation);
            self.locals.push(Local {
                name: parameter.name.text.clone(),
                span: parameter.name.span,
                node: parameter.id,
                annotation: declared.annotation.clone(),
                mutable: false,
                read: false,
                exempt: parameter.is_self,
                noun: "parameter",
                task: (0, 0),
            });
            self.visible.push(self.locals.len() - 1);
        }
        self.block_of_body(block);
        self.missing_return(function, block);
        let what = format!("`{}`", function.head.name.text);
        self.effects(&signature.needs, &what);
    }

    fn type_declaration(&mut self, declaration: &tree::TypeDeclaration) {
        self.examples(&declaration.docs);
        self.place = Place::Condition;
        let kind = self.inside.as_type();
        match &declaration.kind {
            tree::TypeDeclarationKind::Record { fields, .. } => {
                let declared = kind.and_then(|kind| kind.fields()).unwrap_or_default();
                self.conditions(fields, declared);
            }
            tree::TypeDeclarationKind::Sum { variants, .. } => {
                let declared = kind.and_then(|kind| kind.variants()).unwrap_or_default();
                for (variant, declared) in variants.iter().zip(declared) {
                    self.conditions(&variant.fields, &declared.fields);
                }
            }
            tree::TypeDeclarationKind::Subtype { condition, .. } => {
                if let (Some(condition), Some(crate::TypeKind::Subtype { base, .. })) = (condition, kind) {
                    self.condition("value".into(), base.clone(), condition);
                }
            }
        }
        self.effects(&[], "a condition");
    }

    fn conditions(&mut self, fields: &[tree::Field], declared: &[Field]) {
        self.siblings = fields.iter().map(|field| field.name.text.clone()).collect();
        for (field, declared) in fields.iter().zip(declared) {
            if let Some(condition) = &field.condition {
                self.condition(field.name.text.clone(), declared.annotation.clone(), condition);
            }
        }
        self.siblings.clear();
    }

    fn condition(&mut self, name: Arc<str>, annotation: Type, condition: &Expression) {
        self.locals.push(Local {
            name,
            span: Span::at(condition.span.start),
            node: NodeId(u32::MAX),
            annotation,
            mutable: false,
            read: false,
            exempt: true,
            noun: "field",
            task: (0, 0),
        });
        self.visible.push(self.locals.len() - 1);
        let boolean = Type::named(self.program.prelude.boolean);
        self.value(condition, &boolean);
        self.settle();
        self.visible.pop();
    }

    fn examples(&mut self, docs: &Docs) {
        self.place = Place::Example;
        for example in docs.examples() {
            let before = self.uses.len();
            match &example.outcome {
                ExampleOutcome::Is(value) => {
                    let literal = expressions::is_literal_like(&example.subject);
                    let subject = if literal && !expressions::is_literal_like(value) {
                        let other = self.expression(value, None);
                        let subject = self.fallible(&example.subject, Some(&other)).value;
                        self.comparable(&subject, &other, example.span);
                        subject
                    } else {
                        let subject = self.fallible(&example.subject, None).value;
                        let other = self.expression(value, Some(&subject));
                        self.comparable(&subject, &other, example.span);
                        subject
                    };
                    self.needs_equal(&subject, example.span);
                }
                ExampleOutcome::FailsWith(pattern) => {
                    let subject = self.fallible(&example.subject, None);
                    if subject.fails.is_empty() && !subject.open {
                        if !matches!(self.shallow(&subject.value), Type::Error) {
                            self.report(
                                Code::ExampleFails,
                                example.subject.span,
                                "this cannot fail",
                                "write `is` and the value it gives",
                            );
                        }
                    } else {
                        self.open_scope();
                        self.failure_pattern(pattern, &subject.fails);
                        self.close_scope_quietly();
                    }
                }
                ExampleOutcome::Error => {}
            }
            self.settle();
            // What an example calls has no effects; the head's own `needs` were told already.
            self.uses.truncate(before);
        }
    }

    // Scopes.

    fn open_scope(&mut self) {
        self.visible.push(usize::MAX);
    }

    fn close_scope(&mut self) {
        while let Some(index) = self.visible.pop() {
            if index == usize::MAX {
                break;
            }
            self.unused(index);
        }
    }

    fn close_scope_quietly(&mut self) {
        while let Some(index) = self.visible.pop() {
            if index == usize::MAX {
                break;
            }
        }
    }

    fn unused(&mut self, index: usize) {
        let local = &self.locals[index];
        if local.read || local.exempt || local.name.is_empty() {
            return;
        }
        let (span, name, noun) = (local.span, local.name.clone(), local.noun);
        let fix = match noun {
            "pattern variable" => format!("leave `{name}` out of the pattern, or use it"),
            "parameter" => format!("remove the parameter `{name}`, or use it"),
            _ => format!("remove `{name}`, or use it"),
        };
        self.report(
            Code::UnusedBinding,
            span,
            format!("the {noun} `{name}` is never read"),
            fix,
        );
    }

    /// Binds a name in the innermost scope, and says when it hides another.
    fn bind(&mut self, name: &Name, node: NodeId, annotation: Type, noun: &'static str) -> usize {
        self.set_type(node, &annotation);
        if !name.is_missing() {
            self.shadowing(name);
        }
        let task = (self.tasks.len(), self.tasks.last().copied().unwrap_or_default());
        self.locals.push(Local {
            name: name.text.clone(),
            span: name.span,
            node,
            annotation,
            mutable: false,
            read: false,
            exempt: false,
            noun,
            task,
        });
        let index = self.locals.len() - 1;
        self.visible.push(index);
        index
    }

    fn shadowing(&mut self, name: &Name) {
        let what = if self.find_local(&name.text).is_some() {
            "is bound around this"
        } else if self.own_function(&name.text).is_some() {
            "is a function of this module"
        } else if self.module.import(&name.text).is_some() {
            "is an imported module"
        } else {
            return;
        };
        self.report(
            Code::Shadowing,
            name.span,
            format!("`{}` {what}", name.text),
            "choose another name",
        );
    }

    fn find_local(&self, name: &str) -> Option<usize> {
        let visible = self.visible.iter().rev().copied();
        visible
            .filter(|index| *index != usize::MAX)
            .find(|index| &*self.locals[*index].name == name)
    }

    /// A definition of the module at hand by its name.
    fn own(&self, name: &str) -> Option<DefId> {
        self.program.find(self.module_id, name)
    }

    fn own_function(&self, name: &str) -> Option<DefId> {
        let id = self.own(name)?;
        matches!(self.program.definition(id).kind, DefinitionKind::Function(_)).then_some(id)
    }
}
