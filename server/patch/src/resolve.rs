//! Resolves one patch against the snapshot.
//!
//! Tries the patch as written, then other readings of it (without line numbers, unescaped), then
//! tolerant matches. Chooses among the candidates, or explains why there is none.

use std::ops::RangeInclusive;

use crate::addition;
use crate::already::{self, NewTextLocation};
use crate::diagnose;
use crate::drift;
use crate::elision;
use crate::escapes;
use crate::fragments::exact_matches;
use crate::guard;
use crate::hint::{self, HintChoice};
use crate::indent::IndentMap;
use crate::lines::{is_blank_text, starts_inside_indent};
use crate::match_location::{MatchLocation, MatchSet};
use crate::patch::{Fuzzy, Options, Patch, PatchTexts};
use crate::places::find_matches;
use crate::plan::{Edit, Outcome, OutcomeKind, Strategy};
use crate::replace_all::replace_all;
use crate::report::{Failure, FailureCode};
use crate::rival::{self, Rival};
use crate::settle::{ResolvedPatch, already_applied, settle};
use crate::similarity;
use crate::snapshot::Snapshot;
use crate::within;
use crate::wrappers;

/// Finds the place of a patch and plans its edits there.
pub(crate) fn resolve(
    snapshot: &Snapshot<'_>,
    index: usize,
    patch: &Patch,
    options: &Options<'_>,
) -> Result<ResolvedPatch, Box<Failure>> {
    let raw = PatchTexts { old: (&*patch.old_text).into(), new: (&*patch.new_text).into() };
    if options.applied_before.is_some_and(|applied| applied(patch)) {
        return Ok(applied_before(snapshot, &raw, patch));
    }
    if patch.old_text.is_empty() {
        return match addition::place_addition(snapshot, patch) {
            Some(settled) => Ok(settled),
            None => fill_empty(snapshot, index, &raw),
        };
    }
    if patch.replace_all {
        return replace_all(snapshot, index, &raw);
    }
    let resolver = Resolver {
        snapshot,
        index,
        patch,
        hint: hint::hinted_lines(patch).map(|lines| lines.start().saturating_sub(1)),
    };
    resolver.resolve(&raw, options)
}

struct Resolver<'a, 't> {
    snapshot: &'a Snapshot<'t>,
    index: usize,
    patch: &'a Patch,
    /// The hinted line, from 0.
    hint: Option<usize>,
}

