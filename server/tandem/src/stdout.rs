//! Printing to stdout without panics.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Writes to stdout, with colors if it is a terminal. On failure, ends the program: silently if the
/// reader is gone (`tandem tools | head`), else with a message.
pub(crate) fn write(text: Arguments<'_>) {
    let mut out = anstream::stdout();
    let Err(error) = out.write_fmt(text).and_then(|()| out.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    anstream::eprintln!("tandem: cannot write the output: {error}");
    std::process::exit(1);
}

/// `println!` by way of [`write`].
macro_rules! print_line {
    ($($text:tt)*) => {
        $crate::stdout::write(format_args!("{}\n", format_args!($($text)*)))
    };
}
pub(crate) use print_line;
