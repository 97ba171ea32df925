//! Ranks candidates by a weighted sum of features.

use rustc_hash::FxHashMap;
use syntax::LineRest;

use super::expected::Expected;
use super::kind_groups::{KIND_GROUPS, PLACE_KINDS, kind_group, language_group, place_kind};
use super::name_similarity::NameWords;
use super::repeated_context::{RepeatedContext, repeated_contexts};
use super::usage::Usages;
use super::weights::{LINE_END, LINE_END_KINDS, WITHIN_LINE, WITHIN_LINE_KINDS};
use super::{CompletionCandidate, CompletionRequest};
use crate::facts::{NONE, Ref, ReferenceRole};
use crate::fuzzy::FuzzyPattern;
use crate::index::FileId;
use crate::occurrences::DefinitionId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::DefinitionKind;

/// Number of features of a candidate. Each is between about 0 and 1, except the last: the index of
/// the weight for its kind at the place (see `kind_groups`).
pub const FEATURE_COUNT: usize = 47;

/// Number of features that are multiplied by a weight.
const WEIGHTED_FEATURES: usize = FEATURE_COUNT - 1;

/// Limit for the candidates whose types are compared with the expected one.
const MAX_TYPED: usize = 80;

/// Bytes above the cursor's line whose names count as near.
const BYTES_ABOVE: usize = 160;

/// The features of the cursor's place, by which all its candidates are ranked.
pub(super) struct Ranking<'t> {
    typing: &'t CompletionRequest<'t>,
    cursor: Ref,
    usages: Usages,
    repeated_contexts: FxHashMap<u32, RepeatedContext>,
    expected: Expected,
    /// The name of the receiver's type.
    receiver: Option<&'t str>,
    /// Words of names: on the line and of the function around, of what is expected, and of the
    /// lines above.
    line_words: NameWords,
    expected_words: NameWords,
    above_words: NameWords,
    language_group: usize,
}

impl<'t> Ranking<'t> {
    pub(super) fn new(
        resolver: &Resolver<'t>,
        typing: &'t CompletionRequest<'t>,
        cursor: Ref,
        pattern: &FuzzyPattern,
    ) -> Self {
        let facts = typing.facts;
        let usages = Usages::new(facts, &cursor, typing.rest, pattern);
        let repeated_contexts =
            repeated_contexts(facts, typing.text, &cursor, |name| usages.usage(name).is_some());
        let receiver = (cursor.role == ReferenceRole::Member)
            .then(|| resolver.type_of_value(typing.file, cursor.receiver))
            .and_then(|ty| match ty {
                Ty::Type(id, _) | Ty::Instance(id, _) => Some(id),
                _ => None,
            })
            .map(|id| resolver.facts(id.file).strings.text(resolver.def(id).name));
        let expected = Expected::new(resolver, typing, &cursor, &usages);
        let line = (cursor.start as usize).saturating_sub(typing.before.len());
        let above = typing.text.slice(line.saturating_sub(BYTES_ABOVE)..line);
        Self {
            typing,
            cursor,
            repeated_contexts,
            receiver,
            line_words: NameWords::before_cursor(facts, typing, &cursor),
            expected_words: NameWords::from_texts(&[&expected.name]),
            above_words: NameWords::from_texts(&[&above]),
            expected,
            language_group: language_group(resolver.language(typing.file)),
            usages,
        }
    }

