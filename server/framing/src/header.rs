//! The lines of a header.

use thiserror::Error;

/// Why a header gives no length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// A line is not a field.
    #[error("a header line has no colon")]
    NoColon,
    /// The length is negative, too large or no number.
    #[error("Content-Length is not a number")]
    NotANumber,
    /// The lengths differ.
    #[error("two different Content-Lengths")]
    ConflictingLengths,
    /// There is no length.
    #[error("the header has no Content-Length")]
    NoLength,
}

/// Takes a header line by line. Clients differ in case, blanks and line ends, and send other fields.
#[derive(Debug, Default)]
pub(crate) struct HeaderParser {
    length: Option<u64>,
}

impl HeaderParser {
    /// Parses a line, with or without its end, and returns its field's name.
    pub(crate) fn line<'a>(&mut self, line: &'a [u8]) -> Result<&'a [u8], HeaderError> {
        let colon = line.iter().position(|byte| *byte == b':').ok_or(HeaderError::NoColon)?;
        let name = line[..colon].trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            // `parse` accepts a sign.
            let value = std::str::from_utf8(line[colon + 1..].trim_ascii())
                .ok()
                .filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|value| value.parse().ok())
                .ok_or(HeaderError::NotANumber)?;
            if self.length.is_some_and(|known| known != value) {
                return Err(HeaderError::ConflictingLengths);
            }
            self.length = Some(value);
        }
        Ok(name)
    }

    /// The body's length, after the last line.
    pub(crate) fn finish(self) -> Result<u64, HeaderError> {
        self.length.ok_or(HeaderError::NoLength)
    }
}

/// Parses a whole header.
#[cfg(feature = "async")]
pub(crate) fn content_length(header: &[u8]) -> Result<u64, HeaderError> {
    let mut parser = HeaderParser::default();
    for line in header.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if !line.is_empty() {
            parser.line(line)?;
        }
    }
    parser.finish()
}
