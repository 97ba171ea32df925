//! `grep_search`: lines that match a regular expression.

use schemars::JsonSchema;
use serde::Deserialize;
use workspace::WalkOptions;

use super::cursor::{Cursor, question};
use super::globs::FilePattern;
use super::grep::{self, MOST_CONTEXT, MOST_RESULTS, Output, Question};
use super::pattern::{Pattern, PatternOptions};
use super::scope;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GrepSearch;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A regular expression (Rust's syntax: linear time, no look-around or back-references).
    pattern: String,
    /// The folder or file to search; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Only files that match one of these globs, separated by commas: `*.rs,*.toml`. One without
    /// a slash is about the name, one with a slash about the path below `path`; `!` excludes.
    #[serde(default)]
    file_pattern: Option<String>,
    /// Whether upper and lower case differ; true by default.
    #[serde(default)]
    case_sensitive: Option<bool>,
    /// Only matches that are whole words.
    #[serde(default)]
    whole_word: bool,
    /// The pattern is plain text, not a regular expression.
    #[serde(default)]
    literal: bool,
    /// A match may span lines; `.` still does not match a line's end, `(?s)` makes it do so.
    #[serde(default)]
    multiline: bool,
    /// Lines to show before and after each match; at most 20.
    #[serde(default)]
    context_lines: usize,
    /// Also hidden files and folders, but for `.git`.
    #[serde(default)]
    hidden: bool,
    /// Also files that ignore files leave out.
    #[serde(default)]
    no_ignore: bool,
    /// Most matches of one result; at most 2,000, which is the default. 50 KB end it, too.
    #[serde(default)]
    max_results: Option<usize>,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

impl Tool for GrepSearch {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "grep_search";
    const ALIASES: &'static [&'static str] = &["rg"];
    const DESCRIPTION: &'static str = "Search the contents of files by regular expression, line \
        by line, in path order. Unsaved text of open documents counts. Hidden, ignored and binary \
        files are left out; links are not followed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("query", "pattern"),
        ("regex", "pattern"),
        ("glob", "file_pattern"),
        ("context", "context_lines"),
        ("limit", "max_results"),
    ];

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
        let mark = question(&[
            Self::NAME,
            &params.pattern,
            path.unwrap_or_default(),
            files.unwrap_or_default(),
            &format!("{options:?}{walk:?}"),
        ]);
        let cursor = params.cursor.as_deref();
        grep::grep(
            context,
            &Question {
                tool: Self::NAME,
                path,
                pattern: Pattern::new(Self::NAME, &params.pattern, options)?,
                files: files.map(|files| FilePattern::new(Self::NAME, files)).transpose()?,
                options: walk,
                context_lines: params.context_lines.min(MOST_CONTEXT),
                max_results: params.max_results.unwrap_or(MOST_RESULTS).clamp(1, MOST_RESULTS),
                cursor: cursor.map(|c| Cursor::read(Self::NAME, c, mark)).transpose()?,
                mark,
            },
        )
    }
}
