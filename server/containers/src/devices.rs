//! Devices of the machine that a container uses: `/dev/kvm`, `/dev/sdb:/dev/disk:r`.

use serde_json::{Value, json};
use tools::{Code, Effect, ToolError};

use crate::effects::device;

/// A device.
pub(crate) struct Device {
    host: String,
    container: String,
    /// Of `rwm`.
    rights: String,
}

impl Device {
    pub(crate) fn parse(tool: &str, written: &str) -> Result<Self, ToolError> {
        let parts: Vec<&str> = written.split(':').collect();
        let (host, container, rights) = match parts[..] {
            [host] => (host, host, "rwm"),
            [host, rights] if !rights.starts_with('/') => (host, host, rights),
            [host, container] => (host, container, "rwm"),
            [host, container, rights] => (host, container, rights),
            _ => ("", "", ""),
        };
        let is_device = |path: &str| {
            path.strip_prefix("/dev/").is_some_and(|rest| {
                rest.split('/').all(|name| !name.is_empty() && name != "." && name != "..")
            }) && !path.chars().any(char::is_control)
        };
        let has_rights = !rights.is_empty() && rights.chars().all(|right| "rwm".contains(right));
        if !is_device(host) || !is_device(container) || !has_rights {
            let message = format!("{tool}: `devices`: `{written:.100}` is no device");
            return Err(ToolError::new(Code::InvalidParams, message).hint("write `/dev/NAME`"));
        }
        let owned = str::to_owned;
        Ok(Self { host: owned(host), container: owned(container), rights: owned(rights) })
    }

    pub(crate) fn effect(&self) -> Effect {
        device(&self.host, &self.rights)
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "PathOnHost": self.host, "PathInContainer": self.container, "CgroupPermissions": self.rights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_below_dev() {
        for good in ["/dev/kvm", "/dev/sda:r", "/dev/sda:/dev/disk", "/dev/sda:/dev/disk:rw"] {
            assert!(Device::parse("t", good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "kvm",
            "/dev/../etc/passwd",
            "/etc/passwd",
            "/dev/sda:/dev/disk:x",
            "/dev/",
            "/dev/a:/b",
        ] {
            assert!(Device::parse("t", bad).is_err(), "{bad}");
        }
    }
}
