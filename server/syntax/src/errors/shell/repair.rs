//! Finds the string that spans lines by mistake: the text is valid if it ends on its first line, or
//! does not start.

use super::Dialect;
use super::parser::{MultilineString, Parser};
use crate::syntax_error::SyntaxError;

/// Limits of bytes that are parsed for this, and of parser runs.
const MAX_PARSED_BYTES: usize = 4 << 20;
const MAX_PARSES: usize = 400;
/// Limit of positions on one line at which a string may end.
const MAX_POSITIONS: usize = 16;

/// The error of an unterminated string, if that explains why `parser` failed.
pub(super) fn misplaced_quote_error(
    source: &str,
    dialect: Dialect,
    parser: &Parser<'_>,
) -> Option<SyntaxError> {
    let mut reads = (MAX_PARSED_BYTES / source.len().max(1)).min(MAX_PARSES);
    let mut candidates: Vec<MultilineString> = parser.multiline.clone();
    for open in &parser.open {
        if matches!(open.expected_closer, ")" | "}" | "))" | "\"") {
            let is_suspicious = false;
            candidates.push(MultilineString {
                opens: open.span.clone(),
                closes: open.expected_closer,
                is_suspicious,
            });
        }
    }
    candidates.retain(|multiline| source.get(multiline.opens.clone()) != Some("{"));
    // Try the first one first: it inverts all later ones, so changing one of those may help, too.
    candidates.sort_by_key(|multiline| multiline.opens.start);
    candidates.dedup();
    for multiline in &candidates {
        for (at, removed, added) in quote_repairs(source, multiline) {
            reads = reads.checked_sub(1)?;
            let text = [&source[..at], added, &source[at + removed..]].concat();
            if Parser::new(&text, dialect).program().is_ok() {
                return Some(parser.misquoted_at(multiline.opens.clone()));
            }
        }
    }
    None
}

/// Edits that would end a string on its line, the most likely first: offset, number of bytes
/// removed, and text inserted.
fn quote_repairs<'l>(source: &str, multiline: &'l MultilineString) -> Vec<(usize, usize, &'l str)> {
    let rest = &source[multiline.opens.end..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let mut found = vec![(multiline.opens.end + line.trim_end().len(), 0, multiline.closes)];
    if matches!(multiline.closes, "\"" | "'" | "`") {
        found.push((multiline.opens.start, multiline.opens.len(), ""));
    }
    let ends = line.char_indices().filter(|(_, c)| " ;)|&}\"'".contains(*c)).take(MAX_POSITIONS);
    found.extend(ends.map(|(at, _)| (multiline.opens.end + at, 0, multiline.closes)));
    found
}
