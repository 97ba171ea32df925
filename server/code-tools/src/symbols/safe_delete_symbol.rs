//! `safe_delete_symbol`: deletes an unused definition.

use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use text::Text;
use workspace::{Location, RenameError, RenameFailure, RenameReason, RenameRequest, UnsureUse};

use super::layout;
use super::symbol_edit::{ResolvedSymbol, SymbolLocation};
use crate::editing::{self, Edits};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, from_query_error,
    results::{UnsurePlace, line_at, unsure_places, visible},
};

pub(crate) struct SafeDeleteSymbol;

/// Limit for the uses listed in an error.
const MAX_LISTED_USES: usize = 50;
/// Limit for counted syntax errors.
const MAX_SYNTAX_ERRORS: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: SymbolLocation,
    /// Delete it even if uncertain uses remain; `left_out` lists them.
    #[serde(default)]
    allow_unsure: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    edit: editing::Output,
    /// Uncertain uses, with `allow_unsure`; the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<UnsurePlace>,
}

impl Tool for SafeDeleteSymbol {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "safe_delete_symbol";
    const DESCRIPTION: &'static str = "Delete the definition of a symbol and the comments above it \
        if nothing in the workspace uses it; otherwise the error lists the uses (`allow_unsure` \
        ignores uncertain ones). Uses outside the workspace are unknown. Can be undone.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn text(result: &Value) -> Option<String> {
        Some(editing::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let allow = params.allow_unsure;
        let make = move |at: &ResolvedSymbol<'_>| deletion(at, allow).map(|(edits, _)| edits);
        params.place.effects(context, Self::NAME, make)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let allow = params.allow_unsure;
        let left_out = Arc::new(Mutex::new(Vec::new()));
        let found = left_out.clone();
        let make = move |at: &ResolvedSymbol<'_>| {
            let (edits, places) = deletion(at, allow)?;
            *found.lock() = places;
            Ok(edits)
        };
        let edit = params.place.run(context, Self::NAME, make)?;
        let left_out = std::mem::take(&mut *left_out.lock());
        Ok(Output { edit, left_out })
    }
}

/// The edits that delete it, and the uncertain uses.
fn deletion(
    at: &ResolvedSymbol<'_>,
    allow_unsure: bool,
) -> Result<(Edits, Vec<UnsurePlace>), ToolError> {
    let whole = at.whole();
    let comments = at.syntax.comments_above(whole.start);
    if !at.begins_line(whole.start) || !at.ends_line(whole.end) {
        return Err(at.shares_lines());
    }
    let unsure = check_unused(at, &whole, allow_unsure)?;
    let range = with_blank_lines(at.document.text(), comments, whole.end);
    let mut after = at.document.text().clone();
    after.replace(range.clone(), "");
    let syntax = workspace::parse_with_timeout(
        at.syntax.language(),
        &after,
        Some(at.syntax),
        at.context.interrupt,
    );
    let errors = syntax.map_or(0, |syntax| syntax.error_count(MAX_SYNTAX_ERRORS));
    if errors > at.syntax.error_count(MAX_SYNTAX_ERRORS)
        || leaves_nothing(at.document.text(), &range)
    {
        let message = format!("{}: what is left would not be valid code", refusal(at));
        return Err(ToolError::new(Code::Guard, message)
            .hint("delete what it stands in, or use `replace_symbol_body` there"));
    }
    Ok((vec![(range, String::new())], unsure))
}

fn refusal(at: &ResolvedSymbol<'_>) -> String {
    let (path, name) = (at.file.path.display_path(), at.symbol.path.join("/"));
    format!("{}: {path}: `{name}` is not deleted", at.tool)
}

