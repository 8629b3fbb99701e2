//! Calls of functions and methods.

use syntax::Code;
use syntax::tree::{Arguments, ExpressionKind, Link, Name, Span};

use super::construct::Naming;
use super::{Body, Outcome};
use crate::abilities::Evidence;
use crate::declaration::{AbilityMethod, DefinitionKind, Signature, TypeKind, TypeParameter};
use crate::declare::EntryKind;
use crate::facts::{Role, Target};
use crate::names::nearest;
use crate::program::{DefId, ModuleId};
use crate::types::{AbilityReference, FunctionType, Type};

/// A bound of a call's type argument, to be met when the argument is known.
#[derive(Clone, Debug)]
pub(super) struct PendingBound {
    pub(super) argument: Type,
    pub(super) ability: AbilityReference,
    pub(super) span: Span,
}

/// What a name before a dot or an argument list leads to.
enum Method {
    /// A method of the program, with the type arguments that its receiver fixes.
    Plain(DefId),
    /// Of a bound, or derived: the ability's own method.
    Ability { ability: AbilityReference, method: u32 },
}

impl<'a> Body<'a> {
    /// `name(…)`
    pub(super) fn call(&mut self, name: &Name, arguments: &Arguments, expected: Option<&Type>) -> Outcome {
        if let Some(index) = self.find_local(&name.text) {
            let of = self.read_local(index, name.span, Role::Call);
            return self.call_value(&of, name, arguments);
        }
        let Some(id) = self.own(&name.text) else {
            self.loose_arguments(arguments);
            if !name.is_missing() {
                self.unknown_function(name);
            }
            return Outcome::of(Type::Error);
        };
        self.call_named(id, name, arguments, expected)
    }

    /// A function by its name, of this or another module.
    fn call_named(
        &mut self,
        id: DefId,
        name: &Name,
        arguments: &Arguments,
        expected: Option<&Type>,
    ) -> Outcome {
        let program = self.program;
        let definition = program.definition(id);
        match &definition.kind {
            DefinitionKind::Function(signature) => {
                self.refer(name.span, Target::Definition(id), Role::Call);
                self.call_signature(
                    Callee::of(id, signature, &definition.type_parameters),
                    None,
                    name,
                    arguments,
                    expected,
                )
            }
            _ => {
                let noun = program.outlines[id.module.0 as usize].entries[id.index as usize]
                    .kind
                    .noun();
                self.refer(name.span, Target::Definition(id), Role::Read);
                self.loose_arguments(arguments);
                self.report(
                    Code::NotCallable,
                    name.span,
                    format!("`{}` is a {noun}, not a function", name.text),
                    "call a function, or leave out the parentheses",
                );
                Outcome::of(Type::Error)
            }
        }
    }

