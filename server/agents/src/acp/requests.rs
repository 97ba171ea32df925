//! What an agent asks of us: files and permissions. Everything goes through tools and policy.

use std::path::Path;

use serde_json::{Value, json};
use tools::{Code, Effect, EffectKind, Target, ToolError};

use super::place::Place;

/// Pages of a file; more is too large to be read at once.
const MAX_PAGES: usize = 400;
/// How much of a request's details a person sees, in bytes.
const MAX_DETAIL_BYTES: usize = 4 << 10;
/// Longest title of a request, in characters.
const MAX_TITLE_CHARS: usize = 200;

/// JSON-RPC's code for an error of ours.
const REFUSED: i64 = -32_000;

/// The text of a file, unsaved text included (`fs/read_text_file`).
pub(crate) fn read_text_file(place: &Place<'_>, params: &Value) -> Result<Value, (i64, String)> {
    let path = path(params)?;
    let mut content = String::new();
    let mut cursor = Value::Null;
    for _ in 0..MAX_PAGES {
        let mut call = json!({ "path": path });
        if cursor.is_string() {
            call["cursor"] = cursor;
        }
        let mut page = place.call("read_file", call).map_err(rpc_error)?;
        content.push_str(page["content"].as_str().unwrap_or_default());
        cursor = page["next_cursor"].take();
        if !cursor.is_string() {
            break;
        }
    }
    if cursor.is_string() {
        return Err((REFUSED, format!("{path}: is too large")));
    }
    let line = params["line"].as_u64().and_then(|line| usize::try_from(line).ok());
    let limit = params["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
    if line.is_some() || limit.is_some() {
        let skip = line.unwrap_or(1).saturating_sub(1);
        let lines = content.split_inclusive('\n').skip(skip);
        content = lines.take(limit.unwrap_or(usize::MAX)).collect();
    }
    Ok(json!({ "content": content }))
}

/// Writes a file; an open document changes in the editor (`fs/write_text_file`).
pub(crate) fn write_text_file(place: &Place<'_>, params: &Value) -> Result<Value, (i64, String)> {
    let Some(content) = params["content"].as_str() else {
        return Err((-32_602, "`content` is missing".to_owned()));
    };
    let call = json!({ "path": path(params)?, "content": content, "overwrite": true });
    place.call("write_file", call).map_err(rpc_error)?;
    Ok(json!({}))
}

/// Has policy, and by it a person, decide on what the agent wants to do (`session/request_permission`).
/// Returns the answer, and why it was refused.
pub(crate) fn request_permission(
    place: &Place<'_>,
    agent: &str,
    params: &Value,
) -> (Value, Option<ToolError>) {
    let call = &params["toolCall"];
    let decided = effects(place, agent, call)
        .and_then(|effects| place.calls.approve(place.tool, call, &effects));
    let kinds: &[&str] = match decided {
        // An approval covers one request: `allow_always` would keep the agent from asking again.
        Ok(()) => &["allow_once"],
        Err(_) => &["reject_once", "reject_always"],
    };
    let options = params["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    let option =
        kinds.iter().find_map(|kind| options.iter().find(|option| option["kind"] == **kind));
    let outcome = match option {
        Some(option) => json!({ "outcome": "selected", "optionId": option["optionId"] }),
        None => json!({ "outcome": "cancelled" }),
    };
    (json!({ "outcome": outcome }), decided.err())
}

/// What the agent wants to do, as far as it says. Its own words are shown as such: they are no proof.
fn effects(place: &Place<'_>, agent: &str, call: &Value) -> Result<Vec<Effect>, ToolError> {
    let snapshot = place.calls.snapshot();
    let kind = call["kind"].as_str().unwrap_or("other");
    let paths = call["locations"].as_array().into_iter().flatten();
    let paths: Vec<&str> = paths.filter_map(|location| location["path"].as_str()).collect();
    let mut files = Vec::new();
    for path in &paths {
        // Also for what only reads: outside the roots it is refused.
        files.push(snapshot.locate_absolute(Path::new(path))?);
    }
    let effects: Vec<Effect> = match kind {
        "edit" | "move" => files.iter().map(Effect::write).collect(),
        "delete" => files.iter().map(Effect::delete).collect(),
        "read" | "search" => files.iter().map(Effect::read).collect(),
        _ => Vec::new(),
    };
    if !effects.is_empty() {
        return Ok(effects);
    }
    let title: String =
        call["title"].as_str().unwrap_or(kind).chars().take(MAX_TITLE_CHARS).collect();
    let mut detail = call["rawInput"].to_string();
    detail.truncate(detail.floor_char_boundary(MAX_DETAIL_BYTES));
    Ok(vec![Effect {
        kind: EffectKind::Admin,
        target: Target::Named(format!("{agent}, outside the sandbox: {title}")),
        detail: (!call["rawInput"].is_null()).then_some(detail),
    }])
}

fn path(params: &Value) -> Result<&str, (i64, String)> {
    let path = params["path"].as_str().filter(|path| Path::new(path).is_absolute());
    path.ok_or_else(|| (-32_602, "`path` must be an absolute path".to_owned()))
}

fn rpc_error(error: ToolError) -> (i64, String) {
    let code = match error.code {
        Code::InvalidParams => -32_602,
        Code::FileNotFound | Code::PathNotFound => -32_002,
        _ => REFUSED,
    };
    (code, format!("{}: {error}", error.code.as_str()))
}
