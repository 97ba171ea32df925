//! The models of a backend.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tools::{Code, ModelApi, ToolError};

use crate::backend::Connection;
use crate::category::{self, Category};
use crate::limits::{LIST_SECS, MAX_MODEL_NAME_BYTES, MAX_MODELS};

/// A model of a backend.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ListedModel {
    pub(crate) name: String,
    pub(crate) backend: String,
    /// What it is for, by its name and family.
    pub(crate) category: Category,
    /// Size of its file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// How many parameters it has: `8.0B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<String>,
    /// How its numbers are stored: `Q4_K_M`.
    #[serde(skip_serializing_if = "Option::is_none")]
    quantization: Option<String>,
}

/// The models of a backend, in its order.
pub(crate) fn models(connection: &Connection<'_>) -> Result<Vec<ListedModel>, ToolError> {
    let (path, field) = match connection.backend.api {
        ModelApi::OpenAi => ("/models", "data"),
        ModelApi::Ollama => ("/api/tags", "models"),
    };
    let answer = connection.get(path, LIST_SECS)?;
    // Some servers leave the object around the list out.
    let list = answer[field].as_array().or(answer.as_array()).ok_or_else(|| {
        connection
            .error(Code::Unsupported, &format!("its list of models has no `{field}`"))
            .hint("check the backend's `kind` and `url` in your config.toml")
    })?;
    let backend = &connection.backend.name;
    Ok(list.iter().take(MAX_MODELS).filter_map(|model| read(model, backend)).collect())
}

fn read(model: &Value, backend: &str) -> Option<ListedModel> {
    let name = ["name", "id", "model"].into_iter().find_map(|field| model[field].as_str())?;
    if name.is_empty() || name.len() > MAX_MODEL_NAME_BYTES || name.chars().any(char::is_control) {
        return None;
    }
    let details = &model["details"];
    let short = |field: &str| {
        let text = details[field].as_str().filter(|text| (1..=40).contains(&text.len()));
        text.map(str::to_owned)
    };
    let families = details["families"].as_array().into_iter().flatten();
    let families: Vec<&str> =
        families.chain([&details["family"]]).filter_map(Value::as_str).collect();
    Some(ListedModel {
        name: name.to_owned(),
        backend: backend.to_owned(),
        category: category::of(name, &families),
        size: model["size"].as_u64(),
        parameters: short("parameter_size"),
        quantization: short("quantization_level"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_of_both_apis_are_read() {
        let ollama = json!({ "name": "llama3:8b", "size": 5, "details": { "family": "llama", "families": null,
            "parameter_size": "8.0B", "quantization_level": "Q4_0" } });
        let wanted = ListedModel {
            name: "llama3:8b".to_owned(),
            backend: "b".to_owned(),
            category: Category::Chat,
            size: Some(5),
            parameters: Some("8.0B".to_owned()),
            quantization: Some("Q4_0".to_owned()),
        };
        assert_eq!(read(&ollama, "b"), Some(wanted));
        let openai =
            read(&json!({ "id": "text-embedding-3-small", "object": "model" }), "b").unwrap();
        assert_eq!((openai.category, openai.size), (Category::Embedding, None));
        for odd in [
            json!(null),
            json!({}),
            json!({ "name": "" }),
            json!({ "name": "a\nb" }),
            json!({ "id": 3 }),
        ] {
            assert_eq!(read(&odd, "b"), None);
        }
    }
}
