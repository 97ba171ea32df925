//! Frames: `Content-Length` headers and bodies, with caps.

use std::io;
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Longest header block.
pub const HEADER_CAP: usize = 8 << 10;
/// Longest body. A longer one is skipped unread.
pub const BODY_CAP: u64 = 64 << 20;
/// How much is searched for the next frame before the connection is given up.
const SEARCH_CAP: usize = 64 << 20;
const READ: usize = 64 << 10;
/// How long more is waited for behind a whole JSON text that is shorter than its header says.
const PATIENCE: Duration = Duration::from_millis(300);

/// What came off the wire.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A body.
    Body(Vec<u8>),
    /// A frame that was skipped, and why.
    Skipped(&'static str),
    /// A header that gives no length, and why.
    BadHeader(&'static str),
    /// Bytes between frames that are no header, and why they are not.
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
    place: Place,
}

/// Where in the stream the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start of a header.
    Header,
    /// In a header that is over the cap, which has been told.
    LongHeader,
    /// Before so many bytes of a body that is over the cap, which has been told.
    LongBody(u64),
    /// Behind bytes that are no header, which has been told.
    Garbage,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), start: 0, place: Place::Header }
    }

    /// The next frame. Must not be dropped half-way: the bytes read so far stay in `self`, but the
    /// part of a body that is being read does not.
    pub(crate) async fn next(&mut self) -> io::Result<Frame> {
        match self.place {
            Place::Header => {}
            Place::LongHeader => {
                if let Some(lost) = self.skip_long_header().await? {
                    return Ok(lost);
                }
            }
            Place::LongBody(length) => {
                if let Some(lost) = self.skip(length).await? {
                    return Ok(lost);
                }
            }
            Place::Garbage => {
                if let Some(lost) = self.find_header().await? {
                    return Ok(lost);
                }
            }
        }
        self.place = Place::Header;
        let header_end = loop {
            if let Some(end) = self.header_end(HEADER_CAP) {
                break end;
            }
            if self.pending().len() >= HEADER_CAP {
                self.place = Place::LongHeader;
                return Ok(Frame::Skipped("the header is over 8 KiB"));
            }
            if !self.fill().await? {
                return Ok(if self.pending().iter().all(u8::is_ascii_whitespace) {
                    Frame::End
                } else {
                    Frame::Lost("the connection ended inside a header, or in what is none")
                });
            }
        };
        match content_length(&self.pending()[..header_end]) {
            Ok(length) => {
                self.start += header_end;
                if length > BODY_CAP {
                    self.place = Place::LongBody(length);
                    return Ok(Frame::Skipped("the message is over 64 MiB"));
                }
                self.body(length).await
            }
            Err(reason) => {
                // A header with a bad length is done with; in anything else, the next frame's
                // header may be hidden.
                self.place = Place::Garbage;
                if matches!(reason, NO_NUMBER | TWO_LENGTHS) {
                    self.start += header_end;
                    return Ok(Frame::BadHeader(reason));
                }
                self.start += 1;
                Ok(Frame::Garbage(reason))
            }
        }
    }

    /// Skips a header that is over the cap, and its body. `Some` where the connection is lost.
    async fn skip_long_header(&mut self) -> io::Result<Option<Frame>> {
        let end = loop {
            match self.header_end(usize::MAX) {
                Some(end) => break end,
                // So long a header is none.
                None if self.pending().len() >= SEARCH_CAP / 64 => break 0,
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

    /// The length of the header block at hand, its blank line included, if it is within `cap`.
    fn header_end(&self, cap: usize) -> Option<usize> {
        let head = &self.pending()[..self.pending().len().min(cap)];
        // Some clients write bare line feeds.
        let bare = memmem::find(head, b"\n\n").map(|at| at + 2);
        let proper = memmem::find(head, b"\r\n\r\n").map(|at| at + 4);
        bare.into_iter().chain(proper).min()
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
        let (mut json, mut seen) = (JsonEnd::default(), 0);
        while body.len() < length {
            json.follow(&body);
            // No JSON text holds a header: a line's end is escaped in a string, and a `C` stands
            // nowhere else.
            let next = match search_header(&body[seen..]) {
                Header::At(at) => Some(seen + at),
                Header::MayStart(at) => {
                    seen += at;
                    json.followed.then_some(json.end)
                }
                Header::None => {
                    seen = body.len();
                    json.followed.then_some(json.end)
                }
            };
            if let Some(next) = next {
                return Ok(self.too_long(body, next));
            }
            let missing = length - body.len();
            body.reserve(missing.min(READ.max(body.len())));
            let mut input = (&mut self.input).take(missing as u64);
            let more = input.read_buf(&mut body);
            let read = if json.is_whole() {
                match tokio::time::timeout(PATIENCE, more).await {
                    Ok(read) => read?,
                    Err(_) => return Ok(self.too_long(body, json.end)),
                }
            } else {
                more.await?
            };
            if read == 0 {
                return Ok(Frame::Lost("the connection ended inside a message"));
            }
        }
        // The whole length is there; it may reach into the next frame.
        if let Header::At(next) | Header::MayStart(next) = search_header(&body) {
            return Ok(self.too_long(body, next));
        }
        Ok(Frame::Body(body))
    }

    /// Ends a message whose header claims more than there is; what follows from `next` on is read
    /// as the next frame.
    fn too_long(&mut self, mut body: Vec<u8>, next: usize) -> Frame {
        let mut rest = body.split_off(next);
        rest.extend_from_slice(self.pending());
        (self.buffer, self.start) = (rest, 0);
        Frame::Skipped("the message is shorter than its Content-Length")
    }

    /// Skips so many bytes, or fewer where the next header stands among them: JSON holds none, so
    /// the length is a lie. `Some` where the connection is lost.
    async fn skip(&mut self, length: u64) -> io::Result<Option<Frame>> {
        let mut left = length;
        loop {
            let pending = self.pending();
            let claimed = usize::try_from(left).unwrap_or(usize::MAX).min(pending.len());
            let done = match search_header(&pending[..claimed]) {
                Header::At(at) => {
                    self.start += at;
                    return Ok(None);
                }
                // Kept until more has come, unless it ends where the length does.
                Header::MayStart(at) if (claimed as u64) < left => at,
                Header::MayStart(_) | Header::None => claimed,
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

    /// Drops bytes up to the next `Content-Length: <digits>CRLF`, wherever it stands. `Some` where
    /// there is none.
    async fn find_header(&mut self) -> io::Result<Option<Frame>> {
        let mut dropped = 0;
        loop {
            let keep = match search_header(self.pending()) {
                Header::At(at) => {
                    self.start += at;
                    return Ok(None);
                }
                Header::MayStart(at) => at,
                Header::None => self.pending().len(),
            };
            self.start += keep;
            dropped += keep;
            if dropped > SEARCH_CAP {
                return Ok(Some(Frame::Lost("64 MiB came that are no message")));
            }
            if !self.fill().await? {
                return Ok(Some(Frame::Lost("what came is no message, and the connection ended")));
            }
        }
    }
}

/// Where the first `Content-Length` header with a number stands.
enum Header {
    At(usize),
    /// What has been read ends in what may become one.
    MayStart(usize),
    None,
}

fn search_header(bytes: &[u8]) -> Header {
    for at in memchr::memchr2_iter(b'C', b'c', bytes) {
        match header_at(&bytes[at..]) {
            Some(true) => return Header::At(at),
            None => return Header::MayStart(at),
            Some(false) => {}
        }
    }
    Header::None
}

/// Finds where the JSON object or array that a body begins with ends. Values of other kinds have no
/// end that can be seen.
#[derive(Default)]
struct JsonEnd {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Bytes read.
    read: usize,
    /// Bytes up to the end of the value; 0 before it.
    end: usize,
    /// Whether something stands behind the value: it was not the whole body.
    followed: bool,
}

impl JsonEnd {
    fn is_whole(&self) -> bool {
        self.end > 0
    }

    /// Reads what `body` has more than at the last call.
    fn follow(&mut self, body: &[u8]) {
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

const NO_NUMBER: &str = "its Content-Length is no number";
const TWO_LENGTHS: &str = "it has two different Content-Lengths";

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
            .and_then(|v| v.parse().ok())
            .ok_or(NO_NUMBER)?;
        if length.is_some_and(|known| known != value) {
            return Err(TWO_LENGTHS);
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
    async fn the_next_frame_is_found_again() {
        for (bad, reason) in [
            ("garbage without an end ", "a header line has no colon"),
            ("Content-Length: x\r\n\r\n", "its Content-Length is no number"),
            ("Content-Length: -1\r\n\r\n", "its Content-Length is no number"),
            ("Other: 1\r\n\r\n", "the header has no Content-Length"),
            (
                "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "it has two different Content-Lengths",
            ),
            ("left over\"}", "a header line has no colon"),
        ] {
            let input = format!("{bad}{}", frame("next"));
            for piece in [1, 5, 4096] {
                let got = frames(input.as_bytes(), piece).await;
                assert_eq!(got.last(), Some(&Frame::End), "{bad:?}");
                assert_eq!(got[got.len() - 2], body("next"), "{bad:?} {got:?}");
                if bad.ends_with("\r\n\r\n") {
                    let told =
                        matches!(got[0], Frame::BadHeader(r) | Frame::Garbage(r) if r == reason);
                    assert!(told, "{bad:?} {got:?}");
                }
            }
        }
    }

    #[tokio::test]
    async fn caps_hold() {
        let long_header = format!("X: {}\r\n\r\n{}", "x".repeat(HEADER_CAP), frame("next"));
        let got = frames(long_header.as_bytes(), 4096).await;
        let skipped = Frame::Skipped("the header is over 8 KiB");
        assert_eq!(got, [skipped, body("next"), Frame::End]);

        let with_body = format!(
            "X: {}\r\nContent-Length: 4\r\n\r\nbody{}",
            "x".repeat(HEADER_CAP),
            frame("next")
        );
        assert_eq!(frames(with_body.as_bytes(), 4096).await, got);

        let long_body = format!(
            "Content-Length: {}\r\n\r\n{}{}",
            BODY_CAP + 1,
            "x".repeat(usize::try_from(BODY_CAP).unwrap() + 1),
            frame("next")
        );
        let want = [Frame::Skipped("the message is over 64 MiB"), body("next"), Frame::End];
        assert_eq!(frames(long_body.as_bytes(), 1 << 20).await, want);

        let lie = format!("Content-Length: {}\r\n\r\n{{}}{}", BODY_CAP + 1, frame("next"));
        for piece in [1, 7, 4096] {
            assert_eq!(frames(lie.as_bytes(), piece).await, want);
        }
    }

    #[tokio::test]
    async fn a_message_shorter_than_its_length_swallows_nothing() {
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
    async fn a_length_that_ends_in_the_next_frame_swallows_no_part_of_it() {
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
    async fn a_message_shorter_than_its_length_is_answered_while_the_client_waits() {
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
    async fn what_cannot_be_found_again_is_lost() {
        for input in ["Content-Length: 9\r\n\r\nshort", "no frame at all", "Content-Le"] {
            assert!(matches!(frames(input.as_bytes(), 64).await[..], [Frame::Lost(_)]), "{input}");
        }
    }
}
