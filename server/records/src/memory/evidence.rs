//! Evidence of a memory: lines of a file, as they were when it was remembered.
//!
//! Lines that moved are found again by their content. That is only sound if they can be told apart from
//! all others of their file, so evidence of repeated lines includes as many lines around them as that takes.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use workspace::ContentHash;

use super::fact::has_secret;
use tools::audit::redact;

/// Limit for the lines of evidence.
const MAX_LINES: usize = 400;
/// Larger line numbers are mistakes.
const MAX_LINE_NUMBER: usize = 100_000_000;
/// Longest quote that is kept, in bytes. Longer lines are compared by their hash alone.
const MAX_QUOTE_BYTES: usize = 16 << 10;
/// How many lines around repeated lines are compared.
const MAX_CONTEXT_LINES: usize = 64;
/// Lines that are compared to describe a change.
const MAX_COMPARED_LINES: usize = 2_000_000;
/// Limit for the bytes that are hashed to find lines without a quote.
const MAX_HASHED_BYTES: usize = 8 << 20;
/// Longest line in the description of a change, in characters.
const MAX_SHOWN_CHARS: usize = 120;

/// Lines of a file, or a whole file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Evidence {
    /// The file, relative to the workspace.
    pub(super) path: String,
    /// The first line, 1-based.
    pub(super) start_line: usize,
    /// The last line.
    pub(super) end_line: usize,
    /// Whether it is the whole file: then nothing in it may change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) whole_file: bool,
    /// SHA-256 of the lines, each with an LF.
    hash: String,
    /// The lines, unless they are long or could contain a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
    /// The lines around them, if they occurred more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Surroundings>,
}

/// The lines around other lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Surroundings {
    /// How many on each side.
    lines: usize,
    hash: String,
}

/// What has become of evidence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum EvidenceState {
    /// The lines are where they were.
    Current,
    /// They are unchanged, but start at this line now.
    Moved(usize),
    /// They differ, or are gone: why.
    Changed(String),
}

impl Evidence {
    /// Takes lines of `text`, or all of it, as evidence.
    ///
    /// # Errors
    /// Why they are none.
    pub(super) fn take(
        path: String,
        text: &str,
        range: Option<(usize, usize)>,
    ) -> Result<Self, String> {
        let text = with_lf(text);
        let lines = lines_of(&text);
        let (start_line, end_line) = range.unwrap_or((1, lines.len()));
        if end_line > lines.len() {
            return Err(format!("line {end_line} was named; the file has {}", lines.len()));
        }
        let own = &lines[start_line - 1..end_line];
        if own.iter().all(|line| line.trim().is_empty()) {
            return Err("the lines are blank".to_owned());
        }
        let whole_file = range.is_none();
        if !whole_file && own.len() > MAX_LINES {
            return Err(format!("at most {MAX_LINES} lines can be evidence"));
        }
        let quote = own.join("\n");
        let is_kept = quote.len() <= MAX_QUOTE_BYTES && !has_secret(&quote);
        let mut evidence = Self {
            path,
            start_line,
            end_line,
            whole_file,
            hash: hash_of(own),
            quote: is_kept.then_some(quote),
            context: None,
        };
        if !whole_file {
            evidence.context = evidence.surroundings(&lines)?;
        }
        Ok(evidence)
    }

    /// The fewest lines around it that tell it apart from equal lines; `None` if there are none.
    fn surroundings(&self, lines: &[&str]) -> Result<Option<Surroundings>, String> {
        let Some(equal) = self.occurrences(lines) else {
            return Err("the lines are too many to be told apart in a file of that size".to_owned());
        };
        if equal.len() == 1 {
            return Ok(None);
        }
        let mut around = 1;
        while around <= MAX_CONTEXT_LINES {
            let at = |start: usize| context_hash(lines, start, self.line_count(), around);
            let own = at(self.start_line - 1);
            if equal.iter().filter(|start| at(**start) == own).count() == 1 {
                return Ok(Some(Surroundings { lines: around, hash: own }));
            }
            around *= 2;
        }
        Err(format!("these lines occur {} times among equal lines; name more of them", equal.len()))
    }

