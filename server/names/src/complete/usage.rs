//! How the names of a file have been used in it.

use rustc_hash::FxHashMap;

use crate::facts::{Facts, Role};

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
}

/// How each name has been used, around the reference `own`.
pub(super) fn usages(facts: &Facts, own: u32) -> FxHashMap<u32, Usage> {
    let asked = facts.references[own as usize];
    let receiver = |v: crate::expression::Value| {
        let r = v.as_reference()?;
        Some(facts.references.get(r as usize)?.name)
    };
    let wanted = receiver(asked.receiver);
    let member = asked.role == Role::Member;
    let mut all: FxHashMap<u32, Usage> = FxHashMap::default();
    for (r, reference) in facts.references.iter().enumerate() {
        if reference.start == asked.start {
            continue;
        }
        let usage = all.entry(reference.name).or_default();
        if (reference.role == Role::Member) == member {
            usage.alike += 1;
        } else {
            usage.others += 1;
        }
        let distance = (r as u32).abs_diff(own).max(1);
        if reference.start < asked.start {
            usage.before = if usage.before == 0 { distance } else { usage.before.min(distance) };
        } else {
            usage.after = if usage.after == 0 { distance } else { usage.after.min(distance) };
        }
        if member && wanted.is_some() && receiver(reference.receiver) == wanted {
            usage.same_receiver += 1;
        }
    }
    all
}
