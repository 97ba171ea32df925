//! Composer's order: four numbers, then the stability.

use std::cmp::Ordering;

pub(super) fn compare(one: &str, other: &str) -> Option<Ordering> {
    Some(parse(one)?.cmp(&parse(other)?))
}

/// The numbers, the rank of the stability and its numbers.
fn parse(version: &str) -> Option<([u64; 4], u8, Vec<u64>)> {
    let version = version.trim().trim_start_matches(['v', 'V']).to_ascii_lowercase();
    let version = version.split('+').next().unwrap_or_default();
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let (numbers, suffix) = version.split_at(end);
    let mut parsed = [0; 4];
    for (at, part) in numbers.trim_end_matches('.').split('.').enumerate() {
        *parsed.get_mut(at)? = part.parse().ok()?;
    }
    let suffix = suffix.trim_start_matches(['-', '_', '.']);
    let end = suffix.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(suffix.len());
    let (word, number) = suffix.split_at(end);
    let rank = match word {
        "dev" => 0,
        "alpha" | "a" => 1,
        "beta" | "b" => 2,
        "rc" => 3,
        "" | "stable" => 4,
        "patch" | "pl" | "p" => 5,
        _ => return None,
    };
    let number = number.trim_matches(['-', '_', '.']);
    let numbers = match number {
        "" => Vec::new(),
        written => written.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?,
    };
    Some((parsed, rank, numbers))
}
