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

/// What is known of a module that is neither the project's own nor installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingModule {
    /// Whether it should be there cannot be decided: no environment of the project is known, a
    /// dependency declares it, or its distribution may have another name.
    NotInstalled {
        /// The folder of the environment that was searched, if there is one.
        environment: Option<String>,
    },
    /// An environment of the project is known and lacks it, and no dependency declares it.
    Undeclared {
        /// The folder of the environment that was searched.
        environment: String,
    },
}
