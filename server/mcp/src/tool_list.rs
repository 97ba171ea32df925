//! The tools in MCP's format.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use tools::{Dialect, EffectKind, Entry};

/// All tools, by their canonical names.
pub(crate) fn all() -> &'static [Tool] {
    static ALL: OnceLock<Vec<Tool>> = OnceLock::new();
    ALL.get_or_init(|| tools::registry().iter().map(mcp_tool).collect())
}

/// The tools of a dialect, by its names. Those that nothing serves are left out.
pub(crate) fn in_dialect(dialect: &Dialect) -> Vec<Tool> {
    let served = dialect.tools().iter().filter_map(|tool| Some((tool, tool.entry()?)));
    let listed = served.map(|(tool, entry)| {
        let (name, description) = (tool.name().to_owned(), tool.description().to_owned());
        let mut listed = Tool::new(name, description, object(tool.input_schema()));
        listed.annotations = Some(annotations(entry));
        listed
    });
    listed.collect()
}

fn mcp_tool(entry: &Entry) -> Tool {
    let mut tool =
        Tool::new(entry.name, Cow::Borrowed(entry.description), object(&entry.input_schema));
    tool.output_schema = Some(object(&entry.output_schema));
    tool.annotations = Some(annotations(entry));
    tool
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// MCP's hints, derived from the tool's effects.
fn annotations(entry: &Entry) -> ToolAnnotations {
    let has = |kind: EffectKind| entry.effects.contains(&kind);
    let only_reads = entry.effects.iter().all(|kind| *kind == EffectKind::Read);
    let mut hints = ToolAnnotations::new().read_only(only_reads);
    if !only_reads {
        let destroys =
            has(EffectKind::Write) || has(EffectKind::Delete) || has(EffectKind::Execute);
        hints = hints.destructive(destroys).idempotent(entry.idempotent);
    }
    // A program that runs may access anything.
    hints.open_world(has(EffectKind::Network) || has(EffectKind::Execute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_schemas_annotations_and_a_description() {
        assert_eq!(all().len(), tools::registry().len());
        for tool in all() {
            let schema = |schema: &JsonObject| schema.get("type").cloned();
            assert_eq!(schema(&tool.input_schema), Some("object".into()), "{}", tool.name);
            let output = tool.output_schema.as_deref().and_then(schema);
            assert_eq!(output, Some("object".into()), "{}", tool.name);
            assert!(tool.annotations.is_some() && tool.description.is_some(), "{}", tool.name);
        }
        let hints = |name: &str| {
            let tool = all().iter().find(|tool| tool.name == name).unwrap();
            let hints = tool.annotations.clone().unwrap();
            (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint)
        };
        assert_eq!(hints("read_file"), (Some(true), None, Some(false)));
        assert_eq!(hints("apply_edit"), (Some(false), Some(true), Some(false)));
        assert_eq!(hints("run_command"), (Some(false), Some(true), Some(true)));
    }
}
