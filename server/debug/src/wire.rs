//! DAP messages. Unknown fields are ignored; missing ones get defaults.

use serde::Deserialize;
use serde_json::{Value, json};

/// A message from the adapter.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Message {
    Response(Response),
    Event(Event),
    Request(Request),
}

/// A response to one of our requests.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    pub(crate) request_seq: i64,
    #[serde(default)]
    pub(crate) success: bool,
    #[serde(default)]
    pub(crate) message: Option<String>,
    #[serde(default)]
    pub(crate) body: Value,
}

/// An event.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Event {
    pub(crate) event: String,
    #[serde(default)]
    pub(crate) body: Value,
}

/// A reverse request.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) seq: i64,
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

impl Response {
    /// The error text: `body.error` with its variables substituted, or else `message`.
    pub(crate) fn failure(&self) -> String {
        let error = &self.body["error"];
        let format = error["format"].as_str().filter(|text| !text.is_empty());
        let Some(format) = format else {
            return self.message.clone().unwrap_or_else(|| "no reason given".to_owned());
        };
        let mut text = format.to_owned();
        for (name, value) in error["variables"].as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text = text.replace(&format!("{{{name}}}"), &value);
        }
        text
    }
}

/// Encodes a request.
pub(crate) fn request(seq: i64, command: &str, arguments: &Value) -> Vec<u8> {
    let mut message = json!({ "seq": seq, "type": "request", "command": command });
    if !arguments.is_null() {
        message["arguments"] = arguments.clone();
    }
    message.to_string().into_bytes()
}

/// Encodes a response to a request.
pub(crate) fn response(seq: i64, request: &Request, result: Result<Value, String>) -> Vec<u8> {
    let mut message = json!({
        "seq": seq, "type": "response", "request_seq": request.seq, "command": request.command,
        "success": result.is_ok(),
    });
    match result {
        Ok(Value::Null) => {}
        Ok(body) => message["body"] = body,
        Err(why) => {
            message["body"] = json!({ "error": { "id": 1, "format": why } });
            message["message"] = why.into();
        }
    }
    message.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: Value) -> Message {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn messages_with_missing_and_unknown_fields_are_parsed() {
        let event = parsed(json!({ "seq": "x", "type": "event", "event": "debugpySockets" }));
        assert!(matches!(event, Message::Event(e) if e.event == "debugpySockets"));
        let request = parsed(json!({ "seq": 4, "type": "request", "command": "runInTerminal" }));
        assert!(matches!(request, Message::Request(r) if r.seq == 4));
        let odd: Result<Message, _> = serde_json::from_value(json!({ "type": "gossip" }));
        assert!(odd.is_err());
    }

    #[test]
    fn the_formatted_error_is_preferred() {
        let body =
            json!({ "error": { "format": "no {what} here", "variables": { "what": "main" } } });
        let response =
            json!({ "type": "response", "request_seq": 1, "message": "x", "body": body });
        let Message::Response(response) = parsed(response) else { panic!("a response") };
        assert_eq!(response.failure(), "no main here");
        let response = json!({ "type": "response", "request_seq": 1, "message": "cancelled" });
        let Message::Response(response) = parsed(response) else { panic!("a response") };
        assert_eq!(response.failure(), "cancelled");
    }

    #[test]
    fn requests_name_their_type() {
        let sent: Value = serde_json::from_slice(&request(3, "threads", &Value::Null)).unwrap();
        assert_eq!(sent, json!({ "seq": 3, "type": "request", "command": "threads" }));
    }
}
