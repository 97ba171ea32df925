//! What is known of a value.

use std::rc::Rc;

use super::DefId;
use crate::index::FileId;
use crate::project::Module;

/// What is known of a value or a type. The arguments of a type are in the order of its parameters.
#[derive(Debug, Clone)]
pub(crate) enum Ty {
    Unknown,
    /// Known to be of something that is not here.
    Outside,
    /// A module: a file, or a scope of one.
    Module(FileId, u32),
    /// A folder or package.
    Folder(Rc<Module>),
    /// A type itself.
    Type(DefId, Rc<[Ty]>),
    /// A value of a type.
    Instance(DefId, Rc<[Ty]>),
    /// A value whose members are in a scope.
    Object(FileId, u32),
    /// A type parameter.
    Parameter(DefId),
    /// A function by name.
    Function(DefId),
    /// A function by the scope of its parameters.
    Lambda(FileId, u32),
    /// A function type: what it returns, its parameters.
    Signature(Rc<Ty>, Rc<[Ty]>),
    Tuple(Rc<[Ty]>),
    Array(Rc<Ty>),
    /// A type from outside by its name, with arguments.
    Named(Rc<str>, Rc<[Ty]>),
    Union(Rc<[Ty]>),
    /// `super`: the types above one.
    Above(DefId),
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
            _ => Self::Outside,
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
        known.truncate(8);
        match known.len() {
            0 => Self::Unknown,
            1 => known.swap_remove(0),
            _ => Self::Union(known.into()),
        }
    }
}
