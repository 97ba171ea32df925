//! One patch against the snapshot: the readings of it, the choice among candidates, and
//! what else explains that it is not there.

use std::ops::RangeInclusive;

use crate::addition;
use crate::already::{self, Standing};
use crate::diagnose;
use crate::drift;
use crate::edits::minimal;
use crate::elision;
use crate::escapes;
use crate::fragments::exact;
use crate::guard;
use crate::hint::{self, Choice};
use crate::indent::IndentMap;
use crate::occurrences::disjoint;
use crate::patch::{Fuzzy, Options, Patch};
use crate::places::{Found, Place, Wanted, find, is_blank_text, starts_inside_indent};
use crate::plan::{Edit, Outcome, OutcomeKind, Strategy};
use crate::report::{Failure, FailureCode};
use crate::rival::{self, Rival};
use crate::settle::{Settled, is_present_around, replacement, settle};
use crate::similarity;
use crate::snapshot::Snapshot;
use crate::within;
use crate::wrappers;

/// Finds the place of a patch and what it does there.
pub(crate) fn resolve(
    snapshot: &Snapshot<'_>,
    index: usize,
    patch: &Patch,
    options: &Options<'_>,
) -> Result<Settled, Box<Failure>> {
    let raw = Wanted { old: (&*patch.old_text).into(), new: (&*patch.new_text).into() };
    if options.applied_before.is_some_and(|applied| applied(patch)) {
        return Ok(sent_again(snapshot, &raw, patch));
    }
    if patch.old_text.is_empty() {
        return match addition::settle(snapshot, patch) {
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
        hint: hint::lines_of(patch).map(|lines| lines.start().saturating_sub(1)),
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
    fn resolve(&self, raw: &Wanted<'_>, options: &Options<'_>) -> Result<Settled, Box<Failure>> {
        let found = find(self.snapshot, raw, self.hint);
        let is_tolerant = found.places.first().is_none_or(|place| place.strategy.is_tolerant());
        // Context without marks that stands there as written is no change of indentation.
        if is_tolerant && let Some((old, new)) = &self.patch.unmarked {
            let unmarked = Wanted { old: old.into(), new: new.into() };
            let found = find(self.snapshot, &unmarked, self.hint);
            if found.places.first().is_some_and(|place| !place.strategy.is_tolerant()) {
                return self.choose(&unmarked, found, &["context without marks was read as it is"]);
            }
        }
        if !found.places.is_empty() || found.more {
            return self.choose(raw, found, &[]);
        }
        for (wanted, note) in wrappers::readings(raw) {
            let found = find(self.snapshot, &wanted, self.hint);
            // What was around the text is one step; another indentation would be two.
            let is_same = found
                .places
                .first()
                .is_some_and(|place| place.strategy <= Strategy::TrailingBlanks);
            if is_same {
                return self.choose(&wanted, found, &[note]);
            }
        }
        for wanted in escapes::readings(raw) {
            let mut found = find(self.snapshot, &wanted, self.hint);
            // Escapes alone are one step; escapes and loose blanks would be two.
            found.places.retain(|place| place.strategy <= Strategy::FirstLine);
            for place in &mut found.places {
                place.strategy = Strategy::Escapes;
            }
            if !found.places.is_empty() || found.more {
                return self.choose(
                    &wanted,
                    found,
                    &["one level of escaping was removed from old_text and new_text"],
                );
            }
        }
        if let Some(pieces) = elision::pieces_of(raw) {
            return self.piece_by_piece(&pieces);
        }
        if options.fuzzy == Fuzzy::Safe
            && let Some(settled) = self.drifted(raw)?
        {
            return Ok(settled);
        }
        let near = similarity::nearest(self.snapshot, raw, self.hint);
        if let Some(place) = already::applied(self.snapshot, raw, self.patch, &near) {
            return Ok(self.already(place));
        }
        if options.fuzzy == Fuzzy::Safe
            && let Some(place) = similarity::accept(self.snapshot, raw, &near, self.patch)
        {
            return self.choose(raw, Found { places: vec![place], more: false }, &[]);
        }
        if options.fuzzy == Fuzzy::Safe
            && let Some(place) = similarity::accept_stale(self.snapshot, raw, &near)
        {
            let found = Found { places: vec![place], more: false };
            return self.choose(raw, found, &["one line that old_text quotes is another by now"]);
        }
        Err(Box::new(diagnose::no_match(self.snapshot, self.index, raw, &near)))
    }

    /// A patch whose texts leave lines out: each piece at its own place, in order.
    fn piece_by_piece(&self, pieces: &[Wanted<'_>]) -> Result<Settled, Box<Failure>> {
        let mut all: Option<Settled> = None;
        for wanted in pieces {
            let found = find(self.snapshot, wanted, self.hint);
            if found.places.is_empty() && !found.more {
                let near = similarity::nearest(self.snapshot, wanted, self.hint);
                let mut failure = diagnose::no_match(self.snapshot, self.index, wanted, &near);
                failure.message =
                    "a part of old_text between the lines that are left out is not in the text."
                        .to_owned();
                return Err(Box::new(failure));
            }
            let place = match &found.places[..] {
                [place] if !found.more && place.strategy <= Strategy::Indentation => place.clone(),
                _ => {
                    return Err(Box::new(diagnose::ambiguous(
                        self.snapshot,
                        self.index,
                        self.patch,
                        &found,
                    )));
                }
            };
            let settled = self.choose(wanted, found, &[])?;
            let Some(so_far) = &mut all else {
                all = Some(Settled { spans: vec![place.span], ..settled });
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

    /// A patch of what a formatter has laid out anew.
    fn drifted(&self, raw: &Wanted<'_>) -> Result<Option<Settled>, Box<Failure>> {
        let found = drift::find(self.snapshot, raw);
        let place = match &found[..] {
            [] => return Ok(None),
            [place] => place,
            several => {
                let places = several
                    .iter()
                    .map(|place| Place::text(place.span(), Strategy::Tokens))
                    .collect();
                let found = Found { places, more: false };
                let failure = diagnose::ambiguous(self.snapshot, self.index, self.patch, &found);
                return Err(Box::new(failure));
            }
        };
        let span = place.span();
        let as_place =
            Place { map: place.map.clone(), ..Place::text(span.clone(), Strategy::Tokens) };
        let Some(edits) = drift::edits(self.snapshot, raw, place) else { return Ok(None) };
        // What was found may be part of what the patch made before.
        let again = Wanted { old: raw.new.clone(), new: raw.new.clone() };
        let made = drift::find(self.snapshot, &again);
        let covers = made.iter().any(|made| {
            let made = made.span();
            made.start <= span.start && span.end <= made.end && made != span
        });
        if covers {
            return Ok(Some(self.already(as_place)));
        }
        if let Err(refusal) = guard::check_new_text(&raw.old, &raw.new) {
            let failure = Failure::new(self.index, FailureCode::Guard, refusal.message);
            return Err(Box::new(failure.hint(refusal.hint)));
        }
        let lines = self.snapshot.lines();
        let (first, last) = (lines.line_at(span.start), lines.line_at(span.end.saturating_sub(1)));
        let whole = lines.span(first, last + 1 - first);
        let found = Found { places: vec![as_place.clone()], more: false };
        let kept = within::below(self.snapshot, found.places, self.patch);
        if let Err(elsewhere) = kept {
            let span = Some(span);
            return Err(Box::new(diagnose::elsewhere(self.snapshot, self.index, &elsewhere, span)));
        }
        let off_by = self.off_by(&as_place);
        let taken = first..last + 1;
        let rival = self
            .rival(raw, &as_place, off_by)
            .or_else(|| rival::at_own_depth(self.snapshot, raw, &taken));
        if let Some(rival) = rival {
            return Err(Box::new(diagnose::rival(self.snapshot, self.index, &span, &rival)));
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
        Ok(Some(Settled { outcome, edits, spans: vec![whole] }))
    }

    fn off_by(&self, place: &Place) -> Option<usize> {
        match hint::choose(&[self.snapshot.lines_of(&place.span)], self.patch) {
            Choice::One { off_by, .. } => off_by,
            Choice::Ambiguous => None,
        }
    }

    fn already(&self, place: Place) -> Settled {
        let lines = self.snapshot.lines_of(&place.span);
        Settled {
            outcome: Outcome {
                kind: OutcomeKind::AlreadyApplied,
                strategy: place.strategy,
                similarity: None,
                start_line: *lines.start(),
                end_line: *lines.end(),
                hint_off_by: self.off_by(&place),
                notes: vec!["old_text is gone and new_text is there".to_owned()],
            },
            edits: Vec::new(),
            spans: Vec::new(),
        }
    }

    fn choose(
        &self,
        wanted: &Wanted<'_>,
        found: Found,
        notes: &[&str],
    ) -> Result<Settled, Box<Failure>> {
        let all = found.places.first().cloned();
        let places = within::below(self.snapshot, found.places, self.patch);
        let places = places.map_err(|elsewhere| {
            let place = all.as_ref().map(|place| place.span.clone());
            Box::new(diagnose::elsewhere(self.snapshot, self.index, &elsewhere, place))
        })?;
        let found = Found { places: self.at_end(places), ..found };
        let places = &found.places;
        let choice = match &places[..] {
            // The usual case needs no line numbers.
            [_] if self.hint.is_none() && !found.more => Choice::One { index: 0, off_by: None },
            [_] | [] if found.more && self.hint.is_none() => Choice::Ambiguous,
            _ if self.hint.is_none() => Choice::Ambiguous,
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
            Choice::One { index, off_by } => {
                let place = &places[index];
                if off_by.is_some()
                    && wanted.old != wanted.new
                    && let Some(there) = already::at_hint(self.snapshot, wanted, self.patch, place)
                {
                    return Ok(self.already(there));
                }
                if let Some(rival) = self.rival(wanted, place, off_by) {
                    return Err(Box::new(diagnose::rival(
                        self.snapshot,
                        self.index,
                        &place.span,
                        &rival,
                    )));
                }
                self.settle(wanted, place, off_by, notes)
            }
            Choice::Ambiguous if wanted.old == wanted.new && !places.is_empty() => {
                self.settle(wanted, &places[0], None, notes)
            }
            Choice::Ambiguous => {
                Err(Box::new(diagnose::ambiguous(self.snapshot, self.index, self.patch, &found)))
            }
        }
    }

    /// Of several places the one that ends with the text, where the patch says that its place does.
    fn at_end(&self, places: Vec<Place>) -> Vec<Place> {
        if !self.patch.at_end || places.len() < 2 {
            return places;
        }
        let end = self.snapshot.text.trim_end().len();
        match places.iter().find(|place| place.span.end >= end) {
            Some(last) => vec![last.clone()],
            None => places,
        }
    }

    /// A place that is nearly `old_text` and stands where the author says it is, by number or by
    /// depth, while the only match does not: what was meant has changed since, and the match is
    /// its twin.
    fn rival(&self, wanted: &Wanted<'_>, place: &Place, off_by: Option<usize>) -> Option<Rival> {
        let shifted = place.map != IndentMap::Identity
            || (place.strategy == Strategy::Exact && self.is_inside_indent(wanted, place));
        if off_by.is_none() && !shifted {
            return None;
        }
        let lines = self.snapshot.lines_of(&place.span);
        let taken = lines.start() - 1..*lines.end();
        let hint = hint::lines_of(self.patch).filter(|_| off_by.is_some());
        let at_hint = hint.and_then(|hint| rival::at_hint(self.snapshot, wanted, &taken, &hint));
        at_hint.or_else(|| rival::at_own_depth(self.snapshot, wanted, &taken).filter(|_| shifted))
    }

    fn is_inside_indent(&self, wanted: &Wanted<'_>, place: &Place) -> bool {
        wanted.old.starts_with([' ', '\t'])
            && starts_inside_indent(self.snapshot.text, place.span.start)
    }

    fn settle(
        &self,
        wanted: &Wanted<'_>,
        place: &Place,
        off_by: Option<usize>,
        notes: &[&str],
    ) -> Result<Settled, Box<Failure>> {
        match settle(self.snapshot, wanted, place, off_by) {
            Ok(mut settled) => {
                if settled.outcome.kind == OutcomeKind::Applied {
                    match already::standing(self.snapshot, wanted, self.patch, place) {
                        Some(Standing::Around(there)) => return Ok(self.already(there)),
                        Some(Standing::Elsewhere(there)) => {
                            return Err(Box::new(diagnose::maybe_applied(
                                self.snapshot,
                                self.index,
                                place,
                                &there,
                            )));
                        }
                        None => {}
                    }
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

/// A patch that the history has: where its text stands now, as far as that can be told.
fn sent_again(snapshot: &Snapshot<'_>, wanted: &Wanted<'_>, patch: &Patch) -> Settled {
    let there = exact(snapshot, &wanted.new, None).places.into_iter().next();
    let lines = there.map_or_else(
        || {
            let line = patch.start_line.unwrap_or(1);
            line..=line
        },
        |place| snapshot.lines_of(&place.span),
    );
    Settled {
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
    wanted: &Wanted<'_>,
) -> Result<Settled, Box<Failure>> {
    let start = snapshot.body_start();
    let body = &snapshot.text[start..];
    // A byte order mark that is there is not put there again.
    let new = if start > 0 {
        wanted.new.strip_prefix('\u{feff}').unwrap_or(&wanted.new)
    } else {
        &wanted.new
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
        return Ok(Settled {
            outcome: outcome(OutcomeKind::Applied),
            edits,
            spans: std::iter::once(start..start).collect(),
        });
    }
    if body.is_empty() {
        return Ok(Settled {
            outcome: outcome(OutcomeKind::Unchanged),
            edits: Vec::new(),
            spans: Vec::new(),
        });
    }
    if !is_blank_text(new) && snapshot.normal().text[start..] == crate::eol::Normal::new(new).text {
        return Ok(Settled {
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

/// Every exact occurrence, or every one with other line endings if there is no exact one.
fn replace_all(
    snapshot: &Snapshot<'_>,
    index: usize,
    wanted: &Wanted<'_>,
) -> Result<Settled, Box<Failure>> {
    let places = all_places(snapshot, &wanted.old);
    let (Some(first), Some(last)) = (places.first(), places.last()) else {
        let near = similarity::nearest(snapshot, wanted, None);
        if let Some(place) = already::applied(snapshot, wanted, &Patch::default(), &near) {
            let resolver = Resolver { snapshot, index, patch: &Patch::default(), hint: None };
            return Ok(resolver.already(place));
        }
        let mut failure = diagnose::no_match(snapshot, index, wanted, &near);
        failure.message.push_str(" replace_all takes exact occurrences only.");
        return Err(Box::new(failure));
    };
    let lines = snapshot.lines();
    let mut outcome = Outcome {
        kind: OutcomeKind::Applied,
        strategy: first.strategy,
        similarity: None,
        start_line: lines.line_at(first.span.start) + 1,
        end_line: lines.line_at(last.span.end.saturating_sub(1).max(last.span.start)) + 1,
        hint_off_by: None,
        notes: Vec::new(),
    };
    let refused = |refusal: crate::settle::Refusal| {
        Box::new(Failure::new(index, FailureCode::Guard, refusal.message).hint(refusal.hint))
    };
    guard::check_new_text(&wanted.old, &wanted.new).map_err(refused)?;
    // Only when all are the outcome of this very patch is it one that was sent again.
    if wanted.old != wanted.new
        && places.iter().all(|place| is_present_around(snapshot, wanted, place))
    {
        outcome.kind = OutcomeKind::AlreadyApplied;
        return Ok(Settled { outcome, edits: Vec::new(), spans: Vec::new() });
    }
    let (mut edits, mut spans) = (Vec::new(), Vec::with_capacity(places.len()));
    for place in &places {
        let new = replacement(snapshot, wanted, place).map_err(refused)?;
        edits.extend(minimal(snapshot.text, &place.span, &new));
        spans.push(place.span.clone());
    }
    if edits.is_empty() {
        outcome.kind = OutcomeKind::Unchanged;
    }
    outcome.notes.push(format!("{} occurrences", places.len()));
    Ok(Settled { outcome, edits, spans })
}

fn all_places(snapshot: &Snapshot<'_>, old: &str) -> Vec<Place> {
    let exactly: Vec<Place> = disjoint(snapshot.text.as_bytes(), old.as_bytes())
        .into_iter()
        .map(|at| Place::text(at..at + old.len(), Strategy::Exact))
        .filter(|place| {
            let split = |at| crate::lines::splits_crlf(snapshot.text, at);
            !split(place.span.start) && !split(place.span.end)
        })
        .collect();
    if !exactly.is_empty() {
        return exactly;
    }
    let mut places = exact(snapshot, old, None).places;
    let mut end = 0;
    places.retain(|place| {
        let apart = place.span.start >= end;
        if apart {
            end = place.span.end;
        }
        apart
    });
    places
}
