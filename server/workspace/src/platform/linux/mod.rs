//! Linux.

mod confinement;
mod content;
mod events;
mod fence;
mod memory;
mod mounts;
mod names;
mod outside;
mod priority;
mod stat;

pub(crate) use confinement::Confinement;
pub(crate) use content::{
    allow_running, copy_content, copy_metadata, create_unnamed, give_name, keep_metadata,
    keep_times, make_link, make_special, may_write,
};
pub(crate) use events::{Changes, Events, Noted, Wake, are_changes_noted, most_watched_folders};
pub(crate) use fence::Fence;
pub(crate) use memory::give_back_memory;
pub(crate) use mounts::{MountPoint, mount_points};
pub(crate) use names::{
    ListingBuffer, Rename, give_back, hard_link, make_folder, names_in, open_to_empty, remove_file,
    remove_folder, rename, rewind, sync, sync_file_system,
};
pub(crate) use outside::{is_private_folder, open_outside, private_file, user};
pub use priority::lower_thread_priority;
pub(crate) use stat::{Mount, Stat, link_target, link_target_at, stat, stat_at, stat_outside};
