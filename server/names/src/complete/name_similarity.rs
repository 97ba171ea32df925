//! Ranking feature: how much a name resembles the names around the cursor. Related things have
//! similar names.

use super::CompletionRequest;
use crate::facts::{Facts, Ref};
use crate::vocabulary::ScopeKind;

/// Shortest word of a name that is compared.
const MIN_WORD: usize = 3;

/// Shortest word that counts as a stem of others.
const MIN_STEM: usize = 4;

/// Bytes of the line before the cursor that are compared.
const MAX_LINE: usize = 400;

/// Words that the names around the cursor consist of.
pub(super) struct NameWords(Vec<String>);

impl NameWords {
    /// The words of the names before the cursor on its line, and of the function around it.
    pub(super) fn before_cursor(
        facts: &Facts,
        typing: &CompletionRequest<'_>,
        cursor: &Ref,
    ) -> Self {
        let mut start = typing.before.len().saturating_sub(MAX_LINE);
        while !typing.before.is_char_boundary(start) {
            start += 1;
        }
        let mut all: Vec<String> = Vec::new();
        words_of(&typing.before[start..], &mut |word| all.push(word.to_owned()));
        let mut at = cursor.scope;
        while let Some(scope) = facts.scopes.get(at as usize) {
            if scope.kind == ScopeKind::Function {
                let owner = facts.definitions.get(scope.owner as usize);
                let name = owner.map_or("", |def| facts.strings.text(def.name));
                words_of(name, &mut |word| all.push(word.to_owned()));
                break;
            }
            at = scope.parent;
        }
        all.sort();
        all.dedup();
        Self(all)
    }

    /// The words of the names in some texts.
    pub(super) fn from_texts(texts: &[&str]) -> Self {
        let mut all: Vec<String> = Vec::new();
        for text in texts {
            words_of(text, &mut |word| all.push(word.to_owned()));
        }
        Self(all)
    }

    /// The share of a name's letters whose words occur in `self`, from 0 to 1.
    pub(super) fn similarity(&self, name: &str) -> f32 {
        if self.0.is_empty() {
            return 0.0;
        }
        let (mut whole, mut matched) = (0, 0);
        words_of(name, &mut |word| {
            whole += word.len();
            let matches = |other: &String| {
                *other == word
                    || other.len() >= MIN_STEM && word.starts_with(&**other)
                    || word.len() >= MIN_STEM && other.starts_with(word)
            };
            if self.0.iter().any(matches) {
                matched += word.len();
            }
        });
        if whole == 0 { 0.0 } else { matched as f32 / whole as f32 }
    }
}

/// Calls `visit` with the lower-case words of the names in a text, split at `_` and at capitals.
fn words_of(text: &str, visit: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut last = ' ';
    for c in text.chars().chain([' ']) {
        let begins = !c.is_alphanumeric() || c.is_uppercase() && last.is_lowercase();
        if begins {
            if word.len() >= MIN_WORD {
                visit(&word);
            }
            word.clear();
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words_and_compared() {
        let mut all: Vec<String> = Vec::new();
        words_of("HTTPServer fooBar uv_mutex_t x", &mut |word| all.push(word.to_owned()));
        assert_eq!(all, ["httpserver", "foo", "bar", "mutex"]);
        let words = NameWords(vec!["mutex".into(), "vterm".into()]);
        assert_eq!(words.similarity("uv_mutex_t"), 1.0);
        assert_eq!(words.similarity("uv_vtermstate_mode"), 10.0 / 14.0);
        assert_eq!(words.similarity("x"), 0.0);
    }
}
