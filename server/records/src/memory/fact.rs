//! A memory as its file has it.

use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use secrets::{Confidence, Finding, Scanner};
use serde::{Deserialize, Serialize};
use workspace::ContentHash;

use super::evidence::Evidence;
use tools::audit::redact;

/// Limit for the text of a memory, in bytes.
pub(super) const MAX_CONTENT_BYTES: usize = 8_000;
/// Limit for keys, titles, categories and tags, in bytes.
pub(super) const MAX_NAME_BYTES: usize = 500;
/// Limit for the tags of a memory.
pub(super) const MAX_TAGS: usize = 20;
/// Length of an id, in hexadecimal digits.
const ID_LENGTH: usize = 16;

/// A memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Fact {
    pub(super) content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) category: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) evidence: Option<Evidence>,
    /// The client that remembered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<String>,
    pub(super) created: Timestamp,
    pub(super) updated: Timestamp,
}

impl Fact {
    /// Its id: of its key in its category, else of its words. Equal facts have equal ids.
    pub(super) fn id(&self) -> String {
        let category = self.category.as_deref().unwrap_or_default();
        let identity = match &self.key {
            Some(key) => format!("key\n{}\n{}", normalized(category), normalized(key)),
            None => format!("text\n{}", normalized(&self.content)),
        };
        let mut id = ContentHash::digest(identity.as_bytes()).to_string();
        id.truncate(ID_LENGTH);
        id
    }

    /// What is wrong with it, if anything is.
    pub(super) fn mistake(&self) -> Option<String> {
        let names = [&self.key, &self.title, &self.category].into_iter().flatten();
        let names = names.chain(&self.tags);
        if self.content.trim().is_empty() {
            return Some("`content` is empty".to_owned());
        }
        if self.content.len() > MAX_CONTENT_BYTES {
            return Some(format!("`content` has more than {MAX_CONTENT_BYTES} bytes"));
        }
        if self.tags.len() > MAX_TAGS {
            return Some(format!("there are more than {MAX_TAGS} tags"));
        }
        let mut names = names.clone();
        if names.any(|name| name.trim().is_empty() || name.len() > MAX_NAME_BYTES) {
            return Some(format!(
                "key, title, category and tags must have 1 to {MAX_NAME_BYTES} bytes"
            ));
        }
        if self.evidence.as_ref().is_some_and(|evidence| !evidence.is_valid()) {
            return Some("the lines of its evidence are none".to_owned());
        }
        None
    }

    /// Whether its words contain something that looks like a password, a token or a key.
    pub(super) fn has_secret(&self) -> bool {
        let names = [&self.key, &self.title, &self.category].into_iter().flatten();
        let texts = names.chain(&self.tags).chain([&self.content]);
        let mut all = texts.map(String::as_str).collect::<Vec<_>>().join("\n");
        // A single word below a name is its value; a sentence is about it.
        if let Some(key) = self.key.as_ref().filter(|_| !self.content.contains(char::is_whitespace))
        {
            all.push_str(&format!("\n{key}={}", self.content));
        }
        has_secret(&all)
    }

    /// Joins it with the older memory of the same id, which it replaces.
    pub(super) fn joined_with(mut self, older: Self) -> Self {
        self.created = older.created;
        self.title = self.title.or(older.title);
        self.category = self.category.or(older.category);
        let new = older.tags.into_iter().filter(|tag| !self.tags.contains(tag));
        let new: Vec<String> = new.collect();
        self.tags.extend(new);
        self.tags.truncate(MAX_TAGS);
        // Another text needs evidence of its own.
        if normalized(&self.content) == normalized(&older.content) {
            self.evidence = self.evidence.or(older.evidence);
        }
        self
    }
}

/// Whether a text contains what looks like a password, a token or a key.
pub(super) fn has_secret(text: &str) -> bool {
    let is_likely = |finding: &Finding| finding.confidence >= Confidence::Medium;
    let found = || Scanner::default().scan("", text.as_bytes(), &AtomicBool::new(false));
    redact(text) != text || found().iter().any(is_likely)
}

/// A text by which equal ones are recognised: lower case, single blanks, no final punctuation.
pub(super) fn normalized(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let text = words.join(" ");
    text.trim_end_matches(['.', '!', ';', ',']).to_owned()
}

pub(super) fn is_id(text: &str) -> bool {
    text.len() == ID_LENGTH && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn fact(content: &str) -> Fact {
        Fact {
            content: content.to_owned(),
            key: None,
            title: None,
            category: None,
            tags: Vec::new(),
            evidence: None,
            client: None,
            created: Timestamp::UNIX_EPOCH,
            updated: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn equal_facts_have_equal_ids() {
        let id = fact("Use the retry helper.").id();
        assert_eq!(fact("  use the\n retry HELPER").id(), id);
        assert!(is_id(&id) && !is_id("../../etc/passwd") && !is_id(&id.to_uppercase()));
        assert_ne!(fact("Use no retry helper.").id(), id);
        let keyed = |category: &str, content: &str| {
            let (key, category) = (Some("port".to_owned()), Some(category.to_owned()));
            Fact { key, category, ..fact(content) }.id()
        };
        assert_eq!(keyed("service", "8080"), keyed("service", "9090"));
        assert_ne!(keyed("service", "8080"), keyed("convention", "8080"));
    }

    #[test]
    fn secrets_are_recognised_in_every_field() {
        let key = "ghp_Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdo".to_owned();
        assert!(!fact("Tokens are in the keyring, never in the repository.").has_secret());
        assert!(fact(&format!("the deploy key is {key}")).has_secret());
        assert!(fact("DB_PASSWORD=hunter2").has_secret());
        let address = concat!("postgres", "://app:s3cr3tP4ss@db.internal/app");
        assert!(fact(&format!("The database is {address}")).has_secret());
        assert!(Fact { tags: vec![key.clone()], ..fact("a") }.has_secret());
        assert!(Fact { key: Some(key), ..fact("a") }.has_secret());
        let password = |content: &str| Fact { key: Some("password".to_owned()), ..fact(content) };
        assert!(password("hunter2").has_secret());
        assert!(!password("It is in the keyring.").has_secret());
    }

    #[test]
    fn duplicates_are_joined() {
        let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect();
        let older = Fact { tags: tags(&["a"]), category: Some("x".to_owned()), ..fact("One.") };
        let newer = Fact { tags: tags(&["b", "a"]), updated: Timestamp::MAX, ..fact("one") };
        let joined = newer.joined_with(older);
        assert_eq!((joined.tags.len(), joined.category.as_deref()), (2, Some("x")));
        assert_eq!((joined.created, joined.updated), (Timestamp::UNIX_EPOCH, Timestamp::MAX));
    }

    #[test]
    fn a_hostile_memory_is_a_mistake() {
        let long = "x".repeat(MAX_CONTENT_BYTES + 1);
        for wrong in [
            fact(" "),
            fact(&long),
            Fact { tags: vec![String::new()], ..fact("a") },
            Fact { tags: vec!["a".to_owned(); MAX_TAGS + 1], ..fact("a") },
            Fact { key: Some(long), ..fact("a") },
        ] {
            assert!(wrong.mistake().is_some(), "{wrong:?}");
        }
        assert_eq!(fact("a").mistake(), None);
    }
}
