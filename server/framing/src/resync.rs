//! Reads frames, and finds the next one after malformed input.

use std::io;
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::header::{HeaderError, content_length};
use crate::{MAX_BODY_BYTES, MAX_HEADER_BYTES};

/// Bytes searched for the next frame before the connection is given up.
const MAX_SEARCH_BYTES: usize = 64 << 20;
const READ_CHUNK: usize = 64 << 10;
/// How long to wait for the rest of a body that is already complete JSON but shorter than its header
/// says.
const SHORT_BODY_TIMEOUT: Duration = Duration::from_millis(300);

/// What was read from the connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A body.
    Body(Vec<u8>),
    /// A frame that was skipped, and why.
    Skipped(&'static str),
    /// A header without a valid length, and why.
    BadHeader(HeaderError),
    /// Bytes between frames that are not a header, and why not.
    Garbage(HeaderError),
    /// The end of the input, between frames.
    End,
    /// No further frame can be found, and why.
    Lost(&'static str),
}

/// Reads frames. Any input ends in one of [`Frame`]'s cases.
pub struct FrameReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Bytes of `buffer` already consumed.
    start: usize,
    state: ReaderState,
}

/// The reader's position in the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    /// At the start of a header.
    Header,
    /// In an oversized header, already reported.
    LongHeader,
    /// Before an oversized body of so many bytes, already reported.
    LongBody(u64),
    /// After bytes that are not a header, already reported.
    Garbage,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// A reader at the start of `input`.
    pub fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), start: 0, state: ReaderState::Header }
    }

    /// Reads the next frame. Not cancel safe: a partly read body is lost when the future is dropped.
    ///
    /// # Errors
    /// If reading fails.
    pub async fn next(&mut self) -> io::Result<Frame> {
        match self.state {
            ReaderState::Header => {}
            ReaderState::LongHeader => {
                if let Some(lost) = self.skip_long_header().await? {
                    return Ok(lost);
                }
            }
            ReaderState::LongBody(length) => {
                if let Some(lost) = self.skip(length).await? {
                    return Ok(lost);
                }
            }
            ReaderState::Garbage => {
                if let Some(lost) = self.find_header().await? {
                    return Ok(lost);
                }
            }
        }
        self.state = ReaderState::Header;
        let header_end = loop {
            if let Some(end) = self.header_end(MAX_HEADER_BYTES) {
                break end;
            }
            if self.pending().len() >= MAX_HEADER_BYTES {
                self.state = ReaderState::LongHeader;
                return Ok(Frame::Skipped("the header is over 8 KiB"));
            }
            if !self.fill().await? {
                return Ok(if self.pending().iter().all(u8::is_ascii_whitespace) {
                    Frame::End
                } else {
                    Frame::Lost(
                        "the connection ended inside a header, or in bytes that are not one",
                    )
                });
            }
        };
        match content_length(&self.pending()[..header_end]) {
            Ok(length) => {
                self.start += header_end;
                if length > MAX_BODY_BYTES as u64 {
                    self.state = ReaderState::LongBody(length);
                    return Ok(Frame::Skipped("the message is over 64 MiB"));
                }
                self.read_body(length).await
            }
            Err(reason) => {
                // A header with a bad length is consumed whole. Otherwise the next frame's header may be
                // inside it, so only one byte is consumed.
                self.state = ReaderState::Garbage;
                if matches!(reason, HeaderError::NotANumber | HeaderError::ConflictingLengths) {
                    self.start += header_end;
                    return Ok(Frame::BadHeader(reason));
                }
                self.start += 1;
                Ok(Frame::Garbage(reason))
            }
        }
    }

    /// Skips an oversized header and its body. `Some` if the connection is lost.
    async fn skip_long_header(&mut self) -> io::Result<Option<Frame>> {
        let end = loop {
            match self.header_end(usize::MAX) {
                Some(end) => break end,
                // A header is never this long.
                None if self.pending().len() >= MAX_SEARCH_BYTES / 64 => break 0,
                None => {}
            }
            if !self.fill().await? {
                return Ok(Some(Frame::Lost("the connection ended inside a header over 8 KiB")));
            }
        };
        match content_length(&self.pending()[..end]) {
            Ok(length) => {
                self.start += end;
                self.skip(length).await
            }
            Err(_) => {
                self.start += 1;
                self.find_header().await
            }
        }
    }

    fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// The length of the buffered header block with its blank line, if that is within `cap`.
    fn header_end(&self, cap: usize) -> Option<usize> {
        let head = &self.pending()[..self.pending().len().min(cap)];
        // Some clients write bare line feeds.
        let bare = memmem::find(head, b"\n\n").map(|at| at + 2);
        let proper = memmem::find(head, b"\r\n\r\n").map(|at| at + 4);
        bare.into_iter().chain(proper).min()
    }

    /// Reads more input. False at its end.
    async fn fill(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.reserve(READ_CHUNK);
        Ok(self.input.read_buf(&mut self.buffer).await? > 0)
    }

    /// Reads a body of `length` bytes. A body that ends early is skipped, so that one wrong length does
    /// not desynchronize the stream.
    async fn read_body(&mut self, length: u64) -> io::Result<Frame> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let buffered = self.pending().len().min(length);
        // Memory is not reserved for the claimed length: a false length must cost nothing.
        let mut body = self.pending()[..buffered].to_vec();
        self.start += buffered;
        let (mut json, mut seen) = (JsonScanner::default(), 0);
        while body.len() < length {
            json.scan(&body);
            // JSON never contains a header: line endings in strings are escaped, and no JSON token
            // outside of a string starts with `C`. So a header here means that the length is wrong.
            let next = match search_header(&body[seen..]) {
                HeaderMatch::At(at) => Some(seen + at),
                HeaderMatch::MayStart(at) => {
                    seen += at;
                    json.followed.then_some(json.end)
                }
                HeaderMatch::None => {
                    seen = body.len();
                    json.followed.then_some(json.end)
                }
            };
            if let Some(next) = next {
                return Ok(self.end_short_body(body, next));
            }
            let missing = length - body.len();
            body.reserve(missing.min(READ_CHUNK.max(body.len())));
            let mut input = (&mut self.input).take(missing as u64);
            let more = input.read_buf(&mut body);
            let read = if json.is_whole() {
                match tokio::time::timeout(SHORT_BODY_TIMEOUT, more).await {
                    Ok(read) => read?,
                    Err(_) => return Ok(self.end_short_body(body, json.end)),
                }
            } else {
                more.await?
            };
            if read == 0 {
                return Ok(Frame::Lost("the connection ended inside a message"));
            }
        }
        // The body may end inside the next frame's header.
        if let HeaderMatch::At(next) | HeaderMatch::MayStart(next) = search_header(&body) {
            return Ok(self.end_short_body(body, next));
        }
        Ok(Frame::Body(body))
    }

    /// Ends a body that is shorter than its length. Input from `next` on becomes the next frame.
    fn end_short_body(&mut self, mut body: Vec<u8>, next: usize) -> Frame {
        let mut rest = body.split_off(next);
        rest.extend_from_slice(self.pending());
        (self.buffer, self.start) = (rest, 0);
        Frame::Skipped("the message is shorter than its Content-Length")
    }

    /// Skips `length` bytes, or fewer if a header is among them: JSON contains none, so the length is
    /// wrong. `Some` if the connection is lost.
    async fn skip(&mut self, length: u64) -> io::Result<Option<Frame>> {
        let mut left = length;
        loop {
            let pending = self.pending();
            let claimed = usize::try_from(left).unwrap_or(usize::MAX).min(pending.len());
            let done = match search_header(&pending[..claimed]) {
                HeaderMatch::At(at) => {
                    self.start += at;
                    return Ok(None);
                }
                // A possible header start is kept until more input arrives.
                HeaderMatch::MayStart(at) if (claimed as u64) < left => at,
                HeaderMatch::MayStart(_) | HeaderMatch::None => claimed,
            };
            self.start += done;
            left -= done as u64;
            if left == 0 {
                return Ok(None);
            }
            if !self.fill().await? {
                return Ok(Some(Frame::Lost("the connection ended inside a message over 64 MiB")));
            }
        }
    }

    /// Drops bytes up to the next `Content-Length: <digits>CRLF`. `Some` if there is none.
    async fn find_header(&mut self) -> io::Result<Option<Frame>> {
        let mut dropped = 0;
        loop {
            let keep = match search_header(self.pending()) {
                HeaderMatch::At(at) => {
                    self.start += at;
                    return Ok(None);
                }
                HeaderMatch::MayStart(at) => at,
                HeaderMatch::None => self.pending().len(),
            };
            self.start += keep;
            dropped += keep;
            if dropped > MAX_SEARCH_BYTES {
                return Ok(Some(Frame::Lost("64 MiB of input without a message")));
            }
            if !self.fill().await? {
                return Ok(Some(Frame::Lost(
                    "the input is not a message, and the connection ended",
                )));
            }
        }
    }
}

