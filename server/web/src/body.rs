//! Reads a response's body: bounded in size, decompressed within a ratio, decoded to text.

use std::io::Write;

use brotli_decompressor::DecompressorWriter;
use encoding_rs::Encoding;
use flate2::write::MultiGzDecoder;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};

use crate::failure::Failure;
use crate::limits::{ALWAYS_DECOMPRESSED_BYTES, MAX_DECOMPRESSION_RATIO};

/// A body as it arrives.
pub(crate) struct BodyReader {
    decoder: Decoder,
    received: usize,
}

enum Decoder {
    Plain(Sink),
    Gzip(Box<MultiGzDecoder<Sink>>),
    Brotli(Box<DecompressorWriter<Sink>>),
}

/// Output that brotli's decoder collects before it passes it on, in bytes. Its window is 16 MB at most.
const BROTLI_BUFFER: usize = 16 << 10;

/// Bytes, up to a limit.
struct Sink {
    bytes: Vec<u8>,
    limit: usize,
    /// The decompressed size at which the ratio is exceeded.
    allowed: usize,
    is_full: bool,
    is_bomb: bool,
}

impl Sink {
    /// One that takes nothing.
    const FULL: Self =
        Self { bytes: Vec::new(), limit: 0, allowed: 0, is_full: true, is_bomb: false };
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.is_bomb = self.bytes.len() + bytes.len() > self.allowed;
        if self.is_bomb {
            return Err(std::io::Error::other("decompression bomb"));
        }
        let room = self.limit - self.bytes.len();
        if bytes.len() > room {
            self.bytes.extend_from_slice(&bytes[..room]);
            self.is_full = true;
            return Err(std::io::Error::other("too large"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl BodyReader {
    /// A reader that keeps at most `limit` bytes of a body with these headers.
    pub(crate) fn new(headers: &HeaderMap, limit: usize) -> Self {
        let sink =
            Sink { bytes: Vec::new(), limit, allowed: usize::MAX, is_full: false, is_bomb: false };
        let coding = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        let decoder = match coding.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Decoder::Gzip(Box::new(MultiGzDecoder::new(sink))),
            "br" => Decoder::Brotli(Box::new(DecompressorWriter::new(sink, BROTLI_BUFFER))),
            _ => Decoder::Plain(sink),
        };
        Self { decoder, received: 0 }
    }

    /// Bytes received so far, before decompression.
    pub(crate) fn received(&self) -> usize {
        self.received
    }

    /// What has been read so far, decompressed.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.decoder {
            Decoder::Plain(sink) => &sink.bytes,
            Decoder::Gzip(decoder) => &decoder.get_ref().bytes,
            Decoder::Brotli(decoder) => &decoder.get_ref().bytes,
        }
    }

    /// Takes the next bytes. False if the limit is reached and the rest should not be read.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        self.received += bytes.len();
        let allowed = self.received.saturating_mul(MAX_DECOMPRESSION_RATIO);
        match &mut self.decoder {
            // Only fails when full.
            Decoder::Plain(sink) => Ok(sink.write_all(bytes).is_ok()),
            Decoder::Gzip(decoder) => {
                decoder.get_mut().allowed = allowed.max(ALWAYS_DECOMPRESSED_BYTES);
                let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
                outcome(decoder.get_ref(), written)
            }
            Decoder::Brotli(decoder) => {
                decoder.get_mut().allowed = allowed.max(ALWAYS_DECOMPRESSED_BYTES);
                let written = decoder.write_all(bytes);
                outcome(decoder.get_ref(), written)
            }
        }
    }