    /// Sorts candidates, the likeliest first.
    pub(super) fn rank(&self, resolver: &Resolver<'_>, candidates: &mut [CompletionCandidate]) {
        let facts = self.typing.facts;
        let mut list = ListContext { max_uses: 1, nearest_use: u32::MAX, declared_next: None };
        let mut nearest: Option<&CompletionCandidate> = None;
        for candidate in candidates.iter() {
            let number = facts.strings.find(&candidate.name);
            let Some(usage) = number.and_then(|n| self.usages.usage(n)) else { continue };
            list.max_uses = list.max_uses.max(usage.same_role);
            if usage.before > 0 && usage.before < list.nearest_use {
                list.nearest_use = usage.before;
                nearest = Some(candidate);
            }
        }
        list.declared_next = nearest.and_then(|nearest| {
            let (file, span) = nearest.location.as_ref()?;
            let same = candidates.iter().filter(|c| c.container == nearest.container);
            let after = same.filter_map(|c| c.location.as_ref());
            let after = after.filter(|(f, s)| f == file && s.start > span.start);
            after.map(|(f, s)| (*f, s.start)).min_by_key(|(_, start)| *start)
        });
        let is_called = self.cursor.call != NONE;
        let (weights, kinds) = match self.typing.rest {
            LineRest::Empty => (&LINE_END, &LINE_END_KINDS),
            _ => (&WITHIN_LINE, &WITHIN_LINE_KINDS),
        };
        let place = place_kind(&self.cursor, is_called, self.typing.before);
        for (number, candidate) in candidates.iter_mut().enumerate() {
            let fits = if number < MAX_TYPED { self.fits(resolver, candidate) } else { None };
            let known = self.features(resolver, &list, candidate, fits, is_called);
            let group = kind_group(candidate.kind, candidate.is_keyword_argument);
            candidate.features = known;
            candidate.features[WEIGHTED_FEATURES] =
                ((self.language_group * PLACE_KINDS + place) * KIND_GROUPS + group) as f32;
            let score: f32 = known.iter().zip(weights).map(|(f, w)| f * w).sum();
            candidate.score = score + kinds[self.language_group][place][group];
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
    }

    fn fits(&self, resolver: &Resolver<'_>, candidate: &CompletionCandidate) -> Option<bool> {
        let DefinitionId { file, number } =
            candidate.definition.filter(|_| self.expected.is_typed())?;
        self.expected.fits(resolver, DefId { file, def: number })
    }

    /// The ranking features of a candidate, in the order of `weights`.
    fn features(
        &self,
        resolver: &Resolver<'_>,
        list: &ListContext,
        candidate: &CompletionCandidate,
        fits: Option<bool>,
        called: bool,
    ) -> [f32; FEATURE_COUNT] {
        let Self { typing, usages, .. } = self;
        let typed = typing.prefix;
        let number = typing.facts.strings.find(&candidate.name);
        let usage = number.and_then(|n| usages.usage(n)).copied().unwrap_or_default();
        let context =
            number.and_then(|n| self.repeated_contexts.get(&n)).copied().unwrap_or_default();
        let flag = |b: bool| if b { 1.0 } else { 0.0 };
        let closeness = |distance: u32| match distance {
            0 => 0.0,
            d => 1.0 / (1.0 + (d as f32 / 8.0).ln_1p()),
        };
        let log_count = |count: u32| ((count as f32).ln_1p() / 4.0).min(1.0);
        let begins =
            candidate.name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
        let callable = candidate.kind.is_callable() || candidate.kind.is_type();
        let same_file = candidate.location.as_ref().is_some_and(|(file, _)| *file == typing.file);
        let distance = match &candidate.location {
            Some((file, span)) if *file == typing.file && span.start < typing.offset => {
                closeness(((typing.offset - span.start) / 24).max(1) as u32)
            }
            _ => 0.0,
        };
        let is_local = candidate.origin == Origin::Local;
        let defined = if is_local { distance } else { 0.0 };
        let function = matches!(candidate.kind, DefinitionKind::Macro) || callable;
        let uses = usage.same_role + usage.other_role;
        let on_line = has_word(typing.before, &candidate.name);
        let declared_next = candidate
            .location
            .as_ref()
            .is_some_and(|(file, span)| list.declared_next == Some((*file, span.start)));
        // `weights` has one weight per entry, so the order must not change.
        [
            flag(candidate.name.starts_with(typed)),
            flag(begins),
            closeness(usage.before),
            closeness(usage.after),
            log_count(usage.same_role),
            log_count(usage.other_role),
            log_count(usage.same_receiver),
            flag(is_local || candidate.is_keyword_argument),
            flag(candidate.origin == Origin::SameFile),
            flag(called && function),
            flag(!called && !function),
            defined,
            log_count(resolver.files_naming(&candidate.name).min(60)),
            flag(candidate.is_certain),
            // Standard library members get the same value, whatever the length of their names.
            1.0 / (1.0 + candidate.signature.map_or(candidate.name.len(), |_| 8) as f32 / 12.0),
            flag(usage.before == 1),
            flag(usage.before == 2),
            log_count(usage.follows),
            flag(usage.follows > 0),
            log_count(usage.precedes),
            flag(usage.precedes > 0),
            log_count(usage.near),
            usage.same_calledness as f32 / (uses.max(1) as f32),
            usage.same_role as f32 / list.max_uses as f32,
            flag(usage.before > 0 && usage.before == list.nearest_use),
            flag(candidate.container.is_some() && candidate.container.as_deref() == self.receiver),
            flag(same_file) * (0.5 + 0.5 * distance),
            self.line_words.similarity(&candidate.name),
            (context.longest as f32).ln_1p() / 4.0,
            context.share,
            flag(context.longest >= 16),
            flag(fits == Some(true)),
            flag(fits == Some(false)),
            flag(self.expected.name == candidate.name),
            self.expected_words.similarity(&candidate.name),
            self.above_words.similarity(&candidate.name),
            flag(on_line),
            flag(uses == 0 && is_local),
            flag(uses == 0 && same_file && !is_local),
            flag(usage.same_function),
            log_count(usage.follows_call),
            flag(usage.follows_call > 0),
            flag(declared_next),
            flag(uses > 0),
            flag(candidate.import.is_some()),
            flag(candidate.deprecated),
            0.0,
        ]
    }
}

/// Values that compare a candidate with the others of its list.
struct ListContext {
    /// Uses of the candidate that is used most.
    max_uses: u32,
    /// Distance of the use before the cursor that is nearest.
    nearest_use: u32,
    /// The declaration that follows the definition of that nearest candidate.
    declared_next: Option<(FileId, usize)>,
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
