//! Parameters whose shape differs from ours, not only their name.
//!
//! Each function changes only what the tool at hand can take and what has one meaning; everything else
//! stays, and is then refused as an unknown parameter.

use serde_json::{Map, Value, json};

use super::canonical;
use super::table::{snake_case, table};

/// Depth for a listing of everything below a folder. The tool has its own limit.
const ALL_LEVELS: u64 = 200;
/// A `timeout` below this is in seconds, from here on in milliseconds: nobody gives a command less than a
/// second, or a quarter of an hour.
const FIRST_MILLISECONDS: u64 = 1_000;
/// Parameters of one replacement in the lists of `apply_edit`.
const EDIT_PARAMETERS: &[&str] = &[
    "path",
    "old_text",
    "new_text",
    "start_line",
    "end_line",
    "replace_all",
    "patches",
    "expected_hash",
];

/// The tool that takes these arguments, if `tool` does not.
pub(crate) fn other_tool(tool: &str, arguments: &mut Value) -> Option<&'static str> {
    match tool {
        "edit_file" if arguments.get("edits").is_some() => Some("apply_edit"),
        "run_command" => {
            // Some models pass a patch to a shell that has no such program.
            let words = arguments.get("command").or_else(|| arguments.get("cmd"))?.as_array()?;
            let [program, patch] = words.as_slice() else { return None };
            if program != "apply_patch" {
                return None;
            }
            *arguments = json!({ "patch": patch });
            Some("apply_edit")
        }
        _ => None,
    }
}

/// Lets a file pattern match at any depth. One without wildcards is part of a name, for `find_files`.
pub(crate) fn pattern_anywhere<'t>(tool: &'t str, arguments: &mut Value) -> &'t str {
    let Value::Object(fields) = arguments else { return tool };
    let is_pattern = |name: &str| canonical(&["pattern"], &[], name).is_some();
    let pattern = fields.iter_mut().find(|(name, _)| is_pattern(name)).map(|(_, value)| value);
    let Some(Value::String(pattern)) = pattern else { return tool };
    if !pattern.contains(['*', '?', '[', '{']) {
        return "find_files";
    }
    if !pattern.contains('/') {
        pattern.insert_str(0, "**/");
    }
    tool
}

/// Changes values to the type that `schema` asks for: `command` as words, one path in a list.
pub(super) fn reshape_value(schema: &Value, name: &str, value: Value) -> Value {
    let takes = |kind: &str| match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(several) => several.iter().any(|of| of == kind),
        _ => false,
    };
    match value {
        Value::Array(words) if takes("string") && !takes("array") => {
            let all: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            let text = all.and_then(|all| match (name, all.as_slice()) {
                ("command", words) => shell_line(words),
                ("file_pattern", globs) => Some(globs.join(",")),
                (_, [one]) => Some((*one).to_owned()),
                _ => None,
            });
            text.map_or(Value::Array(words), Value::String)
        }
        Value::String(one)
            if takes("array") && !takes("string") && !one.trim_start().starts_with('[') =>
        {
            json!([one])
        }
        other => other,
    }
}

/// The line that runs these words.
fn shell_line(words: &[&str]) -> Option<String> {
    match words {
        ["bash" | "sh" | "/bin/bash" | "/bin/sh", "-c" | "-lc", line] => Some((*line).to_owned()),
        words => shlex::try_join(words.iter().copied()).ok(),
    }
}

/// Changes parameters of other shapes into ours.
pub(super) fn reshape(
    known: &[&str],
    own_aliases: &[(&str, &'static str)],
    given: &mut Map<String, Value>,
) {
    let mut call = Call { known, own_aliases, given };
    if call.has("start_line") && call.has("end_line") {
        call.lines();
    }
    if call.has("file_pattern") {
        call.search();
    }
    if call.has("context_lines") {
        call.context();
    }
    if call.has("position") {
        call.position();
    }
    if call.has("timeout_ms") {
        call.timeout();
    }
    if call.has("max_depth")
        && !call.is_given("max_depth")
        && call.take_where(&["recursive"], Value::is_boolean) == Some(Value::Bool(true))
    {
        call.set("max_depth", json!(ALL_LEVELS));
    }
    if call.has("patches") && call.has("edits") {
        call.edits();
    }
}

struct Call<'c> {
    known: &'c [&'c str],
    own_aliases: &'c [(&'c str, &'static str)],
    given: &'c mut Map<String, Value>,
}

