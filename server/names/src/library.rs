//! The little that is known of the types that languages bring along: what their generic types
//! hold, and what the most common members of those give.

mod builtins;
pub(crate) mod java;
pub(crate) mod java_names;
pub(crate) mod members;
mod python;
pub(crate) mod rust;

use std::rc::Rc;

use crate::resolve::Ty;

pub(crate) use builtins::builtin;
pub use builtins::{Builtin, builtin_at};
pub(crate) use python::is_python_module;

/// Types that have the members of what they hold.
const TRANSPARENT: &[&str] = &[
    "Optional",
    "Annotated",
    "ClassVar",
    "Final",
    "Required",
    "NotRequired",
    "ReadOnly",
    "Readonly",
    "Partial",
    "NonNullable",
    "Box",
    "Rc",
    "Arc",
    "Ref",
    "RefMut",
    "MutexGuard",
    "Cow",
    "Pin",
    "unique_ptr",
    "shared_ptr",
    "weak_ptr",
    "Omit",
    "Pick",
    "const",
    "Awaited",
    "Lazy",
    "LazyLock",
    "LazyCell",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "ManuallyDrop",
];

/// Types of which the element is what they hold first, although they hold more.
const FIRST: &[&str] = &[
    "Generator",
    "AsyncGenerator",
    "Iterator",
    "Iterable",
    "Coroutine",
    "Result",
    "Option",
    "Vec",
    "vector",
    "dict",
    "Dict",
    "HashSet",
    "BTreeSet",
];

/// Types whose elements are what they hold first.
const SEQUENCES: &[&str] = &[
    "List",
    "list",
    "Sequence",
    "Array",
    "ReadonlyArray",
    "Set",
    "FrozenSet",
    "set",
    "Vec",
    "vector",
    "Collection",
    "ArrayList",
    "LinkedList",
    "Iterable",
    "Iterator",
    "Deque",
    "deque",
    "Queue",
    "VecDeque",
    "HashSet",
    "BTreeSet",
    "IntoIterator",
    "Stack",
    "array",
    "initializer_list",
    "ArrayDeque",
    "LinkedHashSet",
    "Stream",
    "MutableSequence",
    "AbstractSet",
    "frozenset",
    "TreeSet",
    "AsyncIterator",
    "AsyncIterable",
    "IterableIterator",
    "ReadonlySet",
    "NodeListOf",
];

/// Members that give what a sequence or map holds.
const ELEMENTS: &[&str] = &[
    "get",
    "pop",
    "popleft",
    "shift",
    "at",
    "find",
    "next",
    "first",
    "last",
    "peek",
    "poll",
    "remove",
    "iterator",
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "as_ref",
    "as_mut",
    "get_mut",
    "take",
    "back",
    "front",
    "findLast",
    "getFirst",
    "getLast",
    "element",
    "lock",
    "borrow",
    "borrow_mut",
    "read",
    "write",
    "setdefault",
    "orElse",
    "orElseThrow",
    "cloned",
    "copied",
    "ok",
    "pop_front",
    "pop_back",
    "last_mut",
    "first_mut",
    "ok_or",
    "ok_or_else",
    "removeFirst",
    "removeLast",
    "pollFirst",
    "pollLast",
    "next_back",
];

/// Members that give the same kind of thing again.
const SAME: &[&str] = &[
    "filter",
    "slice",
    "reverse",
    "sort",
    "concat",
    "iter",
    "iter_mut",
    "into_iter",
    "clone",
    "copy",
    "rev",
    "skip",
    "to_vec",
    "stream",
    "collect",
    "by_ref",
    "to_owned",
    "as_slice",
    "values",
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_ref",
    "peekable",
    "chain",
    "take_while",
    "skip_while",
    "splice",
    "splitn",
    "descendingIterator",
    "listIterator",
    "cloned",
    "sorted",
    "drain",
];

