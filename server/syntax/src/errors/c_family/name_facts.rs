//! What a file reveals about its names: which are its own macros, which are variables, and how its
//! macros are called.

use std::collections::{HashMap, HashSet};

use super::tokens::{Token, TokenKind};

/// Operators that follow values, not types.
const AFTER_VALUE: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "->", ".", "==", "!=", "<=",
    ">=", "++", "--", "+", "-", "/", "%", "||", "|", "?", "[", "<<", ">>", "^",
];
/// Further ones in C; in C++ they may belong to a type.
const AFTER_VALUE_IN_C: &[&str] = &["&&", "<", ">"];
/// Tokens before a value that ends an expression.
const BEFORE_VALUE: &[&str] =
    &["==", "!=", "+", "-", "/", "%", "return", "!", "<=", ">=", "+=", "-=", "||", "?"];
/// Keywords after which a word is no value.
const BEFORE_NON_VALUE: &[&str] = &[
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
/// Keywords between the parameters of a function and its body.
const TRAILING: &[&str] = &["const", "noexcept", "override", "final", "volatile"];

/// Functions and macros that take types as arguments.
const TAKES_TYPES: &[&str] = &[
    "va_arg",
    "offsetof",
    "container_of",
    "sizeof",
    "typeof",
    "alignof",
    "_Alignof",
    "G_STRUCT_OFFSET",
];

pub(super) struct NameFacts<'s> {
    /// Macros that the file defines.
    defined: HashSet<&'s str>,
    /// Labels that are the target of a `goto`.
    pub(super) labels: HashSet<&'s str>,
    /// Names that are certainly values, with the function body.
    values: HashSet<(usize, &'s str)>,
    /// For each token the function body that contains it, as the index of its brace.
    bodies: Vec<Option<usize>>,
    /// How often a name is called as a statement: with `;` after it, and without.
    calls: HashMap<&'s str, [usize; 2]>,
    /// Names of members that are accessed.
    members: HashSet<&'s str>,
    /// Names that are an argument of their own or the operand of an operator.
    listed: HashSet<&'s str>,
    /// Names that are passed as arguments, with the function body.
    passed: HashSet<(usize, &'s str)>,
    /// Names that are values in some function body.
    anywhere: HashSet<&'s str>,
    /// Names of one-line typedefs.
    typedefs: HashSet<&'s str>,
    /// How often a name precedes another name or a `*`, as types do.
    type_uses: HashMap<&'s str, usize>,
    /// How many empty arguments the calls of a name have.
    empty: HashMap<&'s str, usize>,
}

impl<'s> NameFacts<'s> {
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
            type_uses: HashMap::new(),
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
                let list = if two.1 == ")" { token.matching } else { token.inside };
                let callee = list.and_then(|open| open.checked_sub(1)).map_or("", text);
                *facts.empty.entry(callee).or_default() += 1;
            }
            if token.kind != TokenKind::Word {
                continue;
            }
            let (last, this, next) = (before(at, 1), text(at), text(at + 1));
            if last == "goto" {
                facts.labels.insert(this);
            }
            if next == "("
                && (matches!(last, ";" | "{" | "}") || last == ")" && token.indent.is_some())
                && let Some(close) = tokens[at + 1].matching
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
            let is_member = matches!(last, "." | "->" | "::") || BEFORE_NON_VALUE.contains(&last);
            let ends = matches!(next, ";" | ")" | ",");
            let is_typedef = (1..6).any(|back| before(at, back) == "typedef");
            // `int a;`, `b *c;`
            let declares = is_c
                && next == ";"
                && (last == "*"
                    || at > 0
                        && tokens[at - 1].kind == TokenKind::Word
                        && !matches!(last, "return" | "case" | "else" | "break")
                        && !matches!(before(at, 2), "int" | "char" | "float" | "double" | "bool")
                    || last == "," && text(token.inside.unwrap_or(at)) == "{");
            if is_listed && last != "return" && text(token.inside.unwrap_or(at)) == "(" {
                let callee = token.inside.map_or("", |open| before(open, 1));
                let is_alone = last == "(" && next == ")";
                if !is_alone
                    && !TAKES_TYPES.contains(&callee)
                    && let Some(body) = body
                {
                    facts.passed.insert((body, this));
                }
            }
            let is_value = AFTER_VALUE.contains(&next)
                || declares
                || is_c && AFTER_VALUE_IN_C.contains(&next)
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
            if tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Word) || next == "*" {
                *facts.type_uses.entry(this).or_default() += 1;
            }
        }
        facts.add_parameters(source, tokens, &bodies);
        facts.bodies = bodies;
        facts
    }

    /// Marks the parameters of functions as values in their bodies.
    fn add_parameters(&mut self, source: &'s str, tokens: &[Token], bodies: &[Option<usize>]) {
        /// Longest parameter list, in tokens.
        const MAX_PARAMETER_TOKENS: usize = 400;
        let text = |at: usize| tokens.get(at).map_or("", |token| &source[token.span.clone()]);
        for at in 1..tokens.len() {
            if text(at) != "{" || text(at - 1) != ")" {
                continue;
            }
            let is_body = bodies.get(at + 1).copied().flatten() == Some(at);
            let Some(open) = tokens[at - 1].matching.filter(|_| is_body) else { continue };
            for i in open + 2..at.min(open + MAX_PARAMETER_TOKENS) {
                let last = text(i - 1);
                let names = matches!(last, "int" | "char" | "float" | "double" | "bool")
                    || matches!(last, "*" | "&")
                    || tokens[i - 1].kind == TokenKind::Word
                        && !super::TYPES.contains(&last)
                        && !super::NEVER_REPEATED.contains(&last);
                let is_parameter = tokens[i].kind == TokenKind::Word
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

    /// The function body that contains a token, as far as visible.
    pub(super) fn body(&self, at: usize) -> Option<usize> {
        self.bodies.get(at).copied().flatten()
    }

    /// Whether a name is a value in the function that contains a token.
    pub(super) fn is_value(&self, at: usize, name: &str) -> bool {
        self.body(at).is_some_and(|body| self.values.contains(&(body, name)))
            && !self.is_defined(name)
    }

    /// Whether a member of this name is accessed.
    pub(super) fn is_member(&self, name: &str) -> bool {
        self.members.contains(name)
    }

    /// Whether a name is a complete value somewhere in the file.
    pub(super) fn is_listed(&self, name: &str) -> bool {
        self.listed.contains(name)
    }

    /// Whether calls of a name have several empty arguments: then it is a macro.
    pub(super) fn has_calls_with_empty_arguments(&self, name: &str) -> bool {
        self.empty.get(name).is_some_and(|places| *places > 1)
    }

    /// Whether a name is a value in some function and a type in none, judging by how often it
    /// precedes another name.
    pub(super) fn is_value_elsewhere(&self, name: &str) -> bool {
        self.anywhere.contains(name)
            && self.type_uses.get(name).is_none_or(|times| *times <= 1)
            && !self.typedefs.contains(name)
            && !self.is_defined(name)
    }

    /// Whether a parameter is used as a value in its function.
    pub(super) fn is_used(&self, body: usize, name: &str) -> bool {
        self.values.contains(&(body, name)) || self.passed.contains(&(body, name))
    }

    /// Whether several calls of a name have no `;`: then another one is no error.
    pub(super) fn is_often_called_without_semicolon(&self, name: &str) -> bool {
        self.calls.get(name).is_some_and(|[_, open]| *open > 1)
    }

    /// Whether all other calls of a name as a statement have a `;`, and there are enough of them.
    pub(super) fn is_always_called_with_semicolon(&self, name: &str) -> bool {
        /// Number of calls that establish a habit.
        const MIN_CALLS: usize = 3;
        self.calls.get(name).is_some_and(|[closed, open]| *closed >= MIN_CALLS && *open <= 1)
            && !self.is_defined(name)
    }
}

/// The names that `#define` lines define.
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
