//! `debug_configurations`: lists the configurations of `.vscode/launch.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adapters;
use super::configuration::{self, Configurations};
use super::launch_variables::LaunchVariables;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugConfigurations;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The value of `${file}`; by default the editor's active file.
    #[serde(default)]
    file: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The configurations, in order.
    configurations: Vec<ConfigurationOutput>,
    /// Compounds, which start several.
    compounds: Vec<CompoundOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ConfigurationOutput {
    /// Its name, for `configuration` of `debug_launch`.
    name: String,
    /// Its type, as written.
    #[serde(rename = "type")]
    kind: String,
    /// `launch` or `attach`.
    request: String,
    /// Why it cannot be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Its unsupported fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct CompoundOutput {
    /// Its name, for `configuration` of `debug_launch`.
    name: String,
    /// The configurations it starts.
    configurations: Vec<String>,
}

impl Tool for DebugConfigurations {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_configurations";
    const DESCRIPTION: &'static str = "List the launch configurations of `.vscode/launch.json`, \
        and which of them `debug_launch` can start by `configuration`. Runs nothing.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if let Some(file) = &params.file {
            context.snapshot.locate(file)?;
        }
        Ok(vec![configuration::effect(context)?])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let all = Configurations::read(context, Self::NAME)?;
        let table = adapters::load_adapters(context, Self::NAME)?;
        let variables = LaunchVariables::from_context(context, params.file.as_deref());
        let configurations = all.parse_all(&table, &variables).into_iter();
        let configurations = configurations.map(|(name, kind, request, parsed)| {
            let (problem, left_out) = match parsed {
                Ok(parsed) => (None, parsed.left_out),
                Err(why) => (Some(why), Vec::new()),
            };
            ConfigurationOutput { name, kind, request, problem, left_out }
        });
        let compounds = all.compounds().iter().map(|compound| CompoundOutput {
            name: compound.name.clone(),
            configurations: compound.configurations.clone(),
        });
        Ok(Output { configurations: configurations.collect(), compounds: compounds.collect() })
    }
}
