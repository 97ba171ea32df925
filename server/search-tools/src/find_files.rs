//! `find_files`: finds files by part of their name.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::WalkOptions;

use super::cursor::{Cursor, query_hash};
use super::find::{self, FileQuery, MAX_RESULTS, NameFilter, Output, Substring};
use super::scope;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindFiles;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Part of the file's name, or of its path if it has a slash. Case matters only if it has a
    /// capital.
    pattern: String,
    /// Folder to search; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Levels below `path`; 1 is its direct content.
    #[serde(default)]
    max_depth: Option<usize>,
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

impl Tool for FindFiles {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_files";
    const DESCRIPTION: &'static str = "Find files by part of their name, sorted by path. Hidden \
        and ignored files are excluded. Links are listed, not followed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("query", "pattern"), ("name", "pattern"), ("limit", "max_results")];

    fn text(result: &Value) -> Option<String> {
        Some(find::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        scope::effects(context, params.path.as_deref())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if params.pattern.is_empty() {
            let message = format!("{}: the pattern is empty", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("`find_files_glob` with `**` finds every file"));
        }
        let options = WalkOptions {
            hidden: params.hidden,
            no_ignore: params.no_ignore,
            max_depth: params.max_depth,
        };
        let path = params.path.as_deref();
        let mark = query_hash(&[
            Self::NAME,
            &params.pattern,
            path.unwrap_or_default(),
            &format!("{options:?}"),
        ]);
        let cursor = params.cursor.as_deref();
        find::find(
            context,
            &FileQuery {
                tool: Self::NAME,
                path,
                names: NameFilter::Containing(Substring::new(&params.pattern)),
                options,
                max_results: params.max_results.unwrap_or(MAX_RESULTS).clamp(1, MAX_RESULTS),
                cursor: cursor.map(|c| Cursor::parse(Self::NAME, c, mark)).transpose()?,
                mark,
            },
        )
    }
}
