//! Places that a formatter has rewritten since they were quoted: the same tokens, in other lines,
//! with other blanks and quotes, with or without a comma before a closing bracket.
//!
//! What a patch changes is found by comparing its texts token by token, and put where the file has
//! those tokens. Whole lines that come or go must stand on lines of their own in the file too.

mod edit;
mod scan;

use crate::indent::IndentMap;
use crate::lines::{indent, pieces};
use crate::places::Wanted;
use crate::snapshot::Snapshot;
pub(crate) use edit::edits;
pub(crate) use scan::{Token, scan};

/// Tokens and characters that a place must have.
const TOKENS: usize = 5;
const CHARACTERS: usize = 12;

/// Tokens of a text beyond which it is not compared.
const LONGEST: usize = 200_000;

/// Places at which the comparison is begun.
const TRIED: usize = 20_000;

/// Lines of `old_text` for each of which one lost comma or semicolon is overlooked.
const LINES_A_MARK: usize = 3;

/// A place by its tokens.
pub(crate) struct Drifted<'w, 's, 't> {
    old: Vec<Token<'w>>,
    file: &'s [Token<'t>],
    /// For each token of `old_text` its token in the file; `None` for a comma that it has not.
    pairs: Vec<Option<usize>>,
    /// One past the last token of the file.
    end: usize,
    pub(crate) map: IndentMap,
}

impl Drifted<'_, '_, '_> {
    pub(crate) fn span(&self) -> std::ops::Range<usize> {
        let first = self.pairs.iter().flatten().next().map_or(0, |&at| self.file[at].start);
        let last = self.end.checked_sub(1).map_or(first, |at| self.file[at].end);
        first..last
    }
}

/// All places that have the tokens of `old_text`, at most two.
pub(crate) fn find<'w, 's, 't>(
    snapshot: &'s Snapshot<'t>,
    wanted: &'w Wanted<'_>,
) -> Vec<Drifted<'w, 's, 't>> {
    let old = scan(&wanted.old);
    let characters: usize = old.iter().map(|token| token.end - token.start).sum();
    if old.len() < TOKENS || characters < CHARACTERS || snapshot.text.len() > 8 * LONGEST {
        return Vec::new();
    }
    let file = snapshot.tokens();
    if file.len() > LONGEST {
        return Vec::new();
    }
    let starts = (0..file.len()).filter(|&at| {
        file[at].begins_line && file[at].is(&old[0]) && (at + 1 < file.len() || old.len() == 1)
    });
    let mut found = Vec::new();
    for start in starts.take(TRIED) {
        let Some((pairs, end)) = walk(&old, file, start) else { continue };
        if let Some(map) = layout(snapshot, wanted, &old, file, &pairs) {
            found.push((pairs, end, map));
            if found.len() == 2 {
                break;
            }
        }
    }
    found
        .into_iter()
        .map(|(pairs, end, map)| Drifted { old: old.clone(), file, pairs, end, map })
        .collect()
}

/// Pairs the tokens from `start` on; what they are followed by must begin another line.
fn walk(
    old: &[Token<'_>],
    file: &[Token<'_>],
    start: usize,
) -> Option<(Vec<Option<usize>>, usize)> {
    let lines = old.iter().filter(|token| token.begins_line).count();
    let mut lost = lines.div_ceil(LINES_A_MARK);
    let mut pairs = vec![None; old.len()];
    let (mut i, mut j) = (0, start);
    let closes = |tokens: &[Token<'_>], at: usize| {
        tokens.get(at).is_some_and(|token| matches!(token.text, ")" | "]" | "}" | ">"))
    };
    while i < old.len() {
        let mine = &old[i];
        let ended = i > 0 && mine.begins_line;
        if let Some(theirs) = file.get(j).filter(|theirs| theirs.is(mine)) {
            // A comment ends with its line, on both sides.
            if theirs.is_comment && file.get(j + 1).is_some_and(|next| !next.begins_line) {
                return None;
            }
            if i > 0 && theirs.begins_line != mine.begins_line && !may_wrap(&file[j - 1], theirs) {
                return None;
            }
            pairs[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if file.get(j).is_some_and(|theirs| theirs.text == ",") && closes(file, j + 1) {
            j += 1;
        } else if mine.text == "," && closes(old, i + 1) {
            i += 1;
        } else if ended && lost > 0 && is_lost_mark(file, j) {
            lost -= 1;
            j += 1;
        } else {
            return None;
        }
    }
    if file.get(j).is_some_and(|next| !next.begins_line) && lost > 0 && is_lost_mark(file, j) {
        j += 1;
    }
    file.get(j).is_none_or(|next| next.begins_line).then_some((pairs, j))
}

/// Whether a line may end between two tokens without ending a statement in any language.
fn may_wrap(before: &Token<'_>, after: &Token<'_>) -> bool {
    after.brackets > 0
        || matches!(before.text, ";" | "{" | "}" | "," | "(" | "[" | "=" | "|" | "&" | "?" | "\\")
        || matches!(after.text, "}" | ")" | "]" | "." | "?" | "{")
}

/// Whether a comma or semicolon stands here that is easily lost at the end of a line. After a
/// bracket that ends a block it tells one kind of block from another.
fn is_lost_mark(file: &[Token<'_>], at: usize) -> bool {
    let after = at.checked_sub(1).map(|before| file[before].text);
    file.get(at).is_some_and(|token| matches!(token.text, "," | ";"))
        && after.is_some_and(|text| !matches!(text, "}" | "]" | "{" | "[" | "("))
}

/// The change of indentation from `old_text` to the file; `None` if it is not the same for all lines
/// outside of brackets that begin with the same token on both sides. In languages such as Python every
/// statement begins such a line, so a match keeps the nesting.
fn layout(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    old: &[Token<'_>],
    file: &[Token<'_>],
    pairs: &[Option<usize>],
) -> Option<IndentMap> {
    let lead = |text: &str, at: usize| {
        let head = &text[..at];
        head[head.rfind(['\n', '\r']).map_or(0, |end| end + 1)..].to_owned()
    };
    let depth = old.first().map_or(0, |token| token.depth);
    let both: Vec<(String, String)> = old
        .iter()
        .zip(pairs)
        .filter(|(mine, _)| mine.begins_line && mine.depth <= depth)
        .filter_map(|(mine, theirs)| Some((mine, &file[(*theirs)?])))
        .filter(|(_, theirs)| theirs.begins_line)
        .map(|(mine, theirs)| (lead(&wanted.old, mine.start), lead(snapshot.text, theirs.start)))
        .collect();
    let both: Vec<(&str, &str)> = both.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let author: Vec<String> = pieces(&wanted.old)
        .iter()
        .chain(&pieces(&wanted.new))
        .filter(|piece| !piece.is_blank())
        .map(|piece| indent(piece.content).to_owned())
        .collect();
    let author: Vec<&str> = author.iter().map(String::as_str).collect();
    IndentMap::fit(&both, &author, None)
}
