//! `docker_images`: the images.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Target, Tool, ToolError};

use crate::client::Client;
use crate::container::or_default;
use crate::daemon::Daemon;
use crate::failure::printable;
use crate::limits::{LISTED, QUERY_TIMEOUT};
use crate::parameters::size_text;

pub(crate) struct DockerImages;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A part of the names, in any case.
    #[serde(default)]
    filter: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The images that have a name, the newest first.
    images: Vec<ListedImage>,
    /// How many there are, with those that are left out.
    total: usize,
}

/// An image in a list.
#[derive(Serialize, JsonSchema)]
struct ListedImage {
    /// Its id.
    id: String,
    /// Its names.
    tags: Vec<String>,
    /// Its size in bytes.
    size: u64,
    /// When it was made (RFC 3339).
    created: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct Summary {
    id: String,
    #[serde(deserialize_with = "or_default")]
    repo_tags: Vec<String>,
    size: u64,
    created: i64,
}

impl Tool for DockerImages {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "docker_images";
    const DESCRIPTION: &'static str = "List the images that the container daemon has, with their sizes. `filter` finds them by a part of a name.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "filter"), ("image", "filter")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        for image in result["images"].as_array()? {
            let tags: Vec<&str> =
                image["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let id = image["id"].as_str().unwrap_or_default();
            let size = size_text(image["size"].as_u64().unwrap_or_default());
            web::push(
                &mut text,
                format_args!("{} {} {size}", tags.join(" "), id.get(..19).unwrap_or(id)),
            );
        }
        let (listed, total) =
            (result["images"].as_array()?.len(), result["total"].as_u64().unwrap_or_default());
        if text.is_empty() {
            web::push(&mut text, "no images");
        } else if total > listed as u64 {
            web::push(&mut text, format_args!("[{listed} of {total}; use `filter`]"));
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = Daemon::find(context, Self::NAME)?.effects();
        let target = Target::Named("the machine's container images".to_owned());
        effects.push(Effect { kind: EffectKind::Read, target, detail: None });
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let dial = Daemon::find(context, tool)?.dial(context, tool)?;
        let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
        let found: Vec<Summary> = client
            .run(QUERY_TIMEOUT, dial.get("/images/json"))
            .map_err(|failure| failure.of(tool))?;
        let filter = params.filter.unwrap_or_default().to_lowercase();
        let is_meant = |tag: &str| tag != "<none>:<none>" && tag.to_lowercase().contains(&filter);
        let mut found: Vec<Summary> = found
            .into_iter()
            .filter(|image| image.repo_tags.iter().any(|tag| is_meant(tag)))
            .collect();
        found.sort_by_key(|image| std::cmp::Reverse(image.created));
        let total = found.len();
        let listed = |image: Summary| ListedImage {
            id: printable(&image.id),
            tags: image.repo_tags.iter().take(20).map(|tag| printable(tag)).collect(),
            size: image.size,
            created: Timestamp::from_second(image.created).unwrap_or_default().to_string(),
        };
        Ok(Output { images: found.into_iter().take(LISTED).map(listed).collect(), total })
    }
}
