//! Who may ask: the page itself, on this machine, with the token.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, StatusCode};
use hub::loopback::is_local_host;
use workspace::AccessToken;

/// Why a request is refused.
pub(crate) type Refusal = (StatusCode, &'static str);

/// Checks that a request is to this machine by its name, not by one that a page elsewhere has chosen, and comes
/// from no other page.
pub(crate) fn check_place(headers: &HeaderMap) -> Result<(), Refusal> {
    if !is_local_host(headers) {
        let why = "the dashboard is 127.0.0.1 or localhost, and no other name\n";
        return Err((StatusCode::FORBIDDEN, why));
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = format!("http://{host}");
    // Other pages of this machine are other pages, too.
    let is_own =
        |origin: &http::HeaderValue| origin.as_bytes().eq_ignore_ascii_case(own.as_bytes());
    if !headers.get_all(ORIGIN).iter().all(is_own) {
        return Err((StatusCode::FORBIDDEN, "other pages may not use the dashboard\n"));
    }
    Ok(())
}

/// Checks the token.
pub(crate) fn check_token(headers: &HeaderMap, token: &AccessToken) -> Result<(), Refusal> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let shown = match (given.next(), given.next()) {
        (Some(one), None) => one.to_str().ok().and_then(|text| text.split_once(' ')),
        _ => None,
    };
    let is_right = |(scheme, shown): (&str, &str)| {
        scheme.eq_ignore_ascii_case("bearer") && token.is(shown.trim().as_bytes())
    };
    if shown.is_some_and(is_right) {
        return Ok(());
    }
    let why = "the token is missing or wrong; open the address that `tandem dashboard` prints\n";
    Err((StatusCode::UNAUTHORIZED, why))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn only_the_page_itself_may_ask() {
        for good in [
            &[("host", "127.0.0.1:80")] as &[_],
            &[("host", "localhost:80"), ("origin", "http://localhost:80")],
            &[("host", "[::1]:80"), ("origin", "http://[::1]:80")],
        ] {
            assert_eq!(check_place(&headers(good)), Ok(()), "{good:?}");
        }
        for bad in [
            &[] as &[_],
            &[("host", "example.com")],
            &[("host", "127.0.0.1.example.com:80")],
            &[("host", "127.0.0.1:80"), ("host", "127.0.0.1:80")],
            &[("host", "127.0.0.1:80"), ("origin", "http://127.0.0.1:81")],
            &[("host", "127.0.0.1:80"), ("origin", "https://127.0.0.1:80")],
            &[("host", "127.0.0.1:80"), ("origin", "null")],
            &[("host", "127.0.0.1:80"), ("origin", "http://127.0.0.1:80"), ("origin", "http://a")],
        ] {
            assert!(check_place(&headers(bad)).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_token_is_shown_once_as_a_bearer() {
        let folder = tempfile::tempdir().unwrap();
        let token = AccessToken::load_or_create(folder.path(), "token").unwrap();
        let text = std::fs::read_to_string(token.file()).unwrap().trim_end().to_owned();
        let bearer = format!("Bearer {text}");
        assert_eq!(check_token(&headers(&[("authorization", &bearer)]), &token), Ok(()));
        for bad in [
            &[] as &[_],
            &[("authorization", text.as_str())],
            &[("authorization", &format!("Basic {text}"))],
            &[("authorization", "Bearer ")],
            &[("authorization", &format!("{bearer}x"))],
            &[("authorization", bearer.as_str()), ("authorization", bearer.as_str())],
        ] {
            assert!(check_token(&headers(bad), &token).is_err(), "{bad:?}");
        }
    }
}
