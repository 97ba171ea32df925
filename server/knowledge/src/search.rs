//! `search`: code and documents by what they are about.

use globset::{Glob, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use workspace::{FilePath, uri_of_path};

use crate::QUOTED;
use crate::files::FileKind;
use crate::index::{FoundPassage, PassageQuery};
use crate::rank::Rankings;
use crate::snippet::snippet;
use crate::state::SharedIndex;

pub(crate) struct Search;

const DEFAULT_RESULTS: usize = 8;
const MAX_RESULTS: usize = 50;
/// Longest query, in bytes.
const MAX_QUERY: usize = 4_000;
/// Most entries of `sources`.
const MAX_SOURCES: usize = 32;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What the code or text is about, in words; or a name.
    query: String,
    /// `code`, `docs`, or folders, files and globs; everything by default.
    #[serde(default)]
    sources: Vec<String>,
    /// Up to 50; 8 by default.
    #[serde(default)]
    max_results: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Passages, best first.
    results: Vec<Found>,
    /// How they are ranked.
    ranking: String,
    /// What the snippets are.
    content_is: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// What the passage declares, its section's heading, or its file's name.
    title: String,
    /// The place as a URI.
    url: String,
    /// Its lines that fit best.
    snippet: String,
    /// From 0 to 1.
    score: f32,
    /// The file.
    path: String,
    /// First line of the passage.
    start_line: usize,
    /// Last line.
    end_line: usize,
}

impl Tool for Search {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "search";
    const ALIASES: &'static [&'static str] = &["semantic_search"];
    const DESCRIPTION: &'static str = "Find code and documents by what they are about, such as \"where are \
        requests retried\", or by a name. Returns passages with their lines, best first. For exact text use \
        `grep_search`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("limit", "max_results"), ("top_k", "max_results"), ("q", "query")];
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"query": "where are totals computed", "max_results": 3}"#];

    fn text(result: &Value) -> Option<String> {
        let mut lines = vec![format!("[snippets are {QUOTED}]")];
        for found in result["results"].as_array()? {
            let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
            lines.push(format!(
                "{}:{}-{} {}",
                text("path"),
                found["start_line"],
                found["end_line"],
                text("title")
            ));
            lines.extend(text("snippet").lines().map(|line| format!("  {line}")));
        }
        Some(if lines.len() == 1 { "nothing found".to_owned() } else { lines.join("\n") })
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let invalid =
            |why: &str| Err(ToolError::new(Code::InvalidParams, format!("{}: {why}", Self::NAME)));
        if params.query.trim().is_empty() {
            return invalid("`query` is empty");
        }
        if params.query.len() > MAX_QUERY {
            return invalid("`query` is too long: at most 4,000 bytes");
        }
        let sources = Sources::parse(context, &params.sources)?;
        if sources.paths.is_empty() || !sources.globs.is_empty() {
            let roots = context.snapshot.roots().iter();
            return Ok(roots.map(|root| Effect::read_tree(&FilePath::from_root(root))).collect());
        }
        Ok(sources.paths.iter().map(Effect::read_tree).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let sources = Sources::parse(context, &params.sources)?;
        let limit = params.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
        let mut index = context.session.family::<SharedIndex>().lock(context, Self::NAME)?;
        if !index.update(&context.snapshot, context.interrupt) {
            context.check_interrupt(Self::NAME)?;
            let message = format!("{}: the workspace's files cannot be listed", Self::NAME);
            return Err(ToolError::new(Code::Io, message));
        }
        let query = PassageQuery {
            text: &params.query,
            rankings: Rankings::All,
            limit,
            wanted: &|path, kind| sources.include(path, kind) && context.may_read(path),
        };
        let mut found = index.search(&context.snapshot, &query);
        if !found.1.is_empty() {
            // Files changed without a report: now they are known.
            index.look_again();
            index.update(&context.snapshot, context.interrupt);
            found = index.search(&context.snapshot, &query);
        }
        context.check_interrupt(Self::NAME)?;
        let results = found.0.into_iter().map(|passage| Found::new(passage, &params.query));
        Ok(Output {
            results: results.collect(),
            ranking: format!("by words, by meaning ({}) and by names", embedding::MODEL),
            content_is: QUOTED,
        })
    }
}

impl Found {
    fn new(passage: FoundPassage, query: &str) -> Self {
        let (first, snippet) = snippet(&passage.text, query);
        let path = passage.path.display_path();
        let name = passage.path.file_name().to_string_lossy().into_owned();
        let line = passage.lines.start + first + 1;
        Self {
            title: if passage.name.is_empty() { name } else { passage.name },
            url: format!("{}#L{line}", uri_of_path(&passage.path.absolute())),
            snippet,
            score: (passage.score.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0,
            path,
            start_line: passage.lines.start + 1,
            end_line: passage.lines.end,
        }
    }
}

/// Where to search.
struct Sources {
    kinds: Vec<FileKind>,
    paths: Vec<FilePath>,
    globs: Vec<GlobMatcher>,
}

impl Sources {
    fn parse(context: &Context<'_>, written: &[String]) -> Result<Self, ToolError> {
        let invalid =
            |why: String| ToolError::new(Code::InvalidParams, format!("{}: {why}", Search::NAME));
        if written.len() > MAX_SOURCES {
            return Err(invalid(format!("more than {MAX_SOURCES} `sources`")));
        }
        let mut sources = Self { kinds: Vec::new(), paths: Vec::new(), globs: Vec::new() };
        for source in written {
            match source.as_str() {
                "code" => sources.kinds.push(FileKind::Code),
                "docs" | "documents" => sources.kinds.push(FileKind::Prose),
                glob if glob.contains(['*', '?']) => {
                    let glob = Glob::new(glob)
                        .map_err(|error| invalid(format!("`sources`: {glob}: {error}")))?;
                    sources.globs.push(glob.compile_matcher());
                }
                path => sources.paths.push(context.snapshot.locate(path)?),
            }
        }
        Ok(sources)
    }

    fn include(&self, path: &FilePath, kind: FileKind) -> bool {
        let is_kind = self.kinds.is_empty() || self.kinds.contains(&kind);
        let anywhere = self.paths.is_empty() && self.globs.is_empty();
        is_kind
            && (anywhere
                || self.paths.iter().any(|folder| path.is_within(folder))
                || self
                    .globs
                    .iter()
                    .any(|glob| glob.is_match(path.relative()) || glob.is_match(path.file_name())))
    }
}
