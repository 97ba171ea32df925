//! From a place to its edits: the replacement, whether it is there already, the guards.

use crate::edits::minimal;
use crate::evidence::{self, Whose};
use crate::guard;
use crate::indent::IndentMap;
use crate::lines::{Ending, Piece, indent, pieces, trim_end};
use crate::occurrences::disjoint;
use crate::places::{Place, Wanted};
use crate::plan::{Edit, Outcome, OutcomeKind, Strategy};
use crate::rows::{WantedLines, without_surplus};
use crate::snapshot::Snapshot;
use crate::transplant::{Graft, transplant};

use std::ops::Range;

/// Characters, blanks aside, by which an addition of several lines is recognised.
const TELLING: usize = 6;

/// A patch that found its place.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) outcome: Outcome,
    /// Sorted and disjoint.
    pub(crate) edits: Vec<Edit>,
    /// The bytes that the patch lays claim to; none if it changes nothing.
    pub(crate) spans: Vec<Range<usize>>,
}

/// Why a place must not be changed.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// Works out what a patch does at its place. O(span + new_text) for ordinary patches.
pub(crate) fn settle(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    place: &Place,
    off_by: Option<usize>,
) -> Result<Settled, Refusal> {
    let lines = snapshot.lines_of(&place.span);
    let mut outcome = Outcome {
        kind: OutcomeKind::Applied,
        strategy: place.strategy,
        similarity: place.similarity,
        start_line: *lines.start(),
        end_line: *lines.end(),
        hint_off_by: off_by,
        notes: Vec::new(),
    };
    let still = |outcome: Outcome, kind: OutcomeKind| {
        Ok(Settled { outcome: Outcome { kind, ..outcome }, edits: Vec::new(), spans: Vec::new() })
    };
    if wanted.old == wanted.new {
        outcome.notes.push("old_text and new_text are the same".to_owned());
        return still(outcome, OutcomeKind::Unchanged);
    }
    if is_present_around(snapshot, wanted, place) {
        outcome.notes.push("the text around old_text is new_text already".to_owned());
        return still(outcome, OutcomeKind::AlreadyApplied);
    }
    guard::check_new_text(&wanted.old, &wanted.new)?;
    let replacement = replacement(snapshot, wanted, place)?;
    guard::check_place(snapshot, wanted, place, &mut outcome.notes)?;
    let edits = minimal(snapshot.text, &place.span, &replacement);
    if edits.is_empty() {
        outcome
            .notes
            .push("the file's own spelling of old_text and new_text is the same".to_owned());
        return still(outcome, OutcomeKind::Unchanged);
    }
    Ok(Settled { outcome, edits, spans: vec![place.span.clone()] })
}

/// The text that replaces a place.
pub(crate) fn replacement(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    place: &Place,
) -> Result<String, Refusal> {
    let region = &snapshot.text[place.span.clone()];
    if let Some(new) = after_indent(snapshot, wanted, place) {
        let wanted = Wanted { old: wanted.old.clone(), new: new.into() };
        return replacement(snapshot, &wanted, place);
    }
    if place.strategy == Strategy::Exact && is_plain(snapshot, wanted, place) {
        return Ok(wanted.new.clone().into_owned());
    }
    let plain = if place.strategy.is_tolerant() { as_typed(wanted, region) } else { None };
    let wanted = plain.as_ref().unwrap_or(wanted);
    let tidy = |pieces| if place.whole_lines { without_surplus(pieces) } else { pieces };
    let mut base = tidy(pieces(&wanted.old));
    let mut theirs = pieces(&wanted.new);
    if place.whole_lines && (theirs.len() > 1 || base.len() < pieces(&wanted.old).len()) {
        theirs = without_surplus(theirs);
    }
    check_joined(&base, &theirs, place)?;
    let ours = pieces(region);
    let one_to_one: Vec<Option<usize>>;
    let aligned = match &place.aligned {
        Some(aligned) => aligned.as_slice(),
        None => {
            one_to_one =
                (0..base.len()).map(|line| Some(line).filter(|&line| line < ours.len())).collect();
            &one_to_one
        }
    };
    let refitted = refit(snapshot, wanted, place, aligned);
    let mut map = refitted.as_ref().unwrap_or(&place.map);
    let as_in_file: Vec<String>;
    if *map != IndentMap::Identity {
        match evidence::whose(&base, &theirs, &ours, aligned) {
            Whose::Author => {}
            Whose::File => {
                as_in_file = evidence::as_in_file(&base, &ours, aligned);
                for (piece, content) in base.iter_mut().zip(&as_in_file) {
                    piece.content = content;
                }
                map = &IndentMap::Identity;
            }
            Whose::Mixed => {
                return Err(Refusal {
                    message: "some lines of new_text have the indentation of old_text, and some that of the file.".to_owned(),
                    hint: "Take old_text and the indentation of new_text from the candidate's text.".to_owned(),
                });
            }
        }
    }
    let graft = Graft {
        base: &base,
        theirs: &theirs,
        ours: &ours,
        aligned,
        map,
        near: snapshot.ending_near(&place.span),
        strict: place.strategy == Strategy::Similarity,
    };
    transplant(&graft).map_err(|conflict| Refusal {
        message: format!(
            "line {} of old_text differs from the file in words that new_text changes too.",
            conflict.line + 1
        ),
        hint: "Take old_text from the candidate's text.".to_owned(),
    })
}

