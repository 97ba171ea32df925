//! RubyGems' order, after `Gem::Version#<=>`: letters are before numbers, missing parts are zero.

use std::cmp::Ordering;

#[derive(Debug, PartialEq, Eq)]
enum Part<'v> {
    Letters(&'v str),
    Number(&'v str),
}

pub(super) fn compare(one: &str, other: &str) -> Option<Ordering> {
    let (one, other) = (parts(one)?, parts(other)?);
    for at in 0..one.len().max(other.len()) {
        let zero = Part::Number("");
        let (one, other) = (one.get(at).unwrap_or(&zero), other.get(at).unwrap_or(&zero));
        let ordering = match (one, other) {
            (Part::Letters(one), Part::Letters(other)) => one.cmp(other),
            (Part::Letters(_), Part::Number(_)) => Ordering::Less,
            (Part::Number(_), Part::Letters(_)) => Ordering::Greater,
            (Part::Number(one), Part::Number(other)) => {
                one.len().cmp(&other.len()).then_with(|| one.cmp(other))
            }
        };
        if ordering != Ordering::Equal {
            return Some(ordering);
        }
    }
    Some(Ordering::Equal)
}

/// Runs of digits, without leading zeros, and of letters.
fn parts(version: &str) -> Option<Vec<Part<'_>>> {
    let version = version.trim();
    let is_version = version.starts_with(|c: char| c.is_ascii_digit())
        && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    // `1.x` is a requirement.
    if !is_version || version.split('.').any(|part| part == "x") {
        return None;
    }
    let mut parts = Vec::new();
    for piece in version.split(['.', '-']) {
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let is_digit = first.is_ascii_digit();
            let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            parts.push(match is_digit {
                true => Part::Number(run.trim_start_matches('0')),
                false => Part::Letters(run),
            });
            rest = after;
        }
    }
    Some(canonical(parts))
}

/// Without the zeros at the end, and those before the first letters.
fn canonical(mut parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    let letters = parts.iter().position(|part| matches!(part, Part::Letters(_)));
    let mut tail = parts.split_off(letters.unwrap_or(parts.len()));
    for half in [&mut parts, &mut tail] {
        while half.last() == Some(&Part::Number("")) {
            half.pop();
        }
    }
    parts.append(&mut tail);
    parts
}
