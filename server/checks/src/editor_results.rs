//! Hands over what a check found to the editor, at places of the text that it saw.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use text::{Position, PositionEncoding, Text};
use tools::Context;
use workspace::{
    CheckDiagnostic, CheckFix, CheckPlace, CheckResults, CheckedFile, FilePath, Severity as Level,
    Source, uri_of_path,
};

use crate::details::{Fix, FixSpan, Related};
use crate::findings::{Diagnostic, Findings, Severity};
use crate::kinds::Runner;

/// Files with diagnostics that are read for one check.
const MAX_FILES: usize = 1_000;

/// A check that has ended.
pub(crate) struct EndedCheck<'c> {
    pub(crate) tool: &'static str,
    pub(crate) kind: &'c str,
    pub(crate) runner: &'c Runner,
    pub(crate) folder: &'c FilePath,
    /// What was checked of the project; `None` for all of it.
    pub(crate) scope: Option<PathBuf>,
    pub(crate) began: (Instant, SystemTime),
}

/// Reports the diagnostics to the workspace. Those of files that have changed since the check began are
/// left out: they may be of another text.
pub(crate) fn report(context: &Context<'_>, check: EndedCheck<'_>, found: &Findings) {
    let (started, since) = check.began;
    let root = check.folder.root().path();
    let mut by_file: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for one in &found.diagnostics {
        if let Some(file) = &one.file
            && (by_file.len() < MAX_FILES || by_file.contains_key(file.as_str()))
        {
            by_file.entry(file).or_default().push(one);
        }
    }
    let default_source = check.runner.name.split(" (").next().unwrap_or_default();
    let mut texts = Texts { context, root, since, known: BTreeMap::new() };
    let mut files = Vec::new();
    for (file, diagnostics) in by_file {
        let Some((uri, text)) = texts.of(file) else { continue };
        let diagnostics = diagnostics.into_iter();
        let diagnostics =
            diagnostics.map(|one| placed(one, &text, default_source, &mut texts)).collect();
        files.push(CheckedFile { uri, text, diagnostics });
    }
    context.workspace.check_diagnostics().report(CheckResults {
        project: check.folder.absolute(),
        kind: check.kind.to_owned(),
        tool: check.tool,
        covers: check.runner.covers.clone(),
        scope: check.scope,
        started,
        files,
    });
}

/// The texts of files as the check saw them.
struct Texts<'c> {
    context: &'c Context<'c>,
    root: &'c Path,
    since: SystemTime,
    known: BTreeMap<String, Option<(String, Text)>>,
}

impl Texts<'_> {
    /// The URI and the text of a file; `None` outside the workspace, or if it has changed since.
    fn of(&mut self, file: &str) -> Option<(String, Text)> {
        if let Some(known) = self.known.get(file) {
            return known.clone();
        }
        let read = (self.known.len() < 2 * MAX_FILES).then(|| self.read(file)).flatten();
        self.known.insert(file.to_owned(), read.clone());
        read
    }

    fn read(&self, file: &str) -> Option<(String, Text)> {
        let snapshot = &self.context.snapshot;
        let path = snapshot.locate_absolute(&self.root.join(file)).ok()?;
        let read = snapshot.read_disk(&path).ok()?;
        let Source::Disk(stamp) = read.source else { return None };
        (!stamp.has_changed_since(self.since)).then(|| (uri_of_path(&path.absolute()), read.text))
    }
}

fn placed(one: &Diagnostic, text: &Text, source: &str, texts: &mut Texts<'_>) -> CheckDiagnostic {
    let details = &one.details;
    let unit = details.unit;
    let related = details.related.iter();
    let related = related.filter_map(|related| place(related, unit, texts)).collect();
    CheckDiagnostic {
        span: span(one, text),
        severity: match one.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Note => Level::Hint,
        },
        source: details.source.unwrap_or(source).to_owned(),
        code: one.code.clone(),
        url: details.url.clone(),
        message: one.message.clone(),
        is_unnecessary: details.is_unnecessary,
        related,
        fixes: details.fixes.iter().filter_map(|fix| placed_fix(fix, text, unit)).collect(),
    }
}

/// The bytes of a diagnostic. Without an end, the word there; without a column, the line.
fn span(one: &Diagnostic, text: &Text) -> std::ops::Range<usize> {
    let unit = one.details.unit;
    let Some(line) = one.line else { return 0..0 };
    let Some(column) = one.column else {
        let line = text.line_span(text.line_of(offset(text, (line, 1), unit)));
        let content = text.slice(line.clone());
        let indent = content.len() - content.trim_start().len();
        return line.start + indent..line.start + content.trim_end().len().max(indent);
    };
    let start = offset(text, (line, column), unit);
    if let Some(end) = one.details.end {
        return start..offset(text, end, unit).max(start);
    }
    let rest = text.slice(start..text.line_span(text.line_of(start)).end.max(start));
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let word: usize = rest.chars().take_while(is_word).map(char::len_utf8).sum();
    let one = rest.chars().next().map_or(0, char::len_utf8);
    start..start + word.max(one)
}

