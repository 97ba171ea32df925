//! Keeps writes inside, by Landlock.

use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};

use super::mounts::Mounts;
use crate::plan::Refusal;

/// Without this one, files outside could be emptied.
const NEEDED: ABI = ABI::V3;
/// What is asked for beyond that, where the kernel has it.
const BEST: ABI = ABI::V6;

/// Devices that anything may use.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// From now on, only what is below `writable` and `temporary`, and harmless devices, can be
/// written to; everything can be read and executed that the user may. Signals and abstract
/// sockets of processes outside are out of reach: where `in_namespaces` is false, the kernel must
/// see to that here.
pub(super) fn confine(
    writable: &[(&Path, OwnedFd)],
    temporary: &Path,
    mounts: Option<&Mounts>,
    in_namespaces: bool,
) -> Result<(), Refusal> {
    build(writable, temporary, mounts, in_namespaces).map_err(|e| {
        let wanted = if in_namespaces { "Linux 6.2" } else { "Linux 6.12, or user namespaces" };
        Refusal::Unavailable(format!("Landlock ({wanted} or newer), to keep writes inside: {e}"))
    })
}

fn build(
    writable: &[(&Path, OwnedFd)],
    temporary: &Path,
    mounts: Option<&Mounts>,
    in_namespaces: bool,
) -> Result<(), RulesetError> {
    let scopes = if in_namespaces { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let look = AccessFs::from_read(NEEDED);
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
    let all = AccessFs::from_all(BEST) & !devices;
    let file = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(BEST))?
        .set_compatibility(scopes)
        .scope(Scope::from_all(BEST))?
        .set_compatibility(CompatLevel::BestEffort)
        .create()?;
    let mut allow = |path: &str, access: BitFlags<AccessFs>| -> Result<(), RulesetError> {
        // What does not exist needs no leave.
        if let Ok(handle) = PathFd::new(path) {
            (&mut rules).add_rule(PathBeneath::new(handle, access))?;
        }
        Ok(())
    };
    allow("/", look)?;
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
