//! Which candidate is most likely meant: a weighted sum of what is known of each.

use syntax::LineRest;

use super::kin::Kin;
use super::kinds::{GROUPS, PLACES, family, group, place};
use super::usage::{Usage, Usages, usages};
use super::weights::{KINDS, UNWRITTEN, WEIGHTS};
use super::{Candidate, Typing};
use crate::facts::{NONE, Ref, Role};
use crate::origin::Origin;
use crate::resolve::{Resolver, Ty};
use crate::vocabulary::DefinitionKind;

/// How many things are known of a candidate: each between about 0 and 1, but for the last, the
/// number of its kind at the place.
pub const FEATURES: usize = 37;

/// What is known of a candidate apart from its kind.
const PLAIN: usize = FEATURES - 1;

pub(super) fn rank(
    resolver: &Resolver<'_>,
    typing: &Typing<'_>,
    own: &Ref,
    candidates: &mut [Candidate],
) {
    if candidates.is_empty() {
        return;
    }
    let facts = resolver.facts(typing.file);
    let usages = usages(facts, own, typing.rest);
    let receiver = (own.role == Role::Member)
        .then(|| resolver.eval(typing.file, own.receiver))
        .and_then(|ty| match ty {
            Ty::Type(id, _) | Ty::Instance(id, _) => Some(id),
            _ => None,
        })
        .map(|id| resolver.facts(id.file).strings.text(resolver.def(id).name));
    let used = candidates.iter().filter_map(|c| usages.of.get(&facts.strings.find(&c.name)?));
    let (mut often, mut near) = (1, u32::MAX);
    for usage in used {
        often = often.max(usage.alike);
        near = if usage.before > 0 { near.min(usage.before) } else { near };
    }
    let kin = Kin::before(facts, typing, own);
    let family = family(resolver.language(typing.file));
    let is_called = own.call != NONE;
    for candidate in candidates.iter_mut() {
        let number = facts.strings.find(&candidate.name);
        let usage = number.and_then(|n| usages.of.get(&n)).copied().unwrap_or_default();
        let around =
            Around { typing, own, usages: &usages, receiver, often, near, number, kin: &kin };
        let mut rate = |called: bool| {
            let known = features(resolver, &around, candidate, &usage, called);
            let place = place(own, called, typing.before);
            let group = group(candidate.kind, candidate.keyword);
            let score: f32 = known.iter().zip(&WEIGHTS).map(|(f, w)| f * w).sum();
            candidate.features = known;
            candidate.features[PLAIN] = ((family * PLACES + place) * GROUPS + group) as f32;
            score + KINDS[family][place][group]
        };
        // The features of the case that is rated last are kept: that it is not called.
        candidate.score = if typing.rest == LineRest::Unwritten && !is_called {
            // Whether it will be called is open yet.
            let score = either(rate(true), rate(false));
            score + candidate.features.iter().zip(&UNWRITTEN).map(|(f, w)| f * w).sum::<f32>()
        } else {
            rate(is_called)
        };
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
}

/// How well something fits where one of two cases holds, and neither is likelier.
fn either(one: f32, other: f32) -> f32 {
    let (most, least) = (one.max(other), one.min(other));
    most + (least - most).exp().ln_1p() - std::f32::consts::LN_2
}

/// What is known of the place.
struct Around<'a> {
    typing: &'a Typing<'a>,
    own: &'a Ref,
    usages: &'a Usages,
    /// The type of the receiver.
    receiver: Option<&'a str>,
    /// How often the candidate that is used most is used.
    often: u32,
    /// How near before the place the candidate is that was used last.
    near: u32,
    /// The number of the candidate's name in the file.
    number: Option<u32>,
    /// What is written before it.
    kin: &'a Kin,
}

fn features(
    resolver: &Resolver<'_>,
    around: &Around<'_>,
    candidate: &Candidate,
    usage: &Usage,
    called: bool,
) -> [f32; FEATURES] {
    let Around { typing, own, usages, .. } = around;
    let typed = typing.typed;
    let is = |b: bool| if b { 1.0 } else { 0.0 };
    let near = |distance: u32| match distance {
        0 => 0.0,
        d => 1.0 / (1.0 + (d as f32 / 8.0).ln_1p()),
    };
    let many = |count: u32| ((count as f32).ln_1p() / 4.0).min(1.0);
    let begins = candidate.name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
    let callable = candidate.kind.is_callable() || candidate.kind.is_type();
    let same_file = candidate.place.as_ref().is_some_and(|(file, _)| *file == typing.file);
    let distance = match &candidate.place {
        Some((file, span)) if *file == typing.file && span.start < typing.offset => {
            near(((typing.offset - span.start) / 24).max(1) as u32)
        }
        _ => 0.0,
    };
    let defined = if candidate.origin == Origin::Local { distance } else { 0.0 };
    let function = matches!(candidate.kind, DefinitionKind::Macro) || callable;
    let alike = usage.alike.max(1) as f32;
    let same_folder = candidate
        .place
        .as_ref()
        .is_some_and(|(file, _)| resolver.folder(*file) == resolver.folder(typing.file));
    let uses = usage.alike + usage.others;
    // What is counted as alike is for the place as it stands.
    let as_it_stands = called == (own.call != NONE);
    let called_alike =
        if as_it_stands { usage.called_alike } else { uses - usage.called_alike.min(uses) };
    let kin = around.kin.with(&candidate.name);
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
        is(candidate.origin == Origin::TypedMember && own.role == Role::Member),
        is(called && function),
        is(!called && !function),
        defined,
        many(resolver.files_naming(&candidate.name).min(60)),
        is(candidate.sure),
        is(candidate.name.starts_with('_') && !typed.starts_with('_')),
        1.0 / (1.0 + candidate.name.len() as f32 / 12.0),
        is(usage.before == 1),
        is(usage.before == 2),
        many(usage.follows),
        is(usage.follows > 0),
        many(usage.precedes),
        is(usage.precedes > 0),
        many(usage.argument),
        many(usage.same_argument),
        is(usage.same_argument > 0),
        many(usage.near),
        called_alike as f32 / (uses.max(1) as f32),
        many(usage.same_scope),
        usage.alike as f32 / around.often as f32,
        is(usage.before > 0 && usage.before == around.near),
        is(around.number == Some(usages.defined)),
        is(candidate.container.as_deref().is_some_and(|c| Some(c) == around.receiver)),
        is(same_file) * (0.5 + 0.5 * distance),
        is(same_folder && !same_file) * (1.0 / alike),
        kin,
        0.0,
    ]
}
