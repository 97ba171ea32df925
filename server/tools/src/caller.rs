//! The caller of a tool.

/// The caller of a tool, as far as known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The front end that the call came through first (`mcp`, `cli`); empty for the session's own.
    pub front_end: &'static str,
    /// The client's name.
    pub client: Option<String>,
}
