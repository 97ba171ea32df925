//! Removes secrets from recorded texts: by variable names and by well-known shapes.

use std::ops::Range;

/// Replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// Parts of names whose values are secrets, in lower case without separators.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "credential",
    "authorization",
    "cookie",
];
/// Suffixes of such names; `max_tokens` is not one.
const NAME_ENDS: &[&str] = &["token", "pwd", "jwt"];
/// Such names as a whole.
const WHOLE_NAMES: &[&str] = &["auth", "pass", "pat", "bearer"];

/// Prefixes of keys of well-known services, and the least number of characters after them.
const SHAPES: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("AGE-SECRET-KEY-", 20),
    ("SG.", 20),
    ("dop_v1_", 20),
    ("eyJ", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 15),
    ("glsa_", 20),
    ("hf_", 20),
    ("npm_", 20),
    ("pypi-", 20),
    ("rk_live_", 10),
    ("shpat_", 20),
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("whsec_", 16),
    ("xapp-", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("ya29.", 20),
];

/// Whether the value of this name is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .take(100)
        .collect();
    NAMES.iter().any(|part| plain.contains(part))
        || NAME_ENDS.iter().any(|end| plain.ends_with(end))
        || WHOLE_NAMES.contains(&plain.as_str())
}

/// Whether a text is a manifest of Kubernetes with a Secret, in YAML or JSON: its values have any names and shapes.
pub(crate) fn holds_secret_manifest(text: &str) -> bool {
    text.match_indices("kind").any(|(at, kind)| {
        let is_between = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ':');
        let rest = &text[at + kind.len()..];
        let value = rest.trim_start_matches(is_between);
        rest.len() > value.len() && value.starts_with("Secret")
    })
}

/// `text` with every recognised secret replaced. O(n).
pub fn redact(text: &str) -> String {
    let mut spans = Vec::new();
    shapes(text, &mut spans);
    assignments(text, &mut spans);
    userinfo(text, &mut spans);
    private_keys(text, &mut spans);
    if spans.is_empty() {
        return text.to_owned();
    }
    spans.sort_by_key(|span| span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        if span.start >= at {
            out.push_str(&text[at..span.start]);
            out.push_str(REDACTED);
        }
        at = at.max(span.end);
    }
    out.push_str(&text[at..]);
    out
}

fn shapes(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let shape = SHAPES
            .iter()
            .filter(|_| begins)
            .find(|(prefix, _)| bytes[at..].starts_with(prefix.as_bytes()));
        let Some((prefix, fewest)) = shape else {
            at += 1;
            continue;
        };
        let of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.~+/=".contains(byte);
        let rest = &bytes[at + prefix.len()..];
        let len = rest.iter().position(|byte| !of_key(byte)).unwrap_or(rest.len());
        if len >= *fewest {
            spans.push(at..at + prefix.len() + len);
        }
        at += prefix.len() + len;
    }
}

/// Values of `NAME=value`, `"name": "value"`, `--name value`, `Authorization: Bearer value`.
fn assignments(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let mut at = 0;
    while at < bytes.len() {
        if !of_name(bytes[at]) {
            at += 1;
            continue;
        }
        let len = bytes[at..].iter().position(|b| !of_name(*b)).unwrap_or(bytes.len() - at);
        let (start, end) = (at, at + len);
        at = end;
        let name = &text[start..end];
        let is_scheme = name.eq_ignore_ascii_case("bearer") || name.eq_ignore_ascii_case("basic");
        if !is_scheme && !is_secret_name(name) {
            continue;
        }
        if let Some(value) = value_after(text, end, is_scheme || name.starts_with("--")) {
            at = value.end;
            spans.push(value);
        }
    }
}

/// The value after a name; after a blank only if `is_word` accepts it.
fn value_after(text: &str, end: usize, is_word: bool) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let skip = |mut at: usize, wanted: &[u8]| {
        while bytes.get(at).is_some_and(|b| wanted.contains(b)) {
            at += 1;
        }
        at
    };
    let after_name = skip(end, b"\"'] \t");
    let sign = bytes.get(after_name);
    let is_assigned = sign.is_some_and(|b| b":=".contains(b));
    if !(is_assigned || is_word && after_name > end) {
        return None;
    }
    let mut start = skip(after_name, b":=> \t");
    let quote = bytes.get(start).copied().filter(|b| b"\"'`".contains(b));
    let until = |from: usize| {
        let ends = |b: &u8| match quote {
            Some(quote) => *b == quote || *b == b'\n',
            None => b.is_ascii_whitespace() || b"\"'`&;,)}]|".contains(b),
        };
        bytes[from..].iter().position(ends).map_or(bytes.len(), |len| from + len)
    };
    start += usize::from(quote.is_some());
    let mut stop = until(start);
    // Skip a scheme before the secret.
    let scheme = text[start..stop].trim();
    if ["bearer", "basic", "token", "digest"].iter().any(|s| scheme.eq_ignore_ascii_case(s)) {
        stop = until(skip(stop, b" \t"));
    }
    (stop > start).then_some(start..stop)
}

