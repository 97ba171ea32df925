//! Queues of changes in watched folders: inotify.

use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::fstatfs;
use rustix::fs::inotify::{
    CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch,
};

use crate::platform::{AsHandle, Errno, Handle};

/// File systems that only this kernel changes, so that inotify reports all changes.
const LOCAL_FILE_SYSTEMS: &[u32] = &[
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0xf2f5_2010, // F2FS
    0x2fc1_2fc1, // ZFS
    0xca45_1a4e, // bcachefs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs
];

/// Whether all changes in a folder are reported; not in network file systems.
pub(crate) fn reports_all_changes(folder: impl AsHandle) -> bool {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "32 bits of it")]
    fstatfs(folder).is_ok_and(|found| LOCAL_FILE_SYSTEMS.contains(&(found.f_type as u32)))
}

/// The limit of watched folders of all programs of the user; 0 if unknown.
pub(crate) fn max_watched_folders() -> usize {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
    limit.ok().and_then(|limit| limit.trim().parse().ok()).unwrap_or(0)
}

/// The kinds of changes that cause events. Reading never does: otherwise a program that lists many
/// folders would wake the watcher for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKinds {
    /// Names that are added or removed, and changes of contents.
    All,
    /// Names that are added or removed.
    Names,
}

/// One event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FolderEvent<'e> {
    /// The watch descriptor of the folder.
    pub(crate) folder: i32,
    /// The name in it; `None` for the folder itself.
    pub(crate) name: Option<&'e [u8]>,
    /// Whether the name is that of a folder.
    pub(crate) is_folder: bool,
    /// Whether the name, or the folder itself, was added, removed or moved.
    pub(crate) is_name_change: bool,
}

/// A queue of events of watched folders. Events are in order, and each is queued before the
/// system call that causes it returns.
#[derive(Debug)]
pub(crate) struct FolderEvents {
    queue: Handle,
    flags: WatchFlags,
}

/// Wakes the thread that waits for events.
#[derive(Debug)]
pub(crate) struct Waker(Handle);

impl Waker {
    pub(crate) fn new() -> Result<Self, Errno> {
        eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map(Self)
    }

    /// Ends the current wait and all later ones.
    pub(crate) fn wake(&self) {
        // It only fails if the counter is full, which wakes the thread as well.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl FolderEvents {
    /// A queue without watched folders.
    pub(crate) fn new(changes: EventKinds) -> Result<Self, Errno> {
        let names = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let contents = WatchFlags::MODIFY | WatchFlags::ATTRIB | WatchFlags::CLOSE_WRITE;
        let flags = if changes == EventKinds::All { names | contents } else { names };
        Ok(Self { queue: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?, flags })
    }

    /// Watches a folder non-recursively; returns its watch descriptor, the same for the same
    /// folder.
    pub(crate) fn add(&self, folder: &Handle) -> Result<i32, Errno> {
        add_watch(&self.queue, format!("/proc/self/fd/{}", folder.as_raw_fd()), self.flags)
    }

    /// Stops watching a folder.
    pub(crate) fn remove(&self, watch: i32) {
        // A deleted folder is no longer watched.
        let _ = remove_watch(&self.queue, watch);
    }

    /// Waits for an event, at most for `timeout`; returns whether there is one. An interrupted wait
    /// counts as one without events. `None` once woken.
    pub(crate) fn wait(&self, wake: &Waker, timeout: Option<Duration>) -> Option<bool> {
        let mut watched =
            [PollFd::new(&self.queue, PollFlags::IN), PollFd::new(&wake.0, PollFlags::IN)];
        let timeout = timeout.map(|timeout| Timespec::try_from(timeout).unwrap_or_default());
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) if !watched[1].revents().is_empty() => None,
            Ok(_) => Some(!watched[0].revents().is_empty()),
            Err(Errno::INTR) => Some(false),
            Err(errno) => {
                tracing::warn!("file changes are no longer watched: {errno}");
                None
            }
        }
    }

    /// Passes all queued events to `take`. Returns false if some were lost.
    pub(crate) fn drain(&self, take: &mut dyn FnMut(FolderEvent<'_>)) -> Result<bool, Errno> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        let mut is_all = true;
        loop {
            match reader.next() {
                Ok(event) => {
                    let flags = event.events();
                    let lost = ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT;
                    is_all &= !flags.intersects(lost);
                    let moved = ReadFlags::CREATE
                        | ReadFlags::DELETE
                        | ReadFlags::MOVED_FROM
                        | ReadFlags::MOVED_TO
                        | ReadFlags::DELETE_SELF
                        | ReadFlags::MOVE_SELF;
                    take(FolderEvent {
                        folder: event.wd(),
                        name: event.file_name().map(std::ffi::CStr::to_bytes),
                        is_folder: flags.contains(ReadFlags::ISDIR),
                        is_name_change: flags.intersects(moved),
                    });
                }
                Err(Errno::AGAIN) => return Ok(is_all),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }
}
