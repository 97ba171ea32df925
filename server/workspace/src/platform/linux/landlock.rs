//! Restricts threads with Landlock.
//!
//! A restricted thread stays restricted, and so do the threads that it starts; other threads of the
//! process are not affected. Landlock restricts access to contents (read, write, list, create,
//! remove, rename, truncate, device control); it does not restrict `stat` and `O_PATH` handles.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
};

/// The newest ABI version used; older kernels enforce what they support.
const NEWEST: ABI = ABI::V5;
/// The oldest usable ABI version: earlier ones forbid every rename into another folder, so no
/// restriction is better.
const OLDEST: ABI = ABI::V2;

/// The folders that a restricted thread can access.
#[derive(Debug)]
pub(crate) struct LandlockRuleset(RulesetCreated);

impl LandlockRuleset {
    /// Allows everything in `writable` except executing programs and creating or controlling
    /// devices, reading in `readable`, and listing names in `listable`. Missing paths are skipped.
    ///
    /// # Errors
    /// Why this system does not support it.
    pub(crate) fn new(
        writable: &[&Path],
        readable: &[&Path],
        listable: &[&Path],
    ) -> Result<Self, String> {
        let message = |error: &dyn std::error::Error| format!("Landlock: {error}");
        let work = AccessFs::from_all(NEWEST)
            & !(AccessFs::Execute | AccessFs::IoctlDev | AccessFs::MakeChar | AccessFs::MakeBlock);
        let reading: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
        let none = |_| "this kernel has no Landlock that allows renames (Linux 5.19)".to_owned();
        let mut rules = create().map_err(none)?;
        let listing: BitFlags<AccessFs> = AccessFs::ReadDir.into();
        for (paths, access) in [(writable, work), (readable, reading), (listable, listing)] {
            for path in paths {
                let Ok(fd) = PathFd::new(path) else { continue };
                let access =
                    if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
                rules = rules
                    .add_rule(PathBeneath::new(fd, access))
                    .map_err(|error| message(&error))?;
            }
        }
        Ok(Self(rules))
    }

    /// Restricts this thread and those that it starts from now on.
    ///
    /// # Errors
    /// Why the kernel refused.
    pub(crate) fn restrict_thread(&self) -> Result<(), String> {
        let message = |error: &dyn std::error::Error| format!("Landlock: {error}");
        let rules = self.0.try_clone().map_err(|error| message(&error))?;
        match rules.restrict_self().map_err(|error| message(&error))?.ruleset {
            RulesetStatus::NotEnforced => Err("Landlock: the kernel has none".to_owned()),
            _ => Ok(()),
        }
    }
}

fn create() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(OLDEST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .create()
}
