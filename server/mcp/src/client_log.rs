//! Log messages for the person: `notifications/message`.
//!
//! Up to version 2025-11-25 a client sets a level for its session. Later versions name one in each
//! request, and get nothing without it.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
#[expect(deprecated, reason = "clients of all versions still read log messages")]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::Value;
use tools::Code;

/// Longest text, in characters.
const MAX_CHARS: usize = 1_000;
/// Messages of a client in each interval. Further ones are counted.
const MAX_MESSAGES: u32 = 20;
const INTERVAL: Duration = Duration::from_secs(60);

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Info,
    Warning,
    Error,
}

/// A message for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogMessage {
    pub(crate) severity: Severity,
    pub(crate) text: String,
}

impl LogMessage {
    pub(crate) fn new(severity: Severity, text: impl Into<String>) -> Self {
        Self { severity, text: text.into() }
    }

    /// The message about a call's error. `None` if only the model has to do something about it.
    pub(crate) fn of_error(tool: &str, error: &Value) -> Option<Self> {
        let is = |code: Code| error["code"] == code.as_str();
        let severity = match () {
            () if is(Code::Internal) => Severity::Error,
            () if is(Code::Denied) => Severity::Warning,
            () => return None,
        };
        let message = error["message"].as_str().unwrap_or_default();
        // Most errors begin with their tool.
        let begins = message.strip_prefix(tool).is_some_and(|rest| rest.starts_with(':'));
        let mut text = if begins { message.to_owned() } else { format!("{tool:.60}: {message}") };
        if let Some(hint) = error["hint"].as_str() {
            text = format!("{text} ({hint})");
        }
        Some(Self { severity, text })
    }
}

/// The log of one client.
#[expect(deprecated, reason = "clients of all versions still read log messages")]
pub(crate) struct ClientLog {
    level: Mutex<LoggingLevel>,
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    since: Option<Instant>,
    count: u32,
    left_out: u32,
}

impl Sent {
    /// Whether a message may be sent now, and how many were left out before it.
    fn admit(&mut self, now: Instant) -> Option<u32> {
        if self.since.is_none_or(|since| now.duration_since(since) >= INTERVAL) {
            (self.since, self.count) = (Some(now), 0);
        }
        if self.count >= MAX_MESSAGES {
            self.left_out += 1;
            return None;
        }
        self.count += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

#[expect(deprecated, reason = "clients of all versions still read log messages")]
impl ClientLog {
    /// A client that sets no level gets warnings and errors.
    pub(crate) fn new() -> Self {
        Self { level: Mutex::new(LoggingLevel::Warning), sent: Mutex::default() }
    }

    pub(crate) fn set_level(&self, level: LoggingLevel) {
        *self.level.lock() = level;
    }

    /// Sends messages during a request, before its response.
    pub(crate) async fn send(&self, context: &RequestContext<RoleServer>, all: Vec<LogMessage>) {
        let is_session = context.protocol_version().is_none_or(|version| version.has_initialize());
        let level = if is_session { Some(*self.level.lock()) } else { context.meta.log_level() };
        if let Some(level) = level {
            self.send_from(level, &context.peer, all).await;
        }
    }

    /// Sends a message to a client with a session.
    pub(crate) async fn send_to_session(&self, peer: &Peer<RoleServer>, message: LogMessage) {
        let level = *self.level.lock();
        self.send_from(level, peer, vec![message]).await;
    }

    async fn send_from(
        &self,
        least: LoggingLevel,
        peer: &Peer<RoleServer>,
        messages: Vec<LogMessage>,
    ) {
        for LogMessage { severity, text } in messages {
            let level = match severity {
                Severity::Info => LoggingLevel::Info,
                Severity::Warning => LoggingLevel::Warning,
                Severity::Error => LoggingLevel::Error,
            };
            if (level as u8) < least as u8 {
                continue;
            }
            let Some(left_out) = self.sent.lock().admit(Instant::now()) else { continue };
            let mut text: String = text.chars().take(MAX_CHARS).collect();
            if left_out > 0 {
                text = format!("{text} ({left_out} messages before this one were left out)");
            }
            let message = LoggingMessageNotificationParam::new(level, text.into());
            // An error means that the client is gone.
            let _ = peer.notify_logging_message(message.with_logger("tandem")).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_limited() {
        let mut sent = Sent::default();
        let start = Instant::now();
        for _ in 0..MAX_MESSAGES {
            assert_eq!(sent.admit(start), Some(0));
        }
        assert_eq!((sent.admit(start), sent.admit(start)), (None, None));
        assert_eq!(sent.admit(start + INTERVAL), Some(2));
        assert_eq!(sent.admit(start + INTERVAL), Some(0));
    }

    #[test]
    fn errors_for_the_person_are_logged() {
        let of = |code: &str| {
            let error = json!({ "code": code, "message": "run: no", "hint": "a rule" });
            LogMessage::of_error("run", &error)
        };
        let denied = LogMessage::new(Severity::Warning, "run: no (a rule)");
        assert_eq!(of("E_DENIED"), Some(denied));
        assert_eq!(of("E_INTERNAL").unwrap().severity, Severity::Error);
        assert_eq!(of("E_NO_MATCH"), None);
    }
}
