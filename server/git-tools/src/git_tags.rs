//! `git_tags`: lists tags.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commit_output::{clip_message, format_time};
use super::cursor::{format_cursor, parse_cursor, query_hash};
use super::repository_access::{find_repository, read_repo};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitTags;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Only tags whose name contains this.
    #[serde(default)]
    name: Option<String>,
    /// Sort by time, newest first, instead of by name.
    #[serde(default)]
    newest_first: bool,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The tags.
    tags: Vec<Tag>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Tag {
    /// Its name.
    name: String,
    /// Its commit.
    commit: String,
    /// Its time, or its commit's, in UTC.
    timestamp: String,
    /// Its message, for an annotated tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    tagger: Option<String>,
}

/// Page size.
const PAGE_SIZE: usize = 300;

impl Tool for GitTags {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_tags";
    const DESCRIPTION: &'static str = "List the tags of a repository with their commits.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let query_hash = query_hash(&[
            Self::NAME,
            &layout.display_path(),
            params.name.as_deref().unwrap_or_default(),
            &params.newest_first.to_string(),
        ]);
        let skip = parse_cursor(Self::NAME, &query_hash, params.cursor.as_deref())?;
        let mut tags = read_repo(context, Self::NAME, &layout, |repo| repo.tags())?;
        tags.retain(|tag| params.name.as_ref().is_none_or(|name| tag.name.contains(name)));
        if params.newest_first {
            tags.sort_by_key(|tag| std::cmp::Reverse(tag.seconds));
        }
        let more = tags.len() > skip.saturating_add(PAGE_SIZE);
        let tags = tags.into_iter().skip(skip).take(PAGE_SIZE).map(|tag| Tag {
            name: tag.name,
            commit: tag.target.to_string(),
            timestamp: format_time(tag.seconds),
            message: tag.message.as_deref().map(clip_message),
            tagger: tag.tagger.map(|tagger| format!("{} <{}>", tagger.name, tagger.email)),
        });
        Ok(Output {
            tags: tags.collect(),
            truncated: more,
            next_cursor: more.then(|| format_cursor(&query_hash, skip + PAGE_SIZE)),
        })
    }
}