    fn unknown_function(&mut self, name: &Name) {
        let program = self.program;
        // A method of this module, or of a type in sight.
        let is_method = program.tables.ability_methods.contains_key(&name.text)
            || program.tables.open_methods.contains_key(&name.text)
            || program.tables.methods.iter_names(&name.text);
        let functions = self.names(EntryKind::Function);
        let own = self.module.outline.entries.iter();
        let own_method = own.clone().any(|entry| {
            matches!(entry.kind, EntryKind::Method | EntryKind::ImplementationMethod)
                && entry.name == name.text
        });
        if own_method {
            self.report(
                Code::MethodCall,
                name.span,
                format!("`{}` is a method", name.text),
                format!("call it on a value: `value.{}(…)`", name.text),
            );
            return;
        }
        let near = nearest(
            &name.text,
            functions.iter().copied().filter(|near| self.own(near).is_some()),
        );
        if near.is_none() && is_method {
            self.report(
                Code::MethodCall,
                name.span,
                format!("`{}` is a method", name.text),
                format!("call it on a value: `value.{}(…)`", name.text),
            );
            return;
        }
        let fix = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => match self.home_of_function(&name.text) {
                Some((namespace, true)) => format!("write `{namespace}.{}(…)`", name.text),
                Some((module, false)) => format!("import `{module}` and write `….{}(…)`", name.text),
                None => format!("declare `function {}(…)`", name.text),
            },
        };
        self.report(
            Code::UnknownFunction,
            name.span,
            format!("there is no function `{}` here", name.text),
            fix,
        );
    }

    /// Where a public function of that name is: a namespace of this module, or a module to import.
    pub(super) fn home_of_function(&self, name: &str) -> Option<(String, bool)> {
        let program = self.program;
        let public = |module: ModuleId| {
            program
                .find(module, name)
                .is_some_and(|id| program.definition(id).public)
        };
        let imported = self.module.imports.iter().find(|import| public(import.module));
        if let Some(import) = imported {
            return Some((import.namespace.to_string(), true));
        }
        let found = program.modules().find(|(id, _)| public(*id))?;
        Some((found.1.name.to_string(), false))
    }

    /// `namespace.name(…)`, `namespace.name`
    pub(super) fn qualified(
        &mut self,
        namespace: &Name,
        import: usize,
        link: &Link,
        expected: Option<&Type>,
    ) -> Outcome {
        let program = self.program;
        let import = &self.module.imports[import];
        let (module, is_broken) = (import.module, import.broken);
        self.refer(namespace.span, Target::Module(module), Role::Name);
        let name = &link.name;
        let found = program.find(module, &name.text);
        if is_broken {
            if let Some(id) = found {
                self.refer(name.span, Target::Definition(id), Role::Call);
            }
            if let Some(arguments) = &link.arguments {
                self.loose_arguments(arguments);
            }
            return Outcome::of(Type::Error);
        }
        let spelled = &program.module(module).name;
        let Some(id) = found else {
            if let Some(arguments) = &link.arguments {
                self.loose_arguments(arguments);
            }
            if name.is_missing() {
                return Outcome::of(Type::Error);
            }
            let entries = program.outlines[module.0 as usize].entries.iter();
            let method = entries
                .clone()
                .any(|entry| entry.kind == EntryKind::Method && entry.name == name.text);
            if method {
                self.report(
                    Code::MethodCall,
                    name.span,
                    format!("`{}` is a method of a type of `{spelled}`", name.text),
                    format!("call it on a value: `value.{}(…)`", name.text),
                );
                return Outcome::of(Type::Error);
            }
            let candidates = entries
                .filter(|entry| {
                    entry.public && matches!(entry.kind, EntryKind::Function | EntryKind::Constant)
                })
                .map(|entry| &*entry.name);
            let fix = match nearest(&name.text, candidates) {
                Some(near) => format!("did you mean `{}.{near}`?", namespace.text),
                None => format!("call a function that `{spelled}` declares"),
            };
            let (code, noun) = match link.arguments {
                Some(_) => (Code::UnknownFunction, "function"),
                None => (Code::UnknownName, "name"),
            };
            self.report(
                code,
                name.span,
                format!("the module `{spelled}` has no {noun} `{}`", name.text),
                fix,
            );
            return Outcome::of(Type::Error);
        };
        let definition = program.definition(id);
        if !definition.public && module != self.module_id {
            self.report(
                Code::PrivateName,
                name.span,
                format!("`{}` is private to `{spelled}`", name.text),
                "make it public there, or do without it",
            );
        }
        match &link.arguments {
            Some(arguments) => self.call_named(id, name, arguments, expected),
            None => self.name_of(id, name),
        }
    }

    /// A function or constant by its name, as a value.
    pub(super) fn name_of(&mut self, id: DefId, name: &Name) -> Outcome {
        let program = self.program;
        let definition = program.definition(id);
        match &definition.kind {
            DefinitionKind::Function(signature) => {
                self.refer(name.span, Target::Definition(id), Role::Pass);
                self.deprecated(definition.deprecated, name);
                let arguments: Vec<Type> = definition.type_parameters.iter().map(|_| self.fresh()).collect();
                for argument in &arguments {
                    self.pending.push((argument.clone(), name.span, "this function"));
                }
                self.bounds(&definition.type_parameters, &arguments, &Type::Error, name.span);
                self.charge(id, &signature.needs, name.span);
                let each = |part: &Type| part.substitute(&arguments, None);
                Outcome::of(Type::Function(std::sync::Arc::new(FunctionType {
                    parameters: signature
                        .parameters
                        .iter()
                        .map(|parameter| each(&parameter.annotation))
                        .collect(),
                    returns: signature.returns.as_ref().map(each),
                    fails: signature.fails.iter().map(each).collect(),
                    needs: signature.needs.clone(),
                })))
            }
            DefinitionKind::Constant(annotation) => {
                self.refer(name.span, Target::Definition(id), Role::Read);
                self.deprecated(definition.deprecated, name);
                Outcome::of(annotation.clone())
            }
            _ => {
                self.refer(name.span, Target::Definition(id), Role::Name);
                self.report(
                    Code::TypeAsValue,
                    name.span,
                    format!("`{}` is no value", name.text),
                    "name a function or constant",
                );
                Outcome::of(Type::Error)
            }
        }
    }

    fn deprecated(&mut self, deprecated: bool, name: &Name) {
        if deprecated {
            self.report(
                Code::Deprecated,
                name.span,
                format!("`{}` is deprecated", name.text),
                "its `deprecated:` line says what to write instead",
            );
        }
    }

    /// A call through a binding or field that holds a function.
    pub(super) fn call_value(&mut self, of: &Type, name: &Name, arguments: &Arguments) -> Outcome {
        match self.shallow(of) {
            Type::Function(function) => {
                let wanted: Vec<(&str, Type)> = function
                    .parameters
                    .iter()
                    .map(|part| ("", part.clone()))
                    .collect();
                let what = format!("`{}`", name.text);
                self.named_arguments(&what, arguments, &wanted, Naming::Positional, name.span);
                if !function.needs.is_empty() {
                    self.effectful += 1;
                }
                Outcome {
                    value: function.returns.clone().unwrap_or(Type::NoValue),
                    fails: function.fails.clone(),
                    open: false,
                }
            }
            Type::Error | Type::Never => {
                self.loose_arguments(arguments);
                Outcome::of(Type::Error)
            }
            other => {
                self.loose_arguments(arguments);
                let spelling = self.spelling(&other);
                self.report(
                    Code::NotCallable,
                    name.span,
                    format!("`{}` is a `{spelling}`, not a function", name.text),
                    "call a function, or leave out the parentheses",
                );
                Outcome::of(Type::Error)
            }
        }
    }

    /// `receiver.name(…)`
    pub(super) fn call_method(
        &mut self,
        receiver: &Type,
        link: &Link,
        arguments: &Arguments,
        expected: Option<&Type>,
    ) -> Outcome {
        let name = &link.name;
        let receiver = self.deep(receiver);
        match &receiver {
            Type::Error | Type::Never => {
                self.loose_arguments(arguments);
                return Outcome::of(Type::Error);
            }
            Type::NoValue => {
                self.loose_arguments(arguments);
                self.report(
                    Code::TypeMismatch,
                    link.span,
                    "what is before the dot returns nothing",
                    "call the method on a value",
                );
                return Outcome::of(Type::Error);
            }
            _ => {}
        }
        let program = self.program;
        if name.is_missing() {
            self.loose_arguments(arguments);
            return Outcome::of(Type::Error);
        }
        match self.find_method(&receiver, &name.text) {
            Some(Method::Plain(id)) => {
                let definition = program.definition(id);
                let Some(signature) = definition.signature() else {
                    return Outcome::of(Type::Error);
                };
                self.refer(name.span, Target::Definition(id), Role::Call);
                let plain = matches!(definition.kind, DefinitionKind::Method { .. });
                if plain && !definition.public && id.module != self.module_id {
                    let module = &program.module(id.module).name;
                    self.report(
                        Code::PrivateName,
                        name.span,
                        format!("the method `{}` is private to `{module}`", name.text),
                        "make it public there, or do without it",
                    );
                }
                self.call_signature(
                    Callee::of(id, signature, &definition.type_parameters),
                    Some(&receiver),
                    name,
                    arguments,
                    expected,
                )
            }
            Some(Method::Ability { ability, method }) => {
                let Some(declared) = program.definition(ability.ability).as_ability() else {
                    return Outcome::of(Type::Error);
                };
                let declared: &AbilityMethod = &declared.methods[method as usize];
                self.refer(
                    name.span,
                    Target::AbilityMethod {
                        ability: ability.ability,
                        method,
                    },
                    Role::Call,
                );
                self.call_signature(
                    Callee {
                        id: ability.ability,
                        signature: &declared.signature,
                        given: ability.arguments.clone(),
                        open: &declared.type_parameters,
                        self_type: Some(receiver.clone()),
                    },
                    Some(&receiver),
                    name,
                    arguments,
                    expected,
                )
            }
            None => self.no_method(&receiver, link, arguments),
        }
    }

    /// The method of a name: of the type itself, then of what it stands on, then of its abilities.
    fn find_method(&mut self, receiver: &Type, name: &str) -> Option<Method> {
        let program = self.program;
        if let Type::Parameter(index) = receiver {
            let bounds = self.inside.type_parameters.get(usize::from(index.0));
            let bounds = bounds
                .map(|parameter| parameter.bounds.as_slice())
                .unwrap_or_default();
            for bound in bounds {
                for ability in program.brought(bound, receiver) {
                    let declared = program.definition(ability.ability).as_ability()?;
                    let method = declared.methods.iter().position(|method| &*method.name == name);
                    if let Some(method) = method {
                        return Some(Method::Ability {
                            ability,
                            method: method as u32,
                        });
                    }
                }
            }
        }
        for current in self.bases(receiver) {
            if let Some(head) = current.head()
                && let Some(list) = program.tables.methods.get(&(head, name.into()))
            {
                let fits = |id: &&DefId| {
                    let signature = program.definition(**id).signature();
                    let first = signature.and_then(|signature| signature.parameters.first());
                    first.is_some_and(|first| program.matched(**id, &first.annotation, &current).is_some())
                };
                let visible = |id: &DefId| id.module == self.module_id || program.definition(*id).public;
                let mut fitting: Vec<&DefId> = list.iter().filter(fits).collect();
                fitting.sort_by_key(|id| !visible(id));
                if let Some(found) = fitting.first() {
                    return Some(Method::Plain(**found));
                }
            }
        }
        if let Some(open) = program.tables.open_methods.get(name) {
            let fits = |id: &&DefId| {
                let signature = program.definition(**id).signature();
                let first = signature.and_then(|signature| signature.parameters.first());
                first.is_some_and(|first| program.matched(**id, &first.annotation, receiver).is_some())
            };
            if let Some(found) = open.iter().find(fits) {
                return Some(Method::Plain(*found));
            }
        }
        // Derived, or structural.
        let declared = program.tables.ability_methods.get(name).into_iter().flatten();
        for (ability, method) in declared {
            if matches!(receiver, Type::Maybe(_)) && *ability != program.prelude.to_text {
                continue;
            }
            if let Some(Evidence::Arguments(arguments)) = program.evidence(receiver, *ability, self.inside) {
                return Some(Method::Ability {
                    ability: AbilityReference {
                        ability: *ability,
                        arguments,
                    },
                    method: *method,
                });
            }
        }
        None
    }

    fn no_method(&mut self, receiver: &Type, link: &Link, arguments: &Arguments) -> Outcome {
        let program = self.program;
        let name = &link.name;
        // A field that holds a function.
        if let Type::Named {
            definition,
            arguments: parameters,
        } = self.bottom(receiver)
            && let Some(fields) = program
                .definition(definition)
                .as_type()
                .and_then(TypeKind::fields)
            && let Some(position) = fields.iter().position(|field| field.name == name.text)
        {
            let of = fields[position].annotation.substitute(&parameters, None);
            self.refer(
                name.span,
                Target::Field {
                    owner: definition,
                    variant: None,
                    field: position as u32,
                },
                Role::Call,
            );
            return self.call_value(&of, name, arguments);
        }
        self.loose_arguments(arguments);
        if let Type::Variable(_) = receiver {
            self.report(
                Code::TypeMismatch,
                link.span,
                "the type of what is before the dot is not known yet",
                "write its type where it is bound",
            );
            return Outcome::of(Type::Error);
        }
        let spelling = self.spelling(receiver);
        if let Type::Maybe(inner) = receiver {
            let inner = inner.clone();
            if self.find_method(&inner, &name.text).is_some() {
                self.report(
                    Code::MaybeValue,
                    link.span,
                    format!(
                        "this is a `{spelling}`, and `{}` is a method of what may be in it",
                        name.text
                    ),
                    "say what happens without one: `(… otherwise …)`, or `match` on it",
                );
                return Outcome::of(Type::Error);
            }
        }
        if self.own_function(&name.text).is_some() {
            self.report(
                Code::NotAMethod,
                name.span,
                format!("`{}` is a function, not a method", name.text),
                format!("write `{}(…)` with the value among the arguments", name.text),
            );
            return Outcome::of(Type::Error);
        }
        let mut known: Vec<&str> = Vec::new();
        for current in self.bases(receiver) {
            if let Some(head) = current.head() {
                known.extend(program.tables.methods.names_of(head));
            }
        }
        known.sort_unstable();
        known.dedup();
        let fix =
            match nearest(&name.text, known.iter().copied()).or_else(|| foreign_method(&name.text, &known)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => match known[..] {
                    [] => "call a function, or write a method".to_owned(),
                    _ if known.len() <= 12 => format!("its methods are {}", known.join(", ")),
                    _ => format!("`{spelling}` has {} methods, none of them near this", known.len()),
                },
            };
        self.report(
            Code::UnknownMethod,
            name.span,
            format!("a `{spelling}` has no method `{}`", name.text),
            fix,
        );
        Outcome::of(Type::Error)
    }

    fn call_signature(
        &mut self,
        callee: Callee<'a>,
        receiver: Option<&Type>,
        name: &Name,
        arguments: &Arguments,
        expected: Option<&Type>,
    ) -> Outcome {
        let signature = callee.signature;
        let mut given = callee.given.clone();
        let first_open = given.len();
        for _ in callee.open {
            let fresh = self.fresh();
            self.pending
                .push((fresh.clone(), name.span, "the result of this call"));
            given.push(fresh);
        }
        let self_type = callee.self_type.clone();
        let each = |part: &Type| part.substitute(&given, self_type.as_ref());
        let deprecated = match callee.signature_is_of_definition() {
            true => self.program.definition(callee.id).deprecated,
            false => false,
        };
        self.deprecated(deprecated, name);
        let mut parameters = signature.parameters.iter();
        if signature.has_receiver
            && let Some(first) = parameters.next()
            && let Some(receiver) = receiver
        {
            let wanted = each(&first.annotation);
            self.expect(receiver, &wanted, name.span);
        }
        let wanted: Vec<(&str, Type)> = parameters
            .map(|parameter| (&*parameter.name, each(&parameter.annotation)))
            .collect();
        let what = format!("`{}`", name.text);
        self.named_arguments(&what, arguments, &wanted, Naming::Parameters, name.span);
        let value = signature.returns.as_ref().map_or(Type::NoValue, each);
        self.hint(&value, expected);
        let own_self = self_type.clone().unwrap_or(Type::Error);
        self.bounds_of(callee.open, &given, first_open, &own_self, name.span);
        self.charge(callee.id, &signature.needs, name.span);
        if matches!(&*name.text, "matches") && callee.id.module == ModuleId(0) {
            self.matches_literal(arguments);
        }
        Outcome {
            value,
            fails: signature.fails.iter().map(each).collect(),
            open: false,
        }
    }

    fn matches_literal(&mut self, arguments: &Arguments) {
        if let [only] = &arguments.list[..]
            && let ExpressionKind::Text(text) = &only.value.kind
            && let Some(text) = text.plain()
        {
            self.pattern_literal(&text, only.value.span);
        }
    }

    fn bounds(&mut self, parameters: &[TypeParameter], given: &[Type], self_type: &Type, span: Span) {
        self.bounds_of(parameters, given, 0, self_type, span);
    }

    /// What `where` asks of the type arguments, whose own ones start at `first`.
    fn bounds_of(
        &mut self,
        parameters: &[TypeParameter],
        given: &[Type],
        first: usize,
        self_type: &Type,
        span: Span,
    ) {
        for (position, parameter) in parameters.iter().enumerate() {
            for bound in &parameter.bounds {
                let pending = PendingBound {
                    argument: given[first + position].clone(),
                    ability: bound.substitute(given, self_type),
                    span,
                };
                if matches!(self.shallow(&pending.argument), Type::Variable(_)) {
                    self.pending_bounds.push(pending);
                } else {
                    self.check_bound(&pending);
                }
            }
        }
    }

    pub(super) fn check_bound(&mut self, bound: &PendingBound) {
        let argument = self.deep(&bound.argument);
        let evidence = self
            .program
            .evidence(&argument, bound.ability.ability, self.inside);
        let fits = match evidence {
            Some(Evidence::Arguments(arguments)) => {
                let pairs: Vec<(Type, Type)> = arguments
                    .into_iter()
                    .zip(bound.ability.arguments.clone())
                    .collect();
                pairs.iter().all(|(found, wanted)| self.try_unify(found, wanted))
            }
            Some(Evidence::Unknown) => true,
            None => false,
        };
        if fits {
            return;
        }
        let ability = AbilityReference {
            ability: bound.ability.ability,
            arguments: bound
                .ability
                .arguments
                .iter()
                .map(|part| self.deep(part))
                .collect(),
        };
        let wanted = self.program.ability_spelling(&ability, self.inside);
        let found = self.spelling(&argument);
        let fix = match &argument {
            Type::Parameter(_) => format!("add the bound: `where {found} can {wanted}`"),
            _ => format!("add `can {wanted}` to `{found}`, or write `ability {wanted} for {found}`"),
        };
        self.report(
            Code::MissingAbility,
            bound.span,
            format!("this asks for `{wanted}`, which `{found}` does not have"),
            fix,
        );
    }
}

