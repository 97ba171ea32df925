//! Where documents and configuration files mention a name.

use schemars::JsonSchema;
use serde::Serialize;
use workspace::WalkOptions;

use super::globs::FilePattern;
use super::grep::{Question, grep};
use super::pattern::{Pattern, PatternOptions};
use crate::{Context, ToolError};

/// The files that are searched: those whose names no rename follows.
const FILES: &str = "*.md,*.markdown,*.mdx,*.rst,*.txt,*.adoc,*.asciidoc,*.org,*.toml,*.yaml,\
                     *.yml,*.ini,*.cfg,README*,CHANGELOG*,CHANGES*";
/// Most lines that are counted.
const MOST: usize = 1_000;

/// A line that mentions a name.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Mention {
    /// The file, relative to the workspace.
    pub(crate) path: String,
    /// The 1-based line.
    pub(crate) line: usize,
    /// That line, without the blanks around it.
    pub(crate) text: String,
}

/// The lines of documents and configuration files that hold `name` as a word, in path order; at
/// most [`MOST`].
///
/// # Errors
/// When cancelled.
pub(crate) fn in_documents(
    context: &Context<'_>,
    tool: &'static str,
    name: &str,
) -> Result<Vec<Mention>, ToolError> {
    let options =
        PatternOptions { case_sensitive: true, whole_word: true, literal: true, multiline: false };
    let question = Question {
        tool,
        path: None,
        pattern: Pattern::new(tool, name, options)?,
        files: Some(FilePattern::new(tool, FILES)?),
        options: WalkOptions { hidden: false, no_ignore: false, max_depth: None },
        context_lines: 0,
        max_results: MOST,
        cursor: None,
        mark: 0,
    };
    Ok(grep(context, &question)?.mentions())
}
