//! Ranking features: how the file uses its names.

use syntax::LineRest;

use crate::expression::{Expression, Value};
use crate::facts::{Facts, NONE, Ref, ReferenceRole};
use crate::fuzzy::FuzzyPattern;
use crate::vocabulary::ScopeKind;

/// Names around the cursor that count as near.
const NEAR_NAMES: u32 = 64;

/// How the file uses a name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    /// Uses in the cursor's role: as a member, or not as one.
    pub(super) same_role: u32,
    /// Uses in the other role.
    pub(super) other_role: u32,
    /// Names between the cursor and the nearest use before it; 0 if there is none.
    pub(super) before: u32,
    /// The same for the nearest use after it.
    pub(super) after: u32,
    /// Uses as a member of the receiver that it would have here.
    pub(super) same_receiver: u32,
    /// Uses directly after the name that precedes the cursor.
    pub(super) follows: u32,
    /// Uses directly before the name that follows the cursor.
    pub(super) precedes: u32,
    /// Uses near the cursor.
    pub(super) near: u32,
    /// Uses that are called, or not, as the cursor's name is.
    pub(super) same_calledness: u32,
    /// Whether the function around the cursor uses it before the cursor.
    pub(super) same_function: bool,
    /// Calls that directly follow a call of the function called last before the cursor.
    pub(super) follows_call: u32,
}

/// The call that contains a name as an argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallAround {
    pub(super) callee: Value,
    pub(super) position: usize,
}

/// How the file uses all its names, seen from the cursor.
pub(super) struct Usages {
    /// The index of a name's usage in `entries`; [`NONE`] for names that do not match what is
    /// typed.
    entry_of_name: Vec<u32>,
    entries: Vec<Usage>,
    /// The last reference before the cursor.
    pub(super) last: Option<u32>,
    /// The call around the cursor.
    pub(super) call: Option<CallAround>,
}

impl Usages {
    /// Counts the uses of the names that match `pattern`, seen from the reference `cursor`. What
    /// follows on the next line is ignored. O(references).
    pub(super) fn new(facts: &Facts, cursor: &Ref, rest: LineRest, pattern: &FuzzyPattern) -> Self {
        let mut usages = Self {
            entry_of_name: Vec::with_capacity(facts.strings.len()),
            entries: Vec::new(),
            last: None,
            call: call_around(facts, cursor),
        };
        for name in facts.strings.iter() {
            if pattern.matches_word_start(name) {
                usages.entry_of_name.push(usages.entries.len() as u32);
                usages.entries.push(Usage::default());
            } else {
                usages.entry_of_name.push(NONE);
            }
        }
        usages.count(facts, cursor, rest);
        usages
    }

    /// The usage of a name, by its number in the file.
    pub(super) fn usage(&self, name: u32) -> Option<&Usage> {
        self.entries.get(*self.entry_of_name.get(name as usize)? as usize)
    }

    fn usage_mut(&mut self, name: u32) -> Option<&mut Usage> {
        self.entries.get_mut(*self.entry_of_name.get(name as usize)? as usize)
    }

    /// Counts the uses of all names and finds the references next to the cursor.
    fn count(&mut self, facts: &Facts, cursor: &Ref, rest: LineRest) {
        let receiver = |v: Value| Some(facts.references.get(v.as_reference()? as usize)?.name);
        let cursor_receiver = receiver(cursor.receiver);
        let member = cursor.role == ReferenceRole::Member;
        let all = &facts.references;
        let is_other = |r: &Ref| r.start != cursor.start && r.start < r.end;
        // First pass: the references next to the cursor, in text order; the facts are not sorted.
        let (mut uses_before, mut last, mut next, mut last_call) = (0, None, None, None);
        for (number, r) in all.iter().enumerate().filter(|(_, r)| is_other(r)) {
            let after = |best: Option<(usize, u32)>| best.is_none_or(|(_, at)| r.start > at);
            if r.start < cursor.start {
                uses_before += 1;
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
        let next = if rest == LineRest::Empty { NONE } else { name(next) };
        let (last, last_call) = (name(last), name(last_call));
        let function = function_around(facts, cursor);
        // Second pass: compare the neighbours of each use with the cursor's neighbours.
        let (mut previous, mut called_before) = (NONE, NONE);
        for (r, reference) in all.iter().filter(|r| is_other(r)).enumerate() {
            let r = r as u32;
            if let Some(usage) = self.usage_mut(reference.name) {
                if (reference.role == ReferenceRole::Member) == member {
                    usage.same_role += 1;
                } else {
                    usage.other_role += 1;
                }
                let distance = if r < uses_before { uses_before - r } else { r + 1 - uses_before };
                let nearest = if r < uses_before { &mut usage.before } else { &mut usage.after };
                *nearest = if *nearest == 0 { distance } else { distance.min(*nearest) };
                usage.near += u32::from(distance <= NEAR_NAMES);
                usage.follows += u32::from(previous == last && last != NONE);
                usage.same_calledness +=
                    u32::from((reference.call == NONE) == (cursor.call == NONE));
                usage.same_function |=
                    function.start <= reference.start && reference.start < cursor.start;
                let follows_call = reference.call != NONE && called_before == last_call;
                usage.follows_call += u32::from(follows_call && last_call != NONE);
                if member
                    && cursor_receiver.is_some()
                    && receiver(reference.receiver) == cursor_receiver
                {
                    usage.same_receiver += 1;
                }
            }
            if reference.name == next && previous != NONE {
                let usage = self.usage_mut(previous);
                usage.into_iter().for_each(|usage| usage.precedes += 1);
            }
            previous = reference.name;
            if reference.call != NONE {
                called_before = reference.name;
            }
        }
    }
}

/// The call that contains a reference as an argument.
fn call_around(facts: &Facts, cursor: &Ref) -> Option<CallAround> {
    let is_own = |value: &Value| {
        let reference = value.as_reference().and_then(|r| facts.references.get(r as usize));
        reference.is_some_and(|r| r.start == cursor.start)
    };
    facts.expressions.iter().find_map(|e| match e {
        Expression::Call(callee, list) | Expression::New(callee, list) => {
            let position = facts.list(*list).iter().position(is_own)?;
            Some(CallAround { callee: *callee, position })
        }
        _ => None,
    })
}

/// The bytes of the function that contains a reference, else of the file.
fn function_around(facts: &Facts, cursor: &Ref) -> std::ops::Range<u32> {
    let mut at = cursor.scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        if scope.kind == ScopeKind::Function {
            return scope.start..scope.end;
        }
        at = scope.parent;
    }
    0..u32::MAX
}