impl Resolver<'_, '_> {
    /// Tries in this order: the patch as written, without wrappers, unescaped, part by part, by
    /// tokens, as applied already, by similarity. Each step tolerates more than the ones before.
    fn resolve(
        &self,
        raw: &PatchTexts<'_>,
        options: &Options<'_>,
    ) -> Result<ResolvedPatch, Box<Failure>> {
        let found = find_matches(self.snapshot, raw, self.hint);
        let is_tolerant = found.places.first().is_none_or(|place| place.strategy.is_tolerant());
        // If the context lines match without a leading blank being removed, they had none: the
        // difference is a missing diff marker and not a change of indentation.
        if is_tolerant && let Some((old, new)) = &self.patch.unmarked {
            let unmarked = PatchTexts { old: old.into(), new: new.into() };
            let found = find_matches(self.snapshot, &unmarked, self.hint);
            if found.places.first().is_some_and(|place| !place.strategy.is_tolerant()) {
                return self.choose(&unmarked, found, &["context without marks was read as it is"]);
            }
        }
        if !found.places.is_empty() || found.more {
            return self.choose(raw, found, &[]);
        }
        for (texts, wrapper) in wrappers::readings(raw) {
            let mut found = find_matches(self.snapshot, &texts, self.hint);
            found.places.retain(|place| !wrapper.is_around(self.snapshot, place));
            // Removing the wrapper is one tolerated difference; an indentation change would be a
            // second one, and together they match too much.
            let is_same = found
                .places
                .first()
                .is_some_and(|place| place.strategy <= Strategy::TrailingBlanks);
            if is_same {
                if let Some(place) = found.places.first()
                    && let Some(there) = already::find_wrapped(self.snapshot, raw, place)
                {
                    let failure = diagnose::maybe_applied(self.snapshot, self.index, place, &there);
                    return Err(Box::new(failure));
                }
                return self.choose(&texts, found, &[wrapper.note()]);
            }
        }
        for texts in escapes::readings(raw) {
            let mut found = find_matches(self.snapshot, &texts, self.hint);
            // One tolerated difference again: escapes, but not escapes and loose blanks.
            found.places.retain(|place| place.strategy <= Strategy::FirstLine);
            for place in &mut found.places {
                place.strategy = Strategy::Escapes;
            }
            if !found.places.is_empty() || found.more {
                return self.choose(
                    &texts,
                    found,
                    &["one level of escaping was removed from old_text and new_text"],
                );
            }
        }
        if let Some(parts) = elision::elided_parts(raw) {
            return self.resolve_parts(&parts);
        }
        if options.fuzzy == Fuzzy::Safe
            && let Some(settled) = self.match_by_tokens(raw)?
        {
            return Ok(settled);
        }
        let near = similarity::nearest(self.snapshot, raw, self.hint);
        if let Some(place) = already::find_applied(self.snapshot, raw, self.patch, &near) {
            return Ok(self.already_applied(place));
        }
        if options.fuzzy == Fuzzy::Safe
            && let Some(place) = similarity::accept(self.snapshot, raw, &near, self.patch)
        {
            return self.choose(raw, MatchSet { places: vec![place], more: false }, &[]);
        }
        if options.fuzzy == Fuzzy::Safe
            && let Some(place) = similarity::accept_stale(self.snapshot, raw, &near)
        {
            let found = MatchSet { places: vec![place], more: false };
            return self.choose(raw, found, &["one line that old_text quotes is another by now"]);
        }
        Err(Box::new(diagnose::no_match(self.snapshot, self.index, raw, &near)))
    }

