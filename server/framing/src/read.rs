//! Reads frames until the first invalid one, from blocking and from async streams.

use std::io::{self, BufRead, Read};

use thiserror::Error;
#[cfg(feature = "async")]
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use crate::header::HeaderParser;
use crate::{MAX_BODY_BYTES, MAX_HEADER_BYTES};

/// How much of an invalid header an error quotes, in characters.
const MAX_QUOTED_CHARS: usize = 80;

/// Why there is no next frame. Messages follow the name of the peer and a colon.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The stream ended inside a frame.
    #[error("it ended in the middle of a message")]
    Truncated,
    /// The input is no frame.
    #[error("it wrote `{0}` instead of a message's header")]
    InvalidHeader(String),
    /// A header without an end.
    #[error("it wrote a header of more than {MAX_HEADER_BYTES} bytes")]
    HeaderTooLong,
    /// A body over the limit.
    #[error("it announced a message of {0} bytes, more than {MAX_BODY_BYTES}")]
    BodyTooLong(u64),
    /// Reading failed.
    #[error("reading from it failed: {0}")]
    Io(#[from] io::Error),
}

impl FrameError {
    /// Whether the other side is gone.
    #[must_use]
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Truncated | Self::Io(_))
    }
}

/// Reads the body of the next frame; `None` if the stream ended between frames.
///
/// # Errors
/// If the frame is invalid, too long or cut off, or if reading fails. The stream is out of sync
/// afterwards and must not be read further.
pub fn read(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, FrameError> {
    let mut header = HeaderLines::default();
    let length = loop {
        let mut line = Vec::new();
        input.by_ref().take(header.bytes_left as u64).read_until(b'\n', &mut line)?;
        match header.push(&line)? {
            HeaderState::Open => {}
            HeaderState::Complete(length) => break length,
            HeaderState::EndOfStream => return Ok(None),
        }
    };
    // The length is not trusted: memory is allocated as bytes arrive.
    let mut body = Vec::new();
    input.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length { Err(FrameError::Truncated) } else { Ok(Some(body)) }
}

/// [`read`] for async streams. Not cancel safe: a partly read frame is lost when the future is dropped.
///
/// # Errors
/// As for [`read`].
#[cfg(feature = "async")]
pub async fn read_async(
    input: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<Vec<u8>>, FrameError> {
    let mut header = HeaderLines::default();
    let length = loop {
        let mut line = Vec::new();
        (&mut *input).take(header.bytes_left as u64).read_until(b'\n', &mut line).await?;
        match header.push(&line)? {
            HeaderState::Open => {}
            HeaderState::Complete(length) => break length,
            HeaderState::EndOfStream => return Ok(None),
        }
    };
    let mut body = Vec::new();
    input.take(length as u64).read_to_end(&mut body).await?;
    if body.len() < length { Err(FrameError::Truncated) } else { Ok(Some(body)) }
}

/// A header that is read line by line.
struct HeaderLines {
    parser: HeaderParser,
    bytes_left: usize,
}

impl Default for HeaderLines {
    fn default() -> Self {
        Self { parser: HeaderParser::default(), bytes_left: MAX_HEADER_BYTES }
    }
}

enum HeaderState {
    /// More lines follow.
    Open,
    /// The blank line was read; a body of so many bytes follows.
    Complete(usize),
    /// The stream ended before the first line.
    EndOfStream,
}

impl HeaderLines {
    /// Takes what was read up to a line's end, the stream's end or the limit.
    fn push(&mut self, line: &[u8]) -> Result<HeaderState, FrameError> {
        if line.is_empty() && self.bytes_left == MAX_HEADER_BYTES {
            return Ok(HeaderState::EndOfStream);
        }
        self.bytes_left -= line.len();
        if !line.ends_with(b"\n") {
            return Err(if self.bytes_left == 0 {
                FrameError::HeaderTooLong
            } else {
                FrameError::Truncated
            });
        }
        let line = line.trim_ascii();
        let invalid = || {
            let text = String::from_utf8_lossy(line);
            FrameError::InvalidHeader(text.chars().take(MAX_QUOTED_CHARS).collect())
        };
        if line.is_empty() {
            let length = std::mem::take(&mut self.parser).finish().map_err(|_| invalid())?;
            return match usize::try_from(length) {
                Ok(length) if length <= MAX_BODY_BYTES => Ok(HeaderState::Complete(length)),
                _ => Err(FrameError::BodyTooLong(length)),
            };
        }
        let name = self.parser.line(line).map_err(|_| invalid())?;
        // Text with a colon in it (`Warning: …`) is found at once, not at the next blank line.
        if name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            Ok(HeaderState::Open)
        } else {
            Err(invalid())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode;

    /// Reads all frames with both readers.
    fn read_all(bytes: &[u8]) -> (Vec<String>, Option<String>) {
        let (mut input, mut bodies) = (bytes, Vec::new());
        let error = loop {
            match read(&mut input) {
                Ok(Some(body)) => bodies.push(String::from_utf8(body).unwrap()),
                Ok(None) => break None,
                Err(error) => break Some(error.to_string()),
            }
        };
        #[cfg(feature = "async")]
        {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let mut input = bytes;
            for body in &bodies {
                let read = runtime.block_on(read_async(&mut input)).unwrap();
                assert_eq!(read.as_deref(), Some(body.as_bytes()));
            }
            let last = runtime.block_on(read_async(&mut input));
            assert_eq!(last.as_ref().err().map(ToString::to_string), error);
            assert!(last.is_err() || last.unwrap().is_none());
        }
        (bodies, error)
    }

    #[test]
    fn frames_are_read_until_the_end() {
        let stream = [&encode(b"{}")[..], &encode("\"\u{e9}\"".as_bytes()), &encode(b"")].concat();
        let bodies = ["{}", "\"\u{e9}\"", ""].map(str::to_owned).to_vec();
        assert_eq!(read_all(&stream), (bodies, None));
    }

    #[test]
    fn other_headers_any_case_and_bare_newlines_are_accepted() {
        for stream in
            ["Content-Type: x\r\ncontent-LENGTH:2\n\n{}", "content-length:2\nX-Other: 1\n\n{}"]
        {
            assert_eq!(read_all(stream.as_bytes()), (vec!["{}".to_owned()], None));
        }
    }

    #[test]
    fn invalid_frames_are_errors() {
        for (bytes, expected) in [
            (&b"Content-Length: 5\r\n\r\nab"[..], "in the middle"),
            (b"Content-Le", "in the middle"),
            (b"Content-Length: 5\r\n", "in the middle"),
            (b"Traceback (most recent call last):\n", "`Traceback"),
            (b"garbage\r\n\r\n", "`garbage`"),
            (b"Content-Length: many\r\n\r\n", "`Content-Length: many`"),
            (b"Content-Length: -1\r\n\r\n{}", "`Content-Length: -1`"),
            (b"Content-Length: +1\r\n\r\n{", "`Content-Length: +1`"),
            (b"Content-Length:\r\n\r\n", "`Content-Length:`"),
            (b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "`Content-Length: 2`"),
            (b"Content-Length: 99999999999999999999999\r\n\r\n", "`Content-Length: 999"),
            (b"Content-Length: 99999999999\r\n\r\n", "99999999999 bytes, more than 67108864"),
            (b"X: y\r\n\r\n", "``"),
            (b"\r\n", "``"),
            (&[b'x'; MAX_HEADER_BYTES + 1], "more than 8192"),
        ] {
            let (bodies, error) = read_all(bytes);
            assert!(bodies.is_empty(), "{bodies:?}");
            let error = error.unwrap();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_invalid_frame_after_a_valid_one_is_an_error() {
        let (bodies, error) = read_all(&[&encode(b"{}")[..], b"oops\n"].concat());
        assert_eq!(bodies, ["{}"]);
        assert!(error.unwrap().contains("`oops`"));
    }
}
