//! The Java library: its type hierarchy, and the result types of common members.

use std::rc::Rc;

use crate::resolve::Ty;

/// Types and their direct supertypes: interfaces first, then classes.
const SUPERTYPES: &[(&str, &[&str])] = &[
    ("Collection", &["Iterable"]),
    ("SequencedCollection", &["Collection"]),
    ("List", &["Collection"]),
    ("Set", &["Collection"]),
    ("Queue", &["Collection"]),
    ("Deque", &["Queue"]),
    ("BlockingQueue", &["Queue"]),
    ("SortedSet", &["Set"]),
    ("NavigableSet", &["SortedSet"]),
    ("ListIterator", &["Iterator"]),
    ("PrimitiveIterator", &["Iterator"]),
    ("SortedMap", &["Map"]),
    ("NavigableMap", &["SortedMap"]),
    ("ConcurrentMap", &["Map"]),
    ("UnaryOperator", &["Function"]),
    ("BinaryOperator", &["BiFunction"]),
    ("Closeable", &["AutoCloseable"]),
    ("RunnableFuture", &["Runnable", "Future"]),
    ("ExecutorService", &["Executor"]),
    ("ScheduledExecutorService", &["ExecutorService"]),
    ("Path", &["Comparable", "Iterable"]),
    ("String", &["CharSequence", "Comparable"]),
    ("StringBuilder", &["CharSequence", "Appendable"]),
    ("StringBuffer", &["CharSequence", "Appendable"]),
    ("Writer", &["Appendable", "Closeable"]),
    ("Reader", &["Readable", "Closeable"]),
    ("InputStream", &["Closeable"]),
    ("OutputStream", &["Closeable"]),
    ("AbstractCollection", &["Collection"]),
    ("AbstractList", &["AbstractCollection", "List"]),
    ("AbstractSequentialList", &["AbstractList"]),
    ("AbstractSet", &["AbstractCollection", "Set"]),
    ("AbstractQueue", &["AbstractCollection", "Queue"]),
    ("AbstractMap", &["Map"]),
    ("ArrayList", &["AbstractList"]),
    ("LinkedList", &["AbstractSequentialList", "Deque"]),
    ("Vector", &["AbstractList"]),
    ("Stack", &["Vector"]),
    ("CopyOnWriteArrayList", &["List"]),
    ("ArrayDeque", &["AbstractCollection", "Deque"]),
    ("PriorityQueue", &["AbstractQueue"]),
    ("ConcurrentLinkedQueue", &["AbstractQueue"]),
    ("ConcurrentLinkedDeque", &["AbstractCollection", "Deque"]),
    ("LinkedBlockingQueue", &["AbstractQueue", "BlockingQueue"]),
    ("ArrayBlockingQueue", &["AbstractQueue", "BlockingQueue"]),
    ("HashSet", &["AbstractSet"]),
    ("LinkedHashSet", &["HashSet"]),
    ("TreeSet", &["AbstractSet", "NavigableSet"]),
    ("EnumSet", &["AbstractSet"]),
    ("HashMap", &["AbstractMap"]),
    ("LinkedHashMap", &["HashMap"]),
    ("TreeMap", &["AbstractMap", "NavigableMap"]),
    ("WeakHashMap", &["AbstractMap"]),
    ("IdentityHashMap", &["AbstractMap"]),
    ("EnumMap", &["AbstractMap"]),
    ("ConcurrentHashMap", &["AbstractMap", "ConcurrentMap"]),
    ("ConcurrentSkipListMap", &["AbstractMap", "NavigableMap", "ConcurrentMap"]),
    ("Hashtable", &["Map"]),
];

/// The first class in `SUPERTYPES`.
const FIRST_CLASS: &str = "String";

/// Functional interfaces: which type arguments are parameter types, and which is the return type.
const FUNCTIONAL_INTERFACES: &[(&str, &[usize], Option<usize>)] = &[
    ("Function", &[0], Some(1)),
    ("BiFunction", &[0, 1], Some(2)),
    ("UnaryOperator", &[0], Some(0)),
    ("BinaryOperator", &[0, 0], Some(0)),
    ("Supplier", &[], Some(0)),
    ("Callable", &[], Some(0)),
    ("Consumer", &[0], None),
    ("BiConsumer", &[0, 1], None),
    ("Predicate", &[0], None),
    ("BiPredicate", &[0, 1], None),
    ("Comparator", &[0, 0], None),
    ("ToIntFunction", &[0], None),
    ("ToLongFunction", &[0], None),
    ("ToDoubleFunction", &[0], None),
];

fn supertypes(name: &str) -> &'static [&'static str] {
    SUPERTYPES.iter().find(|s| s.0 == name).map_or(&[], |s| s.1)
}

