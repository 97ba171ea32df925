//! Results as the lines that a model reads.

use serde_json::Value;

/// Output of a container.
pub(crate) fn push_output(text: &mut String, output: &str) {
    let output = output.trim_end_matches('\n');
    if !output.is_empty() {
        web::push(text, output);
    }
}

/// What a wait found; nothing if it says nothing new.
pub(crate) fn waited_text(waited: &Value) -> Option<String> {
    Some(match waited["happened"].as_str()? {
        "pattern" => "the pattern was found".to_owned(),
        "healthy" => "it is healthy".to_owned(),
        "timeout" => format!("nothing of that in {} ms", waited["waited_ms"]),
        _ => return None,
    })
}

/// Files that containers created in guarded places.
pub(crate) fn push_created(text: &mut String, result: &Value) {
    for created in result["created_guarded"].as_array().into_iter().flatten() {
        let path = created["path"].as_str().unwrap_or_default();
        let fate = match (created["kept"] == true, created["action"].as_str()) {
            (true, _) => "was kept".to_owned(),
            (false, Some(action)) => format!("was moved to the trash (undo_action {action})"),
            (false, None) => "was moved to the trash".to_owned(),
        };
        web::push(text, format_args!("[{path}: created in a guarded place; {fate}]"));
    }
}
