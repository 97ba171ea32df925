//! Recognises typing mistakes ("slips"), as opposed to differences that distinguish two texts.
//!
//! Code that was copied and adapted differs in whole words, numbers, plurals, operators and single
//! letters. A slip transposes two letters inside of a word, doubles a letter, or drops one of a double;
//! its result is not a word of the file. Only such differences are excused.

use memchr::memmem;

use super::align::SimilarBlock;
use crate::fold::fold_line;
use crate::lines::{TextLine, is_blank, is_blank_byte, trim};
use crate::patch::PatchTexts;
use crate::snapshot::Snapshot;
use crate::word_merge::tokens;

/// Matching lines required for each unquoted comment line. Among fewer lines, a comment may be the
/// only thing that distinguishes two copies.
const ROWS_PER_EXTRA_COMMENT: usize = 8;

/// Letters that a word with a slip needs. Two letters of a shorter one swap to another word too often
/// (unit and uint, form and from).
const MIN_SLIP_LETTERS: usize = 5;

/// Words that a slip turns into another English word. Either may be intended, so it is not excused.
const CONFUSABLE_WORDS: &str = "\
    angel angle arange arrange beard blot board bolt boots bots bread broad calm casual \
    causal choose chose clam coma comma compiles complaint compliant complies conns cons \
    crate create dairy desert dessert diary exist exits field fiend filed filled fined form \
    from heart hello helo holly holy lair later latter liar lion loin loose looser lose \
    loser loses losses mapped mater matter meets mets needles needless oldest oldset pairs \
    paris poller pollerr quiet quite redis rediss reign resign retired retried sacred salve \
    scared setop settop sign silver sing slave sliver spilt split stoul stoull striped \
    stripped super supper tests there three tiers tires trail trails trial trials tries tsets \
    uints unite united units untie untied weird were wired";

/// The differences of a place whose differences are all excusable.
pub(super) struct Differences {
    /// Whether they are unquoted comments only.
    pub(super) comments_only: bool,
}

/// Checks all lines of a place; `None` if any difference may be intended.
pub(super) fn excusable_differences(
    snapshot: &Snapshot<'_>,
    base: &[TextLine<'_>],
    texts: &PatchTexts<'_>,
    near: &SimilarBlock,
) -> Option<Differences> {
    let lines = snapshot.lines();
    let mut slipped: Vec<(String, String)> = Vec::new();
    let mut count = 0;
    for &(mine, line) in &near.rows {
        let (old, file) =
            (fold_line(trim(base[mine].content)), fold_line(trim(lines.content(line))));
        if old == file {
            continue;
        }
        if without_comment(&old, &file).is_some() {
            // The comment of a lone bracket is its name.
            if tokens(&old).iter().any(|token| is_word(token)) {
                continue;
            }
            return None;
        }
        if lacks_final_mark(&old, &file) && is_kept(texts, base[mine].content) {
            count += 1;
            continue;
        }
        let words = find_slip(snapshot, &old, &file)?;
        if let Some(words) = words {
            // A mistake that is made twice is another name.
            if slipped.contains(&words) || texts.old.matches(words.0.as_str()).count() > 1 {
                return None;
            }
            slipped.push(words);
        }
        count += 1;
    }
    if count > (near.rows.len() / 4).max(1) {
        return None;
    }
    // The file may have additional blank lines, and a few comments among many other lines.
    let known: Vec<usize> = near.rows.iter().map(|row| row.1).collect();
    let extra: Vec<usize> = (near.first..near.first + near.count)
        .filter(|line| known.binary_search(line).is_err() && !is_blank(lines.content(*line)))
        .collect();
    // Next to another comment an additional one is more text and not a remark on code.
    let remark = |line: &usize| {
        let after = known.partition_point(|known| known < line);
        let beside = [after.checked_sub(1), Some(after)]
            .into_iter()
            .flatten()
            .filter_map(|at| known.get(at));
        is_comment(trim(lines.content(*line)))
            && !beside.into_iter().any(|&line| is_comment(trim(lines.content(line))))
    };
    if extra.len() > near.rows.len() / ROWS_PER_EXTRA_COMMENT || !extra.iter().all(remark) {
        return None;
    }
    Some(Differences { comments_only: count == 0 })
}

/// Whether a line is a comment in most languages.
fn is_comment(line: &str) -> bool {
    line.starts_with("//")
        || line.starts_with("# ")
        || line.starts_with("-- ")
        || (line.starts_with("/*") && line.ends_with("*/"))
        || (line.starts_with("<!--") && line.ends_with("-->"))
}

/// The part of a line of the file before a trailing comment that `old` lacks.
pub(super) fn without_comment<'f>(old: &str, file: &'f str) -> Option<&'f str> {
    let (old, file) = (trim(old), trim(file));
    let rest = file.strip_prefix(old).filter(|_| !old.is_empty())?;
    let comment = rest.trim_start_matches([' ', '\t']);
    (comment.len() < rest.len() && is_comment(comment)).then(|| &file[..old.len()])
}

/// Whether `old` lacks the comma or semicolon at the end of the line.
fn lacks_final_mark(old: &str, file: &str) -> bool {
    file.strip_suffix([',', ';']) == Some(old) && tokens(old).iter().any(|token| is_word(token))
}

