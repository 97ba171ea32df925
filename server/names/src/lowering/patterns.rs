//! Patterns of `match`, bracketed type parameters, and heads that are evaluated in the enclosing
//! scope.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{Def, ReferenceRole};
use crate::node_rules::NodeRule;
use crate::vocabulary::{ActionKind, ChildRole, DefinitionKind, ScopeKind};

/// How many references and scopes existed before a function's head.
#[derive(Clone, Copy)]
pub(super) struct HeadMark {
    references: usize,
    scopes: usize,
}

impl Lowerer<'_> {
    fn action_of(&self, node: Node<'_>) -> Option<ActionKind> {
        self.rules.rule(node.kind_id()).map(|rule| rule.action.kind)
    }

    /// Whether a binding node contains a pattern: `pattern as name`.
    pub(super) fn holds_pattern(&self, node: Node<'_>) -> bool {
        node.named_child(0).is_some_and(|first| self.action_of(first) == Some(ActionKind::Pattern))
    }

    /// Whether parentheses only group a pattern: `(a)`, not `(a,)`.
    pub(super) fn is_group(&self, node: Node<'_>) -> bool {
        node.child_count() == 3
            && node.child(0).is_some_and(|open| open.kind() == "(")
            && self.holds_pattern(node)
    }

    /// Lowers a pattern of `match`: plain names capture, dotted names and classes refer. Returns
    /// the type that a matching value is known to have.
    pub(super) fn lower_match_pattern(&mut self, rule: &NodeRule, node: Node<'_>) -> Value {
        let bind = self.bind;
        (self.bind.start, self.bind.end) = span(node);
        let text = self.slice(span(node).0, span(node).1);
        if text.starts_with('*') {
            // The rest of a sequence is not one of its elements.
            self.bind.source = if text.starts_with("**") { bind.source } else { Value::NONE };
        }
        self.take_part_of_subject(node);
        let outer = self.bind;
        let mut known = Value::NONE;
        if !self.cursor.goto_first_child() {
            return known;
        }
        loop {
            let child = self.cursor.node();
            let field = self.cursor.field_id().map(std::num::NonZero::get);
            if child.is_named() {
                match rule.child_role(field, child.kind_id(), 0) {
                    Some(ChildRole::Callee) => {
                        let class = self.lower_dotted_value(child);
                        known = self.push_expression(Expression::Typed(class));
                    }
                    Some(ChildRole::Member) => self.lower_matched_field(child),
                    Some(ChildRole::Key) => {
                        self.bind = outer;
                        self.lower_matched_value(child);
                        if outer.source.is_some() {
                            self.bind.source =
                                self.push_expression(Expression::Index(outer.source));
                        }
                    }
                    Some(ChildRole::Name) => self.define_capture(child),
                    _ if self.action_of(child) == Some(ActionKind::Name) => {
                        if known.is_some() {
                            self.bind.source = known;
                        }
                        self.define_capture(child);
                    }
                    role => {
                        if rule.action.kind == ActionKind::Pattern && known.is_some() {
                            // Only the class knows which field a position stands for.
                            let named = child.named_child(0).map(|c| c.kind());
                            let by_name = named == Some("keyword_pattern");
                            self.bind.source = if by_name { known } else { Value::NONE };
                        } else if role != Some(ChildRole::Value) {
                            self.bind.source = outer.source;
                        }
                        let given = self.lower_matched_value(child);
                        known = known.or(given);
                    }
                }
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        self.bind = bind;
        known
    }

    /// If several patterns without parentheses match a value, each gets a part of it.
    fn take_part_of_subject(&mut self, node: Node<'_>) {
        let Some(parent) = self.parent().filter(|_| self.bind.source.is_some()) else { return };
        if self.action_of(parent) != Some(ActionKind::Arm) {
            return;
        }
        let mut cursor = parent.walk();
        let children = parent.named_children(&mut cursor);
        let all: Vec<_> = children.filter(|c| c.kind_id() == node.kind_id()).collect();
        if all.len() > 1 {
            let position = all.iter().position(|c| c.id() == node.id()).unwrap_or(0) as u32;
            let whole = self.bind.source;
            self.bind.source = self.push_expression(Expression::Part(whole, position));
        }
    }

    /// Lowers a nested pattern, or a value that is compared.
    fn lower_matched_value(&mut self, child: Node<'_>) -> Value {
        match self.action_of(child) {
            Some(ActionKind::Pattern | ActionKind::Tuple | ActionKind::Bind) => {
                self.lower_node(UsedAs::Pattern)
            }
            Some(ActionKind::Literal) if child.kind().ends_with("_pattern") => {
                self.lower_node(UsedAs::Pattern)
            }
            Some(ActionKind::Skip) => {
                self.lower_dotted_value(child);
                Value::NONE
            }
            _ => {
                self.lower_node(UsedAs::Value);
                Value::NONE
            }
        }
    }

    /// Lowers `field=` of a class pattern.
    fn lower_matched_field(&mut self, child: Node<'_>) {
        let at = span(child);
        let object = self.bind.source;
        let receiver =
            if object.is_none() { self.push_expression(Expression::Nothing) } else { object };
        self.push_reference(at, UsedAs::Value, receiver, ReferenceRole::Member);
        if object.is_some() {
            let name = self.intern(at.0, at.1);
            self.bind.source = self.push_expression(Expression::Field(object, name));
        }
    }

    /// Defines a captured name; a dotted name is a value that is compared.
    fn define_capture(&mut self, child: Node<'_>) {
        let at = span(child);
        match self.slice(at.0, at.1) {
            "_" => {}
            text if text.contains('.') => {
                self.lower_dotted_value(child);
            }
            _ => {
                let bind = self.bind;
                self.push_definition(at, &bind);
            }
        }
    }

    /// Lowers `a.b.c` where the grammar has no expression for it.
    fn lower_dotted_value(&mut self, node: Node<'_>) -> Value {
        if self.action_of(node) != Some(ActionKind::Skip) {
            return self.push_reference(
                span(node),
                UsedAs::Value,
                Value::NONE,
                ReferenceRole::Plain,
            );
        }
        let mut value = Value::NONE;
        for number in 0..node.named_child_count() as u32 {
            let Some(part) = node.named_child(number) else { break };
            let role = if number == 0 { ReferenceRole::Plain } else { ReferenceRole::Member };
            value = self.push_reference(span(part), UsedAs::Value, value, role);
        }
        value
    }

    /// Defines bracketed type parameters in the current scope: `[T: int, *Ts, **P]`.
    pub(super) fn define_type_parameters(&mut self, list: Node<'_>) {
        let (start, end) = span(list);
        let bind = Binding::new(DefinitionKind::TypeParameter, self.scope, (start, end));
        let mut parts = Vec::new();
        collect_names(list, &mut parts);
        let text = self.slice(start, end);
        let first = type_parameter_starts(text);
        let is_parameter = |node: &Node<'_>| first.contains(&(node.start_byte() - start as usize));
        for part in parts {
            if is_parameter(&part) {
                self.push_definition(span(part), &bind);
            } else if part.prev_sibling().is_some_and(|dot| dot.kind() == ".") {
                let unknown = self.push_expression(Expression::Nothing);
                self.push_reference(span(part), UsedAs::Type, unknown, ReferenceRole::Member);
            } else {
                self.push_reference(span(part), UsedAs::Type, Value::NONE, ReferenceRole::Plain);
            }
        }
    }

    /// Lowers `type X[T] = …`: the parameters are visible in the value, the alias around it.
    pub(super) fn lower_generic_alias(&mut self) -> Value {
        let node = self.cursor.node();
        let bind = self.bind;
        if let Some(name) = node.named_child(0) {
            self.push_definition(span(name), &bind);
        }
        // The rule of the statement restores the scope.
        self.scope = self.push_scope(ScopeKind::Block, bind.start, bind.end);
        if let Some(list) = node.named_child(1) {
            self.define_type_parameters(list);
        }
        Value::NONE
    }

    /// Marks the start of a function's head.
    pub(super) fn mark_head(&self) -> HeadMark {
        HeadMark { references: self.references.len(), scopes: self.scopes.len() }
    }

    /// Moves the references of a head (defaults, annotations) to the enclosing scope, where they
    /// are evaluated; of the inner scope they see only type parameters.
    pub(super) fn move_head_out(
        &mut self,
        rule: &NodeRule,
        before: HeadMark,
        ctx: &LoweringContext,
    ) {
        if rule.evaluates_head_outside {
            let (inner, outer) = (self.scope, ctx.outer_scope);
            self.move_references_out(before, inner, outer);
        }
    }

    /// Moves the first iterable of a comprehension to the enclosing scope, where it is evaluated.
    pub(super) fn move_first_iterable_out(&mut self, before: HeadMark) {
        let inner = self.scope;
        let scope = self.scopes[inner as usize];
        if scope.kind != ScopeKind::Comprehension {
            return;
        }
        let mut up = self.cursor.clone();
        let clause = if up.goto_parent() { up.node() } else { return };
        let around = if up.goto_parent() { up.node() } else { return };
        let mut cursor = around.walk();
        let first = around.named_children(&mut cursor).find(|c| c.kind_id() == clause.kind_id());
        if first.is_some_and(|first| first.id() == clause.id()) {
            self.move_references_out(before, inner, scope.parent);
        }
    }

    /// Moves references and scopes made since `before` from the inner scope to the outer one;
    /// references to the inner scope's type parameters stay.
    fn move_references_out(&mut self, before: HeadMark, inner: u32, outer: u32) {
        if inner == outer {
            return;
        }
        // Only definitions made since the scope began can be in it.
        let start = self.scopes[inner as usize].start;
        let recent = self.definitions.iter().rev().take_while(|d| d.start >= start);
        let own = |d: &&Def| d.kind == DefinitionKind::TypeParameter && d.scope == inner;
        let parameters: Vec<u32> = recent.filter(own).map(|d| d.name).collect();
        for reference in &mut self.references[before.references..] {
            if reference.scope == inner && !parameters.contains(&reference.name) {
                reference.scope = outer;
            }
        }
        if parameters.is_empty() {
            for scope in &mut self.scopes[before.scopes..] {
                if scope.parent == inner {
                    scope.parent = outer;
                }
            }
        }
    }
}

/// Collects the names in a node, by position.
fn collect_names<'t>(node: Node<'t>, into: &mut Vec<Node<'t>>) {
    if node.kind() == "identifier" {
        into.push(node);
        return;
    }
    for number in 0..node.named_child_count() as u32 {
        if let Some(child) = node.named_child(number) {
            collect_names(child, into);
        }
    }
}

/// Where the names start in the text of a type parameter list. The text is scanned because the
/// grammar does not know defaults.
fn type_parameter_starts(text: &str) -> Vec<usize> {
    let (mut depth, mut found, mut expected) = (0, Vec::new(), true);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth == 1 => expected = true,
            c if expected && depth == 1 && (c.is_alphabetic() || c == '_') => {
                found.push(at);
                expected = false;
            }
            _ => {}
        }
    }
    found
}