/// The position of the first `Content-Length` header with a number.
enum HeaderMatch {
    At(usize),
    /// The input ends in a possible header.
    MayStart(usize),
    None,
}

fn search_header(bytes: &[u8]) -> HeaderMatch {
    for at in memchr::memchr2_iter(b'C', b'c', bytes) {
        match header_at(&bytes[at..]) {
            Some(true) => return HeaderMatch::At(at),
            None => return HeaderMatch::MayStart(at),
            Some(false) => {}
        }
    }
    HeaderMatch::None
}

/// Finds the end of the JSON object or array that a body starts with. Scalars have no recognizable
/// end.
#[derive(Default)]
struct JsonScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Bytes scanned.
    read: usize,
    /// Length of the value; 0 until it is complete.
    end: usize,
    /// Whether the value is followed by anything but whitespace.
    followed: bool,
}

impl JsonScanner {
    fn is_whole(&self) -> bool {
        self.end > 0
    }

    /// Scans the part of `body` that is new since the last call.
    fn scan(&mut self, body: &[u8]) {
        for &byte in &body[self.read..] {
            self.read += 1;
            if self.end > 0 {
                self.followed |= !byte.is_ascii_whitespace();
            } else if self.in_string {
                self.in_string = self.escaped || byte != b'"';
                self.escaped = !self.escaped && byte == b'\\';
            } else {
                match byte {
                    b'{' | b'[' => self.depth += 1,
                    _ if self.depth == 0 => {}
                    b'"' => self.in_string = true,
                    b'}' | b']' => {
                        self.depth -= 1;
                        self.end = if self.depth == 0 { self.read } else { 0 };
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether `bytes` starts with a `Content-Length` header with a number. `None` if more input is needed.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads all of `input`, delivered in pieces of `piece` bytes.
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
    async fn valid_frames_are_read_in_pieces_of_any_size() {
        let input = format!(
            "{}content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\nhiContent-Length: 2\n\nho{}",
            frame("one"),
            frame("")
        );
        for piece in [1, 2, 7, 4096] {
            let want = vec![body("one"), body("hi"), body("ho"), body(""), Frame::End];
            assert_eq!(frames(input.as_bytes(), piece).await, want);
        }
    }

    #[tokio::test]
    async fn the_reader_resynchronizes_on_the_next_frame() {
        for (bad, reason) in [
            ("garbage without an end ", "a header line has no colon"),
            ("Content-Length: x\r\n\r\n", "Content-Length is not a number"),
            ("Content-Length: -1\r\n\r\n", "Content-Length is not a number"),
            ("Other: 1\r\n\r\n", "the header has no Content-Length"),
            ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "two different Content-Lengths"),
            ("left over\"}", "a header line has no colon"),
        ] {
            let input = format!("{bad}{}", frame("next"));
            for piece in [1, 5, 4096] {
                let got = frames(input.as_bytes(), piece).await;
                assert_eq!(got.last(), Some(&Frame::End), "{bad:?}");
                assert_eq!(got[got.len() - 2], body("next"), "{bad:?} {got:?}");
                if bad.ends_with("\r\n\r\n") {
                    let reported = matches!(got[0], Frame::BadHeader(r) | Frame::Garbage(r) if r.to_string() == reason);
                    assert!(reported, "{bad:?} {got:?}");
                }
            }
        }
    }

    #[tokio::test]
    async fn oversized_headers_and_bodies_are_skipped() {
        let long_header = format!("X: {}\r\n\r\n{}", "x".repeat(MAX_HEADER_BYTES), frame("next"));
        let got = frames(long_header.as_bytes(), 4096).await;
        let skipped = Frame::Skipped("the header is over 8 KiB");
        assert_eq!(got, [skipped, body("next"), Frame::End]);

        let with_body = format!(
            "X: {}\r\nContent-Length: 4\r\n\r\nbody{}",
            "x".repeat(MAX_HEADER_BYTES),
            frame("next")
        );
        assert_eq!(frames(with_body.as_bytes(), 4096).await, got);

        let long_body = format!(
            "Content-Length: {}\r\n\r\n{}{}",
            MAX_BODY_BYTES + 1,
            "x".repeat(MAX_BODY_BYTES + 1),
            frame("next")
        );
        let want = [Frame::Skipped("the message is over 64 MiB"), body("next"), Frame::End];
        assert_eq!(frames(long_body.as_bytes(), 1 << 20).await, want);

        let lie = format!("Content-Length: {}\r\n\r\n{{}}{}", MAX_BODY_BYTES + 1, frame("next"));
        for piece in [1, 7, 4096] {
            assert_eq!(frames(lie.as_bytes(), piece).await, want);
        }
    }

    #[tokio::test]
    async fn a_body_shorter_than_its_length_does_not_swallow_the_next_frame() {
        let short = Frame::Skipped("the message is shorter than its Content-Length");
        for lie in [r#"{"a": "}{\" Content-Length: 1"}"#, r#"{"cut": ["#, "[]  ", "no JSON"] {
            let input =
                format!("Content-Length: 900\r\n\r\n{lie}{}{}", frame("next"), frame("last"));
            for piece in [1, 7, 4096] {
                let got = frames(input.as_bytes(), piece).await;
                assert_eq!(got.first(), Some(&short), "{lie}");
                assert_eq!(got[got.len() - 3..], [body("next"), body("last"), Frame::End], "{lie}");
            }
        }
    }

    #[tokio::test]
    async fn a_length_that_reaches_into_the_next_frame_does_not_consume_it() {
        for more in 1..40 {
            let lie = r#"{"id": 1}"#;
            let head = format!("Content-Length: {}\r\n\r\n{lie}", lie.len() + more);
            let input = format!("{head}{}{}", frame(r#"{"id": 22222222}"#), frame("{}"));
            for piece in [1, 7, 4096] {
                let got = frames(input.as_bytes(), piece).await;
                assert_eq!(got[got.len() - 2..], [body("{}"), Frame::End], "{more} {got:?}");
                assert!(got.contains(&body(r#"{"id": 22222222}"#)), "{more} {piece} {got:?}");
            }
        }
    }

    #[tokio::test]
    async fn a_body_shorter_than_its_length_is_reported_while_the_client_waits() {
        let (mut writer, reader) = tokio::io::duplex(4096);
        let mut reader = FrameReader::new(reader);
        let write = tokio::io::AsyncWriteExt::write_all;
        write(&mut writer, b"Content-Length: 90\r\n\r\n{\"id\": 1}").await.unwrap();
        let short = Frame::Skipped("the message is shorter than its Content-Length");
        assert_eq!(reader.next().await.unwrap(), short);
        write(&mut writer, frame("next").as_bytes()).await.unwrap();
        assert_eq!(reader.next().await.unwrap(), body("next"));
    }

    #[tokio::test]
    async fn input_without_a_further_frame_is_lost() {
        for input in ["Content-Length: 9\r\n\r\nshort", "no frame at all", "Content-Le"] {
            assert!(matches!(frames(input.as_bytes(), 64).await[..], [Frame::Lost(_)]), "{input}");
        }
    }
}
