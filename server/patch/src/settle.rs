//! Plans the edits of a patch at its place: builds the replacement, detects a result that is
//! present already, and runs the guards. It does not choose the place.

use crate::already::is_distinctive;
use crate::edits::minimal_edits;
use crate::evidence::{self, IndentSource};
use crate::fold::FoldedText;
use crate::fragments::folded_matches;
use crate::guard::{self, Refusal};
use crate::indent::IndentMap;
use crate::lines::{
    LineEnding, TextLine, indent, split_lines, starts_inside_indent, trim, trim_end,
};
use crate::match_location::MatchLocation;
use crate::occurrences::disjoint;
use crate::patch::PatchTexts;
use crate::plan::{Edit, Outcome, OutcomeKind, Strategy};
use crate::rows::{PatchLines, Tier, without_trailing_blank_line};
use crate::snapshot::Snapshot;
use crate::transplant::{MergeInput, transplant};

use std::ops::Range;

/// Non-blank characters from which an added block is recognised in another indentation.
const MIN_DISTINCTIVE_CHARS: usize = 6;

/// A patch with its place and edits.
#[derive(Debug)]
pub(crate) struct ResolvedPatch {
    pub(crate) outcome: Outcome,
    /// Sorted and disjoint.
    pub(crate) edits: Vec<Edit>,
    /// The matched bytes; empty if nothing changes.
    pub(crate) spans: Vec<Range<usize>>,
}

/// Plans the edits of a patch at its place. O(span + new_text) for ordinary patches.
///
/// The order of the checks matters: a result that is present already is reported before a guard
/// can refuse it, so that sending a patch twice is harmless.
pub(crate) fn settle(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
    off_by: Option<usize>,
) -> Result<ResolvedPatch, Refusal> {
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
    let without_edits = |outcome: Outcome, kind: OutcomeKind| {
        Ok(ResolvedPatch {
            outcome: Outcome { kind, ..outcome },
            edits: Vec::new(),
            spans: Vec::new(),
        })
    };
    if texts.old == texts.new {
        outcome.notes.push("old_text and new_text are the same".to_owned());
        return without_edits(outcome, OutcomeKind::Unchanged);
    }
    if is_result_present(snapshot, texts, place) {
        outcome.notes.push("the text around old_text is new_text already".to_owned());
        return without_edits(outcome, OutcomeKind::AlreadyApplied);
    }
    let replacement = replacement(snapshot, texts, place);
    if let Ok(replacement) = &replacement
        && place.whole_lines
        && is_written_around(snapshot, texts, place, replacement)
    {
        outcome.notes.push("the lines that new_text adds are there already".to_owned());
        return without_edits(outcome, OutcomeKind::AlreadyApplied);
    }
    guard::check_new_text(&texts.old, &texts.new)?;
    let replacement = replacement?;
    guard::check_place(snapshot, texts, place, &mut outcome.notes)?;
    let edits = minimal_edits(snapshot.text, &place.span, &replacement);
    if edits.is_empty() {
        outcome
            .notes
            .push("the file's own spelling of old_text and new_text is the same".to_owned());
        return without_edits(outcome, OutcomeKind::Unchanged);
    }
    Ok(ResolvedPatch { outcome, edits, spans: vec![place.span.clone()] })
}

/// The outcome of a patch whose `new_text` is at `place` already.
pub(crate) fn already_applied(
    snapshot: &Snapshot<'_>,
    place: &MatchLocation,
    off_by: Option<usize>,
) -> ResolvedPatch {
    let lines = snapshot.lines_of(&place.span);
    ResolvedPatch {
        outcome: Outcome {
            kind: OutcomeKind::AlreadyApplied,
            strategy: place.strategy,
            similarity: None,
            start_line: *lines.start(),
            end_line: *lines.end(),
            hint_off_by: off_by,
            notes: vec!["old_text is gone and new_text is there".to_owned()],
        },
        edits: Vec::new(),
        spans: Vec::new(),
    }
}

