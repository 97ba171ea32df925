//! The lines of a passage that say most about a query.

use rustc_hash::FxHashSet;

use crate::terms::{Term, for_each_term};

/// Longest snippet, in lines.
const MAX_LINES: usize = 10;
/// Longest line of a snippet, in bytes.
const MAX_LINE: usize = 240;

/// The best lines of `text` for a query: neighbours, from the one on that has most of its terms around it. Returns
/// the number of the first, from 0, and the lines without line endings.
pub(crate) fn snippet(text: &str, query: &str) -> (usize, String) {
    let mut wanted: FxHashSet<Term> = FxHashSet::default();
    for_each_term(query, |term| wanted.extend([term]));
    let lines: Vec<&str> = text.lines().collect();
    let count = |line: &&str| {
        let mut found: FxHashSet<Term> = FxHashSet::default();
        for_each_term(line, |term| found.extend(wanted.get(&term)));
        found.len()
    };
    let counts: Vec<usize> = lines.iter().map(count).collect();
    let last_start = lines.len().saturating_sub(MAX_LINES);
    // The first of equal ones: a passage's start says what it is.
    let sum =
        |start: usize| counts[start..lines.len().min(start + MAX_LINES)].iter().sum::<usize>();
    let start = (0..=last_start).rev().max_by_key(|start| sum(*start)).unwrap_or_default();
    let cut = |line: &&str| {
        let line = line.trim_end();
        let end = line.floor_char_boundary(MAX_LINE.min(line.len()));
        if end < line.len() { format!("{}…", &line[..end]) } else { line.to_owned() }
    };
    let shown: Vec<String> = lines.iter().skip(start).take(MAX_LINES).map(cut).collect();
    (start, shown.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_the_query_are_shown() {
        let text = format!("{}retry here\n{}", "x\n".repeat(30), "y\n".repeat(30));
        let (start, shown) = snippet(&text, "where is retried");
        assert!((21..=30).contains(&start), "{start}");
        assert!(shown.contains("retry here"));
        assert_eq!(shown.lines().count(), MAX_LINES);
    }

    #[test]
    fn short_passages_are_shown_whole() {
        assert_eq!(snippet("a\r\nb\n", "b"), (0, "a\nb".to_owned()));
        assert_eq!(snippet("", "b"), (0, String::new()));
        assert!(snippet(&"é".repeat(1_000), "b").1.len() < 300);
    }
}
