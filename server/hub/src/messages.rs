//! The messages on the wire: JSON objects in text frames.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// A message to a client.
#[derive(Serialize, Default)]
pub(crate) struct Message<'m> {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// The channel as the client named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) channel: Option<&'m str>,
    /// The process's id.
    #[serde(rename = "processId", skip_serializing_if = "Option::is_none")]
    pub(crate) process_id: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
    /// Position in the output after this message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<String>,
    /// Bytes of output before this message that the client has missed.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) dropped: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Message<'_> {
    /// The message as JSON, with the time.
    pub(crate) fn json(&self) -> Utf8Bytes {
        #[derive(Serialize)]
        struct Stamped<'m> {
            #[serde(flatten)]
            message: &'m Message<'m>,
            timestamp: String,
        }
        let stamped = Stamped { message: self, timestamp: Timestamp::now().to_string() };
        // It has no part that cannot be serialized.
        serde_json::to_string(&stamped).unwrap_or_default().into()
    }
}

/// What a client sends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ClientRequest {
    Subscribe { channel: String, cursor: Option<u64> },
    Unsubscribe { channel: String },
    Ping,
}

/// Parses a client's message.
pub(crate) fn parse(text: &str) -> Result<ClientRequest, String> {
    #[derive(Deserialize)]
    struct Written {
        #[serde(rename = "type")]
        kind: String,
        channel: Option<String>,
        data: Option<Value>,
        cursor: Option<Value>,
    }
    let written: Written = serde_json::from_str(text)
        .map_err(|error| format!("this is no message: {error}; send {{\"type\": …}}"))?;
    // Both places are in use among clients of such hubs.
    let channel = || {
        let named = written.channel.clone();
        let named = named.or_else(|| Some(written.data.as_ref()?.as_str()?.to_owned()));
        named.ok_or_else(|| format!("`{}` needs a `channel`", written.kind))
    };
    match written.kind.as_str() {
        "subscribe" => {
            let cursor = match &written.cursor {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) => Some(text.parse().map_err(|_| bad_cursor())?),
                Some(value) => Some(value.as_u64().ok_or_else(bad_cursor)?),
            };
            Ok(ClientRequest::Subscribe { channel: channel()?, cursor })
        }
        "unsubscribe" => Ok(ClientRequest::Unsubscribe { channel: channel()? }),
        "ping" => Ok(ClientRequest::Ping),
        other => Err(format!(
            "`{other:.40}` is no type of message; they are `subscribe`, `unsubscribe` and `ping`"
        )),
    }
}

fn bad_cursor() -> String {
    "`cursor` must be one that came with output, or 0".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_their_channel_in_either_place() {
        let subscribe = |channel: &str, cursor| ClientRequest::Subscribe {
            channel: channel.to_owned(),
            cursor,
        };
        for (text, expected) in [
            (r#"{"type": "subscribe", "data": "process:p1"}"#, subscribe("process:p1", None)),
            (
                r#"{"type": "subscribe", "channel": "process:p1", "cursor": "73"}"#,
                subscribe("process:p1", Some(73)),
            ),
            (
                r#"{"type": "subscribe", "channel": "audit", "cursor": 0}"#,
                subscribe("audit", Some(0)),
            ),
            (
                r#"{"type": "unsubscribe", "channel": "audit"}"#,
                ClientRequest::Unsubscribe { channel: "audit".to_owned() },
            ),
            (r#"{"type": "ping", "timestamp": "x"}"#, ClientRequest::Ping),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "[]",
            "null",
            "{}",
            r#"{"type": 1}"#,
            r#"{"type": "subscribe"}"#,
            r#"{"type": "subscribe", "data": 1}"#,
            r#"{"type": "subscribe", "channel": "p", "cursor": -1}"#,
            r#"{"type": "subscribe", "channel": "p", "cursor": "x"}"#,
            r#"{"type": "publish", "channel": "p"}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn messages_leave_out_what_they_do_not_have() {
        let text = Message { kind: "pong", ..Message::default() }.json();
        assert!(text.starts_with(r#"{"type":"pong","timestamp":""#), "{text}");
    }
}
