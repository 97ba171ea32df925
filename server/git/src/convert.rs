//! The conversions between a file's bytes and what git keeps of them: line endings and `$Id$`.
//! Those that a program would make (`filter=`) are not made.
//!
//! After git's `gitattributes(5)`, `text`, `eol` and `ident`, and `core.autocrlf`.

use git2::AttrCheckFlags;
use rustc_hash::FxHashSet;

use crate::{GitError, Repo, RepoPath};

/// How a file's text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    /// As it is.
    Never,
    /// With LF.
    Always,
    /// With LF, unless it looks like no text.
    Auto,
}

/// What happens to one file's bytes on the way in and out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    text: Text,
    /// Whether it stands with CRLF in the work tree.
    is_crlf: bool,
    ident: bool,
    /// Whether a program would convert it, were it trusted.
    pub has_filter: bool,
}

impl Repo {
    /// The conversion of the file at `path`.
    ///
    /// # Errors
    /// When the attributes cannot be read.
    pub fn conversion(&self, path: &RepoPath) -> Result<Conversion, GitError> {
        self.check_above(path, &mut FxHashSet::default())?;
        let value = |name: &str| -> Result<Value, GitError> {
            let flags = AttrCheckFlags::FILE_THEN_INDEX | AttrCheckFlags::NO_SYSTEM;
            Ok(Value::of(self.git.get_attr_bytes(path.path(), name, flags)?))
        };
        let config = self.git.config()?.snapshot()?;
        let autocrlf = config.get_str("core.autocrlf").unwrap_or("false").to_ascii_lowercase();
        let is_auto = matches!(autocrlf.as_str(), "true" | "yes" | "on" | "1");
        let core_eol = config.get_str("core.eol").unwrap_or("native").to_ascii_lowercase();
        let by_config = is_auto || (autocrlf != "input" && core_eol == "crlf");
        let mut is_crlf = by_config;
        let mut text = match value("text")? {
            Value::Unspecified => match value("crlf")? {
                Value::Unset => Some(Text::Never),
                Value::Set => Some(Text::Always),
                Value::Is(of) if of == b"input" => {
                    is_crlf = false;
                    Some(Text::Always)
                }
                _ => None,
            },
            Value::Unset => Some(Text::Never),
            Value::Set => Some(Text::Always),
            Value::Is(of) if of == b"auto" => Some(Text::Auto),
            Value::Is(_) => None,
        };
        if text != Some(Text::Never) {
            match value("eol")? {
                Value::Is(of) if of == b"lf" || of == b"crlf" => {
                    is_crlf = of == b"crlf";
                    text = text.or(Some(Text::Always));
                }
                _ => {}
            }
        }
        let fallback = if is_auto || autocrlf == "input" { Text::Auto } else { Text::Never };
        Ok(Conversion {
            text: text.unwrap_or(fallback),
            is_crlf,
            ident: matches!(value("ident")?, Value::Set),
            has_filter: matches!(value("filter")?, Value::Is(_)),
        })
    }
}

enum Value {
    Unspecified,
    Set,
    Unset,
    Is(Vec<u8>),
}

impl Value {
    fn of(value: Option<&[u8]>) -> Self {
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
    /// What git keeps of a file's bytes. `kept` is what it keeps of them so far: a file that has
    /// CRLF there is not converted by guessing.
    #[must_use]
    pub fn to_git(&self, bytes: &[u8], kept: Option<&[u8]>) -> Vec<u8> {
        let converts = match self.text {
            Text::Never => false,
            Text::Always => true,
            Text::Auto => {
                !is_binary(bytes) && !kept.is_some_and(|kept| has_crlf(kept) && !is_binary(kept))
            }
        };
        let bytes = if converts { without_crlf(bytes) } else { bytes.to_vec() };
        if self.ident { without_ident(&bytes) } else { bytes }
    }

    /// The bytes that a file has in the work tree, of what git keeps, whose object name is `id`.
    #[must_use]
    pub fn to_work_tree(&self, kept: &[u8], id: git2::Oid) -> Vec<u8> {
        let bytes = if self.ident { with_ident(kept, id) } else { kept.to_vec() };
        let converts = match self.text {
            Text::Never => false,
            Text::Always => true,
            Text::Auto => !is_binary(&bytes) && !bytes.contains(&b'\r'),
        };
        if self.is_crlf && converts { with_crlf(&bytes) } else { bytes }
    }
}

fn has_crlf(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|two| two == b"\r\n")
}

/// Whether bytes are no text, as git's conversion guesses: a NUL, a CR alone, or more than one in
/// 128 that cannot be shown.
fn is_binary(bytes: &[u8]) -> bool {
    let (mut shown, mut hidden) = (0usize, 0usize);
    let mut rest = bytes.iter().peekable();
    while let Some(&byte) = rest.next() {
        match byte {
            b'\r' if rest.peek() != Some(&&b'\n') => return true,
            0 => return true,
            b'\r' | b'\n' => {}
            b'\x08' | b'\t' | b'\x1b' | b'\x0c' => shown += 1,
            127 | 0..32 => hidden += 1,
            _ => shown += 1,
        }
    }
    if bytes.last() == Some(&0x1a) {
        hidden = hidden.saturating_sub(1);
    }
    (shown >> 7) < hidden
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

/// `$Id: …$` as `$Id$`.
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

fn with_ident(kept: &[u8], id: git2::Oid) -> Vec<u8> {
    let mut out = Vec::with_capacity(kept.len());
    let mut rest = kept;
    while let Some(at) = find(rest, b"$Id$") {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(format!("$Id: {id} $").as_bytes());
        rest = &rest[at + 4..];
    }
    out.extend_from_slice(rest);
    out
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idents_are_taken_out_within_a_line() {
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
    fn line_endings_are_changed_once() {
        assert_eq!(with_crlf(b"a\nb\r\nc"), b"a\r\nb\r\nc");
        assert_eq!(without_crlf(b"a\r\nb\rc\r"), b"a\nb\rc\r");
        assert!(is_binary(b"a\0") && is_binary(b"a\rb") && !is_binary(b"a\r\n"));
    }
}
