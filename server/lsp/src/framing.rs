//! Frames: `Content-Length` headers and bodies, with caps.

use std::io;

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Longest header block.
pub const HEADER_CAP: usize = 8 << 10;
/// Longest body. A longer one is skipped unread.
pub const BODY_CAP: u64 = 64 << 20;
/// How much is searched for the next frame before the connection is given up.
const SEARCH_CAP: usize = 64 << 20;
const READ: usize = 64 << 10;

/// What came off the wire.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A body.
    Body(Vec<u8>),
    /// A frame that was skipped, and why.
    Skipped(&'static str),
    /// Bytes between frames that belong to none, and why they do not.
    Garbage(&'static str),
    /// The other side has closed the connection, between frames.
    End,
    /// No frame can be found any more, and why.
    Lost(&'static str),
}

/// Reads frames. Whatever comes in, it ends in one of [`Frame`]'s cases.
pub(crate) struct FrameReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Bytes of `buffer` that are done with.
    start: usize,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), start: 0 }
    }

    /// The next frame. Must not be dropped half-way: the bytes read so far stay in `self`, but the
    /// part of a body that is being read does not.
    pub(crate) async fn next(&mut self) -> io::Result<Frame> {
        let header_end = loop {
            if let Some(end) = self.header_end() {
                break end;
            }
            if self.pending().len() >= HEADER_CAP {
                return self.resynchronise("the header is over 8 KiB").await;
            }
            if !self.fill().await? {
                return Ok(if self.pending().iter().all(u8::is_ascii_whitespace) {
                    Frame::End
                } else if could_be_header(self.pending()) {
                    Frame::Lost("the connection ended inside a header")
                } else {
                    Frame::Lost("what came is no header, and the connection ended")
                });
            }
        };
        let header = &self.pending()[..header_end];
        let length = match content_length(header) {
            Ok(length) => length,
            Err(reason) => return self.resynchronise(reason).await,
        };
        self.start += header_end;
        if length > BODY_CAP {
            return self.skip(length).await;
        }
        self.body(length).await
    }

    fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// The length of the header block at hand, its blank line included.
    fn header_end(&self) -> Option<usize> {
        let head = &self.pending()[..self.pending().len().min(HEADER_CAP)];
        memmem::find(head, b"\r\n\r\n").map(|at| at + 4)
    }

    /// Reads more; false at the end of the input.
    async fn fill(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.reserve(READ);
        Ok(self.input.read_buf(&mut self.buffer).await? > 0)
    }

    async fn body(&mut self, length: u64) -> io::Result<Frame> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let at_hand = self.pending().len().min(length);
        // What is claimed is not reserved: a lying length costs no memory.
        let mut body = self.pending()[..at_hand].to_vec();
        self.start += at_hand;
        while body.len() < length {
            let missing = length - body.len();
            body.reserve(missing.min(READ.max(body.len())));
            let read = (&mut self.input).take(missing as u64).read_buf(&mut body).await?;
            if read == 0 {
                return Ok(Frame::Lost("the connection ended inside a message"));
            }
        }
        Ok(Frame::Body(body))
    }

    async fn skip(&mut self, length: u64) -> io::Result<Frame> {
        let mut left = length;
        loop {
            let at_hand = self.pending().len() as u64;
            if at_hand >= left {
                self.start += usize::try_from(left).unwrap_or_default();
                return Ok(Frame::Skipped("the message is over 64 MiB"));
            }
            left -= at_hand;
            self.start = self.buffer.len();
            if !self.fill().await? {
                return Ok(Frame::Lost("the connection ended inside a message over 64 MiB"));
            }
        }
    }

    /// Drops bytes up to the next `Content-Length: <digits>CRLF`, wherever it stands.
    async fn resynchronise(&mut self, reason: &'static str) -> io::Result<Frame> {
        let mut dropped = 0;
        // The place where we are has been tried.
        let mut from = 1;
        loop {
            let pending = self.pending();
            let mut keep = pending.len().saturating_sub(64).max(from);
            for at in memchr::memchr2_iter(b'C', b'c', pending).filter(|at| *at >= from) {
                match header_at(&pending[at..]) {
                    Some(true) => {
                        self.start += at;
                        return Ok(Frame::Garbage(reason));
                    }
                    // The end of what has been read: it may become one.
                    None => {
                        keep = keep.min(at);
                        break;
                    }
                    Some(false) => {}
                }
            }
            let keep = keep.min(pending.len());
            self.start += keep;
            dropped += keep;
            from = 0;
            if dropped > SEARCH_CAP {
                return Ok(Frame::Lost("64 MiB came that are no message"));
            }
            if !self.fill().await? {
                return Ok(Frame::Lost("what came is no message, and the connection ended"));
            }
        }
    }
}

