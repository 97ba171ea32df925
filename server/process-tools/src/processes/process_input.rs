//! `process_input`: types into a process, or changes its terminal.

use std::time::Duration;

use process::{InputError, TerminalSize, WaitRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::display::{Page, push_page};
use super::keys::{key_bytes, only_interrupts};
use super::process_output::last_line;
use super::readiness::{self, Waited};
use super::session_processes::{find, processes};
use super::status::Status;
use tools::{Code, Context, Effect, EffectKind, Target, Tool, ToolError, results::Lines};

pub(crate) struct ProcessInput;

/// Limit for the text of a call, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// Limit for the keys of a call.
const MAX_KEYS: usize = 1_000;
/// How long a process gets to read its input.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_TERMINAL_SIZE: u16 = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its id or name.
    id: String,
    /// The text to type.
    #[serde(default)]
    text: Option<String>,
    /// False: no new line after the text.
    #[serde(default = "yes")]
    newline: bool,
    /// Keys to press after the text, on a terminal: `ctrl-c`, `up`, `enter`, `tab`, `escape`, …
    #[serde(default)]
    keys: Vec<String>,
    /// End the input.
    #[serde(default)]
    eof: bool,
    /// New size of the terminal, in rows.
    #[serde(default)]
    rows: Option<u16>,
    /// New size of the terminal, in columns.
    #[serde(default)]
    columns: Option<u16>,
    /// Wait for a new line of output that matches this regular expression, such as a prompt.
    #[serde(default)]
    wait_for: Option<String>,
    /// How long to wait for that, or for any output, in milliseconds; 30,000 with `wait_for`,
    /// otherwise 0.
    #[serde(default)]
    wait_ms: Option<u64>,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Bytes that were written.
    written: usize,
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    status: Status,
    /// Why the wait ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited: Option<Waited>,
}

impl Tool for ProcessInput {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "process_input";
    const DESCRIPTION: &'static str = "Type text or keys into a process that `process_start` \
        started, end its input, or resize its terminal. `wait_for` waits for a line of output; \
        returns the output since. Text needs approval; ctrl-c, ctrl-d and ctrl-z do not.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("name", "id"),
        ("process_id", "id"),
        ("input", "text"),
        ("cols", "columns"),
        ("pattern", "wait_for"),
        ("timeout_ms", "wait_ms"),
    ];
    const VERBOSE_FIELDS: &'static [&'static str] = &["written"];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        push_page(&mut lines, result);
        lines.push(last_line(result));
        Some(lines.finish(""))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let input = params.input()?;
        let process = find(context, Self::NAME, &params.id)?;
        if params.text.is_none() && params.keys.iter().all(|key| only_interrupts(key)) {
            return Ok(Vec::new());
        }
        // Typing into a shell or an interpreter runs code.
        let command = processes(context).command(&process).map(|command| command.line);
        let name = format!("input of process {}: {}", process.id(), command.unwrap_or_default());
        let target = Target::Named(name);
        Ok(vec![Effect { kind: EffectKind::Execute, target, detail: Some(input) }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let input = params.input()?;
        let process = find(context, Self::NAME, &params.id)?;
        let refused = |error: InputError| not_written(process.id(), error);
        if !params.keys.is_empty() && !process.is_terminal() {
            let message = format!("{}: process {} has no terminal", Self::NAME, process.id());
            return Err(ToolError::new(Code::Unsupported, message)
                .hint("`process_kill` sends signals; start it with `pty: true` for keys"));
        }
        let pattern = params.wait_for.as_deref();
        let pattern = pattern.map(|text| readiness::pattern(Self::NAME, text)).transpose()?;
        if params.rows.is_some() || params.columns.is_some() {
            process.resize(params.size()).map_err(refused)?;
        }
        let (_, before) = process.output_range();
        process.write(input.as_bytes(), READ_TIMEOUT).map_err(refused)?;
        if params.eof {
            process.end_input(READ_TIMEOUT).map_err(refused)?;
        }
        let wait_ms = readiness::wait_ms(Self::NAME, "wait_ms", params.wait_ms)?;
        let request = match (pattern, params.wait_ms) {
            (Some(pattern), _) => {
                Some(WaitRequest { pattern: Some((pattern, before)), ..WaitRequest::default() })
            }
            (None, Some(1..)) => {
                Some(WaitRequest { output_after: Some(before), ..WaitRequest::default() })
            }
            (None, _) => None,
        };
        let waited = request
            .map(|request| readiness::wait(context, Self::NAME, &process, &request, wait_ms))
            .transpose()?;
        context.workspace.files_may_have_changed();
        let status = Status::of(&process);
        let page = match waited {
            Some(_) => Page::from_cursor(&process, before, false),
            None => Page { next_cursor: before.to_string(), ..Page::default() },
        };
        Ok(Output { written: input.len(), page, status, waited })
    }
}

impl Params {
    /// What is typed.
    fn input(&self) -> Result<String, ToolError> {
        let tool = ProcessInput::NAME;
        let invalid =
            |why: &str| Err(ToolError::new(Code::InvalidParams, format!("{tool}: {why}")));
        let resizes = self.rows.is_some() || self.columns.is_some();
        if self.text.is_none() && self.keys.is_empty() && !self.eof && !resizes {
            return invalid("`text`, `keys`, `eof`, or `rows` and `columns` are needed");
        }
        if self.text.as_ref().is_some_and(|text| text.len() > MAX_TEXT_BYTES) {
            let message = format!("{tool}: `text` exceeds {MAX_TEXT_BYTES} bytes");
            return Err(ToolError::new(Code::TooLarge, message).hint("send it in parts"));
        }
        if self.keys.len() > MAX_KEYS {
            return invalid(&format!("`keys` are more than {MAX_KEYS}"));
        }
        if resizes {
            let sides = [self.rows, self.columns];
            if !sides.iter().all(|side| side.is_some_and(|n| (1..=MAX_TERMINAL_SIZE).contains(&n)))
            {
                return invalid(&format!(
                    "`rows` and `columns` go together and are from 1 to {MAX_TERMINAL_SIZE}"
                ));
            }
        }
        readiness::wait_ms(tool, "wait_ms", self.wait_ms)?;
        let mut input = self.text.clone().unwrap_or_default();
        if self.text.is_some() && self.newline {
            input.push('\n');
        }
        for key in &self.keys {
            input.push_str(&key_bytes(tool, key)?);
        }
        Ok(input)
    }

    fn size(&self) -> TerminalSize {
        let standard = TerminalSize::default();
        TerminalSize {
            rows: self.rows.unwrap_or(standard.rows),
            columns: self.columns.unwrap_or(standard.columns),
        }
    }
}

fn not_written(id: &str, error: InputError) -> ToolError {
    let message = format!("{}: process {id}: {error}", ProcessInput::NAME);
    match error {
        InputError::Closed => {
            ToolError::new(Code::Unavailable, message).hint("`process_output` says whether it runs")
        }
        InputError::NotRead { .. } => ToolError::new(Code::Timeout, message)
            .hint("what it took it will read; send the rest later"),
        InputError::NoTerminal => {
            ToolError::new(Code::Unsupported, message).hint("start it with `pty: true`")
        }
        InputError::Failed(_) => ToolError::new(Code::Io, message),
    }
}
