//! Type tests of names, and the ranges in which they hold.

use tree_sitter::Node;

use super::{Lowerer, LoweringContext, UsedAs, span};
use crate::expression::Value;
use crate::facts::{Narrowing, ReferenceRole};
use crate::node_rules::NodeRule;
use crate::vocabulary::{RuleHint, ScopeKind};

impl Lowerer<'_> {
    /// A call that tests its first argument's type: `isinstance(x, T)`.
    pub(super) fn record_type_test_call(&mut self, rule: &NodeRule, ctx: &LoweringContext) {
        let Some(callee) = ctx.object.as_reference() else { return };
        let callee = self.references[callee as usize];
        let word = self.slice(callee.start, callee.end);
        let tests = rule.is_hint(word, RuleHint::TEST);
        if let [subject, ty] = ctx.list[..]
            && tests
        {
            let end = self.cursor.node().end_byte() as u32;
            self.record_type_test(subject, end, ty);
        }
    }

    /// Whether an operator tests the type of its left operand.
    pub(super) fn record_type_test_operator(
        &mut self,
        node: Node<'_>,
        ctx: &LoweringContext,
    ) -> bool {
        let operator = node.child_by_field_name("operator").map_or("", |o| o.kind());
        if let [subject, ty] = ctx.list[..]
            && operator == "instanceof"
        {
            self.record_type_test(subject, node.end_byte() as u32, ty);
            return true;
        }
        if matches!(operator, "or" | "||" | "??") {
            // Either operand may hold.
            let start = node.start_byte() as u32;
            self.type_tests.retain(|t| t.1 < start);
        }
        false
    }

    fn record_type_test(&mut self, subject: Value, end: u32, ty: Value) {
        let Some(r) = subject.as_reference() else { return };
        let reference = &self.references[r as usize];
        if reference.role == ReferenceRole::Plain && ty.is_some() {
            self.type_tests.push((reference.name, end, ty));
        }
    }

    /// Lowers the right operand: after `and`, the tests of the left operand hold.
    pub(super) fn lower_right_operand(&mut self, child: Node<'_>, ctx: &LoweringContext) {
        let operator = self.parent().and_then(|p| p.child_by_field_name("operator"));
        if operator.is_some_and(|o| matches!(o.kind(), "and" | "&&")) {
            self.narrow_by_tests(span(child), ctx.tests.0);
        }
    }

    /// Makes all tests after the first `since` hold in a range.
    pub(super) fn narrow_by_tests(&mut self, (start, end): (u32, u32), since: usize) {
        for n in since..self.type_tests.len() {
            let (name, _, ty) = self.type_tests[n];
            self.narrowings.push(Narrowing { name, start, end, ty });
        }
    }

    /// Reduces the values that an operator or conditional chooses from.
    pub(super) fn reduce_choice(
        &mut self,
        node: Node<'_>,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) {
        let operator = node.child_by_field_name("operator").map(|o| o.kind());
        match operator {
            Some("and" | "&&") if ctx.list.len() == 2 => {
                ctx.list.remove(0);
            }
            Some("or" | "||" | "??" | "|") | None => {}
            // The result of an arithmetic operator mostly has the type of the left operand.
            Some(_) if used_as != UsedAs::Type && self.rules.one_namespace => ctx.list.truncate(1),
            Some(_) => {}
        }
        if operator.is_none()
            && node.child(1).is_some_and(|c| c.kind() == "if")
            && let Some(first) = node.named_child(0)
        {
            // `value if condition else other`
            self.narrow_by_tests(span(first), ctx.tests.0);
            self.type_tests.truncate(ctx.tests.0);
            if ctx.list.len() == 3 {
                ctx.list.remove(1);
            }
        }
    }

    /// Lowers a negation: its tests hold where it does not.
    pub(super) fn lower_negation(&mut self, node: Node<'_>) -> Value {
        let before = self.type_tests.len();
        let value = self.lower_children(UsedAs::Value);
        let (start, end) = span(node);
        let text = self.slice(start, end);
        let negates = text.starts_with('!')
            || text
                .strip_prefix("not")
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        // Where prefixes bind closer than members, this is the object of a member.
        let object = self.parent().and_then(|p| self.rules.rule(p.kind_id())).is_some_and(|r| {
            matches!(
                r.action.kind,
                crate::vocabulary::ActionKind::Member | crate::vocabulary::ActionKind::Call
            )
        });
        if !negates && text.ends_with('!') || object {
            return value;
        }
        if negates {
            let denied: Vec<_> =
                self.type_tests.drain(before.min(self.type_tests.len())..).collect();
            self.failed_tests.extend(denied);
        }
        Value::NONE
    }

    /// Lowers the consequence of a condition, in which its tests hold.
    pub(super) fn lower_narrowed_branch(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        ctx.leaves = self.leaves(child);
        let (_, end) = span(child);
        for n in ctx.tests.0..self.type_tests.len() {
            let (name, start, ty) = self.type_tests[n];
            self.narrowings.push(Narrowing { name, start, end, ty });
        }
        let (tests, failed) =
            (std::mem::take(&mut self.type_tests), std::mem::take(&mut self.failed_tests));
        let unread = self.branch.unread;
        self.branch.unread |= ctx.holds == Some(false);
        let value = self.lower_node(UsedAs::Value);
        ctx.list.push(value);
        self.branch.unread = unread;
        (self.type_tests, self.failed_tests) = (tests, failed);
        self.type_tests.truncate(ctx.tests.0);
    }

    /// Ends a branch: if the consequence leaves the function or loop, the failed tests hold after
    /// it.
    pub(super) fn finish_branch(&mut self, node: Node<'_>, ctx: &LoweringContext) {
        let failed: Vec<_> =
            self.failed_tests.drain(ctx.tests.1.min(self.failed_tests.len())..).collect();
        self.type_tests.truncate(ctx.tests.0);
        let alternative = ctx.has_alternative || node.child_by_field_name("alternative").is_some();
        if !failed.is_empty() && ctx.leaves && !alternative {
            let start = node.end_byte() as u32;
            let end = self.function_end();
            for (name, _, ty) in failed {
                self.narrowings.push(Narrowing { name, start, end, ty });
            }
        }
    }

    /// Ends an assertion: its tests hold after it.
    pub(super) fn finish_assertion(&mut self, node: Node<'_>, ctx: &LoweringContext) {
        let (start, end) = (node.end_byte() as u32, self.function_end());
        let from = ctx.tests.0.min(self.type_tests.len());
        for (name, _, ty) in self.type_tests.drain(from..).collect::<Vec<_>>() {
            self.narrowings.push(Narrowing { name, start, end, ty });
        }
        self.failed_tests.truncate(ctx.tests.1);
    }

    /// A case of Go's type switch: with one type in it, the switched name has that type.
    pub(super) fn lower_type_case(&mut self, ctx: &mut LoweringContext) {
        let ty = self.lower_node(UsedAs::Type);
        ctx.count += 1;
        let mut up = self.cursor.clone();
        if !up.goto_parent() {
            return;
        }
        let case = up.node();
        let alias = up.goto_parent().then(|| up.node().child_by_field_name("alias"));
        let Some((start, end)) = alias.flatten().map(span) else { return };
        if ctx.count == 1 {
            let name = self.intern(start, end);
            let (start, end) = span(case);
            self.narrowings.push(Narrowing { name, start, end, ty });
        } else if ctx.count == 2 {
            self.narrowings.pop();
        }
    }

    fn function_end(&self) -> u32 {
        let function = self.nearest_scope(|k| {
            matches!(
                k,
                ScopeKind::Function | ScopeKind::Lambda | ScopeKind::File | ScopeKind::Block
            )
        });
        function.map_or(0, |s| self.scopes[s as usize].end)
    }
}
