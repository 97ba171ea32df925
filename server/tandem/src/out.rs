//! Printing that ends the program when nobody reads on, instead of panicking.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Writes to stdout, with colours where it is a terminal. Ends the program where that fails:
/// quietly when the reader has gone (`tandem tools | head`), else saying why.
pub(crate) fn write(text: Arguments<'_>) {
    let mut out = anstream::stdout();
    let Err(error) = out.write_fmt(text).and_then(|()| out.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    anstream::eprintln!("tandem: the output could not be written: {error}");
    std::process::exit(1);
}

/// `println!` by way of [`write`].
macro_rules! say {
    ($($text:tt)*) => {
        $crate::out::write(format_args!("{}\n", format_args!($($text)*)))
    };
}
pub(crate) use say;
