//! Splits texts into words, and identifiers into their parts.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longest word, in bytes; longer runs of letters are cut into words of this length.
const MAX_WORD: usize = 64;

/// Calls `each` with the words of a text, in lower case: runs of ASCII letters, cut where `camelCase` changes, and
/// runs of digits. Accents are dropped. `distil.py` splits in the same way.
pub fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    let text = without_accents(text);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = word_end(bytes, at);
        if end == at {
            at += 1;
            continue;
        }
        let end = end.min(at + MAX_WORD);
        let mut word = [0; MAX_WORD];
        let word = &mut word[..end - at];
        word.copy_from_slice(&bytes[at..end]);
        word.make_ascii_lowercase();
        if let Ok(word) = std::str::from_utf8(word) {
            each(word);
        }
        at = end;
    }
}

fn without_accents(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfd().filter(|c| !is_combining_mark(*c)).collect())
}

/// The end of the word that starts at `start`; `start` if none does.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let run = |from: usize, is: fn(&u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| is(byte)).count()
    };
    match bytes[start] {
        b'a'..=b'z' => run(start, u8::is_ascii_lowercase),
        b'0'..=b'9' => run(start, u8::is_ascii_digit),
        b'A'..=b'Z' => {
            let capitals = run(start, u8::is_ascii_uppercase);
            let is_followed = bytes.get(capitals).is_some_and(u8::is_ascii_lowercase);
            match capitals - start {
                _ if !is_followed => capitals,
                1 => run(capitals, u8::is_ascii_lowercase),
                // The last capital starts the next word: `HTTPServer`.
                _ => capitals - 1,
            }
        }
        _ => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn identifiers_fall_into_their_parts() {
        assert_eq!(words("readFile2 HTTPServer"), ["read", "file", "2", "http", "server"]);
        assert_eq!(words("MAX_SIZE::IDs x"), ["max", "size", "i", "ds", "x"]);
        assert_eq!(words("Über naïve 日本"), ["uber", "naive"]);
    }

    #[test]
    fn any_text_is_split() {
        assert!(words("").is_empty());
        assert!(words("\u{301}\u{fffd}\u{0}").is_empty());
        assert_eq!(words(&"A".repeat(200)).len(), 4);
    }
}
