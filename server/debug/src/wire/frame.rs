//! Frames: a header with `Content-Length`, then as many bytes. Capped, as adapters may be broken.

use std::io;

use thiserror::Error;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Longest header, in bytes.
const LONGEST_HEADER: u64 = 8 << 10;
/// Longest body, in bytes: memory and variables are paged, so none needs more.
const LONGEST_BODY: usize = 32 << 20;
/// What is quoted of what is no header, in characters.
const QUOTED: usize = 80;

/// Why there is no next frame.
#[derive(Debug, Error)]
pub(crate) enum FrameError {
    /// The other side ended within a frame.
    #[error("it ended in the middle of a message")]
    Torn,
    /// What came is no frame.
    #[error("it wrote `{0}` where a message's header belongs")]
    NoHeader(String),
    /// A header without an end.
    #[error("it wrote a header of more than {LONGEST_HEADER} bytes")]
    LongHeader,
    /// A body over the cap.
    #[error("it announced a message of {0} bytes; {LONGEST_BODY} are the most")]
    LongBody(usize),
    /// Reading failed.
    #[error("reading from it failed: {0}")]
    Io(#[from] io::Error),
}

impl FrameError {
    /// Whether the other side is gone.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, Self::Torn | Self::Io(_))
    }
}

/// The body of the next frame; `None` where the other side ended between frames.
pub(crate) async fn read(
    from: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<Vec<u8>>, FrameError> {
    let Some(length) = header(from).await? else { return Ok(None) };
    if length > LONGEST_BODY {
        return Err(FrameError::LongBody(length));
    }
    // Memory is taken as it comes, not as it is announced.
    let mut body = Vec::new();
    let taken = from.take(length as u64).read_to_end(&mut body).await?;
    if taken < length { Err(FrameError::Torn) } else { Ok(Some(body)) }
}

async fn header(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<usize>, FrameError> {
    let (mut left, mut length, mut line, mut is_first) = (LONGEST_HEADER, None, Vec::new(), true);
    loop {
        line.clear();
        let read = from.take(left).read_until(b'\n', &mut line).await?;
        left -= read as u64;
        if !line.ends_with(b"\n") {
            return match (left, is_first && line.is_empty()) {
                (0, _) => Err(FrameError::LongHeader),
                (_, true) => Ok(None),
                (_, false) => Err(FrameError::Torn),
            };
        }
        is_first = false;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if text.is_empty() {
            return match length {
                Some(length) => Ok(Some(length)),
                None => Err(FrameError::NoHeader(String::new())),
            };
        }
        let no_header = || FrameError::NoHeader(text.chars().take(QUOTED).collect());
        let (name, value) = text.split_once(':').ok_or_else(no_header)?;
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(no_header());
        }
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| no_header())?);
        }
    }
}

/// A body with its header.
pub(crate) fn encode(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8]) -> (Vec<String>, Option<String>) {
        let (mut from, mut bodies) = (bytes, Vec::new());
        loop {
            match read(&mut from).await {
                Ok(Some(body)) => bodies.push(String::from_utf8(body).unwrap()),
                Ok(None) => return (bodies, None),
                Err(error) => return (bodies, Some(error.to_string())),
            }
        }
    }

    #[tokio::test]
    async fn frames_are_read_until_the_end() {
        let mut bytes = encode(b"{}");
        bytes.extend(b"content-length:3\nX-Other: 1\n\nabc");
        assert_eq!(all(&bytes).await, (vec!["{}".to_owned(), "abc".to_owned()], None));
    }

    #[tokio::test]
    async fn what_is_no_frame_is_told() {
        for (bytes, told) in [
            (&b"Content-Length: 5\r\n\r\nab"[..], "in the middle"),
            (b"Content-Le", "in the middle"),
            (b"Traceback (most recent call last):\n", "`Traceback"),
            (b"Content-Length: many\r\n\r\n", "`Content-Length: many`"),
            (b"Content-Length: 99999999999\r\n\r\n", "99999999999 bytes"),
            (b"\r\n", "``"),
            (&[b'x'; 9_000], "more than 8192"),
        ] {
            let error = all(bytes).await.1.unwrap();
            assert!(error.contains(told), "{error}");
        }
    }
}
