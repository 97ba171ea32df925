//! Format drift: code that a formatter has rewritten since it was quoted.
//!
//! A place matches if it has the same tokens as `old_text`. Line breaks, blanks, the quotes of
//! strings, and commas before closing brackets may differ, since these are what formatters change.
//! The edits are found by diffing the texts of the patch token by token (`edit`) and are applied to
//! the matching tokens of the file. Lines that are added or removed as a whole must be whole lines in
//! the file too.

mod edit;

use crate::code_tokens::{Token, scan};
use crate::indent::IndentMap;
use crate::lines::{indent, split_lines};
use crate::patch::PatchTexts;
use crate::snapshot::Snapshot;
pub(crate) use edit::edits;

/// Minimum tokens and characters of `old_text`. Shorter token runs occur by chance.
const MIN_TOKENS: usize = 5;
const MIN_CHARS: usize = 12;

/// Longer texts are not compared.
const MAX_TOKENS: usize = 200_000;

/// Places at which a comparison is started, at most.
const MAX_STARTS: usize = 20_000;

/// One missing comma or semicolon is tolerated for each of this many lines of `old_text`.
const LINES_PER_LOST_MARK: usize = 3;

/// A place whose tokens match `old_text`.
pub(crate) struct TokenMatch<'w, 's, 't> {
    old: Vec<Token<'w>>,
    file: &'s [Token<'t>],
    /// For each token of `old_text` its token in the file; `None` for a comma that the file lacks.
    pairs: Vec<Option<usize>>,
    /// One past the last token of the file.
    end: usize,
    pub(crate) map: IndentMap,
}

impl TokenMatch<'_, '_, '_> {
    pub(crate) fn span(&self) -> std::ops::Range<usize> {
        let first = self.pairs.iter().flatten().next().map_or(0, |&at| self.file[at].start);
        let last = self.end.checked_sub(1).map_or(first, |at| self.file[at].end);
        first..last
    }
}

/// The places that have the tokens of `old_text`; at most two, which is enough for ambiguity.
pub(crate) fn find<'w, 's, 't>(
    snapshot: &'s Snapshot<'t>,
    texts: &'w PatchTexts<'_>,
) -> Vec<TokenMatch<'w, 's, 't>> {
    let old = scan(&texts.old);
    let characters: usize = old.iter().map(|token| token.end - token.start).sum();
    if old.len() < MIN_TOKENS || characters < MIN_CHARS || snapshot.text.len() > 8 * MAX_TOKENS {
        return Vec::new();
    }
    let file = snapshot.tokens();
    if file.len() > MAX_TOKENS {
        return Vec::new();
    }
    let starts = (0..file.len()).filter(|&at| {
        file[at].begins_line && file[at].same_as(&old[0]) && (at + 1 < file.len() || old.len() == 1)
    });
    let mut found = Vec::new();
    for start in starts.take(MAX_STARTS) {
        let Some((pairs, end)) = pair_tokens(&old, file, start) else { continue };
        if leaves_a_line(&old, file, start, &pairs, end) {
            continue;
        }
        if let Some(map) = indent_change(snapshot, texts, &old, file, &pairs) {
            found.push((pairs, end, map));
            if found.len() == 2 {
                break;
            }
        }
    }
    found
        .into_iter()
        .map(|(pairs, end, map)| TokenMatch { old: old.clone(), file, pairs, end, map })
        .collect()
}

