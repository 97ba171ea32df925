//! Differences that a slip of the pen explains, and none that tell two texts apart.
//!
//! Texts that were made from one another differ in whole words, numbers, plurals and
//! operators, and in single letters. A slip swaps or doubles a letter inside of a word, or writes
//! a double one once, and what it makes is no word of the file.

use memchr::memmem;

use super::align::Near;
use crate::fold::fold_line;
use crate::lines::{Piece, is_blank, is_blank_byte, trim};
use crate::places::Wanted;
use crate::snapshot::Snapshot;
use crate::tokens::tokens;

/// Lines that must be there for each comment line that was not quoted: in fewer, a comment
/// may be all that tells a twin.
const ROWS_A_COMMENT: usize = 8;

/// Words that others become by such a slip.
const WORDS: &[&str] = &[
    "angel", "angle", "beard", "blot", "board", "bolt", "bread", "broad", "calm", "casual",
    "causal", "clam", "coma", "comma", "crate", "create", "dairy", "desert", "dessert", "diary",
    "exist", "exits", "fiend", "fined", "form", "from", "heart", "holly", "holy", "lair", "latter",
    "liar", "lion", "loin", "loose", "lose", "mater", "matter", "quiet", "quite", "reign",
    "resign", "sacred", "salve", "scared", "sign", "silver", "sing", "slave", "sliver", "spilt",
    "split", "super", "supper", "there", "three", "tires", "trail", "trails", "trial", "trials",
    "tries", "unite", "united", "untie", "untied", "weird", "were", "wired",
];

/// What a place differs in, all of it excusable.
pub(super) struct Differences {
    /// Nothing but comments that were not quoted.
    pub(super) comments_only: bool,
}

/// Judges all lines of a place; `None` if any difference may be meant.
pub(super) fn judge(
    snapshot: &Snapshot<'_>,
    base: &[Piece<'_>],
    wanted: &Wanted<'_>,
    near: &Near,
) -> Option<Differences> {
    let lines = snapshot.lines();
    let mut slipped: Vec<(String, String)> = Vec::new();
    let mut count = 0;
    for &(mine, line) in &near.rows {
        let (old, file) =
            (fold_line(trim(base[mine].content)), fold_line(trim(lines.content(line))));
        if old == file || without_comment(&old, &file).is_some() {
            continue;
        }
        let words = slip(snapshot, &old, &file)?;
        if let Some(words) = words {
            // The same mistake twice is another name.
            if slipped.contains(&words) || wanted.old.matches(words.0.as_str()).count() > 1 {
                return None;
            }
            slipped.push(words);
        }
        count += 1;
    }
    if count > (near.rows.len() / 4).max(1) {
        return None;
    }
    // Lines that only the file has: blank ones, and few comments among many others.
    let known: Vec<usize> = near.rows.iter().map(|row| row.1).collect();
    let extra: Vec<usize> = (near.first..near.first + near.count)
        .filter(|line| known.binary_search(line).is_err() && !is_blank(lines.content(*line)))
        .collect();
    // Among comments one more is more text, not a remark on code.
    let remark = |line: &usize| {
        let after = known.partition_point(|known| known < line);
        let beside = [after.checked_sub(1), Some(after)]
            .into_iter()
            .flatten()
            .filter_map(|at| known.get(at));
        is_comment(trim(lines.content(*line)))
            && !beside.into_iter().any(|&line| is_comment(trim(lines.content(line))))
    };
    if extra.len() > near.rows.len() / ROWS_A_COMMENT || !extra.iter().all(remark) {
        return None;
    }
    Some(Differences { comments_only: count == 0 })
}

/// A line that is nothing but a comment in most languages.
fn is_comment(line: &str) -> bool {
    line.starts_with("//")
        || line.starts_with("# ")
        || line.starts_with("-- ")
        || (line.starts_with("/*") && line.ends_with("*/"))
        || (line.starts_with("<!--") && line.ends_with("-->"))
}

/// The part of a line of the file before a comment that `old` does not have.
pub(super) fn without_comment<'f>(old: &str, file: &'f str) -> Option<&'f str> {
    let (old, file) = (trim(old), trim(file));
    let rest = file.strip_prefix(old).filter(|_| !old.is_empty())?;
    let comment = rest.trim_start_matches([' ', '\t']);
    (comment.len() < rest.len() && is_comment(comment)).then(|| &file[..old.len()])
}

