//! What a file shows of its own names: which are macros of its own, which are variables where they
//! stand, and how its macros are called.

use std::collections::{HashMap, HashSet};

use super::tokens::{Kind, Token};

/// Signs that follow on a value and on no type.
const AFTER_VALUE: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "->", ".", "==", "!=", "<=",
    ">=", "++", "--", "+", "-", "/", "%", "||", "|", "?", "[", "<<", ">>", "^",
];
/// Of these, those that C has: in C++ they may belong to a type.
const AFTER_VALUE_OF_C: &[&str] = &["&&", "<", ">"];
/// Tokens before a value that ends an expression.
const BEFORE_VALUE: &[&str] =
    &["==", "!=", "+", "-", "/", "%", "return", "!", "<=", ">=", "+=", "-=", "||", "?"];
/// Words whose next word is no value.
const NAMING: &[&str] = &[
    "struct",
    "enum",
    "union",
    "class",
    "typename",
    "goto",
    "namespace",
    "using",
    "new",
    "concept",
];
/// Words between the parameters of a function and its body.
const TRAILING: &[&str] = &["const", "noexcept", "override", "final", "volatile"];

/// What is called with types.
const TAKE_TYPES: &[&str] = &[
    "va_arg",
    "offsetof",
    "container_of",
    "sizeof",
    "typeof",
    "alignof",
    "_Alignof",
    "G_STRUCT_OFFSET",
];

