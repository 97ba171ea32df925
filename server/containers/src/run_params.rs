//! What a call of `docker_run` says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ready::Ready;

/// The tool's name.
pub(crate) const TOOL: &str = "docker_run";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The image's name, such as `app:latest`.
    pub(crate) image: String,
    /// The command and its arguments; by default the image's own.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    /// The program that gets the command as arguments, instead of the image's own.
    #[serde(default)]
    pub(crate) entrypoint: Option<Vec<String>>,
    /// Environment variables.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Mounts: `SOURCE:TARGET[:ro]`, where the source is a path in the workspace or the name of a volume.
    #[serde(default)]
    pub(crate) volumes: Vec<String>,
    /// Ports: `MACHINE:CONTAINER`, reached from this machine only unless an address is in front.
    #[serde(default)]
    pub(crate) ports: Vec<String>,
    /// A name for the container.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// The working folder in the container.
    #[serde(default)]
    pub(crate) workdir: Option<String>,
    /// The user in the container.
    #[serde(default)]
    pub(crate) user: Option<String>,
    /// Lets it run on after the call.
    #[serde(default)]
    pub(crate) detach: bool,
    /// With `detach`: waits until it is ready.
    #[serde(default)]
    pub(crate) ready: Option<Ready>,
    /// Lets it stay when the session ends.
    #[serde(default)]
    pub(crate) keep: bool,
    /// `none` by default, `bridge` if there are `ports`; `host` is this machine's own.
    #[serde(default)]
    pub(crate) network: Option<Network>,
    /// Gives it root's power over this machine.
    #[serde(default)]
    pub(crate) privileged: bool,
    /// Devices of this machine: `/dev/NAME`.
    #[serde(default)]
    pub(crate) devices: Vec<String>,
    /// Downloads the image if it is not here.
    #[serde(default)]
    pub(crate) pull: bool,
    /// Its memory in megabytes; 2,048 by default.
    #[serde(default)]
    pub(crate) memory_mb: Option<u64>,
    /// How many processors it uses; 2 by default.
    #[serde(default)]
    pub(crate) cpus: Option<f64>,
    /// Its processes and threads; 512 by default.
    #[serde(default)]
    pub(crate) processes: Option<u32>,
    /// The time limit of a command, and of the download, in milliseconds; 120,000 by default.
    #[serde(default)]
    pub(crate) timeout_ms: Option<u64>,
}

/// A container's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Network {
    None,
    Bridge,
    Host,
}

impl Network {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bridge => "bridge",
            Self::Host => "host",
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bridge => "any host",
            Self::Host => "the machine's own",
        }
    }
}
