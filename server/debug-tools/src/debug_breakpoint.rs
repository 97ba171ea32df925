//! `debug_breakpoint`: sets, removes and lists breakpoints.

use ::debug::{Adapters, BreakpointCondition, is_side_effect_free, log_message_expressions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::FilePath;

use super::adapters;
use super::breakpoint_location::{self, BreakpointLocation};
use super::breakpoint_output::{
    BreakpointOutput, SessionBindings, language_of, running_sessions, send_to_sessions,
};
use super::failure;
use super::other_breakpoints::{self, DataBreakpointParam, ExceptionParam, OtherBreakpoints};
use super::program_texts::program_texts;
use super::sessions::{debugging, request_limits};
use super::stored_breakpoints::stored_breakpoints;
use tools::{
    Code, Context, Effect, EffectKind, Target, Tool, ToolError,
    results::{Lines, number_at, str_at},
};

pub(crate) struct DebugBreakpoint;

/// Limit for the breakpoints of one call.
const MAX_BREAKPOINTS: usize = 2_000;
/// Longest condition or message, in bytes.
const MAX_CONDITION_BYTES: usize = 10_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Set,
    Remove,
    List,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What to do.
    action: Action,
    #[serde(flatten)]
    one: BreakpointParam,
    /// Instead of a location: a function by the debugger's name, which needs no source.
    #[serde(default)]
    function_name: Option<String>,
    /// Instead of a location: the exception filters to enable; others are disabled.
    #[serde(default)]
    exceptions: Option<Vec<ExceptionParam>>,
    /// Instead of a location: stop when a variable of the stopped program changes.
    #[serde(default)]
    data: Option<DataBreakpointParam>,
    /// Several breakpoints to set, instead of the fields above.
    #[serde(default)]
    breakpoints: Vec<BreakpointParam>,
    /// For `remove`: the id; by default all of `file`, or those at `line`.
    #[serde(default)]
    id: Option<u64>,
    /// For `remove`: all breakpoints.
    #[serde(default)]
    all: bool,
    /// The debug session to report, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BreakpointParam {
    /// The file.
    #[serde(default)]
    file: Option<String>,
    /// Line, 1-based.
    #[serde(default)]
    line: Option<u32>,
    /// Instead of `line`: a function or method, `Ledger.add`; stops at its first statement.
    #[serde(default)]
    symbol: Option<String>,
    /// Instead of `line`: the line's text, or a unique part of it.
    #[serde(default)]
    statement: Option<String>,
    /// Stop only if this expression is true.
    #[serde(default)]
    condition: Option<String>,
    /// Stop only at this hit count, in the debugger's syntax: debugpy takes `5`, `>= 5` and `% 5`;
    /// lldb-dap stops from the fifth hit on.
    #[serde(default)]
    hit_condition: Option<String>,
    /// Log this instead of stopping, with `{expressions}` in braces.
    #[serde(default)]
    log_message: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The breakpoint that was set.
    #[serde(flatten)]
    one: Option<BreakpointOutput>,
    /// All breakpoints, or those that were set.
    #[serde(skip_serializing_if = "Option::is_none")]
    breakpoints: Option<Vec<BreakpointOutput>>,
    #[serde(flatten)]
    stops: OtherBreakpoints,
    /// Ids of removed breakpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<u64>>,
}

impl BreakpointParam {
    fn is_empty(&self) -> bool {
        self.file.is_none() && self.line.is_none() && self.symbol.is_none()
    }

    fn file(&self, context: &Context<'_>) -> Result<Option<FilePath>, ToolError> {
        Ok(self.file.as_deref().map(|file| context.snapshot.locate(file)).transpose()?)
    }

    fn location(&self, context: &Context<'_>) -> Result<BreakpointLocation, ToolError> {
        let tool = DebugBreakpoint::NAME;
        let file = self.file(context)?;
        match (file, self.line, &self.symbol, &self.statement) {
            (file, None, Some(symbol), None) => {
                breakpoint_location::from_symbol(context, tool, symbol, file.as_ref())
            }
            (Some(file), None, None, Some(statement)) => {
                let line = breakpoint_location::line_of_statement(context, tool, &file, statement)?;
                Ok(BreakpointLocation { file, line })
            }
            (Some(file), Some(line), None, None) => {
                let lines = breakpoint_location::document(context, &file)?.text().line_count();
                if line == 0 || line as usize > lines {
                    let why = format!("{}: there is no line {line}", file.display_path());
                    return Err(failure::invalid(tool, &why)
                        .hint(format!("lines are 1-based; the file has {lines}")));
                }
                Ok(BreakpointLocation { file, line })
            }
            _ => Err(failure::invalid(
                tool,
                "give `file` and `line`, `file` and `statement`, or `symbol`",
            )),
        }
    }

