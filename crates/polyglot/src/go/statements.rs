//! Statements: scopes, the variables they bind, and what they cost.

use tree_sitter::Node;

use super::{
    Kind,
    scope::{Binding, Meaning, UNKNOWN},
    walker::{Place, Walker},
};

impl<'s, 't> Walker<'s, 't> {
    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        self.scopes.enter();
        visit(self);
        self.scopes.leave();
    }

    /// One level of nesting.
    fn nested(&mut self, visit: impl FnOnce(&mut Self)) {
        self.metrics.depth = self.metrics.depth.max(self.block_depth);
        self.block_depth += 1;
        self.scoped(visit);
        self.block_depth -= 1;
    }

    pub fn block(&mut self) {
        self.nested(|walker| {
            walker.children();
        });
    }

    pub fn statements(&mut self) {
        self.each(|walker, _, _| {
            let start = walker.builder.position();
            walker.visit();
            if walker.builder.position() > start {
                walker.builder.text(";");
            }
        });
    }

    /// Visits all children; semicolons between them stay.
    fn header(&mut self) {
        self.each(|walker, node, kind| match kind {
            Kind::Semicolon => walker.leaf(node),
            _ => {
                walker.visit();
            }
        });
    }

    pub fn if_statement(&mut self) {
        self.metrics.branches += 1;
        self.scoped(Self::header);
    }

    pub fn for_statement(&mut self) {
        self.metrics.branches += 1;
        self.scoped(|walker| {
            walker.children();
        });
    }

    pub fn for_clause(&mut self) {
        let node = self.cursor.node();
        let fields = &self.grammar.fields;
        let bare =
            self.child(node, fields.initializer).is_none() && self.child(node, fields.update).is_none();
        if bare {
            self.children();
        } else {
            self.header();
        }
    }

    pub fn switch(&mut self) {
        self.scoped(Self::header);
    }

    pub fn type_switch(&mut self) {
        let fields = &self.grammar.fields;
        self.scoped(|walker| {
            let mut alias = None;
            let mut value = UNKNOWN;
            walker.each(|walker, node, kind| match kind {
                Kind::TypeCase | Kind::DefaultCase => {
                    walker.case(alias.map(|name| (name, value)));
                }
                Kind::Semicolon => walker.leaf(node),
                _ => {
                    let field = walker.field();
                    if field == fields.alias && kind == Kind::ExpressionList {
                        alias = walker.declared_names().first().copied();
                    } else if field == fields.value {
                        value = walker.visit_in(Place {
                            precedence: 7,
                            call: false,
                        });
                    } else {
                        walker.visit();
                    }
                }
            });
        });
    }

    /// A case with its statements. A type switch's variable has the one type
    /// that the case names.
    pub fn case(&mut self, alias: Option<(&'s str, Meaning)>) {
        let fields = &self.grammar.fields;
        if self.kind(self.cursor.node()) != Kind::DefaultCase {
            self.metrics.branches += 1;
        }
        self.nested(|walker| {
            let mut types = Vec::new();
            walker.each(|walker, _, kind| {
                if kind == Kind::StatementList {
                    if let Some((name, value)) = alias {
                        let meaning = match types[..] {
                            [only] => walker.variable_of(only),
                            _ => value,
                        };
                        walker.scopes.bind(name, Binding::Local(meaning));
                    }
                    walker.statements();
                } else if walker.field() == fields.type_ && kind != Kind::Comma {
                    types.push(walker.visit());
                } else {
                    walker.visit();
                }
            });
        });
    }

    /// Appends the names that a declaration binds, and gives them.
    fn declared_names(&mut self) -> Vec<&'s str> {
        if self.kind(self.cursor.node()) != Kind::ExpressionList {
            self.visit();
            return Vec::new();
        }
        let mut names = Vec::new();
        self.each(|walker, node, kind| match kind {
            Kind::Identifier => {
                names.push(walker.slice(node));
                walker.leaf(node);
            }
            Kind::Comma => walker.leaf(node),
            _ => {
                names.push("");
                walker.visit();
            }
        });
        names
    }

    /// Visits a list of expressions; what each of them means.
    pub fn expressions(&mut self) -> Vec<Meaning> {
        if self.kind(self.cursor.node()) != Kind::ExpressionList {
            return vec![self.visit()];
        }
        let mut meanings = Vec::new();
        self.each(|walker, node, kind| match kind {
            Kind::Comma => walker.leaf(node),
            _ => meanings.push(walker.visit()),
        });
        meanings
    }

    /// What a name means to which one of several values is given.
    pub fn value_at(
        &mut self,
        values: &[Meaning],
        list: Option<Node<'t>>,
        names: usize,
        at: usize,
    ) -> Meaning {
        if values.len() == names {
            return values[at];
        }
        let [only] = values[..] else { return UNKNOWN };
        let expression = list.map(|list| match self.kind(list) {
            Kind::ExpressionList => list.named_child(0).unwrap_or(list),
            _ => list,
        });
        match expression.map(|expression| self.kind(expression)) {
            Some(Kind::CallExpression) => Meaning::of(self.part(only.path, at)),
            // `v, ok := m[k]` and the like.
            _ if at == 0 => only,
            _ => UNKNOWN,
        }
    }

    fn bind_values(&mut self, names: &[&'s str], values: &[Meaning], list: Option<Node<'t>>) {
        for (at, name) in names.iter().enumerate() {
            let meaning = self.value_at(values, list, names.len(), at);
            self.scopes.bind(name, Binding::Local(meaning));
        }
    }

    /// `a, b := ...` as a statement or where a select receives; the latter may
    /// assign instead.
    pub fn short_declaration(&mut self) {
        let fields = &self.grammar.fields;
        let node = self.cursor.node();
        let declares = node
            .children(&mut node.walk())
            .any(|child| self.kind(child) == Kind::ShortAssign);
        let mut names = Vec::new();
        let mut values = Vec::new();
        let mut list = None;
        self.each(|walker, node, _| {
            let field = walker.field();
            if field == fields.left && declares {
                names = walker.declared_names();
            } else if field == fields.right {
                list = Some(node);
                values = walker.expressions();
            } else {
                walker.visit();
            }
        });
        self.bind_values(&names, &values, list);
    }

    pub fn range(&mut self) {
        let fields = &self.grammar.fields;
        let node = self.cursor.node();
        let mut cursor = node.walk();
        let mut declares = false;
        let mut left = Vec::new();
        for child in node.children(&mut cursor) {
            match self.kind(child) {
                Kind::ShortAssign => declares = true,
                Kind::ExpressionList if left.is_empty() && child.start_byte() == node.start_byte() => {
                    let mut inner = child.walk();
                    left = child
                        .named_children(&mut inner)
                        .filter(|child| self.kind(*child) != Kind::Comment)
                        .collect();
                }
                _ => {}
            }
        }
        while left.last().is_some_and(|last| self.slice(*last) == "_") {
            left.pop();
        }
        let mut names = Vec::new();
        for (at, &variable) in left.iter().enumerate() {
            if at > 0 {
                self.builder.text(",");
            }
            if declares && self.kind(variable) == Kind::Identifier {
                names.push(self.slice(variable));
                self.leaf(variable);
            } else {
                names.push("");
                self.at(variable, Self::visit);
            }
        }
        let mut container = UNKNOWN;
        self.each(|walker, node, kind| {
            let field = walker.field();
            let assigns = kind == Kind::ShortAssign || walker.slice(node) == "=";
            if field == fields.right {
                container = walker.visit();
            } else if field != fields.left && (!assigns || !left.is_empty()) {
                walker.visit();
            }
        });
        if !declares {
            return;
        }
        for (at, name) in names.into_iter().enumerate() {
            let meaning = match at {
                0 => Meaning::of(self.builder.member(container.path, "(key)")),
                _ => Meaning::of(self.builder.element(container.path)).shaped(container.inner_shape()),
            };
            self.scopes.bind(name, Binding::Local(meaning));
        }
    }

    /// `const` and `var` in a function.
    pub fn local_values(&mut self) {
        let node = self.cursor.node();
        // `var ()` says nothing.
        let has_specs = |list: Node<'t>| {
            list.named_children(&mut list.walk())
                .any(|child| matches!(self.kind(child), Kind::ConstSpec | Kind::VarSpec) || child.is_error())
        };
        let lists = has_specs(node)
            || node
                .named_children(&mut node.walk())
                .any(|child| self.kind(child) == Kind::VarSpecList && has_specs(child));
        if lists {
            self.local_specs(false);
        }
    }

    fn local_specs(&mut self, mut grouped: bool) {
        self.each(|walker, node, kind| match kind {
            Kind::ConstSpec | Kind::VarSpec => {
                walker.local_spec();
                if grouped {
                    walker.builder.text(";");
                }
            }
            Kind::OpenParen => {
                grouped = true;
                walker.leaf(node);
            }
            Kind::VarSpecList => walker.local_specs(true),
            Kind::Newline | Kind::Semicolon | Kind::Nul => {}
            _ if node.child_count() == 0 => walker.leaf(node),
            _ => {
                walker.visit();
            }
        });
    }

    pub fn local_spec(&mut self) {
        let fields = &self.grammar.fields;
        let mut names: Vec<&'s str> = Vec::new();
        let mut declared = None;
        let mut values = Vec::new();
        let mut list = None;
        self.each(|walker, node, kind| {
            let field = walker.field();
            if field == fields.name {
                if kind == Kind::Identifier {
                    names.push(walker.slice(node));
                }
                walker.leaf(node);
            } else if field == fields.type_ {
                let meaning = walker.visit();
                declared = Some(walker.variable_of(meaning));
            } else if field == fields.value {
                list = Some(node);
                values = walker.expressions();
            } else {
                walker.visit();
            }
        });
        match declared {
            Some(meaning) => {
                for name in names {
                    self.scopes.bind(name, Binding::Local(meaning));
                }
            }
            None => self.bind_values(&names, &values, list),
        }
    }

    /// Types declared in a function are definitions of their own.
    pub fn local_types(&mut self) {
        let mut further = false;
        self.each(|walker, node, kind| {
            if matches!(kind, Kind::TypeSpec | Kind::TypeAlias) {
                if std::mem::replace(&mut further, true) {
                    walker.builder.text(";");
                }
                walker.local_type(node);
            } else if node.is_error() {
                walker.visit();
            }
        });
    }
}
