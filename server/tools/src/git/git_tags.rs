//! `git_tags`: the tags.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cursor::{mark, told, written};
use super::place::{read, repository};
use super::told::{message, time};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitTags;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The repository's folder; by default the one that holds the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Only tags whose name holds this text.
    #[serde(default)]
    name: Option<String>,
    /// The newest first, not in order of names.
    #[serde(default)]
    newest_first: bool,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The tags.
    tags: Vec<Tag>,
    /// True where there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Tag {
    /// Its name.
    name: String,
    /// The commit that it leads to.
    commit: String,
    /// When it was made, or the commit was; in UTC.
    timestamp: String,
    /// Its own message, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    tagger: Option<String>,
}

/// Most tags of one result.
const MOST: usize = 300;

impl Tool for GitTags {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_tags";
    const DESCRIPTION: &'static str = "The tags of a repository, with the commits they lead to.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_WALL: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = repository(context, Self::NAME, params.repository.as_deref(), None)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let mark = mark(&[
            Self::NAME,
            &layout.shown(),
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
