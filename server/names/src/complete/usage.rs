//! How the names of a file have been used in it.

use syntax::LineRest;

use crate::expression::{Expression, Value};
use crate::facts::{Facts, NONE, Ref, Role};
use crate::fuzzy::Pattern;
use crate::vocabulary::ScopeKind;

/// Names that count as near.
const NEAR: u32 = 64;

/// How a name has been used in its file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    /// Uses, as a member or not, whichever is asked for.
    pub(super) alike: u32,
    /// All other uses.
    pub(super) others: u32,
    /// Names between the place and the nearest use before it; 0 where there is none.
    pub(super) before: u32,
    /// The same, after it.
    pub(super) after: u32,
    /// Uses as a member of what it would be a member of here.
    pub(super) same_receiver: u32,
    /// Uses just after the name that stands before the place.
    pub(super) follows: u32,
    /// Uses just before the name that stands after the place.
    pub(super) precedes: u32,
    /// Uses among the names near the place.
    pub(super) near: u32,
    /// Uses in a call, or not in one, whichever is asked for.
    pub(super) called_alike: u32,
    /// Whether it is used in the function around the place, before the place.
    pub(super) same_function: bool,
    /// Calls just after a call of what was called last before the place.
    pub(super) follows_call: u32,
}

/// The call that a name is an argument of.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallAround {
    pub(super) callee: Value,
    pub(super) position: usize,
}

/// How the names around a place have been used.
pub(super) struct Usages {
    /// The usage of a name by its number; [`NONE`] for names that do not fit what is typed.
    slots: Vec<u32>,
    of: Vec<Usage>,
    /// The last reference before it.
    pub(super) last: Option<u32>,
    /// The call that it is an argument of.
    pub(super) call: Option<CallAround>,
}

impl Usages {
    /// How the names of a file that `pattern` begins have been used, around the reference `own`.
    /// What follows it on the next line counts for nothing. O(references).
    pub(super) fn new(facts: &Facts, own: &Ref, rest: LineRest, pattern: &Pattern) -> Self {
        let mut usages = Self {
            slots: Vec::with_capacity(facts.strings.len()),
            of: Vec::new(),
            last: None,
            call: call_around(facts, own),
        };
        for name in facts.strings.iter() {
            if pattern.begins(name) {
                usages.slots.push(usages.of.len() as u32);
                usages.of.push(Usage::default());
            } else {
                usages.slots.push(NONE);
            }
        }
        usages.count(facts, own, rest);
        usages
    }

    /// How the name of a number was used.
    pub(super) fn of(&self, name: u32) -> Option<&Usage> {
        self.of.get(*self.slots.get(name as usize)? as usize)
    }

    fn of_mut(&mut self, name: u32) -> Option<&mut Usage> {
        self.of.get_mut(*self.slots.get(name as usize)? as usize)
    }

    fn count(&mut self, facts: &Facts, own: &Ref, rest: LineRest) {
        let receiver = |v: Value| Some(facts.references.get(v.as_reference()? as usize)?.name);
        let wanted = receiver(own.receiver);
        let member = own.role == Role::Member;
        let all = &facts.references;
        let is_other = |r: &Ref| r.start != own.start && r.start < r.end;
        let (mut place, mut last, mut next, mut last_call) = (0, None, None, None);
        for (number, r) in all.iter().enumerate().filter(|(_, r)| is_other(r)) {
            let after = |best: Option<(usize, u32)>| best.is_none_or(|(_, at)| r.start > at);
            if r.start < own.start {
                place += 1;
                if after(last) {
                    last = Some((number, r.start));
                }
                if r.call != NONE && after(last_call) {
                    last_call = Some((number, r.start));
                }
            } else if next.is_none_or(|(_, at)| r.start < at) {
                next = Some((number, r.start));
            }
        }
        self.last = last.map(|(number, _)| number as u32);
        let name = |found: Option<(usize, u32)>| found.map_or(NONE, |(n, _)| all[n].name);
        let next = if rest == LineRest::Unwritten { NONE } else { name(next) };
        let (last, last_call) = (name(last), name(last_call));
        let function = function_around(facts, own);
        let (mut previous, mut called_before) = (NONE, NONE);
        for (r, reference) in all.iter().filter(|r| is_other(r)).enumerate() {
            let r = r as u32;
            if let Some(usage) = self.of_mut(reference.name) {
                if (reference.role == Role::Member) == member {
                    usage.alike += 1;
                } else {
                    usage.others += 1;
                }
                let distance = if r < place { place - r } else { r + 1 - place };
                let nearest = if r < place { &mut usage.before } else { &mut usage.after };
                *nearest = if *nearest == 0 { distance } else { distance.min(*nearest) };
                usage.near += u32::from(distance <= NEAR);
                usage.follows += u32::from(previous == last && last != NONE);
                usage.called_alike += u32::from((reference.call == NONE) == (own.call == NONE));
                usage.same_function |=
                    function.start <= reference.start && reference.start < own.start;
                let follows_call = reference.call != NONE && called_before == last_call;
                usage.follows_call += u32::from(follows_call && last_call != NONE);
                if member && wanted.is_some() && receiver(reference.receiver) == wanted {
                    usage.same_receiver += 1;
                }
            }
            if reference.name == next && previous != NONE {
                let usage = self.of_mut(previous);
                usage.into_iter().for_each(|usage| usage.precedes += 1);
            }
            previous = reference.name;
            if reference.call != NONE {
                called_before = reference.name;
            }
        }
    }
}

/// The call that a reference is an argument of.
fn call_around(facts: &Facts, own: &Ref) -> Option<CallAround> {
    let is_own = |value: &Value| {
        let reference = value.as_reference().and_then(|r| facts.references.get(r as usize));
        reference.is_some_and(|r| r.start == own.start)
    };
    facts.expressions.iter().find_map(|e| match e {
        Expression::Call(callee, list) | Expression::New(callee, list) => {
            let position = facts.list(*list).iter().position(is_own)?;
            Some(CallAround { callee: *callee, position })
        }
        _ => None,
    })
}

/// The bytes of the function around a reference, else of the file.
fn function_around(facts: &Facts, own: &Ref) -> std::ops::Range<u32> {
    let mut at = own.scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        if scope.kind == ScopeKind::Function {
            return scope.start..scope.end;
        }
        at = scope.parent;
    }
    0..u32::MAX
}
