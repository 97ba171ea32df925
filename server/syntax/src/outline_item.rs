//! A declaration in an outline, and the kinds of declarations.

use std::ops::Range;

/// A declaration and the declarations inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineItem {
    /// Its name, never empty; for an `impl` block its whole header.
    pub name: String,
    /// The kind of declaration.
    pub kind: OutlineKind,
    /// Its parameters or type as written, on one line.
    pub detail: Option<String>,
    /// The whole declaration, in bytes.
    pub span: Range<usize>,
    /// Its name, in bytes.
    pub name_span: Range<usize>,
    /// The declarations inside it, in document order.
    pub children: Vec<OutlineItem>,
}

/// The kind of an outline item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum OutlineKind {
    Class,
    Constant,
    Constructor,
    Enum,
    EnumMember,
    Field,
    Function,
    Impl,
    Interface,
    Macro,
    Method,
    Module,
    Namespace,
    Property,
    Struct,
    Trait,
    Type,
    Variable,
}

impl OutlineKind {
    /// Every kind with its name in queries (`@item.<name>`) and results.
    pub const NAMES: &[(Self, &'static str)] = &[
        (Self::Class, "class"),
        (Self::Constant, "constant"),
        (Self::Constructor, "constructor"),
        (Self::Enum, "enum"),
        (Self::EnumMember, "enum_member"),
        (Self::Field, "field"),
        (Self::Function, "function"),
        (Self::Impl, "impl"),
        (Self::Interface, "interface"),
        (Self::Macro, "macro"),
        (Self::Method, "method"),
        (Self::Module, "module"),
        (Self::Namespace, "namespace"),
        (Self::Property, "property"),
        (Self::Struct, "struct"),
        (Self::Trait, "trait"),
        (Self::Type, "type"),
        (Self::Variable, "variable"),
    ];

    /// The kind's name in queries and results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, n)| *n == name).map(|(kind, _)| *kind)
    }

    pub(crate) fn has_methods(self) -> bool {
        use OutlineKind::{Class, Enum, Impl, Interface, Struct, Trait};
        matches!(self, Class | Enum | Impl | Interface | Struct | Trait)
    }
}
