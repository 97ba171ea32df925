//! What threads lock themselves behind, on Linux: Landlock.
//!
//! A thread that has entered keeps its fence for good, and so do the threads that it starts; the
//! process's other threads are free. What is fenced is content and change (read, write, list,
//! create, remove, rename, truncate, device control); the kernel fences no `stat` and no handle
//! that can only be held (`O_PATH`).

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
};

/// The newest version whose accesses are named here; older kernels fence what they can.
const NEWEST: ABI = ABI::V5;
/// Below this version every rename into another folder fails: rather no fence than one that
/// breaks work.
const OLDEST: ABI = ABI::V2;

/// A set of folders that is all a thread can get at once it has entered.
#[derive(Debug)]
pub(crate) struct Fence(RulesetCreated);

impl Fence {
    /// A fence around `worked_in`, where everything is allowed but running programs and making or
    /// controlling devices, `read`, where reading is, and `listed`, where names are told. What does
    /// not exist is left out.
    ///
    /// # Errors
    /// Why this system has none.
    pub(crate) fn around(
        worked_in: &[&Path],
        read: &[&Path],
        listed: &[&Path],
    ) -> Result<Self, String> {
        let told = |error: &dyn std::error::Error| format!("Landlock: {error}");
        let work = AccessFs::from_all(NEWEST)
            & !(AccessFs::Execute | AccessFs::IoctlDev | AccessFs::MakeChar | AccessFs::MakeBlock);
        let reading: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
        let none = |_| "this kernel has no Landlock that allows renames (Linux 5.19)".to_owned();
        let mut rules = create().map_err(none)?;
        let listing: BitFlags<AccessFs> = AccessFs::ReadDir.into();
        for (paths, access) in [(worked_in, work), (read, reading), (listed, listing)] {
            for path in paths {
                let Ok(fd) = PathFd::new(path) else { continue };
                let access =
                    if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
                rules =
                    rules.add_rule(PathBeneath::new(fd, access)).map_err(|error| told(&error))?;
            }
        }
        Ok(Self(rules))
    }

    /// Locks this thread, and those that it starts from now on, behind the fence.
    ///
    /// # Errors
    /// Why the kernel did not.
    pub(crate) fn enter(&self) -> Result<(), String> {
        let told = |error: &dyn std::error::Error| format!("Landlock: {error}");
        let rules = self.0.try_clone().map_err(|error| told(&error))?;
        match rules.restrict_self().map_err(|error| told(&error))?.ruleset {
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
