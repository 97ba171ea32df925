//! Result types of Rust's standard methods, from `queries/rust/library.txt`.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::resolve::Ty;

static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::read(include_str!("../../../../queries/rust/library.txt")));

static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let text = include_str!("../../../../queries/rust/library-names.txt");
    text.lines().filter(|l| !l.starts_with('#')).flat_map(str::split_whitespace).collect()
});

/// Types with the methods of another type.
const METHOD_ALIASES: &[(&str, &str)] = &[
    ("HashMap", "Map"),
    ("BTreeMap", "Map"),
    ("FxHashMap", "Map"),
    ("AHashMap", "Map"),
    ("IndexMap", "Map"),
    ("FxIndexMap", "Map"),
    ("OnceLock", "OnceCell"),
    ("OccupiedEntry", "Entry"),
    ("String", "str"),
    ("FxHashSet", "[]"),
    ("AHashSet", "[]"),
    ("IndexSet", "[]"),
    ("SmallVec", "[]"),
    ("BinaryHeap", "[]"),
    ("Peekable", "[]"),
    ("IntoIter", "[]"),
    ("Iter", "[]"),
    ("IterMut", "[]"),
    ("DoubleEndedIterator", "[]"),
    ("ExactSizeIterator", "[]"),
    ("FusedIterator", "[]"),
];

/// A type as the table writes it.
#[derive(Debug, Clone, PartialEq)]
enum TypeTemplate {
    Unknown,
    Receiver,
    /// The n-th type argument of the receiver.
    Own(usize),
    Returned,
    Argument,
    Element(Box<TypeTemplate>),
    Array(Box<TypeTemplate>),
    Tuple(Vec<TypeTemplate>),
    Named(&'static str, Vec<TypeTemplate>),
}

/// A method: the parameter types of its closure, and its result type.
#[derive(Debug)]
pub(crate) struct Method {
    closure: Vec<TypeTemplate>,
    gives: TypeTemplate,
}

#[derive(Debug, Default)]
struct Table {
    methods: FxHashMap<(&'static str, &'static str), Method>,
}

/// The types of a call's arguments, as far as results depend on them.
pub(crate) struct CallInputs {
    /// The return type of the closure argument.
    pub(crate) returned: Ty,
    /// The type of the first argument.
    pub(crate) first: Ty,
}

/// Whether the standard library has methods of a name.
pub(crate) fn has_method(name: &str) -> bool {
    NAMES.contains(name)
}

/// A method of a standard type. The type `[]` has the element type as its argument.
pub(crate) fn method(of: &str, name: &str) -> Option<&'static Method> {
    let of = METHOD_ALIASES.iter().find(|l| l.0 == of).map_or(of, |l| l.1);
    let (of, _) = TABLE.methods.get_key_value(&(find(of)?, find(name)?))?;
    TABLE.methods.get(of)
}

/// The table's own copy of a word.
fn find(word: &str) -> Option<&'static str> {
    static WORDS: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| TABLE.methods.keys().flat_map(|k| [k.0, k.1]).collect());
    WORDS.get(word).copied()
}

impl Method {
    /// The type of a closure's n-th parameter.
    pub(crate) fn parameter(&self, n: usize, receiver: &Ty, own: &[Ty], first: Ty) -> Ty {
        let given = CallInputs { returned: Ty::Unknown, first };
        self.closure.get(n).map_or(Ty::Unknown, |t| t.ty(receiver, own, &given))
    }

    /// The result type of a call.
    pub(crate) fn gives(&self, receiver: &Ty, own: &[Ty], given: &CallInputs) -> Ty {
        self.gives.ty(receiver, own, given)
    }

    /// Whether the result depends on the arguments.
    pub(crate) fn depends_on_arguments(&self) -> bool {
        self.gives.depends_on_arguments()
            || self.closure.iter().any(TypeTemplate::depends_on_arguments)
    }
}

impl TypeTemplate {
    fn depends_on_arguments(&self) -> bool {
        match self {
            Self::Returned | Self::Argument => true,
            Self::Element(t) | Self::Array(t) => t.depends_on_arguments(),
            Self::Tuple(all) | Self::Named(_, all) => all.iter().any(Self::depends_on_arguments),
            Self::Unknown | Self::Receiver | Self::Own(_) => false,
        }
    }

