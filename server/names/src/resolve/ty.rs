//! The type of a value, as far as it is known.

use std::rc::Rc;

use super::DefId;
use crate::index::FileId;
use crate::project::Module;

/// What is known of a value or a type. Type arguments are in the order of the type's parameters.
#[derive(Debug, Clone)]
pub(crate) enum Ty {
    Unknown,
    /// The value belongs to something outside of the index.
    External,
    /// A module: a file, or a scope of a file.
    Module(FileId, u32),
    /// A folder or package of files.
    Folder(Rc<Module>),
    /// A type used as a value: a class object, a path to a type.
    Type(DefId, Rc<[Ty]>),
    /// A value of a type.
    Instance(DefId, Rc<[Ty]>),
    /// A value whose members are in a scope.
    Object(FileId, u32),
    /// A type parameter.
    Parameter(DefId),
    /// A function with a definition.
    Function(DefId),
    /// A lambda, by the scope of its parameters.
    Lambda(FileId, u32),
    /// A function type: return type and parameter types.
    Signature(Rc<Ty>, Rc<[Ty]>),
    Tuple(Rc<[Ty]>),
    Array(Rc<Ty>),
    /// An external type by name, with arguments.
    Named(Rc<str>, Rc<[Ty]>),
    Union(Rc<[Ty]>),
    /// `super`: members are searched from the supertypes on.
    Super(DefId),
}

impl Ty {
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// A value of this type.
    pub(crate) fn instance(&self) -> Self {
        match self {
            Self::Type(id, args) => Self::Instance(*id, args.clone()),
            Self::Union(all) => Self::Union(all.iter().map(Self::instance).collect()),
            other => other.clone(),
        }
    }

    /// The class of a value, as a value itself.
    pub(super) fn class(&self) -> Self {
        match self {
            Self::Instance(id, args) => Self::Type(*id, args.clone()),
            Self::Union(all) => Self::union(all.iter().map(Self::class).collect()),
            Self::Parameter(_) => Self::Signature(Rc::new(self.clone()), Self::no_arguments()),
            Self::Unknown => Self::Unknown,
            _ => Self::External,
        }
    }

    pub(crate) fn no_arguments() -> Rc<[Self]> {
        Rc::new([])
    }

    pub(crate) fn union(all: Vec<Self>) -> Self {
        let mut known: Vec<Self> = Vec::new();
        for ty in all {
            match ty {
                Self::Unknown => {}
                Self::Union(inner) => known.extend(inner.iter().cloned()),
                ty => known.push(ty),
            }
        }
        // Unions grow with every branch; more members than these do not make an answer better.
        known.truncate(8);
        match known.len() {
            0 => Self::Unknown,
            1 => known.swap_remove(0),
            _ => Self::Union(known.into()),
        }
    }
}
