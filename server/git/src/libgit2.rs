//! libgit2's process-wide options.

#![allow(unsafe_code, reason = "libgit2's global options; each says why it is sound")]

use std::path::Path;

use git2::ConfigLevel;

use crate::limits::MAX_CACHED_TREE_SIZE;

/// Restricts libgit2's settings search to `folder`, or to nothing without one: neither the home nor
/// the system's folders are read. Allows partial clones; a missing object is an error when it is
/// read.
pub(crate) fn restrict_config_search(folder: Option<&Path>) {
    let folder = folder.unwrap_or(Path::new(""));
    for level in
        [ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::ProgramData, ConfigLevel::Global]
    {
        let path = if level == ConfigLevel::Global { folder } else { Path::new("") };
        // SAFETY: libgit2 must not be in use on another thread meanwhile: this runs once, before
        // the first repository is opened.
        let set = unsafe { git2::opts::set_search_path(level, path) };
        if let Err(error) = set {
            tracing::error!("git: {error}");
        }
    }
    // SAFETY: as above. By default libgit2 does not cache trees this large, so that each commit of
    // a log would read them again.
    let cache =
        unsafe { git2::opts::set_cache_object_limit(git2::ObjectType::Tree, MAX_CACHED_TREE_SIZE) };
    if let Err(error) = cache {
        tracing::error!("git: {error}");
    }
    // As the `git` program: it does not hash an object again when it reads it.
    git2::opts::strict_hash_verification(false);
    // SAFETY: as above.
    if let Err(error) = unsafe { git2::opts::set_extensions(&["partialclone"]) } {
        tracing::error!("git: {error}");
    }
}
