//! Embeddings of a backend.

use serde_json::{Value, json};
use tools::{Code, ModelApi, ToolError};

use crate::backend::{Connection, Request};
use crate::limits::{MAX_DIMENSIONS, MAX_REPLY_BYTES};
use crate::session::ModelSession;

impl Connection<'_> {
    /// The embedding of a text.
    pub(crate) fn embed(&self, text: &str, model: &str) -> Result<Vec<f32>, ToolError> {
        let mut allowance = ModelSession::reserve(self.context, self.tool, text.len(), 0)?;
        let path = match self.backend.api {
            ModelApi::OpenAi => "/embeddings",
            ModelApi::Ollama => "/api/embed",
        };
        let mut body = json!({ "model": model, "input": text });
        if self.backend.api == ModelApi::OpenAi {
            body["encoding_format"] = "float".into();
        }
        let timeout = self.timeout();
        let request = Request { path, body: Some(body), timeout, max_bytes: MAX_REPLY_BYTES };
        let answer = self.json(&request)?;
        allowance.spend(crate::session::estimated_tokens(text.len()));
        let vector = vector(&answer).map_err(|why| {
            self.error(Code::Unsupported, &format!("its answer is no embedding: {why}"))
                .hint("check that the model is one for embeddings (`list_llm_models`)")
        })?;
        let session = self.context.session.family::<ModelSession>();
        match session.check_dimensions(&self.backend.name, model, vector.len()) {
            Ok(()) => Ok(vector),
            Err(before) => {
                let why = format!(
                    "the embedding has {} dimensions, but {before} before: they cannot be compared",
                    vector.len()
                );
                Err(self.error(Code::Conflict, &why).hint("check which model the server runs"))
            }
        }
    }
}

/// The one vector of an answer.
fn vector(answer: &Value) -> Result<Vec<f32>, String> {
    let several = |list: &Value| list.as_array().filter(|list| list.len() != 1).map(Vec::len);
    for list in [&answer["data"], &answer["embeddings"]] {
        if let Some(number) = several(list) {
            return Err(format!("it has {number} vectors for one text"));
        }
    }
    let places = [&answer["data"][0]["embedding"], &answer["embeddings"][0], &answer["embedding"]];
    let numbers = places.into_iter().find_map(Value::as_array);
    let numbers = numbers.ok_or("it has no list of numbers")?;
    if numbers.is_empty() || numbers.len() > MAX_DIMENSIONS {
        return Err(format!(
            "it has {} dimensions; 1 to {MAX_DIMENSIONS} are possible",
            numbers.len()
        ));
    }
    #[allow(clippy::cast_possible_truncation, reason = "models compute with less precision")]
    let read =
        |number: &Value| number.as_f64().map(|number| number as f32).filter(|n| n.is_finite());
    let vector: Option<Vec<f32>> = numbers.iter().map(read).collect();
    let vector = vector.ok_or("it has something that is no finite number")?;
    if vector.iter().all(|number| *number == 0.0) {
        return Err("all its numbers are 0".to_owned());
    }
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_both_apis_are_read_and_checked() {
        for answer in [
            json!({ "data": [{ "embedding": [0.5, -1] }] }),
            json!({ "embeddings": [[0.5, -1.0]] }),
            json!({ "embedding": [0.5, -1.0] }),
        ] {
            assert_eq!(vector(&answer), Ok(vec![0.5, -1.0]), "{answer}");
        }
        for (answer, wanted) in [
            (json!({}), "no list"),
            (json!({ "data": [] }), "0 vectors"),
            (json!({ "embeddings": [[1], [2]] }), "2 vectors"),
            (json!({ "data": [{ "embedding": "AAAA" }] }), "no list"),
            (json!({ "embedding": [] }), "0 dimensions"),
            (json!({ "embedding": vec![1; MAX_DIMENSIONS + 1] }), "16385 dimensions"),
            (json!({ "embedding": [1, null] }), "no finite number"),
            (json!({ "embedding": ["NaN"] }), "no finite number"),
            (json!({ "embedding": [1e300] }), "no finite number"),
            (json!({ "embedding": [0, 0.0] }), "are 0"),
        ] {
            let error = vector(&answer).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
