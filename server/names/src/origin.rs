//! The rule by which a result was found, and its confidence.

use std::ops::Range;

use crate::index::FileId;

/// A location that a name resolves to.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// The bytes of the whole definition; empty for a file's module.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// The rule by which it was found.
    pub origin: Origin,
    /// The likelihood that it is right, from 0 to 1.
    pub confidence: f32,
}

/// The rule by which a name was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// In a scope of the same function.
    Local,
    /// At the file's top level.
    SameFile,
    /// As a member of the receiver's own type or a supertype.
    Member,
    /// As a member of a type that the code states.
    TypedMember,
    /// Through an import of the name.
    Import,
    /// In another file of the same package.
    Package,
    /// Through a glob import.
    Glob,
    /// As a parameter of the callee.
    Argument,
    /// As the only definition of the name that fits.
    UniqueName,
    /// In a dependency.
    Dependency,
    /// Only an import is known; its target is not in the index.
    External,
}

impl Origin {
    /// The name used in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::SameFile => "same_file",
            Self::Member => "member",
            Self::TypedMember => "typed_member",
            Self::Import => "import",
            Self::Package => "package",
            Self::Glob => "glob",
            Self::Argument => "argument",
            Self::UniqueName => "unique_name",
            Self::Dependency => "library",
            Self::External => "outside",
        }
    }

    /// The likelihood that a result of this origin is right.
    #[must_use]
    pub fn confidence(self) -> f32 {
        match self {
            Self::Local => 0.99,
            Self::SameFile | Self::Import => 0.97,
            Self::Member | Self::Package | Self::Dependency => 0.95,
            Self::TypedMember | Self::Argument => 0.93,
            Self::Glob => 0.9,
            Self::UniqueName => 0.75,
            Self::External => 0.5,
        }
    }
}