    /// Compares it with the current text of its file. `quotes` allows to quote from that.
    pub(super) fn check(&self, text: &str, quotes: bool) -> EvidenceState {
        let text = with_lf(text);
        let lines = lines_of(&text);
        let old = self.start_line - 1;
        let changed = || EvidenceState::Changed(self.difference(&lines, quotes));
        if self.whole_file {
            return if hash_of(&lines) == self.hash { EvidenceState::Current } else { changed() };
        }
        let equal = self.occurrences(&lines).unwrap_or_else(|| {
            // Too much to search: only their place counts.
            let is_there = lines.get(old..old + self.line_count());
            is_there.filter(|own| hash_of(own) == self.hash).map(|_| old).into_iter().collect()
        });
        let place = match &self.context {
            None if equal.contains(&old) => Some(old),
            None => equal.first().filter(|_| equal.len() == 1).copied(),
            Some(context) => {
                let is_alike = |start: &usize| {
                    let around = context.lines.min(MAX_CONTEXT_LINES);
                    context_hash(&lines, *start, self.line_count(), around) == context.hash
                };
                let mut alike = equal.iter().copied().filter(is_alike);
                alike.next().filter(|_| alike.next().is_none())
            }
        };
        match place {
            Some(place) if place == old => EvidenceState::Current,
            Some(place) => EvidenceState::Moved(place + 1),
            None if equal.is_empty() => changed(),
            None => EvidenceState::Changed(
                "equal lines occur, but which are meant is no longer certain".to_owned(),
            ),
        }
    }

    /// Whether its numbers make sense: its file may have been written by hand.
    pub(super) fn is_valid(&self) -> bool {
        (1..=self.end_line).contains(&self.start_line) && self.end_line <= MAX_LINE_NUMBER
    }

    pub(super) fn line_count(&self) -> usize {
        self.end_line + 1 - self.start_line
    }

    /// Where its lines occur, 0-based; `None` if that would take too long.
    fn occurrences(&self, lines: &[&str]) -> Option<Vec<usize>> {
        let count = self.line_count();
        if count > lines.len() {
            return Some(Vec::new());
        }
        let quoted = self.quote.as_deref().map(|quote| quote.split('\n').collect::<Vec<_>>());
        match &quoted {
            // A file of a memory may have been edited: its hash is what counts.
            Some(quoted) if hash_of(quoted) != self.hash => return Some(Vec::new()),
            Some(_) => {}
            None => {
                let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
                if bytes.saturating_mul(count) > MAX_HASHED_BYTES {
                    return None;
                }
            }
        }
        let is_equal = |own: &[&str]| match &quoted {
            Some(quoted) => own == quoted.as_slice(),
            None => hash_of(own) == self.hash,
        };
        let windows = lines.windows(count).enumerate();
        Some(windows.filter(|(_, own)| is_equal(own)).map(|(start, _)| start).collect())
    }

    /// What differs at the place that is most like the lines.
    fn difference(&self, lines: &[&str], quotes: bool) -> String {
        let Some(quote) = self.quote.as_deref().filter(|_| quotes) else {
            return "the lines are not the same any more".to_owned();
        };
        let quoted: Vec<&str> = quote.split('\n').collect();
        let start = self.most_alike(lines, &quoted);
        for (index, was) in quoted.iter().enumerate() {
            let (number, now) = (self.start_line + index, start + index + 1);
            let was = shown(was);
            match lines.get(start + index) {
                None => return format!("the file ends before line {number}, which was {was}"),
                Some(is) if is == &quoted[index] => {}
                Some(is) if now == number => {
                    return format!("line {number} was {was} and is {}", shown(is));
                }
                Some(is) => return format!("line {number} was {was}; line {now} is {}", shown(is)),
            }
        }
        "the lines are not the same any more".to_owned()
    }

