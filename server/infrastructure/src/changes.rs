//! A plan as `show -json` prints it, read as structured changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attributes::{AttributeChange, Secrets, Side, changed, shortened};
use crate::limits::MAX_CHANGES;

/// What happens to a resource. The order is that of the risk, which is also the order of lists.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    // It is destroyed.
    Delete,
    // It is destroyed, and another is created in its place.
    Replace,
    // It is no longer managed, but stays.
    Forget,
    // It is changed in place.
    Update,
    // It is created.
    Create,
    // Its data are read.
    Read,
}

impl Action {
    /// What a person reads of it.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Delete => "DESTROY",
            Self::Replace => "REPLACE",
            Self::Forget => "forget",
            Self::Update => "update",
            Self::Create => "create",
            Self::Read => "read",
        }
    }

    fn of(actions: &Value) -> Option<Self> {
        let actions: Vec<&str> = actions.as_array()?.iter().filter_map(Value::as_str).collect();
        Some(match actions.as_slice() {
            ["delete", "create"] | ["create", "delete"] => Self::Replace,
            ["delete"] => Self::Delete,
            ["forget"] | ["create", "forget"] => Self::Forget,
            ["update"] => Self::Update,
            ["create"] => Self::Create,
            ["read"] => Self::Read,
            _ => return None,
        })
    }
}

/// One change of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Change {
    /// The resource's address.
    pub(crate) address: String,
    /// What happens to it.
    pub(crate) action: Action,
    /// Why: what the program reports, and which attributes force a replacement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Whether a replacement is created before the old one is destroyed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) create_before_destroy: bool,
    /// Its address before, if it moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) moved_from: Option<String>,
    /// Whether it is taken over from what exists outside the state.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) imported: bool,
    /// What changes of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) attributes: Vec<AttributeChange>,
    /// How many more attributes change.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) more_attributes: usize,
}

/// One changed output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct OutputChange {
    /// Its name.
    pub(crate) name: String,
    /// What happens to it.
    pub(crate) action: Action,
    /// The value before, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
    /// The value after, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<String>,
}

/// How many resources are changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Totals {
    /// Destroyed.
    pub(crate) delete: usize,
    /// Replaced.
    pub(crate) replace: usize,
    /// Changed in place.
    pub(crate) update: usize,
    /// Created.
    pub(crate) create: usize,
    /// Read.
    pub(crate) read: usize,
    /// No longer managed.
    pub(crate) forget: usize,
}

/// What a plan would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Plan {
    /// The changes; what is destroyed comes first.
    pub(crate) changes: Vec<Change>,
    /// The outputs that change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outputs: Vec<OutputChange>,
    /// How many resources are changed.
    pub(crate) totals: Totals,
    /// Resources that were changed outside of the program, whose changes the plan takes into account.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) drifted: Vec<String>,
}

/// Why a plan cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanError(pub(crate) String);

impl Plan {
    /// Reads a plan.
    pub(crate) fn parse(json: &[u8]) -> Result<(Self, Secrets), PlanError> {
        let value: Value = serde_json::from_slice(json)
            .map_err(|error| PlanError(format!("the plan is no JSON: {error}")))?;
        let version = value["format_version"].as_str().unwrap_or_default();
        if !version.starts_with("1.") {
            return Err(PlanError(format!("plans in the format `{version:.20}` are not known")));
        }
        let list = |name: &str| value[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let resources = list("resource_changes");
        if resources.len() > MAX_CHANGES {
            return Err(PlanError(format!("the plan has more than {MAX_CHANGES} resources")));
        }
        let secrets = secrets(&value);
        let mut plan = Self::default();
        for resource in resources {
            let before = plan.changes.len();
            plan.changes.extend(change(resource, &secrets));
            if let Some(added) = plan.changes.get(before) {
                plan.totals.count(added.action);
            }
        }
        plan.changes
            .sort_by(|one, other| (one.action, &one.address).cmp(&(other.action, &other.address)));
        let outputs = value["output_changes"].as_object();
        plan.outputs.extend(
            outputs
                .into_iter()
                .flatten()
                .filter_map(|(name, change)| output(name, change, &secrets)),
        );
        let drifted = list("resource_drift").iter().filter_map(|one| one["address"].as_str());
        plan.drifted = drifted.map(shortened).collect();
        Ok((plan, secrets))
    }

    /// Whether an apply would change nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.is_empty() && self.changes.iter().all(|change| change.action == Action::Read)
    }
}

impl Totals {
    fn count(&mut self, action: Action) {
        *match action {
            Action::Delete => &mut self.delete,
            Action::Replace => &mut self.replace,
            Action::Forget => &mut self.forget,
            Action::Update => &mut self.update,
            Action::Create => &mut self.create,
            Action::Read => &mut self.read,
        } += 1;
    }
}

/// All sensitive texts of a plan.
fn secrets(plan: &Value) -> Secrets {
    let mut secrets = Secrets::default();
    let lists = ["resource_changes", "resource_drift"].map(|name| plan[name].as_array());
    for change in lists.into_iter().flatten().flatten().map(|resource| &resource["change"]) {
        secrets.add(&change["before"], &change["before_sensitive"]);
        secrets.add(&change["after"], &change["after_sensitive"]);
    }
    for change in
        plan["output_changes"].as_object().into_iter().flat_map(|outputs| outputs.values())
    {
        secrets.add(&change["before"], &change["before_sensitive"]);
        secrets.add(&change["after"], &change["after_sensitive"]);
    }
    let variables = plan["configuration"]["root_module"]["variables"].as_object();
    for (name, variable) in variables.into_iter().flatten() {
        if variable["sensitive"] == true {
            secrets.add_all(&plan["variables"][name]["value"]);
        }
    }
    secrets
}

