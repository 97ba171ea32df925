//! Conversion of paths to `file` URIs.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The `file` URI of an absolute path. All bytes except RFC 3986's unreserved ones and `/` are escaped.
pub fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_are_escaped() {
        assert_eq!(file_uri(Path::new("/a b/\u{e9}#?%.rs")), "file:///a%20b/%C3%A9%23%3F%25.rs");
    }
}
