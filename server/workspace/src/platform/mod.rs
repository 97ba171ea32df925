//! What depends on the operating system. Another system is another folder here, which gives the
//! same names; no other file of this crate makes a system call of its own beyond what `std` has.
//!
//! A platform gives:
//!
//! - [`Confinement`]: how a path below a folder's handle is opened, in one of the ways of
//!   [`Opening`], so that nothing leads out of the folder: no `..`, no link, no race.
//!   [`Confinement::of`] tries out which way this kernel has.
//! - [`Fence`]: what a thread can lock itself behind, for good, so that the kernel refuses it the
//!   content of everything but the folders it was given. `None` of it is an answer: the doctor says
//!   so, and the first wall stands alone.
//! - [`Stat`]: what is known of an entry without its content, by handle and by name, and of a link
//!   what it says. [`Mount`] tells from where to where things can be renamed.
//! - What is done to a name in a folder, by the folder's handle: made, removed, renamed
//!   ([`Rename`], also as an exchange of two names), listed ([`ListingBuffer`], with the kinds of
//!   the entries where the file system tells them), made durable.
//! - What is done to contents: a file that has no name until it is complete, copies with holes,
//!   mode, owner, times and extended attributes.
//! - [`Events`]: folders of which the system notes what happens, to be asked later.
//! - [`give_back_memory`]: memory that was freed and is kept goes back to the system.
//! - [`lower_thread_priority`]: threads that no query waits for yield to those that one does.
//! - [`mount_points`]: which folders show which parts of which file systems.
//! - What lies outside every root: the user's own files and folders, and whether they are.
//!
//! Names are bytes, joined by `/`: a system where they are not has to say how they are written so.
//! [`Errno`] is what failed calls come to; a system whose errors differ gives these values for the
//! cases that callers tell apart.
//!
//! What no platform can contain, and is dealt with elsewhere: a hard link is the file itself, so a
//! file with several names is replaced and never written in place; what stands outside can be
//! *seen* to exist by whoever may open a handle without reading it; a folder that another process
//! moves out of the root while it is being read is read to its end.

#[cfg(not(target_os = "linux"))]
compile_error!("server/workspace/src/platform has no folder for this system yet");

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::lower_thread_priority;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;
pub(crate) use rustix::io::Errno;
pub(crate) use std::os::fd::{AsFd as AsHandle, BorrowedFd as BorrowedHandle, OwnedFd as Handle};

/// What something is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// To be looked at, whatever it is: a link is opened as itself.
    Look,
    /// A folder, to be looked up from and no more.
    Through,
    /// A folder, to be listed and worked in.
    Folder,
    /// A content, to be read. Never waits: what was a file just now may be a FIFO by now.
    Read,
    /// A new file, to be written, where nothing may stand; with these permission bits.
    Create(u32),
}

/// What went wrong in a call of `std`.
pub(crate) fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
