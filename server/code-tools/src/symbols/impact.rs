//! `impact`: what a change of a symbol may affect.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{AffectedMember, Document, FileSymbol, ImpactLimits, ImpactOrigin};

use super::search;
use super::test_code::is_test;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, from_query_error,
    results::{
        Lines, count, index_progress, is_zero, line_at, list_at, number_at, rounded, str_at,
        visible_path, with_index_wait,
    },
};

pub(crate) struct Impact;

/// Default and largest number of steps, and of affected definitions.
const DEFAULT_DEPTH: usize = 5;
const MAX_DEPTH: usize = 20;
const DEFAULT_RESULTS: usize = 100;
const MAX_RESULTS: usize = 500;
/// How long callers are followed.
const TIME_LIMIT: Duration = Duration::from_millis(500);
/// Limit for the symbols that a range of lines changes.
const MAX_CHANGED: usize = 50;
/// Limits for what is listed as text.
const MAX_TEXT_CALLERS: usize = 30;
const MAX_TEXT_TESTS: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file that has the symbol.
    path: String,
    /// The symbol: `function`, `Class/method`.
    #[serde(default)]
    name_path: Option<String>,
    /// The 1-based line of its name, if several have it.
    #[serde(default)]
    line: Option<usize>,
    /// Or a change: its first line, 1-based. Every symbol in it counts.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line of the change.
    #[serde(default)]
    end_line: Option<usize>,
    /// Steps to follow callers: 5 by default, at most 20.
    #[serde(default)]
    max_depth: Option<usize>,
    /// Callers to return: 100 by default, at most 500.
    #[serde(default)]
    max_results: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The changed symbols.
    changed: Vec<Changed>,
    /// The code that uses them, directly or through others, the nearest first.
    callers: Vec<Caller>,
    /// The tests among it.
    tests: Vec<Caller>,
    /// Definitions that nothing else uses: unused if the changed symbols went away.
    left_unused: Vec<Unused>,
    /// Number of uncertain direct uses, which were not followed.
    #[serde(skip_serializing_if = "is_zero")]
    unsure: usize,
    /// The progress of indexing: callers may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
    /// Whether a limit was reached: there may be more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// A changed symbol.
#[derive(Serialize, JsonSchema)]
struct Changed {
    /// Its name path.
    symbol: String,
    /// Its kind.
    kind: &'static str,
    /// 1-based line of its name.
    line: usize,
    /// Whether other files can use it; what is outside the workspace is unknown.
    exported: bool,
    /// Whether nothing uses it, as far as is known: no certain use and no uncertain one.
    unused: bool,
}

/// Code that uses a changed symbol.
#[derive(Serialize, JsonSchema)]
struct Caller {
    /// The file, relative to the workspace.
    path: String,
    /// The function: `Class/method`; empty for top-level code.
    symbol: String,
    /// 1-based line of its first use.
    line: usize,
    /// That line, trimmed.
    text: String,
    /// Steps from the changed symbol: 1 uses it itself.
    depth: usize,
    /// What it uses.
    through: String,
    /// Confidence of the whole way, up to 1.
    confidence: f64,
}

/// A definition that would be unused.
#[derive(Serialize, JsonSchema)]
struct Unused {
    /// The file, relative to the workspace.
    path: String,
    /// Its name path.
    symbol: String,
    /// 1-based line of its name.
    line: usize,
    /// Confidence, up to 1: lower if other files can use it.
    confidence: f64,
}

impl Tool for Impact {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "impact";
    const DESCRIPTION: &'static str = "What a change of a symbol, or of lines, may affect: callers \
        through any number of steps, the tests among them, whether other files can use it, and what \
        would be unused without it. Only certain uses are followed; `unsure` counts the others.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let path = context.snapshot.locate(&params.path)?;
        let (_, document) = search::document(Self::NAME, &context.snapshot, &path)?;
        let symbols = changed_symbols(context, &params, &document)?;
        let offsets: Vec<usize> = symbols.iter().map(|symbol| symbol.name_span.start).collect();
        let snapshot = with_index_wait(&context.snapshot);
        let limits = ImpactLimits {
            depth: params.max_depth.unwrap_or(DEFAULT_DEPTH).clamp(1, MAX_DEPTH),
            nodes: params.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS),
        };
        let failed = |error| from_query_error(Self::NAME, error);
        let found = snapshot
            .impact(&document, &offsets, limits, TIME_LIMIT, context.interrupt)
            .map_err(failed)?;
        let mut unsure = Vec::new();
        for offset in &offsets {
            let uses = snapshot.uses(&document, *offset, false, 0, context.interrupt);
            unsure.push(uses.map_err(failed)?.unsure_count);
        }
        let text = document.text();
        let is_used = |number: usize| {
            found.affected.iter().any(|node| node.through == ImpactOrigin::Changed(number))
        };
        let changed = (0..).zip(&symbols).map(|(number, symbol)| Changed {
            symbol: symbol.path.join("/"),
            kind: symbol.kind.as_str(),
            line: text.line_of(symbol.name_span.start) + 1,
            exported: found.is_exported.get(number).copied().unwrap_or_default(),
            unused: !found.is_truncated && !is_used(number) && unsure[number] == 0,
        });
        let changed: Vec<_> = changed.collect();
        let callers: Vec<Option<Caller>> = found
            .affected
            .iter()
            .map(|node| caller(context, node, &changed, &found.affected))
            .collect();
        let is_of_test = |(node, caller): (&AffectedMember, &Option<Caller>)| {
            let path = caller.as_ref().map_or("", |caller| caller.path.as_str());
            is_test(path, &node.name, node.container.as_deref())
        };
        let tests: Vec<bool> = found.affected.iter().zip(&callers).map(is_of_test).collect();
        let (mut output_callers, mut output_tests) = (Vec::new(), Vec::new());
        for (caller, is_test) in callers.into_iter().zip(tests) {
            let list = if is_test { &mut output_tests } else { &mut output_callers };
            list.extend(caller);
        }
        let left_unused = found.left_unused.iter().filter_map(|(member, confidence)| {
            Some(Unused {
                path: visible_path(context, &member.uri)??,
                symbol: name_path(member),
                line: member.text.line_of(member.name_span.start) + 1,
                confidence: rounded(*confidence),
            })
        });
        Ok(Output {
            changed,
            callers: output_callers,
            tests: output_tests,
            left_unused: left_unused.collect(),
            unsure: unsure.iter().sum(),
            reading: index_progress(&snapshot),
            truncated: found.is_truncated,
        })
    }
}

