//! Finds places worth aligning: each line that the file shares with `old_text` votes for the line at
//! which `old_text` would begin. Rare and long lines have more weight.

use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::lines::{TextLine, trim};
use crate::snapshot::{Snapshot, folded_key};
use crate::word_merge::tokens;

/// Places that are aligned, at most.
const MAX_STARTS: usize = 32;

/// Lines compared over all places, at most.
const MAX_COMPARED_LINES: usize = 4000;

/// More frequent lines and words do not vote.
const MAX_OCCURRENCES: usize = 256;

/// Words that vote if fewer than two places have votes of lines.
const MAX_VOTING_WORDS: usize = 12;

/// Votes within this distance, in lines, support each other.
const VOTE_RADIUS: isize = 2;

/// Lines of the file at which `old_text` may begin, likeliest first. A start may be negative, if
/// only later lines of `old_text` are in the file.
pub(super) fn starts(
    snapshot: &Snapshot<'_>,
    base: &[TextLine<'_>],
    hint: Option<usize>,
) -> Vec<isize> {
    let mut votes: FxHashMap<isize, f64> = FxHashMap::default();
    vote_by_lines(snapshot, base, &mut votes);
    if votes.len() < 2 {
        vote_by_words(snapshot, base, &mut votes);
    }
    let mut ranked: Vec<(isize, f64)> = votes
        .iter()
        .map(|(&start, &weight)| {
            let near: f64 = (1..=VOTE_RADIUS)
                .flat_map(|step| [start - step, start + step])
                .filter_map(|other| votes.get(&other))
                .sum();
            (start, weight + near / 2.0)
        })
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let limit = (MAX_COMPARED_LINES / base.len().max(1)).clamp(2, MAX_STARTS);
    let mut starts: Vec<isize> = Vec::with_capacity(limit);
    let hinted = hint.map(|line| line as isize);
    for start in hinted.into_iter().chain(ranked.into_iter().map(|(start, _)| start)) {
        if starts.len() == limit {
            break;
        }
        if starts.iter().all(|&other| other.abs_diff(start) > VOTE_RADIUS as usize) {
            starts.push(start);
        }
    }
    starts
}

fn vote_by_lines(
    snapshot: &Snapshot<'_>,
    base: &[TextLine<'_>],
    votes: &mut FxHashMap<isize, f64>,
) {
    let mut lines_by_key: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    // A bitmap of hashed keys rejects most lines of the file before the hash lookup.
    let mut bits = [0u64; 64];
    for (line, text_line) in base.iter().enumerate().filter(|(_, text_line)| !text_line.is_blank())
    {
        let key = folded_key(text_line.content);
        bits[(key >> 6) as usize % 64] |= 1 << (key % 64);
        let lines = lines_by_key.entry(key).or_default();
        if lines.len() < 8 {
            lines.push(line);
        }
    }
    let mut found: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (line, key) in snapshot.folded_keys().iter().enumerate() {
        if bits[(key >> 6) as usize % 64] >> (key % 64) & 1 == 1 && lines_by_key.contains_key(key) {
            let lines = found.entry(*key).or_default();
            if lines.len() <= MAX_OCCURRENCES {
                lines.push(line);
            }
        }
    }
    for (key, lines) in found.iter().filter(|(_, lines)| lines.len() <= MAX_OCCURRENCES) {
        let Some(mine) = lines_by_key.get(key) else { continue };
        for &at in mine {
            let weight = trim(base[at].content).len().min(60) as f64 / lines.len() as f64;
            for &line in lines {
                *votes.entry(line as isize - at as isize).or_default() += weight;
            }
        }
    }
}

fn vote_by_words(
    snapshot: &Snapshot<'_>,
    base: &[TextLine<'_>],
    votes: &mut FxHashMap<isize, f64>,
) {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for (line, text_line) in base.iter().enumerate().take(200) {
        let content: &str = text_line.content;
        let short = content.char_indices().nth(2000).map_or(content, |(end, _)| &content[..end]);
        words.extend(
            tokens(short).into_iter().filter(|word| word.len() >= 3).map(|word| (word, line)),
        );
    }
    words.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.cmp(b)));
    words.dedup_by_key(|word| word.0);
    let lines = snapshot.lines();
    for (word, at) in
        words.into_iter().filter(|(word, _)| !word.trim().is_empty()).take(MAX_VOTING_WORDS)
    {
        let hits: Vec<usize> =
            memmem::find_iter(snapshot.text.as_bytes(), word).take(MAX_OCCURRENCES + 1).collect();
        if hits.len() <= MAX_OCCURRENCES {
            for &hit in &hits {
                let line = lines.line_at(hit) as isize;
                *votes.entry(line - at as isize).or_default() +=
                    word.len() as f64 / hits.len() as f64;
            }
        }
    }
}
