//! Who may connect: a WebSocket client with the token, on this machine, and no page from elsewhere.

use http::header::{
    AUTHORIZATION, CONNECTION, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use workspace::AccessToken;

use crate::loopback::{is_local_host, is_local_origin};

/// The only path.
pub(crate) const PATH: &str = "/ws";
/// The protocol that browsers name beside their token.
const PROTOCOL: &str = "tandem";
/// What precedes the token where a browser can put it: in the name of a protocol.
const BEARER_PROTOCOL: &str = "bearer.";
/// What precedes it in the URL.
const QUERY: &str = "token=";

/// Why a request is refused.
pub(crate) type Refusal = (StatusCode, &'static str);

/// Checks a request. Returns the response that accepts it.
pub(crate) fn check<B>(request: &Request<B>, token: &AccessToken) -> Result<Response<()>, Refusal> {
    let headers = request.headers();
    if request.uri().path() != PATH {
        return Err((StatusCode::NOT_FOUND, "the path is /ws\n"));
    }
    if !is_local_host(headers) {
        return Err((
            StatusCode::FORBIDDEN,
            "the hub is 127.0.0.1 or localhost, and no other name\n",
        ));
    }
    if !headers.get_all(ORIGIN).iter().all(is_local_origin) {
        return Err((StatusCode::FORBIDDEN, "pages of other machines may not connect\n"));
    }
    let protocols = protocols(headers);
    let shown = shown_token(request, &protocols);
    if !shown.is_some_and(|shown| token.is(shown.as_bytes())) {
        return Err((
            StatusCode::UNAUTHORIZED,
            "the token is missing or wrong; `ws_start` returns the file that holds it\n",
        ));
    }
    let key = websocket_key(request)?;
    let mut response = Response::new(());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = response.headers_mut();
    answer.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    answer.insert(UPGRADE, HeaderValue::from_static("websocket"));
    let accepted = HeaderValue::from_str(&derive_accept_key(key)).map_err(|_| NO_WEBSOCKET)?;
    answer.insert(SEC_WEBSOCKET_ACCEPT, accepted);
    // Browsers need one of those that they named.
    let chosen = protocols.iter().find(|name| **name == PROTOCOL).or(protocols.first());
    if let Some(name) = chosen.and_then(|name| HeaderValue::from_str(name).ok()) {
        answer.insert(SEC_WEBSOCKET_PROTOCOL, name);
    }
    Ok(response)
}

/// The protocols that the client offers.
fn protocols(headers: &HeaderMap) -> Vec<&str> {
    let lists = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    let lists = lists.filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// The token in the header, in the name of a protocol, or in the URL: the first of these.
fn shown_token<'r, B>(request: &'r Request<B>, protocols: &[&'r str]) -> Option<&'r str> {
    if let Some(authorization) = request.headers().get(AUTHORIZATION) {
        let (scheme, token) = authorization.to_str().ok()?.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| token.trim());
    }
    let named = protocols.iter().find_map(|name| name.strip_prefix(BEARER_PROTOCOL));
    named.or_else(|| request.uri().query()?.split('&').find_map(|part| part.strip_prefix(QUERY)))
}

const NO_WEBSOCKET: Refusal =
    (StatusCode::UPGRADE_REQUIRED, "connect with a WebSocket client of version 13\n");

/// The key of a WebSocket request (RFC 6455).
fn websocket_key<B>(request: &Request<B>) -> Result<&[u8], Refusal> {
    let headers = request.headers();
    let has = |name: HeaderName, wanted: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        let mut words = values.flat_map(|value| value.split(','));
        words.any(|word| word.trim().eq_ignore_ascii_case(wanted))
    };
    let is_websocket = request.method() == Method::GET
        && request.version() == Version::HTTP_11
        && has(CONNECTION, "upgrade")
        && has(UPGRADE, "websocket")
        && has(SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
    key.filter(|key| is_websocket && key.len() == 24).ok_or(NO_WEBSOCKET)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn token() -> (tempfile::TempDir, AccessToken, String) {
        let folder = tempfile::tempdir().unwrap();
        let token = AccessToken::load_or_create(folder.path(), "token").unwrap();
        let text = std::fs::read_to_string(token.file()).unwrap().trim_end().to_owned();
        (folder, token, text)
    }

    /// A request of a client, with these headers instead of the usual ones.
    fn request(uri: &str, changes: &[(&'static str, &str)]) -> Request<()> {
        let mut request = Request::get(uri).body(()).unwrap();
        let usual = [
            ("host", "127.0.0.1:8080"),
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", KEY),
        ];
        for (name, value) in usual.iter().chain(changes) {
            request.headers_mut().remove(*name);
            if !value.is_empty() {
                request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
            }
        }
        request
    }

    #[test]
    fn the_token_may_stand_in_three_places() {
        let (_folder, token, text) = token();
        let bearer = format!("Bearer {text}");
        let protocol = format!("tandem, bearer.{text}");
        let alone = format!("bearer.{text}");
        let query = format!("/ws?a=b&token={text}");
        for (uri, changes, protocol) in [
            ("/ws", &[("authorization", bearer.as_str())][..], None),
            ("/ws", &[("sec-websocket-protocol", protocol.as_str())], Some("tandem")),
            ("/ws", &[("sec-websocket-protocol", alone.as_str())], Some(alone.as_str())),
            (query.as_str(), &[], None),
        ] {
            let response = check(&request(uri, changes), &token).unwrap();
            assert_eq!(response.headers()[SEC_WEBSOCKET_ACCEPT], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
            let chosen = response.headers().get(SEC_WEBSOCKET_PROTOCOL);
            assert_eq!(chosen.map(|name| name.to_str().unwrap()), protocol, "{uri} {changes:?}");
        }
        let wrong = format!("/ws?token={}", "0".repeat(text.len()));
        let basic = format!("Basic {text}");
        for (uri, changes) in [
            ("/ws", &[][..]),
            ("/ws?token=", &[]),
            (wrong.as_str(), &[]),
            ("/ws", &[("authorization", basic.as_str())]),
            // A wrong header is not made good by the URL.
            (query.as_str(), &[("authorization", "Bearer x")]),
        ] {
            let refused = check(&request(uri, changes), &token).unwrap_err();
            assert_eq!(refused.0, StatusCode::UNAUTHORIZED, "{uri} {changes:?}");
        }
    }

    #[test]
    fn other_names_and_origins_are_refused_whatever_they_show() {
        let (_folder, token, text) = token();
        let uri = format!("/ws?token={text}");
        let status = |name: &'static str, value: &str| {
            let checked = check(&request(&uri, &[(name, value)]), &token);
            checked.map_or_else(|refused| refused.0, |response| response.status())
        };
        for host in ["localhost:8080", "LOCALHOST", "127.0.0.1:1", "[::1]:8080"] {
            assert_eq!(status("host", host), StatusCode::SWITCHING_PROTOCOLS, "{host}");
        }
        for host in [
            "",
            "example.com",
            "evil.example:8080",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "localhost@example.com",
            "example.com@localhost",
            "192.168.1.2:8080",
            "0.0.0.0:8080",
        ] {
            assert_eq!(status("host", host), StatusCode::FORBIDDEN, "{host}");
        }
        for origin in ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"] {
            assert_eq!(status("origin", origin), StatusCode::SWITCHING_PROTOCOLS, "{origin}");
        }
        for origin in [
            "null",
            "https://example.com",
            "http://localhost.example.com",
            "http://localhost@example.com",
            "http://localhost/x",
            "file://",
            "vscode-webview://x",
        ] {
            assert_eq!(status("origin", origin), StatusCode::FORBIDDEN, "{origin}");
        }
        let mut two = request(&uri, &[]);
        two.headers_mut().append("host", HeaderValue::from_static("example.com"));
        assert_eq!(check(&two, &token).unwrap_err().0, StatusCode::FORBIDDEN);
    }

    #[test]
    fn other_requests_get_a_reason() {
        let (_folder, token, text) = token();
        let uri = format!("/ws?token={text}");
        for (name, value) in [
            ("connection", "close"),
            ("upgrade", "h2c"),
            ("sec-websocket-version", "8"),
            ("sec-websocket-key", "short"),
        ] {
            for value in [value, ""] {
                let refused = check(&request(&uri, &[(name, value)]), &token).unwrap_err();
                assert_eq!(refused.0, StatusCode::UPGRADE_REQUIRED, "{name} {value}");
            }
        }
        let mut post = request(&uri, &[]);
        *post.method_mut() = Method::POST;
        assert_eq!(check(&post, &token).unwrap_err().0, StatusCode::UPGRADE_REQUIRED);
        assert_eq!(check(&request("/", &[]), &token).unwrap_err().0, StatusCode::NOT_FOUND);
    }
}
