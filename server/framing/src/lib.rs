//! Messages in `Content-Length` frames, as LSP and DAP have them: a header, a blank line, a body.
//!
//! Everything that speaks either protocol uses [`encode`] and one of three readers. [`read`] (blocking) and
//! [`read_async`] end at the first invalid frame: for a peer whose output is worth nothing after that.
//! [`FrameReader`] reports an invalid frame and finds the next one: for a server, which must not end
//! because of one bad message. All keep the same limits and parse headers with the same code.
//!
//! It knows nothing of what a body says.

mod header;
mod read;
#[cfg(feature = "async")]
mod resync;

pub use header::HeaderError;
pub use read::{FrameError, read};
#[cfg(feature = "async")]
pub use {
    read::read_async,
    resync::{Frame, FrameReader},
};

/// Size limit of a header, in bytes. Real ones have fewer than 100.
pub const MAX_HEADER_BYTES: usize = 8 << 10;
/// Size limit of a body, in bytes: a document of 32 MiB, with its quotes and line ends escaped.
pub const MAX_BODY_BYTES: usize = 64 << 20;

/// Encodes `body` as one frame.
#[must_use]
pub fn encode(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}