/// The text that replaces a place.
pub(crate) fn replacement(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> Result<String, Refusal> {
    let region = &snapshot.text[place.span.clone()];
    if let Some(new) = without_doubled_indent(snapshot, texts, place) {
        let texts = PatchTexts { old: texts.old.clone(), new: new.into() };
        return replacement(snapshot, &texts, place);
    }
    // An exact match needs no merge, unless the line endings of `new_text` must be adapted.
    if place.strategy == Strategy::Exact && is_plain(snapshot, texts, place) {
        return Ok(texts.new.clone().into_owned());
    }
    let plain = if place.strategy.is_tolerant() { with_plain_forms(texts, region) } else { None };
    let texts = plain.as_ref().unwrap_or(texts);
    let tidy = |text_lines| {
        if place.whole_lines { without_trailing_blank_line(text_lines) } else { text_lines }
    };
    let mut base = tidy(split_lines(&texts.old));
    let mut theirs = split_lines(&texts.new);
    if place.whole_lines && (theirs.len() > 1 || base.len() < split_lines(&texts.old).len()) {
        theirs = without_trailing_blank_line(theirs);
    }
    check_joined(&base, &theirs, place)?;
    let ours = split_lines(region);
    let one_to_one: Vec<Option<usize>>;
    let aligned = match &place.aligned {
        Some(aligned) => aligned.as_slice(),
        None => {
            one_to_one =
                (0..base.len()).map(|line| Some(line).filter(|&line| line < ours.len())).collect();
            &one_to_one
        }
    };
    let refitted = refit(snapshot, texts, place, aligned);
    let mut map = refitted.as_ref().unwrap_or(&place.map);
    let as_in_file: Vec<String>;
    if *map != IndentMap::Identity {
        match evidence::indent_source(&base, &theirs, &ours, aligned) {
            IndentSource::OldText => {}
            // `new_text` is right already: give `old_text` the file's indentation too, and map nothing.
            IndentSource::File => {
                as_in_file = evidence::as_in_file(&base, &ours, aligned);
                for (text_line, content) in base.iter_mut().zip(&as_in_file) {
                    text_line.content = content;
                }
                map = &IndentMap::Identity;
            }
            IndentSource::Mixed => {
                return Err(Refusal {
                    message: "some lines of new_text have the indentation of old_text, and some that of the file.".to_owned(),
                    hint: "Take old_text and the indentation of new_text from the candidate's text.".to_owned(),
                });
            }
        }
    }
    let input = MergeInput {
        base: &base,
        theirs: &theirs,
        ours: &ours,
        aligned,
        map,
        default_ending: snapshot.ending_near(&place.span),
        refuse_conflicts: place.strategy == Strategy::Similarity,
    };
    transplant(&input).map_err(|conflict| Refusal {
        message: format!(
            "line {} of old_text differs from the file in words that new_text changes too.",
            conflict.line + 1
        ),
        hint: "Take old_text from the candidate's text.".to_owned(),
    })
}

/// `new_text` without its first indentation, if `old_text` was quoted without it: the file has that
/// indentation before the place, and it would be doubled.
fn without_doubled_indent(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> Option<String> {
    // Cheap checks first: most patches end here.
    if place.whole_lines
        || !texts.new.starts_with(char::is_whitespace)
        || texts.old.starts_with(char::is_whitespace)
    {
        return None;
    }
    let head = &snapshot.text[..place.span.start];
    let before = head.trim_end_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r'));
    let own = &head[before.len()..];
    let is_doubled = !own.is_empty()
        && (before.is_empty() || before.ends_with(['\n', '\r']))
        && texts.new.starts_with(own)
        && !texts.new[own.len()..].starts_with(char::is_whitespace)
        && texts.new.trim_start() != texts.old;
    is_doubled.then(|| texts.new[own.len()..].to_owned())
}

/// Both texts with ASCII quotes, dashes and blanks in place of typographic ones that only the
/// patch has. They come from the author's channel and must not get into the file.
fn with_plain_forms<'w>(texts: &PatchTexts<'_>, region: &str) -> Option<PatchTexts<'w>> {
    let forms = crate::fold::PlainForms::only_in(&texts.old, region)?;
    Some(PatchTexts { old: forms.plain(&texts.old).into(), new: forms.plain(&texts.new).into() })
}

