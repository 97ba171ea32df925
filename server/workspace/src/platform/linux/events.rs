//! What the system has noted of folders, kept by it until it is taken: inotify.

use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

use rustix::fs::fstatfs;
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};

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

/// What was noted of one thing.
pub(crate) struct Noted<'e> {
    /// The folder, by the number that it was added under.
    pub(crate) folder: i32,
    /// The name in it; without one, the folder itself.
    pub(crate) name: Option<&'e [u8]>,
}

/// Folders of which the system notes what happens in them. What it has noted it gives in the order
/// in which it happened, and before whoever did it was told that it is done.
#[derive(Debug)]
pub(crate) struct Events(Handle);

impl Events {
    /// Of no folders yet.
    pub(crate) fn new() -> Result<Self, Errno> {
        init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map(Self)
    }

    /// Adds a folder, not what is below it; its number, which is the same for the same folder.
    pub(crate) fn add(&self, folder: &Handle) -> Result<i32, Errno> {
        let flags = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        add_watch(&self.0, format!("/proc/self/fd/{}", folder.as_raw_fd()), flags)
    }

    /// Takes what was noted since the last time. Whether that is all: false where some was lost.
    pub(crate) fn take(&self, take: &mut dyn FnMut(Noted<'_>)) -> Result<bool, Errno> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.0, &mut buffer);
        let mut is_all = true;
        loop {
            match reader.next() {
                Ok(event) => {
                    let lost = ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT;
                    is_all &= !event.events().intersects(lost);
                    let name = event.file_name().map(std::ffi::CStr::to_bytes);
                    take(Noted { folder: event.wd(), name });
                }
                Err(Errno::AGAIN) => return Ok(is_all),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }
}
