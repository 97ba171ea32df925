//! Words that every match contains, so that most files need not be parsed.

use ast_grep_core::Pattern;
use serde_json::Value;

use crate::language::RuleLanguage;

/// Shortest text that is worth a search.
const MIN_LEN: usize = 2;

/// Texts that a file must contain for `rule` to match in it. Empty if nothing is known.
pub(crate) fn required_words(rule: &Value, language: RuleLanguage) -> Vec<String> {
    let mut words = Vec::new();
    collect(rule, language, &mut words);
    words.sort();
    words.dedup();
    words
}

fn collect(rule: &Value, language: RuleLanguage, words: &mut Vec<String>) {
    let Value::Object(rule) = rule else { return };
    for (key, value) in rule {
        match (key.as_str(), value) {
            // Other strictness than the default may ignore the text.
            ("pattern", Value::String(pattern)) => {
                if let Ok(pattern) = Pattern::try_new(pattern, language) {
                    words.extend(
                        Some(pattern.fixed_string().into_owned()).filter(|w| w.len() >= MIN_LEN),
                    );
                }
            }
            ("all", Value::Array(rules)) => {
                rules.iter().for_each(|rule| collect(rule, language, words));
            }
            ("inside" | "has" | "precedes" | "follows", rule) => collect(rule, language, words),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn alternatives_and_negations_require_nothing() {
        let python = RuleLanguage(crate::language_for("python").unwrap());
        let rule = json!({
            "pattern": "logging.warn($$$A)",
            "inside": { "pattern": "class Widget: $$$B", "stopBy": "end" },
            "any": [{ "pattern": "one()" }],
            "not": { "pattern": "two()" },
            "all": [{ "has": { "pattern": "three" } }],
        });
        assert_eq!(required_words(&rule, python), ["Widget", "logging", "three"]);
        let ignores_text = json!({ "pattern": { "context": "foo()", "strictness": "signature" } });
        assert!(required_words(&ignores_text, python).is_empty());
    }
}
