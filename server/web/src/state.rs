//! What a session keeps between calls: cookies, and the rest of long texts.

use std::collections::VecDeque;

use cookie_store::CookieStore;
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use parking_lot::Mutex;
use text::Text;
use tools::{Code, FamilyState, MetricEvent, Policy, ToolError, page_end};
use url::{Host, Url};

use crate::limits::{MAX_COOKIES, MAX_KEPT_TEXTS};
use crate::metrics_export::Exporter;

/// The network state of a session.
#[derive(Default)]
pub(crate) struct NetworkState {
    cookies: Mutex<CookieStore>,
    texts: Mutex<KeptTexts>,
    exporter: Exporter,
}

impl FamilyState for NetworkState {
    fn stop(&self) {
        self.exporter.stop();
    }

    fn metric_recorded(&self, policy: &Policy, event: &MetricEvent) {
        if let Some(collector) = policy.metrics_settings().otlp {
            self.exporter.push(event, &collector, &policy.network_settings());
        }
    }
}

#[derive(Default)]
struct KeptTexts {
    next_id: u64,
    texts: VecDeque<(u64, String, Text)>,
}

/// A page of a text.
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) next_cursor: Option<String>,
}

impl NetworkState {
    /// The header `Cookie` for a request.
    pub(crate) fn cookies_for(&self, url: &Url) -> Option<HeaderValue> {
        let cookies = self.cookies.lock();
        let values: Vec<_> = cookies
            .get_request_values(url)
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if values.is_empty() { None } else { HeaderValue::from_str(&values.join("; ")).ok() }
    }

    /// Keeps the cookies of a response.
    pub(crate) fn store_cookies(&self, url: &Url, headers: &HeaderMap) {
        let mut cookies = self.cookies.lock();
        for value in headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok()) {
            if is_too_wide(value, url) || cookies.iter_any().count() >= MAX_COOKIES {
                continue;
            }
            // One that cannot be parsed is ignored, as by browsers.
            let _ = cookies.parse(value, url);
        }
    }

    /// The first page of a text; what is left is kept for its cursor. `what` names the text.
    pub(crate) fn first_page(&self, what: &str, text: &str) -> Page {
        let text = Text::new(text);
        if page_end(&text, 0) >= text.len() {
            return Page { text: text.to_string(), next_cursor: None };
        }
        let mut kept = self.texts.lock();
        kept.next_id += 1;
        let id = kept.next_id;
        let page = page(id, &text, 0);
        kept.texts.push_back((id, what.to_owned(), text));
        while kept.texts.len() > MAX_KEPT_TEXTS {
            kept.texts.pop_front();
        }
        page
    }

    /// The page that a cursor stands for.
    pub(crate) fn next_page(
        &self,
        tool: &str,
        what: &str,
        cursor: &str,
    ) -> Result<Page, ToolError> {
        let parsed = cursor.split_once('-').and_then(|(id, offset)| {
            Some((id.parse::<u64>().ok()?, offset.parse::<usize>().ok()?))
        });
        let Some((id, offset)) = parsed else {
            let message = format!("{tool}: `{cursor:.60}` is no cursor");
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("pass the `next_cursor` of the result before, unchanged"));
        };
        let kept = self.texts.lock();
        let found = kept.texts.iter().find(|(known, of, _)| *known == id && of == what);
        let Some((_, _, text)) = found else {
            let message = format!("{tool}: the response of this cursor is no longer kept");
            return Err(ToolError::new(Code::Conflict, message)
                .hint("request it again without `cursor`; the same URL is needed"));
        };
        Ok(page(id, text, offset.min(text.len())))
    }
}

fn page(id: u64, text: &Text, start: usize) -> Page {
    // A made-up offset may lie within a character.
    let line = text.line_start(text.line_of(start));
    let start = line + text.slice(line..start).len();
    let end = if start < text.len() { page_end(text, start) } else { start };
    let next_cursor = (end < text.len()).then(|| format!("{id}-{end}"));
    Page { text: text.slice(start..end).into_owned(), next_cursor }
}

/// Whether a cookie is meant for a whole top-level domain.
fn is_too_wide(cookie: &str, url: &Url) -> bool {
    let domain = cookie.split(';').skip(1).find_map(|attribute| {
        let (name, value) = attribute.split_once('=')?;
        name.trim().eq_ignore_ascii_case("domain").then(|| value.trim().trim_matches('.'))
    });
    let is_name = matches!(url.host(), Some(Host::Domain(host)) if host.contains('.'));
    is_name && domain.is_some_and(|domain| !domain.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(written: &str) -> Url {
        Url::parse(written).unwrap()
    }

    fn set(values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (SET_COOKIE, HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn cookies_are_sent_where_they_belong() {
        let state = NetworkState::default();
        let cookies = set(&["a=1; Path=/", "b=2; Domain=example.com", "wide=3; Domain=com", "bad"]);
        state.store_cookies(&url("http://www.example.com/"), &cookies);
        let sent = |written| {
            let cookies = state.cookies_for(&url(written));
            cookies.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        let of_host = sent("http://www.example.com/x");
        assert!(of_host.contains("a=1") && of_host.contains("b=2"), "{of_host}");
        assert_eq!(sent("http://api.example.com/"), "b=2");
        assert_eq!(sent("http://other.com/"), "");
        for number in 0..MAX_COOKIES + 50 {
            let value = HeaderValue::from_str(&format!("c{number}=1")).unwrap();
            let headers = [(SET_COOKIE, value)].into_iter().collect();
            state.store_cookies(&url("http://www.example.com/"), &headers);
        }
        assert_eq!(state.cookies.lock().iter_any().count(), MAX_COOKIES);
    }

    #[test]
    fn pages_cover_a_text() {
        let state = NetworkState::default();
        let text: String = (0..9_000).map(|n| format!("line {n} \u{e9}\n")).collect();
        let mut page = state.first_page("u", &text);
        let mut whole = page.text.clone();
        while let Some(cursor) = page.next_cursor {
            page = state.next_page("t", "u", &cursor).unwrap();
            whole.push_str(&page.text);
        }
        assert_eq!(whole, text);
        assert!(state.first_page("u", "short").next_cursor.is_none());
        for (what, cursor) in [("other", "1-5"), ("u", "99-1"), ("u", "x"), ("u", ""), ("u", "1")] {
            assert!(state.next_page("t", what, cursor).is_err(), "{what} {cursor}");
        }
        for offset in [7, 8, 9, usize::MAX] {
            assert!(state.next_page("t", "u", &format!("1-{offset}")).is_ok());
        }
        for _ in 0..MAX_KEPT_TEXTS {
            state.first_page("u", &text);
        }
        let gone = state.next_page("t", "u", "1-5");
        assert_eq!(gone.map(|page| page.text).map_err(|e| e.code), Err(Code::Conflict));
    }
}
