//! A command's session and its terminal.

#![allow(unsafe_code, reason = "each has its own proof")]

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Result;
use rustix::process::setsid;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, ptsname, unlockpt};

use crate::TerminalSize;
use crate::terminal_size::set_terminal_size;

/// A terminal inside the sandbox.
pub(super) struct Terminal {
    /// The end that controls it.
    pub(super) control: OwnedFd,
    /// The command's end.
    pub(super) device: OwnedFd,
    path: CString,
}

impl Terminal {
    /// Opens a terminal in the command's own `/dev/pts`. Landlock must not be in force yet.
    pub(super) fn open(size: TerminalSize) -> Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let control = openpt(flags)?;
        unlockpt(&control)?;
        let path = ptsname(&control, Vec::new())?;
        let device = ioctl_tiocgptpeer(&control, flags)?;
        set_terminal_size(&control, size)?;
        Ok(Self { control, device, path })
    }
}

/// Makes `command` lead a session of its own, which `terminal` controls.
pub(super) fn lead_session(command: &mut Command, terminal: Option<&Terminal>) {
    let path = terminal.map(|terminal| terminal.path.clone());
    let lead = move || {
        setsid()?;
        // The first terminal that a session leader opens controls its session. The usual request,
        // `TIOCSCTTY`, is refused by the filter.
        if let Some(path) = &path {
            drop(open(path.as_c_str(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?);
        }
        Ok(())
    };
    // SAFETY: it makes system calls only.
    unsafe { command.pre_exec(lead) };
}