/// The uncertain uses, if allowed.
///
/// # Errors
/// `E_GUARD` if it has uses, or uncertain ones that are not allowed.
fn check_unused(
    at: &ResolvedSymbol<'_>,
    whole: &Range<usize>,
    allow_unsure: bool,
) -> Result<Vec<UnsurePlace>, ToolError> {
    let (snapshot, interrupt) = (&at.context.snapshot, at.context.interrupt);
    let offset = at.symbol.name_span.start;
    let found = snapshot
        .references(at.document, offset, false, interrupt)
        .map_err(|error| from_query_error(at.tool, error))?;
    // A symbol that only uses itself is unused.
    let own = |uri: &str, at_byte: usize| uri == &**at.document.uri() && whole.contains(&at_byte);
    let used: Vec<Location> =
        found.into_iter().filter(|f| !own(&f.uri, f.name_span.start)).collect();
    if !used.is_empty() {
        let count = used.len();
        let seen = used.into_iter().filter_map(|found| visible(at.context, found));
        let reported: Vec<Value> = seen
            .take(MAX_LISTED_USES)
            .map(|(found, path)| {
                let start = found.name_span.start;
                let line = found.text.line_of(start) + 1;
                json!({ "path": path, "line": line, "text": line_at(&found.text, start) })
            })
            .collect();
        let message = format!("{}: it is used in {count} places", refusal(at));
        return Err(guard(message, reported));
    }
    // A trial rename reports the uncertain uses.
    let new = match at.symbol.name.starts_with(char::is_uppercase) {
        true => "TandemDeleted",
        false => "tandem_deleted",
    };
    let request = RenameRequest { new, allow_unsure: true };
    let rename = match snapshot.rename(at.document, offset, request, interrupt) {
        Ok(rename) => rename,
        Err(RenameFailure::Query(error)) => return Err(from_query_error(at.tool, error)),
        Err(RenameFailure::Refused(RenameError::Interrupted)) => {
            return Err(from_query_error(at.tool, workspace::QueryError::Interrupted));
        }
        Err(RenameFailure::Refused(error)) => {
            return Err(guard(format!("{}: {error}", refusal(at)), Vec::new()));
        }
    };
    let (mut sure, mut unsure) = (Vec::new(), rename.left_out);
    for file in rename.files {
        for (span, _, reason) in file.edits {
            let word = matches!(reason, RenameReason::Comment | RenameReason::String);
            let definition = matches!(reason, RenameReason::Definition);
            if word || definition || own(&file.uri, span.start) {
                continue;
            }
            let place = UnsureUse {
                uri: file.uri.clone(),
                text: file.text.clone(),
                span,
                why: "may use it: nothing else has this name".to_owned(),
            };
            let list = if reason == RenameReason::Unsure { &mut unsure } else { &mut sure };
            list.push(place);
        }
    }
    let reported = |places: &[UnsureUse]| {
        let listed = unsure_places(at.context, places);
        listed.iter().filter_map(|place| serde_json::to_value(place).ok()).collect()
    };
    if !sure.is_empty() {
        let message = format!("{}: it may be used in {} places", refusal(at), sure.len());
        return Err(guard(message, reported(&sure)));
    }
    if !unsure.is_empty() && !allow_unsure {
        let message = format!("{}: it may be used in {} places", refusal(at), unsure.len());
        let hint = "`allow_unsure: true` deletes it all the same; or look at the places in \
                    details.references first";
        return Err(guard(message, reported(&unsure)).hint(hint));
    }
    Ok(unsure_places(at.context, &unsure))
}

fn guard(message: String, references: Vec<Value>) -> ToolError {
    ToolError::new(Code::Guard, message)
        .hint("change the places in details.references first")
        .details(json!({ "references": references }))
}

/// The lines from `start` to `end` with the blank lines after them; with those before them, if the
/// surrounding block ends there.
fn with_blank_lines(text: &Text, start: usize, end: usize) -> Range<usize> {
    let is_blank = |line: usize| text.line(line).trim().is_empty();
    let (mut top, mut bottom) = (text.line_of(start), text.line_of(end) + 1);
    let lines = text.line_count();
    while bottom < lines && is_blank(bottom) {
        bottom += 1;
    }
    let closes = bottom >= lines || text.line(bottom).trim_start().starts_with(['}', ')', ']']);
    while closes && top > 0 && is_blank(top - 1) {
        top -= 1;
    }
    let last = if bottom < lines { text.line_start(bottom) } else { text.len() };
    text.line_start(top)..last
}

/// Whether an indentation-only block would become empty. Some grammars accept that, compilers do
/// not.
fn leaves_nothing(text: &Text, range: &Range<usize>) -> bool {
    let is_blank = |line: &usize| text.line(*line).trim().is_empty();
    let indent = |line: usize| layout::indent_of(&text.line(line)).len();
    let top = text.line_of(range.start);
    let above = (0..top).rev().find(|line| !is_blank(line));
    let bottom = text.line_of(range.end);
    let ends = range.end >= text.len();
    let below = (bottom..text.line_count()).find(|line| !ends && !is_blank(line));
    let opens = above.is_some_and(|line| text.line(line).trim_end().ends_with(':'));
    let own = (top..bottom.max(top + 1)).find(|line| !is_blank(line)).map_or(0, indent);
    opens
        && below.is_none_or(|line| {
            let closed = text.line(line).trim_start().starts_with(['}', ')', ']']);
            indent(line) < own && !closed
        })
}
