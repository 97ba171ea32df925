//! The events of a streamed answer: server-sent events, lines of JSON, or one piece of JSON.

use serde_json::Value;

use crate::limits::MAX_EVENT_BYTES;

/// Reads events from a body that grows.
#[derive(Default)]
pub(crate) struct EventReader {
    /// Bytes that have been read.
    seen: usize,
    form: Form,
    /// Lines `data:` of the event that is not complete yet.
    data: Option<String>,
    count: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Unknown,
    ServerSent,
    Lines,
    /// JSON over several lines.
    Whole,
}

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    Json(Value),
    /// `[DONE]`
    Done,
}

impl EventReader {
    /// Events that have been read.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The next complete event of a body that begins as it did before; `None` until more arrives.
    ///
    /// # Errors
    /// Says what is no event.
    pub(crate) fn next(&mut self, body: &[u8]) -> Result<Option<Event>, String> {
        loop {
            let rest = body.get(self.seen..).unwrap_or_default();
            if self.form == Form::Unknown {
                match rest.iter().find(|byte| !byte.is_ascii_whitespace()) {
                    None => return Ok(None),
                    Some(b'{') => self.form = Form::Lines,
                    Some(_) => self.form = Form::ServerSent,
                }
            }
            let end =
                rest.iter().position(|byte| *byte == b'\n').filter(|_| self.form != Form::Whole);
            let Some(end) = end else {
                return if rest.len() > MAX_EVENT_BYTES {
                    Err(format!("it has a part of more than {MAX_EVENT_BYTES} bytes"))
                } else {
                    Ok(None)
                };
            };
            let line = &rest[..end];
            if self.form == Form::Lines && self.count == 0 && !line.trim_ascii().is_empty() {
                // JSON that is written over several lines begins with less than a value.
                if serde_json::from_slice::<Value>(line).is_err_and(|error| error.is_eof()) {
                    self.form = Form::Whole;
                    continue;
                }
            }
            self.seen += end + 1;
            let event = self.line(line)?;
            if let Some(event) = event {
                self.count += 1;
                return Ok(Some(event));
            }
        }
    }

    /// The last event of a body that has ended.
    ///
    /// # Errors
    /// Says what is no event.
    pub(crate) fn last(&mut self, body: &[u8]) -> Result<Option<Event>, String> {
        let rest = body.get(self.seen..).unwrap_or_default();
        self.seen = body.len();
        let event = match self.form {
            Form::ServerSent => match self.line(rest)? {
                None => self.line(b"")?,
                event => event,
            },
            _ if rest.trim_ascii().is_empty() => None,
            _ => Some(json(rest)?),
        };
        self.count += u64::from(event.is_some());
        Ok(event)
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Event>, String> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.form != Form::ServerSent {
            return if line.trim_ascii().is_empty() { Ok(None) } else { json(line).map(Some) };
        }
        if line.is_empty() {
            return match self.data.take() {
                None => Ok(None),
                Some(data) if data.trim() == "[DONE]" => Ok(Some(Event::Done)),
                Some(data) => json(data.as_bytes()).map(Some),
            };
        }
        let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        match field {
            "data" => {
                let value = value.strip_prefix(' ').unwrap_or(value);
                match &mut self.data {
                    None => self.data = Some(value.to_owned()),
                    Some(data) if data.len() + value.len() <= MAX_EVENT_BYTES => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    Some(_) => {
                        return Err(format!(
                            "it has an event of more than {MAX_EVENT_BYTES} bytes"
                        ));
                    }
                }
                Ok(None)
            }
            // Comments keep a connection alive.
            "" | "event" | "id" | "retry" => Ok(None),
            _ => Err(format!("`{line:.60}` is no line of an event stream")),
        }
    }
}

fn json(bytes: &[u8]) -> Result<Event, String> {
    serde_json::from_slice(bytes).map(Event::Json).map_err(|error| {
        let start: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
        format!("`{}` is no JSON: {error}", start.escape_debug())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The events of a body that arrives in pieces of `size` bytes.
    fn events(body: &str, size: usize) -> Result<Vec<Event>, String> {
        let mut reader = EventReader::default();
        let mut events = Vec::new();
        let mut end = 0;
        while end < body.len() {
            end = (end + size).min(body.len());
            while let Some(event) = reader.next(&body.as_bytes()[..end])? {
                events.push(event);
            }
        }
        events.extend(reader.last(body.as_bytes())?);
        assert_eq!(reader.count(), events.len() as u64);
        Ok(events)
    }

    #[test]
    fn every_form_is_read_in_pieces_of_any_size() {
        let one = || Event::Json(json!({ "a": 1 }));
        let two = || Event::Json(json!({ "b": "\u{e9}" }));
        let bodies = [
            (
                "data: {\"a\":1}\n\ndata: {\"b\":\"\u{e9}\"}\n\ndata: [DONE]\n\n",
                vec![one(), two(), Event::Done],
            ),
            // Comments, other fields, CRLF, no space, several lines of data, no empty line at the end.
            (
                ": hi\r\nevent: x\r\ndata:{\"a\":\r\ndata:1}\r\n\r\nid: 3\r\ndata: {\"b\":\"\u{e9}\"}",
                vec![one(), two()],
            ),
            ("{\"a\":1}\n\n{\"b\":\"\u{e9}\"}\n", vec![one(), two()]),
            ("{\"a\":1}", vec![one()]),
            ("\n {\n  \"a\": 1\n}\n", vec![one()]),
            ("", vec![]),
        ];
        for (body, wanted) in bodies {
            for size in [1, 3, 1_000] {
                assert_eq!(events(body, size), Ok(wanted.clone()), "{body:?} in {size}");
            }
        }
    }

    #[test]
    fn what_is_no_event_is_refused() {
        let long = format!("data: {}", "x".repeat(MAX_EVENT_BYTES + 10));
        let many = format!("data: {0}\ndata: {0}\n", "x".repeat(MAX_EVENT_BYTES / 2 + 10));
        for body in ["<html>\n", "data: {\"a\"\n\n", "{\"a\":1}\nx\n", "\u{fffd}\n", &long, &many] {
            for size in [7_000, usize::MAX >> 1] {
                assert!(events(body, size).is_err(), "{body:.30}");
            }
        }
        let mut reader = EventReader::default();
        assert!(reader.next(b"data: \xff\n").is_err());
    }
}
