//! How the names of a file have been used in it.

use rustc_hash::FxHashMap;
use syntax::LineRest;

use crate::expression::{Expression, Value};
use crate::facts::{Facts, NONE, Ref, Role};

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
    /// Uses as an argument of what is called around the place.
    pub(super) argument: u32,
    /// The same, at the same position.
    pub(super) same_argument: u32,
    /// Uses in the scope of the place.
    pub(super) same_scope: u32,
}

/// How the names around a place have been used.
pub(super) struct Usages {
    /// By the number of the name.
    pub(super) of: FxHashMap<u32, Usage>,
    /// The name that is defined last before it.
    pub(super) defined: u32,
}

/// How each name has been used, around the reference `own`. What follows it on the next line
/// counts for nothing.
pub(super) fn usages(facts: &Facts, own: &Ref, rest: LineRest) -> Usages {
    let receiver = |v: Value| {
        let r = v.as_reference()?;
        Some(facts.references.get(r as usize)?.name)
    };
    let wanted = receiver(own.receiver);
    let member = own.role == Role::Member;
    let mut of: FxHashMap<u32, Usage> = FxHashMap::default();
    let all = &facts.references;
    let others = || all.iter().filter(|r| r.start != own.start && r.start < r.end);
    let place = others().filter(|r| r.start < own.start).count() as u32;
    let last = others().filter(|r| r.start < own.start).max_by_key(|r| r.start);
    let last = last.map_or(NONE, |r| r.name);
    let next = others().filter(|r| r.start > own.start && rest != LineRest::Unwritten);
    let next = next.min_by_key(|r| r.start);
    let next = next.map_or(NONE, |r| r.name);
    let mut previous = NONE;
    for (r, reference) in others().enumerate() {
        let r = r as u32;
        let usage = of.entry(reference.name).or_default();
        if (reference.role == Role::Member) == member {
            usage.alike += 1;
        } else {
            usage.others += 1;
        }
        let distance = if r < place { place - r } else { r + 1 - place };
        if r < place {
            usage.before = if usage.before == 0 { distance } else { usage.before.min(distance) };
        } else {
            usage.after = if usage.after == 0 { distance } else { usage.after.min(distance) };
        }
        usage.near += u32::from(distance <= NEAR);
        usage.follows += u32::from(previous == last && last != NONE);
        usage.called_alike += u32::from((reference.call == NONE) == (own.call == NONE));
        usage.same_scope += u32::from(reference.scope == own.scope);
        if member && wanted.is_some() && receiver(reference.receiver) == wanted {
            usage.same_receiver += 1;
        }
        if reference.name == next && previous != NONE {
            of.entry(previous).or_default().precedes += 1;
        }
        previous = reference.name;
    }
    arguments(facts, own, &mut of);
    let before =
        facts.by_place.partition_point(|&d| facts.definitions[d as usize].name_start < own.start);
    let defined =
        facts.by_place[..before].last().map_or(NONE, |&d| facts.definitions[d as usize].name);
    Usages { of, defined }
}

/// Counts what else what is called around the place was given.
fn arguments(facts: &Facts, own: &Ref, of: &mut FxHashMap<u32, Usage>) {
    let named = |v: Value| facts.references.get(v.as_reference()? as usize);
    let calls = || {
        facts.expressions.iter().filter_map(|e| match e {
            Expression::Call(callee, list) | Expression::New(callee, list) => {
                Some((named(*callee)?, facts.list(*list)))
            }
            _ => None,
        })
    };
    let at = |v: &Value| named(*v).is_some_and(|r| r.start == own.start);
    let around = calls().find_map(|(callee, list)| Some((callee.name, list.iter().position(at)?)));
    let Some((callee, position)) = around else { return };
    for (_, list) in calls().filter(|(c, _)| c.name == callee) {
        for (n, given) in list.iter().enumerate() {
            if let Some(given) = named(*given).filter(|g| g.start != own.start) {
                let usage = of.entry(given.name).or_default();
                usage.argument += 1;
                usage.same_argument += u32::from(n == position);
            }
        }
    }
}
