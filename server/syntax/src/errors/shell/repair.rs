//! Which string was not meant to reach over lines: the one that makes the text right if it ends on
//! the line that it opens on, or does not open.

use super::Dialect;
use super::parser::{Long, Parser};
use crate::errors::SyntaxError;

/// Bytes that are read for it, at most, and times that the text is.
const BYTES: usize = 4 << 20;
const READS: usize = 400;
/// Places on one line that a string may end at.
const PLACES: usize = 16;

/// The error of a string that is not closed on its line, if that explains the failure of `parser`.
pub(super) fn misquoted(
    source: &str,
    dialect: Dialect,
    parser: &Parser<'_>,
) -> Option<SyntaxError> {
    let mut reads = (BYTES / source.len().max(1)).min(READS);
    let mut candidates: Vec<Long> = parser.long.clone();
    for open in &parser.open {
        if matches!(open.wants, ")" | "}" | "))" | "\"") {
            let is_doubtful = false;
            candidates.push(Long { opens: open.span.clone(), closes: open.wants, is_doubtful });
        }
    }
    candidates.retain(|long| source.get(long.opens.clone()) != Some("{"));
    // The first one has the others turned around behind it, and changing one of these may do as well.
    candidates.sort_by_key(|long| long.opens.start);
    candidates.dedup();
    for long in &candidates {
        for (at, removed, added) in repairs(source, long) {
            reads = reads.checked_sub(1)?;
            let text = [&source[..at], added, &source[at + removed..]].concat();
            if Parser::new(&text, dialect).program().is_ok() {
                return Some(parser.misquoted_at(long.opens.clone()));
            }
        }
    }
    None
}

/// Changes that would end a string on its line, the likeliest first: where, how many bytes are removed,
/// what is added.
fn repairs<'l>(source: &str, long: &'l Long) -> Vec<(usize, usize, &'l str)> {
    let rest = &source[long.opens.end..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let mut found = vec![(long.opens.end + line.trim_end().len(), 0, long.closes)];
    if matches!(long.closes, "\"" | "'" | "`") {
        found.push((long.opens.start, long.opens.len(), ""));
    }
    let ends = line.char_indices().filter(|(_, c)| " ;)|&}\"'".contains(*c)).take(PLACES);
    found.extend(ends.map(|(at, _)| (long.opens.end + at, 0, long.closes)));
    found
}
