//! The headers that a caller may set.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use tools::{Code, ToolError};

use crate::limits::{MAX_HEADER_VALUE_BYTES, MAX_REQUEST_HEADERS};

/// Headers that frame the message or the connection: a wrong one makes a server see another request.
const MANAGED: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Parses headers.
pub(crate) fn parse(tool: &str, given: &BTreeMap<String, String>) -> Result<HeaderMap, ToolError> {
    let invalid =
        |why: String| ToolError::new(Code::InvalidParams, format!("{tool}: headers: {why}"));
    if given.len() > MAX_REQUEST_HEADERS {
        return Err(invalid(format!(
            "{} are too many; {MAX_REQUEST_HEADERS} may be set",
            given.len()
        )));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let shown = name.escape_debug().to_string();
        let shown: String = shown.chars().take(60).collect();
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| invalid(format!("`{shown}` is no header's name")))?;
        if MANAGED.contains(&parsed.as_str()) {
            return Err(invalid(format!("`{shown}` cannot be set: it follows from the request")));
        }
        // `HeaderValue::from_str` refuses line ends and other control characters.
        let value = HeaderValue::from_str(value)
            .ok()
            .filter(|value| value.as_bytes().is_ascii() && value.len() <= MAX_HEADER_VALUE_BYTES)
            .ok_or_else(|| {
                let why = format!(
                    "the value of `{shown}` holds a line end or another character that no header has, or \
                     exceeds {MAX_HEADER_VALUE_BYTES} bytes"
                );
                invalid(why)
            })?;
        if headers.insert(parsed, value).is_some() {
            return Err(invalid(format!("`{shown}` is given twice")));
        }
    }
    Ok(headers)
}

/// Parses a method.
pub(crate) fn method(tool: &str, written: &str) -> Result<Method, ToolError> {
    let invalid = |why: &str| {
        let shown: String = written.escape_debug().to_string().chars().take(30).collect();
        ToolError::new(Code::InvalidParams, format!("{tool}: `{shown}`: {why}"))
            .hint("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
    };
    let method = Method::from_bytes(written.to_ascii_uppercase().as_bytes());
    let method = method.map_err(|_| invalid("is no method"))?;
    match method {
        Method::CONNECT => Err(invalid("opens a tunnel, which is not supported")),
        method => Ok(method),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_one(name: &str, value: &str) -> Result<HeaderMap, ToolError> {
        parse("t", &[(name.to_owned(), value.to_owned())].into())
    }

    #[test]
    fn headers_cannot_smuggle() {
        assert_eq!(parse_one("X-Test", "a b\tc").unwrap()["x-test"], "a b\tc");
        for (name, value) in [
            ("X", "a\r\nY: b"),
            ("X", "a\nb"),
            ("X", "a\rb"),
            ("X", "a\0b"),
            ("X", "\u{e9}"),
            ("X", "\u{10a}"),
            ("X\r\nY", "a"),
            ("X Y", "a"),
            ("X:", "a"),
            ("", "a"),
            ("Content-Length", "5"),
            ("transfer-encoding", "chunked"),
            ("Host", "evil.example"),
            ("X", &"x".repeat(9_000)),
        ] {
            assert!(parse_one(name, value).is_err(), "{name:?}: {value:?}");
        }
        let twice = [("X-A".to_owned(), "1".to_owned()), ("x-a".to_owned(), "2".to_owned())];
        assert!(parse("t", &twice.into()).is_err());
        let many = (0..100).map(|n| (format!("x-{n}"), String::new())).collect();
        assert!(parse("t", &many).is_err());
        assert_eq!(method("t", "get").unwrap(), Method::GET);
        for bad in ["", "G ET", "GET\r\n", "CONNECT"] {
            assert!(method("t", bad).is_err(), "{bad:?}");
        }
    }
}