/// The packages of known types; all others are in `java.util`.
const PACKAGES: &[(&str, &[&str])] = &[
    (
        "java.lang",
        &[
            "String",
            "StringBuilder",
            "StringBuffer",
            "CharSequence",
            "Comparable",
            "Iterable",
            "Appendable",
            "Readable",
            "Runnable",
            "AutoCloseable",
            "Object",
            "Class",
            "Integer",
            "Long",
            "Short",
            "Byte",
            "Double",
            "Float",
            "Boolean",
            "Character",
            "ThreadLocal",
        ],
    ),
    (
        "java.util.function",
        &[
            "Function",
            "BiFunction",
            "UnaryOperator",
            "BinaryOperator",
            "Supplier",
            "Consumer",
            "BiConsumer",
            "Predicate",
            "BiPredicate",
            "ToIntFunction",
            "ToLongFunction",
            "ToDoubleFunction",
        ],
    ),
    ("java.util.stream", &["Stream"]),
    (
        "java.util.concurrent",
        &[
            "BlockingQueue",
            "ConcurrentMap",
            "RunnableFuture",
            "Future",
            "ExecutorService",
            "Executor",
            "ScheduledExecutorService",
            "CopyOnWriteArrayList",
            "ConcurrentLinkedQueue",
            "ConcurrentLinkedDeque",
            "LinkedBlockingQueue",
            "ArrayBlockingQueue",
            "ConcurrentHashMap",
            "ConcurrentSkipListMap",
            "Callable",
            "CompletableFuture",
        ],
    ),
    ("java.io", &["Closeable", "Writer", "Reader", "InputStream", "OutputStream"]),
    (
        "java.util",
        &["Optional", "Iterator", "Map", "Comparator", "Enumeration", "AbstractCollection"],
    ),
];

/// The package of a known library type.
pub(crate) fn package(name: &str) -> Option<&'static str> {
    let listed = PACKAGES.iter().find(|(_, names)| names.contains(&name)).map(|p| p.0);
    let other = || SUPERTYPES.iter().any(|s| s.0 == name && s.0 != "Path").then_some("java.util");
    listed.or_else(other)
}

/// Whether a library type is `above` or inherits from it.
pub(crate) fn is_subtype(name: &str, above: &str) -> bool {
    name == above || supertypes(name).iter().any(|s| is_subtype(s, above))
}

/// Whether two library types have a common supertype.
pub(crate) fn has_common_supertype(name: &str, other: &str) -> bool {
    is_subtype(other, name) || supertypes(name).iter().any(|s| has_common_supertype(s, other))
}

/// Whether a library type is known to be an interface.
pub(crate) fn is_interface(name: &str) -> bool {
    let place = |name: &str| SUPERTYPES.iter().position(|s| s.0 == name);
    place(name).is_some_and(|n| Some(n) < place(FIRST_CLASS))
}

/// A functional interface as return type and parameter types.
pub(crate) fn function(name: &str, arguments: &[Ty]) -> Option<(Ty, Rc<[Ty]>)> {
    let (_, parameters, returned) = FUNCTIONAL_INTERFACES.iter().find(|f| f.0 == name)?;
    let argument = |n: usize| arguments.get(n).cloned();
    let parameters = parameters.iter().map(|&n| argument(n)).collect::<Option<_>>()?;
    let returned = match returned {
        Some(n) => argument(*n)?,
        None => Ty::Unknown,
    };
    Some((returned, parameters))
}