/// Whether a type or function is known here by its name alone: what its own definition says, where
/// that is at hand, tells less.
pub(crate) fn is_known(language: &str, name: &str) -> bool {
    [TRANSPARENT, FIRST, SEQUENCES].iter().any(|all| all.contains(&name))
        || matches!(name, "Union" | "Tuple" | "tuple" | "Callable" | "Type" | "type" | "Class")
        || gives(language, name).is_some()
}

/// `base<arguments>` of a type from outside.
pub(crate) fn generic(base: &str, arguments: Rc<[Ty]>) -> Ty {
    if TRANSPARENT.contains(&base)
        && let Some(first) = arguments.first()
    {
        return as_type(first);
    }
    match base {
        base if SEQUENCES.contains(&base) => {
            sequence(base, arguments.first().cloned().unwrap_or(Ty::Unknown))
        }
        "Union" => Ty::union(arguments.to_vec()),
        "Tuple" | "tuple" => Ty::Tuple(arguments),
        "Callable" => Ty::Signature(
            Rc::new(arguments.last().cloned().unwrap_or(Ty::Unknown)),
            match arguments.first() {
                Some(Ty::Tuple(parameters)) => parameters.clone(),
                Some(Ty::Array(one)) => Rc::new([(**one).clone()]),
                _ => Rc::new([]),
            },
        ),
        "Type" | "type" | "Class" => match arguments.first() {
            Some(Ty::Instance(id, args)) => Ty::Type(*id, args.clone()),
            // A class that a type variable stands for is known by what calling it gives.
            Some(variable @ Ty::Parameter(_)) => {
                Ty::Signature(Rc::new(variable.clone()), Rc::new([]))
            }
            _ => Ty::Outside,
        },
        _ => Ty::Named(base.into(), arguments),
    }
}

/// A sequence of a type by its name, where that has members of its own.
pub(crate) fn sequence(name: &str, element: Ty) -> Ty {
    match name {
        "set" | "Set" | "frozenset" | "FrozenSet" | "MutableSet" | "ReadonlySet" | "deque" => {
            Ty::Named(name.into(), Rc::new([element]))
        }
        _ => Ty::Array(Rc::new(element)),
    }
}

/// The arguments of types are kept as values; where the type itself is meant, it is one again.
fn as_type(ty: &Ty) -> Ty {
    match ty {
        Ty::Instance(id, args) => Ty::Type(*id, args.clone()),
        other => other.clone(),
    }
}

/// What an iteration over a type from outside gives.
pub(crate) fn element(name: &str, arguments: &Rc<[Ty]>) -> Ty {
    match arguments.len() {
        0 => Ty::Outside,
        1 => arguments[0].clone(),
        _ if FIRST.contains(&name) => arguments[0].clone(),
        _ => Ty::Tuple(arguments.clone()),
    }
}

/// What a member of a type from outside gives, once called.
pub(crate) fn member(of: &str, arguments: &Rc<[Ty]>, name: &str) -> Ty {
    if arguments.is_empty() {
        return Ty::Outside;
    }
    let whole = Ty::Named(of.into(), arguments.clone());
    let held = if FIRST.contains(&of) && of != "dict" && of != "Dict" {
        arguments[0].clone()
    } else {
        arguments[arguments.len() - 1].clone()
    };
    let given = match name {
        "items" | "entries" | "entrySet" => Ty::Array(Rc::new(Ty::Tuple(arguments.clone()))),
        "keys" | "keySet" => Ty::Array(Rc::new(arguments[0].clone())),
        "values" | "values_mut" => Ty::Array(Rc::new(held)),
        "getKey" => arguments[0].clone(),
        "getValue" => held,
        _ if ELEMENTS.contains(&name) => held,
        _ if SAME.contains(&name) => whole,
        _ => return Ty::Outside,
    };
    Ty::Signature(Rc::new(given), Rc::new([]))
}

/// The same of a sequence.
pub(crate) fn array_member(name: &str, element: &Rc<Ty>) -> Ty {
    let given = if ELEMENTS.contains(&name) {
        (**element).clone()
    } else if SAME.contains(&name) {
        Ty::Array(element.clone())
    } else if name == "enumerate" || name == "entries" {
        Ty::Array(Rc::new(Ty::Tuple(Rc::new([Ty::Outside, (**element).clone()]))))
    } else {
        return Ty::Outside;
    };
    Ty::Signature(Rc::new(given), Rc::new([]))
}

