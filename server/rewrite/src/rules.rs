//! Rules, checked and compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ast_grep_config::{GlobalRules, RuleCollection, RuleConfig, SerializableRuleConfig};
use ast_grep_core::Pattern;
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::{Value, json};
use syntax::Language;
use thiserror::Error;

use crate::language::{RuleLanguage, languages};
use crate::source::{MAX_RULE_BYTES, whole_rule};
use crate::words::required_words;

/// Limit for the rules of one call.
const MAX_RULES: usize = 100;
/// Languages in which almost any text is code: patterns hold for them only if they are named.
const ONLY_IF_NAMED: &[&str] = &["css", "html", "json", "php", "scss", "yaml"];

/// Why rules are refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RuleError {
    /// Something is wrong in it.
    #[error("{0}")]
    Invalid(String),
    /// A rule offers several fixes.
    #[error("the rule offers several fixes, and only one can be applied: {}", .0.join("; "))]
    SeveralFixes(Vec<String>),
}

/// The rules of a call.
pub struct Rules {
    collection: RuleCollection<RuleLanguage>,
    /// By the id of a rule: what every file with a match contains.
    words: BTreeMap<String, Vec<Finder<'static>>>,
    languages: Vec<Language>,
    has_fix: bool,
    /// Whether comments (`ast-grep-ignore`) keep code from being matched: they name rules.
    honours_comments: bool,
}

/// The rules that apply to one file.
pub struct FileRules<'r> {
    pub(crate) rules: Vec<&'r RuleConfig<RuleLanguage>>,
    pub(crate) honours_comments: bool,
}

impl Rules {
    /// A pattern, and the template of its replacement. `pattern` is code, or `{context, selector,
    /// strictness}`. Without `wanted`, it holds for every programming language in which it parses.
    ///
    /// # Errors
    /// If it is no code of the language, or matches everything.
    pub fn from_pattern(
        pattern: &Value,
        fix: Option<&str>,
        wanted: &[Language],
    ) -> Result<Self, RuleError> {
        let code = pattern.as_str().or_else(|| pattern["context"].as_str()).unwrap_or_default();
        check_size(code)?;
        check_size(fix.unwrap_or_default())?;
        let mut rules = Vec::new();
        let mut first_error = None;
        let is_code = |language: &Language| !ONLY_IF_NAMED.contains(&language.id());
        let every: Vec<_> = languages().filter(is_code).collect();
        for language in if wanted.is_empty() { &every } else { wanted } {
            let of = RuleLanguage(*language);
            if let Err(message) = check_pattern(pattern, of, wanted.is_empty()) {
                first_error.get_or_insert(message);
                continue;
            }
            let rule = json!({ "pattern": pattern });
            let rule = whole_rule(rule, fix, Some(language.id()), rules.len() + 1);
            match rule.map_err(RuleError::Invalid).and_then(compile) {
                Ok(rule) => rules.push(rule),
                Err(error @ RuleError::SeveralFixes(_)) => return Err(error),
                Err(RuleError::Invalid(message)) => {
                    first_error.get_or_insert(message);
                }
            }
        }
        match first_error {
            Some(error) if rules.is_empty() || !wanted.is_empty() => Err(RuleError::Invalid(error)),
            _ => Self::new(rules, false),
        }
    }

    /// Rules as YAML (one or several documents) or as an object. `fix` and `language` complete those
    /// that have none.
    ///
    /// # Errors
    /// If something in them is wrong.
    pub fn from_rules(
        source: &Value,
        fix: Option<&str>,
        language: Option<Language>,
    ) -> Result<Self, RuleError> {
        let invalid = |message: String| RuleError::Invalid(message);
        let values: Vec<Value> = match source {
            Value::String(yaml) => {
                check_size(yaml)?;
                ast_grep_config::from_multiple(yaml)
                    .map_err(|error| invalid(format!("the YAML cannot be read: {error}")))?
            }
            Value::Array(rules) => rules.clone(),
            rule => vec![rule.clone()],
        };
        if values.is_empty() || values.len() > MAX_RULES {
            return Err(invalid(format!("give 1 to {MAX_RULES} rules")));
        }
        check_size(&serde_json::to_string(&values).unwrap_or_default())?;
        let mut rules = Vec::new();
        for (number, value) in (1..).zip(values) {
            let rule = whole_rule(value, fix, language.map(Language::id), number);
            rules.push(compile(rule.map_err(invalid)?)?);
        }
        Self::new(rules, true)
    }

    fn new(rules: Vec<Compiled>, honours_comments: bool) -> Result<Self, RuleError> {
        let mut words = BTreeMap::new();
        let (mut languages, mut has_fix) = (Vec::new(), false);
        let mut ids = BTreeSet::new();
        let mut configs = Vec::new();
        for Compiled { config, finders } in rules {
            if !ids.insert(config.id.clone()) {
                return Err(RuleError::Invalid(format!("two rules have the id `{}`", config.id)));
            }
            languages.push(config.language.0);
            has_fix |= !config.fixer.is_empty();
            words.insert(config.id.clone(), finders);
            configs.push(config);
        }
        languages.sort_by_key(|language| language.id());
        languages.dedup();
        let collection = RuleCollection::try_new(configs)
            .map_err(|error| RuleError::Invalid(format!("`files` or `ignores`: {error}")))?;
        Ok(Self { collection, words, languages, has_fix, honours_comments })
    }

    /// The languages of the rules.
    #[must_use]
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// Whether any rule changes what it matches.
    #[must_use]
    pub fn has_fix(&self) -> bool {
        self.has_fix
    }

    /// Whether no rule can match in a text with these bytes: saves parsing it.
    #[must_use]
    pub fn cannot_match(&self, bytes: &[u8]) -> bool {
        self.words.values().all(|words| words.iter().any(|word| word.find(bytes).is_none()))
    }

