//! Converts between a file's bytes and its blob: line endings and `$Id$`. `filter=` programs are
//! not run.
//!
//! After `gitattributes(5)` (`text`, `eol`, `ident`) and `core.autocrlf`.

use git2::AttrCheckFlags;
use rustc_hash::FxHashSet;

use crate::{GitError, Repo, RepoPath};

/// Whether line endings are normalized to LF in the blob (git's `text` attribute).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextAttribute {
    /// Never (`-text`).
    Never,
    /// Always (`text`).
    Always,
    /// Unless the content looks binary (`text=auto`).
    Auto,
}

/// The conversion of one file between work tree and blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    text: TextAttribute,
    /// Whether the work tree file has CRLF.
    is_crlf: bool,
    ident: bool,
    /// Whether the attributes name a `filter` program, which is not run here.
    pub has_filter: bool,
}

impl Repo {
    /// The conversion that attributes and settings configure for `path`.
    ///
    /// # Errors
    /// When the attributes cannot be read.
    pub fn conversion(&self, path: &RepoPath) -> Result<Conversion, GitError> {
        self.check_above(path, &mut FxHashSet::default())?;
        let value = |name: &str| -> Result<AttributeValue, GitError> {
            let flags = AttrCheckFlags::FILE_THEN_INDEX | AttrCheckFlags::NO_SYSTEM;
            Ok(AttributeValue::parse(self.git.get_attr_bytes(path.as_path(), name, flags)?))
        };
        let config = self.git.config()?.snapshot()?;
        let autocrlf = config.get_str("core.autocrlf").unwrap_or("false").to_ascii_lowercase();
        let is_auto = matches!(autocrlf.as_str(), "true" | "yes" | "on" | "1");
        let core_eol = config.get_str("core.eol").unwrap_or("native").to_ascii_lowercase();
        let is_crlf_by_config = is_auto || (autocrlf != "input" && core_eol == "crlf");
        let mut is_crlf = is_crlf_by_config;
        let mut text = match value("text")? {
            AttributeValue::Unspecified => match value("crlf")? {
                AttributeValue::Unset => Some(TextAttribute::Never),
                AttributeValue::Set => Some(TextAttribute::Always),
                AttributeValue::Is(value) if value == b"input" => {
                    is_crlf = false;
                    Some(TextAttribute::Always)
                }
                _ => None,
            },
            AttributeValue::Unset => Some(TextAttribute::Never),
            AttributeValue::Set => Some(TextAttribute::Always),
            AttributeValue::Is(value) if value == b"auto" => Some(TextAttribute::Auto),
            AttributeValue::Is(_) => None,
        };
        if text != Some(TextAttribute::Never) {
            match value("eol")? {
                AttributeValue::Is(eol) if eol == b"lf" || eol == b"crlf" => {
                    is_crlf = eol == b"crlf";
                    text = text.or(Some(TextAttribute::Always));
                }
                _ => {}
            }
        }
        let fallback =
            if is_auto || autocrlf == "input" { TextAttribute::Auto } else { TextAttribute::Never };
        Ok(Conversion {
            text: text.unwrap_or(fallback),
            is_crlf,
            ident: matches!(value("ident")?, AttributeValue::Set),
            has_filter: matches!(value("filter")?, AttributeValue::Is(_)),
        })
    }
}

enum AttributeValue {
    Unspecified,
    Set,
    Unset,
    Is(Vec<u8>),
}

impl AttributeValue {
    fn parse(value: Option<&[u8]>) -> Self {
        use git2::AttrValue;
        match AttrValue::from_bytes(value) {
            AttrValue::True => Self::Set,
            AttrValue::False => Self::Unset,
            AttrValue::Unspecified => Self::Unspecified,
            AttrValue::String(text) => Self::Is(text.as_bytes().to_vec()),
            AttrValue::Bytes(bytes) => Self::Is(bytes.to_vec()),
        }
    }
}

