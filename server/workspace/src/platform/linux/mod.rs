//! Linux.

mod confinement;
mod content;
mod events;
mod landlock;
mod memory;
mod mounts;
mod names;
mod outside;
mod priority;
mod stat;

pub(crate) use confinement::Confinement;
pub(crate) use content::{
    check_writable, copy_content, copy_metadata, create_unnamed, keep_metadata, keep_times,
    link_unnamed, make_executable, make_link, make_special,
};
pub(crate) use events::{
    EventKinds, FolderEvent, FolderEvents, Waker, max_watched_folders, reports_all_changes,
};
pub(crate) use landlock::LandlockRuleset;
pub(crate) use memory::trim_heap;
pub(crate) use mounts::{MountPoint, mount_points};
pub(crate) use names::{
    ListingBuffer, RenameMode, hard_link, make_folder, names_in, open_to_empty, remove_file,
    remove_folder, rename, restore_owner_rights, rewind, sync, sync_file_system,
};
pub(crate) use outside::{is_private_folder, open_outside, private_file, user};
pub use priority::lower_thread_priority;
pub(crate) use stat::{MountId, Stat, link_target, link_target_at, stat, stat_at, stat_outside};