    /// Code in the parameters that may do more than read: a condition, expressions in a message.
    fn code(&self, context: &Context<'_>, file: Option<&FilePath>) -> Vec<&str> {
        let message = self.log_message.as_deref().unwrap_or_default();
        let condition =
            self.condition.as_deref().filter(|code| !has_no_side_effects(context, code, file));
        condition
            .into_iter()
            .chain(log_message_expressions(message).filter(|code| !is_side_effect_free(code)))
            .collect()
    }

    fn check(&self) -> Result<(), ToolError> {
        let all = [&self.condition, &self.hit_condition, &self.log_message];
        if all.into_iter().flatten().any(|text| text.len() > MAX_CONDITION_BYTES) {
            let why = format!("a condition or message exceeds {MAX_CONDITION_BYTES} bytes");
            return Err(failure::invalid(DebugBreakpoint::NAME, &why));
        }
        Ok(())
    }
}

/// Whether a condition only reads, in the language of this file.
fn has_no_side_effects(context: &Context<'_>, condition: &str, file: Option<&FilePath>) -> bool {
    if !is_side_effect_free(condition) {
        return false;
    }
    let language = file.and_then(|file| language_of(&file.absolute()));
    let table = adapters::load_adapters(context, DebugBreakpoint::NAME);
    let table = table.as_ref().unwrap_or_else(|_| Adapters::builtin());
    let mut runs = table.iter().filter(|one| language.is_some_and(|it| one.runs(it)));
    runs.all(|one| one.is_condition_side_effect_free(condition))
}

impl Params {
    /// Whether it names something other than a location.
    fn is_other_kind(&self) -> bool {
        self.function_name.is_some() || self.exceptions.is_some() || self.data.is_some()
    }

    fn requested(&self) -> Vec<BreakpointParam> {
        if self.breakpoints.is_empty() { vec![self.one.clone()] } else { self.breakpoints.clone() }
    }
}

impl Tool for DebugBreakpoint {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_breakpoint";
    const DESCRIPTION: &'static str = "Set, remove or list breakpoints: by line, function \
        (`symbol`) or line text (`statement`). They are kept for the workspace, apply to every \
        debugged program, and move with edits; each reports requested and actual line. Functions \
        by the debugger's name, exceptions and data breakpoints depend on the debugger. Conditions \
        and messages with side effects need approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Execute];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "file"), ("function", "symbol")];

    fn text(result: &Value) -> Option<String> {
        text(result)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.breakpoints.len() > MAX_BREAKPOINTS {
            let message =
                format!("{}: more than {MAX_BREAKPOINTS} breakpoints in one call", Self::NAME);
            return Err(ToolError::new(Code::TooLarge, message));
        }
        let mut effects: Vec<Effect> = Vec::new();
        let mut code = Vec::new();
        let of_exceptions = params.exceptions.iter().flatten();
        let of_exceptions = of_exceptions.filter_map(|one| one.condition.clone());
        code.extend(of_exceptions.filter(|code| !is_side_effect_free(code)));
        for param in params.requested() {
            param.check()?;
            let file = param.file(context)?;
            if let Some(file) = &file {
                let effect = Effect::read(file);
                if !effects.contains(&effect) {
                    effects.push(effect);
                }
            }
            code.extend(param.code(context, file.as_ref()).into_iter().map(str::to_owned));
        }
        if matches!(params.action, Action::Set) && !code.is_empty() {
            effects.push(Effect {
                kind: EffectKind::Execute,
                target: Target::Named("code at breakpoints, in programs that are debugged".into()),
                detail: Some(code.join("\n")),
            });
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let debugging = debugging(context);
        program_texts(context).follow_edits(context);
        let done = match params.action {
            Action::Set if params.is_other_kind() => set_other_kind(context, &params),
            Action::Set => set(context, &params),
            Action::Remove => remove(context, &params),
            Action::List => {
                let file = params.one.file(context)?.map(|file| file.absolute());
                let mut all = debugging.breakpoints().all();
                all.retain(|one| file.as_ref().is_none_or(|file| one.file == *file));
                let bindings = SessionBindings::for_sessions(context, params.session);
                let outputs = all.iter().map(|one| bindings.output(context, one)).collect();
                let stops = OtherBreakpoints::all(context);
                return Ok(Output { breakpoints: Some(outputs), stops, ..Output::default() });
            }
        };
        // New breakpoints refer to the text as it is now.
        program_texts(context).follow_edits(context);
        stored_breakpoints(context).save(context);
        done
    }
}

fn set_other_kind(context: &Context<'_>, params: &Params) -> Result<Output, ToolError> {
    let tool = DebugBreakpoint::NAME;
    if !params.one.is_empty() || !params.breakpoints.is_empty() {
        let why = "a line, `function_name`, `exceptions` and `data` are set one at a time";
        return Err(failure::invalid(tool, why));
    }
    if let Some(name) = &params.function_name {
        let condition = BreakpointCondition {
            expression: params.one.condition.clone(),
            hits: params.one.hit_condition.clone(),
            log: None,
            is_approved: !params.one.code(context, None).is_empty(),
        };
        other_breakpoints::set_function(context, tool, name, condition)?;
    }
    if let Some(exceptions) = &params.exceptions {
        other_breakpoints::set_exceptions(context, tool, exceptions)?;
    }
    if let Some(data) = &params.data {
        other_breakpoints::set_data(context, tool, data, params.session)?;
    }
    Ok(Output { stops: OtherBreakpoints::all(context), ..Output::default() })
}

