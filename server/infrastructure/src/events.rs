//! The machine-readable log of `plan -json` and `apply -json`: one JSON object a line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attributes::shortened;
use crate::limits::{MAX_EVENTS, MAX_LINE_BYTES};

/// Splits bytes into lines. What is longer than a limit is left out.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    pub(crate) fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(&[u8])) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_end = part.ends_with(b"\n");
            if self.line.len() + part.len() > MAX_LINE_BYTES {
                self.is_too_long = true;
                self.line.clear();
            } else if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            if is_end {
                self.finish(each);
            }
        }
    }

    pub(crate) fn finish(&mut self, each: &mut dyn FnMut(&[u8])) {
        if !self.is_too_long && !self.line.is_empty() {
            each(&self.line);
        }
        self.line.clear();
        self.is_too_long = false;
    }
}

/// A problem that the program reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Diagnostic {
    /// `error` or `warning`.
    pub(crate) severity: String,
    /// What is wrong.
    pub(crate) message: String,
    /// The file, from the configuration's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u64>,
    /// The resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<String>,
}

/// A step of an apply that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Step {
    /// The resource.
    pub(crate) address: String,
    /// `create`, `update`, `delete`, `read`.
    pub(crate) action: String,
    /// How long it took, in seconds.
    pub(crate) seconds: u64,
}

/// What a log reports.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Steps that were done, in order.
    pub(crate) done: Vec<Step>,
    /// Steps that failed.
    pub(crate) failed: Vec<Step>,
    /// Steps that began and have not ended.
    begun: BTreeMap<String, String>,
    /// The program's version.
    pub(crate) version: Option<String>,
}

/// Longest detail of a diagnostic, in characters.
const MAX_DETAIL_CHARS: usize = 1_000;

impl Log {
    /// Reads one line; what is no event is left out. Returns what a person reads of the progress.
    pub(crate) fn read(&mut self, line: &[u8]) -> Option<String> {
        let event: Value = serde_json::from_slice(line).ok()?;
        let hook = &event["hook"];
        let step = || {
            Some(Step {
                address: shortened(hook["resource"]["addr"].as_str()?),
                action: shortened(hook["action"].as_str()?),
                seconds: hook["elapsed_seconds"].as_u64().unwrap_or(0),
            })
        };
        match event["type"].as_str()? {
            "version" => {
                let version = event["terraform"].as_str().or(event["tofu"].as_str());
                self.version = version.map(shortened);
                None
            }
            "diagnostic" => {
                if self.diagnostics.len() < MAX_EVENTS {
                    self.diagnostics.extend(diagnostic(&event["diagnostic"]));
                }
                None
            }
            "planned_change" => event["change"]["resource"]["addr"]
                .as_str()
                .map(|addr| format!("planned {}", shortened(addr))),
            "apply_start" => {
                let step = step()?;
                if self.begun.len() < MAX_EVENTS {
                    self.begun.insert(step.address.clone(), step.action.clone());
                }
                Some(format!("{} {}", step.action, step.address))
            }
            "apply_complete" => {
                let step = step()?;
                self.begun.remove(&step.address);
                let shown = format!("done: {} {}", step.action, step.address);
                if self.done.len() < MAX_EVENTS {
                    self.done.push(step);
                }
                Some(shown)
            }
            "apply_errored" => {
                let step = step()?;
                self.begun.remove(&step.address);
                let shown = format!("failed: {} {}", step.action, step.address);
                if self.failed.len() < MAX_EVENTS {
                    self.failed.push(step);
                }
                Some(shown)
            }
            _ => None,
        }
    }

    /// Steps of which it is not known whether they were done.
    pub(crate) fn unknown(&self) -> Vec<String> {
        self.begun.iter().map(|(address, action)| format!("{action} {address}")).collect()
    }

    /// The first error.
    pub(crate) fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|one| one.severity == "error")
    }
}

fn diagnostic(value: &Value) -> Option<Diagnostic> {
    let text = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        plain.take(MAX_DETAIL_CHARS).collect::<String>()
    };
    let (summary, detail) = (text(&value["summary"]), text(&value["detail"]));
    let message = if detail.is_empty() { summary } else { format!("{summary}: {detail}") };
    let start = &value["range"]["start"];
    Some(Diagnostic {
        severity: shortened(value["severity"].as_str()?),
        message,
        file: value["range"]["filename"].as_str().map(shortened),
        line: start["line"].as_u64(),
        column: start["column"].as_u64(),
        address: value["address"].as_str().map(shortened),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_log_lists_what_was_done() {
        let lines = br#"no event
{"type":"apply_start","hook":{"resource":{"addr":"a"},"action":"create"}}
{"type":"apply_start","hook":{"resource":{"addr":"b"},"action":"create"}}
{"type":"apply_start","hook":{"resource":{"addr":"c"},"action":"delete"}}
{"type":"apply_complete","hook":{"resource":{"addr":"a"},"action":"create","elapsed_seconds":2}}
{"type":"apply_errored","hook":{"resource":{"addr":"b"},"action":"create","elapsed_seconds":0}}
{"type":"diagnostic","diagnostic":{"severity":"error","summary":"No","detail":"way","address":"b","range":{"filename":"main.tf","start":{"line":3,"column":4}}}}"#;
        let (mut log, mut pieces) = (Log::default(), Lines::default());
        for piece in lines.chunks(7) {
            pieces.push(piece, &mut |line| drop(log.read(line)));
        }
        pieces.finish(&mut |line| drop(log.read(line)));
        assert_eq!((log.done.len(), log.done[0].seconds, log.failed.len()), (1, 2, 1));
        assert_eq!(log.unknown(), ["delete c"]);
        let error = log.first_error().unwrap();
        assert_eq!((error.message.as_str(), error.line), ("No: way", Some(3)));
    }

    #[test]
    fn a_line_without_end_is_left_out() {
        let (mut lines, mut seen) = (Lines::default(), Vec::new());
        let long = vec![b'x'; MAX_LINE_BYTES];
        for piece in [&long[..], &long[..], b"\n", b"short\n"] {
            lines.push(piece, &mut |line| seen.push(line.to_vec()));
        }
        assert_eq!(seen, [b"short\n"]);
    }
}
