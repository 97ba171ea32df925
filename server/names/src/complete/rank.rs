//! Which candidate is most likely meant: a weighted sum of what is known of each.

use rustc_hash::FxHashMap;
use syntax::LineRest;

use super::echo::{Echo, echoes};
use super::expected::Expected;
use super::kin::Kin;
use super::kinds::{GROUPS, PLACES, family, group, place};
use super::usage::Usages;
use super::weights::{UNWRITTEN, UNWRITTEN_KINDS, WRITTEN, WRITTEN_KINDS};
use super::{Candidate, Typing};
use crate::facts::{NONE, Ref, Role};
use crate::fuzzy::Pattern;
use crate::index::FileId;
use crate::occurrences::DefinitionId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::DefinitionKind;

/// How many things are known of a candidate: each between about 0 and 1, but for the last, the
/// number of its kind at the place.
pub const FEATURES: usize = 47;

/// What is known of a candidate apart from its kind.
const PLAIN: usize = FEATURES - 1;

/// Most candidates whose types are compared with the one that is expected.
const TYPED: usize = 80;

/// Bytes of the lines above whose names count as near.
const ABOVE: usize = 160;

/// What is known of a place: by it any of its candidates are ranked.
pub(super) struct Ranking<'t> {
    typing: &'t Typing<'t>,
    own: Ref,
    usages: Usages,
    echoes: FxHashMap<u32, Echo>,
    expected: Expected,
    /// The name of the receiver's type.
    receiver: Option<&'t str>,
    /// Parts of names: on the line and of the function around, of what is expected, of the lines
    /// above.
    kin: Kin,
    expected_kin: Kin,
    above_kin: Kin,
    family: usize,
}

impl<'t> Ranking<'t> {
    pub(super) fn new(
        resolver: &Resolver<'t>,
        typing: &'t Typing<'t>,
        own: Ref,
        pattern: &Pattern,
    ) -> Self {
        let facts = typing.facts;
        let usages = Usages::new(facts, &own, typing.rest, pattern);
        let echoes = echoes(facts, typing.text, &own, |name| usages.of(name).is_some());
        let receiver = (own.role == Role::Member)
            .then(|| resolver.eval(typing.file, own.receiver))
            .and_then(|ty| match ty {
                Ty::Type(id, _) | Ty::Instance(id, _) => Some(id),
                _ => None,
            })
            .map(|id| resolver.facts(id.file).strings.text(resolver.def(id).name));
        let expected = Expected::new(resolver, typing, &own, &usages);
        let line = (own.start as usize).saturating_sub(typing.before.len());
        let above = typing.text.slice(line.saturating_sub(ABOVE)..line);
        Self {
            typing,
            own,
            echoes,
            receiver,
            kin: Kin::before(facts, typing, &own),
            expected_kin: Kin::of(&[&expected.name]),
            above_kin: Kin::of(&[&above]),
            expected,
            family: family(resolver.language(typing.file)),
            usages,
        }
    }