    fn ty(&self, receiver: &Ty, own: &[Ty], given: &CallInputs) -> Ty {
        let all = |terms: &[Self]| terms.iter().map(|t| t.ty(receiver, own, given)).collect();
        match self {
            Self::Unknown => Ty::External,
            Self::Receiver => receiver.clone(),
            Self::Own(n) => own.get(*n).cloned().unwrap_or(Ty::Unknown),
            Self::Returned => given.returned.instance(),
            Self::Argument => given.first.clone(),
            Self::Element(t) => element(&t.ty(receiver, own, given)),
            Self::Array(t) => Ty::Array(Rc::new(t.ty(receiver, own, given))),
            Self::Tuple(terms) => Ty::Tuple(all(terms)),
            Self::Named(name, terms) => Ty::Named((*name).into(), all(terms)),
        }
    }
}

/// The type that iterating over an external type yields.
fn element(ty: &Ty) -> Ty {
    match ty {
        Ty::Array(element) => (**element).clone(),
        Ty::Named(name, arguments) => super::element(name, arguments),
        Ty::Unknown => Ty::Unknown,
        _ => Ty::External,
    }
}

impl Table {
    /// Parses a table.
    fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        let (mut of, mut own) = ("", Vec::new());
        for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let Some((names, gives)) = line.split_once(" = ") else {
                // A type header: `Option<T>`, `[T]`, `str`.
                let end = line.find(['<', '[']).unwrap_or(line.len());
                of = if line.starts_with('[') { "[]" } else { &line[..end] };
                own = line[end..].split(['<', '>', '[', ']', ',', ' ']).collect();
                own.retain(|p: &&str| !p.is_empty());
                continue;
            };
            let gives = TemplateParser { rest: gives, own: &own }.term();
            for (name, closure) in names_of(names) {
                let mut reader = TemplateParser { rest: closure, own: &own };
                let closure = reader.list(")");
                table.methods.insert((of, name), Method { closure, gives: gives.clone() });
            }
        }
        table
    }
}

/// Splits `map(T) unwrap fold(A, T)` into names and their parenthesised parts.
fn names_of(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        let end = rest.find([' ', '(']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let mut closure = "";
        rest = after;
        if let Some(inside) = after.strip_prefix('(') {
            let end = inside.find(')').unwrap_or(inside.len());
            closure = &inside[..end];
            rest = inside.get(end + 1..).unwrap_or("");
        }
        rest = rest.trim_start();
        (!name.is_empty()).then_some((name, closure))
    })
}

struct TemplateParser<'o> {
    rest: &'static str,
    own: &'o [&'static str],
}

impl TemplateParser<'_> {
    fn list(&mut self, close: &str) -> Vec<TypeTemplate> {
        let mut all = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',']);
            if self.rest.is_empty() || self.eat(close) {
                return all;
            }
            all.push(self.term());
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        let after = self.rest.strip_prefix(word);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn term(&mut self) -> TypeTemplate {
        let mut term = if self.eat("(") {
            TypeTemplate::Tuple(self.list(")"))
        } else if self.eat("[") {
            TypeTemplate::Array(Box::new(self.list("]").pop().unwrap_or(TypeTemplate::Unknown)))
        } else {
            self.word()
        };
        if self.eat("*") {
            term = TypeTemplate::Element(Box::new(term));
        }
        term
    }

    fn word(&mut self) -> TypeTemplate {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        // Unknown characters are skipped.
        self.rest = if word.is_empty() { rest.get(1..).unwrap_or("") } else { rest };
        if let Some(n) = self.own.iter().position(|o| *o == word) {
            return TypeTemplate::Own(n);
        }
        match word {
            "R" => TypeTemplate::Returned,
            "A" => TypeTemplate::Argument,
            "Self" => TypeTemplate::Receiver,
            "_" | "" => TypeTemplate::Unknown,
            name if self.eat("<") => TypeTemplate::Named(name, self.list(">")),
            name => TypeTemplate::Named(name, Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gives(of: &str, name: &str) -> String {
        format!("{:?}", method(of, name).expect("a method").gives)
    }

    #[test]
    fn parses_the_method_table() {
        assert_eq!(gives("Option", "map"), r#"Named("Option", [Returned])"#);
        assert_eq!(gives("[]", "enumerate"), r#"Array(Tuple([Named("usize", []), Own(0)]))"#);
        assert_eq!(gives("BTreeMap", "values"), "Array(Own(1))");
        assert_eq!(gives("[]", "flat_map"), "Array(Element(Returned))");
        assert_eq!(gives("String", "len"), r#"Named("usize", [])"#);
        let fold = method("[]", "fold").expect("a method");
        assert_eq!(fold.closure, [TypeTemplate::Argument, TypeTemplate::Own(0)]);
        assert!(fold.depends_on_arguments());
        assert!(method("Option", "no_such").is_none());
    }

    #[test]
    fn knows_standard_method_names() {
        assert!(has_method("is_empty") && has_method("push") && !has_method("dijkstra"));
    }
}
