//! `find_files_glob`: files whose path matches a glob.

use schemars::JsonSchema;
use serde::Deserialize;
use workspace::WalkOptions;

use super::cursor::{Cursor, question};
use super::find::{self, MOST_RESULTS, Names, Output, Question};
use super::globs::path_glob;
use super::scope;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindFilesGlob;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A glob over paths below `path`: `*` and `?` stay within a name, `**` crosses folders, so
    /// `*.rs` is what stands in `path` and `**/*.rs` is all; `{a,b}` and `[a-z]` as usual.
    pattern: String,
    /// The folder to look in; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Whether upper and lower case differ; false by default.
    #[serde(default)]
    case_sensitive: bool,
    /// Also hidden files and folders, but for `.git`.
    #[serde(default)]
    hidden: bool,
    /// Also files that ignore files leave out.
    #[serde(default)]
    no_ignore: bool,
    /// Most files of one result; at most 2,000, which is the default. 50 KB end it, too.
    #[serde(default)]
    max_results: Option<usize>,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

impl Tool for FindFilesGlob {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_files_glob";
    const ALIASES: &'static [&'static str] = &["glob"];
    const DESCRIPTION: &'static str = "Find files by a glob over their paths, such as `**/*.rs`, \
        in path order. Hidden and ignored files are left out; links are found, not followed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("glob", "pattern"), ("limit", "max_results")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        scope::effects(context, params.path.as_deref())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let options =
            WalkOptions { hidden: params.hidden, no_ignore: params.no_ignore, max_depth: None };
        let path = params.path.as_deref();
        let mark = question(&[
            Self::NAME,
            &params.pattern,
            path.unwrap_or_default(),
            &format!("{}{options:?}", params.case_sensitive),
        ]);
        let cursor = params.cursor.as_deref();
        find::find(
            context,
            &Question {
                tool: Self::NAME,
                path,
                names: Names::Glob(path_glob(Self::NAME, &params.pattern, params.case_sensitive)?),
                options,
                max_results: params.max_results.unwrap_or(MOST_RESULTS).clamp(1, MOST_RESULTS),
                cursor: cursor.map(|c| Cursor::read(Self::NAME, c, mark)).transpose()?,
                mark,
            },
        )
    }
}
