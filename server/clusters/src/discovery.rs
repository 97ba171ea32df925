//! The kinds that a cluster has.

use serde_json::Value;

use crate::api::Cluster;
use crate::failure::Failure;
use crate::resource_type::{ResourceType, group_path};

/// Groups that are searched first for a kind without its group.
const USUAL_GROUPS: &[&str] = &[
    "v1",
    "apps/v1",
    "batch/v1",
    "networking.k8s.io/v1",
    "rbac.authorization.k8s.io/v1",
    "policy/v1",
    "autoscaling/v2",
    "storage.k8s.io/v1",
    "apiextensions.k8s.io/v1",
];
/// Most groups that are searched.
const MAX_GROUPS: usize = 200;
/// Most kinds of a group.
const MAX_KINDS: usize = 2_000;

impl Cluster<'_> {
    /// The kinds of a group's version; none if the cluster has no such group.
    pub(crate) fn kinds(&mut self, api_version: &str) -> Result<Vec<ResourceType>, Failure> {
        if let Some(known) = self.known.get(api_version) {
            return Ok(known.clone());
        }
        let list = match self.get(&group_path(api_version)) {
            Ok(list) => list,
            Err(failure) if failure.is_not_found() => Value::Null,
            Err(failure) => return Err(failure),
        };
        let entries = list["resources"].as_array().into_iter().flatten().take(MAX_KINDS);
        let kinds: Vec<ResourceType> =
            entries.filter_map(|entry| ResourceType::parse(api_version, entry)).collect();
        self.known.insert(api_version.to_owned(), kinds.clone());
        Ok(kinds)
    }

    /// Forgets what the cluster had, after a kind was added.
    pub(crate) fn forget_kinds(&mut self, api_version: &str) {
        self.known.remove(api_version);
    }

    /// A kind by its exact name.
    pub(crate) fn kind(
        &mut self,
        api_version: &str,
        kind: &str,
    ) -> Result<Option<ResourceType>, Failure> {
        Ok(self.kinds(api_version)?.into_iter().find(|one| one.kind == kind))
    }

    /// A kind by any of its names: `pods`, `po`, `Deployment`, `deployments.apps`.
    pub(crate) fn kind_called(&mut self, name: &str) -> Result<Option<ResourceType>, Failure> {
        for group in USUAL_GROUPS {
            if let Some(found) = self.kinds(group)?.into_iter().find(|kind| kind.is_called(name)) {
                return Ok(Some(found));
            }
        }
        let groups = self.get("/apis")?;
        let groups = groups["groups"].as_array().into_iter().flatten();
        let versions =
            groups.filter_map(|group| group["preferredVersion"]["groupVersion"].as_str());
        let versions: Vec<String> = versions.take(MAX_GROUPS).map(str::to_owned).collect();
        for version in versions {
            if let Some(found) = self.kinds(&version)?.into_iter().find(|kind| kind.is_called(name))
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
