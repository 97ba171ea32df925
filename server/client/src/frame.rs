//! The base protocol: `Content-Length` headers around UTF-8 JSON bodies.

use std::io::{self, BufRead, Read};

/// The largest body accepted from a server, in bytes.
pub const MAX_BODY_BYTES: usize = 64 << 20;
/// The largest header accepted from a server, in bytes.
pub const MAX_HEADER_BYTES: usize = 8 << 10;

/// Encodes `body` as one frame.
pub fn encode_frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// Reads the body of the next frame. `None` at the end of the stream, between frames.
///
/// # Errors
/// If a header or body is too long, has no length, or is cut off, or if reading fails. The stream is out
/// of sync afterwards and must not be read further.
pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = read_header(reader)? else { return Ok(None) };
    if length > MAX_BODY_BYTES {
        return Err(invalid_frame(format!(
            "a body of {length} bytes; the limit is {MAX_BODY_BYTES}"
        )));
    }
    // The length is not trusted: memory is allocated as bytes arrive.
    let mut body = Vec::with_capacity(length.min(64 << 10));
    reader.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(invalid_frame(format!("the stream ended {} bytes into {length}", body.len())));
    }
    Ok(Some(body))
}

fn read_header(reader: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    let mut left = MAX_HEADER_BYTES;
    loop {
        let mut line = Vec::new();
        let read = reader.by_ref().take(left as u64).read_until(b'\n', &mut line)?;
        if read == 0 && left == MAX_HEADER_BYTES {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            let why = if read == left { "a header over 8 KiB" } else { "a header cut off" };
            return Err(invalid_frame(why.to_owned()));
        }
        left -= read;
        let line = line.trim_ascii();
        if line.is_empty() {
            return match length {
                Some(length) => Ok(Some(length)),
                None => Err(invalid_frame("a header without Content-Length".to_owned())),
            };
        }
        let Some(colon) = line.iter().position(|&byte| byte == b':') else {
            return Err(invalid_frame(format!(
                "a header line {:?}",
                String::from_utf8_lossy(line)
            )));
        };
        if line[..colon].eq_ignore_ascii_case(b"content-length") {
            let value = String::from_utf8_lossy(line[colon + 1..].trim_ascii()).into_owned();
            let parsed =
                value.parse().map_err(|_| invalid_frame(format!("a length of {value:?}")))?;
            length = Some(parsed);
        }
    }
}

fn invalid_frame(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut bytes: &[u8]) -> Vec<Result<String, String>> {
        let mut frames = Vec::new();
        loop {
            match read(&mut bytes) {
                Ok(None) => return frames,
                Ok(Some(body)) => frames.push(Ok(String::from_utf8(body).unwrap())),
                Err(error) => {
                    frames.push(Err(error.to_string()));
                    return frames;
                }
            }
        }
    }

    #[test]
    fn encoded_frames_are_read_back() {
        let stream =
            [encode_frame(b"{}"), encode_frame("\"\u{e9}\"".as_bytes()), encode_frame(b"")]
                .concat();
        assert_eq!(read_all(&stream), [Ok("{}".into()), Ok("\"\u{e9}\"".into()), Ok("".into())]);
    }

    #[test]
    fn other_headers_any_case_and_bare_newlines_are_accepted() {
        let stream = b"Content-Type: x\r\ncontent-LENGTH:2\n\n{}";
        assert_eq!(read_all(stream), [Ok("{}".into())]);
    }

    #[test]
    fn malformed_frames_are_rejected() {
        for (stream, why) in [
            (&b"Content-Length: 9\r\n\r\n{}"[..], "the stream ended 2 bytes into 9"),
            (b"Content-Length: -1\r\n\r\n{}", "a length of \"-1\""),
            (b"Content-Length: 99999999999999999999999\r\n\r\n", "a length of"),
            (b"Content-Length: 99999999999\r\n\r\n", "a body of 99999999999 bytes"),
            (b"X: y\r\n\r\n", "a header without Content-Length"),
            (b"garbage\r\n\r\n", "a header line \"garbage\""),
            (b"Content-Len", "a header cut off"),
            (b"\r\n\r\n", "a header without Content-Length"),
            (&[b'a'; MAX_HEADER_BYTES + 1][..], "a header over 8 KiB"),
        ] {
            let frames = read_all(stream);
            let [Err(error)] = &frames[..] else { panic!("{stream:?} gave {frames:?}") };
            assert!(error.contains(why), "{error:?} lacks {why:?}");
        }
    }
}
