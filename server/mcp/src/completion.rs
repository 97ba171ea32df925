//! Completion of the arguments of prompts and resource templates: paths.

use rmcp::model::CompletionInfo;
use serde_json::Value;

/// The only argument that is completed.
pub(crate) const PATH_ARGUMENT: &str = "path";

/// The folder to list for a path that is typed, and the beginning of the name in it.
pub(crate) fn split(typed: &str) -> (&str, &str) {
    typed
        .rsplit_once('/')
        .map_or((".", typed), |(folder, name)| (if folder.is_empty() { "." } else { folder }, name))
}

/// The paths in a folder's list that continue `typed`.
pub(crate) fn continuations(typed: &str, listed: &Value) -> CompletionInfo {
    let (folder, name) = split(typed);
    let entries = listed["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut paths: Vec<String> = entries
        .iter()
        .filter_map(|entry| {
            let found = entry["name"].as_str().filter(|found| found.starts_with(name))?;
            let slash = if entry["kind"] == "directory" { "/" } else { "" };
            let before = if folder == "." { String::new() } else { format!("{folder}/") };
            Some(format!("{before}{found}{slash}"))
        })
        .collect();
    let total = paths.len();
    paths.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > paths.len() || listed["next_cursor"].is_string());
    info.total = u32::try_from(total).ok();
    info.values = paths;
    info
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_continued() {
        let listed = json!({ "entries": [
            { "name": "main.rs", "kind": "file" },
            { "name": "model", "kind": "directory" },
            { "name": "lib.rs", "kind": "file" },
        ] });
        assert_eq!(split("src/m"), ("src", "m"));
        assert_eq!(continuations("src/m", &listed).values, ["src/main.rs", "src/model/"]);
        assert_eq!(split("m"), (".", "m"));
        assert_eq!(continuations("l", &listed).values, ["lib.rs"]);
    }
}
