//! Repository paths: bytes, not necessarily UTF-8.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path relative to the top of the work tree, separated by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// Creates a path from its bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// Parses a caller's path: verbatim, or in the form of [`RepoPath::quoted`] if it is not UTF-8.
    #[must_use]
    pub fn parse(written: &str) -> Self {
        match unquote(written) {
            Some(bytes) if std::str::from_utf8(&bytes).is_err() => Self(bytes),
            _ => Self(written.as_bytes().to_vec()),
        }
    }

    /// Converts a file system path.
    #[must_use]
    pub(crate) fn from_path(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same path for file system calls.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The path as text; invalid UTF-8 is replaced.
    #[must_use]
    pub fn to_string_lossy(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    /// The path in double quotes with `\377` for each byte that is not printable ASCII; `None` if
    /// it is valid UTF-8.
    #[must_use]
    pub fn quoted(&self) -> Option<String> {
        std::str::from_utf8(&self.0).is_err().then(|| {
            let mut quoted = String::from("\"");
            for &byte in &self.0 {
                match byte {
                    b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
                    0x20..=0x7e => quoted.push(char::from(byte)),
                    _ => quoted.push_str(&format!("\\{byte:03o}")),
                }
            }
            quoted.push('"');
            quoted
        })
    }

    /// Whether the path is `folder` or below it. Every path is below the empty one.
    #[must_use]
    pub fn is_in(&self, folder: &Self) -> bool {
        let rest = self.0.strip_prefix(folder.0.as_slice());
        folder.0.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }
}

fn unquote(written: &str) -> Option<Vec<u8>> {
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            quoted @ (b'"' | b'\\') => bytes.push(quoted),
            first @ b'0'..=b'3' => {
                let digits = [first, rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 8).ok()?);
            }
            _ => return None,
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_utf_8_is_quoted_and_parsed_back() {
        for bytes in [b"a\xff\"\\b\n".as_slice(), b"\xc3"] {
            let path = RepoPath::new(bytes);
            assert_eq!(RepoPath::parse(&path.quoted().unwrap()), path);
        }
        for text in ["a", "\"a\"", "\"\\141\"", "\"\\377", "é"] {
            assert_eq!(RepoPath::parse(text).as_bytes(), text.as_bytes());
            assert_eq!(RepoPath::parse(text).quoted(), None);
        }
    }

    #[test]
    fn a_folder_contains_the_paths_below_it() {
        let is_in = |path: &str, folder: &str| {
            RepoPath::new(path.as_bytes()).is_in(&RepoPath::new(folder.as_bytes()))
        };
        assert!(is_in("a/b", "a") && is_in("a", "a") && is_in("a", ""));
        assert!(!is_in("ab", "a") && !is_in("a", "a/b"));
    }
}
