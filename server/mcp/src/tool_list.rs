//! The tools in MCP's format.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use tools::{Dialect, EffectKind, Entry, ListedTool, Profile};

/// The tools of a profile.
pub(crate) fn of(profile: &Profile) -> Vec<Tool> {
    let listed = profile.tools.iter().map(|listed| mcp_tool(listed, profile.output_schemas));
    listed.collect()
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

fn mcp_tool(listed: &ListedTool, with_output_schema: bool) -> Tool {
    let entry = listed.tool;
    let mut tool =
        Tool::new(entry.name, Cow::Borrowed(entry.description), object(&listed.input_schema));
    // The result of `call_tool` is that of another tool.
    if with_output_schema && entry.name != tools::CALL_TOOL {
        tool.output_schema = Some(object(&entry.output_schema));
    }
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
    fn annotations_follow_effects() {
        crate::add_families();
        let hints = |name: &str| {
            let hints = annotations(tools::find(name).unwrap());
            (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint)
        };
        assert_eq!(hints("read_file"), (Some(true), None, Some(false)));
        assert_eq!(hints("apply_edit"), (Some(false), Some(true), Some(false)));
        assert_eq!(hints("run_command"), (Some(false), Some(true), Some(true)));
        // It may do whatever any tool does.
        assert_eq!(hints("call_tool"), (Some(false), Some(true), Some(true)));
    }
}
