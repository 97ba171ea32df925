//! One patch against the snapshot: the readings of it, the choice among candidates, and
//! what else explains that it is not there.

use std::ops::RangeInclusive;

use crate::already::{self, Standing};
use crate::diagnose;
use crate::edits::minimal;
use crate::escapes;
use crate::fragments::exact;
use crate::guard;
use crate::hint::{self, Choice};
use crate::occurrences::disjoint;
use crate::patch::{Fuzzy, Options, Patch};
use crate::places::{Found, Place, Wanted, find, is_blank_text};
use crate::plan::{Edit, Outcome, OutcomeKind, Strategy};
use crate::report::{Failure, FailureCode};
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
    if patch.old_text.is_empty() {
        return fill_empty(snapshot, index, &raw);
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
        if !found.places.is_empty() || found.more {
            return self.choose(raw, found, &[]);
        }
        for (wanted, note) in wrappers::readings(raw) {
            let found = find(self.snapshot, &wanted, self.hint);
            if !found.places.is_empty() || found.more {
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
        let near = similarity::nearest(self.snapshot, raw, self.hint);
        if let Some(place) = already::applied(self.snapshot, raw, self.patch, &near) {
            return Ok(self.already(place));
        }
        if options.fuzzy == Fuzzy::Safe
            && let Some(place) = similarity::accept(self.snapshot, raw, &near, self.patch)
        {
            return self.settle(raw, &place, self.off_by(&place), &[]);
        }
        Err(Box::new(diagnose::no_match(self.snapshot, self.index, raw, &near)))
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
        let found = Found {
            places: within::inside(self.snapshot, found.places, &self.patch.within),
            ..found
        };
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
