//! Which candidate is most likely meant: a weighted sum of what is known of each.

use super::usage::{Usage, usages};
use super::{Candidate, Typing};
use crate::facts::{NONE, Role};
use crate::origin::Origin;
use crate::resolve::Resolver;
use crate::vocabulary::DefinitionKind;

/// What is known of a candidate, each between about 0 and 1.
const FEATURES: usize = 17;

/// How much each feature counts, in the order of [`features`].
const WEIGHTS: [f32; FEATURES] = [
    1.0,  // begins with what is typed, case alike
    0.8,  // begins with it at all
    1.5,  // used shortly before
    0.6,  // used shortly after
    0.8,  // used often, in the same role
    0.2,  // used often otherwise
    1.2,  // used on the same receiver
    0.9,  // local
    0.3,  // of this file
    0.3,  // the type's own member
    0.8,  // called, and can be called
    0.3,  // not called, and is no function
    0.8,  // defined shortly before, in the same function
    0.5,  // known in many files
    0.5,  // sure
    -0.4, // begins with an underscore that was not typed
    0.3,  // short
];

pub(super) fn rank(
    resolver: &Resolver<'_>,
    typing: &Typing<'_>,
    own: u32,
    candidates: &mut [Candidate],
) {
    let facts = resolver.facts(typing.file);
    let usages = usages(facts, own);
    for candidate in candidates.iter_mut() {
        let number = facts.strings.find(&candidate.name);
        let usage = number.and_then(|n| usages.get(&n)).copied().unwrap_or_default();
        let known = features(resolver, typing, own, candidate, &usage);
        candidate.score = known.iter().zip(&WEIGHTS).map(|(f, w)| f * w).sum();
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
}

fn features(
    resolver: &Resolver<'_>,
    typing: &Typing<'_>,
    own: u32,
    candidate: &Candidate,
    usage: &Usage,
) -> [f32; FEATURES] {
    let facts = resolver.facts(typing.file);
    let reference = facts.references[own as usize];
    let typed = typing.typed;
    let is = |b: bool| if b { 1.0 } else { 0.0 };
    let near = |distance: u32| match distance {
        0 => 0.0,
        d => 1.0 / (1.0 + (d as f32 / 8.0).ln_1p()),
    };
    let many = |count: u32| ((count as f32).ln_1p() / 4.0).min(1.0);
    let begins = candidate.name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
    let callable = candidate.kind.is_callable() || candidate.kind.is_type();
    let called = reference.call != NONE;
    let defined = match &candidate.place {
        Some((file, span))
            if *file == typing.file
                && span.start < typing.offset
                && candidate.origin == Origin::Local =>
        {
            near(((typing.offset - span.start) / 24).max(1) as u32)
        }
        _ => 0.0,
    };
    let function = matches!(candidate.kind, DefinitionKind::Macro) || callable;
    [
        is(candidate.name.starts_with(typed)),
        is(begins),
        near(usage.before),
        near(usage.after),
        many(usage.alike),
        many(usage.others),
        many(usage.same_receiver),
        is(candidate.origin == Origin::Local || candidate.keyword),
        is(candidate.origin == Origin::SameFile),
        is(candidate.origin == Origin::TypedMember && reference.role == Role::Member),
        is(called && function),
        is(!called && !function),
        defined,
        many(resolver.files_naming(&candidate.name).min(60)),
        is(candidate.sure),
        is(candidate.name.starts_with('_') && !typed.starts_with('_')),
        1.0 / (1.0 + candidate.name.len() as f32 / 12.0),
    ]
}
