//! Which tools take paths, and where: read off their schemas.

use std::collections::BTreeSet;

use serde_json::Value;
use tests::Home;

use super::samples::{Attack, Role, SAMPLES, attacks};

/// Names of parameters that hold a path, in any tool.
const NAMES: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "file_path",
    "filepath",
    "filename",
    "source",
    "sources",
    "destination",
    "src",
    "dest",
    "cwd",
    "dir",
    "directory",
    "folder",
    "root",
    "base",
    "uri",
    "uris",
    "target",
    "repository",
    "program",
];

/// The registered tools as `tandem tools --json` lists them.
pub(super) fn tools() -> Vec<Value> {
    let output = Home::new().command().args(["tools", "--json"]).output().unwrap();
    assert!(output.status.success(), "tandem tools --json: {}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(super) fn names() -> BTreeSet<String> {
    tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Where a schema takes paths: `path`, `edits[].path`.
fn path_parameters(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(schema, schema, "", 0, &mut found);
    found
}

fn collect(schema: &Value, whole: &Value, at: &str, depth: usize, found: &mut BTreeSet<String>) {
    if depth > 12 {
        return;
    }
    if let Some(name) = schema["$ref"].as_str() {
        let definition = name.strip_prefix('#').and_then(|pointer| whole.pointer(pointer));
        return collect(definition.unwrap_or(&Value::Null), whole, at, depth + 1, found);
    }
    for kind in ["anyOf", "oneOf", "allOf"] {
        for branch in schema[kind].as_array().into_iter().flatten() {
            collect(branch, whole, at, depth + 1, found);
        }
    }
    if schema["items"].is_object() {
        collect(&schema["items"], whole, &format!("{at}[]"), depth + 1, found);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let place = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let told = field["description"].as_str().unwrap_or_default().to_lowercase();
        // A path of names leads to no file.
        let is_path = name.ends_with("_path") && name != "name_path";
        // Beside a path, a file name is only a label for the receiver, and a target one of the build.
        let is_label = matches!(name.as_str(), "filename" | "target")
            && schema["properties"]["path"].is_object();
        let is_named = (NAMES.contains(&name.as_str()) && !is_label) || is_path;
        if (is_named || told.contains("relative to the workspace")) && takes_text(field) {
            let list = if accepts_type(field, "array") { "[]" } else { "" };
            found.insert(format!("{place}{list}"));
        }
        collect(field, whole, &place, depth + 1, found);
    }
}

fn takes_text(field: &Value) -> bool {
    accepts_type(field, "string") || (accepts_type(field, "array") && takes_text(&field["items"]))
}

fn accepts_type(field: &Value, kind: &str) -> bool {
    let named = |value: &Value| value == kind;
    let here = &field["type"];
    named(here)
        || here.as_array().is_some_and(|kinds| kinds.iter().any(named))
        || field["anyOf"]
            .as_array()
            .is_some_and(|any| any.iter().any(|one| accepts_type(one, kind)))
}

/// Attacks made from a tool's examples, for path parameters of reading tools that samples.rs leaves
/// out.
pub(super) fn from_examples() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for tool in tools() {
        let name = tool["name"].as_str().unwrap();
        let only_reads = tool["effects"].as_array().unwrap().iter().all(|effect| effect == "read");
        let examples = tool["examples"].as_array().unwrap().iter();
        let examples: Vec<Value> = examples
            .map(|example| serde_json::from_str(example.as_str().unwrap()).unwrap())
            .collect();
        for place in path_parameters(&tool["inputSchema"]) {
            let is_sampled =
                SAMPLES.iter().any(|sample| sample.tool == name && sample.place == place);
            let example = examples.iter().find(|example| example[&place].is_string());
            let Some(example) = example.filter(|_| only_reads && !is_sampled) else { continue };
            let (example, of) = (example.clone(), place.clone());
            attacks.push(Attack {
                tool: name.to_owned(),
                place,
                role: Role::Example,
                params: Box::new(move |path| {
                    let mut params = example.clone();
                    params[&of] = path.into();
                    params
                }),
            });
        }
    }
    attacks
}

#[test]
fn every_path_parameter_of_every_tool_is_attacked() {
    let attacks = attacks();
    let mut missing = Vec::new();
    for tool in tools() {
        let name = tool["name"].as_str().unwrap();
        for place in path_parameters(&tool["inputSchema"]) {
            if !attacks.iter().any(|attack| attack.tool == name && attack.place == place) {
                missing.push(format!("{name}: {place}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "these parameters take paths and are not attacked; give the tool an example with a path, or \
         add a sample to samples.rs if it changes anything: {missing:#?}"
    );
}

#[test]
fn path_parameters_are_found_at_any_depth() {
    let schema = serde_json::json!({
        "properties": {
            "path": { "type": ["string", "null"] },
            "limit": { "type": "integer" },
            "where": { "type": "string", "description": "The file: relative to the workspace." },
            "files": { "type": "array", "items": { "type": "string" } },
            "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } },
            "file": { "type": "object", "properties": { "path": { "type": "string" } } },
        },
        "$defs": { "Edit": { "properties": { "new_path": { "anyOf": [
            { "type": "string" }, { "type": "null" } ] } } } },
    });
    let found: Vec<_> = path_parameters(&schema).into_iter().collect();
    assert_eq!(found, ["edits[].new_path", "file.path", "files[]", "path", "where"]);
}
