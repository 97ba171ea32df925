//! A finding, redacted.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Looks like one, with a sign against it.
    Low,
    /// Looks random, in a place for a secret; or a test key.
    Medium,
    /// Has a provider's format, or its checksum.
    High,
}

impl Confidence {
    /// Its name in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A secret in a text, without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: String,
    /// `api_key`, `token`, `password`, `private_key`, `connection_string` or `custom`.
    pub kind: String,
    /// What it is, for people.
    pub about: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Where the secret is in the text.
    pub span: Range<usize>,
    /// 1-based line of its start.
    pub line: usize,
    /// 1-based column of its start, in UTF-16 units.
    pub column: usize,
    /// The first characters and the length: `ghp_… (40 characters)`.
    pub redacted: String,
    /// Identifies the same secret in the same file for a baseline.
    pub fingerprint: String,
}

/// Most characters of a secret that are shown. Of short ones a quarter is: four characters of a password of eight are too
/// many.
const SHOWN: usize = 4;

/// The first characters of a secret, and its length.
pub(crate) fn redact(secret: &[u8]) -> String {
    let text = String::from_utf8_lossy(secret);
    let length = text.chars().count();
    let shown: String = text
        .chars()
        .take(SHOWN.min(length / 4))
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    format!("{shown}\u{2026} ({length} characters)")
}

/// A fingerprint of the secret in this file. Only 16 bits of the secret's hash go into it: a baseline lies in repositories,
/// and must not let anyone who guesses a weak password check the guess. It does not change when lines move.
pub(crate) fn fingerprint(path: &str, rule: &str, secret: &[u8]) -> String {
    let own = Sha256::digest(secret);
    let mut hash = Sha256::new();
    hash.update(path.as_bytes());
    hash.update([0_u8]);
    hash.update(rule.as_bytes());
    hash.update([0_u8]);
    hash.update(&own[..2]);
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_left_of_a_secret() {
        assert_eq!(redact(&[b'a'; 40]), "aaaa\u{2026} (40 characters)");
        assert_eq!(redact(b"hunter2!"), "hu\u{2026} (8 characters)");
        assert_eq!(redact(b"abc"), "\u{2026} (3 characters)");
        assert_eq!(redact(b"\x1b]0;aaaaaaaaaaaaa"), "?]0;\u{2026} (17 characters)");
    }

    #[test]
    fn fingerprints_differ_by_file_rule_and_secret() {
        let one = fingerprint("a", "b", b"secret");
        assert_eq!(one.len(), 16);
        assert_eq!(one, fingerprint("a", "b", b"secret"));
        for other in [("x", "b", "secret"), ("a", "x", "secret"), ("a", "b", "other")] {
            assert_ne!(one, fingerprint(other.0, other.1, other.2.as_bytes()));
        }
    }
}