/// `new_text` without the indentation that stands before the place already, where `old_text` was
/// quoted without it and `new_text` has it.
fn after_indent(snapshot: &Snapshot<'_>, wanted: &Wanted<'_>, place: &Place) -> Option<String> {
    // Most patches end here, before the text is looked at.
    if place.whole_lines
        || !wanted.new.starts_with(char::is_whitespace)
        || wanted.old.starts_with(char::is_whitespace)
    {
        return None;
    }
    let head = &snapshot.text[..place.span.start];
    let before = head.trim_end_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r'));
    let own = &head[before.len()..];
    let is_doubled = !own.is_empty()
        && (before.is_empty() || before.ends_with(['\n', '\r']))
        && wanted.new.starts_with(own)
        && !wanted.new[own.len()..].starts_with(char::is_whitespace)
        && wanted.new.trim_start() != wanted.old;
    is_doubled.then(|| wanted.new[own.len()..].to_owned())
}

/// Both texts with plain quotes, dashes and blanks where the author has others and the file none.
fn as_typed<'w>(wanted: &Wanted<'_>, region: &str) -> Option<Wanted<'w>> {
    let typed = crate::fold::Typed::of(&wanted.old, region)?;
    Some(Wanted { old: typed.plain(&wanted.old).into(), new: typed.plain(&wanted.new).into() })
}

/// The map with the file's own style for lines deeper than any that matched.
fn refit(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    place: &Place,
    aligned: &[Option<usize>],
) -> Option<IndentMap> {
    if place.map == IndentMap::Identity || !place.whole_lines {
        return None;
    }
    let first = snapshot.lines().line_at(place.span.start);
    let rows: Vec<(usize, usize)> = aligned
        .iter()
        .enumerate()
        .filter_map(|(mine, line)| Some((mine, first + (*line)?)))
        .collect();
    WantedLines::new(wanted).fit(snapshot, &rows, snapshot.style_near(first)).map(|(map, _)| map)
}

/// Whether new_text can go in as it is: no other line endings are around, or they are
/// what the patch is about.
fn is_plain(snapshot: &Snapshot<'_>, wanted: &Wanted<'_>, place: &Place) -> bool {
    if !wanted.new.contains(['\n', '\r']) {
        return true;
    }
    if !snapshot.has_cr() && !wanted.new.contains('\r') {
        return true;
    }
    let has_cr = |text: &str| memchr::memchr(b'\r', text.as_bytes()).is_some();
    if has_cr(&wanted.old) || has_cr(&wanted.new) {
        let normal = |text| crate::eol::Normal::new(text).text.into_owned();
        if normal(&wanted.old) == normal(&wanted.new) {
            return true;
        }
    }
    !has_cr(&wanted.new)
        && !has_cr(&snapshot.text[place.span.clone()])
        && matches!(snapshot.ending_near(&place.span), Ending::Lf | Ending::None)
}