/// The symbols that a call is about: the named one, or those that lines define or change.
fn changed_symbols(
    context: &Context<'_>,
    params: &Params,
    document: &Document,
) -> Result<Vec<FileSymbol>, ToolError> {
    let tool = Impact::NAME;
    let path = context.snapshot.locate(&params.path)?;
    let (first, last) = match (&params.name_path, params.start_line) {
        (Some(name), None) => {
            return search::unique_symbol(context, tool, &path, document, name, params.line);
        }
        (None, Some(first)) => (first, params.end_line.unwrap_or(first)),
        _ => {
            let message = format!("{tool}: give `name_path`, or `start_line` and `end_line`");
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("`symbols_overview` lists the symbols of a file"));
        }
    };
    let text = document.text();
    let lines = |span: &std::ops::Range<usize>| {
        let end = span.end.saturating_sub(1).max(span.start);
        (text.line_of(span.start) + 1, text.line_of(end) + 1)
    };
    let touches = |symbol: &FileSymbol| {
        let (start, end) = lines(&symbol.span);
        start <= last && first <= end
    };
    let symbols = search::document_symbols(context, tool, document)?;
    let touched: Vec<_> = symbols.into_iter().filter(touches).collect();
    // A class counts only if the change is outside its members.
    let is_innermost = |symbol: &FileSymbol| {
        !touched.iter().any(|other| {
            other.span != symbol.span
                && symbol.span.start <= other.span.start
                && other.span.end <= symbol.span.end
                && lines(&other.span).0 <= first
                && last <= lines(&other.span).1
        })
    };
    let found: Vec<FileSymbol> =
        touched.iter().filter(|symbol| is_innermost(symbol)).take(MAX_CHANGED).cloned().collect();
    if found.is_empty() {
        let message = format!("{tool}: no symbol is defined in lines {first} to {last}");
        return Err(ToolError::new(Code::NoMatch, message)
            .hint("`symbols_overview` lists the symbols of a file"));
    }
    Ok(found)
}

fn name_path(member: &AffectedMember) -> String {
    match &member.container {
        Some(container) if !member.name.is_empty() => format!("{container}/{}", member.name),
        _ => member.name.clone(),
    }
}

/// A caller, unless rules hide its file.
fn caller(
    context: &Context<'_>,
    node: &AffectedMember,
    changed: &[Changed],
    all: &[AffectedMember],
) -> Option<Caller> {
    let through = match node.through {
        ImpactOrigin::Changed(number) => {
            changed.get(number).map(|changed| changed.symbol.clone()).unwrap_or_default()
        }
        ImpactOrigin::Affected(number) => all.get(number).map(name_path).unwrap_or_default(),
    };
    let at = node.use_span.start.min(node.text.len());
    Some(Caller {
        path: visible_path(context, &node.uri)??,
        symbol: name_path(node),
        line: node.text.line_of(at) + 1,
        text: line_at(&node.text, at),
        depth: node.depth,
        through,
        confidence: rounded(node.confidence),
    })
}

/// The result as lines: what is changed, then callers by step, tests and what would be unused.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for one in list_at(result, "changed") {
        let exported = if one["exported"] == true { "exported" } else { "local" };
        let unused = if one["unused"] == true { ", nothing uses it" } else { "" };
        let (symbol, kind) = (str_at(one, "symbol"), str_at(one, "kind"));
        lines.push(format_args!("{symbol}: {kind}, {exported}{unused}"));
    }
    let mut push = |heading: &str, list: &[Value], most: usize| {
        if list.is_empty() {
            return;
        }
        lines.push(format_args!("{heading}: {}", list.len()));
        let entry = |one: &Value| {
            let within = match str_at(one, "symbol") {
                "" => "top level",
                symbol => symbol,
            };
            let through = match number_at(one, "depth") {
                1 => String::new(),
                _ => format!(" via {}", str_at(one, "through")),
            };
            format!("{}: {within}{through}", number_at(one, "line"))
        };
        let entries: Vec<_> =
            list.iter().take(most).map(|one| (str_at(one, "path"), entry(one))).collect();
        lines.push_by_path(&entries);
        if list.len() > most {
            lines.push(format_args!("[{} more]", list.len() - most));
        }
    };
    push("callers", list_at(result, "callers"), MAX_TEXT_CALLERS);
    push("tests", list_at(result, "tests"), MAX_TEXT_TESTS);
    for one in list_at(result, "left_unused") {
        let (path, line) = (str_at(one, "path"), number_at(one, "line"));
        lines.push(format_args!("unused without it: {path}:{line}: {}", str_at(one, "symbol")));
    }
    if let Some(unsure) = result["unsure"].as_u64() {
        let uses = count(usize::try_from(unsure).unwrap_or_default(), "uncertain use");
        lines.push(format_args!("[{uses} not followed]"));
    }
    lines.push_rest(result);
    lines.finish("no symbols")
}
