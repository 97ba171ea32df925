//! The size of a terminal.

use std::os::fd::AsFd;

use rustix::termios::{Winsize, tcsetwinsize};

use crate::TerminalSize;

/// Sets the size of a terminal; its programs are signalled.
pub(crate) fn set_terminal_size(
    terminal: impl AsFd,
    TerminalSize { rows, columns }: TerminalSize,
) -> rustix::io::Result<()> {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size)
}