/// Whether one slip turns the file's line into the old one; with the words, if it is in one.
fn slip(snapshot: &Snapshot<'_>, old: &str, file: &str) -> Option<Option<(String, String)>> {
    let (mine, theirs) = (tokens(old), tokens(file));
    let prefix = mine.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let (head, mine, theirs) = (&mine[..prefix], &mine[prefix..], &theirs[prefix..]);
    let suffix = mine.iter().rev().zip(theirs.iter().rev()).take_while(|(a, b)| a == b).count();
    let ((mine, tail), theirs) =
        (mine.split_at(mine.len() - suffix), &theirs[..theirs.len() - suffix]);
    let blank = |token: &str| token.bytes().all(is_blank_byte);
    match (mine, theirs) {
        // Not at the edges, where neighbours of a list or a nesting differ.
        ([], [token]) | ([token], []) => {
            let inside =
                head.iter().any(|token| is_word(token)) && tail.iter().any(|token| is_word(token));
            // Beside an operator it makes another one: `:=` and `=`.
            let beside = [head.last(), tail.first()];
            let operator = beside.into_iter().flatten().any(|token| {
                matches!(*token, "=" | ":" | "<" | ">" | "+" | "-" | "*" | "/" | "&" | "|" | "!")
            });
            (inside && !operator && (is_mark(token) || blank(token))).then_some(None)
        }
        ([a], [b]) if is_word(a) && is_word(b) => {
            is_slip(snapshot, a, b).then(|| Some(((*a).to_owned(), (*b).to_owned())))
        }
        // A blank lost or gained between words.
        (joined, [a, gap, b]) | ([a, gap, b], joined)
            if joined.len() == 1 && blank(gap) && is_word(joined[0]) =>
        {
            (joined[0].strip_prefix(a) == Some(b) && a.len() > 1 && b.len() > 1).then_some(None)
        }
        _ => None,
    }
}

/// Punctuation that is easily lost and never all that tells two lines apart.
fn is_mark(token: &str) -> bool {
    matches!(token, "(" | ")" | "[" | "]" | "{" | "}" | "," | ";" | ":" | "\"" | "'" | "`")
}