/// Whether a `Content-Length` header with a number starts at `bytes`; `None` where more is needed
/// to tell.
fn header_at(bytes: &[u8]) -> Option<bool> {
    const NAME: &[u8] = b"content-length:";
    let name = &bytes[..bytes.len().min(NAME.len())];
    if !name.eq_ignore_ascii_case(&NAME[..name.len()]) {
        return Some(false);
    }
    if name.len() < NAME.len() {
        return None;
    }
    let rest = &bytes[NAME.len()..];
    let line = match memmem::find(&rest[..rest.len().min(32)], b"\r\n") {
        Some(end) => &rest[..end],
        None if rest.len() < 32 => return None,
        None => return Some(false),
    };
    let digits = line.trim_ascii();
    Some(!digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

fn could_be_header(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|b| b.eq_ignore_ascii_case(&b'c'))
}

fn content_length(header: &[u8]) -> Result<u64, &'static str> {
    let mut length = None;
    for line in header.split(|b| *b == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let Some(colon) = line.iter().position(|b| *b == b':') else {
            return Err("a header line has no colon");
        };
        if !line[..colon].trim_ascii().eq_ignore_ascii_case(b"content-length") {
            continue;
        }
        let value = std::str::from_utf8(line[colon + 1..].trim_ascii())
            .ok()
            .filter(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()))
            .ok_or("its Content-Length is no number")?;
        // A number too long for any machine is over the cap as well.
        let value = value.parse().unwrap_or(u64::MAX);
        if length.is_some_and(|known| known != value) {
            return Err("it has two different Content-Lengths");
        }
        length = Some(value);
    }
    length.ok_or("the header has no Content-Length")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads all of `input`, handed out in pieces of `piece` bytes.
    async fn frames(input: &[u8], piece: usize) -> Vec<Frame> {
        let (mut writer, reader) = tokio::io::duplex(piece);
        let input = input.to_vec();
        tokio::spawn(async move {
            let _ = tokio::io::AsyncWriteExt::write_all(&mut writer, &input).await;
        });
        let mut reader = FrameReader::new(reader);
        let mut frames = Vec::new();
        loop {
            let frame = reader.next().await.unwrap();
            let last = matches!(frame, Frame::End | Frame::Lost(_));
            frames.push(frame);
            if last {
                return frames;
            }
        }
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    fn body(body: &str) -> Frame {
        Frame::Body(body.into())
    }

    #[tokio::test]
    async fn good_frames_pass_in_any_pieces() {
        let input = format!(
            "{}content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\nhi{}",
            frame("one"),
            frame("")
        );
        for piece in [1, 2, 7, 4096] {
            let want = vec![body("one"), body("hi"), body(""), Frame::End];
            assert_eq!(frames(input.as_bytes(), piece).await, want);
        }
    }

    #[tokio::test]
    async fn the_next_frame_is_found_again() {
        for (bad, reason) in [
            ("garbage without an end ", "a header line has no colon"),
            ("Content-Length: x\r\n\r\n", "its Content-Length is no number"),
            ("Content-Length: -1\r\n\r\n", "its Content-Length is no number"),
            ("Other: 1\r\n\r\n", "the header has no Content-Length"),
            ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "it has two different Content-Lengths"),
            ("left over\"}", "a header line has no colon"),
        ] {
            let input = format!("{bad}{}", frame("next"));
            for piece in [1, 5, 4096] {
                let got = frames(input.as_bytes(), piece).await;
                assert_eq!(got.last(), Some(&Frame::End), "{bad:?}");
                assert_eq!(got[got.len() - 2], body("next"), "{bad:?} {got:?}");
                if !bad.starts_with("left") && !bad.starts_with("garbage") {
                    assert_eq!(got[0], Frame::Garbage(reason), "{bad:?}");
                }
            }
        }
    }

    #[tokio::test]
    async fn caps_hold() {
        let long_header = format!("X: {}\r\n\r\n{}", "x".repeat(HEADER_CAP), frame("next"));
        let got = frames(long_header.as_bytes(), 4096).await;
        assert_eq!(got[0], Frame::Garbage("the header is over 8 KiB"));
        assert_eq!(got[1], body("next"));

        let long_body = format!(
            "Content-Length: {}\r\n\r\n{}{}",
            BODY_CAP + 1,
            "x".repeat(usize::try_from(BODY_CAP).unwrap() + 1),
            frame("next")
        );
        let got = frames(long_body.as_bytes(), 1 << 20).await;
        assert_eq!(got, [Frame::Skipped("the message is over 64 MiB"), body("next"), Frame::End]);
    }

    #[tokio::test]
    async fn what_cannot_be_found_again_is_lost() {
        for input in ["Content-Length: 9\r\n\r\nshort", "no frame at all", "Content-Le"] {
            assert!(matches!(frames(input.as_bytes(), 64).await[..], [Frame::Lost(_)]), "{input}");
        }
    }
}
