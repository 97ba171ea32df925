//! Recorded conversations: one JSON object a line, replayed against a server.
//!
//! The first line is `{"about": "…", "files": {"path": "text"}}`, the workspace. Each further line
//! is one step:
//!
//! - `{"send": MESSAGE}`: the message, framed;
//! - `{"raw": "TEXT"}`: bytes as they are, every character one byte (U+0000 to U+00FF); with
//!   `"times": N` that often;
//! - `{"expect": PATTERN}`: waits for a message that fits, passing over those that do not;
//! - `{"close": true}`: closes the server's input;
//! - `{"exit": CODE}`: waits for the process to end with this code.
//!
//! A pattern fits when every field it names fits; arrays fit element by element; `"$any"` fits
//! whatever is there. In all strings `$ROOT` stands for the workspace's URI.

use std::path::Path;
use std::time::Duration;

use client::Client;
use serde_json::Value;

/// Why a transcript could not be parsed or was not followed.
pub type Failure = String;

/// The workspace of a transcript and its steps.
pub struct Transcript {
    /// Its purpose, in a sentence.
    pub about: String,
    /// The files it needs: paths and texts.
    pub files: Vec<(String, String)>,
    steps: Vec<(usize, Value)>,
}

impl Transcript {
    /// Reads a transcript.
    ///
    /// # Errors
    /// The line that does not read, and why.
    pub fn parse(source: &str) -> Result<Self, Failure> {
        let mut lines = Vec::new();
        for (at, line) in source.lines().enumerate() {
            let value: Value =
                serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))?;
            lines.push((at + 1, value));
        }
        let (_, head) = lines.first().ok_or("it is empty")?;
        let about = head["about"].as_str().ok_or("line 1 has no \"about\"")?.to_owned();
        let files = head["files"].as_object().ok_or("line 1 has no \"files\"")?;
        let files = files
            .iter()
            .map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().to_owned()))
            .collect();
        lines.remove(0);
        Ok(Self { about, files, steps: lines })
    }

    /// Writes the files the transcript needs into a folder.
    ///
    /// # Panics
    /// When one cannot be written.
    pub fn lay_out(&self, root: &Path) {
        for (path, text) in &self.files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    /// Plays the transcript to a server whose workspace is at `root` (a URI), calling `seen` before
    /// every step.
    ///
    /// # Errors
    /// The step that was not followed, and what came instead.
    pub fn replay(
        &self,
        client: &Client,
        root: &str,
        timeout: Duration,
        mut seen: impl FnMut(usize, &Value),
    ) -> Result<(), Failure> {
        for (line, step) in &self.steps {
            seen(*line, step);
            let step = with_root(step, root);
            run_step(&step, client, timeout).map_err(|why| format!("line {line}: {why}"))?;
        }
        Ok(())
    }
}

fn run_step(step: &Value, client: &Client, timeout: Duration) -> Result<(), Failure> {
    if let Some(message) = step.get("send") {
        return client.outgoing().send(message).map_err(|error| error.to_string());
    }
    if let Some(raw) = step["raw"].as_str() {
        let bytes: Result<Vec<u8>, _> = raw.chars().map(|c| u8::try_from(u32::from(c))).collect();
        let bytes = bytes.map_err(|_| "\"raw\" has a character above U+00FF")?;
        let times = step["times"].as_u64().unwrap_or(1) as usize;
        return client.write_raw(bytes.repeat(times)).map_err(|error| error.to_string());
    }
    if let Some(pattern) = step.get("expect") {
        let message =
            client.wait_for("message that fits", timeout, |message| fits(pattern, message));
        return message.map(drop).map_err(|error| {
            let unread: Vec<_> = client.take_unread().iter().map(Value::to_string).collect();
            format!("{error}; expected {pattern}; came: {}", unread.join("\n"))
        });
    }
    if step["close"] == true {
        client.close_input();
        return Ok(());
    }
    if let Some(code) = step["exit"].as_i64() {
        let process = client.process().ok_or("no process to wait for")?;
        let status = process.wait_exit(timeout).map_err(|error| error.to_string())?;
        return match status.code() {
            Some(ended) if i64::from(ended) == code => Ok(()),
            _ => Err(format!("{status}, not {code}; stderr: {}", process.stderr())),
        };
    }
    Err(format!("a step of no known kind: {step}"))
}

/// Whether `message` has all that `pattern` names.
pub fn fits(pattern: &Value, message: &Value) -> bool {
    match (pattern, message) {
        (Value::String(any), _) if any == "$any" => true,
        (Value::Object(wanted), Value::Object(fields)) => wanted
            .iter()
            .all(|(name, pattern)| fields.get(name).is_some_and(|value| fits(pattern, value))),
        (Value::Array(wanted), Value::Array(items)) => {
            wanted.len() == items.len()
                && wanted.iter().zip(items).all(|(pattern, item)| fits(pattern, item))
        }
        _ => pattern == message,
    }
}

fn with_root(value: &Value, root: &str) -> Value {
    match value {
        Value::String(text) => text.replace("$ROOT", root).into(),
        Value::Array(items) => items.iter().map(|item| with_root(item, root)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), with_root(value, root)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn patterns_match_the_fields_they_list() {
        let message = json!({ "id": 1, "result": { "list": [1, { "a": 2, "b": 3 }] } });
        for (pattern, expected) in [
            (json!({}), true),
            (json!({ "id": 1 }), true),
            (json!({ "id": 2 }), false),
            (json!({ "result": { "list": ["$any", { "b": 3 }] } }), true),
            (json!({ "result": { "list": [1] } }), false),
            (json!({ "error": "$any" }), false),
            (json!("$any"), true),
        ] {
            assert_eq!(fits(&pattern, &message), expected, "{pattern}");
        }
    }
}