impl Call<'_> {
    fn has(&self, name: &str) -> bool {
        self.known.contains(&name)
    }

    fn key(&self, name: &str) -> Option<String> {
        let means = |key: &&String| canonical(self.known, self.own_aliases, key) == Some(name);
        self.given.keys().find(means).cloned()
    }

    /// Whether a parameter is given, under any of its names.
    fn is_given(&self, name: &str) -> bool {
        self.key(name).is_some()
    }

    fn set(&mut self, name: &str, value: Value) {
        self.given.insert(name.to_owned(), value);
    }

    /// Takes the first parameter of these names, which are not ours, if its value fits.
    fn take_where(&mut self, names: &[&str], fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let key = self.given.iter().find(|(key, value)| {
            let snake = snake_case(key);
            names.contains(&snake.as_str()) && !self.has(key) && !self.has(&snake) && fits(value)
        })?;
        let key = key.0.clone();
        self.given.remove(&key)
    }

    fn take_number(&mut self, names: &[&str]) -> Option<u64> {
        self.take_where(names, |value| number(value).is_some()).as_ref().and_then(number)
    }

    /// `offset` and `limit`, `head`, `view_range`.
    fn lines(&mut self) {
        if self.is_given("start_line") || self.is_given("end_line") {
            return;
        }
        let is_pair =
            |value: &Value| value.as_array().is_some_and(|list| matches!(list.len(), 1 | 2));
        if let Some(range) =
            self.take_where(&["view_range", "line_range", "lines", "range"], is_pair)
        {
            self.set("start_line", range[0].clone());
            // -1 is the end of the file.
            if range[1].as_i64().is_some_and(|end| end > 0) {
                self.set("end_line", range[1].clone());
            }
            return;
        }
        if let Some(head) = self.take_number(&["head"]) {
            self.set("end_line", json!(head.max(1)));
            return;
        }
        if self.has("limit") || self.has("offset") {
            return;
        }
        let offset = self.take_number(&["offset"]);
        let limit = self.take_number(&["limit"]);
        let start = offset.map(|offset| offset.max(1));
        if let Some(start) = start {
            self.set("start_line", json!(start));
        }
        if let Some(limit) = limit {
            self.set("end_line", json!(start.unwrap_or(1).saturating_add(limit.max(1) - 1)));
        }
    }

    /// What ripgrep and the tools built on it take.
    fn search(&mut self) {
        const INSENSITIVE: &[&str] = &["-i", "case_insensitive", "ignore_case"];
        if self.has("case_sensitive")
            && !self.is_given("case_sensitive")
            && let Some(Value::Bool(insensitive)) = self.take_where(INSENSITIVE, Value::is_boolean)
        {
            self.set("case_sensitive", json!(!insensitive));
        }
        const REGEX: &[&str] = &["is_regex", "is_regexp", "regexp", "use_regex"];
        if self.has("literal")
            && !self.is_given("literal")
            && let Some(Value::Bool(regex)) = self.take_where(REGEX, Value::is_boolean)
        {
            self.set("literal", json!(!regex));
        }
        if !self.is_given("file_pattern") {
            let globs = |value: &Value| value.as_str().and_then(|name| table().file_type(name));
            let named = self.take_where(&["type"], |value| globs(value).is_some());
            if let Some(globs) = named.as_ref().and_then(globs) {
                self.set("file_pattern", globs.into());
            }
        }
        self.exclusions();
    }

    /// Excluded globs belong to `file_pattern`, with `!`.
    fn exclusions(&mut self) {
        const EXCLUDE: &[&str] =
            &["exclude", "exclude_pattern", "exclude_patterns", "excludes", "paths_exclude_glob"];
        let Some(excluded) = self.take_where(EXCLUDE, |value| strings(value).is_some()) else {
            return;
        };
        let included = match self.key("file_pattern").and_then(|key| self.given.remove(&key)) {
            Some(value) => strings(&value).unwrap_or_default(),
            None => Vec::new(),
        };
        let excluded = strings(&excluded).unwrap_or_default();
        let excluded = excluded.iter().flat_map(|list| list.split(',')).map(str::trim);
        let excluded = excluded.filter(|glob| !glob.is_empty()).map(|glob| format!("!{glob}"));
        let globs: Vec<String> = included.into_iter().chain(excluded).collect();
        if !globs.is_empty() {
            self.set("file_pattern", globs.join(",").into());
        }
    }

    /// Context before and after: we show the larger on both sides.
    fn context(&mut self) {
        if self.is_given("context_lines") {
            return;
        }
        let mut lines = None;
        for names in [
            ["-A", "after_context", "context_after", "context_lines_after", "lines_after"],
            ["-B", "before_context", "context_before", "context_lines_before", "lines_before"],
            ["-C", "-C", "-C", "-C", "-C"],
        ] {
            lines = lines.max(self.take_number(&names));
        }
        if let Some(lines) = lines {
            self.set("context_lines", json!(lines));
        }
    }

    /// `line` (1-based, as everywhere) with `column` (1-based) or LSP's `character` (0-based).
    fn position(&mut self) {
        if self.is_given("position") || self.is_given("name") {
            return;
        }
        let line = self.given.iter().find(|(key, value)| {
            canonical(&["line"], &[], key).is_some() && number(value).is_some_and(|line| line > 0)
        });
        let Some((key, line)) = line.and_then(|(key, line)| Some((key.clone(), number(line)?)))
        else {
            return;
        };
        let column = self.given.iter().find_map(|(key, value)| {
            let of = canonical(&["column", "character"], &[], key)?;
            let number = number(value)?;
            let character = if of == "column" { number.checked_sub(1)? } else { number };
            Some((key.clone(), character))
        });
        let Some((column, character)) = column else { return };
        self.given.remove(&key);
        self.given.remove(&column);
        self.set("position", json!({ "line": line - 1, "character": character }));
    }

    fn timeout(&mut self) {
        if self.is_given("timeout_ms") && !self.given.contains_key("timeout") {
            return;
        }
        const SECONDS: &[&str] = &["timeout_s", "timeout_sec", "timeout_seconds", "timeout_secs"];
        let seconds = match self.given.get("timeout").and_then(number) {
            Some(seconds) if seconds < FIRST_MILLISECONDS => {
                self.given.remove("timeout");
                Some(seconds)
            }
            Some(_) => None,
            None => self.take_number(SECONDS),
        };
        if let Some(seconds) = seconds
            && !self.is_given("timeout_ms")
        {
            self.set("timeout_ms", json!(seconds.saturating_mul(1_000)));
        }
    }

    /// The entries of lists of edits have other names, too.
    fn edits(&mut self) {
        let lists = ["patches", "edits"].map(|name| self.key(name));
        for key in lists.into_iter().flatten() {
            let Some(list) = self.given.get_mut(&key) else { continue };
            if let Value::String(text) = list
                && let Ok(parsed @ Value::Array(_)) = serde_json::from_str(text)
            {
                *list = parsed;
            }
            for entry in list.as_array_mut().into_iter().flatten() {
                rename_edit(entry);
            }
        }
    }
}

/// Renames the fields of an edit, and of the patches in it.
fn rename_edit(entry: &mut Value) {
    let Value::Object(fields) = entry else { return };
    for name in fields.keys().cloned().collect::<Vec<_>>() {
        let snake = snake_case(&name);
        let ours = canonical(EDIT_PARAMETERS, &[], &name);
        match ours {
            Some("patches") => {
                let patches = fields.get_mut(&name).and_then(Value::as_array_mut);
                patches.into_iter().flatten().for_each(rename_edit);
            }
            Some(ours) if ours != name && !fields.contains_key(ours) => {
                if let Some(value) = fields.remove(&name) {
                    fields.insert(ours.to_owned(), value);
                }
            }
            None if table().ignores(&snake, &fields[&name]) => {
                fields.remove(&name);
            }
            _ => {}
        }
    }
}

/// A whole number, also as text.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be small, whole and not negative"
        )]
        Value::Number(number) => number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            (float.fract() == 0.0 && (0.0..9e15).contains(&float)).then_some(float as u64)
        }),
        _ => None,
    }
}

/// A text, or a list of texts.
fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(list) => list.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}
