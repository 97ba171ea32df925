//! Frames: a `Content-Length` header and a body, with size limits against broken adapters.

use std::io;

use thiserror::Error;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Size limit of a header, in bytes.
const MAX_HEADER_SIZE: u64 = 8 << 10;
/// Size limit of a body, in bytes. Memory and variables are paged, so none needs more.
const MAX_BODY_SIZE: usize = 32 << 20;
/// How much of an invalid header an error quotes, in characters.
const MAX_QUOTED_CHARS: usize = 80;

/// Why there is no next frame.
#[derive(Debug, Error)]
pub(crate) enum FrameError {
    /// The stream ended inside a frame.
    #[error("it ended in the middle of a message")]
    Truncated,
    /// The input is no frame.
    #[error("it wrote `{0}` instead of a message's header")]
    InvalidHeader(String),
    /// A header without an end.
    #[error("it wrote a header of more than {MAX_HEADER_SIZE} bytes")]
    HeaderTooLong,
    /// A body over the limit.
    #[error("it announced a message of {0} bytes, more than {MAX_BODY_SIZE}")]
    BodyTooLong(usize),
    /// Reading failed.
    #[error("reading from it failed: {0}")]
    Io(#[from] io::Error),
}

impl FrameError {
    /// Whether the other side is gone.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, Self::Truncated | Self::Io(_))
    }
}

/// The body of the next frame; `None` if the stream ended between frames.
pub(crate) async fn read(
    input: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<Vec<u8>>, FrameError> {
    let Some(length) = header(input).await? else { return Ok(None) };
    if length > MAX_BODY_SIZE {
        return Err(FrameError::BodyTooLong(length));
    }
    // Allocate as data arrives, not as announced.
    let mut body = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut body).await?;
    if read < length { Err(FrameError::Truncated) } else { Ok(Some(body)) }
}

async fn header(input: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<usize>, FrameError> {
    let (mut remaining, mut length, mut line, mut is_first) =
        (MAX_HEADER_SIZE, None, Vec::new(), true);
    loop {
        line.clear();
        let count = input.take(remaining).read_until(b'\n', &mut line).await?;
        remaining -= count as u64;
        if !line.ends_with(b"\n") {
            return match (remaining, is_first && line.is_empty()) {
                (0, _) => Err(FrameError::HeaderTooLong),
                (_, true) => Ok(None),
                (_, false) => Err(FrameError::Truncated),
            };
        }
        is_first = false;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if text.is_empty() {
            return match length {
                Some(length) => Ok(Some(length)),
                None => Err(FrameError::InvalidHeader(String::new())),
            };
        }
        let invalid_header =
            || FrameError::InvalidHeader(text.chars().take(MAX_QUOTED_CHARS).collect());
        let (name, value) = text.split_once(':').ok_or_else(invalid_header)?;
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(invalid_header());
        }
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| invalid_header())?);
        }
    }
}

/// Encodes a body as a frame.
pub(crate) fn encode(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8]) -> (Vec<String>, Option<String>) {
        let (mut input, mut bodies) = (bytes, Vec::new());
        loop {
            match read(&mut input).await {
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
    async fn invalid_frames_are_errors() {
        for (bytes, expected) in [
            (&b"Content-Length: 5\r\n\r\nab"[..], "in the middle"),
            (b"Content-Le", "in the middle"),
            (b"Traceback (most recent call last):\n", "`Traceback"),
            (b"Content-Length: many\r\n\r\n", "`Content-Length: many`"),
            (b"Content-Length: 99999999999\r\n\r\n", "99999999999 bytes"),
            (b"\r\n", "``"),
            (&[b'x'; 9_000], "more than 8192"),
        ] {
            let error = all(bytes).await.1.unwrap();
            assert!(error.contains(expected), "{error}");
        }
    }
}