    /// Resolves a patch whose texts elide lines: each part has its own place, in order.
    fn resolve_parts(&self, parts: &[PatchTexts<'_>]) -> Result<ResolvedPatch, Box<Failure>> {
        let mut all: Option<ResolvedPatch> = None;
        for texts in parts {
            let found = find_matches(self.snapshot, texts, self.hint);
            if found.places.is_empty() && !found.more {
                let near = similarity::nearest(self.snapshot, texts, self.hint);
                let mut failure = diagnose::no_match(self.snapshot, self.index, texts, &near);
                failure.message =
                    "a part of old_text between the lines that are left out is not in the text."
                        .to_owned();
                return Err(Box::new(failure));
            }
            let place = match &found.places[..] {
                // At another depth each part could belong to another block.
                [place]
                    if !found.more
                        && place.strategy <= Strategy::Indentation
                        && !self.is_inside_indent(texts, place) =>
                {
                    place.clone()
                }
                _ => {
                    return Err(Box::new(diagnose::ambiguous(
                        self.snapshot,
                        self.index,
                        self.patch,
                        &found,
                    )));
                }
            };
            let settled = self.choose(texts, found, &[])?;
            let Some(so_far) = &mut all else {
                all = Some(ResolvedPatch { spans: vec![place.span], ..settled });
                continue;
            };
            if so_far.spans.last().is_some_and(|last| place.span.start < last.end) {
                let mut failure = Failure::new(
                    self.index,
                    FailureCode::NoMatch,
                    "the parts of old_text between the lines that are left out are in another order in the text.",
                );
                failure.candidates.push(diagnose::candidate(self.snapshot, &place.span));
                return Err(Box::new(failure.hint("Send each part as a patch of its own.")));
            }
            so_far.edits.extend(settled.edits);
            so_far.spans.push(place.span);
            let outcome = &mut so_far.outcome;
            outcome.end_line = settled.outcome.end_line;
            outcome.strategy = outcome.strategy.max(settled.outcome.strategy);
            if settled.outcome.kind == OutcomeKind::Applied {
                outcome.kind = OutcomeKind::Applied;
            }
        }
        let mut all = all.ok_or_else(|| {
            Box::new(Failure::new(self.index, FailureCode::NoMatch, "old_text has no lines."))
        })?;
        all.outcome.notes = vec!["what both texts leave out stays as it is".to_owned()];
        Ok(all)
    }

    /// Matches token by token, for code that a formatter has rewritten since it was quoted.
    fn match_by_tokens(&self, raw: &PatchTexts<'_>) -> Result<Option<ResolvedPatch>, Box<Failure>> {
        let found = drift::find(self.snapshot, raw);
        let place = match &found[..] {
            [] => return Ok(None),
            [place] => place,
            several => {
                let places = several
                    .iter()
                    .map(|place| MatchLocation::from_span(place.span(), Strategy::Tokens))
                    .collect();
                let found = MatchSet { places, more: false };
                let failure = diagnose::ambiguous(self.snapshot, self.index, self.patch, &found);
                return Err(Box::new(failure));
            }
        };
        let span = place.span();
        let as_place = MatchLocation {
            map: place.map.clone(),
            ..MatchLocation::from_span(span.clone(), Strategy::Tokens)
        };
        let Some(edits) = drift::edits(self.snapshot, raw, place) else { return Ok(None) };
        // If the result of the patch is present and covers this place, the patch was applied.
        let again = PatchTexts { old: raw.new.clone(), new: raw.new.clone() };
        let made = drift::find(self.snapshot, &again);
        let covers = made.iter().any(|made| {
            let made = made.span();
            made.start <= span.start && span.end <= made.end && made != span
        });
        if covers {
            return Ok(Some(self.already_applied(as_place)));
        }
        if let Err(refusal) = guard::check_new_text(&raw.old, &raw.new) {
            let failure = Failure::new(self.index, FailureCode::Guard, refusal.message);
            return Err(Box::new(failure.hint(refusal.hint)));
        }
        let lines = self.snapshot.lines();
        let (first, last) = (lines.line_at(span.start), lines.line_at(span.end.saturating_sub(1)));
        let whole = lines.span(first, last + 1 - first);
        let found = MatchSet { places: vec![as_place.clone()], more: false };
        let kept = within::filter_below(self.snapshot, found.places, self.patch);
        if let Err(elsewhere) = kept {
            let span = Some(span);
            return Err(Box::new(diagnose::elsewhere(self.snapshot, self.index, &elsewhere, span)));
        }
        let off_by = self.off_by(&as_place);
        let is_hinted = self.hint.is_some() && off_by.is_none();
        if !is_hinted && place.map.changes_depth() && is_indented(&raw.old) {
            return Err(Box::new(diagnose::other_depth(self.snapshot, self.index, &as_place)));
        }
        let matched = first..last + 1;
        let rival = self
            .rival(raw, &as_place, off_by)
            .or_else(|| rival::at_own_depth(self.snapshot, raw, &matched));
        if let Some(rival) = rival {
            return Err(Box::new(diagnose::rival(self.snapshot, self.index, &span, &rival)));
        }
        if !edits.is_empty()
            && let Some(made) = self.made_before(raw, &as_place)
        {
            return made.map(Some);
        }
        let kind = if edits.is_empty() { OutcomeKind::Unchanged } else { OutcomeKind::Applied };
        let outcome = Outcome {
            kind,
            strategy: Strategy::Tokens,
            similarity: None,
            start_line: first + 1,
            end_line: last + 1,
            hint_off_by: off_by,
            notes: Vec::new(),
        };
        Ok(Some(ResolvedPatch { outcome, edits, spans: vec![whole] }))
    }

    fn off_by(&self, place: &MatchLocation) -> Option<usize> {
        match hint::choose(&[self.snapshot.lines_of(&place.span)], self.patch) {
            HintChoice::One { off_by, .. } => off_by,
            HintChoice::Ambiguous => None,
        }
    }

    fn already_applied(&self, place: MatchLocation) -> ResolvedPatch {
        already_applied(self.snapshot, &place, self.off_by(&place))
    }

    fn choose(
        &self,
        texts: &PatchTexts<'_>,
        found: MatchSet,
        notes: &[&str],
    ) -> Result<ResolvedPatch, Box<Failure>> {
        let all = found.places.first().cloned();
        let places = within::filter_below(self.snapshot, found.places, self.patch);
        let places = places.map_err(|elsewhere| {
            let place = all.as_ref().map(|place| place.span.clone());
            Box::new(diagnose::elsewhere(self.snapshot, self.index, &elsewhere, place))
        })?;
        let found = MatchSet { places: self.at_end(places), ..found };
        let places = &found.places;
        let choice = match &places[..] {
            // The usual case needs no line numbers.
            [_] if self.hint.is_none() && !found.more => HintChoice::One { index: 0, off_by: None },
            [_] | [] if found.more && self.hint.is_none() => HintChoice::Ambiguous,
            _ if self.hint.is_none() => HintChoice::Ambiguous,
            _ => {
                if places.len() > 1 {
                    self.snapshot.lines();
                }
                let lines: Vec<RangeInclusive<usize>> =
                    places.iter().map(|place| self.snapshot.lines_of(&place.span)).collect();
                hint::choose(&lines, self.patch)
            }
        };
        match choice {
            HintChoice::One { index, off_by } => {
                let place = &places[index];
                if off_by.is_some()
                    && texts.old != texts.new
                    && let Some(there) =
                        already::applied_at_hint(self.snapshot, texts, self.patch, place)
                {
                    return Ok(self.already_applied(there));
                }
                if let Some(rival) = self.rival(texts, place, off_by) {
                    return Err(Box::new(diagnose::rival(
                        self.snapshot,
                        self.index,
                        &place.span,
                        &rival,
                    )));
                }
                self.settle(texts, place, off_by, notes)
            }
            HintChoice::Ambiguous if texts.old == texts.new && !places.is_empty() => {
                self.settle(texts, &places[0], None, notes)
            }
            HintChoice::Ambiguous => {
                Err(Box::new(diagnose::ambiguous(self.snapshot, self.index, self.patch, &found)))
            }
        }
    }

    /// Keeps only the place at the end of the text if the patch prefers it.
    fn at_end(&self, places: Vec<MatchLocation>) -> Vec<MatchLocation> {
        if !self.patch.at_end || places.len() < 2 {
            return places;
        }
        let end = self.snapshot.text.trim_end().len();
        match places.iter().find(|place| place.span.end >= end) {
            Some(last) => vec![last.clone()],
            None => places,
        }
    }

    /// A near match at the hinted line or at the author's indentation, when the only match is
    /// elsewhere. The intended text has probably changed, and the match is a copy of it.
    fn rival(
        &self,
        texts: &PatchTexts<'_>,
        place: &MatchLocation,
        off_by: Option<usize>,
    ) -> Option<Rival> {
        let shifted = place.map != IndentMap::Identity
            || (place.strategy == Strategy::Exact && self.is_inside_indent(texts, place));
        if off_by.is_none() && !shifted {
            return None;
        }
        let lines = self.snapshot.lines_of(&place.span);
        let matched = lines.start() - 1..*lines.end();
        let hint = hint::hinted_lines(self.patch).filter(|_| off_by.is_some());
        let at_hint = hint.and_then(|hint| rival::at_hint(self.snapshot, texts, &matched, &hint));
        at_hint.or_else(|| rival::at_own_depth(self.snapshot, texts, &matched).filter(|_| shifted))
    }

    fn is_inside_indent(&self, texts: &PatchTexts<'_>, place: &MatchLocation) -> bool {
        texts.old.starts_with([' ', '\t'])
            && starts_inside_indent(self.snapshot.text, place.span.start)
    }

    /// What a tolerant match at `place` means if `new_text` is in the file; `None` if it is not.
    fn made_before(
        &self,
        texts: &PatchTexts<'_>,
        place: &MatchLocation,
    ) -> Option<Result<ResolvedPatch, Box<Failure>>> {
        let (snapshot, index) = (self.snapshot, self.index);
        Some(match already::find_new_text(snapshot, texts, self.patch, place)? {
            NewTextLocation::Around(there) => Ok(self.already_applied(there)),
            NewTextLocation::Elsewhere(there) => {
                Err(Box::new(diagnose::maybe_applied(snapshot, index, place, &there)))
            }
        })
    }

    fn settle(
        &self,
        texts: &PatchTexts<'_>,
        place: &MatchLocation,
        off_by: Option<usize>,
        notes: &[&str],
    ) -> Result<ResolvedPatch, Box<Failure>> {
        match settle(self.snapshot, texts, place, off_by) {
            Ok(mut settled) => {
                if settled.outcome.kind == OutcomeKind::Applied
                    && let Some(made) = self.made_before(texts, place)
                {
                    return made;
                }
                settled.outcome.notes.extend(notes.iter().map(|&note| note.to_owned()));
                Ok(settled)
            }
            Err(refusal) => {
                let mut failure = Failure::new(self.index, FailureCode::Guard, refusal.message)
                    .hint(refusal.hint);
                failure.candidates.push(diagnose::candidate(self.snapshot, &place.span));
                Err(Box::new(failure))
            }
        }
    }
}

/// Whether the author says how deep the text is: none of its lines is at the margin.
fn is_indented(text: &str) -> bool {
    text.lines().filter(|line| !is_blank_text(line)).all(|line| line.starts_with([' ', '\t']))
}

/// The outcome of a patch that was applied before; its lines are where `new_text` is now.
fn applied_before(snapshot: &Snapshot<'_>, texts: &PatchTexts<'_>, patch: &Patch) -> ResolvedPatch {
    let there = exact_matches(snapshot, &texts.new, None).places.into_iter().next();
    let lines = there.map_or_else(
        || {
            let line = patch.start_line.unwrap_or(1);
            line..=line
        },
        |place| snapshot.lines_of(&place.span),
    );
    ResolvedPatch {
        outcome: Outcome {
            kind: OutcomeKind::AlreadyApplied,
            strategy: Strategy::Exact,
            similarity: None,
            start_line: *lines.start(),
            end_line: *lines.end(),
            hint_off_by: None,
            notes: vec!["this patch was applied before, and nothing has changed since".to_owned()],
        },
        edits: Vec::new(),
        spans: Vec::new(),
    }
}

/// An empty `old_text` fills an empty text.
fn fill_empty(
    snapshot: &Snapshot<'_>,
    index: usize,
    texts: &PatchTexts<'_>,
) -> Result<ResolvedPatch, Box<Failure>> {
    let start = snapshot.body_start();
    let body = &snapshot.text[start..];
    // Do not add a second byte order mark.
    let new = if start > 0 {
        texts.new.strip_prefix('\u{feff}').unwrap_or(&texts.new)
    } else {
        &texts.new
    };
    let outcome = |kind| Outcome {
        kind,
        strategy: Strategy::Exact,
        similarity: None,
        start_line: 1,
        end_line: 1,
        hint_off_by: None,
        notes: Vec::new(),
    };
    if body.is_empty() && !new.is_empty() {
        let edits = vec![Edit { range: start..start, new_text: new.to_owned() }];
        return Ok(ResolvedPatch {
            outcome: outcome(OutcomeKind::Applied),
            edits,
            spans: std::iter::once(start..start).collect(),
        });
    }
    if body.is_empty() {
        return Ok(ResolvedPatch {
            outcome: outcome(OutcomeKind::Unchanged),
            edits: Vec::new(),
            spans: Vec::new(),
        });
    }
    if !is_blank_text(new) && snapshot.lf_text().text[start..] == crate::eol::LfText::new(new).text
    {
        return Ok(ResolvedPatch {
            outcome: outcome(OutcomeKind::AlreadyApplied),
            edits: Vec::new(),
            spans: Vec::new(),
        });
    }
    Err(Box::new(
        Failure::new(index, FailureCode::Guard, "old_text is empty, but the text is not, so there is no place for new_text.")
            .hint("Quote in old_text the line next to the place and repeat it in new_text, or replace the whole file."),
    ))
}