/// The result type of a library method; `None` if it is unknown.
pub(crate) fn method(of: &str, arguments: &[Ty], name: &str) -> Option<Ty> {
    let named = |name: &str| Ty::Named(name.into(), Ty::no_arguments());
    let generic = |name: &str, all: &[Ty]| Ty::Named(name.into(), all.into());
    let same = || generic(of, arguments);
    let argument = |n: usize| arguments.get(n).cloned().unwrap_or(Ty::External);
    let is = |above: &str| is_subtype(of, above);
    let holding = |name: &str| generic(name, &arguments[..arguments.len().min(1)]);
    Some(match name {
        "hashCode" | "compareTo" => named("int"),
        "equals" => named("boolean"),
        "toString" => named("String"),
        "getClass" => generic("Class", &[same()]),
        _ if is("Map") => match name {
            "entrySet" => generic("Set", &[generic("Entry", arguments)]),
            "keySet" | "navigableKeySet" => generic("Set", &[argument(0)]),
            "values" => generic("Collection", &[argument(1)]),
            "get" | "put" | "remove" | "getOrDefault" | "putIfAbsent" | "computeIfAbsent"
            | "computeIfPresent" | "compute" | "merge" | "replace" => argument(1),
            "firstKey" | "lastKey" | "lowerKey" | "higherKey" | "floorKey" | "ceilingKey" => {
                argument(0)
            }
            "firstEntry" | "lastEntry" | "lowerEntry" | "higherEntry" | "floorEntry"
            | "ceilingEntry" | "pollFirstEntry" | "pollLastEntry" => generic("Entry", arguments),
            "headMap" | "tailMap" | "subMap" | "descendingMap" => same(),
            "size" => named("int"),
            "isEmpty" | "containsKey" | "containsValue" => named("boolean"),
            _ => return None,
        },
        _ if is("Iterator") => match name {
            "next" | "previous" => argument(0),
            "hasNext" | "hasPrevious" => named("boolean"),
            "nextIndex" | "previousIndex" => named("int"),
            _ => return None,
        },
        _ if is("Iterable") => match name {
            "iterator" | "descendingIterator" => holding("Iterator"),
            "listIterator" => holding("ListIterator"),
            "get" | "set" | "remove" | "first" | "last" | "peek" | "poll" | "pop" | "element"
            | "getFirst" | "getLast" | "removeFirst" | "removeLast" | "pollFirst" | "pollLast"
            | "peekFirst" | "peekLast" | "firstElement" | "lastElement" | "elementAt" | "take"
            | "lower" | "higher" | "floor" | "ceiling" => argument(0),
            "subList" | "headSet" | "tailSet" | "subSet" | "descendingSet" => same(),
            "stream" | "parallelStream" => holding("Stream"),
            "size" | "indexOf" | "lastIndexOf" => named("int"),
            "isEmpty" | "contains" | "containsAll" | "addAll" | "removeAll" | "retainAll" => {
                named("boolean")
            }
            _ => return None,
        },
        _ => match (of, name) {
            ("Entry", "getKey") => argument(0),
            ("Entry", "getValue" | "setValue") => argument(1),
            ("Optional", "get" | "orElse" | "orElseThrow" | "orElseGet") => argument(0),
            ("Optional", "filter" | "or") => same(),
            ("Optional" | "Stream", "isPresent" | "isEmpty" | "anyMatch" | "allMatch") => {
                named("boolean")
            }
            ("Stream", "filter" | "sorted" | "limit" | "skip" | "distinct" | "peek") => same(),
            ("Stream", "findFirst" | "findAny" | "min" | "max") => holding("Optional"),
            ("Stream", "toList") => holding("List"),
            ("Stream", "iterator") => holding("Iterator"),
            ("Class", "cast" | "newInstance") => argument(0),
            ("Class", "getName" | "getSimpleName" | "getCanonicalName") => named("String"),
            ("Constructor", "newInstance")
            | (
                "Supplier" | "AtomicReference" | "ThreadLocal" | "Future" | "WeakReference"
                | "SoftReference" | "Reference" | "CompletableFuture",
                "get",
            )
            | ("Callable", "call")
            | ("UnaryOperator" | "BinaryOperator", "apply")
            | ("CompletableFuture", "join")
            | ("Enumeration", "nextElement") => argument(0),
            ("Function", "apply") => argument(1),
            ("BiFunction", "apply") => argument(2),
            ("Predicate" | "BiPredicate", "test") => named("boolean"),
            ("Comparator", "compare") => named("int"),
            ("Calendar" | "GregorianCalendar" | "AtomicInteger", "get") => named("int"),
            ("AtomicLong", "get") => named("long"),
            ("AtomicBoolean", "get") => named("boolean"),
            ("Integer", "parseInt") => named("int"),
            ("Long", "parseLong") => named("long"),
            ("Double", "parseDouble") => named("double"),
            ("Integer" | "Long" | "Short" | "Byte" | "Double" | "Float" | "Boolean", "valueOf") => {
                same()
            }
            ("System", "currentTimeMillis" | "nanoTime") => named("long"),
            (_, "intValue") => named("int"),
            (_, "longValue") => named("long"),
            (_, "doubleValue") => named("double"),
            (_, "floatValue") => named("float"),
            (_, "booleanValue") => named("boolean"),
            ("String" | "str" | "StringBuilder" | "StringBuffer" | "CharSequence", _) => {
                return text(of, name);
            }
            _ => return None,
        },
    })
}

/// The same for string types.
fn text(of: &str, name: &str) -> Option<Ty> {
    let named = |name: &str| Ty::Named(name.into(), Ty::no_arguments());
    let array = |name: &str| Ty::Array(Rc::new(named(name)));
    Some(match name {
        "length" | "indexOf" | "lastIndexOf" | "codePointAt" | "compareToIgnoreCase" => {
            named("int")
        }
        "charAt" => named("char"),
        "toCharArray" => array("char"),
        "getBytes" => array("byte"),
        "split" => array("String"),
        "isEmpty" | "contains" | "startsWith" | "endsWith" | "equalsIgnoreCase" | "matches"
        | "isBlank" | "contentEquals" | "regionMatches" => named("boolean"),
        "append" | "insert" | "reverse" | "deleteCharAt" | "delete" => named(of),
        "substring" | "trim" | "strip" | "toLowerCase" | "toUpperCase" | "replace"
        | "replaceAll" | "replaceFirst" | "concat" | "intern" | "format" | "valueOf" | "join"
        | "repeat" | "copyValueOf" => named("String"),
        "subSequence" => named("CharSequence"),
        _ => return None,
    })
}