impl Conversion {
    /// The blob content of a file's bytes. `indexed` is the blob in the index: with `text=auto`,
    /// git leaves a file with CRLF there unconverted.
    #[must_use]
    pub fn to_git(&self, bytes: &[u8], indexed: Option<&[u8]>) -> Vec<u8> {
        let converts = match self.text {
            TextAttribute::Never => false,
            TextAttribute::Always => true,
            TextAttribute::Auto => {
                !is_binary(bytes)
                    && !indexed.is_some_and(|indexed| has_crlf(indexed) && !is_binary(indexed))
            }
        };
        let bytes = if converts { without_crlf(bytes) } else { bytes.to_vec() };
        if self.ident { without_ident(&bytes) } else { bytes }
    }

    /// The file's bytes in the work tree for the content of the blob `id`.
    #[must_use]
    pub fn to_work_tree(&self, blob: &[u8], id: git2::Oid) -> Vec<u8> {
        let bytes = if self.ident { with_ident(blob, id) } else { blob.to_vec() };
        let converts = match self.text {
            TextAttribute::Never => false,
            TextAttribute::Always => true,
            TextAttribute::Auto => !is_binary(&bytes) && !bytes.contains(&b'\r'),
        };
        if self.is_crlf && converts { with_crlf(&bytes) } else { bytes }
    }
}

fn has_crlf(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|two| two == b"\r\n")
}

/// Whether git's conversion takes the bytes for binary: a NUL, a lone CR, or more than one
/// unprintable byte in 128.
fn is_binary(bytes: &[u8]) -> bool {
    let (mut printable, mut unprintable) = (0usize, 0usize);
    let mut rest = bytes.iter().peekable();
    while let Some(&byte) = rest.next() {
        match byte {
            b'\r' if rest.peek() != Some(&&b'\n') => return true,
            0 => return true,
            b'\r' | b'\n' => {}
            b'\x08' | b'\t' | b'\x1b' | b'\x0c' => printable += 1,
            127 | 0..32 => unprintable += 1,
            _ => printable += 1,
        }
    }
    if bytes.last() == Some(&0x1a) {
        unprintable = unprintable.saturating_sub(1);
    }
    (printable >> 7) < unprintable
}

fn without_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        if byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(byte);
        }
    }
    out
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    let mut last = 0;
    for &byte in bytes {
        if byte == b'\n' && last != b'\r' {
            out.push(b'\r');
        }
        out.push(byte);
        last = byte;
    }
    out
}

/// Replaces `$Id: …$` by `$Id$`.
fn without_ident(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = find(rest, b"$Id:") {
        let after = &rest[at + 4..];
        let Some(end) = after.iter().position(|byte| matches!(byte, b'$' | b'\n')) else { break };
        if after[end] == b'\n' {
            out.extend_from_slice(&rest[..at + 4]);
            rest = after;
            continue;
        }
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"$Id$");
        rest = &after[end + 1..];
    }
    out.extend_from_slice(rest);
    out
}

fn with_ident(blob: &[u8], id: git2::Oid) -> Vec<u8> {
    let mut out = Vec::with_capacity(blob.len());
    let mut rest = blob;
    while let Some(at) = find(rest, b"$Id$") {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(format!("$Id: {id} $").as_bytes());
        rest = &rest[at + 4..];
    }
    out.extend_from_slice(rest);
    out
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idents_are_removed_within_a_line() {
        for (from, to) in [
            ("a $Id: x$ b", "a $Id$ b"),
            ("$Id$", "$Id$"),
            ("$Id: x\ny$ $Id: z$", "$Id: x\ny$ $Id$"),
            ("$Id: x", "$Id: x"),
        ] {
            assert_eq!(without_ident(from.as_bytes()), to.as_bytes());
        }
    }

    #[test]
    fn line_endings_are_converted_once() {
        assert_eq!(with_crlf(b"a\nb\r\nc"), b"a\r\nb\r\nc");
        assert_eq!(without_crlf(b"a\r\nb\rc\r"), b"a\nb\rc\r");
        assert!(is_binary(b"a\0") && is_binary(b"a\rb") && !is_binary(b"a\r\n"));
    }
}
