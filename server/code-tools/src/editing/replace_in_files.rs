//! `replace_in_files`: replaces every match of a pattern in many files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use workspace::{FileError, FilePath};

use super::places::{Place, push_places, push_summary};
use super::replacement::{Failure, Room, Template, replacements};
use super::report::{Detail, Summary};
use super::{Action, RequestedEdit, push_review};
use crate::editing;
use search_tools::{
    FilePattern, FileSelection, Pattern, PatternOptions, matching_files, search_effects,
};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, count, list_at, str_at},
};

pub(crate) struct ReplaceInFiles;

/// Limits for the paths of a call, and for the files and matches that it may replace.
const MAX_PATHS: usize = 100;
const MAX_FILES: usize = 1_000;
const MAX_MATCHES: usize = 100_000;
/// Limits for a replacement, for the replacements of one call, and for the texts it changes, in bytes.
const MAX_REPLACEMENT_BYTES: usize = 64 << 10;
const MAX_NEW_BYTES: usize = 32 << 20;
const MAX_TEXT_BYTES: usize = 128 << 20;
/// Limit for the skipped files of a result.
const MAX_SKIPPED: usize = 20;
/// Limit for the files that an error lists.
const MAX_LISTED_FILES: usize = 8;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A regular expression, as `grep_search` takes it.
    pattern: String,
    /// The new text. `$1` and `${name}` are groups of the match, `$$` is a dollar sign.
    replacement: String,
    /// File or folder; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Several files or folders.
    #[serde(default)]
    paths: Vec<String>,
    /// Only files that match one of these globs, separated by commas; `!` excludes.
    #[serde(default)]
    file_pattern: Option<String>,
    /// True by default.
    #[serde(default)]
    case_sensitive: Option<bool>,
    /// Match whole words only.
    #[serde(default)]
    whole_word: bool,
    /// `pattern` and `replacement` are plain text.
    #[serde(default)]
    literal: bool,
    /// A match may span lines.
    #[serde(default)]
    multiline: bool,
    /// Refuse unless there are exactly so many matches.
    #[serde(default)]
    expected_count: Option<usize>,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    summary: Summary,
    /// The first places.
    places: Vec<Place>,
    /// Files with a match that were left alone; the first 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    /// Whether a file could not be searched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

#[derive(Serialize, JsonSchema)]
struct Skipped {
    /// The path, relative to the workspace.
    path: String,
    /// Why it cannot be edited.
    why: String,
}

impl Tool for ReplaceInFiles {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "replace_in_files";
    const DESCRIPTION: &'static str = "Replace every match of a regular expression or plain text \
        in many files, as one action that `undo_action` reverts. Searches the files that \
        `grep_search` does. Returns the number of replacements in each file, and new syntax \
        errors.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("query", "pattern"),
        ("regex", "pattern"),
        ("search", "pattern"),
        ("needle", "pattern"),
        ("replace", "replacement"),
        ("repl", "replacement"),
        ("new_text", "replacement"),
        ("files", "paths"),
    ];
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"pattern": "\\bdef (\\w+)", "replacement": "def ${1}_new", "path": "app.py", "dry_run": true}"#,
    ];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = Vec::new();
        for path in selected(params)? {
            effects.extend(search_effects(context, path)?);
        }
        let wanted = || Ok(plan(context, params)?.edits);
        effects.extend(editing::effects(context, wanted, params.dry_run)?);
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let Plan { edits, places, skipped, incomplete, .. } = plan(context, &params)?;
        // Files may have changed since policy decided.
        let is_new = |edit: &&RequestedEdit| !context.is_granted(&Effect::write(&edit.path));
        if !params.dry_run && edits.iter().any(|edit| is_new(&edit)) {
            let message = format!("{}: files have changed meanwhile", Self::NAME);
            return Err(ToolError::new(Code::Conflict, message).hint("call again"));
        }
        let output = editing::run_as(context, Self::NAME, &edits, params.dry_run, Detail::Errors)?;
        Ok(Output { summary: output.into_summary(), places, skipped, incomplete })
    }
}

/// The requested files and folders; one `None` for every root.
fn selected(params: &Params) -> Result<Vec<Option<&str>>, ToolError> {
    let paths: Vec<_> = params.path.iter().chain(&params.paths).map(String::as_str).collect();
    if paths.len() > MAX_PATHS {
        let message = format!("{} paths, more than {MAX_PATHS}", paths.len());
        return Err(invalid(&message).hint("name a folder and `include`"));
    }
    Ok(if paths.is_empty() { vec![None] } else { paths.into_iter().map(Some).collect() })
}

/// The replacements of a call.
struct Plan {
    edits: Vec<RequestedEdit>,
    places: Vec<Place>,
    skipped: Vec<Skipped>,
    incomplete: bool,
}

