//! Removes one level of escaping from patches that were escaped once too often in transit.
//!
//! Both texts are unescaped the same way, and only if every occurrence in both is escaped. A mixture
//! is left as it is.

use crate::patch::PatchTexts;

/// Other readings of a patch with one level of escaping removed from both texts.
pub(crate) fn readings<'p>(texts: &PatchTexts<'p>) -> Vec<PatchTexts<'p>> {
    [quotes as fn(&str, &str) -> Option<(String, String)>, json, tabs, entities]
        .iter()
        .filter_map(|reading| reading(&texts.old, &texts.new))
        .map(|(old, new)| PatchTexts { old: old.into(), new: new.into() })
        .collect()
}

/// `\"` for `"` and the like, where no bare quote of the kind is left.
fn quotes(old: &str, new: &str) -> Option<(String, String)> {
    let (mut plain_old, mut plain_new, mut any) = (old.to_owned(), new.to_owned(), false);
    for quote in ['"', '\'', '`'] {
        let escaped = format!("\\{quote}");
        if !old.contains(&escaped) {
            continue;
        }
        let bare = |text: &str| text.replace(&escaped, "").contains(quote);
        let doubled = |text: &str| text.contains(&format!("\\\\{quote}"));
        if bare(old) || bare(new) || doubled(old) || doubled(new) {
            return None;
        }
        any = true;
        plain_old = plain_old.replace(&escaped, &quote.to_string());
        plain_new = plain_new.replace(&escaped, &quote.to_string());
    }
    any.then_some((plain_old, plain_new))
}

/// A text of several lines written as the inside of one JSON string.
fn json(old: &str, new: &str) -> Option<(String, String)> {
    if !old.contains("\\n") || old.contains(['\n', '\r']) || new.contains(['\n', '\r']) {
        return None;
    }
    // A bare line break next to an escaped one would be a mixture; both are excluded above.
    Some((unescaped(old)?, unescaped(new)?))
}

fn unescaped(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => result.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '"' => '"',
                '\'' => '\'',
                '\\' => '\\',
                '/' => '/',
                _ => return None,
            }),
            '"' => return None,
            _ => result.push(c),
        }
    }
    Some(result)
}

/// `\\t` for the tabs that lines begin with, where no line begins with a tab.
fn tabs(old: &str, new: &str) -> Option<(String, String)> {
    let begins = |text: &str, with: &str| text.split('\n').any(|line| line.starts_with(with));
    if !begins(old, "\\t") || begins(old, "\t") || begins(new, "\t") {
        return None;
    }
    let plain = |text: &str| {
        let line = |line: &str| {
            let rest = line.trim_start_matches("\\t");
            "\t".repeat((line.len() - rest.len()) / 2) + rest
        };
        text.split('\n').map(line).collect::<Vec<_>>().join("\n")
    };
    Some((plain(old), plain(new)))
}

const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&amp;", "&"),
];

/// Entities of HTML, where none of the characters they stand for is bare.
fn entities(old: &str, new: &str) -> Option<(String, String)> {
    let used: Vec<_> = ENTITIES.iter().filter(|(entity, _)| old.contains(entity)).collect();
    if used.is_empty() {
        return None;
    }
    let bare = |text: &str| {
        let rest =
            ENTITIES.iter().fold(text.to_owned(), |text, (entity, _)| text.replace(entity, ""));
        rest.contains(['<', '>', '&']) || used.iter().any(|(_, plain)| rest.contains(plain))
    };
    if bare(old) || bare(new) {
        return None;
    }
    // The ampersand last, so that `&amp;lt;` loses one level only.
    let plain = |text: &str| {
        ENTITIES.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
    };
    Some((plain(old), plain(new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(old: &str, new: &str) -> Vec<(String, String)> {
        readings(&PatchTexts { old: old.into(), new: new.into() })
            .into_iter()
            .map(|texts| (texts.old.into_owned(), texts.new.into_owned()))
            .collect()
    }

    #[test]
    fn one_level_from_both() {
        assert_eq!(
            read(r#"say(\"a\")"#, r#"say(\"b\")"#),
            [(r#"say("a")"#.into(), r#"say("b")"#.into())]
        );
        assert_eq!(read(r"a\n  b", r"a\n  c"), [("a\n  b".into(), "a\n  c".into())]);
        assert_eq!(read("a &lt; b", "a &lt;= b"), [("a < b".into(), "a <= b".into())]);
    }

    #[test]
    fn a_mixture_is_not_guessed() {
        assert!(read(r#"say(\"a\")"#, r#"say("b")"#).is_empty());
        assert!(read(r#"x = "say \"a\"""#, r#"y"#).is_empty());
        assert!(read("a &amp; b", "a && b").is_empty());
        assert!(read("a\\nb", "a\nc").is_empty());
    }
}
