//! Where an answer comes from, and how sure it is.

use std::ops::Range;

use crate::index::FileId;

/// A place that a name leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// The bytes of the whole definition; empty for a file as a module.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// By what rule it was found.
    pub origin: Origin,
    /// How likely it is right: 0 to 1.
    pub confidence: f32,
}

/// By what rule a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// In a scope of the same function.
    Local,
    /// At the file's top level.
    SameFile,
    /// As a member of the object itself, or of a type it inherits from.
    Member,
    /// As a member of a type that the code states.
    TypedMember,
    /// Through an import that names it.
    Import,
    /// In another file of the same package.
    Package,
    /// Through an import of everything.
    Glob,
    /// As a parameter of what is called.
    Argument,
    /// The only definition of the name that could be meant.
    UniqueName,
    /// In a dependency, outside of the project.
    Library,
    /// Only the import is known; what it leads to is outside.
    Outside,
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
            Self::Library => "library",
            Self::Outside => "outside",
        }
    }

    /// How likely an answer of this origin is right.
    #[must_use]
    pub fn confidence(self) -> f32 {
        match self {
            Self::Local => 0.99,
            Self::SameFile | Self::Import => 0.97,
            Self::Member | Self::Package | Self::Library => 0.95,
            Self::TypedMember | Self::Argument => 0.93,
            Self::Glob => 0.9,
            Self::UniqueName => 0.75,
            Self::Outside => 0.5,
        }
    }
}
