//! Namespaces, and capabilities in them.

use std::fs;

use rustix::io::Errno;
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, UnshareFlags, capabilities,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits,
};

use super::raw;
use crate::Network;

/// Enters a user namespace and the other namespaces that isolate a command, except the mount
/// namespace, which the inner launcher enters itself. Processes started from now on are in a new
/// PID namespace.
///
/// # Errors
/// When the system does not allow it. Nothing has changed then.
pub(super) fn enter(network: Network) -> Result<(), Errno> {
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    let mut namespaces =
        UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
    if network == Network::None {
        namespaces |= UnshareFlags::NEWNET;
    }
    raw::unshare(namespaces)?;
    // Map only the user's own ids.
    for (file, text) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{uid} {uid} 1")),
        ("gid_map", format!("{gid} {gid} 1")),
    ] {
        fs::write(format!("/proc/self/{file}"), text)
            .map_err(|e| Errno::from_io_error(&e).unwrap_or(Errno::IO))?;
    }
    Ok(())
}

/// The capabilities that the inner launcher needs for mounts, the loopback and limits.
const NEEDED_CAPABILITIES: &[CapabilitySet] = &[
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::SETPCAP,
    CapabilitySet::SYS_RESOURCE,
];

/// Drops all capabilities except those that the inner launcher needs. A root user's debugger may
/// need one more, which [`drop_rights`] decides.
pub(super) fn keep_needed_rights() -> Result<(), Errno> {
    let mut needed = NEEDED_CAPABILITIES.iter().copied().collect::<CapabilitySet>();
    if geteuid().is_root() {
        needed |= CapabilitySet::SYS_PTRACE;
    }
    let kept = capabilities(None)?.permitted & needed;
    let inheritable = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable })
}

/// Drops every capability for good: even programs of a root user get none back. With `may_hold`,
/// keeps `CAP_SYS_PTRACE` for processes started from now on, if it is there.
pub(super) fn drop_rights(may_hold: bool) -> Result<(), Errno> {
    let mut kept = CapabilitySet::empty();
    let mut sets = capabilities(None)?;
    if may_hold && sets.permitted.contains(CapabilitySet::SYS_PTRACE) {
        kept = CapabilitySet::SYS_PTRACE;
        sets.inheritable |= kept;
        set_capabilities(None, sets)?;
        configure_capability_in_ambient_set(kept, true)?;
    }
    for number in 0..64 {
        let right = CapabilitySet::from_bits_retain(1 << number);
        if kept.contains(right) {
            continue;
        }
        match remove_capability_from_bounding_set(right) {
            // The kernel knows no further capabilities.
            Err(Errno::INVAL) => break,
            // Outside of namespaces there may be nothing to drop, and no right to do it.
            Err(Errno::PERM) => break,
            done => done?,
        }
    }
    let locked = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    match set_capabilities_secure_bits(locked) {
        // An ordinary user outside of namespaces has no capabilities to drop.
        Ok(()) | Err(Errno::PERM) => {}
        Err(errno) => return Err(errno),
    }
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: kept })
}
