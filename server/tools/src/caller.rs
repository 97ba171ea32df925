//! The caller of a tool.

/// The caller of a tool, as far as known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The front end that the call came through first (`mcp`, `cli`); empty for the session's own.
    pub front_end: &'static str,
    /// The client's name.
    pub client: Option<String>,
    /// The trace that the call belongs to, as a W3C `traceparent`.
    pub trace: Option<String>,
}

/// `00-<trace>-<span>-<flags>`.
const TRACE_PARENT_LENGTH: usize = 55;

impl Caller {
    /// The trace in a `traceparent` from outside. `None` if the text has another form.
    #[must_use]
    pub fn parse_trace(text: &str) -> Option<String> {
        let is_hex = |part: &&str| part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let is_zero = |part: &str| part.bytes().all(|b| b == b'0');
        let parts: Vec<&str> = text.get(..TRACE_PARENT_LENGTH)?.split('-').collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let is_known = lengths == [2, 32, 16, 2] && parts.iter().all(is_hex);
        // A later version may have more fields; `ff` is none.
        let rest = &text[TRACE_PARENT_LENGTH..];
        let is_version = rest.is_empty() || (rest.starts_with('-') && parts[0] != "00");
        (is_known && is_version && parts[0] != "ff" && !is_zero(parts[1]) && !is_zero(parts[2]))
            .then(|| text[..TRACE_PARENT_LENGTH].to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_w3c_trace_parents() {
        let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(Caller::parse_trace(valid).as_deref(), Some(valid));
        let later = format!("01{}-more", &valid[2..]);
        assert_eq!(Caller::parse_trace(&later).unwrap(), later[..TRACE_PARENT_LENGTH]);
        let (zeros, spanless) = ("0".repeat(32), "0".repeat(16));
        for other in [
            String::new(),
            valid[1..].to_owned(),
            format!("{valid}-more"),
            format!("{valid}x"),
            valid.to_uppercase(),
            valid.replace('b', "\u{e9}"),
            format!("ff{}", &valid[2..]),
            format!("00-{zeros}-b7ad6b7169203331-01"),
            format!("00-0af7651916cd43dd8448eb211c80319c-{spanless}-01"),
        ] {
            assert_eq!(Caller::parse_trace(&other), None, "{other}");
        }
    }
}
