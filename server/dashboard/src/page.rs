//! The page's files, as `npm run build` in `page/` makes them.

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

/// What the page may do: run and show what comes from here, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// A file of the page, and its type.
pub(crate) fn file(path: &str) -> Option<(Bytes, &'static str)> {
    Some(match path {
        "/" => (
            Bytes::from_static(include_bytes!("../page/dist/index.html")),
            "text/html; charset=utf-8",
        ),
        "/app.js" => (
            Bytes::from_static(include_bytes!("../page/dist/app.js")),
            "text/javascript; charset=utf-8",
        ),
        "/app.css" => {
            (Bytes::from_static(include_bytes!("../page/dist/app.css")), "text/css; charset=utf-8")
        }
        _ => return None,
    })
}

/// Sets the headers that every answer has.
pub(crate) fn set_headers(headers: &mut HeaderMap, content_type: &'static str) {
    let all: [(HeaderName, &'static str); 7] = [
        (CONTENT_TYPE, content_type),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        // The next server has another page and other answers.
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
