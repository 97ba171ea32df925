//! `structural_search`: searches code by its syntax.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use syntax::Language;

use super::cursor::{Cursor, query_hash};
use super::globs::FilePattern;
use super::scope;
use super::structure::{self, CompiledPatterns, StructuralRequest};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, line_range, list_at, number_at, str_at},
};

pub(crate) struct StructuralSearch;

/// Default and largest page size, in matches.
const DEFAULT_RESULTS: usize = 100;
const MAX_RESULTS: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Code with placeholders, one whole expression, statement or declaration: `foo($A, $$$REST)`,
    /// `if $COND { $$$BODY }`. `$A` is one node, `$$$A` any number; a repeated name must match the
    /// same text.
    #[serde(default)]
    pattern: Option<String>,
    /// Or a tree-sitter query: `(call_expression function: (identifier) @f (#eq? @f "foo"))`.
    #[serde(default)]
    query: Option<String>,
    /// Language id, such as `rust`; by default every language in which the pattern parses.
    #[serde(default)]
    language: Option<String>,
    /// Folder or file to search; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Only files that match one of these globs, separated by commas.
    #[serde(default)]
    file_pattern: Option<String>,
    /// Page size: 100 by default, at most 2,000.
    #[serde(default)]
    max_results: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The matches, sorted by path.
    matches: Vec<Match>,
    /// Files parsed for this page.
    files_searched: usize,
    /// Whether there are more matches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor`, with the same parameters, to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Whether a file was skipped: too large, or too slow to parse.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

/// A match.
#[derive(Serialize, JsonSchema)]
struct Match {
    /// Relative to the workspace; absolute outside the first root.
    path: String,
    /// First line, 1-based.
    line_number: usize,
    /// Last line.
    end_line: usize,
    /// 1-based column in the first line, in UTF-16 units.
    column: usize,
    /// The code, up to 2,000 bytes.
    text: String,
    /// Texts of placeholders or captures, by name.
    captures: serde_json::Map<String, serde_json::Value>,
}

impl Tool for StructuralSearch {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "structural_search";
    const DESCRIPTION: &'static str = "Search code by syntax, independent of layout: code with \
        placeholders (`pattern`) or a tree-sitter query (`query`). A pattern matches only code of \
        the same shape: `fn $N($$$A) { $$$B }` does not find functions with `pub` or `-> T`; write \
        those out, or use a query such as `(function_item) @f`. Unsaved text included; hidden and \
        ignored files excluded.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("limit", "max_results"), ("glob", "file_pattern")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        scope::effects(context, params.path.as_deref())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let invalid = |message: String| {
            ToolError::new(Code::InvalidParams, format!("{}: {message}", Self::NAME))
        };
        let language = match &params.language {
            None => None,
            Some(id) => {
                let known = Language::by_id(id).or_else(|| Language::by_lsp_id(id));
                let ids = || Language::all().map(Language::id).collect::<Vec<_>>().join(", ");
                Some(known.ok_or_else(|| {
                    invalid(format!("`{id:.40}` is no known language"))
                        .hint(format!("known: {}", ids()))
                })?)
            }
        };
        let (path, files) = (params.path.as_deref(), params.file_pattern.as_deref());
        let (source, is_query) = match (&params.pattern, &params.query) {
            (Some(pattern), None) => (pattern, false),
            (None, Some(query)) => (query, true),
            _ => return Err(invalid("give either `pattern` or `query`".to_owned())),
        };
        let mark = query_hash(&[
            Self::NAME,
            source,
            path.unwrap_or_default(),
            files.unwrap_or_default(),
            &format!("{language:?}{is_query}"),
        ]);
        let patterns =
            CompiledPatterns::new(source, is_query, language).map_err(|e| invalid(e.message))?;
        let cursor = params.cursor.as_deref();
        let found = structure::search(
            context,
            StructuralRequest {
                tool: Self::NAME,
                path,
                patterns,
                files: files.map(|files| FilePattern::new(Self::NAME, files)).transpose()?,
                max_results: params.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS),
                cursor: cursor.map(|c| Cursor::parse(Self::NAME, c, mark)).transpose()?,
            },
        )?;
        let matches = found.files.into_iter().flat_map(|(place, hits)| {
            let path = scope::display_path(context, place.root, &place.path);
            hits.into_iter().map(move |hit| Match {
                path: path.clone(),
                line_number: hit.line_number,
                end_line: hit.end_line,
                column: hit.column,
                text: hit.text,
                captures: hit.captures.into_iter().map(|(n, t)| (n, t.into())).collect(),
            })
        });
        let next_cursor = found
            .last
            .as_ref()
            .map(|(place, line)| Cursor { place: place.clone(), line: *line }.encode(mark));
        Ok(Output {
            matches: matches.collect(),
            files_searched: found.searched,
            truncated: next_cursor.is_some(),
            next_cursor,
            incomplete: found.incomplete,
        })
    }
}

/// The matches as lines. Code of several lines is cut to its first: its range is given.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let entry = |found: &Value| {
        let (start, end) = (number_at(found, "line_number"), number_at(found, "end_line"));
        let code = str_at(found, "text");
        let first = code.lines().next().unwrap_or_default();
        let more = if code.len() > first.len() { " \u{2026}" } else { "" };
        format!("{}: {first}{more}", line_range(start, end))
    };
    let matches = list_at(result, "matches");
    let entries: Vec<_> =
        matches.iter().map(|found| (str_at(found, "path"), entry(found))).collect();
    lines.push_by_path(&entries);
    lines.push_rest(result);
    lines.finish("no matches")
}
