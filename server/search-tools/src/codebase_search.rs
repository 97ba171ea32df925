//! `codebase_search`: `grep_search` with context lines.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::WalkOptions;

use super::cursor::{Cursor, query_hash};
use super::globs::FilePattern;
use super::grep::{self, GrepQuery, MAX_RESULTS, Output};
use super::pattern::{Pattern, PatternOptions};
use super::scope;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct CodebaseSearch;

/// Lines before and after each match.
const CONTEXT_LINES: usize = 2;
/// Default page size, in matches.
const DEFAULT_RESULTS: usize = 50;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A regular expression.
    query: String,
    /// Only files that match one of these globs, separated by commas: `*.rs,*.toml`.
    #[serde(default)]
    file_pattern: Option<String>,
    /// Folder or file to search; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// True by default.
    #[serde(default)]
    case_sensitive: Option<bool>,
    /// Page size: 50 by default, at most 2,000.
    #[serde(default)]
    max_results: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

impl Tool for CodebaseSearch {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "codebase_search";
    const DESCRIPTION: &'static str = "Search file contents by regular expression, with two lines \
        of context around each match. Otherwise like `grep_search`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("pattern", "query"), ("regex", "query"), ("limit", "max_results")];

    fn text(result: &Value) -> Option<String> {
        Some(grep::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        scope::effects(context, params.path.as_deref())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let options = PatternOptions {
            case_sensitive: params.case_sensitive.unwrap_or(true),
            whole_word: false,
            literal: false,
            multiline: false,
        };
        let (path, files) = (params.path.as_deref(), params.file_pattern.as_deref());
        let mark = query_hash(&[
            Self::NAME,
            &params.query,
            path.unwrap_or_default(),
            files.unwrap_or_default(),
            &format!("{options:?}"),
        ]);
        let cursor = params.cursor.as_deref();
        grep::grep(
            context,
            &GrepQuery {
                tool: Self::NAME,
                path,
                pattern: Pattern::new(Self::NAME, &params.query, options)?,
                files: files.map(|files| FilePattern::new(Self::NAME, files)).transpose()?,
                options: WalkOptions::default(),
                context_lines: CONTEXT_LINES,
                max_results: params.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS),
                cursor: cursor.map(|c| Cursor::parse(Self::NAME, c, mark)).transpose()?,
                mark,
            },
        )
    }
}
