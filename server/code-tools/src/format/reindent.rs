//! `reindent`: corrects indentation by syntax.

use std::sync::atomic::Ordering;

use schemars::JsonSchema;
use serde::Deserialize;
use syntax::indent_unit;
use workspace::FileText;

use super::format_file::lines;
use crate::editing::{self, Action, Edits, RequestedEdit};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct Reindent;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file, unsaved text included: relative to the workspace, absolute inside it, or a file:
    /// URI.
    path: String,
    /// First line that may change, 1-based; the whole file by default.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line that may change, 1-based.
    #[serde(default)]
    end_line: Option<usize>,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for Reindent {
    type Params = Params;
    type Output = editing::Output;
    const NAME: &'static str = "reindent";
    const DESCRIPTION: &'static str = "Correct the indentation of a file, or of some lines, by its \
        syntax, with the indentation unit that the file uses. For projects without a formatter. \
        Changes only leading blanks, not inside strings and comments. Refused for languages where \
        indentation has meaning and for files with syntax errors.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        editing::effects(context, || requested_edits(context, params), params.dry_run)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<editing::Output, ToolError> {
        editing::run(context, Self::NAME, &requested_edits(context, &params)?, params.dry_run)
    }
}

fn requested_edits(
    context: &Context<'_>,
    params: &Params,
) -> Result<Vec<RequestedEdit>, ToolError> {
    let path = context.snapshot.locate(&params.path)?;
    let file = context.snapshot.read(&path)?;
    let lines = lines(Reindent::NAME, params.start_line, params.end_line)?;
    let edits = indented(context, &file, lines)?;
    let action = Action::unless_changed(file.text, edits);
    Ok(vec![RequestedEdit { path, action, expected_hash: None }])
}

fn indented(
    context: &Context<'_>,
    file: &FileText,
    lines: Option<std::ops::Range<usize>>,
) -> Result<Edits, ToolError> {
    let unsupported = |why: &str| {
        let message = format!("{}: {}: {why}", Reindent::NAME, file.path.display_path());
        Err(ToolError::new(Code::Unsupported, message))
    };
    let Some(language) = file.language() else {
        return unsupported("its language is not known");
    };
    if language.has_significant_indentation() {
        return unsupported("indentation means something in its language");
    }
    let text = &file.text;
    let cancelled = || ToolError::new(Code::Cancelled, format!("{}: cancelled", Reindent::NAME));
    let not_parsed = || match context.interrupt.load(Ordering::Relaxed) {
        true => cancelled(),
        false => {
            let message = format!(
                "{}: {}: takes too long to parse",
                Reindent::NAME,
                file.path.display_path()
            );
            ToolError::new(Code::Timeout, message)
        }
    };
    let syntax = workspace::parse_with_timeout(language, text, None, context.interrupt)
        .ok_or_else(not_parsed)?;
    if syntax.root().has_error() {
        return unsupported("its syntax is broken, or not all of it is known");
    }
    let all = 0..text.line_count();
    let lines = lines.map_or(all.clone(), |l| l.start.min(all.end)..l.end.min(all.end));
    let unit = indent_unit(text, language.default_indent());
    let indents = syntax.indents(lines.clone(), &unit, context.interrupt).ok_or_else(cancelled)?;
    if indents.iter().all(Option::is_none) && !lines.is_empty() {
        return unsupported("how its language is indented is not known");
    }
    let mut edits = Edits::new();
    for (line, indent) in lines.zip(indents) {
        let content = text.line(line);
        let blank = content.len() - content.trim_start_matches([' ', '\t']).len();
        let (Some(indent), false) = (indent, content.trim().is_empty()) else { continue };
        if content[..blank] != indent.whitespace {
            let start = text.line_start(line);
            edits.push((start..start + blank, indent.whitespace));
        }
    }
    Ok(edits)
}
