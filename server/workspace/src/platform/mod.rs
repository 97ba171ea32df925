//! Everything that depends on the operating system. Another system is another folder here with the
//! same names; no other file of this crate makes system calls beyond `std`.
//!
//! A platform provides:
//!
//! - [`Confinement`]: opens a path below a folder's handle, in one of the modes of [`Opening`], so
//!   that it cannot escape the folder by `..`, a link or a race. [`Confinement::detect`] finds the
//!   mode that this kernel supports.
//! - [`LandlockRuleset`]: a permanent restriction of a thread, by which the kernel refuses it the
//!   content of everything but the given folders. A system may lack it: `doctor` reports that, and
//!   only the confinement by handles remains.
//! - [`Stat`]: metadata of an entry, by handle and by name, and the target of a link. [`MountId`]
//!   tells between which folders a rename is possible.
//! - Operations on names in a folder, by the folder's handle: create, remove, rename
//!   ([`RenameMode`], also as an exchange of two names), list ([`ListingBuffer`], with the kinds of
//!   the entries if the file system reports them), sync.
//! - Operations on contents: a file without a name until it is complete, copies with holes, mode,
//!   owner, times and extended attributes.
//! - [`FolderEvents`]: a queue of changes in watched folders.
//! - [`trim_heap`]: returns freed memory to the system.
//! - [`lower_thread_priority`]: background threads yield to those that queries wait for.
//! - [`mount_points`]: which folders show which parts of which file systems.
//! - Access outside the roots: the user's own files and folders, and checks of their owner.
//!
//! Names are bytes joined by `/`; a system with other names must encode them so. [`Errno`] is the
//! error of failed calls; another system maps its errors to the values that callers match.
//!
//! No platform can prevent the following, which is handled elsewhere: a hard link is the file
//! itself, so a file with several names is replaced and never written in place; the *existence* of
//! outside files is visible to any thread that may open a handle without reading; a folder that
//! another process moves out of the root during a read is read to its end.

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

/// How an entry is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Any entry, for metadata only; a link is opened itself.
    Inspect,
    /// A folder, for lookups below it only.
    Traverse,
    /// A folder, to be listed and modified.
    Folder,
    /// A file, to be read. Never blocks: the file may have been replaced by a FIFO.
    Read,
    /// A new file, to be written, which must not exist; with these permission bits.
    Create(u32),
}

/// The `errno` of a `std` error.
pub(crate) fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
