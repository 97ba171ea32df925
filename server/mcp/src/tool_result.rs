//! Tool results in MCP's format.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// The form of a result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResultForm {
    /// The call's parameter: the text is JSON, too.
    pub(crate) verbose: bool,
    /// No structured content.
    pub(crate) text_only: bool,
}

/// A tool's result: text for a model, and the whole result as structured content, for programs. A notice
/// follows as a text of its own.
pub(crate) fn success(
    tool: &str,
    form: ResultForm,
    mut result: Value,
    notice: Option<String>,
) -> CallToolResult {
    let tool = tools::find(tool);
    let picture = tool.and_then(|tool| tool.picture(&result));
    if let (Some(picture), Some(fields)) = (&picture, result.as_object_mut()) {
        // It is sent once, as what it is.
        fields.remove(picture.field);
    }
    let text = match tool {
        Some(tool) => tool.text(form.verbose, &result),
        None => result.to_string(),
    };
    let texts = std::iter::once(text).chain(notice);
    let mut blocks: Vec<ContentBlock> = texts.map(ContentBlock::text).collect();
    blocks.extend(picture.map(|picture| ContentBlock::image(picture.data, picture.mime_type)));
    let mut outcome = CallToolResult::success(blocks);
    outcome.structured_content = (!form.text_only).then_some(result);
    outcome
}

/// A result in a dialect: a text as it is, anything else as JSON.
pub(crate) fn in_dialect(result: Value, notice: Option<String>) -> CallToolResult {
    let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
    let texts = std::iter::once(text).chain(notice);
    let mut outcome = CallToolResult::success(texts.map(ContentBlock::text).collect());
    outcome.structured_content = Some(result).filter(Value::is_object);
    outcome
}

/// A tool's error, as text: structured content would have to match the output schema.
pub(crate) fn failure(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_get_lines_and_programs_json() {
        crate::add_families();
        let result = json!({ "content": "one\ntwo\n", "size": 8 });
        let (verbose, text_only) = (true, true);
        let text = |outcome: &CallToolResult| outcome.content[0].as_text().unwrap().text.clone();
        let both = success("read_file", ResultForm::default(), result.clone(), None);
        assert_eq!((text(&both).as_str(), both.content.len()), ("one\ntwo\n", 1));
        assert_eq!(both.structured_content, Some(result.clone()));
        let form = ResultForm { text_only, ..ResultForm::default() };
        let only_text = success("read_file", form, result.clone(), Some("closed".to_owned()));
        assert_eq!(only_text.structured_content, None);
        assert_eq!(only_text.content[1].as_text().unwrap().text, "closed");
        let verbose = success("read_file", ResultForm { verbose, text_only }, result.clone(), None);
        assert_eq!(text(&verbose), result.to_string());
    }
}
