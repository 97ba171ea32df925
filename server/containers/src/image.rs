//! Images as the daemon describes them.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Code, ToolError};

use crate::client::{Content, Dial};
use crate::container::or_default;
use crate::failure::{Failure, printable};
use crate::limits::LISTED;

/// What is read of an image.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct Image {
    pub(crate) id: String,
    pub(crate) size: u64,
    #[serde(deserialize_with = "or_default")]
    pub(crate) config: ImageConfig,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct ImageConfig {
    #[serde(deserialize_with = "or_default")]
    pub(crate) entrypoint: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) cmd: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub(crate) user: String,
}

/// A layer of an image.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Layer {
    /// What made it.
    pub(crate) created_by: String,
    /// Its size in bytes.
    pub(crate) size: u64,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct HistoryEntry {
    created_by: String,
    size: u64,
}

/// Finds an image; `None` if the daemon has none of that name.
pub(crate) async fn find(dial: &Dial, name: &str) -> Result<Option<Image>, Failure> {
    match dial.get::<Image>(&format!("/images/{name}/json")).await {
        Ok(image) if is_id(&image.id) => Ok(Some(image)),
        Ok(_) => Err(Failure::Protocol("an image has no id".to_owned())),
        Err(Failure::Refused { status: 404, .. }) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// The layers of an image, the newest first, as far as they have content.
pub(crate) async fn layers(dial: &Dial, id: &str) -> Result<Vec<Layer>, Failure> {
    let path = format!("/images/{id}/history");
    let entries: Vec<HistoryEntry> = dial.json(Method::GET, &path, Content::Nothing).await?;
    let layers = entries.into_iter().filter(|entry| entry.size > 0).take(LISTED);
    let shortened = |text: &str| printable(text).chars().take(200).collect();
    Ok(layers
        .map(|entry| Layer { created_by: shortened(&entry.created_by), size: entry.size })
        .collect())
}

/// Whether a text is an id as daemons write them: it becomes a part of paths and approvals.
pub(crate) fn is_id(text: &str) -> bool {
    let hex = text.strip_prefix("sha256:").unwrap_or(text);
    hex.len() == 64 && hex.chars().all(|c| c.is_ascii_hexdigit())
}

/// Refuses what can be no name of an image: it becomes a part of a path.
pub(crate) fn check_name(tool: &str, written: &str) -> Result<(), ToolError> {
    let is_word =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ':' | '@');
    let starts_well = written.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_plain = written.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    if !starts_well || !is_plain || written.len() > 300 || !written.chars().all(is_word) {
        let message = format!("{tool}: `{written:.100}` is no name of an image");
        return Err(ToolError::new(Code::InvalidParams, message).hint("write `NAME:TAG`"));
    }
    Ok(())
}