/// `scheme://user:password@host`
fn userinfo(text: &str, spans: &mut Vec<Range<usize>>) {
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let rest = &text[start..];
        let end = rest
            .find(|c: char| c.is_whitespace() || "/?#\"'`<>\\".contains(c))
            .unwrap_or(rest.len());
        if let Some(len) = rest[..end].rfind('@').filter(|len| *len > 0) {
            spans.push(start..start + len);
        }
    }
}

fn private_keys(text: &str, spans: &mut Vec<Range<usize>>) {
    const BEGIN: &str = "-----BEGIN ";
    let mut from = 0;
    while let Some(found) = text[from..].find(BEGIN) {
        let start = from + found;
        let head = &text[start + BEGIN.len()..];
        let line = head.find("-----").map_or(head, |end| &head[..end]);
        from = start + BEGIN.len();
        if !line.contains("PRIVATE KEY") || line.len() > 60 {
            continue;
        }
        // An unterminated key extends to the end.
        let end = text[from..].find("-----END ").map_or(text.len(), |end| from + end);
        spans.push(start..end);
        from = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdo";

    #[test]
    fn secrets_are_recognised_by_shape_and_name() {
        let aws = "AKIAIOSFODNN7EXAMPLE";
        for (text, secret) in [
            (format!("use {aws} now"), aws),
            (format!("x=ghp_{KEY}"), KEY),
            (format!("github_pat_{KEY}"), KEY),
            (format!("'sk-{KEY}'"), KEY),
            (format!("sk-proj-{KEY}"), KEY),
            (format!("xoxb-123-{KEY}"), KEY),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{KEY}"), KEY),
            (format!("export PASSWORD={KEY}"), KEY),
            (format!("DB_PASSWORD='{KEY} more' cmd"), "more"),
            (format!("{{\"api_key\": \"{KEY}\"}}"), KEY),
            (format!("config['token'] = \"{KEY}\""), KEY),
            (format!("curl -H 'Authorization: Bearer {KEY}' x"), KEY),
            (format!("curl -H 'authorization: Basic {KEY}' x"), KEY),
            (format!("Bearer {KEY}"), KEY),
            (format!("Cookie: sid={KEY}"), KEY),
            (format!("tool --token {KEY} --verbose"), KEY),
            (format!("tool --api-key={KEY}"), KEY),
            (format!("git clone https://me:{KEY}@host/x.git"), KEY),
            (format!("https://{KEY}@host/"), KEY),
            (format!("postgres://u:p@{KEY}@db:5432/x"), KEY),
            (format!("?access_token={KEY}&x=1"), KEY),
            (format!("-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----"), KEY),
            (format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}"), KEY),
        ] {
            let clean = redact(&text);
            assert!(!clean.contains(secret), "{text} -> {clean}");
            assert!(clean.contains(REDACTED), "{text} -> {clean}");
        }
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in [
            "",
            "src/main.rs",
            "fn token(x: u8) -> u8 { x }",
            "the password is not here",
            "https://example.org/a@b",
            "sk-learn",
            "AKIA",
            "max_tokens=5",
            "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
            "caf\u{e9} \u{1f600} :// @",
            "author = me",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn text_around_a_secret_is_unchanged() {
        assert_eq!(
            redact("a\u{e9} --password hunter2 b; TOKEN=x y"),
            "a\u{e9} --password [redacted] b; TOKEN=[redacted] y"
        );
        assert_eq!(redact("https://u:p@h/x"), "https://[redacted]@h/x");
    }

    #[test]
    fn manifests_with_secrets_are_recognised() {
        for text in [
            "kind: Secret\n",
            "{\"kind\":\"Secret\"}",
            "a: b\nkind:   'Secret'\n",
            "kind: SecretList",
        ] {
            assert!(holds_secret_manifest(text), "{text}");
        }
        for text in ["kind: ConfigMap\nname: Secret", "a kind of Secret", "kindSecret"] {
            assert!(!holds_secret_manifest(text), "{text}");
        }
    }

    #[test]
    fn names_of_secrets() {
        for name in ["password", "DB_PASSWORD", "apiKey", "X-Api-Key", "client_secret", "GH_TOKEN"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["path", "max_tokens", "author", "pattern", "keyboard", "content"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
