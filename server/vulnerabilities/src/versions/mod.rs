//! The order of versions in each ecosystem.

mod gem;
mod maven;
mod packagist;

use std::cmp::Ordering;
use std::str::FromStr;

use crate::Ecosystem;

/// Longest version. Longer ones are no versions.
const MAX_VERSION_BYTES: usize = 256;

/// How two versions are ordered; `None` if one of them is no version of that ecosystem.
#[must_use]
pub fn compare(ecosystem: Ecosystem, one: &str, other: &str) -> Option<Ordering> {
    if one.len() > MAX_VERSION_BYTES || other.len() > MAX_VERSION_BYTES {
        return None;
    }
    match ecosystem {
        Ecosystem::CratesIo | Ecosystem::Npm | Ecosystem::Go => {
            Some(semantic(one)?.cmp_precedence(&semantic(other)?))
        }
        Ecosystem::PyPI => {
            let parse = |written| pep440_rs::Version::from_str(written).ok();
            Some(parse(one)?.cmp(&parse(other)?))
        }
        Ecosystem::Maven => Some(maven::compare(one, other)),
        Ecosystem::RubyGems => gem::compare(one, other),
        Ecosystem::Packagist => packagist::compare(one, other),
    }
}

/// A semantic version. Advisories also write `v1.2`, without the parts that are zero.
fn semantic(written: &str) -> Option<semver::Version> {
    let written = written.trim().trim_start_matches(['v', 'V', '=']);
    if let Ok(version) = semver::Version::parse(written) {
        return Some(version);
    }
    let end = written.find(['-', '+']).unwrap_or(written.len());
    let (core, rest) = written.split_at(end);
    let parts: Vec<u64> = core.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [major, rest_of @ ..] = parts.as_slice() else { return None };
    let part = |at: usize| rest_of.get(at).copied().unwrap_or(0);
    if rest_of.len() > 2 {
        return None;
    }
    semver::Version::parse(&format!("{major}.{}.{}{rest}", part(0), part(1))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line's versions rise from left to right; `=` joins equal ones.
    const ORDER: &[(Ecosystem, &str)] = &[
        (Ecosystem::CratesIo, "0.0.0-0 0.1.0-alpha 0.1.0 0.1.1 0.10.0 1.0.0-rc.1 1.0.0-rc.2 1.0.0"),
        (Ecosystem::Npm, "1=v1.0.0=1.0.0+build 1.0.1 1.2 1.10.0 2.0.0-beta.2 2.0.0-beta.11 2.0.0"),
        (Ecosystem::Go, "v0.0.0-20200101000000-abcdefabcdef v0.1.0 v1.0.0=1.0.0+incompatible"),
        (Ecosystem::PyPI, "1.0.dev1 1.0a1 1.0b2 1.0rc1 1.0=1.0.0 1.0.post1 1.1 1!0.5"),
        (
            Ecosystem::Maven,
            "1-alpha-1 1-beta 1-milestone 1-rc=1-cr 1-SNAPSHOT 1=1.0=1.0.0=1-ga=1.final 1-sp \
             1-1=1.0-1 1.1 1.2.3-RC1 1.2.3 1.10 2.0.0.Final=2",
        ),
        (Ecosystem::RubyGems, "1.0.a 1.0.b2 1.0.rc1 1.0=1.0.0 1.0.1 1.2 1.10"),
        (
            Ecosystem::Packagist,
            "1.0-dev 1.0-alpha1 1.0-beta 1.0.0-beta2 1.0-RC1 1.0=1.0.0=v1.0.0.0 1.0-patch1=1.0-pl1 1.0.1 1.10",
        ),
    ];

    #[test]
    fn versions_are_ordered_as_their_ecosystems_do() {
        for (ecosystem, line) in ORDER {
            let ranks = line.split_whitespace().enumerate();
            let all: Vec<(usize, &str)> =
                ranks.flat_map(|(rank, same)| same.split('=').map(move |v| (rank, v))).collect();
            for (rank, one) in &all {
                for (other_rank, other) in &all {
                    let found = compare(*ecosystem, one, other);
                    assert_eq!(found, Some(rank.cmp(other_rank)), "{ecosystem:?} {one} {other}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_version_has_no_order() {
        for ecosystem in [Ecosystem::CratesIo, Ecosystem::PyPI, Ecosystem::Go, Ecosystem::RubyGems]
        {
            for bad in ["", "latest", "^1.0", &"1".repeat(300), "1.x"] {
                assert_eq!(compare(ecosystem, bad, "1.0.0"), None, "{ecosystem:?} {bad:.20}");
            }
        }
    }
}