/// Whether a function of an object from outside gives back its first argument, or all of them in
/// one.
pub(crate) fn gives_back(of: &str, function: &str) -> Option<bool> {
    match (of, function) {
        ("Object", "freeze" | "seal" | "preventExtensions" | "create" | "setPrototypeOf")
        | ("Promise", "resolve") => Some(false),
        ("Object", "assign") => Some(true),
        _ => None,
    }
}

/// Whether a function of a type, where nothing else is known of it, gives a value of the type.
pub(crate) fn makes(name: &str) -> bool {
    matches!(name, "default" | "from" | "from_iter")
}

/// Whether a member of any type gives the same type again, where nothing else is known.
pub(crate) fn keeps(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "to_owned"
            | "as_ref"
            | "as_mut"
            | "borrow"
            | "borrow_mut"
            | "copy"
            | "deref"
            | "deref_mut"
            | "by_ref"
            | "get_ref"
            | "into_owned"
    )
}

/// What a function that a language brings along gives, as far as its arguments say.
pub(crate) enum Gives {
    /// A value of the type that is its first argument.
    ValueOfType,
    /// The class of its only argument.
    TypeOfValue,
    /// The same as its first argument.
    SameAsFirst,
    /// A sequence of what an iteration over its first argument gives.
    Sequence,
    /// What an iteration over its first argument gives.
    Element,
    /// The same, each with its number.
    Numbered,
    /// What iterations over all of its arguments give, together.
    Together,
    /// What its first argument, a function, returns.
    Returned,
    /// A type variable, bound by what follows its name.
    Variable,
    /// A value of a type of the library whose n-th argument is the type of the first argument.
    Holding(&'static str, usize),
}

/// The same, by the function's name.
pub(crate) fn gives(language: &str, name: &str) -> Option<Gives> {
    match (language, name) {
        ("go", "new" | "make") => Some(Gives::ValueOfType),
        ("go", "append" | "min" | "max") => Some(Gives::SameAsFirst),
        ("python", "cast") => Some(Gives::ValueOfType),
        ("python", "type") => Some(Gives::TypeOfValue),
        ("python", "copy" | "deepcopy" | "partial" | "staticmethod" | "classmethod") => {
            Some(Gives::SameAsFirst)
        }
        (
            "python",
            "list" | "sorted" | "reversed" | "set" | "tuple" | "frozenset" | "iter" | "deque",
        ) => Some(Gives::Sequence),
        ("python", "next" | "max" | "min") => Some(Gives::Element),
        ("python", "enumerate") => Some(Gives::Numbered),
        ("python", "zip") => Some(Gives::Together),
        ("python", "property" | "cached_property") => Some(Gives::Returned),
        ("python", "TypeVar") => Some(Gives::Variable),
        ("rust", "Some") => Some(Gives::Holding("Option", 0)),
        ("rust", "Ok") => Some(Gives::Holding("Result", 0)),
        ("rust", "Err") => Some(Gives::Holding("Result", 1)),
        _ => None,
    }
}

/// What a function that belongs to a type of Rust's library gives, called with one argument:
/// `Arc::clone(&x)`, `Box::new(x)`, `Mutex::new(x)`.
pub(crate) fn made(of: &str, name: &str, argument: Ty) -> Option<Ty> {
    let known = match (of, name) {
        (_, "new" | "from" | "pin" | "clone") if TRANSPARENT.contains(&of) => argument.instance(),
        ("Mutex" | "RwLock" | "RefCell" | "Cell" | "OnceCell" | "OnceLock", "new" | "from") => {
            Ty::Named(of.into(), Rc::new([argument.instance()]))
        }
        _ => return None,
    };
    Some(Ty::Signature(Rc::new(known), Rc::new([])))
}
