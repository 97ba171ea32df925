//! Keywords and snippets that fit at the cursor.
//!
//! The tables are data: `queries/<language>/keywords.txt`. A line is a place and its keywords:
//! `file`, `class` and `statement` are the starts of a statement, by what contains it; `value`,
//! `type` and `infix` are within an expression; `after WORD` takes precedence. A line `snippet
//! PLACE: LABEL | DESCRIPTION | TEXT` writes line breaks and indentation as `\n` and `\t`.
//! `snippet PLACE: LABEL | WHAT IT IS | TEXT` has `\n` and `\t` for line and indentation.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{CompletionContext, CompletionRequest};
use crate::facts::{Facts, Ref, ReferenceRole};
use crate::vocabulary::{Namespace, ScopeKind};

/// A keyword or a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordOrSnippet {
    /// The text that is shown, and inserted for a keyword.
    pub label: Cow<'static, str>,
    /// A snippet's description and its text with `$1` and `$0`; `None` for a keyword.
    pub snippet: Option<(&'static str, String)>,
}

/// The keywords and snippets of one language, by place.
#[derive(Default)]
struct KeywordTable {
    words: FxHashMap<&'static str, Vec<&'static str>>,
    snippets: Vec<(&'static str, KeywordOrSnippet)>,
}

macro_rules! tables {
    ($($language:literal from $folder:literal,)*) => {
        &[$(($language, include_str!(concat!("../../../../queries/", $folder, "/keywords.txt")))),*]
    };
}

const TEXTS: &[(&str, &str)] = tables![
    "python" from "python",
    "rust" from "rust",
    "go" from "go",
    "java" from "java",
    "php" from "php",
    "kotlin" from "kotlin",
    "c" from "c",
    "cpp" from "cpp",
    "javascript" from "javascript",
    "typescript" from "typescript",
    "tsx" from "typescript",
];

static TABLES: LazyLock<FxHashMap<&str, KeywordTable>> =
    LazyLock::new(|| TEXTS.iter().map(|(id, text)| (*id, KeywordTable::parse(text))).collect());

impl KeywordTable {
    fn parse(text: &'static str) -> Self {
        let mut table = Self::default();
        let lines = text.lines().filter(|l| !l.starts_with('#'));
        for (place, rest) in lines.filter_map(|l| l.split_once(": ")) {
            let Some(place) = place.strip_prefix("snippet ") else {
                table.words.insert(place, rest.split_whitespace().collect());
                continue;
            };
            let mut parts = rest.splitn(3, " | ");
            if let (Some(label), Some(description), Some(body)) =
                (parts.next(), parts.next(), parts.next())
            {
                let body = body.replace("\\n", "\n").replace("\\t", "\t");
                let label = label.into();
                table
                    .snippets
                    .push((place, KeywordOrSnippet { label, snippet: Some((description, body)) }));
            }
        }
        table
    }

    fn has(&self, word: &str) -> bool {
        self.words.values().any(|all| all.contains(&word))
    }
}

/// Characters after which an expression continues on the next line.
const CONTINUES_LINE: &[char] =
    &['(', '[', ',', '=', '+', '-', '*', '&', '|', '<', '?', '.', '\\', '!', '%', '^'];

/// The keywords and snippets that fit at the cursor.
pub(super) fn phrases(
    facts: &Facts,
    typing: &CompletionRequest<'_>,
    cursor: &Ref,
    context: CompletionContext,
) -> Vec<KeywordOrSnippet> {
    let language = facts.language.id();
    let Some(table) = TABLES.get(language) else { return Vec::new() };
    if !typing.allow_words {
        return Vec::new();
    }
    let before = typing.before.trim_end();
    let last = before.chars().next_back();
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let after = match last {
        Some('#' | '&') => &before[before.len() - 1..],
        _ => word,
    };
    let mut places: Vec<&str> = Vec::new();
    let known = table.words.get(format!("after {after}").as_str());
    let plain = matches!(cursor.role, ReferenceRole::Plain) && context != CompletionContext::Field;
    let is_new_name = context == CompletionContext::Nothing;
    let member = last == Some('.') || before.ends_with("::") || before.ends_with("->");
    let typed_place = cursor.namespace == Namespace::TYPE && !is_new_name;
    if member || !plain {
        return Vec::new();
    }
    let start = match last {
        None => typing.preceding.is_none_or(|c| !CONTINUES_LINE.contains(&c)),
        Some(';' | '{' | '}') => true,
        _ => false,
    };
    if start {
        places.push(start_place(facts, cursor.scope));
    } else if known.is_none() {
        let value = if typed_place { "type" } else { "value" };
        match last {
            None => places.push(value),
            // `let |`: a new name is being declared.
            Some(_) if is_new_name && !word.is_empty() && table.has(word) => {}
            Some(_) if !word.is_empty() && table.has(word) => places.push(value),
            Some(')') if !matches!(language, "python" | "rust" | "go") => {
                places.extend(["infix", "statement"]);
            }
            Some(')' | ']' | '"' | '\'' | '}') => places.push("infix"),
            Some(_) if !word.is_empty() => places.push("infix"),
            Some(_) => places.push(value),
        }
    }
    let fits = |word: &str| {
        word.len() >= typing.prefix.len()
            && word
                .get(..typing.prefix.len())
                .is_some_and(|b| b.eq_ignore_ascii_case(typing.prefix))
    };
    let own_words = places.iter().filter_map(|p| table.words.get(p));
    let mut words: Vec<&'static str> =
        known.into_iter().chain(own_words).flatten().copied().filter(|w| fits(w)).collect();
    let mut seen = Vec::new();
    words.retain(|w| !seen.contains(w) && (seen.push(*w), true).1);
    let mut all: Vec<KeywordOrSnippet> = words
        .into_iter()
        .map(|label| KeywordOrSnippet { label: label.into(), snippet: None })
        .collect();
    let nested = matches!(language, "python" | "javascript" | "typescript" | "tsx");
    let here = |place: &str| {
        places.contains(&place) || nested && place == "statement" && places.contains(&"file")
    };
    let snippets =
        table.snippets.iter().filter(|(place, s)| start && here(place) && fits(&s.label));
    all.extend(snippets.map(|(_, s)| s.clone()));
    all
}

/// The place (`file`, `class` or `statement`) of a statement in a scope.
fn start_place(facts: &Facts, scope: u32) -> &'static str {
    let mut at = scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        match scope.kind {
            ScopeKind::File | ScopeKind::Module | ScopeKind::Namespace => return "file",
            ScopeKind::Members
            | ScopeKind::Body
            | ScopeKind::Open
            | ScopeKind::Extension
            | ScopeKind::Enum => return "class",
            ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Block => return "statement",
            _ => at = scope.parent,
        }
    }
    "file"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_table_parses() {
        for (language, table) in TABLES.iter() {
            for place in ["file", "statement", "class"] {
                assert!(table.words.contains_key(place), "{language} {place}");
            }
            assert!(table.snippets.len() > 3, "{language}");
            for (place, phrase) in &table.snippets {
                let (_, body) = phrase.snippet.as_ref().expect("a text");
                assert!(table.words.contains_key(place), "{language} {place}");
                assert!(body.contains('$') && !body.contains('\\'), "{language} {body}");
            }
        }
    }
}