fn change(resource: &Value, secrets: &Secrets) -> Option<Change> {
    let change = &resource["change"];
    let action = Action::of(&change["actions"]);
    let moved_from = resource["previous_address"].as_str().map(shortened);
    let imported = !change["importing"].is_null();
    // A resource that only moves or is only taken over changes the state.
    let action = action.or((moved_from.is_some() || imported).then_some(Action::Update))?;
    let null = Value::Null;
    let (attributes, more_attributes) = match action {
        // All of it goes.
        Action::Delete | Action::Forget => (Vec::new(), 0),
        _ => changed(
            Side {
                value: &change["before"],
                sensitive: &change["before_sensitive"],
                unknown: &null,
            },
            Side {
                value: &change["after"],
                sensitive: &change["after_sensitive"],
                unknown: &change["after_unknown"],
            },
            &change["replace_paths"],
            secrets,
        ),
    };
    let forcing: Vec<&str> = attributes
        .iter()
        .filter(|attribute| attribute.forces_replacement)
        .map(|attribute| attribute.name.as_str())
        .collect();
    let reason = match (resource["action_reason"].as_str(), forcing.is_empty()) {
        (_, false) => Some(format!("{} forces the replacement", forcing.join(", "))),
        (Some(reason), true) => Some(reason_text(reason)),
        (None, true) => None,
    };
    Some(Change {
        address: shortened(resource["address"].as_str()?),
        action,
        reason,
        create_before_destroy: change["actions"][0] == "create" && action == Action::Replace,
        moved_from,
        imported,
        attributes,
        more_attributes,
    })
}

fn output(name: &str, change: &Value, secrets: &Secrets) -> Option<OutputChange> {
    let null = Value::Null;
    let (found, _) = changed(
        Side { value: &change["before"], sensitive: &change["before_sensitive"], unknown: &null },
        Side {
            value: &change["after"],
            sensitive: &change["after_sensitive"],
            unknown: &change["after_unknown"],
        },
        &null,
        secrets,
    );
    let first = found.into_iter().next();
    let (before, after) = first.map_or((None, None), |first| (first.before, first.after));
    Some(OutputChange {
        name: shortened(name),
        action: Action::of(&change["actions"])?,
        before,
        after,
    })
}

/// A reason of the program as words.
fn reason_text(reason: &str) -> String {
    match reason {
        "replace_because_tainted" => "the last apply of it failed: it is tainted",
        "replace_by_request" => "its replacement was requested",
        "replace_by_triggers" => "what its `replace_triggered_by` names changes",
        "replace_because_cannot_update" => "the provider cannot change it in place",
        "delete_because_no_resource_config" => "the configuration has no such resource",
        "delete_because_no_module" => "the configuration has no such module",
        "delete_because_wrong_repetition" => "`count` or `for_each` was added or removed",
        "delete_because_count_index" => "its index is beyond `count`",
        "delete_because_each_key" => "its key is not in `for_each`",
        "delete_because_no_move_target" => "what it was to move to does not exist",
        "read_because_config_unknown" => "its configuration is known only after the apply",
        "read_because_dependency_pending" => "something that it depends on changes",
        other => return shortened(other),
    }
    .to_owned()
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_destroyed_comes_first_and_secrets_go_nowhere() {
        let resource = |address: &str, actions: &[&str], more: Value| {
            let mut change = json!({ "actions": actions, "before": { "a": "hunter2" }, "after": { "a": "hunter2", "b": 1 },
                "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {} });
            change.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({ "address": address, "change": change, "action_reason": "delete_because_each_key" })
        };
        let plan = json!({
            "format_version": "1.2",
            "variables": { "password": { "value": "hunter2" } },
            "configuration": { "root_module": { "variables": { "password": { "sensitive": true } } } },
            "resource_changes": [
                resource("b.made", &["create"], json!({ "before": null })),
                resource("a.same", &["no-op"], json!({})),
                resource("a.replaced", &["create", "delete"], json!({ "replace_paths": [["b"]] })),
                resource("z.gone", &["delete"], json!({ "after": null })),
                resource("a.left", &["forget"], json!({ "after": null })),
            ],
        });
        let (plan, secrets) = Plan::parse(plan.to_string().as_bytes()).unwrap();
        let order: Vec<_> = plan.changes.iter().map(|one| one.address.as_str()).collect();
        assert_eq!(order, ["z.gone", "a.replaced", "a.left", "b.made"]);
        assert_eq!(plan.changes[0].reason.as_deref(), Some("its key is not in `for_each`"));
        assert!(plan.changes[1].create_before_destroy);
        assert_eq!(plan.changes[1].reason.as_deref(), Some("b forces the replacement"));
        assert_eq!((plan.totals.delete, plan.totals.replace, plan.totals.forget), (1, 1, 1));
        assert!(!serde_json::to_string(&plan).unwrap().contains("hunter2"), "{plan:?}");
        assert_eq!(secrets.redact("login hunter2"), "login (sensitive)");
    }

    #[test]
    fn plans_that_are_not_understood_are_refused() {
        for text in ["", "[]", "{\"format_version\": \"9.0\"}", "{}"] {
            assert!(Plan::parse(text.as_bytes()).is_err(), "{text}");
        }
        let many = format!(
            "{{\"format_version\": \"1.2\", \"resource_changes\": [{}1]}}",
            "1,".repeat(20_000)
        );
        assert!(Plan::parse(many.as_bytes()).unwrap_err().0.contains("more than"));
    }
}