/// A fix with bytes of the text; `None` if its edits overlap or are outside.
fn placed_fix(fix: &Fix, text: &Text, unit: PositionEncoding) -> Option<CheckFix> {
    let mut edits = Vec::new();
    for edit in &fix.edits {
        let span = match edit.span {
            FixSpan::Lines(start, end) => offset(text, start, unit)..offset(text, end, unit),
            FixSpan::Units(start, end) => byte_of_unit(text, start)?..byte_of_unit(text, end)?,
        };
        if span.start > span.end {
            return None;
        }
        edits.push((span, edit.text.clone()));
    }
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let overlaps = edits.windows(2).any(|pair| pair[0].0.end > pair[1].0.start);
    (!overlaps).then(|| CheckFix {
        title: fix.title.clone(),
        is_preferred: fix.is_preferred,
        edits,
    })
}

fn place(related: &Related, unit: PositionEncoding, texts: &mut Texts<'_>) -> Option<CheckPlace> {
    let (uri, text) = texts.of(&related.file)?;
    let start = offset(&text, related.start, unit);
    let span = start..offset(&text, related.end, unit).max(start);
    Some(CheckPlace { uri, text, span, message: related.message.clone() })
}

/// The byte of a line and column, 1-based.
fn offset(text: &Text, (line, column): (u32, u32), unit: PositionEncoding) -> usize {
    text.offset(Position::new(line.saturating_sub(1), column.saturating_sub(1)), unit)
}

/// The byte of an offset in UTF-16 units.
fn byte_of_unit(text: &Text, unit: u32) -> Option<usize> {
    let mut left = usize::try_from(unit).ok()?;
    let mut byte = 0;
    for chunk in text.chunks() {
        if chunk.is_ascii() {
            if left <= chunk.len() {
                return Some(byte + left);
            }
            left -= chunk.len();
        } else {
            for (at, c) in chunk.char_indices() {
                if left == 0 {
                    return Some(byte + at);
                }
                left = left.checked_sub(c.len_utf16())?;
            }
        }
        byte += chunk.len();
    }
    (left == 0).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::details::{Details, FixEdit};

    fn diagnostic(line: Option<u32>, column: Option<u32>, end: Option<(u32, u32)>) -> Diagnostic {
        let unit = PositionEncoding::Utf32;
        let details = Details { unit, end, ..Details::default() };
        Diagnostic { line, column, details, ..Diagnostic::new(Severity::Error, "m") }
    }

    #[test]
    fn a_place_is_as_exact_as_the_tool() {
        let text = Text::new("é = 1\n  name + 2  \n\n");
        let part = |line, column, end| {
            let span = span(&diagnostic(line, column, end), &text);
            text.slice(span).into_owned()
        };
        assert_eq!(part(Some(1), Some(5), Some((1, 6))), "1");
        assert_eq!(part(Some(2), Some(3), None), "name");
        assert_eq!(part(Some(2), Some(8), None), "+");
        assert_eq!(part(Some(2), None, None), "name + 2");
        // Outside, backwards, nowhere.
        for (line, column, end) in [
            (Some(3), None, None),
            (Some(9), Some(9), None),
            (Some(9), None, None),
            (Some(2), Some(3), Some((1, 1))),
            (Some(1), Some(90), Some((1, 99))),
            (None, None, None),
        ] {
            assert_eq!(part(line, column, end), "", "{line:?} {column:?} {end:?}");
        }
    }

    #[test]
    fn fixes_have_bytes() {
        let text = Text::new("a😀b;\nc\n");
        let fix = |spans: &[FixSpan]| {
            let edits = spans.iter().map(|span| FixEdit { span: *span, text: String::new() });
            let edits = edits.collect();
            let fix = Fix { title: "t".into(), is_preferred: true, edits };
            let fix = placed_fix(&fix, &text, PositionEncoding::Utf32)?;
            Some(fix.edits.into_iter().map(|(span, _)| (span.start, span.end)).collect::<Vec<_>>())
        };
        assert_eq!(fix(&[FixSpan::Units(3, 4)]), Some(vec![(5, 6)]));
        assert_eq!(fix(&[FixSpan::Units(5, 7), FixSpan::Units(0, 1)]), Some(vec![(0, 1), (7, 9)]));
        assert_eq!(fix(&[FixSpan::Lines((1, 3), (2, 1))]), Some(vec![(5, 8)]));
        assert_eq!(fix(&[FixSpan::Units(8, 8)]), Some(vec![(10, 10)]));
        for bad in [
            &[FixSpan::Units(2, 3)][..],
            &[FixSpan::Units(0, 99)],
            &[FixSpan::Units(4, 3)],
            &[FixSpan::Units(0, 3), FixSpan::Units(1, 4)],
        ] {
            assert_eq!(fix(bad), None, "{bad:?}");
        }
    }
}