    /// Puts candidates in order, the likeliest first.
    pub(super) fn rank(&self, resolver: &Resolver<'_>, candidates: &mut [Candidate]) {
        let facts = self.typing.facts;
        let mut around = Among { often: 1, near: u32::MAX, next: None };
        let mut nearest: Option<&Candidate> = None;
        for candidate in candidates.iter() {
            let number = facts.strings.find(&candidate.name);
            let Some(usage) = number.and_then(|n| self.usages.of(n)) else { continue };
            around.often = around.often.max(usage.alike);
            if usage.before > 0 && usage.before < around.near {
                around.near = usage.before;
                nearest = Some(candidate);
            }
        }
        around.next = nearest.and_then(|nearest| {
            let (file, span) = nearest.place.as_ref()?;
            let same = candidates.iter().filter(|c| c.container == nearest.container);
            let after = same.filter_map(|c| c.place.as_ref());
            let after = after.filter(|(f, s)| f == file && s.start > span.start);
            after.map(|(f, s)| (*f, s.start)).min_by_key(|(_, start)| *start)
        });
        let is_called = self.own.call != NONE;
        let (weights, kinds) = match self.typing.rest {
            LineRest::Unwritten => (&UNWRITTEN, &UNWRITTEN_KINDS),
            _ => (&WRITTEN, &WRITTEN_KINDS),
        };
        let place = place(&self.own, is_called, self.typing.before);
        for (number, candidate) in candidates.iter_mut().enumerate() {
            let fits = if number < TYPED { self.fits(resolver, candidate) } else { None };
            let known = self.features(resolver, &around, candidate, fits, is_called);
            let group = group(candidate.kind, candidate.keyword);
            candidate.features = known;
            candidate.features[PLAIN] = ((self.family * PLACES + place) * GROUPS + group) as f32;
            let score: f32 = known.iter().zip(weights).map(|(f, w)| f * w).sum();
            candidate.score = score + kinds[self.family][place][group];
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
    }

    fn fits(&self, resolver: &Resolver<'_>, candidate: &Candidate) -> Option<bool> {
        let DefinitionId { file, number } =
            candidate.definition.filter(|_| self.expected.is_typed())?;
        self.expected.fits(resolver, DefId { file, def: number })
    }

    fn features(
        &self,
        resolver: &Resolver<'_>,
        among: &Among,
        candidate: &Candidate,
        fits: Option<bool>,
        called: bool,
    ) -> [f32; FEATURES] {
        let Self { typing, usages, .. } = self;
        let typed = typing.typed;
        let number = typing.facts.strings.find(&candidate.name);
        let usage = number.and_then(|n| usages.of(n)).copied().unwrap_or_default();
        let echo = number.and_then(|n| self.echoes.get(&n)).copied().unwrap_or_default();
        let is = |b: bool| if b { 1.0 } else { 0.0 };
        let near = |distance: u32| match distance {
            0 => 0.0,
            d => 1.0 / (1.0 + (d as f32 / 8.0).ln_1p()),
        };
        let many = |count: u32| ((count as f32).ln_1p() / 4.0).min(1.0);
        let begins =
            candidate.name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
        let callable = candidate.kind.is_callable() || candidate.kind.is_type();
        let same_file = candidate.place.as_ref().is_some_and(|(file, _)| *file == typing.file);
        let distance = match &candidate.place {
            Some((file, span)) if *file == typing.file && span.start < typing.offset => {
                near(((typing.offset - span.start) / 24).max(1) as u32)
            }
            _ => 0.0,
        };
        let is_local = candidate.origin == Origin::Local;
        let defined = if is_local { distance } else { 0.0 };
        let function = matches!(candidate.kind, DefinitionKind::Macro) || callable;
        let uses = usage.alike + usage.others;
        let on_line = has_word(typing.before, &candidate.name);
        let declared_next = candidate
            .place
            .as_ref()
            .is_some_and(|(file, span)| among.next == Some((*file, span.start)));
        [
            is(candidate.name.starts_with(typed)),
            is(begins),
            near(usage.before),
            near(usage.after),
            many(usage.alike),
            many(usage.others),
            many(usage.same_receiver),
            is(is_local || candidate.keyword),
            is(candidate.origin == Origin::SameFile),
            is(called && function),
            is(!called && !function),
            defined,
            many(resolver.files_naming(&candidate.name).min(60)),
            is(candidate.sure),
            // Of what a language brings along all is there to be used, whatever its name's length.
            1.0 / (1.0 + candidate.signature.map_or(candidate.name.len(), |_| 8) as f32 / 12.0),
            is(usage.before == 1),
            is(usage.before == 2),
            many(usage.follows),
            is(usage.follows > 0),
            many(usage.precedes),
            is(usage.precedes > 0),
            many(usage.near),
            usage.called_alike as f32 / (uses.max(1) as f32),
            usage.alike as f32 / among.often as f32,
            is(usage.before > 0 && usage.before == among.near),
            is(candidate.container.is_some() && candidate.container.as_deref() == self.receiver),
            is(same_file) * (0.5 + 0.5 * distance),
            self.kin.with(&candidate.name),
            (echo.longest as f32).ln_1p() / 4.0,
            echo.share,
            is(echo.longest >= 16),
            is(fits == Some(true)),
            is(fits == Some(false)),
            is(self.expected.name == candidate.name),
            self.expected_kin.with(&candidate.name),
            self.above_kin.with(&candidate.name),
            is(on_line),
            is(uses == 0 && is_local),
            is(uses == 0 && same_file && !is_local),
            is(usage.same_function),
            many(usage.follows_call),
            is(usage.follows_call > 0),
            is(declared_next),
            is(uses > 0),
            is(candidate.import.is_some()),
            is(candidate.deprecated),
            0.0,
        ]
    }
}

/// What is known of a candidate among the others.
struct Among {
    /// How often the candidate that is used most is used.
    often: u32,
    /// How near before the place the candidate is that was used last.
    near: u32,
    /// What is declared next behind that one.
    next: Option<(FileId, usize)>,
}

/// Whether a text holds a word.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}
