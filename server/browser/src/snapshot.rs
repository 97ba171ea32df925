//! `browser_snapshot`: what is on the page, as lines with references.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use web::{PAGE_CONTENT, push, push_page, push_rest};

use crate::call::Call;
use crate::limits::ACTION_TIMEOUT;
use crate::report::{PageReport, push_report};
use crate::snapshots::SnapshotKey;

pub(crate) struct BrowserSnapshot;

/// Tokens of a snapshot unless the caller sets another limit.
const DEFAULT_TOKENS: usize = 2_000;
/// Most tokens of a snapshot.
const MAX_TOKENS: usize = 12_000;
/// Bytes of a token, roughly: lines of a snapshot are short English words, names and brackets.
const BYTES_PER_TOKEN: usize = 4;
/// Nesting of frames that is followed.
const MAX_FRAME_DEPTH: usize = 5;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only what is inside this element: a reference (`e12`), CSS, or `text=Save`.
    #[serde(default)]
    selector: Option<String>,
    /// Tokens, at most 12,000; 2,000 by default. Long lists are cut first.
    #[serde(default)]
    max_tokens: Option<usize>,
    /// Return the whole snapshot, even if only a little is different from the last one.
    #[serde(default)]
    full: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The page's URL.
    url: String,
    /// Its title: text of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Lines with role, name, reference, states and value, indented by nesting.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<String>,
    /// What is different from the last snapshot, in its place: lines that begin with `+` or `-`, and with a space
    /// for context.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<String>,
    /// Says that both are text of the page.
    content_is: &'static str,
    /// Whether something was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(flatten)]
    page: PageReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Deserialize)]
struct Rendered {
    #[serde(default)]
    gone: bool,
    #[serde(default)]
    lines: Vec<String>,
    #[serde(default)]
    frames: Vec<FrameLine>,
    #[serde(default)]
    left: u64,
    #[serde(default, rename = "isWhole")]
    is_whole: bool,
}

/// A line that stands for a frame.
#[derive(Deserialize)]
struct FrameLine {
    line: usize,
    depth: usize,
    #[serde(rename = "ref")]
    reference: u64,
}

