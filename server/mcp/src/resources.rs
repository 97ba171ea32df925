//! Resources: files with unsaved text, and what is known about them. Each is read by a tool, so policy and
//! the audit log see it.

use std::path::Path;

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use tools::Code;
use workspace::path_of_uri;

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
    /// What it changes with.
    part: fn(&str) -> Part,
}

/// The part of the workspace that a resource changes with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A file, open or on disk.
    File(String),
    /// A file or folder, and whatever else it may depend on.
    FileAndContents(String),
    /// Any document or file.
    Contents,
    /// The editor's state.
    Editor,
    /// The repository, and any document or file.
    Git,
}

/// All kinds but files, which have URIs of their own.
const KINDS: &[Kind] = &[
    Kind {
        uri: "tandem://diagnostics",
        takes_path: false,
        name: "problems",
        description: "Errors and warnings in the open documents",
        tool: "get_diagnostics",
        part: |_| Part::Contents,
    },
    Kind {
        uri: "tandem://editor",
        takes_path: false,
        name: "editor",
        description: "Open tabs, unsaved documents, the active file and the selection",
        tool: "get_editor_state",
        part: |_| Part::Editor,
    },
    Kind {
        uri: "tandem://changes",
        takes_path: false,
        name: "changes",
        description: "The uncommitted changes as a diff",
        tool: "git_diff",
        part: |_| Part::Git,
    },
    Kind {
        uri: "tandem://actions",
        takes_path: false,
        name: "actions",
        description: "The latest changes made by tools, which can be undone",
        tool: "get_action_history",
        part: |_| Part::Contents,
    },
    Kind {
        uri: "tandem://diagnostics/",
        takes_path: true,
        name: "problems of a file",
        description: "Errors and warnings in a file or folder",
        tool: "get_diagnostics",
        part: |path| Part::FileAndContents(path.to_owned()),
    },
    Kind {
        uri: "tandem://symbols/",
        takes_path: true,
        name: "symbols of a file",
        description: "The outline of a file or folder",
        tool: "symbols_overview",
        part: |path| Part::FileAndContents(path.to_owned()),
    },
];

/// The resources without parameters, and these open documents in the workspace `folder`.
pub(crate) fn list(folder: &Path, open: &[String]) -> Vec<Resource> {
    let fixed = KINDS.iter().filter(|kind| !kind.takes_path).map(|kind| {
        let resource = Resource::new(kind.uri, kind.name).with_description(kind.description);
        resource.with_mime_type(if kind.tool == "git_diff" { "text/x-diff" } else { JSON })
    });
    let open = open.iter().map(|uri| {
        let path = path_of_uri(uri).unwrap_or_default();
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let resource = Resource::new(uri.as_str(), name).with_description("An open document");
        resource.with_mime_type("text/plain")
    });
    fixed.chain(open).collect()
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
    if is_file(uri) {
        return Some(Reading { tool: "read_file", arguments: json!({ "path": uri }) });
    }
    let (kind, path) = kind(uri)?;
    let arguments = if kind.takes_path { json!({ "path": path }) } else { json!({}) };
    Some(Reading { tool: kind.tool, arguments })
}

/// The part of the workspace that the resource with this URI changes with. `None` if there is none.
pub(crate) fn part(uri: &str) -> Option<Part> {
    if is_file(uri) {
        return Some(Part::File(uri.to_owned()));
    }
    kind(uri).map(|(kind, path)| (kind.part)(path))
}

fn is_file(uri: &str) -> bool {
    uri.starts_with("file:")
}

/// The kind of the resource with this URI, and its path, empty without one.
fn kind(uri: &str) -> Option<(&'static Kind, &str)> {
    KINDS.iter().find_map(|kind| {
        let path = uri.strip_prefix(kind.uri)?;
        (kind.takes_path != path.is_empty()).then_some((kind, path))
    })
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
        crate::add_families();
        let open = ["file:///w/src/a.rs".to_owned()];
        let listed = list(Path::new("/w"), &open);
        assert_eq!(listed.last().map(|resource| resource.name.as_str()), Some("src/a.rs"));
        for resource in listed {
            assert!(part(&resource.uri).is_some(), "{}", resource.uri);
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
            assert_eq!((reading(uri), part(uri)), (None, None), "{uri}");
        }
    }
}
