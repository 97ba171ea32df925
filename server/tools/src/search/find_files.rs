//! `find_files`: files by a part of their name.

use schemars::JsonSchema;
use serde::Deserialize;
use workspace::WalkOptions;

use super::cursor::{Cursor, question};
use super::find::{self, MOST_RESULTS, Names, Output, Question, Substring};
use super::scope;
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindFiles;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What a file's name holds; what its path holds, where it has a slash. Case matters only
    /// where it has a capital.
    pattern: String,
    /// The folder to look in; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// How many levels below `path`: 1 is what stands in it.
    #[serde(default)]
    max_depth: Option<usize>,
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

impl Tool for FindFiles {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_files";
    const DESCRIPTION: &'static str = "Find files by a part of their name, in path order. Hidden \
        and ignored files are left out; links are found, not followed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("query", "pattern"), ("name", "pattern"), ("limit", "max_results")];

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
        let mark = question(&[
            Self::NAME,
            &params.pattern,
            path.unwrap_or_default(),
            &format!("{options:?}"),
        ]);
        let cursor = params.cursor.as_deref();
        find::find(
            context,
            &Question {
                tool: Self::NAME,
                path,
                names: Names::Holding(Substring::new(&params.pattern)),
                options,
                max_results: params.max_results.unwrap_or(MOST_RESULTS).clamp(1, MOST_RESULTS),
                cursor: cursor.map(|c| Cursor::read(Self::NAME, c, mark)).transpose()?,
                mark,
            },
        )
    }
}