impl Tool for BrowserSnapshot {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_snapshot";
    const DESCRIPTION: &'static str = "Read the open page: roles, names, values and states of what is on it, with \
        references (`e12`) that other tools take as `selector`. A repeated call returns only what is different. Long \
        lists are cut to the token budget; `selector` shows one part.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("ref", "selector"), ("target", "selector")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        let report = json!({ "url": result["url"], "title": result["title"] });
        push_report(&mut text, &report);
        let mut rest = result.clone();
        rest["url"] = Value::Null;
        rest["title"] = Value::Null;
        push_report(&mut text, &rest);
        if let Some(snapshot) = result["snapshot"].as_str() {
            push_page(&mut text, snapshot);
        } else if let Some(changes) = result["changes"].as_str() {
            if changes.is_empty() {
                push(&mut text, "the page is as in the last snapshot");
            } else {
                push(&mut text, "different from the last snapshot:");
                push_page(&mut text, changes);
            }
        }
        push_rest(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.max_tokens.is_some_and(|tokens| !(100..=MAX_TOKENS).contains(&tokens)) {
            let message = format!("{}: `max_tokens` is 100 to {MAX_TOKENS}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, None, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        let before = call.before();
        let (url, number) = call.browser.pages.with(|pages| {
            pages
                .page(&call.session)
                .map_or_else(Default::default, |page| (page.url.clone(), page.number))
        });
        if call.open_dialog().is_some() {
            // The page shows nothing before it is answered.
            let page = call.report(&before);
            let note = Some("the page waits for an answer to its dialog".to_owned());
            return Ok(Output {
                url,
                title: None,
                snapshot: None,
                changes: None,
                content_is: PAGE_CONTENT,
                truncated: false,
                page,
                note,
            });
        }
        let most = params.max_tokens.unwrap_or(DEFAULT_TOKENS) * BYTES_PER_TOKEN;
        let top = params.selector.as_deref().map(|selector| call.find(selector)).transpose()?;
        let main = call.frames().into_iter().next().unwrap_or_default();
        let (frame, reference) = match &top {
            Some(element) => (element.frame.clone(), Some(element.reference)),
            None => (main, None),
        };
        let mut reader = Reader { call: &call, left: most, is_cut: false };
        let lines = reader.read(&frame, reference, 0)?;
        let truncated = reader.is_cut;
        let key = SnapshotKey { page: number, url: url.clone(), top: reference, most };
        let last = call.browser.snapshots.replace(key, lines.clone());
        let changes = last.filter(|_| !params.full).map(|last| changes(&last, &lines));
        let whole = lines.join("\n");
        // Changes of most of the page are longer than the page.
        let changes = changes.filter(|changes| changes.len() < whole.len() || changes.is_empty());
        let title = call.title();
        let page = call.report(&before);
        let note = (truncated && changes.is_none()).then(|| {
            "long lists were cut; `selector` shows one part, `max_tokens` more".to_owned()
        });
        let snapshot = changes.is_none().then_some(whole);
        Ok(Output {
            url,
            title,
            snapshot,
            changes,
            content_is: PAGE_CONTENT,
            truncated,
            page,
            note,
        })
    }
}

struct Reader<'c> {
    call: &'c Call<'c>,
    /// Bytes that are left.
    left: usize,
    is_cut: bool,
}

impl Reader<'_> {
    fn read(
        &mut self,
        frame: &str,
        reference: Option<u64>,
        depth: usize,
    ) -> Result<Vec<String>, ToolError> {
        let argument = json!({ "ref": reference, "most": self.left });
        let rendered: Result<Rendered, _> = self.call.run(frame, "snapshot", &argument);
        let rendered = match rendered {
            // The main frame is in the middle of a navigation.
            Err(error) if error.is_stale() && depth == 0 => {
                self.call.wait_until(|| {
                    self.call.browser.pages.with(|pages| {
                        pages.page(&self.call.session).is_none_or(|page| {
                            page.frames.context(frame, crate::page::World::Own).is_some()
                        })
                    })
                })?;
                self.call.run(frame, "snapshot", &argument)
            }
            other => other,
        };
        let rendered: Rendered = match rendered {
            Ok(rendered) => rendered,
            Err(error) if error.is_stale() && depth > 0 => return Ok(Vec::new()),
            Err(error) => return Err(self.call.failed(&error)),
        };
        if rendered.gone && reference.is_some() {
            return Err(self.call.gone());
        }
        self.is_cut |= rendered.left > 0
            || !rendered.is_whole
            || rendered.lines.iter().any(|line| line.contains("- … "));
        let size: usize = rendered.lines.iter().map(|line| line.len() + 1).sum();
        self.left = self.left.saturating_sub(size);
        let mut lines = Vec::with_capacity(rendered.lines.len());
        let mut frames = rendered.frames.into_iter().peekable();
        for (number, line) in (1..).zip(rendered.lines) {
            lines.push(line);
            while let Some(inner) = frames.next_if(|inner| inner.line == number) {
                if depth >= MAX_FRAME_DEPTH {
                    continue;
                }
                let indent = "  ".repeat(inner.depth);
                let inside = self.inner(frame, inner.reference, depth)?;
                lines.extend(inside.into_iter().map(|line| format!("{indent}{line}")));
            }
        }
        Ok(lines)
    }

    /// The lines of the frame that an element holds.
    fn inner(
        &mut self,
        frame: &str,
        reference: u64,
        depth: usize,
    ) -> Result<Vec<String>, ToolError> {
        let Ok(object) = self.call.object(frame, reference) else { return Ok(Vec::new()) };
        let node = self.call.command("DOM.describeNode", json!({ "objectId": object }))?;
        let inner = node["node"]["frameId"].as_str();
        match inner {
            Some(inner) => self.read(inner, None, depth + 1),
            None => Ok(Vec::new()),
        }
    }
}

/// The lines that are different, each run with the nearest lines above it that are indented less.
fn changes(before: &[String], after: &[String]) -> String {
    let (before, after) = (before.join("\n"), after.join("\n"));
    let diff = TextDiff::from_lines(&before, &after);
    let mut text = String::new();
    for group in diff.grouped_ops(1) {
        for operation in group {
            for change in diff.iter_changes(&operation) {
                let sign = match change.tag() {
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                    ChangeTag::Equal => ' ',
                };
                text.push(sign);
                text.push_str(change.value().trim_end_matches('\n'));
                text.push('\n');
            }
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_lines_with_context() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let before = lines("- list\n  - a\n  - b\n  - c\n- end");
        let after = lines("- list\n  - a\n  - x\n  - c\n- end");
        assert_eq!(changes(&before, &after), "   - a\n-  - b\n+  - x\n   - c");
        assert_eq!(changes(&before, &before), "");
    }
}
