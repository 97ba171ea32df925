//! Which words are valid identifiers, by language.

use crate::resolve::languages::rules;

/// Why a word is not a valid identifier; `None` if it is.
pub(crate) fn invalid_reason(name: &str, language: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > 400 {
        return Some("it is too long");
    }
    let dollar = rules(language).allows_dollar();
    let (first, rest) = match name.strip_prefix('#') {
        Some(rest) if matches!(language, "javascript" | "typescript" | "tsx") => {
            (rest.chars().next(), rest)
        }
        _ => (name.chars().next(), name),
    };
    let can_start = |c: char| c == '_' || c.is_alphabetic() || c == '$' && dollar;
    if !first.is_some_and(can_start) {
        return Some("a name starts with a letter or an underscore");
    }
    if !rest.chars().all(|c| can_start(c) || c.is_alphanumeric() || is_mark(c)) {
        return Some("a name has letters, digits and underscores only");
    }
    if rules(language).is_keyword(name) {
        return Some("it is a keyword of the language");
    }
    (name == "_").then_some("`_` is not a name")
}

/// Combining marks, which letters of some scripts consist of.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{93a}'..='\u{94f}' | '\u{200c}' | '\u{200d}')
}

/// Why a name was not chosen by a person and so cannot be renamed; `None` if it was.
pub(super) fn fixed_reason(name: &str, language: &str, is_member: bool) -> Option<&'static str> {
    let rules = rules(language);
    if rules.is_keyword(name) {
        return Some("it is a keyword of the language");
    }
    if rules.fixes_name(name, is_member) {
        return Some("the language or its library uses this name");
    }
    let plain = name.strip_prefix('#').unwrap_or(name);
    let is_plain = plain.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$' || is_mark(c));
    (!is_plain).then_some("it is not a plain identifier")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_checked_by_language() {
        for (name, language, can) in [
            ("a_1", "python", true),
            ("1a", "python", false),
            ("größe", "python", true),
            ("class", "python", false),
            ("match", "python", true),
            ("a b", "go", false),
            ("$x", "typescript", true),
            ("$x", "rust", false),
            ("#x", "javascript", true),
            ("#x", "java", false),
            ("Self", "rust", false),
            ("final", "cpp", false),
            ("final", "c", true),
            ("", "c", false),
            ("_", "go", false),
            ("नाम", "rust", true),
        ] {
            assert_eq!(invalid_reason(name, language).is_none(), can, "{name} {language}");
        }
    }
}
