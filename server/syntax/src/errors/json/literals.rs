//! Names and numbers of JSON.

/// Whether a name stands for a comment; those are often repeated in dialects without comments.
pub(super) fn is_comment(name: &str) -> bool {
    !name.contains(char::is_alphanumeric)
        || name.starts_with(['/', '#'])
        || name.to_ascii_lowercase().contains("comment")
}

/// A name with its `\u` escapes decoded: `\u0061` is `a`.
pub(super) fn unescaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("\\u") {
        out.push_str(&rest[..at]);
        let digits = rest.get(at + 2..at + 6);
        let c = digits.and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
        match c {
            Some(c) => {
                out.push(c);
                rest = &rest[at + 6..];
            }
            None => {
                out.push_str("\\u");
                rest = &rest[at + 2..];
            }
        }
    }
    out + rest
}

pub(super) fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match word.find(['e', 'E']) {
        Some(at) => (&word[..at], Some(&word[at + 1..])),
        None => (word, None),
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (whole, part) = match mantissa.split_once('.') {
        Some((whole, part)) => (whole, Some(part)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && part.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

pub(super) fn is_json5_number(word: &str) -> bool {
    let word = word.strip_prefix(['+', '-']).unwrap_or(word);
    let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None if matches!(word, "Infinity" | "NaN") => true,
        None => {
            let padded = if word.starts_with('.') { format!("0{word}") } else { word.to_owned() };
            let ended = padded.strip_suffix('.').unwrap_or(&padded);
            is_number(&ended.replacen(".e", "e", 1).replacen(".E", "E", 1))
        }
    }
}
