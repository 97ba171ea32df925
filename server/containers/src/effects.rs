//! How policy names what a container may do. Names below `container/` are what containers are for; those below
//! `machine/` give a container power over the machine, so that no rule on `container/*` covers them.

use serde_json::Value;
use sha2::{Digest, Sha256};
use tools::{Effect, EffectKind, Target};

/// An effect by its name.
pub(crate) fn named(name: impl Into<String>, detail: impl Into<String>) -> Effect {
    let (target, detail) = (Target::Named(name.into()), Some(detail.into()));
    Effect { kind: EffectKind::Admin, target, detail }
}

/// Root's power over the machine.
pub(crate) fn privileged() -> Effect {
    named(
        "machine/privileged",
        "Privileged mode: root in the container is root on this machine. It reaches all devices and disks, and the \
         limits below do not hold it.",
    )
}

/// The machine's network.
pub(crate) fn host_network() -> Effect {
    named(
        "machine/network",
        "The machine's own network instead of one of the container: it reaches every service that listens on \
         localhost, and can listen on all ports.",
    )
}

/// A device of the machine.
pub(crate) fn device(path: &str, rights: &str) -> Effect {
    let detail =
        format!("A device of this machine: the container uses {path} ({rights}) directly.");
    named(format!("machine/device{path}"), detail)
}

/// The daemon's socket.
pub(crate) fn daemon_socket(path: &str) -> Effect {
    let detail = format!(
        "The socket of the container daemon ({path}): with it the container starts others with any mounts and rights, \
         so it has root's power over this machine."
    );
    named("machine/daemon-socket", detail)
}

/// A port that other machines reach.
pub(crate) fn open_port(address: &str, port: u16) -> Effect {
    let detail =
        format!("Other machines reach the container at {address}:{port}, not only this one.");
    named(format!("machine/port/{address}:{port}"), detail)
}

/// A volume that the daemon keeps.
pub(crate) fn volume(name: &str) -> Effect {
    let detail =
        format!("The daemon's volume {name}, with what other containers have put there. It stays.");
    named(format!("container/volume/{name}"), detail)
}

/// Any host, over the network.
pub(crate) fn any_host(detail: &str) -> Effect {
    Effect::network("any host").with_detail(detail)
}

/// A short hash of a request, so that an approval for the session covers this request only.
pub(crate) fn digest(request: &Value) -> String {
    let hash = Sha256::digest(request.to_string().as_bytes());
    hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}
