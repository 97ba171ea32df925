//! Go's build constraints: comments at the start of a file that select the builds it is part of.
//!
//! <https://pkg.go.dev/cmd/go#hdr-Build_constraints>. They are evaluated for the machine that this
//! runs on, with the default tags.

/// Length limit of an expression.
const MAX_LENGTH: usize = 1_000;

/// Depth limit of an expression.
const MAX_DEPTH: u32 = 20;

/// Whether the constraints exclude the file from the build.
pub(super) fn is_excluded_by_constraints(text: &str) -> bool {
    let mut lines_hold = true;
    for line in header(text) {
        if let Some(expression) = line.strip_prefix("//go:build ") {
            // If present it overrides `+build` lines.
            return expression.len() <= MAX_LENGTH && holds(expression) == Some(false);
        }
        let plus = line.trim_start_matches('/').trim_start().strip_prefix("+build ");
        if let Some(options) = plus
            && line.len() <= MAX_LENGTH
        {
            let all = |option: &str| option.split(',').all(is_set_or_denied);
            lines_hold &= options.split_whitespace().any(all);
        }
    }
    !lines_hold
}

/// Line comments before the first line of code.
fn header(text: &str) -> impl Iterator<Item = &str> {
    let mut within = false;
    let lines = text.lines().map(str::trim).take_while(move |line| {
        let comment = within || line.is_empty() || line.starts_with("//") || line.starts_with("/*");
        within = (within || line.starts_with("/*")) && !line.ends_with("*/");
        comment
    });
    lines.filter(|line| line.starts_with("//"))
}

/// Whether an expression of tags holds; `None` for a syntax error.
fn holds(expression: &str) -> Option<bool> {
    let mut rest = expression;
    let value = parse_or(&mut rest, 0)?;
    rest.trim().is_empty().then_some(value)
}

fn parse_or(rest: &mut &str, depth: u32) -> Option<bool> {
    let mut value = parse_and(rest, depth)?;
    while eat(rest, "||") {
        value |= parse_and(rest, depth)?;
    }
    Some(value)
}

fn parse_and(rest: &mut &str, depth: u32) -> Option<bool> {
    let mut value = parse_primary(rest, depth)?;
    while eat(rest, "&&") {
        value &= parse_primary(rest, depth)?;
    }
    Some(value)
}

fn parse_primary(rest: &mut &str, depth: u32) -> Option<bool> {
    if depth > MAX_DEPTH {
        return None;
    }
    if eat(rest, "!") {
        return parse_primary(rest, depth + 1).map(|v| !v);
    }
    if eat(rest, "(") {
        let value = parse_or(rest, depth + 1)?;
        return eat(rest, ")").then_some(value);
    }
    let tag = rest.trim_start();
    let end = tag.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
    let (tag, after) = tag.split_at(end.unwrap_or(tag.len()));
    *rest = after;
    (!tag.is_empty()).then(|| is_set(tag))
}

fn eat(rest: &mut &str, token: &str) -> bool {
    match rest.trim_start().strip_prefix(token) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

fn is_set_or_denied(term: &str) -> bool {
    term.strip_prefix('!').map_or_else(|| is_set(term), |denied| !is_set(denied))
}

fn is_set(tag: &str) -> bool {
    let released = tag.strip_prefix("go1.").is_some_and(|n| n.parse::<u32>().is_ok());
    released
        || crate::project::is_this_platform(tag)
        || matches!(tag, "gc" | "cgo")
        || tag == "unix" && cfg!(unix)
}

#[cfg(test)]
mod tests {
    use super::is_excluded_by_constraints;

    #[test]
    fn evaluates_build_constraints() {
        let other = if cfg!(windows) { "linux" } else { "windows" };
        for (text, out) in [
            ("package a", false),
            ("//go:build ignore\n\npackage a", true),
            ("// Copyright\n\n//go:build !ignore\npackage a", false),
            ("//go:build go1.18 && !(ignore || tools)\npackage a", false),
            ("/* a\n b */\n//go:build tools\npackage a", true),
            ("// +build ignore\n\npackage a", true),
            ("// +build ignore gc\n\npackage a", false),
            ("// +build gc\n// +build ignore\n\npackage a", true),
            ("// +build gc,!cgo\n\npackage a", true),
            (&format!("//go:build {other}\npackage a"), true),
            (&format!("//go:build !{other}\npackage a"), false),
            ("package a\n//go:build ignore\n", false),
            ("//go:build ((((\npackage a", false),
        ] {
            assert_eq!(is_excluded_by_constraints(text), out, "{text}");
        }
    }
}
