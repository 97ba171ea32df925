//! A kind of objects, and its paths.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Characters of names that paths hold as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A kind of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResourceType {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    /// Its name in paths.
    pub(crate) plural: String,
    pub(crate) is_namespaced: bool,
    short_names: Vec<String>,
}

impl ResourceType {
    /// Reads an entry of a group's list; none for parts of other kinds.
    pub(crate) fn parse(api_version: &str, entry: &Value) -> Option<Self> {
        let plural = entry["name"].as_str().filter(|name| !name.contains('/'))?;
        let short_names = entry["shortNames"].as_array().into_iter().flatten();
        Some(Self {
            api_version: api_version.to_owned(),
            kind: entry["kind"].as_str()?.to_owned(),
            plural: plural.to_owned(),
            is_namespaced: entry["namespaced"] == true,
            short_names: short_names.filter_map(Value::as_str).map(str::to_owned).collect(),
        })
    }

    /// A kind that is not known to the cluster yet.
    pub(crate) fn assumed(
        api_version: &str,
        kind: &str,
        plural: &str,
        is_namespaced: bool,
    ) -> Self {
        let (api_version, kind, plural) =
            (api_version.to_owned(), kind.to_owned(), plural.to_owned());
        Self { api_version, kind, plural, is_namespaced, short_names: Vec::new() }
    }

    /// The path of an object, or of all in a namespace, or everywhere.
    pub(crate) fn path(&self, namespace: Option<&str>, name: Option<&str>) -> String {
        let mut path = group_path(&self.api_version);
        if let Some(namespace) = namespace.filter(|_| self.is_namespaced) {
            path.push_str(&format!("/namespaces/{}", segment(namespace)));
        }
        path.push_str(&format!("/{}", segment(&self.plural)));
        if let Some(name) = name {
            path.push_str(&format!("/{}", segment(name)));
        }
        path
    }

    /// Whether kubectl would take a name for it.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let (plain, group) =
            name.split_once('.').map_or((name, None), |(plain, group)| (plain, Some(group)));
        let own = self.api_version.split_once('/').map_or("", |(group, _)| group);
        let is_kind =
            self.kind.eq_ignore_ascii_case(plain) || self.plural == plain.to_ascii_lowercase();
        (is_kind || self.short_names.iter().any(|short| short == plain))
            && group.is_none_or(|group| group == own)
    }
}

/// A name as a part of a path.
pub(crate) fn segment(name: &str) -> String {
    match name {
        // No object is called so, and servers would take them for steps.
        "." | ".." => "%2E".to_owned(),
        name => utf8_percent_encode(name, PLAIN).to_string(),
    }
}

/// The path of a group's version.
pub(crate) fn group_path(api_version: &str) -> String {
    match api_version.split_once('/') {
        Some((group, version)) => format!("/apis/{}/{}", segment(group), segment(version)),
        None => format!("/api/{}", segment(api_version)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_hold_every_name() {
        let deployments = ResourceType::assumed("apps/v1", "Deployment", "deployments", true);
        assert_eq!(
            deployments.path(Some("a"), Some("b")),
            "/apis/apps/v1/namespaces/a/deployments/b"
        );
        assert_eq!(deployments.path(None, None), "/apis/apps/v1/deployments");
        let roles = ResourceType::assumed("v1", "Node", "nodes", false);
        assert_eq!(roles.path(Some("a"), Some("../x:y")), "/api/v1/nodes/..%2Fx%3Ay");
        assert_eq!(segment(".."), "%2E");
        assert!(
            deployments.is_called("deployments.apps")
                && !deployments.is_called("deployments.other")
        );
    }
}
