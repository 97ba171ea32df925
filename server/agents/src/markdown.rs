//! Markdown documents: front matter, title, and the tool calls in fenced blocks.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use saphyr::{LoadableYamlNode, Yaml};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Fences whose content is run as a shell command.
const SHELL_FENCES: &[&str] = &["sh", "bash", "shell"];
/// Fences whose content is tool calls: `TOOL {"parameter": …}`.
const CALL_FENCE: &str = "tandem";
/// Longest front matter, in bytes. YAML aliases can multiply it, so it is short.
const MAX_FRONT_MATTER_BYTES: usize = 16 << 10;
/// Steps of one document.
const MAX_STEPS: usize = 500;

/// What a document says of itself.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) tags: Vec<String>,
}

/// A tool call that a document lists.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Step {
    /// Counted from 1.
    number: usize,
    /// The heading above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// Its line in the document, 1-based.
    line: usize,
    /// The tool to call.
    tool: String,
    /// The arguments of the call.
    arguments: Value,
}

/// A fenced block that is meant as a step and cannot be read as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Its line in the document, 1-based.
    line: usize,
    /// What is wrong.
    message: String,
}

/// Reads the front matter and the title. Front matter is YAML between lines of `---`; what cannot be read
/// counts as missing.
pub(crate) fn header(text: &str) -> Header {
    let (front, body) = split_front_matter(text);
    let mut header = front.map(read_front_matter).unwrap_or_default();
    header.title = header.title.or_else(|| first_heading(body));
    header.description = header.description.or_else(|| first_paragraph(body));
    header
}

/// The tool calls in fenced blocks, in order, and the blocks with mistakes.
pub(crate) fn steps(text: &str) -> (Vec<Step>, Vec<Problem>) {
    let (mut steps, mut problems) = (Vec::new(), Vec::new());
    let (front, body) = split_front_matter(text);
    let offset = front.map_or(0, |_| text.len() - body.len());
    let line_of = |at: usize| text[..offset + at].matches('\n').count() + 1;
    let (mut heading, mut in_heading) = (None::<String>, false);
    let mut block = None::<(String, String, usize)>;
    for (event, range) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                (heading, in_heading) = (Some(String::new()), true)
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let language = info.split_whitespace().next().unwrap_or_default().to_owned();
                block = Some((language, String::new(), line_of(range.start)));
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some((language, code, line)) = block.take() else { continue };
                if steps.len() >= MAX_STEPS {
                    continue;
                }
                let calls = match language.as_str() {
                    CALL_FENCE => calls(&code),
                    shell if SHELL_FENCES.contains(&shell) && !code.trim().is_empty() => {
                        Ok(vec![("run_command".to_owned(), json!({ "command": code.trim() }))])
                    }
                    _ => Ok(Vec::new()),
                };
                match calls {
                    Ok(calls) => {
                        for (tool, arguments) in calls {
                            let (number, heading) = (steps.len() + 1, heading.clone());
                            steps.push(Step { number, heading, line, tool, arguments });
                        }
                    }
                    Err(message) => problems.push(Problem { line, message }),
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, code, _)) = &mut block {
                    code.push_str(&text);
                } else if let Some(heading) = heading.as_mut().filter(|_| in_heading) {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    (steps, problems)
}

/// The calls in a block: names of tools, each followed by a JSON object of arguments, which may be left
/// out.
fn calls(code: &str) -> Result<Vec<(String, Value)>, String> {
    let mut calls = Vec::new();
    let mut rest = code.trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (tool, after) = rest.split_at(end);
        if tool.is_empty() {
            let shown: String = rest.chars().take(30).collect();
            return Err(format!("expected the name of a tool, found `{shown}`"));
        }
        rest = after.trim_start();
        let mut arguments = json!({});
        if rest.starts_with('{') {
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            arguments = match values.next() {
                Some(Ok(value)) => value,
                Some(Err(error)) => return Err(format!("the arguments of `{tool}`: {error}")),
                None => return Err(format!("the arguments of `{tool}` are missing")),
            };
            rest = rest[values.byte_offset()..].trim_start();
        }
        calls.push((tool.to_owned(), arguments));
    }
    Ok(calls)
}