fn is_word(token: &str) -> bool {
    token.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether `old` is the word `file` with one slip inside.
fn is_slip(snapshot: &Snapshot<'_>, old: &str, file: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (old.chars().collect(), file.chars().collect());
    let prefix = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let suffix =
        a[prefix..].iter().rev().zip(b[prefix..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (x, y) = (&a[prefix..a.len() - suffix], &b[prefix..b.len() - suffix]);
    // A letter dropped, added or mistaken makes words that exist: callers and callees.
    let swapped = x.len() == 2 && y.len() == 2 && x[0] == y[1] && x[1] == y[0] && x[0] != x[1];
    let doubled =
        |more: &[char], all: &[char]| more.len() == 1 && prefix > 0 && all[prefix - 1] == more[0];
    let double = (x.is_empty() && doubled(y, &b)) || (y.is_empty() && doubled(x, &a));
    if !(swapped || double) || x.iter().chain(y).any(|c| !c.is_alphabetic()) {
        return false;
    }
    // The part of the name that the slip is in.
    let (from, to) = part(&b, prefix, y.len());
    if to - from < 4 || (swapped && (prefix == from || prefix + 2 == to)) {
        return false;
    }
    // Another case is another name.
    if x.iter().flat_map(|c| c.to_lowercase()).eq(y.iter().flat_map(|c| c.to_lowercase())) {
        return false;
    }
    let mistaken: String =
        b[from..prefix].iter().chain(x).chain(&b[prefix + y.len()..to]).collect();
    // Verbs double a letter of their stem: filed and filled, planed and planned.
    let tail: String = b[prefix + y.len()..to].iter().collect();
    let inflected = double && ["ed", "ing", "er", "ers", "y", "es", "en"].contains(&tail.as_str());
    !inflected
        && !WORDS.contains(&mistaken.to_lowercase().as_str())
        && !is_part_of_file(snapshot.text, &mistaken)
}

/// The stretch of letters of one case around a position, as names are made of.
fn part(word: &[char], at: usize, length: usize) -> (usize, usize) {
    let breaks = |i: usize| {
        let (before, after) = (word[i - 1], word[i]);
        !before.is_alphabetic()
            || !after.is_alphabetic()
            || (before.is_lowercase() && after.is_uppercase())
    };
    let mut from = at.min(word.len());
    while from > 0
        && (from == word.len() || word[from].is_alphabetic())
        && word[from - 1].is_alphabetic()
        && (from == word.len() || !breaks(from))
    {
        from -= 1;
    }
    let mut to = (at + length).max(from);
    while to < word.len() && word[to].is_alphabetic() && (to == from || !breaks(to)) {
        to += 1;
    }
    (from, to)
}

/// Whether the letters stand anywhere in the file as a whole part of a name.
fn is_part_of_file(text: &str, part: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, part).take(10_000).any(|at| {
        let before = text[..at].chars().next_back();
        let after = text[at + part.len()..].chars().next();
        let first = part.chars().next();
        let last = part.chars().next_back();
        let joined_before = before.is_some_and(|c| {
            c.is_alphabetic() && !(c.is_lowercase() && first.is_some_and(char::is_uppercase))
        });
        let joined_after = after.is_some_and(|c| {
            c.is_alphabetic() && !(c.is_uppercase() && last.is_some_and(char::is_lowercase))
        });
        !joined_before && !joined_after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slips(old: &str, file: &str) -> bool {
        slip(&Snapshot::new(file, 1), old, file).is_some()
    }

    #[test]
    fn slips_of_the_pen() {
        for (old, file) in [
            ("retrun value", "return value"),
            ("return vlaue", "return value"),
            ("self.conection.open()", "self.connection.open()"),
            ("foo(a b);", "foo(a, b);"),
            ("returnvalue", "return value"),
            ("getUserNmae()", "getUserName()"),
        ] {
            assert!(slips(old, file), "{old} | {file}");
        }
    }

    #[test]
    fn other_texts() {
        for (old, file) in [
            ("get_a()", "get_b()"),
            ("return 1", "return 2"),
            ("x1 = y", "x2 = y"),
            ("a + b", "a - b"),
            ("get_items()", "get_item()"),
            ("async def f", "sync def f"),
            ("value = 1", "Value = 1"),
            ("if !done", "if done"),
            ("read(x)", "write(x)"),
            ("a == b", "a = b"),
            ("getLeft()", "getRight()"),
            ("foo.bar", "foobar"),
            (")))]", "))]"),
            ("a,", "a"),
        ] {
            assert!(!slips(old, file), "{old} | {file}");
        }
        // A word of the file is no slip.
        assert!(slip(&Snapshot::new("form x\nfrom y", 1), "form y", "from y").is_none());
    }

    #[test]
    fn unquoted_comments() {
        assert_eq!(without_comment("x = 1", "x = 1  # one"), Some("x = 1"));
        assert_eq!(without_comment("x = 1", "x = 1 // one"), Some("x = 1"));
        assert_eq!(without_comment("x = 1", "x = 10"), None);
        assert_eq!(without_comment("http:", "http://x"), None);
        assert_eq!(without_comment("a", "a #b"), None);
    }
}