/// A tolerant match never joins the last line with the one after it.
fn check_joined(base: &[Piece<'_>], theirs: &[Piece<'_>], place: &Place) -> Result<(), Refusal> {
    let ends =
        |pieces: &[Piece<'_>]| pieces.last().is_none_or(|piece| piece.ending != Ending::None);
    if place.strategy.is_tolerant() && ends(base) && !ends(theirs) {
        return Err(Refusal {
            message: "old_text ends with a line ending and new_text does not, which would join two lines.".to_owned(),
            hint: "End new_text with a line ending as well.".to_owned(),
        });
    }
    Ok(())
}

/// Whether what the patch adds around `old_text` stands around the place already.
pub(crate) fn is_present_around(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    place: &Place,
) -> bool {
    if wanted.new.len() <= wanted.old.len() {
        return false;
    }
    if place.whole_lines {
        return lines_present_around(snapshot, wanted, place);
    }
    let normal = |text| crate::eol::Normal::new(text).text.into_owned();
    let (mut old, mut new) = (normal(&wanted.old), normal(&wanted.new));
    if place.strategy == Strategy::LineEndings
        && !snapshot.text[place.span.clone()].ends_with(['\n', '\r'])
        && old.ends_with('\n')
    {
        // The last line of the text, which has no ending.
        old.pop();
        if new.ends_with('\n') {
            new.pop();
        }
    }
    disjoint_or_shifted(&new, &old).into_iter().any(|lead| {
        let (head, tail) = (&new[..lead], &new[lead + old.len()..]);
        ends_normal(&snapshot.text[..place.span.start], head)
            && (starts_normal(&snapshot.text[place.span.end..], tail)
                || starts_reindented(&snapshot.text[place.span.end..], tail))
    })
}

fn disjoint_or_shifted(haystack: &str, needle: &str) -> Vec<usize> {
    if needle.len() < 64 && haystack.len() < 4096 {
        return crate::occurrences::overlapping(haystack.as_bytes(), needle.as_bytes());
    }
    disjoint(haystack.as_bytes(), needle.as_bytes())
}

/// Whether `text` begins with `wanted`, whose endings are LF, whatever its own are.
/// The last ending may be missing at the end of the text.
fn starts_normal(text: &str, wanted: &str) -> bool {
    let mut rest = text;
    let open = wanted.strip_suffix('\n').filter(|open| !open.is_empty() && !open.ends_with('\n'));
    if let Some(open) = open
        && !text.ends_with(['\n', '\r'])
        && text.len() < 2 * wanted.len()
        && crate::eol::Normal::new(text).text == open
    {
        return true;
    }
    for (index, part) in wanted.split('\n').enumerate() {
        if index > 0 {
            let Some(after) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r']))
            else {
                return false;
            };
            rest = after;
        }
        let Some(after) = rest.strip_prefix(part) else { return false };
        rest = after;
    }
    true
}

/// The same for several lines that were put there in another indentation.
fn starts_reindented(text: &str, wanted: &str) -> bool {
    let mut parts = wanted.trim_end_matches('\n').split('\n');
    let first = parts.next().unwrap_or_default();
    let mut lines = text.lines();
    let added: usize = wanted.chars().filter(|c| !c.is_whitespace()).count();
    wanted.trim_end().contains('\n')
        && added >= TELLING
        && lines.next().is_some_and(|line| trim_end(line) == trim_end(first))
        && parts.all(|part| lines.next().is_some_and(|line| line.trim() == part.trim()))
}

/// Whether `text` ends with `wanted`, whose endings are LF, whatever its own are.
fn ends_normal(text: &str, wanted: &str) -> bool {
    let mut rest = text;
    for (index, part) in wanted.rsplit('\n').enumerate() {
        if index > 0 {
            let Some(before) =
                rest.strip_suffix("\r\n").or_else(|| rest.strip_suffix(['\n', '\r']))
            else {
                return false;
            };
            rest = before;
        }
        let Some(before) = rest.strip_suffix(part) else { return false };
        rest = before;
    }
    true
}

/// The same for whole lines, blank ones aside, in the file's indentation.
fn lines_present_around(snapshot: &Snapshot<'_>, wanted: &Wanted<'_>, place: &Place) -> bool {
    let written = |text: &'_ str| -> Vec<String> {
        pieces(text)
            .iter()
            .filter(|piece| !piece.is_blank())
            .map(|piece| piece.content.to_owned())
            .collect()
    };
    let (old, new) = (written(&wanted.old), written(&wanted.new));
    if new.len() <= old.len() {
        return false;
    }
    let lines = snapshot.lines();
    let file = snapshot.written();
    let first = lines.line_at(place.span.start);
    let last = lines.line_at(place.span.end.saturating_sub(1).max(place.span.start));
    let (from, to) =
        (file.partition_point(|&line| line < first), file.partition_point(|&line| line <= last));
    let same = |line: &str, at: usize| {
        let own = indent(line);
        let there = trim_end(lines.content(file[at]));
        there.strip_prefix(place.map.apply(own).as_str()) == Some(trim_end(&line[own.len()..]))
    };
    (0..=new.len() - old.len()).any(|lead| {
        let tail = lead + old.len();
        to - from == old.len()
            && from >= lead
            && to + (new.len() - tail) <= file.len()
            && (0..new.len()).all(|line| {
                let kept = line >= lead && line < tail && new[line] == old[line - lead];
                kept || same(&new[line], from + line - lead)
            })
    })
}