fn set(context: &Context<'_>, params: &Params) -> Result<Output, ToolError> {
    let debugging = debugging(context);
    // Resolve all locations first: an error sets none.
    let places: Vec<(BreakpointLocation, BreakpointCondition)> = params
        .requested()
        .into_iter()
        .map(|param| {
            let at = param.location(context)?;
            if !context.may_read(&at.file) {
                let message = format!(
                    "{}: {}: may not be read",
                    DebugBreakpoint::NAME,
                    at.file.display_path()
                );
                return Err(ToolError::new(Code::Denied, message));
            }
            let condition = BreakpointCondition {
                expression: param.condition.clone(),
                hits: param.hit_condition.clone(),
                log: param.log_message.clone(),
                is_approved: !param.code(context, Some(&at.file)).is_empty(),
            };
            Ok((at, condition))
        })
        .collect::<Result<_, ToolError>>()?;
    let locations =
        places.into_iter().map(|(at, condition)| (at.file.absolute(), at.line, condition));
    let kept = debugging.breakpoints().set(locations.collect()).ok_or_else(|| {
        let message = format!("{}: there are too many breakpoints", DebugBreakpoint::NAME);
        ToolError::new(Code::TooLarge, message).hint("remove some")
    })?;
    let mut files: Vec<_> = kept.iter().map(|one| one.file.as_path()).collect();
    files.sort_unstable();
    files.dedup();
    send_to_sessions(context, &files);
    let bindings = SessionBindings::for_sessions(context, params.session);
    let mut outputs: Vec<_> = kept.iter().map(|one| bindings.output(context, one)).collect();
    if params.breakpoints.is_empty() {
        return Ok(Output { one: outputs.pop(), ..Output::default() });
    }
    Ok(Output { breakpoints: Some(outputs), ..Output::default() })
}

fn remove(context: &Context<'_>, params: &Params) -> Result<Output, ToolError> {
    let debugging = debugging(context);
    let param = &params.one;
    if params.id.is_none() && param.is_empty() && !params.all && params.function_name.is_none() {
        let why = "give `id`, `file`, `file` and `line`, or `all`";
        return Err(failure::invalid(DebugBreakpoint::NAME, why));
    }
    let file = param.file(context)?.map(|file| file.absolute());
    let numbered = |id: u64| params.all || params.id == Some(id);
    let functions = debugging.breakpoints().remove_functions(|one| {
        numbered(one.id) || params.function_name.as_ref() == Some(&one.name)
    });
    if !functions.is_empty() {
        other_breakpoints::send_function_breakpoints(context);
    }
    let mut ids = functions;
    for session in running_sessions(context) {
        let gone = session.remove_data_breakpoints(numbered, request_limits(context));
        ids.extend(gone.map_err(|error| failure::from_debug_error(DebugBreakpoint::NAME, error))?);
    }
    if params.function_name.is_some() && param.is_empty() && params.id.is_none() && !params.all {
        return Ok(Output { removed: Some(ids), ..Output::default() });
    }
    let is_described = param.symbol.is_some() || param.statement.is_some();
    let at = is_described.then(|| param.location(context)).transpose()?;
    let removed = debugging.breakpoints().remove(|one| {
        params.all
            || params.id.is_none_or(|id| id == one.id)
                && file.as_ref().is_none_or(|file| *file == one.file)
                && param.line.is_none_or(|line| line == one.line)
                && at
                    .as_ref()
                    .is_none_or(|at| at.line == one.line && at.file.absolute() == one.file)
    });
    if removed.is_empty() && ids.is_empty() && !params.all {
        let message = format!("{}: there is no such breakpoint", DebugBreakpoint::NAME);
        return Err(ToolError::new(Code::NoMatch, message).hint("`action: \"list\"` lists them"));
    }
    ids.extend(removed.iter().map(|one| one.id));
    for session in debugging.debugger.sessions() {
        session.remove_breakpoint_bindings(&ids);
    }
    let mut files: Vec<_> = removed.iter().map(|one| one.file.as_path()).collect();
    files.sort_unstable();
    files.dedup();
    send_to_sessions(context, &files);
    Ok(Output { removed: Some(ids), ..Output::default() })
}

/// One breakpoint as a line. Lists, and other kinds of breakpoints, stay JSON.
fn text(result: &Value) -> Option<String> {
    let (id, file) = (result["id"].as_u64()?, result["file"].as_str()?);
    let mut lines = Lines::default();
    let line = number_at(result, "line");
    let verified = if result["verified"] == true { "" } else { " (not verified yet)" };
    lines.push(format_args!("breakpoint {id} at {file}:{line}{verified}"));
    lines.push_text(str_at(result, "message"));
    Some(lines.finish(""))
}