/// Pairs the tokens of `old` with the file's tokens from `start` on. Also returns the end.
///
/// Both sides advance together, so this is linear. The match must end at a line break of the file:
/// otherwise `old_text` would be only the first part of a longer statement.
fn pair_tokens(
    old: &[Token<'_>],
    file: &[Token<'_>],
    start: usize,
) -> Option<(Vec<Option<usize>>, usize)> {
    let lines = old.iter().filter(|token| token.begins_line).count();
    let mut lost = lines.div_ceil(LINES_PER_LOST_MARK);
    let mut pairs = vec![None; old.len()];
    let (mut i, mut j) = (0, start);
    let closes = |tokens: &[Token<'_>], at: usize| {
        tokens.get(at).is_some_and(|token| matches!(token.text, ")" | "]" | "}" | ">"))
    };
    while i < old.len() {
        let mine = &old[i];
        let ended = i > 0 && mine.begins_line;
        if let Some(theirs) = file.get(j).filter(|theirs| theirs.same_as(mine)) {
            // A line comment extends to the end of its line, so the next token must begin a line.
            if theirs.is_comment && file.get(j + 1).is_some_and(|next| !next.begins_line) {
                return None;
            }
            if i > 0 && theirs.begins_line != mine.begins_line && !may_wrap(&file[j - 1], theirs) {
                return None;
            }
            pairs[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if file.get(j).is_some_and(|theirs| theirs.text == ",") && closes(file, j + 1) {
            // A trailing comma that only the file has.
            j += 1;
        } else if mine.text == "," && closes(old, i + 1) {
            // A trailing comma that only `old_text` has.
            i += 1;
        } else if ended && lost > 0 && is_lost_mark(file, j) {
            // A comma or semicolon that the author forgot at the end of a line.
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

/// Whether the first or last line of `old` is joined with another one in the match, while it stands by itself right beside
/// it: with `}` and `};` in two lines of `old`, `}};` alone has the same tokens, and is not meant if a line `};` follows.
fn leaves_a_line(
    old: &[Token<'_>],
    file: &[Token<'_>],
    start: usize,
    pairs: &[Option<usize>],
    end: usize,
) -> bool {
    let is_joined = |at: usize| pairs[at].is_some_and(|at| !file[at].begins_line);
    let stands_at = |line: &[Token<'_>], at: usize| {
        let beside = file.get(at..at + line.len()).unwrap_or_default();
        let is_line = beside.len() == line.len() && beside[0].begins_line;
        is_line
            && beside.iter().zip(line).all(|(theirs, mine)| theirs.same_as(mine))
            && file.get(at + line.len()).is_none_or(|next| next.begins_line)
    };
    let last = old.iter().rposition(|token| token.begins_line).filter(|last| *last > 0);
    let second = old.iter().skip(1).position(|token| token.begins_line).map(|at| at + 1);
    last.is_some_and(|last| is_joined(last) && stands_at(&old[last..], end))
        || second.is_some_and(|second| {
            is_joined(second)
                && start.checked_sub(second).is_some_and(|at| stands_at(&old[..second], at))
        })
}

/// Whether a line may break between two tokens without ending a statement. A break elsewhere changes
/// the meaning in languages such as Python and Go, so it is not tolerated.
fn may_wrap(before: &Token<'_>, after: &Token<'_>) -> bool {
    after.brackets > 0
        || matches!(before.text, ";" | "{" | "}" | "," | "(" | "[" | "=" | "|" | "&" | "?" | "\\")
        || matches!(after.text, "}" | ")" | "]" | "." | "?" | "{")
}

/// Whether a comma or semicolon is at `at` that authors forget at the end of a line. After the
/// bracket of a block it is significant: it distinguishes a block from an expression.
fn is_lost_mark(file: &[Token<'_>], at: usize) -> bool {
    let after = at.checked_sub(1).map(|before| file[before].text);
    file.get(at).is_some_and(|token| matches!(token.text, "," | ";"))
        && after.is_some_and(|text| !matches!(text, "}" | "]" | "{" | "[" | "("))
}

/// The change of indentation from `old_text` to the file; `None` if it is inconsistent.
///
/// Compares the lines outside of brackets that begin with the same token on both sides. In languages
/// such as Python every statement begins such a line, so a match preserves the nesting.
fn indent_change(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    old: &[Token<'_>],
    file: &[Token<'_>],
    pairs: &[Option<usize>],
) -> Option<IndentMap> {
    let line_indent = |text: &str, at: usize| {
        let head = &text[..at];
        head[head.rfind(['\n', '\r']).map_or(0, |end| end + 1)..].to_owned()
    };
    let depth = old.first().map_or(0, |token| token.depth);
    // Brackets in prose may have no partner. After such a one no depth is right, so every line counts.
    let is_balanced = old.last().is_none_or(|token| token.depth <= depth);
    let both: Vec<(String, String)> = old
        .iter()
        .zip(pairs)
        .filter(|(mine, _)| mine.begins_line && (mine.depth <= depth || !is_balanced))
        .filter_map(|(mine, theirs)| Some((mine, &file[(*theirs)?])))
        .filter(|(_, theirs)| theirs.begins_line)
        .map(|(mine, theirs)| {
            (line_indent(&texts.old, mine.start), line_indent(snapshot.text, theirs.start))
        })
        .collect();
    let both: Vec<(&str, &str)> = both.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let author: Vec<String> = split_lines(&texts.old)
        .iter()
        .chain(&split_lines(&texts.new))
        .filter(|text_line| !text_line.is_blank())
        .map(|text_line| indent(text_line.content).to_owned())
        .collect();
    let author: Vec<&str> = author.iter().map(String::as_str).collect();
    IndentMap::fit(&both, &author, None)
}
