//! What the standard library's functions return and pass to lambdas, as far as names depend on it.

use std::rc::Rc;

use crate::expression::{Expression, Value};
use crate::facts::ReferenceRole;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{Resolver, Ty};

/// Functions that return an element of a collection.
const ELEMENT: &str = "\
    first last single get getOrNull firstOrNull lastOrNull singleOrNull find findLast elementAt \
    elementAtOrNull random randomOrNull removeAt removeFirst removeLast removeFirstOrNull \
    removeLastOrNull maxByOrNull minByOrNull maxBy minBy maxOrNull minOrNull max min poll peek pop \
    next element getOrElse elementAtOrElse reduce maxWithOrNull minWithOrNull getFirst getLast \
    await join value";

/// Functions that return a collection of the same elements.
const SAME: &str = "\
    filter filterNot filterNotNull filterIndexed sorted sortedBy sortedByDescending sortedWith \
    sortedDescending reversed take drop takeLast dropLast takeWhile dropWhile takeLastWhile \
    dropLastWhile distinct distinctBy toList toMutableList toSet toMutableSet asSequence \
    asReversed shuffled onEach onEachIndexed plus minus subList orEmpty iterator requireNoNulls \
    asIterable toTypedArray toHashSet toSortedSet union intersect subtract ifEmpty copyOf \
    copyOfRange toCollection toArray listIterator asFlow";

/// Functions that pass their receiver to a lambda.
const SCOPE: &str = "let also takeIf takeUnless use";

/// Functions without a receiver for their lambda, beside those that take elements.
const PLAIN: &str = "\
    let also takeIf takeUnless use lazy repeat synchronized runCatching thread remember \
    getOrPut getOrElse onSuccess onFailure recover fold getOrDefault measureTimeMillis require \
    check requireNotNull checkNotNull error assert setOnClickListener post postDelayed \
    runOnUiThread forEach forEachIndexed map mapNotNull mapIndexed mapIndexedNotNull flatMap \
    flatten associate associateBy associateWith groupBy partition filter filterNot filterIndexed \
    filterKeys filterValues filterIsInstance mapKeys mapValues any all none count sumOf sumBy sum \
    find findLast first last firstOrNull lastOrNull single singleOrNull indexOfFirst indexOfLast \
    sortedBy sortedByDescending sortBy sortByDescending sortWith sortedWith maxByOrNull minByOrNull \
    maxBy minBy maxOf minOf maxOfOrNull minOfOrNull joinToString joinTo reduce foldIndexed foldRight \
    takeWhile dropWhile takeLastWhile dropLastWhile onEach distinctBy zip windowed chunked removeAll \
    removeIf retainAll replaceAll computeIfAbsent computeIfPresent compute merge collect \
    collectLatest mapLatest trimStart trimEnd trim ifEmpty ifBlank";

fn is_one(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == name)
}

/// Whether a lambda that is passed to a library function keeps the `this` around it.
pub(super) fn passes_no_receiver(name: &str) -> bool {
    is_one(PLAIN, name)
}

fn list_of(element: Ty) -> Ty {
    Ty::Named("List".into(), Rc::new([element.instance()]))
}

fn is_map(name: &str) -> bool {
    name.ends_with("Map")
}

/// The element type of a library's collection.
pub(super) fn element(of: &Ty) -> Option<Ty> {
    match of {
        Ty::Named(name, held) if is_map(name) && held.len() == 2 => {
            Some(Ty::Named("Entry".into(), held.clone()))
        }
        Ty::Named(name, held) if held.len() == 1 && &**name != "this" => Some(held[0].clone()),
        Ty::Array(element) => Some((**element).clone()),
        _ => None,
    }
}

fn returns(ty: Ty) -> Ty {
    Ty::Signature(Rc::new(ty), Ty::no_arguments())
}

