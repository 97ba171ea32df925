//! Maven's order, after the version order specification in its
//! [POM reference](https://maven.apache.org/pom.html#version-order-specification).

use std::cmp::Ordering;

/// A token with the separator before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    is_after_dash: bool,
    text: String,
}

impl Token {
    fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it changes nothing at the end of a version.
    fn is_null(&self) -> bool {
        matches!(self.text.as_str(), "" | "final" | "ga" | "release")
            || (self.is_number() && self.text.bytes().all(|byte| byte == b'0'))
    }
}

/// Every text is a Maven version.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (tokens(one), tokens(other));
    for at in 0..one.len().max(other.len()) {
        let ordering = match (one.get(at), other.get(at)) {
            (Some(one), Some(other)) => compare_tokens(one, other),
            (Some(one), None) => compare_tokens(one, &padding(one)),
            (None, Some(other)) => compare_tokens(&padding(other), other),
            (None, None) => Ordering::Equal,
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

/// The token that stands for nothing beside another one.
fn padding(beside: &Token) -> Token {
    let text = if beside.is_number() { "0" } else { "" };
    Token { is_after_dash: beside.is_after_dash, text: text.to_owned() }
}

fn tokens(version: &str) -> Vec<Token> {
    let version = version.to_ascii_lowercase();
    let mut tokens: Vec<Token> = Vec::new();
    let (mut text, mut is_after_dash) = (String::new(), false);
    let mut push = |text: &mut String, is_after_dash: bool| {
        let text = std::mem::take(text);
        let text = if text.is_empty() { "0".to_owned() } else { text };
        tokens.push(Token { is_after_dash, text });
    };
    for c in version.chars() {
        let is_transition =
            text.chars().last().is_some_and(|last| last.is_ascii_digit() != c.is_ascii_digit());
        match c {
            '.' | '-' => {
                push(&mut text, is_after_dash);
                is_after_dash = c != '.';
            }
            c => {
                if is_transition {
                    push(&mut text, is_after_dash);
                    is_after_dash = true;
                }
                text.push(c);
            }
        }
    }
    push(&mut text, is_after_dash);
    // A letter directly before a number abbreviates: `1-a1` is `1-alpha-1`.
    for at in 1..tokens.len() {
        if tokens[at].is_number() && tokens[at].is_after_dash {
            let full = match tokens[at - 1].text.as_str() {
                "a" => "alpha",
                "b" => "beta",
                "m" => "milestone",
                _ => continue,
            };
            tokens[at - 1].text = full.to_owned();
        }
    }
    without_nulls(tokens)
}

/// Without the tokens that change nothing: at the end, and before each hyphen.
fn without_nulls(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::new();
    for token in tokens {
        if token.is_after_dash {
            while kept.last().is_some_and(Token::is_null) {
                kept.pop();
            }
        }
        kept.push(token);
    }
    while kept.last().is_some_and(Token::is_null) {
        kept.pop();
    }
    kept
}

fn compare_tokens(one: &Token, other: &Token) -> Ordering {
    match (one.is_number(), other.is_number()) {
        (true, true) if one.is_after_dash != other.is_after_dash => {
            // `-1` is below `.1`.
            other.is_after_dash.cmp(&one.is_after_dash)
        }
        (true, true) => numeric(&one.text, &other.text),
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        // Maven keeps what follows a hyphen in a list of its own, which is above a qualifier after a dot.
        (false, false) => one
            .is_after_dash
            .cmp(&other.is_after_dash)
            .then_with(|| rank(&one.text).cmp(&rank(&other.text))),
    }
}

/// Numbers of any length.
fn numeric(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// The order of qualifiers; unknown ones come last, by name.
fn rank(qualifier: &str) -> (u8, &str) {
    match qualifier {
        "alpha" => (0, ""),
        "beta" => (1, ""),
        "milestone" => (2, ""),
        "rc" | "cr" => (3, ""),
        "snapshot" => (4, ""),
        "" | "final" | "ga" | "release" => (5, ""),
        "sp" => (6, ""),
        other => (7, other),
    }
}
