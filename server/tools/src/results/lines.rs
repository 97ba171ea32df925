//! Results as lines for a model: what [`Tool::text`](crate::Tool::text) is made of.
//!
//! The functions read a result's JSON and tolerate missing fields: it may be cut, lean, or of a
//! server of another version.

use std::fmt::Write;

use serde_json::Value;

/// A text field, empty if missing.
pub fn str_at<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

/// A number field, 0 if missing.
pub fn number_at(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_default()
}

/// A list field, empty if missing.
pub fn list_at<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of a list field.
pub fn strings_at<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    list_at(value, field).iter().filter_map(Value::as_str).collect()
}

/// Lines that are being collected.
#[derive(Default)]
pub struct Lines(String);

impl Lines {
    /// Adds a line.
    pub fn push(&mut self, line: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
    }

    /// Adds a text of several lines. It starts on a line of its own.
    pub fn push_text(&mut self, text: &str) {
        self.0.push_str(text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.0.push('\n');
        }
    }

    /// Whether there is no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds entries below their paths: `path:rest` for a single one, otherwise the path and an
    /// indented line for each. `entries` are `(path, rest)`; those of one path follow each other.
    pub fn push_by_path(&mut self, entries: &[(&str, String)]) {
        for group in entries.chunk_by(|one, other| one.0 == other.0) {
            match group {
                [(path, rest)] => self.push(format_args!("{path}:{rest}")),
                [(path, _), ..] => {
                    self.push(path);
                    for (_, rest) in group {
                        self.push(format_args!("  {rest}"));
                    }
                }
                [] => {}
            }
        }
    }

    /// Adds a list of `{path, line, text, why?}`, such as uncertain uses, below a heading.
    pub fn push_places(&mut self, heading: &str, places: &[Value]) {
        if places.is_empty() {
            return;
        }
        self.push(format_args!("{heading}:"));
        let entry = |place: &Value| {
            let path = place["path"].as_str().unwrap_or("outside the workspace").to_owned();
            let why = match str_at(place, "why") {
                "" => String::new(),
                why => format!(" ({why})"),
            };
            (path, format!("{}: {}{why}", number_at(place, "line"), str_at(place, "text")))
        };
        let entries: Vec<_> = places.iter().map(entry).collect();
        let entries: Vec<_> =
            entries.iter().map(|(path, rest)| (path.as_str(), rest.clone())).collect();
        self.push_by_path(&entries);
    }

    /// Adds what a list lacks: a next page, hidden files, files that are not indexed yet.
    pub fn push_rest(&mut self, result: &Value) {
        if let Some(cursor) = result["next_cursor"].as_str() {
            self.push(format_args!("[more: cursor {cursor}]"));
        } else if result["truncated"] == true {
            self.push("[more was left out]");
        }
        if let Some(note) = result["note"].as_str() {
            self.push(format_args!("[{note}]"));
        }
        if let Some(hidden) = result["hidden"].as_u64() {
            self.push(format_args!("[{hidden} more in files that rules hide]"));
        }
        if let Some(progress) = result["reading"].as_str() {
            self.push(format_args!("[indexing, {progress}: there may be more]"));
        }
        if result["incomplete"] == true {
            self.push("[incomplete: a file or folder could not be searched]");
        }
        if let Some(count) = result["unsure"].as_u64() {
            self.push_places("uncertain", list_at(result, "unsure_places"));
            if list_at(result, "unsure_places").is_empty() {
                self.push(format_args!("[{count} uncertain uses: include_unsure lists them]"));
            }
        }
    }

    /// The lines, without the last line ending; `empty` if there are none.
    pub fn finish(mut self, empty: &str) -> String {
        if self.0.is_empty() {
            return empty.to_owned();
        }
        if self.0.ends_with('\n') {
            self.0.pop();
        }
        self.0
    }
}

/// `1 file`, `2 files`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `12`, or `12-30` if the end differs.
pub fn line_range(start: u64, end: u64) -> String {
    if end > start { format!("{start}-{end}") } else { start.to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_of_one_path_share_its_line() {
        let mut lines = Lines::default();
        let entry = |path, rest: &str| (path, rest.to_owned());
        lines.push_by_path(&[entry("a", "1: x"), entry("b", "2: y"), entry("b", "3: z")]);
        assert_eq!(lines.finish(""), "a:1: x\nb\n  2: y\n  3: z");
    }

    #[test]
    fn says_what_is_missing() {
        let mut lines = Lines::default();
        let places = json!([{ "path": "a", "line": 3, "text": "x()", "why": "any type" }]);
        lines.push_rest(&json!({ "next_cursor": "7", "truncated": true, "hidden": 2,
            "unsure": 1, "unsure_places": places }));
        let text =
            "[more: cursor 7]\n[2 more in files that rules hide]\nuncertain:\na:3: x() (any type)";
        assert_eq!(lines.finish("nothing"), text);
        assert_eq!(Lines::default().finish("nothing"), "nothing");
    }
}
