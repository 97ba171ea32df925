//! Where to look: lines of the file that are also in `old_text` vote for the place at
//! which `old_text` would begin.

use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::lines::{Piece, trim};
use crate::snapshot::{Snapshot, folded_key};
use crate::tokens::tokens;

/// Places that are looked at.
const PLACES: usize = 32;

/// Lines of `old_text` compared over all places.
const WORK: usize = 4000;

/// Occurrences beyond which a line or word says nothing.
const COMMON: usize = 256;

/// The words that vote if no line does.
const WORDS: usize = 12;

/// Votes near a place that count for it, in lines.
const SHIFT: isize = 2;

/// Lines of the file where `old_text` may begin, the likeliest first. May be before the
/// first line.
pub(super) fn starts(
    snapshot: &Snapshot<'_>,
    base: &[Piece<'_>],
    hint: Option<usize>,
) -> Vec<isize> {
    let mut votes: FxHashMap<isize, f64> = FxHashMap::default();
    by_lines(snapshot, base, &mut votes);
    if votes.len() < 2 {
        by_words(snapshot, base, &mut votes);
    }
    let mut ranked: Vec<(isize, f64)> = votes
        .iter()
        .map(|(&start, &weight)| {
            let near: f64 = (1..=SHIFT)
                .flat_map(|step| [start - step, start + step])
                .filter_map(|other| votes.get(&other))
                .sum();
            (start, weight + near / 2.0)
        })
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let limit = (WORK / base.len().max(1)).clamp(2, PLACES);
    let mut starts: Vec<isize> = Vec::with_capacity(limit);
    let hinted = hint.map(|line| line as isize);
    for start in hinted.into_iter().chain(ranked.into_iter().map(|(start, _)| start)) {
        if starts.len() == limit {
            break;
        }
        if starts.iter().all(|&other| other.abs_diff(start) > SHIFT as usize) {
            starts.push(start);
        }
    }
    starts
}

fn by_lines(snapshot: &Snapshot<'_>, base: &[Piece<'_>], votes: &mut FxHashMap<isize, f64>) {
    let mut wanted: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    // Most lines of the file are none of these, which a few bits tell.
    let mut bits = [0u64; 64];
    for (line, piece) in base.iter().enumerate().filter(|(_, piece)| !piece.is_blank()) {
        let key = folded_key(piece.content);
        bits[(key >> 6) as usize % 64] |= 1 << (key % 64);
        let lines = wanted.entry(key).or_default();
        if lines.len() < 8 {
            lines.push(line);
        }
    }
    let mut found: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (line, key) in snapshot.folded_keys().iter().enumerate() {
        if bits[(key >> 6) as usize % 64] >> (key % 64) & 1 == 1 && wanted.contains_key(key) {
            let lines = found.entry(*key).or_default();
            if lines.len() <= COMMON {
                lines.push(line);
            }
        }
    }
    for (key, lines) in found.iter().filter(|(_, lines)| lines.len() <= COMMON) {
        let Some(mine) = wanted.get(key) else { continue };
        for &at in mine {
            let weight = trim(base[at].content).len().min(60) as f64 / lines.len() as f64;
            for &line in lines {
                *votes.entry(line as isize - at as isize).or_default() += weight;
            }
        }
    }
}

fn by_words(snapshot: &Snapshot<'_>, base: &[Piece<'_>], votes: &mut FxHashMap<isize, f64>) {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for (line, piece) in base.iter().enumerate().take(200) {
        let content: &str = piece.content;
        let short = content.char_indices().nth(2000).map_or(content, |(end, _)| &content[..end]);
        words.extend(
            tokens(short).into_iter().filter(|word| word.len() >= 3).map(|word| (word, line)),
        );
    }
    words.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.cmp(b)));
    words.dedup_by_key(|word| word.0);
    let lines = snapshot.lines();
    for (word, at) in words.into_iter().filter(|(word, _)| !word.trim().is_empty()).take(WORDS) {
        let hits: Vec<usize> =
            memmem::find_iter(snapshot.text.as_bytes(), word).take(COMMON + 1).collect();
        if hits.len() <= COMMON {
            for &hit in &hits {
                let line = lines.line_at(hit) as isize;
                *votes.entry(line - at as isize).or_default() +=
                    word.len() as f64 / hits.len() as f64;
            }
        }
    }
}
