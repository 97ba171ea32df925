//! Restricts writes with Landlock.

use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};

use super::mounts::Mounts;
use crate::plan::Refusal;

/// Required: older versions do not prevent truncating files outside.
const REQUIRED_ABI: ABI = ABI::V3;
/// Used as far as the kernel supports it.
const BEST_ABI: ABI = ABI::V6;

/// Devices that every command may use.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Allows writing only below `writable` and `temporary` and to harmless devices; reading and
/// executing stay as the user may. Also cuts off signals to, and abstract sockets of, outside
/// processes; without namespaces that is required.
pub(super) fn confine(
    writable: &[(&Path, OwnedFd)],
    temporary: &Path,
    mounts: Option<&Mounts>,
    in_namespaces: bool,
) -> Result<(), Refusal> {
    build(writable, temporary, mounts, in_namespaces).map_err(|e| {
        let needed = if in_namespaces { "Linux 6.2" } else { "Linux 6.12, or user namespaces" };
        Refusal::Unavailable(format!("Landlock ({needed} or newer), to keep writes inside: {e}"))
    })
}

/// Rules that keep a command's signals to itself and what it starts, for [`super::signals::keep_inside`]. [`confine`]
/// leaves it this process, whose signals it must not send where no PID namespace protects it.
pub(super) fn signal_rules() -> Result<OwnedFd, Refusal> {
    let unavailable = |e: &dyn std::fmt::Display| {
        Refusal::Unavailable(format!("Landlock (Linux 6.12), to keep signals inside: {e}"))
    };
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal)
        .and_then(Ruleset::create)
        .map_err(|e| unavailable(&e))?;
    Option::<OwnedFd>::from(rules).ok_or_else(|| unavailable(&"no rules were made"))
}

fn build(
    writable: &[(&Path, OwnedFd)],
    temporary: &Path,
    mounts: Option<&Mounts>,
    in_namespaces: bool,
) -> Result<(), RulesetError> {
    let scopes = if in_namespaces { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let read = AccessFs::from_read(REQUIRED_ABI);
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
    let all = AccessFs::from_all(BEST_ABI) & !devices;
    let file = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED_ABI))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(BEST_ABI))?
        .set_compatibility(scopes)
        .scope(Scope::from_all(BEST_ABI))?
        .set_compatibility(CompatLevel::BestEffort)
        .create()?;
    let mut allow = |path: &str, access: BitFlags<AccessFs>| -> Result<(), RulesetError> {
        // A missing path needs no rule.
        if let Ok(handle) = PathFd::new(path) {
            (&mut rules).add_rule(PathBeneath::new(handle, access))?;
        }
        Ok(())
    };
    allow("/", read)?;
    for device in DEVICES {
        allow(device, file)?;
    }
    if mounts.is_some_and(|mounts| mounts.private_memory) {
        allow("/dev/shm", all)?;
    }
    if mounts.is_some_and(|mounts| mounts.private_terminals) {
        allow("/dev/pts", file | AccessFs::ReadDir)?;
        allow("/dev/ptmx", file)?;
    }
    if let Ok(handle) = PathFd::new(temporary) {
        (&mut rules).add_rule(PathBeneath::new(handle, all))?;
    }
    for (_, handle) in writable {
        (&mut rules).add_rule(PathBeneath::new(handle, all))?;
    }
    rules.restrict_self().map(drop)
}
