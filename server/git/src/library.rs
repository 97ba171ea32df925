//! What libgit2 is told once for the whole process.

#![allow(unsafe_code, reason = "libgit2's global options; each says why it is sound")]

use std::path::Path;

use git2::ConfigLevel;

/// The largest folder that is kept in memory, in bytes; all together are kept to 256 MB by libgit2.
const LARGEST_TREE: usize = 64 << 10;

/// Has libgit2 look for settings in `folder` only, and nowhere without one: not in the home, not in
/// the system's folders. A partial clone can be opened; what it lacks is an error when it is read.
pub(crate) fn look_only_in(folder: Option<&Path>) {
    let folder = folder.unwrap_or(Path::new(""));
    for level in
        [ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::ProgramData, ConfigLevel::Global]
    {
        let path = if level == ConfigLevel::Global { folder } else { Path::new("") };
        // SAFETY: libgit2 must not be in use on another thread meanwhile: this runs once, and every
        // repository is opened after it.
        let set = unsafe { git2::opts::set_search_path(level, path) };
        if let Err(error) = set {
            tracing::error!("git: {error}");
        }
    }
    // SAFETY: as above. Larger folders than libgit2 would keep are met again with every commit.
    let cache = unsafe { git2::opts::set_cache_object_limit(git2::ObjectType::Tree, LARGEST_TREE) };
    if let Err(error) = cache {
        tracing::error!("git: {error}");
    }
    // As git's own program, which takes an object that inflates for what its name says.
    git2::opts::strict_hash_verification(false);
    // SAFETY: as above.
    if let Err(error) = unsafe { git2::opts::set_extensions(&["partialclone"]) } {
        tracing::error!("git: {error}");
    }
}
