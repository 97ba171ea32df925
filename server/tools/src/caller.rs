//! Who calls.

/// Who calls a tool, as far as a front end knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The front end that the call came through first: `mcp`, `cli`. Empty for the session's own.
    pub front_end: &'static str,
    /// What the client calls itself.
    pub client: Option<String>,
}
