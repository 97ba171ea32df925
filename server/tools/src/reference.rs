//! Generates docs/tools.md, the reference of all tools.

use std::fmt::Write;

use serde_json::Value;

use crate::{Code, Entry, registry};

/// The text of `docs/tools.md`, from the registry.
#[must_use]
pub fn reference() -> String {
    let mut out = String::from(
        "# Tools\n\n\
         Made by `tandem tools --markdown`; do not edit.\n\n\
         Called as `tandem.<name>` by `workspace/executeCommand` with `arguments: [{…}]`, or from a\n\
         shell by `tandem call <name> '{…}'`. Paths are relative to the workspace, absolute inside\n\
         it, or `file:` URIs. Lines are 1-based.\n",
    );
    for tool in registry() {
        describe(tool, &mut out);
    }
    out.push_str(
        "\n## Errors\n\n\
         `{code, message, recoverable, hint?, details?}`; `recoverable` says whether other\n\
         parameters or another try may help.\n\n\
         | code | JSON-RPC | recoverable |\n|---|---|---|\n",
    );
    for code in Code::ALL {
        let recoverable = if code.is_recoverable() { "yes" } else { "no" };
        line(&mut out, &format!("| `{}` | {} | {recoverable} |", code.as_str(), code.rpc_code()));
    }
    out
}

fn describe(tool: &Entry, out: &mut String) {
    line(out, &format!("\n## `{}`\n", tool.name));
    line(out, tool.description);
    if !tool.aliases.is_empty() {
        line(out, &format!("\nAlso called: `{}`.", tool.aliases.join("`, `")));
    }
    let effects: Vec<_> = tool.effects.iter().map(|kind| kind.as_str()).collect();
    line(out, &format!("\nEffects: {}.\n\nParameters:\n", effects.join(", ")));
    fields(&tool.input_schema, 0, out);
    for (alias, name) in tool.parameter_aliases {
        line(out, &format!("- `{alias}`: the same as `{name}`"));
    }
    for example in tool.examples {
        line(out, &format!("\nExample: `{example}`"));
    }
    line(out, "\nResult:\n");
    fields(&tool.output_schema, 0, out);
}

/// The properties of a schema, as a nested list.
fn fields(schema: &Value, depth: usize, out: &mut String) {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, field) in properties {
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        let description = field["description"].as_str().unwrap_or_default().replace('\n', " ");
        let description =
            if description.is_empty() { description } else { format!(": {description}") };
        let kind = kind(field);
        line(out, &format!("{}- `{name}` ({kind}{optional}){description}", "  ".repeat(depth)));
        fields(if field["items"].is_object() { &field["items"] } else { field }, depth + 1, out);
    }
}

fn kind(field: &Value) -> String {
    let one = |value: &Value| value.as_str().unwrap_or("any").to_owned();
    match &field["type"] {
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter(|k| *k != "null").map(one);
            kinds.collect::<Vec<_>>().join(" or ")
        }
        kind => one(kind),
    }
}

/// Adds a line to a page.
pub(crate) fn line(out: &mut String, text: &str) {
    // Writing to a String does not fail.
    let _ = writeln!(out, "{text}");
}
