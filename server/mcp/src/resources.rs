//! Resources: files with unsaved text, and what is known about them. Each is read by a tool, so policy and
//! the audit log see it.

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use tools::Code;

/// Longest text of a resource, in bytes; the rest is left to `read_file`.
const MAX_BYTES: usize = 1 << 20;
const JSON: &str = "application/json";

/// A resource or a template of resources.
struct Kind {
    /// The URI, or what it starts with if a path follows.
    uri: &'static str,
    takes_path: bool,
    name: &'static str,
    description: &'static str,
    tool: &'static str,
}

/// All kinds but files, which have URIs of their own.
const KINDS: &[Kind] = &[
    Kind {
        uri: "tandem://diagnostics",
        takes_path: false,
        name: "problems",
        description: "Errors and warnings in the open documents",
        tool: "get_diagnostics",
    },
    Kind {
        uri: "tandem://editor",
        takes_path: false,
        name: "editor",
        description: "Open tabs, unsaved documents, the active file and the selection",
        tool: "get_editor_state",
    },
    Kind {
        uri: "tandem://changes",
        takes_path: false,
        name: "changes",
        description: "The uncommitted changes as a diff",
        tool: "git_diff",
    },
    Kind {
        uri: "tandem://actions",
        takes_path: false,
        name: "actions",
        description: "The latest changes made by tools, which can be undone",
        tool: "get_action_history",
    },
    Kind {
        uri: "tandem://diagnostics/",
        takes_path: true,
        name: "problems of a file",
        description: "Errors and warnings in a file or folder",
        tool: "get_diagnostics",
    },
    Kind {
        uri: "tandem://symbols/",
        takes_path: true,
        name: "symbols of a file",
        description: "The outline of a file or folder",
        tool: "symbols_overview",
    },
];

/// The resources without parameters.
pub(crate) fn list() -> Vec<Resource> {
    let fixed = KINDS.iter().filter(|kind| !kind.takes_path);
    fixed
        .map(|kind| {
            let resource = Resource::new(kind.uri, kind.name).with_description(kind.description);
            resource.with_mime_type(if kind.tool == "git_diff" { "text/x-diff" } else { JSON })
        })
        .collect()
}

/// The resources of files.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let file = ResourceTemplate::new("file:///{+path}", "file")
        .with_description("A file of the workspace, with its unsaved changes")
        .with_mime_type("text/plain");
    let others = KINDS.iter().filter(|kind| kind.takes_path).map(|kind| {
        ResourceTemplate::new(format!("{}{{+path}}", kind.uri), kind.name)
            .with_description(kind.description)
            .with_mime_type(JSON)
    });
    std::iter::once(file).chain(others).collect()
}

/// The call that reads a resource.
#[derive(Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

/// The call that reads the resource with this URI. `None` if there is none.
pub(crate) fn reading(uri: &str) -> Option<Reading> {
    if uri.starts_with("file:") {
        return Some(Reading { tool: "read_file", arguments: json!({ "path": uri }) });
    }
    let fixed = KINDS.iter().find(|kind| !kind.takes_path && kind.uri == uri);
    if let Some(kind) = fixed {
        return Some(Reading { tool: kind.tool, arguments: json!({}) });
    }
    let (kind, path) = KINDS.iter().filter(|kind| kind.takes_path).find_map(|kind| {
        Some((kind, uri.strip_prefix(kind.uri).filter(|path| !path.is_empty())?))
    })?;
    Some(Reading { tool: kind.tool, arguments: json!({ "path": path }) })
}

/// The text of a resource, gathered page by page.
#[derive(Default)]
pub(crate) struct Gathered {
    text: String,
    mime_type: Option<&'static str>,
}

impl Gathered {
    /// Adds one result of `tool`. Returns the cursor of the next one, if the resource needs it.
    pub(crate) fn add(&mut self, tool: &str, mut result: Value) -> Option<Value> {
        let (field, mime_type) = match tool {
            "read_file" => ("content", "text/plain"),
            "git_diff" => ("diff", "text/x-diff"),
            _ => {
                self.mime_type = Some(JSON);
                self.text = result.to_string();
                return None;
            }
        };
        self.mime_type = Some(mime_type);
        self.text.push_str(result[field].as_str().unwrap_or_default());
        let cursor = result["next_cursor"].take();
        (!cursor.is_null() && self.text.len() < MAX_BYTES).then_some(cursor)
    }

    pub(crate) fn into_result(self, uri: &str) -> ReadResourceResult {
        let contents = ResourceContents::text(self.text, uri);
        ReadResourceResult::new(vec![contents.with_mime_type(self.mime_type.unwrap_or(JSON))])
    }
}

/// The error for a resource that does not exist.
pub(crate) fn unknown(uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(200).collect();
    let message = format!("no resource `{shown}`; resources/list and resources/templates/list");
    ErrorData::resource_not_found(message, Some(json!({ "uri": shown })))
}

/// The error of a call that read a resource.
pub(crate) fn error(uri: &str, error: Value) -> ErrorData {
    let message = error["message"].as_str().unwrap_or_default().to_owned();
    let is = |codes: &[Code]| codes.iter().any(|code| error["code"] == code.as_str());
    if is(&[Code::FileNotFound, Code::DirNotFound, Code::PathNotFound]) {
        let mut data = error;
        data["uri"] = uri.into();
        return ErrorData::resource_not_found(message, Some(data));
    }
    if is(&[Code::Internal, Code::Io]) {
        return ErrorData::internal_error(message, Some(error));
    }
    ErrorData::invalid_params(message, Some(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_resource_can_be_read() {
        for resource in list() {
            let reading = reading(&resource.uri).unwrap();
            assert!(tools::find(reading.tool).is_some(), "{}", resource.uri);
        }
        for template in templates() {
            let uri = template.uri_template.replace("{+path}", "src/a.rs");
            let reading = reading(&uri).unwrap();
            assert!(tools::find(reading.tool).is_some(), "{uri}");
            assert!(reading.arguments["path"].as_str().unwrap().ends_with("src/a.rs"), "{uri}");
        }
    }

    #[test]
    fn other_uris_are_unknown() {
        for uri in ["", "tandem://", "tandem://symbols/", "tandem://secrets", "http://a/b"] {
            assert_eq!(reading(uri), None, "{uri}");
        }
    }
}