/// The type of a member of a library's type: a property, or a function by what it returns.
pub(super) fn member(of: &Ty, name: &str) -> Option<Ty> {
    match of {
        Ty::Named(of, held) if is_map(of) && held.len() == 2 => Some(match name {
            "keys" => list_of(held[0].clone()),
            "values" => list_of(held[1].clone()),
            "entries" => list_of(Ty::Named("Entry".into(), held.clone())),
            "get" | "getValue" | "getOrPut" | "getOrDefault" | "getOrElse" | "remove" | "put" => {
                returns(held[1].clone())
            }
            "filter" | "filterKeys" | "filterValues" | "filterNot" | "toMap" | "toMutableMap"
            | "orEmpty" | "plus" | "minus" | "onEach" => {
                returns(Ty::Named(of.clone(), held.clone()))
            }
            _ => return None,
        }),
        Ty::Named(of, held) if matches!(&**of, "Entry" | "Pair") && held.len() == 2 => {
            Some(match name {
                "key" | "first" => held[0].clone(),
                "value" | "second" => held[1].clone(),
                "component1" => returns(held[0].clone()),
                "component2" => returns(held[1].clone()),
                _ => return None,
            })
        }
        Ty::Named(of, held) if held.len() == 1 => Some(match name {
            "value" if !matches!(&**of, "List" | "Set" | "Array") => held[0].clone(),
            name if is_one(ELEMENT, name) => returns(held[0].clone()),
            name if is_one(SAME, name) => returns(list_of(held[0].clone())),
            "withIndex" => returns(list_of(Ty::Named("IndexedValue".into(), held.clone()))),
            _ => return None,
        }),
        _ => None,
    }
}

/// The result of a lambda.
fn result_of(resolver: &Resolver<'_>, ty: &Ty) -> Ty {
    match ty {
        Ty::Lambda(file, scope) => resolver.scope_return_type(*file, *scope).instance(),
        Ty::Function(id) => resolver.return_type(*id).instance(),
        // A constructor that is passed on.
        Ty::Type(..) => ty.instance(),
        _ => Ty::Unknown,
    }
}

