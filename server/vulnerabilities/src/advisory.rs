//! Advisories in the OSV format, as far as a scan needs them.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::Ecosystem;
use crate::versions::compare;

/// Longest file of an advisory. The longest known ones, with tens of thousands of versions, have 4 MB.
pub const MAX_ADVISORY_BYTES: u64 = 16 << 20;

/// An advisory.
#[derive(Debug, Clone, Deserialize)]
pub struct Advisory {
    /// Its id, such as `GHSA-…` or `RUSTSEC-…`.
    pub id: String,
    /// Other ids of the same vulnerability, such as `CVE-…`.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// A line about it.
    #[serde(default)]
    pub summary: String,
    #[serde(default)]
    details: String,
    /// When it was withdrawn. Such an advisory affects nothing.
    #[serde(default)]
    withdrawn: Option<String>,
    #[serde(default)]
    affected: Vec<Affected>,
    #[serde(default)]
    severity: Vec<Severity>,
    #[serde(default)]
    database_specific: Option<DatabaseSpecific>,
}

#[derive(Debug, Clone, Deserialize)]
struct Severity {
    r#type: String,
    score: String,
}

#[derive(Debug, Clone, Deserialize)]
struct DatabaseSpecific {
    #[serde(default)]
    severity: Option<serde_json::Value>,
}

#[derive(Debug, Clone, Deserialize)]
struct Affected {
    #[serde(default)]
    package: Option<Package>,
    #[serde(default)]
    ranges: Vec<Range>,
    #[serde(default)]
    versions: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Package {
    ecosystem: String,
    name: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Range {
    r#type: String,
    #[serde(default)]
    events: Vec<Event>,
}

/// One of its fields is set.
#[derive(Debug, Clone, Default, Deserialize)]
struct Event {
    #[serde(default)]
    introduced: Option<String>,
    #[serde(default)]
    fixed: Option<String>,
    #[serde(default)]
    last_affected: Option<String>,
}

impl Event {
    fn version(&self) -> Option<&str> {
        self.introduced.as_deref().or(self.fixed.as_deref()).or(self.last_affected.as_deref())
    }
}

/// How an advisory affects a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    /// The first fixed version above it.
    pub(crate) fixed: Option<String>,
}

impl Advisory {
    /// Parses an advisory.
    ///
    /// # Errors
    /// Says what is wrong, and where.
    pub fn parse(json: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(json)
    }

    /// A line about it; the beginning of its text where it has none.
    #[must_use]
    pub fn about(&self) -> &str {
        let text = if self.summary.is_empty() { &self.details } else { &self.summary };
        text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// `critical`, `high`, `moderate` or `low` as its database rates it; `None` where it does not.
    #[must_use]
    pub fn severity(&self) -> Option<&'static str> {
        let rated = self.database_specific.as_ref()?.severity.as_ref()?.as_str()?;
        Some(match rated.to_ascii_lowercase().as_str() {
            "critical" => "critical",
            "high" => "high",
            "moderate" | "medium" => "moderate",
            "low" => "low",
            _ => return None,
        })
    }

