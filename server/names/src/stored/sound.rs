//! Whether facts that were read hang together.

use crate::expression::{Expression, Value};
use crate::facts::{Facts, NONE};

impl Facts {
    /// Whether every number in the facts is of something that there is, and no scope is in itself.
    pub(super) fn is_sound(&self) -> bool {
        let within = |n: u32, len: usize| (n as usize) < len;
        let scope = |n: u32| within(n, self.scopes.len());
        let scope_or_none = |n: u32| n == NONE || scope(n);
        let definition = |n: u32| within(n, self.definitions.len());
        let reference =
            |v: Value| v.as_reference().is_none_or(|r| within(r, self.references.len()));
        let value = |v: Value| {
            reference(v) && v.as_expression().is_none_or(|e| within(e, self.expressions.len()))
        };
        let span = |start: u32, end: u32| start <= end && end <= self.len;
        let scopes = self.scopes.iter().all(|s| {
            scope_or_none(s.parent)
                && span(s.start, s.end)
                && (s.owner == NONE || definition(s.owner))
                && value(s.subject)
        });
        let definitions = self.definitions.iter().enumerate().all(|(n, d)| {
            // The file itself stands in no scope.
            (scope(d.scope) || n == 0 && d.scope == NONE)
                && scope_or_none(d.body)
                && span(d.name_start, d.name_end)
                && span(d.start, d.end)
                && value(d.value)
        });
        let references = self
            .references
            .iter()
            .all(|r| scope(r.scope) && span(r.start, r.end) && value(r.receiver));
        let expressions = self.expressions.iter().all(|e| match *e {
            Expression::Same(v)
            | Expression::Typed(v)
            | Expression::Call(v, _)
            | Expression::New(v, _)
            | Expression::Field(v, _)
            | Expression::Part(v, _)
            | Expression::Index(v)
            | Expression::Slice(v)
            | Expression::Element(v)
            | Expression::Enter(v)
            | Expression::Await(v)
            | Expression::Array(v)
            | Expression::Generic(v, _)
            | Expression::Function(v, _)
            | Expression::Binding(_, v)
            | Expression::Argument(v, _) => value(v),
            Expression::Case(v, w, _) => value(v) && value(w),
            Expression::Object(s)
            | Expression::Lambda(s)
            | Expression::This(s)
            | Expression::ThisType(s)
            | Expression::Super(s)
            | Expression::LambdaParameter(s, _)
            | Expression::Parent(s) => scope(s),
            Expression::Defined(d) => definition(d),
            // Names and lists are looked up with care.
            _ => true,
        });
        let rest = self.lists.iter().all(|v| reference(*v))
            && self.globs.iter().all(|g| scope(g.scope) && value(g.module))
            && self
                .extensions
                .iter()
                .all(|e| scope(e.scope) && value(e.target) && value(e.interface))
            && self.returns.iter().all(|r| value(r.1))
            && self.narrowings.iter().all(|n| span(n.start, n.end) && value(n.ty));
        let orders = [&self.by_scope, &self.by_name, &self.by_place];
        // The first definition is the file itself, the first scope all of it.
        !self.scopes.is_empty()
            && !self.definitions.is_empty()
            && scopes
            && definitions
            && self.is_tree()
            && references
            && expressions
            && rest
            && orders.iter().all(|order| order.iter().all(|d| definition(*d)))
            && self.by_reference.iter().all(|r| within(*r, self.references.len()))
    }

    /// Whether the ways up from every scope end: to its parent, and to where its owner stands.
    /// O(scopes).
    fn is_tree(&self) -> bool {
        let ways = |at: usize| {
            let scope = &self.scopes[at];
            let owner = self.definitions.get(scope.owner as usize).filter(|_| scope.owner != 0);
            let ways = [Some(scope.parent), owner.map(|owner| owner.scope)];
            ways.into_iter().flatten().filter(|way| *way != NONE).map(|way| way as usize)
        };
        // Scopes that nothing more leads to are taken away; what is left stands in a circle.
        let mut into = vec![0_u32; self.scopes.len()];
        (0..into.len()).for_each(|at| ways(at).for_each(|way| into[way] += 1));
        let mut free: Vec<usize> = (0..into.len()).filter(|at| into[*at] == 0).collect();
        let mut taken = 0;
        while let Some(at) = free.pop() {
            taken += 1;
            for way in ways(at) {
                into[way] -= 1;
                if into[way] == 0 {
                    free.push(way);
                }
            }
        }
        taken == into.len()
    }
}