/// What is called: its signature, with the type arguments that are given and those that are open.
struct Callee<'a> {
    /// Whose needs are charged: the function, or the ability of a method.
    id: DefId,
    signature: &'a Signature,
    given: Vec<Type>,
    open: &'a [TypeParameter],
    self_type: Option<Type>,
}

impl<'a> Callee<'a> {
    fn of(id: DefId, signature: &'a Signature, open: &'a [TypeParameter]) -> Self {
        Self {
            id,
            signature,
            given: Vec::new(),
            open,
            self_type: None,
        }
    }

    /// Not of an ability's method.
    fn signature_is_of_definition(&self) -> bool {
        self.self_type.is_none()
    }
}

/// What other languages call a method that is known by another name.
fn foreign_method<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let candidates: &[&str] = match name {
        "len" | "size" | "count" => &["length"],
        "push" | "push_back" | "add" | "insert" => &["append", "add", "set"],
        "extend" | "concat" | "append_list" => &["append_all", "merged"],
        "has" | "includes" | "has_key" | "contains" => &["contains_key", "contains"],
        "lower" | "lowercase" | "to_lowercase" | "downcase" => &["to_lower"],
        "upper" | "uppercase" | "to_uppercase" | "upcase" => &["to_upper"],
        "strip" => &["trim"],
        "head" => &["first"],
        "tail" => &["rest"],
        "get" | "nth" | "item" => &["at"],
        "sort" | "sort_by" => &["sorted"],
        "reverse" => &["reversed"],
        "unique" | "uniq" | "dedup" => &["distinct"],
        "max" => &["largest"],
        "min" => &["smallest"],
        "flatten" => &["flattened"],
        "enumerate" => &["with_index"],
        "abs" => &["absolute"],
        "round" => &["rounded"],
        "floor" | "truncate" | "to_integer" => &["truncated"],
        "sqrt" => &["square_root"],
        "remove" | "delete" => &["without", "without_index"],
        "items" => &["entries"],
        "to_string" | "string" | "str" => &["to_text"],
        "replace_all" => &["replace"],
        "parse_int" | "to_int" => &["to_integer"],
        "find" | "position" => &["index_of"],
        "empty" => &["is_empty"],
        _ => return None,
    };
    candidates
        .iter()
        .find_map(|candidate| known.iter().find(|known| *known == candidate))
        .copied()
}

/// Lookups of the method table by one half of its key, for advice alone.
trait MethodNames {
    fn iter_names(&self, name: &str) -> bool;
    fn names_of(&self, head: DefId) -> Vec<&str>;
}

impl MethodNames for std::collections::HashMap<(DefId, std::sync::Arc<str>), Vec<DefId>> {
    fn iter_names(&self, name: &str) -> bool {
        self.keys().any(|(_, known)| &**known == name)
    }

    fn names_of(&self, head: DefId) -> Vec<&str> {
        let names = self.keys().filter(|(of, _)| *of == head);
        let mut names: Vec<&str> = names.map(|(_, name)| &**name).collect();
        names.sort_unstable();
        names
    }
}
