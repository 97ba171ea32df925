//! `list_runbooks`: the runbooks of the workspace and the person's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::{HINT, Summary, effects, runbooks};

pub(crate) struct ListRunbooks;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only those with this tag.
    #[serde(default)]
    tag: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The runbooks, sorted by name.
    runbooks: Vec<Summary>,
}

impl Tool for ListRunbooks {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "list_runbooks";
    const DESCRIPTION: &'static str = "List the runbooks of this workspace: procedures that the team \
        wrote down, such as releases and incidents. Read one with `get_runbook` before you do such work.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("category", "tag")];
    const EXAMPLES: &'static [&'static str] = &["{}"];

    fn text(result: &Value) -> Option<String> {
        let runbooks = result["runbooks"].as_array()?;
        let lines = runbooks.iter().map(|runbook| {
            let description = runbook["description"].as_str().or(runbook["title"].as_str());
            format!(
                "{}: {}",
                runbook["name"].as_str().unwrap_or_default(),
                description.unwrap_or_default()
            )
        });
        let lines: Vec<String> = lines.collect();
        Some(if lines.is_empty() { format!("no runbooks; {HINT}") } else { lines.join("\n") })
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(effects())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut documents = runbooks(context, Self::NAME)?;
        if let Some(tag) = &params.tag {
            documents
                .retain(|document| document.tags.iter().any(|own| own.eq_ignore_ascii_case(tag)));
        }
        Ok(Output { runbooks: documents.iter().map(Summary::new).collect() })
    }
}
