//! Validation of decoded facts.

use super::records::OperandKind;
use crate::expression::{Expression, Value};
use crate::facts::{Facts, NONE, SELF_MODULE};

impl Facts {
    /// Whether no chain of values runs in a circle. Code that follows such chains does not count
    /// its steps. O(expressions).
    fn values_terminate(&self) -> bool {
        let behind = |e: u32| match self.expressions.get(e as usize)? {
            Expression::Same(v)
            | Expression::Typed(v)
            | Expression::Field(v, _)
            | Expression::Call(v, _) => v.as_expression(),
            _ => None,
        };
        // The walk that visited an expression first; a walk that meets itself is in a circle.
        let mut seen = vec![NONE; self.expressions.len()];
        (0..self.expressions.len() as u32).all(|walk| {
            let mut at = Some(walk);
            while let Some(e) = at.filter(|e| (*e as usize) < seen.len()) {
                match seen[e as usize] {
                    NONE => seen[e as usize] = walk,
                    other => return other != walk,
                }
                at = behind(e);
            }
            true
        })
    }

    /// Whether all indices are valid and no scope contains itself. A definition may well be in its
    /// own body (the name of a function expression), so code that follows owners has to limit its
    /// steps.
    pub(super) fn is_valid(&self) -> bool {
        let within = |n: u32, len: usize| (n as usize) < len;
        let scope = |n: u32| within(n, self.scopes.len());
        let scope_or_none = |n: u32| n == NONE || scope(n);
        let definition = |n: u32| within(n, self.definitions.len());
        let expression = |n: u32| within(n, self.expressions.len());
        let reference =
            |v: Value| v.as_reference().is_none_or(|r| within(r, self.references.len()));
        let value = |v: Value| reference(v) && v.as_expression().is_none_or(expression);
        let span = |start: u32, end: u32| start <= end && end <= self.len;
        // The first definition is the file itself, the first scope all of it.
        let first = !self.scopes.is_empty() && !self.definitions.is_empty();
        let scopes = self.scopes.iter().all(|s| {
            scope_or_none(s.parent)
                && span(s.start, s.end)
                && (s.owner == NONE || definition(s.owner))
                && value(s.subject)
        });
        let definitions = self.definitions.iter().enumerate().all(|(n, d)| {
            // The file itself is in no scope.
            (scope(d.scope) || n == 0 && d.scope == NONE)
                && scope_or_none(d.body)
                && span(d.name_start, d.name_end)
                && span(d.start, d.end)
                && value(d.value)
        });
        let references = self.references.iter().all(|r| {
            scope(r.scope)
                && span(r.start, r.end)
                && value(r.receiver)
                && (r.call == NONE || expression(r.call))
        });
        let expressions =
            self.expressions.iter().flat_map(|e| e.operands_with_kinds()).all(|(of, n)| match of {
                OperandKind::Value => value(Value(n)),
                OperandKind::Scope => scope(n),
                OperandKind::Module => scope(n & !SELF_MODULE),
                OperandKind::Definition => definition(n),
                // Lookups of names and lists check bounds themselves.
                OperandKind::List | OperandKind::Number => true,
            });
        let rest = self.globs.iter().all(|g| scope(g.scope) && value(g.module))
            && self
                .extensions
                .iter()
                .all(|e| scope(e.scope) && value(e.target) && value(e.interface))
            && self.returns.iter().all(|r| scope(r.0) && value(r.1))
            && self.narrowings.iter().all(|n| span(n.start, n.end) && value(n.ty))
            && self.branches.iter().all(|b| span(b.start, b.end) && b.first <= b.start);
        first
            && self.values_terminate()
            && scopes
            && definitions
            && references
            && expressions
            && rest
            && self.lists_are_valid(value)
            && self.scopes_terminate()
    }

    /// Whether the lists fill the array, each preceded by its length.
    fn lists_are_valid(&self, value: impl Fn(Value) -> bool) -> bool {
        let mut rest = &*self.lists;
        while let Some((Value(len), after)) = rest.split_first() {
            let Some((list, after)) = after.split_at_checked(*len as usize) else { return false };
            if !list.iter().all(|v| value(*v)) {
                return false;
            }
            rest = after;
        }
        true
    }

    /// Whether the chain of parents of every scope ends. O(scopes).
    fn scopes_terminate(&self) -> bool {
        // The start of the walk that visited a scope first; a walk that meets itself is in a
        // circle.
        let mut passed = vec![NONE; self.scopes.len()];
        for start in 0..self.scopes.len() as u32 {
            let mut at = start;
            while let Some(mark) = passed.get_mut(at as usize) {
                if *mark != NONE {
                    if *mark == start {
                        return false;
                    }
                    break;
                }
                *mark = start;
                at = self.scopes[at as usize].parent;
            }
        }
        true
    }
}