/// The type of a call of a function that no file defines.
pub(super) fn call(resolver: &Resolver<'_>, file: FileId, callee: Value, list: u32) -> Option<Ty> {
    let facts = resolver.facts(file);
    let (base, arguments) =
        match callee.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
            Some(Expression::Generic(base, arguments)) => (*base, Some(*arguments)),
            _ => (callee, None),
        };
    let r = base.as_reference()?;
    let reference = &facts.references[r as usize];
    let name = facts.strings.text(reference.name);
    let own = resolver.definitions_of_reference(file, r);
    if own.iter().any(|f| f.origin != Origin::External) {
        return None;
    }
    let given = facts.list(list);
    let argument = |n: usize| given.get(n).map(|&v| resolver.type_of_value(file, v));
    let last = || {
        given.last().map_or(Ty::Unknown, |&v| result_of(resolver, &resolver.type_of_value(file, v)))
    };
    let typed = |n: usize| {
        let list = facts.list(arguments?);
        list.get(n).map(|&v| resolver.type_of_value(file, v).instance())
    };
    if reference.role == ReferenceRole::Plain {
        return Some(match name {
            "listOf" | "mutableListOf" | "arrayListOf" | "setOf" | "mutableSetOf" | "arrayOf"
            | "listOfNotNull" | "sequenceOf" | "hashSetOf" | "linkedSetOf" | "emptyList"
            | "emptySet" | "flowOf" | "arrayOfNulls" | "emptyArray" | "emptySequence" => {
                let first = typed(0).or_else(|| argument(0)).unwrap_or(Ty::Unknown);
                list_of(first)
            }
            "List" | "MutableList" | "Array" | "buildList" if !given.is_empty() => {
                list_of(typed(0).unwrap_or_else(last))
            }
            "mutableMapOf" | "mapOf" | "hashMapOf" | "linkedMapOf" | "emptyMap" => {
                Ty::Named("Map".into(), Rc::new([typed(0)?, typed(1)?]))
            }
            "lazy" => Ty::Named("Lazy".into(), Rc::new([last()])),
            "remember" | "rememberSaveable" | "run" | "runBlocking" | "synchronized"
            | "withContext" | "coroutineScope" | "async" | "runCatching" | "with" => last(),
            "mutableStateOf"
            | "MutableStateFlow"
            | "MutableLiveData"
            | "atomic"
            | "WeakReference"
            | "SoftReference"
            | "AtomicReference"
            | "CompletableDeferred" => {
                let held = typed(0).or_else(|| argument(0))?;
                Ty::Named(name.into(), Rc::new([held.instance()]))
            }
            "requireNotNull" | "checkNotNull" => argument(0)?.instance(),
            "Pair" => Ty::Named(
                "Pair".into(),
                Rc::new([argument(0)?.instance(), argument(1)?.instance()]),
            ),
            _ => {
                // A constructor of a type with arguments.
                let held: Option<Rc<[Ty]>> = arguments.map(|list| {
                    let all = facts.list(list).iter();
                    all.map(|&v| resolver.type_of_value(file, v).instance()).collect()
                });
                if !name.starts_with(char::is_uppercase) {
                    return None;
                }
                Ty::Named(name.into(), held.unwrap_or_else(Ty::no_arguments))
            }
        });
    }
    let receiver = resolver.type_of_value(file, reference.receiver).instance();
    let known = !matches!(receiver, Ty::Unknown | Ty::External);
    Some(match name {
        "let" | "run" | "use" => last(),
        "also" | "apply" | "takeIf" | "takeUnless" if known => receiver,
        "copy" if matches!(receiver, Ty::Instance(..)) => receiver,
        "map" | "mapNotNull" | "mapIndexed" | "mapIndexedNotNull" => list_of(last()),
        "flatMap" => list_of(element(&last())?),
        "filterIsInstance" => list_of(typed(0)?),
        "flatten" => list_of(element(&element(&receiver)?)?),
        "mapValues" => match &receiver {
            Ty::Named(_, held) if held.len() == 2 => {
                Ty::Named("Map".into(), Rc::new([held[0].clone(), last()]))
            }
            _ => return None,
        },
        "associateBy" => Ty::Named("Map".into(), Rc::new([last(), element(&receiver)?])),
        "associateWith" => Ty::Named("Map".into(), Rc::new([element(&receiver)?, last()])),
        "groupBy" => {
            let all = list_of(element(&receiver)?);
            Ty::Named("Map".into(), Rc::new([last(), all]))
        }
        "partition" => {
            let all = list_of(element(&receiver)?);
            Ty::Named("Pair".into(), Rc::new([all.clone(), all]))
        }
        "to" => Ty::Named("Pair".into(), Rc::new([receiver, argument(0)?.instance()])),
        "getOrElse" | "getOrPut" | "getOrDefault" | "orElse" if !known => last(),
        _ => {
            let of = super::extensions::supertypes_of(resolver, &receiver);
            match of.iter().find_map(|of| member(of, name))? {
                Ty::Signature(returned, _) => (*returned).clone(),
                _ => return None,
            }
        }
    })
}

/// The type of the n-th of `count` parameters of a lambda that is passed to a library function.
pub(super) fn lambda_parameter(
    resolver: &Resolver<'_>,
    receiver: &Ty,
    name: &str,
    n: u32,
    count: u32,
) -> Ty {
    if is_one(SCOPE, name) {
        return if n == 0 { receiver.clone() } else { Ty::Unknown };
    }
    let of = super::extensions::supertypes_of(resolver, receiver);
    for of in &of {
        let Ty::Named(kind, held) = of else { continue };
        let position = match name {
            "forEachIndexed" | "mapIndexed" | "filterIndexed" | "onEachIndexed"
            | "mapIndexedNotNull" | "fold" | "associateIndexed" => 1,
            "reduce" | "sortWith" | "sortedWith" => n,
            "foldIndexed" | "reduceIndexed" => 2,
            _ => 0,
        };
        if is_map(kind) && held.len() == 2 {
            return match (name, count) {
                ("filterKeys", _) => held[0].clone(),
                ("filterValues", _) => held[1].clone(),
                ("getOrPut" | "computeIfAbsent", _) => held[0].clone(),
                (_, 2) => held[n.min(1) as usize].clone(),
                _ => Ty::Named("Entry".into(), held.clone()),
            };
        }
        if held.len() == 1
            && n == position
            && (is_one(PLAIN, name) || is_one(ELEMENT, name) || is_one(SAME, name))
        {
            return held[0].clone();
        }
    }
    Ty::Unknown
}
