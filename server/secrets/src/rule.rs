//! A rule, and the list of them in `rules.toml`.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::Confidence;
use crate::checksum::Checksum;
use crate::entropy::entropy;
use crate::placeholder::{is_code, is_placeholder};

/// A rule as `rules.toml` has it, which says what the fields mean.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name in results.
    pub id: String,
    /// The kind of secret.
    pub kind: String,
    /// What it finds.
    pub about: String,
    pub(crate) keywords: Vec<String>,
    regex: String,
    #[serde(default = "high")]
    pub(crate) confidence: Confidence,
    #[serde(default = "least_entropy")]
    entropy: f32,
    #[serde(default = "reach")]
    pub(crate) reach: usize,
    checksum: Option<Checksum>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    pub(crate) generic: bool,
    /// Compiled when a keyword is first found: most files need few rules.
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

fn high() -> Confidence {
    Confidence::High
}

fn least_entropy() -> f32 {
    2.5
}

fn reach() -> usize {
    256
}

#[derive(Deserialize)]
struct RuleFile {
    rule: Vec<Rule>,
}

/// Limit for a compiled pattern, in bytes.
const PATTERN_SIZE: usize = 2 << 20;
/// Files in which names such as `integrity` and `hash` stand for checksums: generic rules skip them.
const CHECKSUM_FILES: &[&str] =
    &[".lock", "-lock.json", "-lock.yaml", "go.sum", ".svg", ".min.js", ".min.css", ".map"];

/// A pattern of a caller that does not compile, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadPattern(pub String);

/// The built-in rules.
pub(crate) fn built_in() -> Vec<Rule> {
    let file: RuleFile =
        toml::from_str(include_str!("rules.toml")).expect("a test reads the built-in rules");
    file.rule
}

impl Rule {
    /// A rule of the caller: `custom-1` and so on. It has no keywords, and runs over the whole text.
    pub(crate) fn custom(number: usize, pattern: &str) -> Result<Self, BadPattern> {
        let compiled = compile(pattern).map_err(|error| BadPattern(error.to_string()))?;
        Ok(Self {
            id: format!("custom-{number}"),
            kind: "custom".to_owned(),
            about: "Matches a pattern of the call".to_owned(),
            keywords: Vec::new(),
            regex: pattern.to_owned(),
            confidence: Confidence::Medium,
            entropy: 0.0,
            reach: 0,
            checksum: None,
            files: Vec::new(),
            generic: false,
            compiled: OnceLock::from(Some(compiled)),
        })
    }

    pub(crate) fn pattern(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.regex).ok()).as_ref()
    }

    pub(crate) fn is_custom(&self) -> bool {
        self.keywords.is_empty()
    }

    /// Whether the rule holds for a file at this path.
    pub(crate) fn covers(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ends = |end: &str| name.ends_with(end);
        // `.env.local` is a file of settings, too.
        (self.files.is_empty()
            || self.files.iter().any(|end| ends(end))
            || name.starts_with(".env") && self.files.iter().any(|end| end == ".env"))
            && !(self.generic && CHECKSUM_FILES.iter().any(|end| ends(end)))
    }

    /// How sure it is that `secret`, which the pattern matched, is one; `None` if it is none.
    pub(crate) fn judge(&self, secret: &[u8]) -> Option<Confidence> {
        if self.is_custom() {
            return Some(self.confidence);
        }
        if let Some(checksum) = self.checksum
            && checksum.is_right(secret)
        {
            return Some(self.confidence);
        }
        if entropy(secret) < self.entropy {
            return None;
        }
        // Long keys have words and runs by chance, and those of OpenSSH begin with zeros.
        if self.kind != "private_key" && is_placeholder(secret) {
            return None;
        }
        if self.generic && is_code(secret) {
            return None;
        }
        Some(if self.checksum.is_some() { Confidence::Low } else { self.confidence })
    }
}

/// Compiles a pattern on bytes: linear in the text, and bounded in memory.
fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .size_limit(PATTERN_SIZE)
        .dfa_size_limit(PATTERN_SIZE)
        .build()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_rule_compiles_and_has_keywords() {
        let rules = built_in();
        let ids: HashSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
        assert_eq!(ids.len(), rules.len(), "an id stands for two rules");
        for rule in &rules {
            let pattern = compile(&rule.regex).unwrap_or_else(|e| panic!("{}: {e}", rule.id));
            assert_eq!(pattern.captures_len(), 2, "{}: one group is the secret", rule.id);
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
            for keyword in &rule.keywords {
                assert!(
                    keyword.len() >= 3 && *keyword == keyword.to_ascii_lowercase(),
                    "{keyword}"
                );
            }
        }
    }
}