pub(super) struct Facts<'s> {
    /// Names that the file defines as macros.
    defined: HashSet<&'s str>,
    /// Labels that something goes to.
    pub(super) labels: HashSet<&'s str>,
    /// Names and the bodies in which they are surely values.
    values: HashSet<(usize, &'s str)>,
    /// The body of a function that each token stands in, by the index of its brace.
    bodies: Vec<Option<usize>>,
    /// How often a name is called as a statement: with a `;` behind it, and without.
    calls: HashMap<&'s str, [usize; 2]>,
    /// Names of members that something reads.
    members: HashSet<&'s str>,
    /// Names that stand alone in a list or behind an operator.
    listed: HashSet<&'s str>,
    /// Names that are arguments of calls, and the bodies in which they are.
    passed: HashSet<(usize, &'s str)>,
    /// Names that are values in some body.
    anywhere: HashSet<&'s str>,
    /// Names of types that the file declares in one line.
    typedefs: HashSet<&'s str>,
    /// How often a name stands before another, or before a `*`, as types do.
    heads: HashMap<&'s str, usize>,
    /// How many empty places the calls of a name have.
    empty: HashMap<&'s str, usize>,
}

impl<'s> Facts<'s> {
    pub(super) fn new(source: &'s str, tokens: &[Token], is_c: bool) -> Self {
        let text = |at: usize| tokens.get(at).map_or("", |token| &source[token.span.clone()]);
        let before = |at: usize, back: usize| at.checked_sub(back).map_or("", text);
        let mut bodies: Vec<Option<usize>> = Vec::with_capacity(tokens.len());
        let mut facts = Self {
            defined: defined(source),
            labels: HashSet::new(),
            values: HashSet::new(),
            bodies: Vec::new(),
            calls: HashMap::new(),
            members: HashSet::new(),
            listed: HashSet::new(),
            passed: HashSet::new(),
            anywhere: HashSet::new(),
            typedefs: HashSet::new(),
            heads: HashMap::new(),
            empty: HashMap::new(),
        };
        for (at, token) in tokens.iter().enumerate() {
            let body = token.inside.and_then(|open| {
                let is_body = |open: &usize| {
                    let head = before(*open, 1);
                    text(*open) == "{"
                        && (head == ")" || TRAILING.contains(&head) || is_c && head == ";")
                };
                bodies.get(open).copied().flatten().or(Some(open).filter(is_body))
            });
            bodies.push(body);
            let two = (before(at, 1), text(at));
            if matches!(two, ("," | "(", ",") | (",", ")")) {
                let list = if two.1 == ")" { token.half } else { token.inside };
                let callee = list.and_then(|open| open.checked_sub(1)).map_or("", text);
                *facts.empty.entry(callee).or_default() += 1;
            }
            if token.kind != Kind::Word {
                continue;
            }
            let (last, this, next) = (before(at, 1), text(at), text(at + 1));
            if last == "goto" {
                facts.labels.insert(this);
            }
            if next == "("
                && (matches!(last, ";" | "{" | "}") || last == ")" && token.indent.is_some())
                && let Some(close) = tokens[at + 1].half
            {
                let is_open = usize::from(text(close + 1) != ";");
                facts.calls.entry(this).or_default()[is_open] += 1;
            }
            if matches!(last, "." | "->") {
                facts.members.insert(this);
            }
            let is_listed = matches!(last, "," | "(" | "=" | "==" | "!=" | "|" | "return")
                && matches!(next, "," | ")" | ";" | "|");
            if is_listed {
                facts.listed.insert(this);
            }
            let is_member = matches!(last, "." | "->" | "::") || NAMING.contains(&last);
            let ends = matches!(next, ";" | ")" | ",");
            let is_typedef = (1..6).any(|back| before(at, back) == "typedef");
            // `int a;`, `b *c;`
            let declares = is_c
                && next == ";"
                && (last == "*"
                    || at > 0
                        && tokens[at - 1].kind == Kind::Word
                        && !matches!(last, "return" | "case" | "else" | "break")
                        && !matches!(before(at, 2), "int" | "char" | "float" | "double" | "bool")
                    || last == "," && text(token.inside.unwrap_or(at)) == "{");
            if is_listed && last != "return" && text(token.inside.unwrap_or(at)) == "(" {
                let callee = token.inside.map_or("", |open| before(open, 1));
                let is_alone = last == "(" && next == ")";
                if !is_alone
                    && !TAKE_TYPES.contains(&callee)
                    && let Some(body) = body
                {
                    facts.passed.insert((body, this));
                }
            }
            let is_value = AFTER_VALUE.contains(&next)
                || declares
                || is_c && AFTER_VALUE_OF_C.contains(&next)
                || BEFORE_VALUE.contains(&last) && ends
                || last == "=" && next == ";" && before(at, 3) != "using"
                || last == "&" && matches!(before(at, 2), "(" | "," | "=") && ends;
            if is_value
                && !is_member
                && !is_typedef
                && let Some(body) = body
            {
                facts.values.insert((body, this));
                facts.anywhere.insert(this);
            }
            if is_typedef && matches!(next, ";" | "[") {
                facts.typedefs.insert(this);
            }
            if tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Word) || next == "*" {
                *facts.heads.entry(this).or_default() += 1;
            }
        }
        facts.add_parameters(source, tokens, &bodies);
        facts.bodies = bodies;
        facts
    }

    /// The parameters of functions are values in their bodies.
    fn add_parameters(&mut self, source: &'s str, tokens: &[Token], bodies: &[Option<usize>]) {
        /// Most tokens of a list of parameters.
        const PARAMETERS: usize = 400;
        let text = |at: usize| tokens.get(at).map_or("", |token| &source[token.span.clone()]);
        for at in 1..tokens.len() {
            if text(at) != "{" || text(at - 1) != ")" {
                continue;
            }
            let is_body = bodies.get(at + 1).copied().flatten() == Some(at);
            let Some(open) = tokens[at - 1].half.filter(|_| is_body) else { continue };
            for i in open + 2..at.min(open + PARAMETERS) {
                let last = text(i - 1);
                let names = matches!(last, "int" | "char" | "float" | "double" | "bool")
                    || matches!(last, "*" | "&")
                    || tokens[i - 1].kind == Kind::Word
                        && !super::TYPES.contains(&last)
                        && !super::ONCE.contains(&last);
                let is_parameter = tokens[i].kind == Kind::Word
                    && tokens[i].inside == Some(open)
                    && matches!(text(i + 1), "," | ")");
                if names && is_parameter {
                    self.values.insert((at, text(i)));
                    self.anywhere.insert(text(i));
                }
            }
        }
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    /// Whether a token stands in the body of a function, as far as one can see.
    pub(super) fn body(&self, at: usize) -> Option<usize> {
        self.bodies.get(at).copied().flatten()
    }

    /// Whether a name is a value in the function that a token stands in.
    pub(super) fn is_value(&self, at: usize, name: &str) -> bool {
        self.body(at).is_some_and(|body| self.values.contains(&(body, name)))
            && !self.is_defined(name)
    }

    /// Whether something reads a member of this name.
    pub(super) fn is_member(&self, name: &str) -> bool {
        self.members.contains(name)
    }

    /// Whether a name is a whole value somewhere in the file.
    pub(super) fn is_listed(&self, name: &str) -> bool {
        self.listed.contains(name)
    }

    /// Whether more than one place in the calls of a name is empty: then it is a macro.
    pub(super) fn is_called_empty(&self, name: &str) -> bool {
        self.empty.get(name).is_some_and(|places| *places > 1)
    }

    /// Whether a name is a value in some function, and a type in none; it stands before another name
    /// once.
    pub(super) fn is_value_elsewhere(&self, name: &str) -> bool {
        self.anywhere.contains(name)
            && self.heads.get(name).is_none_or(|times| *times <= 1)
            && !self.typedefs.contains(name)
            && !self.is_defined(name)
    }

    /// Whether a parameter is used in the body of its function as values are.
    pub(super) fn is_used(&self, body: usize, name: &str) -> bool {
        self.values.contains(&(body, name)) || self.passed.contains(&(body, name))
    }

    /// Whether calls of a name stand without a `;` more than once: then one more is no mistake.
    pub(super) fn is_called_open(&self, name: &str) -> bool {
        self.calls.get(name).is_some_and(|[_, open]| *open > 1)
    }

    /// Whether every other call of a name as a statement has a `;`, and there are some.
    pub(super) fn is_called_closed(&self, name: &str) -> bool {
        /// Calls that make a habit.
        const SOME: usize = 3;
        self.calls.get(name).is_some_and(|[closed, open]| *closed >= SOME && *open <= 1)
            && !self.is_defined(name)
    }
}

/// The names that lines of the preprocessor define.
fn defined(source: &str) -> HashSet<&str> {
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let name = rest.trim_start();
        let length = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        Some((line.len() - name.len(), length))
    };
    source
        .lines()
        .filter_map(|line| name(line).map(|(start, length)| &line[start..start + length]))
        .collect()
}
