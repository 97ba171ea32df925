//! What an import needs, and is not there.

/// Files and folders that would have to be on disk for an import to lead anywhere, as far as the
/// index cannot tell: it knows sources only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// The folder, relative to the root.
    pub folder: String,
    /// What a name in it would be called, with any ending or none.
    pub stem: String,
}