    /// The whole body, and whether it is longer than the limit.
    pub(crate) fn finish(self) -> Result<(Vec<u8>, bool), Failure> {
        match self.decoder {
            Decoder::Plain(sink) => Ok((sink.bytes, sink.is_full)),
            Decoder::Gzip(mut decoder) => {
                // What ends before its end is kept as far as it came: the result says that it is cut.
                if self.received > 0 && !decoder.get_ref().is_full {
                    let finished = decoder.try_finish();
                    outcome(decoder.get_ref(), finished)?;
                }
                let sink = std::mem::replace(decoder.get_mut(), Sink::FULL);
                Ok((sink.bytes, sink.is_full))
            }
            Decoder::Brotli(mut decoder) => {
                if self.received > 0 && !decoder.get_ref().is_full {
                    let finished = decoder.close();
                    outcome(decoder.get_ref(), finished)?;
                }
                let sink = std::mem::replace(decoder.get_mut(), Sink::FULL);
                Ok((sink.bytes, sink.is_full))
            }
        }
    }

    /// The part of a body that broke off.
    pub(crate) fn part(self) -> Vec<u8> {
        match self.decoder {
            Decoder::Plain(sink) => sink.bytes,
            Decoder::Gzip(decoder) => decoder.get_ref().bytes.clone(),
            Decoder::Brotli(decoder) => decoder.get_ref().bytes.clone(),
        }
    }
}

fn outcome(sink: &Sink, written: std::io::Result<()>) -> Result<bool, Failure> {
    match written {
        _ if sink.is_bomb => Err(Failure::Bomb),
        _ if sink.is_full => Ok(false),
        Ok(()) => Ok(true),
        Err(error) => Err(Failure::Compression(error.to_string())),
    }
}

/// The text of a body; `None` if it is not text.
pub(crate) fn text(headers: &HeaderMap, bytes: &[u8]) -> Option<String> {
    let kind = content_type(headers);
    let charset = kind.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    let named = charset.and_then(|charset| Encoding::for_label(charset.as_bytes()));
    let (encoding, skipped) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (encoding, length),
        None => (named.unwrap_or(encoding_rs::UTF_8), 0),
    };
    let (text, had_errors) = encoding.decode_without_bom_handling(&bytes[skipped..]);
    // A cut in the last character is no error of the body.
    let is_text = if had_errors { is_nearly_text(&text, bytes) } else { true };
    (is_text && !text.contains('\0')).then(|| text.into_owned())
}

/// Whether a text with replacement characters is still text: a few bytes in another encoding.
fn is_nearly_text(text: &str, bytes: &[u8]) -> bool {
    const MAX_REPLACED_SHARE: usize = 100;
    let replaced = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    replaced <= 1 + bytes.len() / MAX_REPLACED_SHARE
}