/// Finds all matches. An edit is bound to the text in which they were found.
fn plan(context: &Context<'_>, params: &Params) -> Result<Plan, ToolError> {
    let tool = ReplaceInFiles::NAME;
    let options = PatternOptions {
        case_sensitive: params.case_sensitive.unwrap_or(true),
        whole_word: params.whole_word,
        literal: params.literal,
        multiline: params.multiline,
    };
    let pattern = Pattern::new(tool, &params.pattern, options)?;
    if params.replacement.len() > MAX_REPLACEMENT_BYTES {
        let length = params.replacement.len();
        let message =
            format!("`replacement` has {length} bytes, more than {MAX_REPLACEMENT_BYTES}");
        return Err(invalid(&message));
    }
    let template = match params.literal {
        true => Template::literal(&params.replacement),
        false => Template::parse(&params.replacement, &pattern).map_err(|message| {
            invalid(&message).hint("write `$$` for a dollar sign, or pass `literal: true`")
        })?,
    };
    let include = params.file_pattern.as_deref().map(|globs| FilePattern::new(tool, globs));
    let paths = selected(params)?.into_iter().flatten().collect();
    let selection = FileSelection { paths, include: include.transpose()? };
    let found = matching_files(context, tool, &pattern, &selection, MAX_FILES)?;
    if found.has_more {
        return Err(too_much(&format!("more than {MAX_FILES} files match")));
    }
    let (budget, mut room) =
        (context.budget(), Room { matches: MAX_MATCHES, bytes: MAX_NEW_BYTES });
    let mut text_room = MAX_TEXT_BYTES;
    let mut plan = Plan {
        edits: Vec::new(),
        places: Vec::new(),
        skipped: Vec::new(),
        incomplete: found.incomplete,
    };
    let mut counts = Vec::new();
    for path in &found.files {
        budget.check().map_err(|error| {
            let code = if context.check_interrupt(tool).is_err() {
                Code::Cancelled
            } else {
                Code::Timeout
            };
            ToolError::new(code, format!("{tool}: {error}; nothing changed"))
        })?;
        let file = match context.snapshot.read(path) {
            Ok(file) => file,
            // Deleted since it was searched.
            Err(FileError::NotFound { .. }) => continue,
            Err(error) => {
                if plan.skipped.len() < MAX_SKIPPED {
                    let path = path.display_path();
                    plan.skipped.push(Skipped { path, why: error.to_string() });
                }
                continue;
            }
        };
        text_room = text_room
            .checked_sub(file.text.len())
            .ok_or_else(|| too_much(&format!("the files have more than {MAX_TEXT_BYTES} bytes")))?;
        let text = file.text.to_string();
        let edits = replacements(&text, &pattern, &template, &mut room, context.interrupt);
        let edits = edits.map_err(|failure| failed(path, failure))?;
        if edits.is_empty() {
            continue;
        }
        counts.push((path, edits.len()));
        push_places(&mut plan.places, path, &file.text, &edits);
        let action = Action::unless_changed(file.text, edits);
        plan.edits.push(RequestedEdit { path: path.clone(), action, expected_hash: None });
    }
    check_count(&counts, params, found.searched, &plan.skipped)?;
    Ok(plan)
}

/// Refuses a number of matches that the caller does not expect, and none at all.
fn check_count(
    counts: &[(&FilePath, usize)],
    params: &Params,
    searched: usize,
    skipped: &[Skipped],
) -> Result<(), ToolError> {
    let tool = ReplaceInFiles::NAME;
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    match params.expected_count {
        Some(expected) if expected != total => {
            let files = counts.iter().take(MAX_LISTED_FILES);
            let files: Vec<_> = files
                .map(|(path, count)| json!({ "path": path.display_path(), "count": count }))
                .collect();
            let message = format!(
                "{tool}: {total} matches in {}, not {expected}; nothing changed",
                count(counts.len(), "file")
            );
            Err(ToolError::new(Code::Conflict, message)
                .hint("narrow the pattern or `include`, or correct `expected_count`")
                .details(json!({ "count": total, "files": files })))
        }
        None if total == 0 && !skipped.is_empty() => {
            let message =
                format!("{tool}: a file that matches cannot be edited: {}", skipped[0].why);
            Err(ToolError::new(Code::Encoding, message).details(json!({ "skipped": skipped })))
        }
        None if total == 0 => {
            let message = format!("{tool}: nothing matches in {}", count(searched, "file"));
            let hint = match params.literal {
                true => "hidden, ignored and binary files are not searched",
                false => {
                    "`literal: true` takes special characters as they are; hidden, ignored and \
                          binary files are not searched"
                }
            };
            Err(ToolError::new(Code::NoMatch, message).hint(hint))
        }
        _ => Ok(()),
    }
}

fn failed(path: &FilePath, failure: Failure) -> ToolError {
    let tool = ReplaceInFiles::NAME;
    match failure {
        Failure::EmptyMatch(line) => {
            let message =
                format!("`pattern` matches an empty text at {}:{line}", path.display_path());
            invalid(&message).hint("match what is to be replaced; `$0` puts it back")
        }
        Failure::TooManyMatches => too_much(&format!("more than {MAX_MATCHES} matches")),
        Failure::TooLong => too_much(&format!("more than {MAX_NEW_BYTES} bytes of new text")),
        Failure::Interrupted => {
            ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"))
        }
    }
}

fn invalid(message: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{}: {message}", ReplaceInFiles::NAME))
}

fn too_much(message: &str) -> ToolError {
    let message = format!("{}: {message}; nothing changed", ReplaceInFiles::NAME);
    ToolError::new(Code::TooLarge, message).hint("narrow it with `path` or `include`")
}

/// The numbers of replacements, the first places, and what is wrong.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    push_summary(&mut lines, result);
    for skipped in list_at(result, "skipped") {
        lines.push(format_args!("skipped: {}", str_at(skipped, "why")));
    }
    if result["incomplete"] == true {
        lines.push("[incomplete: a file or folder could not be searched]");
    }
    if let Some(why) = result["unrecorded"].as_str() {
        lines.push(format_args!("[cannot be undone: {why}]"));
    }
    push_review(&mut lines, &result["review"]);
    lines.finish("nothing changed: every match is already its replacement")
}
