//! Children that only tokens and their order distinguish, because the grammar gives them no fields:
//! infix calls, receivers before a name, type tests, labelled `this`.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::node_rules::{NodeRule, Visibility};
use crate::vocabulary::{ActionKind, DefinitionKind, Flags, Namespace, ScopeKind};

/// The name of a parameter that a lambda has without declaring it.
const IMPLICIT_PARAMETER: &str = "it";

impl Lowerer<'_> {
    /// Notes a token that decides what the node means.
    pub(super) fn note_token(
        &mut self,
        rule: &NodeRule,
        token: Node<'_>,
        ctx: &mut LoweringContext,
    ) {
        match (rule.action.kind, token.kind()) {
            (ActionKind::ImportItem | ActionKind::Reexport, "default") => {
                ctx.last_span = Some(span(token));
            }
            (ActionKind::ImportPath, "*") | (ActionKind::TypeTest, "!is") => ctx.count += 1,
            (ActionKind::Branch, "else") => ctx.has_alternative = true,
            // A constructor that calls another one of its class.
            (ActionKind::Call, "this") => {
                if let Some(scope) = self.nearest_members_scope() {
                    ctx.object = self.push_expression(Expression::ThisType(scope));
                }
            }
            _ => {}
        }
    }

    /// The kind that words among a node's tokens and modifiers give its definition.
    pub(super) fn kind_by_words(&self, rule: &NodeRule, node: Node<'_>) -> Option<DefinitionKind> {
        if rule.kind_words.is_empty() {
            return None;
        }
        let mut cursor = node.walk();
        let mut found = None;
        for child in node.children(&mut cursor) {
            let modifiers = self
                .rules
                .rule(child.kind_id())
                .is_some_and(|r| r.action.kind == ActionKind::Modifier);
            if child.is_named() && !modifiers {
                // The words stand before the name.
                if found.is_some() || rule.action.kind == ActionKind::Define {
                    break;
                }
                continue;
            }
            let (start, end) = span(child);
            for word in self.slice(start, end).split_whitespace() {
                let known = rule.kind_words.iter().find(|(known, _)| **known == *word);
                found = known.map(|k| k.1).or(found);
            }
        }
        found
    }

    pub(super) fn is_opaque(&self, node: Node<'_>) -> bool {
        self.rules.rule(node.kind_id()).is_some_and(|r| r.action.kind == ActionKind::Opaque)
    }

    pub(super) fn is_list(&self, node: Node<'_>) -> bool {
        self.rules.rule(node.kind_id()).is_some_and(|r| r.action.kind == ActionKind::List)
    }

    /// Lowers the type arguments after a part of a path.
    pub(super) fn lower_type_arguments(&mut self, base: Value) -> Value {
        let mut list = Vec::new();
        self.collect_children(UsedAs::Type, &mut list);
        let list = self.push_list(&list);
        if list == NONE { base } else { self.push_expression(Expression::Generic(base, list)) }
    }

    /// Lowers the right operand of an infix call.
    pub(super) fn lower_infix_argument(&mut self, callee: Value) -> Value {
        let argument = self.lower_node(UsedAs::Value);
        let list = self.push_list(&[argument]);
        let call = self.push_expression(Expression::Call(callee, list));
        if let Some(r) = callee.as_reference() {
            self.references[r as usize].call = call.0;
        }
        if let Some(e) = argument.as_expression()
            && let Some(Expression::Lambda(scope)) = self.expressions.get(e as usize)
        {
            self.scopes[*scope as usize].subject = call;
        }
        call
    }

    /// Lowers `this`, which a lambda around it may define, and `this@Type`.
    pub(super) fn lower_this_of_scope(&mut self, node: Node<'_>) -> Value {
        if let Some(label) = node.named_child(0).filter(|label| self.is_name(*label)) {
            let ty =
                self.push_reference(span(label), UsedAs::Type, Value::NONE, ReferenceRole::Plain);
            return self.push_expression(Expression::Typed(ty));
        }
        let scope = self.scope;
        self.push_expression(Expression::This(scope))
    }

    /// Lowers the type that a function or property extends. What is inside of the definition sees
    /// the members of the type.
    pub(super) fn lower_extended_type(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        let ty = self.lower_node(UsedAs::Type);
        ctx.last_span = Some(span(child));
        let (start, end) = (self.bind.start, self.bind.end);
        let inner = self.scope;
        let outer = ctx.outer_scope;
        self.scope = outer;
        let open = self.push_scope(ScopeKind::Open, start, end);
        self.scopes[open as usize].subject = ty;
        if inner == outer {
            self.scope = open;
        } else {
            // The type may name type parameters of the function.
            self.scopes[inner as usize].parent = open;
            self.scope = inner;
        }
        ctx.receiver = open;
    }

    /// A function type's receiver: its first parameter, which the function's body sees as `this`.
    pub(super) fn lower_receiver_type(&mut self, ctx: &mut LoweringContext) {
        let ty = self.lower_node(UsedAs::Type);
        let name = self.names.number("this");
        let this = self.push_expression(Expression::Named(name));
        let list = self.push_list(&[ty]);
        let receiver = self.push_expression(Expression::Generic(this, list));
        ctx.list.push(receiver);
    }

    /// Gives a lambda without parameters its implicit one.
    pub(super) fn define_implicit_parameter(&mut self, rule: &NodeRule, node: Node<'_>) {
        if !rule.flags.has(Flags::FRESH) {
            return;
        }
        let (start, end) = span(node);
        let declares = node.named_child(0).is_some_and(|first| {
            rule.child_role(None, first.kind_id(), 0)
                == Some(crate::vocabulary::ChildRole::Parameters)
        });
        if declares || !self.slice(start, end).contains(IMPLICIT_PARAMETER) {
            return;
        }
        let scope = self.scope;
        let source = self.push_expression(Expression::LambdaParameter(scope, 0));
        let bind =
            Binding { source, ..Binding::new(DefinitionKind::Parameter, scope, (start, start)) };
        let d = self.push_definition((start, start), &bind);
        self.definitions[d as usize].name = self.names.number(IMPLICIT_PARAMETER);
    }

    /// Ends a type test: of a value, or of what the enclosing choice matches.
    pub(super) fn finish_type_test(&mut self, ctx: &LoweringContext) -> Value {
        let end = self.cursor.node().end_byte() as u32;
        let name = match ctx.value.as_reference() {
            Some(r) if self.references[r as usize].role == ReferenceRole::Plain => {
                self.references[r as usize].name
            }
            None if ctx.value.is_none() => self.match_name,
            _ => NONE,
        };
        if name != NONE && ctx.ty.is_some() {
            if ctx.count > 0 {
                self.failed_tests.push((name, end, ctx.ty));
            } else if ctx.value.is_none()
                && let Some(last) = self.type_tests.last().copied()
                && last.0 == name
            {
                // `is A, is B`: either may hold.
                let list = self.push_list(&[last.2, ctx.ty]);
                let either = self.push_expression(Expression::Union(list));
                self.type_tests.pop();
                self.type_tests.push((name, end, either));
            } else {
                self.type_tests.push((name, end, ctx.ty));
            }
        }
        self.push_expression(Expression::Boolean)
    }

    /// The name that a choice matches: a variable, or one that the choice binds.
    pub(super) fn lower_choice_subject(&mut self) {
        let before = self.definitions.len();
        self.match_subject = self.lower_node(UsedAs::Value);
        self.match_name = match self.definitions.get(before) {
            Some(def) if def.kind == DefinitionKind::Variable => def.name,
            _ => match self.match_subject.as_reference() {
                Some(r) if self.references[r as usize].role == ReferenceRole::Plain => {
                    self.references[r as usize].name
                }
                _ => NONE,
            },
        };
    }

    /// One of the values that the branches of an expression have.
    pub(super) fn choice_of(&mut self, ctx: &LoweringContext) -> Value {
        let list: Vec<_> = ctx.list.iter().copied().filter(|v| v.is_some()).collect();
        match list[..] {
            [] => Value::NONE,
            [one] => one,
            _ => {
                let list = self.push_list(&list);
                self.push_expression(Expression::Union(list))
            }
        }
    }

    /// Tests that `||` and `&&` make uncertain: of `||` either operand may hold, and where `&&` does
    /// not hold, either may have failed.
    pub(super) fn drop_uncertain_tests(&mut self, node: Node<'_>) {
        let start = node.start_byte() as u32;
        match node.child_by_field_name("operator").map_or("", |o| o.kind()) {
            "||" => self.type_tests.retain(|t| t.1 < start),
            "&&" => self.failed_tests.retain(|t| t.1 < start),
            _ => {}
        }
    }

    /// `f(a) { … }` that parses as a call of what `f(a)` returns: one call with the lambda as its last
    /// argument.
    pub(super) fn add_trailing_lambda(&mut self, ctx: &mut LoweringContext) -> Option<Value> {
        let [lambda] = ctx.list[..] else { return None };
        let is_lambda = lambda.as_expression().and_then(|e| self.expressions.get(e as usize));
        let Some(Expression::Lambda(_)) = is_lambda else { return None };
        let called = self.expressions.get(ctx.object.as_expression()? as usize)?;
        let Expression::Call(callee, list) = *called else { return None };
        let count = self.lists.get(list as usize).map_or(0, |len| len.0);
        let mut all: Vec<Value> =
            (1..=count).filter_map(|n| self.lists.get((list + n) as usize).copied()).collect();
        all.push(lambda);
        let list = self.push_list(&all);
        let call = self.push_expression(Expression::Call(callee, list));
        if let Some(r) = self.last_reference(callee) {
            self.references[r as usize].call = call.0;
        }
        ctx.list = all;
        self.record_call_of_lambdas(call, ctx);
        Some(call)
    }

    /// `a<T>(b)` that parses as two comparisons: `a` may be a function, `T` a type.
    pub(super) fn mend_compared_call(&mut self, node: Node<'_>) {
        fn is(node: Node<'_>, operator: &str) -> bool {
            node.child_by_field_name("operator").is_some_and(|o| o.kind() == operator)
        }
        let (Some(left), Some(right)) =
            (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        let (kind, inner) = (left.kind_id(), left.child_by_field_name("right"));
        if !is(node, ">")
            || kind != node.kind_id()
            || !is(left, "<")
            || !self.slice(span(right).0, span(right).1).starts_with('(')
        {
            return;
        }
        let callee = span(left).0;
        let ty = inner.map_or(callee, |inner| span(inner).0);
        for reference in self.references.iter_mut().rev().take_while(|r| r.start >= callee) {
            if reference.start == callee {
                reference.namespace |= Namespace::FUNCTION;
            } else if reference.start == ty {
                reference.namespace |= Namespace::TYPE;
            }
        }
    }

    /// Refers to the names that follow a lone `$` in a text.
    pub(super) fn reference_interpolated_names(&mut self) {
        let node = self.cursor.node();
        let mut cursor = node.walk();
        let parts: Vec<(u32, u32)> = node.children(&mut cursor).map(span).collect();
        for pair in parts.windows(2) {
            let [(start, end), (next, next_end)] = *pair else { continue };
            if self.slice(start, end) != "$" || end != next {
                continue;
            }
            let text = self.slice(next, next_end);
            if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                continue;
            }
            let len = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
            let at = (next, next + len as u32);
            if &text[..len] != "this" {
                self.push_reference(at, UsedAs::Value, Value::NONE, ReferenceRole::Plain);
            }
        }
    }

    /// Whether a statement, or the last one of a block, leaves the function or loop.
    pub(super) fn leaves(&self, node: Node<'_>) -> bool {
        let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
        let last = last.unwrap_or(node);
        let left = |node: Node<'_>| {
            let (kind, (start, end)) = (node.kind(), span(node));
            ["return", "raise", "continue", "break", "throw"].iter().any(|w| kind.starts_with(w))
                || kind == "identifier" && matches!(self.slice(start, end), "break" | "continue")
        };
        left(last) || left(node)
    }

    /// Whether a keyword argument's name is a value instead, because nothing follows it.
    pub(super) fn is_sole_argument(&self) -> bool {
        let mut next = self.cursor.clone();
        !next.goto_next_sibling()
    }

    /// A property: a field of a type, or a variable that a file has or that holds after its declaration.
    pub(super) fn bind_property(&self, rule: &NodeRule, bind: &mut Binding) {
        if bind.kind != DefinitionKind::Field || rule.visible != Visibility::After {
            return;
        }
        match self.scopes[bind.scope as usize].kind {
            ScopeKind::Open | ScopeKind::Members => bind.from = 0,
            _ => bind.kind = DefinitionKind::Variable,
        }
    }

    /// Marks the parameter before a default value.
    pub(super) fn mark_default(&mut self, value: Node<'_>) {
        let start = value.start_byte() as u32;
        if let Some(last) = self.definitions.last_mut()
            && last.kind == DefinitionKind::Parameter
            && last.name_end <= start
        {
            last.flags |= Flags::OPTIONAL;
        }
    }

    /// Makes a reference mean a function or a type, too: `::name`.
    pub(super) fn refer_to_any(&mut self, value: Value) {
        if let Some(r) = value.as_reference() {
            self.references[r as usize].namespace =
                Namespace::VALUE | Namespace::FUNCTION | Namespace::TYPE;
        }
    }
}
