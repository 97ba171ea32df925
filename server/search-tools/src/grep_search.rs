//! `grep_search`: lines that match a regular expression.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::WalkOptions;

use super::cursor::{Cursor, query_hash};
use super::globs::FilePattern;
use super::grep::{self, GrepQuery, MAX_CONTEXT_LINES, MAX_RESULTS, Output};
use super::pattern::{Pattern, PatternOptions};
use super::scope;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GrepSearch;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A regular expression, without look-around and back-references.
    pattern: String,
    /// Folder or file to search; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Only files that match one of these globs, separated by commas: `*.rs,*.toml`. Without a
    /// slash they match the name, with one the path below `path`; `!` excludes.
    #[serde(default)]
    file_pattern: Option<String>,
    /// True by default.
    #[serde(default)]
    case_sensitive: Option<bool>,
    /// Match whole words only.
    #[serde(default)]
    whole_word: bool,
    /// `pattern` is plain text, not a regular expression.
    #[serde(default)]
    literal: bool,
    /// A match may span lines; `.` matches line endings only with `(?s)`.
    #[serde(default)]
    multiline: bool,
    /// Context lines before and after each match; at most 20.
    #[serde(default)]
    context_lines: usize,
    /// Include hidden files and folders, except `.git`.
    #[serde(default)]
    hidden: bool,
    /// Include files that ignore files exclude.
    #[serde(default)]
    no_ignore: bool,
    /// Page size: 2,000 by default and at most; 50 KB at most.
    #[serde(default)]
    max_results: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

impl Tool for GrepSearch {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "grep_search";
    const ALIASES: &'static [&'static str] = &["rg"];
    const DESCRIPTION: &'static str = "Search file contents by regular expression, line by \
        line, sorted by path; unsaved text included. Hidden, ignored and binary files are \
        excluded.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("query", "pattern"),
        ("regex", "pattern"),
        ("glob", "file_pattern"),
        ("context", "context_lines"),
        ("limit", "max_results"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(grep::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        scope::effects(context, params.path.as_deref())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let options = PatternOptions {
            case_sensitive: params.case_sensitive.unwrap_or(true),
            whole_word: params.whole_word,
            literal: params.literal,
            multiline: params.multiline,
        };
        let walk =
            WalkOptions { hidden: params.hidden, no_ignore: params.no_ignore, max_depth: None };
        let files = params.file_pattern.as_deref();
        let path = params.path.as_deref();
        let mark = query_hash(&[
            Self::NAME,
            &params.pattern,
            path.unwrap_or_default(),
            files.unwrap_or_default(),
            &format!("{options:?}{walk:?}"),
        ]);
        let cursor = params.cursor.as_deref();
        grep::grep(
            context,
            &GrepQuery {
                tool: Self::NAME,
                path,
                pattern: Pattern::new(Self::NAME, &params.pattern, options)?,
                files: files.map(|files| FilePattern::new(Self::NAME, files)).transpose()?,
                options: walk,
                context_lines: params.context_lines.min(MAX_CONTEXT_LINES),
                max_results: params.max_results.unwrap_or(MAX_RESULTS).clamp(1, MAX_RESULTS),
                cursor: cursor.map(|c| Cursor::parse(Self::NAME, c, mark)).transpose()?,
                mark,
            },
        )
    }
}
