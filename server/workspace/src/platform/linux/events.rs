//! What the system has noted of folders, kept by it until it is taken: inotify.

use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::fstatfs;
use rustix::fs::inotify::{
    CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch,
};

use crate::platform::{AsHandle, Errno, Handle};

/// File systems whose changes are all made by this kernel, and so are all noted by it.
const LOCAL: &[u32] = &[
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0xf2f5_2010, // F2FS
    0x2fc1_2fc1, // ZFS
    0xca45_1a4e, // bcachefs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs
];

/// Whether all that happens in a folder is noted: not where other machines change it too.
pub(crate) fn are_changes_noted(folder: impl AsHandle) -> bool {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "32 bits of it")]
    fstatfs(folder).is_ok_and(|found| LOCAL.contains(&(found.f_type as u32)))
}

/// How many folders the user's programs can have watched, all together; 0 where that is not known.
pub(crate) fn most_watched_folders() -> usize {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
    limit.ok().and_then(|limit| limit.trim().parse().ok()).unwrap_or(0)
}

/// Which changes of a folder cause an event. Reading never does: otherwise a program that lists many
/// folders would wake the watcher for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changes {
    /// Names that come and go, and what is written to files.
    All,
    /// Names that come and go.
    Names,
}

/// What was noted of one thing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noted<'e> {
    /// The folder, by the number that it was added under.
    pub(crate) folder: i32,
    /// The name in it; without one, the folder itself.
    pub(crate) name: Option<&'e [u8]>,
    /// Whether the name is a folder's.
    pub(crate) is_folder: bool,
    /// Whether something came or went, under this name or, without one, the folder itself.
    pub(crate) has_moved: bool,
}

/// Folders of which the system notes what happens in them. What it has noted it gives in the order
/// in which it happened, and before whoever did it was told that it is done.
#[derive(Debug)]
pub(crate) struct Events {
    queue: Handle,
    flags: WatchFlags,
}

/// Wakes the one that waits for events.
#[derive(Debug)]
pub(crate) struct Wake(Handle);

impl Wake {
    pub(crate) fn new() -> Result<Self, Errno> {
        eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map(Self)
    }

    /// Ends this wait, and all that follow.
    pub(crate) fn wake(&self) {
        // It cannot fail but for a counter that is full, which wakes as well.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl Events {
    /// Of no folders yet.
    pub(crate) fn new(changes: Changes) -> Result<Self, Errno> {
        let names = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let contents = WatchFlags::MODIFY | WatchFlags::ATTRIB | WatchFlags::CLOSE_WRITE;
        let flags = if changes == Changes::All { names | contents } else { names };
        Ok(Self { queue: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?, flags })
    }

    /// Adds a folder, not what is below it; its number, which is the same for the same folder.
    pub(crate) fn add(&self, folder: &Handle) -> Result<i32, Errno> {
        add_watch(&self.queue, format!("/proc/self/fd/{}", folder.as_raw_fd()), self.flags)
    }

    /// Lets go of the folder that was added under `number`.
    pub(crate) fn remove(&self, number: i32) {
        // The system has let go of what is gone.
        let _ = remove_watch(&self.queue, number);
    }

    /// Waits until something is noted, for `timeout` at most: whether it was. An interrupted wait counts
    /// as one in which nothing was. `None` once woken.
    pub(crate) fn wait(&self, wake: &Wake, timeout: Option<Duration>) -> Option<bool> {
        let mut watched =
            [PollFd::new(&self.queue, PollFlags::IN), PollFd::new(&wake.0, PollFlags::IN)];
        let timeout = timeout.map(|timeout| Timespec::try_from(timeout).unwrap_or_default());
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) if !watched[1].revents().is_empty() => None,
            Ok(_) => Some(!watched[0].revents().is_empty()),
            Err(Errno::INTR) => Some(false),
            Err(errno) => {
                tracing::warn!("changes of files are not seen any more: {errno}");
                None
            }
        }
    }

    /// Takes what was noted since the last time. Whether that is all: false where some was lost.
    pub(crate) fn take(&self, take: &mut dyn FnMut(Noted<'_>)) -> Result<bool, Errno> {
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
                    take(Noted {
                        folder: event.wd(),
                        name: event.file_name().map(std::ffi::CStr::to_bytes),
                        is_folder: flags.contains(ReadFlags::ISDIR),
                        has_moved: flags.intersects(moved),
                    });
                }
                Err(Errno::AGAIN) => return Ok(is_all),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }
}
