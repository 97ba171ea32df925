//! Conditions on how often a breakpoint was hit, and messages that it logs.

/// When a breakpoint stops, by the number of its hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HitCondition {
    Equal(u64),
    Less(u64),
    AtMost(u64),
    More(u64),
    AtLeast(u64),
    Every(u64),
}

impl HitCondition {
    /// Parses `3`, `== 3`, `> 3`, `>= 3`, `< 3`, `<= 3` or `% 3`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.find(|c: char| c.is_ascii_digit())?;
        let number = text[digits..].parse().ok()?;
        Some(match text[..digits].trim() {
            "" | "=" | "==" | "===" => Self::Equal(number),
            "<" => Self::Less(number),
            "<=" => Self::AtMost(number),
            ">" => Self::More(number),
            ">=" => Self::AtLeast(number),
            "%" if number > 0 => Self::Every(number),
            _ => return None,
        })
    }

    pub(crate) fn holds(self, hits: u64) -> bool {
        match self {
            Self::Equal(number) => hits == number,
            Self::Less(number) => hits < number,
            Self::AtMost(number) => hits <= number,
            Self::More(number) => hits > number,
            Self::AtLeast(number) => hits >= number,
            Self::Every(number) => hits.is_multiple_of(number),
        }
    }
}

/// The global function that log messages are passed to.
pub(crate) const LOG_BINDING: &str = "__tandemLog";

/// An expression that logs a message with its `{expressions}` evaluated, and is false.
pub(crate) fn log_expression(message: &str) -> String {
    let mut parts = Vec::new();
    let mut rest = message;
    while let Some((text, after)) = rest.split_once('{') {
        let Some(end) = closing_brace(after) else { break };
        parts.push(quote(text));
        parts.push(format!("show(() => ({}))", &after[..end]));
        rest = &after[end + 1..];
    }
    parts.push(quote(rest));
    format!(
        "((show) => {{ {LOG_BINDING}({}); return false; }})((get) => {{ try {{ const it = get(); \
         return typeof it === 'object' && it !== null ? JSON.stringify(it) ?? String(it) : String(it); }} \
         catch (error) {{ return String(error); }} }})",
        parts.join(" + ")
    )
}

/// Where the brace of an expression closes that is open already.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A string literal.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_conditions_are_those_of_other_adapters() {
        let stops = |text: &str| -> Vec<u64> {
            let condition = HitCondition::parse(text).unwrap();
            (1..=6).filter(|hits| condition.holds(*hits)).collect()
        };
        assert_eq!(stops("3"), [3]);
        assert_eq!(stops(" == 3"), [3]);
        assert_eq!(stops(">4"), [5, 6]);
        assert_eq!(stops(">= 5"), [5, 6]);
        assert_eq!(stops("< 2"), [1]);
        assert_eq!(stops("<=2"), [1, 2]);
        assert_eq!(stops("% 2"), [2, 4, 6]);
        for invalid in ["", "x", "%0", "3x", "!3", ">"] {
            assert_eq!(HitCondition::parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn a_log_message_evaluates_what_is_in_braces() {
        let logged = log_expression("n is {n}, {({ a: 1 }).a} \"{");
        assert!(
            logged.contains(
                r#"("n is " + show(() => (n)) + ", " + show(() => (({ a: 1 }).a)) + " \"{")"#
            ),
            "{logged}"
        );
    }
}
