//! The table `containers` of the user's settings.

use serde::Deserialize;

/// The user's container daemon.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContainerSettings {
    /// Where it is, instead of the usual sockets: `unix:///PATH` or `tcp://HOST:PORT`.
    pub host: Option<String>,
}

impl ContainerSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        let is_known = |host: &String| host.starts_with("unix:///") || host.starts_with("tcp://");
        match self.host.as_ref().filter(|host| !is_known(host)) {
            Some(host) => Err(format!(
                "containers.host: `{host:.100}` is neither `unix:///PATH` nor `tcp://HOST:PORT`"
            )),
            None => Ok(()),
        }
    }
}