/// The content type as sent, or nothing.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Whether the body is HTML, by its headers.
pub(crate) fn is_html(headers: &HeaderMap) -> bool {
    let kind = content_type(headers).split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("application/xhtml+xml")
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn headers(name: http::HeaderName, value: &'static str) -> HeaderMap {
        [(name, http::HeaderValue::from_static(value))].into_iter().collect()
    }

    fn read(compressed: &[u8], limit: usize, chunk: usize) -> Result<(Vec<u8>, bool), Failure> {
        read_coded("gzip", compressed, limit, chunk)
    }

    fn read_coded(
        coding: &'static str,
        compressed: &[u8],
        limit: usize,
        chunk: usize,
    ) -> Result<(Vec<u8>, bool), Failure> {
        let mut reader = BodyReader::new(&headers(CONTENT_ENCODING, coding), limit);
        for part in compressed.chunks(chunk) {
            if !reader.push(part)? {
                break;
            }
        }
        reader.finish()
    }

    #[test]
    fn bodies_are_decompressed_within_limits() {
        let text = "some text that is not too repetitive, 1 2 3 4 5\n".repeat(20);
        for chunk in [1, 7, 10_000] {
            let (bytes, is_cut) = read(&gzip(text.as_bytes()), 10_000, chunk).unwrap();
            assert!(bytes == text.as_bytes() && !is_cut);
            let (bytes, is_cut) = read(&gzip(text.as_bytes()), 100, chunk).unwrap();
            assert!(bytes == text.as_bytes()[..100] && is_cut);
        }
        let zeros = gzip(&vec![0; 100 << 20]);
        assert!(matches!(read(&zeros, 64 << 20, 4096), Err(Failure::Bomb)));
        assert!(read(&gzip(&vec![0; 1 << 20]), 8 << 20, 4096).is_ok());
        assert!(matches!(read(b"no gzip at all", 100, 5), Err(Failure::Compression(_))));
        let whole = gzip(text.as_bytes());
        assert!(read(&whole[..whole.len() - 9], 10_000, 50).is_err(), "the end is missing");
        assert_eq!(read(b"", 100, 1).unwrap(), (Vec::new(), false));
    }

    /// Bytes in hexadecimal, as Node's `zlib.brotliCompressSync` made them.
    fn bytes(hex: &str) -> Vec<u8> {
        let digits = hex.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap());
        digits.map(|two| u8::from_str_radix(two, 16).unwrap()).collect()
    }

    #[test]
    fn brotli_is_decompressed_within_limits() {
        let text = "some text that is not too repetitive, 1 2 3 4 5\n".repeat(20);
        let compressed = bytes(
            "1bbf03f88dd462adb137a46e4b75f497abc6b8f020131d62298054411dd60f49e16a11e63762c0506a0987\
             9b2ed763cc6d3f4e00",
        );
        for chunk in [1, 7, 10_000] {
            let (read, is_cut) = read_coded("br", &compressed, 10_000, chunk).unwrap();
            assert!(read == text.as_bytes() && !is_cut, "{chunk}");
            let (read, is_cut) = read_coded("BR", &compressed, 100, chunk).unwrap();
            assert!(read == text.as_bytes()[..100] && is_cut, "{chunk}");
        }
        // A hundred megabytes of zeros.
        let bomb = bytes(
            "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffff\
             c13f0110870500baf77ffcffff837f02200e0b0074effff8ffff07ff04401c1600e8defff1ffff0ffe0980\
             382c00d0bdffe3ffff1ffc1300715800a07bffc7ffff3ff82700e2b00040f7fe8fffff7ff04f00c4610180\
             eefd1fffffffe09f0088c30200ddfb3ffeffffc13f0110870500baf77ff9ffff837f02200e0b0074ef7f00",
        );
        let limits = [(64 << 20, 4096), (64 << 20, 1)];
        for (limit, chunk) in limits {
            assert!(matches!(read_coded("br", &bomb, limit, chunk), Err(Failure::Bomb)), "{chunk}");
        }
        let no_brotli = read_coded("br", b"\xff no brotli at all", 100, 5);
        assert!(matches!(no_brotli, Err(Failure::Compression(_))), "{no_brotli:?}");
        let cut = &compressed[..compressed.len() - 9];
        assert!(read_coded("br", cut, 10_000, 50).is_err(), "the end is missing");
        assert_eq!(read_coded("br", b"", 100, 1).unwrap(), (Vec::new(), false));
    }

    #[test]
    fn text_is_decoded_by_its_charset() {
        let kind = |value| headers(CONTENT_TYPE, value);
        let decode = |value, bytes: &[u8]| text(&kind(value), bytes);
        assert_eq!(decode("text/plain", "\u{e9}".as_bytes()).unwrap(), "\u{e9}");
        assert_eq!(decode("text/plain; charset=iso-8859-1", b"\xe9").unwrap(), "\u{e9}");
        assert_eq!(decode("text/plain; Charset=\"UTF-8\"", b"\xef\xbb\xbfa").unwrap(), "a");
        assert_eq!(decode("text/plain", b"\xff\xfea\0b\0").unwrap(), "ab");
        assert_eq!(decode("application/json", b"{}").unwrap(), "{}");
        assert_eq!(decode("image/png", b"\x89PNG\r\n\x1a\n\0\0"), None);
        assert_eq!(decode("text/plain", &[0xfe; 400]), None);
        assert!(is_html(&kind("Text/HTML; charset=x")) && !is_html(&kind("text/plain")));
    }
}
