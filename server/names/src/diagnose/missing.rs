//! Details of diagnostics about missing modules.

/// A path that must be absent from the disk for a diagnostic to hold. The index knows source files
/// only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsentPath {
    /// The folder, relative to the workspace root.
    pub folder: String,
    /// The file or folder name without extension; any extension counts.
    pub stem: String,
}

/// Details of a module that is neither part of the project nor installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingModule {
    /// It may be missing on purpose: no environment of the project is known, a dependency declares
    /// it, or its distribution may have another name.
    NotInstalled {
        /// The folder of the environment that was searched, if any.
        environment: Option<String>,
    },
    /// An environment of the project is known and lacks it, and no dependency declares it.
    Undeclared {
        /// The folder of the environment that was searched.
        environment: String,
    },
}
