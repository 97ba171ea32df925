//! Joins packages and advisories.

use std::cmp::Ordering;

use crate::advisory::{Advisory, Index};
use crate::locks::LockedPackage;
use crate::versions::compare;

/// Versions that are tried as an upgrade.
const MAX_STEPS: usize = 64;

/// A package with the advisories that affect it.
#[derive(Debug)]
pub struct Found<'s> {
    /// The package.
    pub package: &'s LockedPackage,
    /// The advisories with the first version that each says is fixed, the worst first.
    pub advisories: Vec<(&'s Advisory, Option<String>)>,
    /// The smallest version that no known advisory affects, if each of them has a fix.
    pub upgrade: Option<String>,
}

impl Found<'_> {
    /// How bad the worst advisory is: 0 is critical. An unrated one is between moderate and low.
    #[must_use]
    pub fn rank(&self) -> u8 {
        self.advisories.first().map_or(u8::MAX, |(advisory, _)| rank(advisory))
    }
}

/// The packages that an advisory affects, in the order of `packages`. O(packages × advisories of each).
#[must_use]
pub fn scan<'s>(packages: &'s [LockedPackage], index: &'s Index) -> Vec<Found<'s>> {
    packages.iter().filter_map(|package| found(package, index)).collect()
}

fn found<'s>(package: &'s LockedPackage, index: &'s Index) -> Option<Found<'s>> {
    let LockedPackage { ecosystem, name, version, .. } = package;
    let affects =
        |advisory: &&'s Advisory, version: &str| advisory.effect(*ecosystem, name, version);
    let mut advisories: Vec<(&Advisory, Option<String>)> = index
        .of(*ecosystem, name)
        .filter_map(|advisory| Some((advisory, affects(&advisory, version)?.fixed)))
        .collect();
    if advisories.is_empty() {
        return None;
    }
    advisories.sort_by(|(one, _), (other, _)| {
        rank(one).cmp(&rank(other)).then_with(|| one.id.cmp(&other.id))
    });
    // A fix of one may be affected by another, so each is tried in order.
    let order =
        |one: &String, other: &String| compare(*ecosystem, one, other).unwrap_or(Ordering::Equal);
    let mut upgrade = None;
    let mut next = advisories.iter().filter_map(|(_, fixed)| fixed.clone()).min_by(order);
    // Each step rises, so it ends; advisories that contradict each other must not make it long.
    for _ in 0..MAX_STEPS {
        let Some(version) = next.take() else { break };
        let mut still = index
            .of(*ecosystem, name)
            .filter_map(|advisory| affects(&advisory, &version))
            .peekable();
        if still.peek().is_none() {
            upgrade = Some(version);
            break;
        }
        // Without a fix of one of them there is none at all.
        let fixes: Option<Vec<String>> = still.map(|effect| effect.fixed).collect();
        next = fixes.and_then(|fixes| fixes.into_iter().max_by(order));
    }
    Some(Found { package, advisories, upgrade })
}

fn rank(advisory: &Advisory) -> u8 {
    match advisory.severity() {
        Some("critical") => 0,
        Some("high") => 1,
        Some("moderate") => 2,
        None => 3,
        Some(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecosystem;
    use serde_json::json;

    fn advisory(id: &str, severity: &str, introduced: &str, fixed: Option<&str>) -> Advisory {
        let mut events = vec![json!({ "introduced": introduced })];
        events.extend(fixed.map(|fixed| json!({ "fixed": fixed })));
        let written = json!({
            "id": id, "summary": id, "database_specific": { "severity": severity },
            "affected": [{
                "package": { "ecosystem": "npm", "name": "a" },
                "ranges": [{ "type": "SEMVER", "events": events }],
            }],
        });
        Advisory::parse(written.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn the_upgrade_is_the_smallest_version_that_nothing_affects() {
        let package = LockedPackage {
            ecosystem: Ecosystem::Npm,
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            line: 1,
            is_dev: false,
        };
        let packages = [package];
        let mut index = Index::default();
        index.add(advisory("LOW", "LOW", "0", Some("1.1.0")));
        index.add(advisory("BAD", "CRITICAL", "0", Some("1.0.5")));
        // The fix of the first brought another one.
        index.add(advisory("LATER", "HIGH", "1.1.0", Some("1.1.2")));
        let found = scan(&packages, &index);
        let ids: Vec<_> = found[0].advisories.iter().map(|(advisory, _)| &*advisory.id).collect();
        assert_eq!(ids, ["BAD", "LOW"]);
        assert_eq!(found[0].upgrade.as_deref(), Some("1.1.2"));
        index.add(advisory("NEVER", "LOW", "0", None));
        assert_eq!(scan(&packages, &index)[0].upgrade, None);
    }
}
