//! Findings as SARIF 2.1.0, which code hosts and editors read.

use serde_json::{Map, Value, json};

use crate::{Confidence, Finding, Scanner};

/// A finding with its file.
#[derive(Debug, Clone)]
pub struct SarifPlace<'f> {
    /// Relative to the repository or workspace.
    pub path: &'f str,
    /// The commit that has it.
    pub commit: Option<&'f str>,
    /// What was found.
    pub finding: &'f Finding,
}

/// The findings as a log of one run.
#[must_use]
pub fn sarif(places: &[SarifPlace<'_>], version: &str) -> Map<String, Value> {
    let rules: Vec<Value> = Scanner::rules()
        .iter()
        .filter(|rule| places.iter().any(|place| place.finding.rule == rule.id))
        .map(|rule| json!({ "id": rule.id, "shortDescription": { "text": rule.about } }))
        .collect();
    let results: Vec<Value> = places.iter().map(result).collect();
    let run = json!({
        "tool": { "driver": { "name": "tandem", "version": version, "rules": rules } },
        "results": results,
    });
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    let log = json!({ "$schema": schema, "version": "2.1.0", "runs": [run] });
    match log {
        Value::Object(log) => log,
        _ => Map::new(),
    }
}

fn result(place: &SarifPlace<'_>) -> Value {
    let finding = place.finding;
    let level = match finding.confidence {
        Confidence::High => "error",
        Confidence::Medium => "warning",
        Confidence::Low => "note",
    };
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level,
        "message": { "text": format!("{}: {}", finding.about, finding.redacted) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(place.path) },
            "region": { "startLine": finding.line, "startColumn": finding.column },
        } }],
        "partialFingerprints": { "tandem/v1": finding.fingerprint },
    });
    if let Some(commit) = place.commit {
        result["properties"] = json!({ "commit": commit });
    }
    result
}

/// A path as a relative URI reference.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    path.bytes().fold(String::new(), |mut uri, byte| {
        match is_plain(byte) {
            true => uri.push(char::from(byte)),
            false => uri.push_str(&format!("%{byte:02X}")),
        }
        uri
    })
}
