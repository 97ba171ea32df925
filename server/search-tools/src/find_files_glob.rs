//! `find_files_glob`: finds files whose path matches a glob.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::WalkOptions;

use super::cursor::{Cursor, query_hash};
use super::find::{self, FileQuery, MAX_RESULTS, NameFilter, Output};
use super::globs::path_glob;
use super::scope;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindFilesGlob;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A glob for paths below `path`: `*` and `?` match within a name, `**` crosses folders
    /// (`*.rs` is direct content, `**/*.rs` everything); `{a,b}` and `[a-z]`.
    pattern: String,
    /// Folder to search; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// False by default.
    #[serde(default)]
    case_sensitive: bool,
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

impl Tool for FindFilesGlob {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_files_glob";
    const ALIASES: &'static [&'static str] = &["glob"];
    const DESCRIPTION: &'static str = "Find files by a glob for their path, such as \
        `**/*.rs`, sorted by path. Hidden and ignored files are excluded.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("glob", "pattern"), ("limit", "max_results")];

    fn text(result: &Value) -> Option<String> {
        Some(find::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        scope::effects(context, params.path.as_deref())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let options =
            WalkOptions { hidden: params.hidden, no_ignore: params.no_ignore, max_depth: None };
        let path = params.path.as_deref();
        let mark = query_hash(&[
            Self::NAME,
            &params.pattern,
            path.unwrap_or_default(),
            &format!("{}{options:?}", params.case_sensitive),
        ]);
        let cursor = params.cursor.as_deref();
        find::find(
            context,
            &FileQuery {
                tool: Self::NAME,
                path,
                names: NameFilter::Glob(path_glob(
                    Self::NAME,
                    &params.pattern,
                    params.case_sensitive,
                )?),
                options,
                max_results: params.max_results.unwrap_or(MAX_RESULTS).clamp(1, MAX_RESULTS),
                cursor: cursor.map(|c| Cursor::parse(Self::NAME, c, mark)).transpose()?,
                mark,
            },
        )
    }
}