    /// Its CVSS vector of the newest version.
    #[must_use]
    pub fn cvss(&self) -> Option<&str> {
        let rated = self.severity.iter().filter(|severity| severity.r#type.starts_with("CVSS_"));
        rated.max_by_key(|severity| &severity.r#type).map(|severity| severity.score.as_str())
    }

    /// How it affects a version of a package; `None` if it does not.
    ///
    /// Follows the evaluation in the OSV schema. A version that cannot be compared is affected only if
    /// it is listed.
    pub(crate) fn effect(&self, ecosystem: Ecosystem, name: &str, version: &str) -> Option<Effect> {
        if self.withdrawn.is_some() {
            return None;
        }
        let name = ecosystem.normalized(name);
        let affected: Vec<&Affected> = self
            .affected
            .iter()
            .filter(|affected| {
                affected.package.as_ref().is_some_and(|package| {
                    Ecosystem::from_osv(&package.ecosystem) == Some(ecosystem)
                        && ecosystem.normalized(&package.name) == name
                })
            })
            .collect();
        let is_same = |listed: &String| {
            listed == version || compare(ecosystem, listed, version) == Some(Ordering::Equal)
        };
        let ranges = || {
            affected
                .iter()
                .flat_map(|affected| &affected.ranges)
                .filter(|range| range.r#type != "GIT")
        };
        let is_affected = affected.iter().any(|affected| affected.versions.iter().any(is_same))
            || ranges().any(|range| range.contains(ecosystem, version));
        if !is_affected {
            return None;
        }
        let fixes =
            ranges().flat_map(|range| &range.events).filter_map(|event| event.fixed.as_deref());
        let above = fixes.filter(|fix| compare(ecosystem, fix, version) == Some(Ordering::Greater));
        let fixed =
            above.min_by(|one, other| compare(ecosystem, one, other).unwrap_or(Ordering::Equal));
        Some(Effect { fixed: fixed.map(str::to_owned) })
    }

    /// The packages that it names, as [`Ecosystem::normalized`].
    pub fn packages(&self) -> impl Iterator<Item = (Ecosystem, String)> {
        self.affected.iter().filter_map(|affected| {
            let package = affected.package.as_ref()?;
            let ecosystem = Ecosystem::from_osv(&package.ecosystem)?;
            Some((ecosystem, ecosystem.normalized(&package.name).into_owned()))
        })
    }
}

impl Range {
    fn contains(&self, ecosystem: Ecosystem, version: &str) -> bool {
        // `0` is below every version, also where it is none of the ecosystem.
        let against = |event: &str| match event {
            "0" => Some(Ordering::Greater),
            event => compare(ecosystem, version, event),
        };
        let mut events: Vec<(&Event, Option<Ordering>)> = self
            .events
            .iter()
            .filter_map(|event| Some((event, against(event.version()?))))
            .collect();
        // An event that cannot be compared makes the range useless, and not everything affected.
        if events.iter().any(|(_, ordering)| ordering.is_none()) {
            return false;
        }
        events.sort_by(|(one, _), (other, _)| match (one.version(), other.version()) {
            (Some("0"), Some("0")) => Ordering::Equal,
            (Some("0"), _) => Ordering::Less,
            (_, Some("0")) => Ordering::Greater,
            (Some(one), Some(other)) => compare(ecosystem, one, other).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        });
        events.iter().fold(false, |is_affected, (event, ordering)| {
            let ordering = ordering.unwrap_or(Ordering::Less);
            if event.introduced.is_some() && ordering != Ordering::Less {
                true
            } else if event.fixed.is_some() && ordering != Ordering::Less
                || event.last_affected.is_some() && ordering == Ordering::Greater
            {
                false
            } else {
                is_affected
            }
        })
    }
}

/// Advisories by the packages that they name.
#[derive(Debug, Default)]
pub struct Index {
    advisories: Vec<Advisory>,
    by_package: HashMap<(Ecosystem, String), Vec<usize>>,
    ids: HashSet<String>,
}

impl Index {
    /// Adds an advisory; one whose id is known is left out.
    pub fn add(&mut self, advisory: Advisory) {
        if !self.ids.insert(advisory.id.clone()) {
            return;
        }
        let at = self.advisories.len();
        for package in advisory.packages() {
            let known = self.by_package.entry(package).or_default();
            if known.last() != Some(&at) {
                known.push(at);
            }
        }
        self.advisories.push(advisory);
    }

    /// Number of advisories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.advisories.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.advisories.is_empty()
    }

    /// The advisories that name a package.
    pub(crate) fn of(&self, ecosystem: Ecosystem, name: &str) -> impl Iterator<Item = &Advisory> {
        let key = (ecosystem, ecosystem.normalized(name).into_owned());
        self.by_package.get(&key).into_iter().flatten().map(|at| &self.advisories[*at])
    }
}

impl IntoIterator for Index {
    type Item = Advisory;
    type IntoIter = std::vec::IntoIter<Advisory>;

    fn into_iter(self) -> Self::IntoIter {
        self.advisories.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn advisory(ecosystem: &str, name: &str, affected: serde_json::Value) -> Advisory {
        let mut entry = json!({ "package": { "ecosystem": ecosystem, "name": name } });
        for (key, value) in affected.as_object().unwrap() {
            entry[key] = value.clone();
        }
        let written = json!({ "id": "X-1", "affected": [entry] });
        Advisory::parse(written.to_string().as_bytes()).unwrap()
    }

    fn fixed_of(
        advisory: &Advisory,
        ecosystem: Ecosystem,
        name: &str,
        version: &str,
    ) -> Option<Option<String>> {
        advisory.effect(ecosystem, name, version).map(|effect| effect.fixed)
    }

    #[test]
    fn events_open_and_close_ranges() {
        let ranges = json!({ "ranges": [{ "type": "SEMVER", "events": [
            { "fixed": "1.2.3" }, { "introduced": "0" }, { "introduced": "2.0.0-0" }, { "fixed": "2.1.0" },
        ] }] });
        let advisory = advisory("crates.io", "a", ranges);
        let fixed = |version: &str| fixed_of(&advisory, Ecosystem::CratesIo, "a", version);
        assert_eq!(fixed("0.0.1"), Some(Some("1.2.3".to_owned())));
        assert_eq!(fixed("1.2.3"), None);
        assert_eq!(fixed("2.0.0-alpha"), Some(Some("2.1.0".to_owned())));
        assert_eq!(fixed("2.1.0"), None);
        assert_eq!(fixed("not a version"), None);
        assert_eq!(fixed_of(&advisory, Ecosystem::CratesIo, "b", "0.0.1"), None);
        assert_eq!(fixed_of(&advisory, Ecosystem::Npm, "a", "0.0.1"), None);
    }

    #[test]
    fn the_last_affected_version_is_affected() {
        let ranges = json!({ "ranges": [{ "type": "ECOSYSTEM", "events": [
            { "introduced": "1.0" }, { "last_affected": "1.4" },
        ] }] });
        let advisory = advisory("PyPI", "Some_Package", ranges);
        let fixed = |version: &str| fixed_of(&advisory, Ecosystem::PyPI, "some-package", version);
        assert_eq!(fixed("1.4"), Some(None));
        assert_eq!(fixed("1.4.0"), Some(None));
        assert_eq!(fixed("1.4.1"), None);
        assert_eq!(fixed("1.0rc1"), None);
    }

    #[test]
    fn listed_versions_are_affected_and_withdrawn_advisories_are_not() {
        let mut advisory = advisory("npm", "a", json!({ "versions": ["1.0.0", "weird"] }));
        let affects = |advisory: &Advisory, version: &str| {
            advisory.effect(Ecosystem::Npm, "a", version).is_some()
        };
        assert!(affects(&advisory, "1.0.0") && affects(&advisory, "weird"));
        assert!(!affects(&advisory, "1.0.1"));
        advisory.withdrawn = Some("2024-01-01T00:00:00Z".to_owned());
        assert!(!affects(&advisory, "1.0.0"));
    }
}