fn split_front_matter(text: &str) -> (Option<&str>, &str) {
    let Some(after) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return (None, text);
    };
    let mut at = 0;
    for line in after.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (Some(&after[..at]), &after[at + line.len()..]);
        }
        at += line.len();
        if at > MAX_FRONT_MATTER_BYTES {
            break;
        }
    }
    (None, text)
}

fn read_front_matter(front: &str) -> Header {
    // An alias stands for all of what it names, so that a few lines of aliases unfold without end.
    let has_aliases = front.contains(['*', '&']);
    let documents =
        if has_aliases { Vec::new() } else { Yaml::load_from_str(front).unwrap_or_default() };
    let Some(document) = documents.first() else { return Header::default() };
    let text = |key: &str| {
        let text = document.as_mapping_get(key)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let tags = document.as_mapping_get("tags");
    let tags = match tags.and_then(|tags| tags.as_str()) {
        Some(list) => list.split(',').map(|tag| tag.trim().to_owned()).collect(),
        None => {
            let list = tags.and_then(|tags| tags.as_vec()).into_iter().flatten();
            list.filter_map(|tag| tag.as_str()).map(str::to_owned).collect()
        }
    };
    Header { name: text("name"), title: text("title"), description: text("description"), tags }
}

fn first_heading(body: &str) -> Option<String> {
    text_of_first(body, |tag| matches!(tag, Tag::Heading { level: HeadingLevel::H1, .. }))
}

fn first_paragraph(body: &str) -> Option<String> {
    text_of_first(body, |tag| matches!(tag, Tag::Paragraph))
}

fn text_of_first(body: &str, is_wanted: fn(&Tag<'_>) -> bool) -> Option<String> {
    let mut events = Parser::new(body);
    let started = events.by_ref().find_map(|event| match event {
        Event::Start(tag) if is_wanted(&tag) => Some(tag.to_end()),
        _ => None,
    })?;
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(end) if end == started => break,
            _ => {}
        }
    }
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNBOOK: &str = "\
---
title: Release
description: Cut a release
tags: [release, checks]
---
# Releasing

Do it on a Monday.

## Check

```tandem
git_status {}
grep_search {\"pattern\": \"TODO\"}
```

## Build `all`

```sh
cargo build --release
```

```rust
fn not_a_step() {}
```

```tandem
read_file {\"path\":
```
";

    #[test]
    fn a_runbook_with_steps() {
        let header = header(RUNBOOK);
        assert_eq!(header.title.as_deref(), Some("Release"));
        assert_eq!(header.description.as_deref(), Some("Cut a release"));
        assert_eq!(header.tags, ["release", "checks"]);
        let (steps, problems) = steps(RUNBOOK);
        let short: Vec<_> = steps
            .iter()
            .map(|step| (step.number, step.heading.as_deref(), step.line, step.tool.as_str()))
            .collect();
        assert_eq!(
            short,
            [
                (1, Some("Check"), 12, "git_status"),
                (2, Some("Check"), 12, "grep_search"),
                (3, Some("Build all"), 19, "run_command"),
            ]
        );
        assert_eq!(steps[1].arguments, json!({ "pattern": "TODO" }));
        assert_eq!(steps[2].arguments, json!({ "command": "cargo build --release" }));
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].line, 27);
        assert!(problems[0].message.contains("`read_file`"), "{problems:?}");
    }

    #[test]
    fn documents_without_front_matter() {
        let header = header("# On `call`\n\nWhat to do when\nit rings.\n\nMore.\n");
        assert_eq!(header.title.as_deref(), Some("On call"));
        assert_eq!(header.description.as_deref(), Some("What to do when it rings."));
        assert_eq!(super::header(""), Header::default());
        assert_eq!(super::header("---\nname: x\n"), Header { ..super::header("---\nname: x\n") });
    }

    #[test]
    fn hostile_front_matter_is_ignored() {
        let bomb = "---\na: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\ntitle: *b\n---\n# T\n";
        assert_eq!(header(bomb).title.as_deref(), Some("T"));
        let long = format!("---\n{}\n---\n# T\n", "k: v\n".repeat(10_000));
        assert_eq!(header(&long).tags, Vec::<String>::new());
        let deep = format!("---\ntitle: {}{}\n---\n# T\n", "[".repeat(5000), "]".repeat(5000));
        assert_eq!(header(&deep).title.as_deref(), Some("T"));
    }
}