/// Whether `new_text` keeps a line of `old_text`, so that the file's line stays as it is.
fn is_kept(texts: &PatchTexts<'_>, line: &str) -> bool {
    texts.new.lines().any(|new| new == line.trim_end_matches(['\n', '\r']))
}

/// Whether the lines differ by one slip: `Some` if so, with both words if the slip is inside one.
fn find_slip(snapshot: &Snapshot<'_>, old: &str, file: &str) -> Option<Option<(String, String)>> {
    let (mine, theirs) = (tokens(old), tokens(file));
    let prefix = mine.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let (head, mine, theirs) = (&mine[..prefix], &mine[prefix..], &theirs[prefix..]);
    let suffix = mine.iter().rev().zip(theirs.iter().rev()).take_while(|(a, b)| a == b).count();
    let ((mine, tail), theirs) =
        (mine.split_at(mine.len() - suffix), &theirs[..theirs.len() - suffix]);
    let blank = |token: &str| token.bytes().all(is_blank_byte);
    match (mine, theirs) {
        // Not at the ends of a line, where items of a list and levels of nesting differ.
        ([], [token]) | ([token], []) => {
            let inside =
                head.iter().any(|token| is_word(token)) && tail.iter().any(|token| is_word(token));
            // Not next to an operator, where it makes another one: `:=` and `=`.
            let beside = [head.last(), tail.first()];
            let operator = beside.into_iter().flatten().any(|token| {
                matches!(*token, "=" | ":" | "<" | ">" | "+" | "-" | "*" | "/" | "&" | "|" | "!")
            });
            (inside && !operator && (is_mark(token) || blank(token))).then_some(None)
        }
        ([a], [b]) if is_word(a) && is_word(b) => {
            is_slip(snapshot, a, b).then(|| Some(((*a).to_owned(), (*b).to_owned())))
        }
        // A blank that is missing or added between words.
        (joined, [a, gap, b]) | ([a, gap, b], joined)
            if joined.len() == 1 && blank(gap) && is_word(joined[0]) =>
        {
            (joined[0].strip_prefix(a) == Some(b) && a.len() > 1 && b.len() > 1).then_some(None)
        }
        _ => None,
    }
}

/// Punctuation that is easily forgotten and does not distinguish two lines.
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
    // A dropped, added or replaced letter often makes an existing word (caller, callee), so only
    // transpositions and doubled letters count.
    let swapped = x.len() == 2 && y.len() == 2 && x[0] == y[1] && x[1] == y[0] && x[0] != x[1];
    let doubled =
        |more: &[char], all: &[char]| more.len() == 1 && prefix > 0 && all[prefix - 1] == more[0];
    let double = (x.is_empty() && doubled(y, &b)) || (y.is_empty() && doubled(x, &a));
    if !(swapped || double) || x.iter().chain(y).any(|c| !c.is_alphabetic()) {
        return false;
    }
    // The word of a compound name that has the slip.
    let (from, to) = name_part(&b, prefix, y.len());
    if to - from < MIN_SLIP_LETTERS || (swapped && (prefix == from || prefix + 2 == to)) {
        return false;
    }
    // A doubled first letter makes another name: size and ssize, print and pprint.
    if double && prefix == from + 1 {
        return false;
    }
    // A difference of case makes another name.
    if x.iter().flat_map(|c| c.to_lowercase()).eq(y.iter().flat_map(|c| c.to_lowercase())) {
        return false;
    }
    let mistaken: String =
        b[from..prefix].iter().chain(x).chain(&b[prefix + y.len()..to]).collect();
    // English verbs double the last letter of their stem: filed and filled, planed and planned.
    let tail: String = b[prefix + y.len()..to].iter().collect();
    let inflected = double && ["ed", "ing", "er", "ers", "y", "es", "en"].contains(&tail.as_str());
    !inflected
        && !CONFUSABLE_WORDS.split(' ').any(|word| word == mistaken.to_lowercase())
        && !is_part_of_file(snapshot.text, &mistaken)
}

/// The word of a compound name (`userName`, `user_name`) around a position.
fn name_part(word: &[char], at: usize, length: usize) -> (usize, usize) {
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

/// Whether the file has this word, alone or as a whole word of a compound name.
fn is_part_of_file(text: &str, name_part: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, name_part).take(10_000).any(|at| {
        let before = text[..at].chars().next_back();
        let after = text[at + name_part.len()..].chars().next();
        let first = name_part.chars().next();
        let last = name_part.chars().next_back();
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
        find_slip(&Snapshot::new(file, 1), old, file).is_some()
    }

    #[test]
    fn slips_of_the_pen() {
        for (old, file) in [
            ("retrun value", "return value"),
            ("return vlaue", "return value"),
            ("self.conection.open()", "self.connection.open()"),
            ("foo(a b);", "foo(a, b);"),
            ("returnvalue", "return value"),
            ("getUserNubmer()", "getUserNumber()"),
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
            ("unit x", "uint x"),
            ("ssize_t n", "size_t n"),
            ("pprint(x)", "print(x)"),
            ("np.arrange(3)", "np.arange(3)"),
            ("getUserNmae()", "getUserName()"),
        ] {
            assert!(!slips(old, file), "{old} | {file}");
        }
        // A word of the file is no slip.
        assert!(find_slip(&Snapshot::new("form x\nfrom y", 1), "form y", "from y").is_none());
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