/// The indentation map, extended by the file's style for lines deeper than any that matched.
fn refit(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
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
    PatchLines::new(texts).fit(snapshot, &rows, snapshot.style_near(first)).map(|(map, _)| map)
}

/// Whether `new_text` can be inserted unchanged: its line endings fit, or changing line endings is
/// the purpose of the patch.
fn is_plain(snapshot: &Snapshot<'_>, texts: &PatchTexts<'_>, place: &MatchLocation) -> bool {
    if !texts.new.contains(['\n', '\r']) {
        return true;
    }
    if !snapshot.has_cr() && !texts.new.contains('\r') {
        return true;
    }
    let has_cr = |text: &str| memchr::memchr(b'\r', text.as_bytes()).is_some();
    if has_cr(&texts.old) || has_cr(&texts.new) {
        let normal = |text| crate::eol::LfText::new(text).text.into_owned();
        if normal(&texts.old) == normal(&texts.new) {
            return true;
        }
    }
    !has_cr(&texts.new)
        && !has_cr(&snapshot.text[place.span.clone()])
        && matches!(snapshot.ending_near(&place.span), LineEnding::Lf | LineEnding::None)
}

/// Refuses a tolerant match that would join its last line with the one after it.
fn check_joined(
    base: &[TextLine<'_>],
    theirs: &[TextLine<'_>],
    place: &MatchLocation,
) -> Result<(), Refusal> {
    let ends = |text_lines: &[TextLine<'_>]| {
        text_lines.last().is_none_or(|text_line| text_line.ending != LineEnding::None)
    };
    if place.strategy.is_tolerant() && ends(base) && !ends(theirs) {
        return Err(Refusal {
            message: "old_text ends with a line ending and new_text does not, which would join two lines.".to_owned(),
            hint: "End new_text with a line ending as well.".to_owned(),
        });
    }
    Ok(())
}

/// Whether `new_text` contains `old_text` and the lines it adds around it are present around the
/// place. Then the patch was applied before, and `old_text` matched inside of its own result.
pub(crate) fn is_result_present(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> bool {
    if place.whole_lines {
        return is_result_present_as_lines(snapshot, texts, place);
    }
    let normal = |text| crate::eol::LfText::new(text).text.into_owned();
    let (mut old, mut new) = (normal(&texts.old), normal(&texts.new));
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
    if new.len() <= old.len() {
        return false;
    }
    all_or_disjoint(&new, &old).into_iter().any(|lead| {
        let (head, tail) = (&new[..lead], &new[lead + old.len()..]);
        ends_with_any_endings(&snapshot.text[..place.span.start], head)
            && (starts_with_any_endings(&snapshot.text[place.span.end..], tail)
                || starts_with_any_indent(&snapshot.text[place.span.end..], tail))
    }) || is_covered_by_result(snapshot, texts, place)
}

/// Whether a match inside of lines is covered by a tolerant match of a longer `new_text`. It is then
/// part of the patch's result, which a tolerant match of `old_text` has put there.
fn is_covered_by_result(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> bool {
    let result = PatchTexts { old: (&*texts.new).into(), new: (&*texts.new).into() };
    // In another indentation, or with other blank lines. If `new_text` adds no lines and the match is not
    // part of a deeper line, the patch may be meant to indent the lines that it keeps.
    let is_inside_indent =
        texts.old.starts_with([' ', '\t']) && starts_inside_indent(snapshot.text, place.span.start);
    let written = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    if !place.strategy.is_tolerant()
        && (is_inside_indent || written(&texts.new) > written(&texts.old))
    {
        let rows = PatchLines::new(&result);
        let mut found = rows.search(snapshot, Tier::Trimmed, None).places;
        found.extend(rows.search_non_blank(snapshot, None).places);
        // Line endings at either end of the match are no part of the lines to cover.
        let matched = &snapshot.text[place.span.clone()];
        let start = place.span.start + (matched.len() - matched.trim_start().len());
        let lines = snapshot.lines_of(&(start..start + matched.trim().len()));
        let covers = |found: &MatchLocation| {
            let there = snapshot.lines_of(&found.span);
            there.start() <= lines.start() && lines.end() <= there.end()
        };
        if found.iter().any(covers) {
            return true;
        }
    }
    // In other typography.
    let is_longer = || {
        let (old, new) = (FoldedText::new(&texts.old), FoldedText::new(&texts.new));
        new.text.len() > old.text.len() && new.text.contains(&old.text)
    };
    !snapshot.text.is_ascii()
        && is_longer()
        && folded_matches(snapshot, &texts.new)
            .places
            .iter()
            .any(|found| found.span.start <= place.span.start && place.span.end <= found.span.end)
}

/// Whether the lines that would replace the match and add to it cover it already. A long `new_text`
/// counts in any indentation: its map may have followed lines that the patch has changed.
fn is_written_around(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
    replacement: &str,
) -> bool {
    let written = |text: &'_ str, trim: fn(&str) -> &str| -> Vec<String> {
        let lines = split_lines(text).into_iter().map(|line| trim(line.content).to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    };
    let lines = snapshot.lines();
    let file = snapshot.non_blank_lines();
    let first = lines.line_at(place.span.start);
    let last = lines.line_at(place.span.end.saturating_sub(1).max(place.span.start));
    let from = file.partition_point(|&line| line < first);
    let count = file.partition_point(|&line| line <= last) - from;
    let covers = |text: &str, trim: fn(&str) -> &str| {
        let new = written(text, trim);
        let same = |at: usize, line: &String| {
            file.get(at).is_some_and(|&number| trim(lines.content(number)) == line)
        };
        let leads = new.len().saturating_sub(count).min(from);
        new.len() > count
            && (0..=leads).any(|lead| {
                new.iter().enumerate().all(|(step, line)| same(from - lead + step, line))
            })
    };
    covers(replacement, trim_end) || (is_distinctive(&texts.new) && covers(&texts.new, trim))
}

fn all_or_disjoint(haystack: &str, needle: &str) -> Vec<usize> {
    if needle.len() < 64 && haystack.len() < 4096 {
        return crate::occurrences::overlapping(haystack.as_bytes(), needle.as_bytes());
    }
    disjoint(haystack.as_bytes(), needle.as_bytes())
}

/// Whether `text` begins with `expected`, whose endings are LF; those of `text` may be any.
/// The last ending may be missing at the end of the text.
fn starts_with_any_endings(text: &str, expected: &str) -> bool {
    let mut rest = text;
    let open = expected.strip_suffix('\n').filter(|open| !open.is_empty() && !open.ends_with('\n'));
    if let Some(open) = open
        && !text.ends_with(['\n', '\r'])
        && text.len() < 2 * expected.len()
        && crate::eol::LfText::new(text).text == open
    {
        return true;
    }
    for (index, part) in expected.split('\n').enumerate() {
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

/// Like [`starts_with_any_endings`], for several lines that were inserted with another indentation.
fn starts_with_any_indent(text: &str, expected: &str) -> bool {
    let mut parts = expected.trim_end_matches('\n').split('\n');
    let first = parts.next().unwrap_or_default();
    let mut lines = text.lines();
    let added: usize = expected.chars().filter(|c| !c.is_whitespace()).count();
    expected.trim_end().contains('\n')
        && added >= MIN_DISTINCTIVE_CHARS
        && lines.next().is_some_and(|line| trim_end(line) == trim_end(first))
        && parts.all(|part| lines.next().is_some_and(|line| line.trim() == part.trim()))
}

/// Whether `text` ends with `expected`, whose endings are LF; those of `text` may be any.
fn ends_with_any_endings(text: &str, expected: &str) -> bool {
    let mut rest = text;
    for (index, part) in expected.rsplit('\n').enumerate() {
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

/// Like [`is_result_present`], for whole lines: ignores blank lines, in the file's indentation.
fn is_result_present_as_lines(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> bool {
    let written = |text: &'_ str| -> Vec<String> {
        split_lines(text)
            .iter()
            .filter(|text_line| !text_line.is_blank())
            .map(|text_line| text_line.content.to_owned())
            .collect()
    };
    let (old, new) = (written(&texts.old), written(&texts.new));
    if new.len() <= old.len() {
        return false;
    }
    let lines = snapshot.lines();
    let file = snapshot.non_blank_lines();
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