    /// The rules for a file at `path`, relative to its root.
    #[must_use]
    pub fn for_file(&self, path: &Path, language: Language) -> FileRules<'_> {
        let rules = self.collection.get_rule_from_lang(path, RuleLanguage(language));
        FileRules { rules, honours_comments: self.honours_comments }
    }
}

impl FileRules<'_> {
    /// Whether no rule applies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

struct Compiled {
    config: RuleConfig<RuleLanguage>,
    finders: Vec<Finder<'static>>,
}

fn compile(rule: Value) -> Result<Compiled, RuleError> {
    let words = |config: &RuleConfig<RuleLanguage>| {
        let words = required_words(&rule["rule"], config.language);
        words.iter().map(|word| Finder::new(word).into_owned()).collect()
    };
    let titles = |fix: &Value| -> Vec<String> {
        let list = fix.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter()
            .map(|fix| fix["title"].as_str().unwrap_or("without a title").to_owned())
            .collect()
    };
    let parsed = SerializableRuleConfig::<RuleLanguage>::deserialize(&rule)
        .map_err(|error| RuleError::Invalid(format!("the rule cannot be read: {error}")))?;
    let config = RuleConfig::try_from(parsed, &GlobalRules::default())
        .map_err(|error| RuleError::Invalid(with_causes(&error)))?;
    if config.fixer.len() > 1 {
        return Err(RuleError::SeveralFixes(titles(&rule["fix"])));
    }
    let finders = words(&config);
    Ok(Compiled { config, finders })
}

/// An error with the errors that caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        // Some errors repeat their cause.
        if !message.contains(&next) {
            message = format!("{} {next}", message.trim_end_matches('.').to_owned() + ":");
        }
        cause = error.source();
    }
    message
}

fn check_size(source: &str) -> Result<(), RuleError> {
    if source.len() <= MAX_RULE_BYTES {
        return Ok(());
    }
    let length = source.len();
    let message = format!("a pattern or rule has at most {MAX_RULE_BYTES} bytes, not {length}");
    Err(RuleError::Invalid(message))
}

/// Refuses a pattern that is no code of the language. ast-grep takes one that is broken inside, with
/// a warning; here it counts only if the caller named the language.
fn check_pattern(pattern: &Value, of: RuleLanguage, strict: bool) -> Result<(), String> {
    let Some(code) = pattern.as_str() else { return Ok(()) };
    let parsed = Pattern::try_new(code, of).map_err(|error| with_causes(&error))?;
    let name = of.0.name();
    // An expression of Rust or Java lacks only what makes a statement of it.
    let is_broken = |code: &str| crate::context::is_broken(of, code);
    let is_incomplete = || is_broken(code) && is_broken(&format!("{code};"));
    // A bracket or comma alone would match every one.
    let is_mark = matches!(code.trim().as_bytes(), [byte] if byte.is_ascii_punctuation());
    if parsed.has_error() || is_mark || (strict && is_incomplete()) {
        return Err(format!(
            "the pattern is no complete expression, statement or declaration of {name}; \
             {{\"context\": …, \"selector\": …}} gives the code around it"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_for;

    fn error(result: Result<Rules, RuleError>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let rust = language_for("rust");
        let rule = |rule: Value| error(Rules::from_rules(&rule, None, rust));
        for (bad, expected) in [
            (json!({ "kind": "no_such_kind" }), "no_such_kind"),
            (json!({ "patern": "a" }), "patern"),
            (json!({ "pattern": "$A" }), "kind"),
            (json!({ "pattern": "f($A)", "fix": "$B" }), "B"),
            (json!({ "pattern": "f($A)", "language": "klingon" }), "klingon"),
            (json!("rule: [}"), "YAML"),
            (json!("- 1"), "object"),
            (json!([]), "rules"),
            (json!({ "pattern": "f($A)", "files": ["["] }), "files"),
            (json!({ "regex": "(" , "kind": "identifier" }), "regex"),
            (json!({ "matches": "no-such-util", "kind": "identifier" }), "no-such-util"),
            (json!("x".repeat(20_000)), "bytes"),
        ] {
            let message = rule(bad.clone());
            assert!(message.contains(expected), "{bad}: {message}");
        }
        let several = json!({ "rule": { "pattern": "f($A)" },
            "fix": [{ "title": "one", "template": "g($A)" }, { "title": "two", "template": "h($A)" }] });
        assert!(rule(several).ends_with("one; two"));
        let twice = json!([{ "pattern": "a", "id": "x" }, { "pattern": "b", "id": "x" }]);
        assert!(rule(twice).contains("id `x`"));
    }

    #[test]
    fn patterns_hold_for_the_languages_in_which_they_parse() {
        let ids = |pattern: &str| {
            let rules = Rules::from_pattern(&json!(pattern), Some("x"), &[]).unwrap();
            rules.languages().iter().map(|language| language.id()).collect::<Vec<_>>()
        };
        let functions = ids("def $F($$$A):\n    $$$B");
        assert!(functions.contains(&"python"), "{functions:?}");
        assert!(!functions.contains(&"rust") && !functions.contains(&"yaml"), "{functions:?}");
        let calls = ids("foo($A)");
        for id in ["rust", "python", "javascript", "tsx", "java"] {
            assert!(calls.contains(&id), "{id}: {calls:?}");
        }
        let rust = language_for("rust").unwrap();
        for bad in ["", "$$$A", "foo(", ")", "a; b;", &"(".repeat(9_000), &"x".repeat(20_000)] {
            let result = Rules::from_pattern(&json!(bad), None, &[rust]);
            assert!(result.is_err(), "{bad:.20}");
        }
    }
}
