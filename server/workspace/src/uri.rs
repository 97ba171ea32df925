//! Converts between `file:` URIs and paths.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All characters except those that are unescaped in a URI's path: RFC 3986's unreserved ones, and
/// the slash.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The path of a `file:` URI.
///
/// # Errors
/// Why `uri` is not a local file: another scheme, another host, NUL, or not UTF-8.
pub fn path_of_uri(uri: &str) -> Result<PathBuf, &'static str> {
    let scheme = uri.get(..5).unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("file:") {
        return Err("only file: URIs are supported");
    }
    let rest = &uri[5..];
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
                return Err("its URI names another host");
            }
            path
        }
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8().map_err(|_| "its URI is not UTF-8")?;
    if path.contains('\0') {
        return Err("its URI contains a NUL byte");
    }
    if !path.starts_with('/') {
        return Err("its URI has no absolute path");
    }
    Ok(PathBuf::from(path.into_owned()))
}

/// The `file:` URI of an absolute path. Bytes that are not UTF-8 are replaced.
#[must_use]
pub fn uri_of_path(path: &Path) -> String {
    format!("file://{}", utf8_percent_encode(&path.to_string_lossy(), ESCAPED))
}

/// Normalizes a `file:` URI, so that all spellings of it are equal; others are returned unchanged.
pub(crate) fn normal_uri(uri: &str) -> String {
    path_of_uri(uri).map_or_else(|_| uri.to_owned(), |path| uri_of_path(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_are_inverse() {
        for path in ["/a/b.rs", "/a b/ü#?%.py", "/a/😀", "/"] {
            assert_eq!(path_of_uri(&uri_of_path(Path::new(path))), Ok(PathBuf::from(path)));
        }
        assert_eq!(normal_uri("file:///c%3A/x"), normal_uri("FILE://localhost/c:/x"));
    }

    #[test]
    fn uris_that_are_not_local_files_are_refused() {
        for uri in
            ["http://x/y", "file://host/x", "file:///a%00b", "file:///%ff", "file:x", "", "é"]
        {
            assert!(path_of_uri(uri).is_err(), "{uri}");
        }
    }
}
