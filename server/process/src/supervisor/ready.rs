//! Waits for a process: a pattern in its output, a listening port, an answering URL, its end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::SupervisedProcess;
use super::watch::{Pattern, PatternMatch};

/// How often ports are tried, and interrupts noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long a server may take for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// What to wait for: the first of these. Nothing means the end of the process.
#[derive(Clone, Default)]
pub struct WaitRequest {
    /// A match in the output from this offset on.
    pub pattern: Option<(Pattern, u64)>,
    /// Something that listens on this port of its loopback.
    pub port: Option<u16>,
    /// A response other than a server error.
    pub url: Option<LocalUrl>,
    /// Output after this offset.
    pub output_after: Option<u64>,
}

/// Why a wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitOutcome {
    /// The pattern was found.
    Pattern(PatternMatch),
    /// The port is open.
    Port(u16),
    /// The URL was answered with this HTTP status.
    Url(u16),
    /// There is new output.
    Output,
    /// The process has ended.
    Ended,
    /// Nothing of it happened in time.
    Timeout,
    /// The interrupt flag was set.
    Interrupted,
}

/// An `http` URL of the loopback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalUrl {
    /// What the URL says of host and port.
    authority: String,
    /// The port.
    pub port: u16,
    /// Path and query.
    path: String,
}

impl LocalUrl {
    /// Parses a URL such as `http://localhost:5173/health`; `None` if it is no such URL.
    #[must_use]
    pub fn parse(url: &str) -> Option<Self> {
        if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return None;
        }
        let (scheme, rest) = url.split_once("://")?;
        let (rest, _) = rest.split_once('#').unwrap_or((rest, ""));
        let (authority, path) = match rest.find(['/', '?']) {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (authority, 80),
        };
        let is_local = ["localhost", "127.0.0.1", "[::1]"]
            .iter()
            .any(|local| host.eq_ignore_ascii_case(local));
        if !scheme.eq_ignore_ascii_case("http") || !is_local || port == 0 {
            return None;
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        Some(Self { authority: authority.to_owned(), port, path: format!("{slash}{path}") })
    }

    /// The status of a response.
    fn status(&self, mut stream: TcpStream) -> Option<u16> {
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).ok()?;
        stream.set_write_timeout(Some(RESPONSE_TIMEOUT)).ok()?;
        let Self { authority, path, .. } = self;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {authority}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).ok()?;
        // "HTTP/1.1 200"
        let mut start = [0; 12];
        stream.read_exact(&mut start).ok()?;
        let status = std::str::from_utf8(&start).ok()?.strip_prefix("HTTP/1.")?.get(2..)?;
        status.parse().ok()
    }
}

impl SupervisedProcess {
    /// Waits for the first of what is requested, until it ends, and at most until `deadline`.
    pub fn wait(
        &self,
        request: &WaitRequest,
        deadline: Instant,
        interrupt: &AtomicBool,
    ) -> WaitOutcome {
        let watching =
            request.pattern.as_ref().map(|(pattern, from)| self.watch(pattern.clone(), *from));
        let mut next_try = Instant::now();
        loop {
            let has_ended = !self.is_running();
            let (_, end) = self.output_range();
            if let Some(found) = watching.as_ref().and_then(super::supervised::Watching::found) {
                return WaitOutcome::Pattern(found);
            }
            if request.output_after.is_some_and(|after| end > after) {
                return WaitOutcome::Output;
            }
            if has_ended {
                return WaitOutcome::Ended;
            }
            let now = Instant::now();
            if now >= next_try {
                if let Some(answer) = self.try_server(request) {
                    return answer;
                }
                next_try = Instant::now() + POLL_INTERVAL;
            }
            if now >= deadline {
                return WaitOutcome::Timeout;
            }
            if interrupt.load(Ordering::Relaxed) {
                return WaitOutcome::Interrupted;
            }
            self.wait_for_change(end, deadline.min(now + POLL_INTERVAL));
        }
    }

    fn try_server(&self, request: &WaitRequest) -> Option<WaitOutcome> {
        if let Some(port) = request.port
            && self.connect(port).is_ok()
        {
            return Some(WaitOutcome::Port(port));
        }
        let url = request.url.as_ref()?;
        let status = url.status(self.connect(url.port).ok()?)?;
        (status < 500).then_some(WaitOutcome::Url(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_local_urls() {
        let parsed = LocalUrl::parse("http://LOCALHOST:5173/a?b#c").unwrap();
        assert_eq!((parsed.port, parsed.path.as_str()), (5173, "/a?b"));
        assert_eq!(LocalUrl::parse("http://[::1]").unwrap().port, 80);
        assert_eq!(LocalUrl::parse("http://127.0.0.1?x").unwrap().path, "/?x");
        for url in [
            "https://localhost/",
            "http://example.org/",
            "http://localhost@example.org/",
            "http://localhost:99999/",
            "http://localhost:0/",
            "http://localhost/\r\nX: y",
            "localhost:80",
            "http://127.0.0.1.example.org/",
        ] {
            assert_eq!(LocalUrl::parse(url), None, "{url}");
        }
    }
}
