//! Finds mentions of a name in documentation and configuration files.

use workspace::WalkOptions;

use super::globs::FilePattern;
use super::grep::{GrepQuery, Mention, grep};
use super::pattern::{Pattern, PatternOptions};
use tools::{Context, ToolError};

/// The files to search: those that a rename does not update.
const DOCUMENTATION_GLOBS: &str = "*.md,*.markdown,*.mdx,*.rst,*.txt,*.adoc,*.asciidoc,*.org,*.toml,\
    *.yaml,*.yml,*.ini,*.cfg,README*,CHANGELOG*,CHANGES*";
/// Limit for the mentions.
const MAX_MENTIONS: usize = 1_000;

/// Lines of documentation and configuration files that contain `name` as a word, sorted by path;
/// at most [`MAX_MENTIONS`].
///
/// # Errors
/// When cancelled.
pub fn in_documents(
    context: &Context<'_>,
    tool: &'static str,
    name: &str,
) -> Result<Vec<Mention>, ToolError> {
    let options =
        PatternOptions { case_sensitive: true, whole_word: true, literal: true, multiline: false };
    let query = GrepQuery {
        tool,
        path: None,
        pattern: Pattern::new(tool, name, options)?,
        files: Some(FilePattern::new(tool, DOCUMENTATION_GLOBS)?),
        options: WalkOptions { hidden: false, no_ignore: false, max_depth: None },
        context_lines: 0,
        max_results: MAX_MENTIONS,
        cursor: None,
        mark: 0,
    };
    Ok(grep(context, &query)?.mentions())
}
