//! A container as the daemon describes it.

use std::collections::BTreeMap;

use serde::Deserialize;
use tools::{Code, Context, ToolError};

use crate::client::{Client, Dial};
use crate::failure::Failure;
use crate::labels;
use crate::limits::QUERY_TIMEOUT;

/// What is read of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct Container {
    pub(crate) id: String,
    name: String,
    pub(crate) state: ContainerState,
    pub(crate) config: ContainerConfig,
    #[serde(deserialize_with = "or_default")]
    pub(crate) host_config: HostConfig,
    #[serde(deserialize_with = "or_default")]
    pub(crate) mounts: Vec<MountPoint>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct ContainerState {
    pub(crate) status: String,
    pub(crate) running: bool,
    pub(crate) exit_code: i64,
    #[serde(rename = "OOMKilled")]
    pub(crate) is_out_of_memory: bool,
    pub(crate) error: String,
    health: Option<Health>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Health {
    status: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct ContainerConfig {
    pub(crate) image: String,
    pub(crate) tty: bool,
    #[serde(deserialize_with = "or_default")]
    pub(crate) labels: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct HostConfig {
    pub(crate) privileged: bool,
    pub(crate) network_mode: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct MountPoint {
    pub(crate) source: String,
    pub(crate) destination: String,
    #[serde(rename = "RW")]
    pub(crate) is_writable: bool,
}

/// Daemons write `null` for an empty list or map.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Container {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.name.trim_start_matches('/')
    }

    /// The image by the name that the call had.
    pub(crate) fn image(&self) -> &str {
        self.config.labels.get(labels::IMAGE).map_or(&self.config.image, String::as_str)
    }

    /// Whether its health check succeeds.
    pub(crate) fn is_healthy(&self) -> bool {
        self.state.health.as_ref().is_some_and(|health| health.status == "healthy")
    }

    /// Whether this workspace started it.
    pub(crate) fn is_ours(&self, context: &Context<'_>) -> bool {
        self.config.labels.get(labels::WORKSPACE) == Some(&labels::workspace(context))
    }

    /// A line about what it may do, for approvals.
    pub(crate) fn description(&self) -> String {
        let mut lines =
            format!("container: {} ({:.12}), image {}", self.name(), self.id, self.image());
        if self.host_config.privileged {
            lines.push_str("\nit is privileged: root in it is root on this machine");
        }
        if self.host_config.network_mode == "host" {
            lines.push_str("\nit uses the machine's network");
        }
        for mount in self.mounts.iter().take(20) {
            let access = if mount.is_writable { "read and write" } else { "read" };
            lines.push_str(&format!("\nit may {access} {} as {}", mount.source, mount.destination));
        }
        lines
    }
}

/// Finds a container by its name or id.
pub(crate) async fn inspect(dial: &Dial, id: &str) -> Result<Container, Failure> {
    let found: Container = dial.get(&format!("/containers/{id}/json")).await?;
    match found.id.len() == 64 && found.id.chars().all(|c| c.is_ascii_hexdigit()) {
        true => Ok(found),
        false => Err(Failure::Protocol("a container has no id".to_owned())),
    }
}

/// Finds the container that a call names.
pub(crate) fn find(
    client: &Client<'_>,
    dial: &Dial,
    tool: &str,
    written: &str,
) -> Result<Container, ToolError> {
    check_name(tool, written)?;
    client.run(QUERY_TIMEOUT, inspect(dial, written)).map_err(|failure| failure.of(tool))
}

/// Refuses what can be no name and no id: it becomes a part of a path.
pub(crate) fn check_name(tool: &str, written: &str) -> Result<(), ToolError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let starts_well = written.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts_well || written.len() > 200 || !written.chars().all(is_word) {
        let message = format!("{tool}: `{written:.100}` is no name or id of a container");
        return Err(ToolError::new(Code::InvalidParams, message).hint("docker_ps lists them"));
    }
    Ok(())
}