    /// Where most of the quoted lines are unchanged, 0-based; their old place if none is.
    fn most_alike(&self, lines: &[&str], quoted: &[&str]) -> usize {
        let old = self.start_line - 1;
        if lines.len().saturating_mul(quoted.len()) > MAX_COMPARED_LINES {
            return old;
        }
        let alike = |start: usize| {
            let pairs = quoted.iter().zip(&lines[start..]);
            pairs.filter(|(was, is)| was == is && !was.trim().is_empty()).count()
        };
        let rank = |start: &usize| (alike(*start), Reverse(start.abs_diff(old)));
        let best = (0..lines.len()).max_by_key(rank);
        best.filter(|best| alike(*best) > 0).unwrap_or(old)
    }
}

/// A line as descriptions quote it.
fn shown(line: &str) -> String {
    let line = redact(line.trim());
    let cut: String = line.chars().take(MAX_SHOWN_CHARS).collect();
    let more = if cut.len() < line.len() { "\u{2026}" } else { "" };
    format!("`{cut}{more}`")
}

/// `text` with LF as its only line ending: a checkout may have converted them.
fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn lines_of(text: &str) -> Vec<&str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').collect()
}

fn hash_of(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    ContentHash::digest(text.as_bytes()).to_string()
}

/// The hash of the lines around `count` lines at `start`, up to `around` on each side.
fn context_hash(lines: &[&str], start: usize, count: usize, around: usize) -> String {
    let end = (start + count).min(lines.len());
    let before = &lines[start.saturating_sub(around)..start];
    let after = &lines[end..(end + around).min(lines.len())];
    // The separator cannot be a line.
    let all: Vec<&str> = before.iter().chain(&["\n"]).chain(after).copied().collect();
    hash_of(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(text: &str, start: usize, end: usize) -> Evidence {
        Evidence::take("a".to_owned(), text, Some((start, end))).unwrap()
    }

    #[test]
    fn moved_lines_are_found_and_changed_ones_are_described() {
        let text = "one\ntwo\nthree\nfour\n";
        let evidence = take(text, 2, 3);
        let check = |text: &str| evidence.check(text, true);
        assert_eq!(check(text), EvidenceState::Current);
        assert_eq!(check("one\r\ntwo\r\nthree"), EvidenceState::Current);
        assert_eq!(check("zero\none\ntwo\nthree\n"), EvidenceState::Moved(3));
        let EvidenceState::Changed(why) = check("one\ntwo\n3\n") else { panic!() };
        assert_eq!(why, "line 3 was `three` and is `3`");
        let EvidenceState::Changed(why) = check("zero\none\ntwo\n3\n") else { panic!() };
        assert_eq!(why, "line 3 was `three`; line 4 is `3`");
        let EvidenceState::Changed(why) = check("one\ntwo\n") else { panic!() };
        assert_eq!(why, "the file ends before line 3, which was `three`");
        let EvidenceState::Changed(why) = evidence.check("one\n", false) else { panic!() };
        assert!(!why.contains("two"), "{why}");
    }

    #[test]
    fn a_whole_file_is_current_only_unchanged() {
        let evidence = Evidence::take("a".to_owned(), "one\ntwo\n", None).unwrap();
        assert_eq!(evidence.check("one\ntwo\n", true), EvidenceState::Current);
        assert!(matches!(evidence.check("one\ntwo\nmore\n", true), EvidenceState::Changed(_)));
    }

    #[test]
    fn repeated_lines_are_told_apart_by_those_around_them() {
        let text = "fn a() {\n  0\n}\nfn b() {\n  0\n}\n";
        let evidence = take(text, 5, 5);
        assert_eq!(evidence.check(text, true), EvidenceState::Current);
        // The first one's text now stands where the second stood.
        let first_only = "\n\n\nfn a() {\n  0\n}\n";
        assert!(matches!(evidence.check(first_only, true), EvidenceState::Changed(_)));
        assert_eq!(evidence.check(&format!("//\n{text}"), true), EvidenceState::Moved(6));
        let error = Evidence::take("a".to_owned(), &"same\n".repeat(500), Some((250, 250)));
        assert!(error.unwrap_err().contains("500 times"));
    }

    #[test]
    fn lines_with_secrets_are_compared_but_not_kept() {
        let text = "a\npassword = \"hunter2hunter2\"\nb\n";
        let evidence = take(text, 2, 2);
        assert!(!serde_json::to_string(&evidence).unwrap().contains("hunter2"));
        assert_eq!(evidence.check(text, true), EvidenceState::Current);
        assert_eq!(evidence.check(&format!("\n{text}"), true), EvidenceState::Moved(3));
        assert!(matches!(evidence.check("a\n\nb\n", true), EvidenceState::Changed(_)));
    }

    #[test]
    fn what_is_no_evidence_is_refused() {
        let long = "x\ny\n".repeat(MAX_LINES);
        let cases = [("a\n", (1, 2)), ("\n \n", (1, 2)), (&*long, (1, MAX_LINES + 1))];
        for (text, range) in cases {
            assert!(Evidence::take("a".to_owned(), text, Some(range)).is_err(), "{range:?}");
        }
        assert!(Evidence::take("a".to_owned(), "", None).is_err());
    }

    /// Numbers that are the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 % limit as u64).unwrap()
        }
    }

    /// A thousand edits of files with repeated lines. Each line has an identity, so that the truth is known:
    /// what is served as current or moved must be the very lines that were remembered.
    #[test]
    fn a_thousand_mutations_serve_nothing_outdated_as_current() {
        const WORDS: [&str; 6] = ["return 0", "}", "", "x = 1", "call()", "end"];
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut served, mut outdated, mut wrong, mut found) = (0, 0, Vec::new(), 0);
        let mut mutations = 0;
        while mutations < 1_000 {
            let mut next_identity = 0;
            let mut line = |random: &mut Random| {
                next_identity += 1;
                let kind = random.below(10);
                let text = match WORDS.get(kind) {
                    Some(word) => (*word).to_owned(),
                    None => format!("line {}", random.below(40)),
                };
                (next_identity, text)
            };
            let mut lines: Vec<(usize, String)> = (0..60).map(|_| line(&mut random)).collect();
            let text = |lines: &[(usize, String)]| -> String {
                lines.iter().map(|(_, text)| format!("{text}\n")).collect()
            };
            let start = random.below(55);
            let count = 1 + random.below(4);
            let Ok(evidence) =
                Evidence::take("a".to_owned(), &text(&lines), Some((start + 1, start + count)))
            else {
                continue;
            };
            let remembered = lines[start..start + count].to_vec();
            for _ in 0..4 {
                mutations += 1;
                let at = random.below(lines.len());
                match random.below(5) {
                    0 => lines.insert(at, line(&mut random)),
                    1 => drop(lines.remove(at)),
                    2 => lines[at] = line(&mut random),
                    // Near the evidence, where it matters.
                    3 => {
                        let near = (start + random.below(count)).min(lines.len() - 1);
                        lines[near] = line(&mut random);
                    }
                    _ => {
                        let block: Vec<_> = lines.drain(at..(at + 5).min(lines.len())).collect();
                        let to = random.below(lines.len());
                        drop(lines.splice(to..to, block));
                    }
                }
                let is_there = lines.windows(count).any(|now| now == remembered);
                let place = match evidence.check(&text(&lines), true) {
                    EvidenceState::Current => start,
                    EvidenceState::Moved(line) => line - 1,
                    EvidenceState::Changed(_) => {
                        outdated += 1;
                        continue;
                    }
                };
                served += 1;
                found += usize::from(is_there);
                let texts = |lines: &[(usize, String)]| -> Vec<String> {
                    lines.iter().map(|(_, text)| text.clone()).collect()
                };
                if texts(&lines[place..place + count]) != texts(&remembered) {
                    wrong.push((start, place, texts(&remembered)));
                }
            }
        }
        println!(
            "{mutations} mutations: {served} served ({found} by identity), {outdated} outdated"
        );
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(served > 300 && outdated > 200, "{served} {outdated}");
        // Lines that were replaced by equal ones are the only others.
        assert!(served - found < served / 20, "{served} {found}");
    }
}
