//! `git_tags`: lists tags.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cursor::{mark, told, written};
use super::place::{read, repository};
use super::told::{message, time};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

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
const MOST: usize = 300;

impl Tool for GitTags {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_tags";
    const DESCRIPTION: &'static str = "List the tags of a repository with their commits.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = repository(context, Self::NAME, params.repository.as_deref(), None)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let mark = mark(&[
            Self::NAME,
            &layout.display_path(),
            params.name.as_deref().unwrap_or_default(),
            &params.newest_first.to_string(),
        ]);
        let skip = told(Self::NAME, &mark, params.cursor.as_deref())?;
        let mut tags = read(context, Self::NAME, &layout, |repo| repo.tags())?;
        tags.retain(|tag| params.name.as_ref().is_none_or(|name| tag.name.contains(name)));
        if params.newest_first {
            tags.sort_by_key(|tag| std::cmp::Reverse(tag.seconds));
        }
        let more = tags.len() > skip.saturating_add(MOST);
        let tags = tags.into_iter().skip(skip).take(MOST).map(|tag| Tag {
            name: tag.name,
            commit: tag.target.to_string(),
            timestamp: time(tag.seconds),
            message: tag.message.as_deref().map(message),
            tagger: tag.tagger.map(|tagger| format!("{} <{}>", tagger.name, tagger.email)),
        });
        Ok(Output {
            tags: tags.collect(),
            truncated: more,
            next_cursor: more.then(|| written(&mark, skip + MOST)),
        })
    }
}
