//! Type knowledge about the libraries that languages ship: element types of generic types, and
//! result types of their most common members.

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

/// Generic types with the members of their argument.
const TRANSPARENT_TYPES: &[&str] = &[
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

/// Types whose element is the first argument, although they have more.
const FIRST_ARGUMENT_TYPES: &[&str] = &[
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

/// Types whose elements are the first argument.
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

/// Members that return an element.
const ELEMENT_MEMBERS: &[&str] = &[
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

/// Members that return the same type as the receiver.
const SAME_TYPE_MEMBERS: &[&str] = &[
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

/// Whether a type or function is known here by its name alone. The tables then take precedence over
/// its own definition, which says less.
pub(crate) fn is_known(language: &str, name: &str) -> bool {
    [TRANSPARENT_TYPES, FIRST_ARGUMENT_TYPES, SEQUENCES].iter().any(|all| all.contains(&name))
        || matches!(name, "Union" | "Tuple" | "tuple" | "Callable" | "Type" | "type" | "Class")
        || builtin_result(language, name).is_some()
}

/// The type `base<arguments>` for an external base.
pub(crate) fn generic(base: &str, arguments: Rc<[Ty]>) -> Ty {
    if TRANSPARENT_TYPES.contains(&base)
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
            // A class given by a type variable is represented by the result of calling it.
            Some(variable @ Ty::Parameter(_)) => {
                Ty::Signature(Rc::new(variable.clone()), Rc::new([]))
            }
            _ => Ty::External,
        },
        _ => Ty::Named(base.into(), arguments),
    }
}

/// The type of a named sequence, if it has members of its own.
pub(crate) fn sequence(name: &str, element: Ty) -> Ty {
    match name {
        "set" | "Set" | "frozenset" | "FrozenSet" | "MutableSet" | "ReadonlySet" | "deque" => {
            Ty::Named(name.into(), Rc::new([element]))
        }
        _ => Ty::Array(Rc::new(element)),
    }
}

/// Type arguments are stored as values; where the type itself is meant, convert it back.
fn as_type(ty: &Ty) -> Ty {
    match ty {
        Ty::Instance(id, args) => Ty::Type(*id, args.clone()),
        other => other.clone(),
    }
}

/// The type that iterating over an external type yields.
pub(crate) fn element(name: &str, arguments: &Rc<[Ty]>) -> Ty {
    match arguments.len() {
        0 => Ty::External,
        1 => arguments[0].clone(),
        _ if FIRST_ARGUMENT_TYPES.contains(&name) => arguments[0].clone(),
        _ => Ty::Tuple(arguments.clone()),
    }
}

/// The type of a member of an external type.
pub(crate) fn member(of: &str, arguments: &Rc<[Ty]>, name: &str) -> Ty {
    if arguments.is_empty() {
        return Ty::External;
    }
    let whole = Ty::Named(of.into(), arguments.clone());
    let held = if FIRST_ARGUMENT_TYPES.contains(&of) && of != "dict" && of != "Dict" {
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
        _ if ELEMENT_MEMBERS.contains(&name) => held,
        _ if SAME_TYPE_MEMBERS.contains(&name) => whole,
        _ => return Ty::External,
    };
    Ty::Signature(Rc::new(given), Rc::new([]))
}

/// The type of a member of a sequence.
pub(crate) fn array_member(name: &str, element: &Rc<Ty>) -> Ty {
    let given = if ELEMENT_MEMBERS.contains(&name) {
        (**element).clone()
    } else if SAME_TYPE_MEMBERS.contains(&name) {
        Ty::Array(element.clone())
    } else if name == "enumerate" || name == "entries" {
        Ty::Array(Rc::new(Ty::Tuple(Rc::new([Ty::External, (**element).clone()]))))
    } else {
        return Ty::External;
    };
    Ty::Signature(Rc::new(given), Rc::new([]))
}

/// Whether a library function returns its arguments: `Some(false)` for the first one, `Some(true)`
/// for all combined.
pub(crate) fn returned_argument(of: &str, function: &str) -> Option<bool> {
    match (of, function) {
        ("Object", "freeze" | "seal" | "preventExtensions" | "create" | "setPrototypeOf")
        | ("Promise", "resolve") => Some(false),
        ("Object", "assign") => Some(true),
        _ => None,
    }
}

/// Whether an otherwise unknown function of a type returns a value of that type.
pub(crate) fn constructs_type(name: &str) -> bool {
    matches!(name, "default" | "from" | "from_iter")
}

/// Whether an otherwise unknown method returns the type of its receiver. The names are of all languages.
pub(crate) fn returns_receiver_type(name: &str) -> bool {
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

/// The result type of a builtin function, as a function of its arguments.
pub(crate) enum BuiltinResult {
    /// An instance of its first argument, which is a type.
    ValueOfType,
    /// The class of its only argument.
    TypeOfValue,
    /// The type of its first argument.
    SameAsFirst,
    /// A sequence of the elements of its first argument.
    Sequence,
    /// An element of its first argument.
    Element,
    /// Pairs of index and element.
    Numbered,
    /// Tuples of the elements of all arguments.
    Together,
    /// The return type of its first argument, which is a function.
    Returned,
    /// A type variable, bounded by the arguments after its name.
    Variable,
    /// A library type whose n-th argument is the type of the first argument.
    Holding(&'static str, usize),
}

/// The result type of a builtin function by name.
pub(crate) fn builtin_result(language: &str, name: &str) -> Option<BuiltinResult> {
    match (language, name) {
        ("go", "new" | "make") => Some(BuiltinResult::ValueOfType),
        ("go", "append" | "min" | "max") => Some(BuiltinResult::SameAsFirst),
        ("python", "cast") => Some(BuiltinResult::ValueOfType),
        ("python", "type") => Some(BuiltinResult::TypeOfValue),
        ("python", "copy" | "deepcopy" | "partial" | "staticmethod" | "classmethod") => {
            Some(BuiltinResult::SameAsFirst)
        }
        (
            "python",
            "list" | "sorted" | "reversed" | "set" | "tuple" | "frozenset" | "iter" | "deque",
        ) => Some(BuiltinResult::Sequence),
        ("python", "next" | "max" | "min") => Some(BuiltinResult::Element),
        ("python", "enumerate") => Some(BuiltinResult::Numbered),
        ("python", "zip") => Some(BuiltinResult::Together),
        ("python", "property" | "cached_property") => Some(BuiltinResult::Returned),
        ("python", "TypeVar") => Some(BuiltinResult::Variable),
        ("rust", "Some") => Some(BuiltinResult::Holding("Option", 0)),
        ("rust", "Ok") => Some(BuiltinResult::Holding("Result", 0)),
        ("rust", "Err") => Some(BuiltinResult::Holding("Result", 1)),
        _ => None,
    }
}

/// The result of an associated function of a Rust library type with one argument: `Arc::clone(&x)`,
/// `Box::new(x)`, `Mutex::new(x)`.
pub(crate) fn associated_function_type(of: &str, name: &str, argument: Ty) -> Option<Ty> {
    let known = match (of, name) {
        (_, "new" | "from" | "pin" | "clone") if TRANSPARENT_TYPES.contains(&of) => {
            argument.instance()
        }
        ("Mutex" | "RwLock" | "RefCell" | "Cell" | "OnceCell" | "OnceLock", "new" | "from") => {
            Ty::Named(of.into(), Rc::new([argument.instance()]))
        }
        _ => return None,
    };
    Some(Ty::Signature(Rc::new(known), Rc::new([])))
}
