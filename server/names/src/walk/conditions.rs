//! Which branch of a preprocessor's condition is read: as a usual compiler on Linux would, with
//! nothing defined but what the file itself defines before.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::{As, Walk, span};
use crate::expression::Value;
use crate::rules::Rule;
use crate::vocabulary::Slot;

/// What compilers define, and its value.
const DEFINED: &[(&str, i64)] = &[
    ("__GNUC__", 4),
    ("__GNUC_MINOR__", 2),
    ("__clang__", 1),
    ("__linux__", 1),
    ("__linux", 1),
    ("linux", 1),
    ("__unix__", 1),
    ("__unix", 1),
    ("unix", 1),
    ("__ELF__", 1),
    ("__x86_64__", 1),
    ("__LP64__", 1),
    ("__STDC__", 1),
    ("__STDC_VERSION__", 201_112),
    ("__SIZEOF_POINTER__", 8),
    ("__CHAR_BIT__", 8),
    ("__amd64__", 1),
    ("__SSE2__", 1),
];

impl Walk<'_> {
    /// Walks one branch and what stands for it otherwise.
    pub(super) fn conditional(&mut self, rule: &Rule, node: Node<'_>) -> Value {
        let (outer, taken) = (self.inactive, std::mem::take(&mut self.taken));
        let holds = self.holds(node);
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        loop {
            let child = self.cursor.node();
            if child.is_named() {
                let field = self.cursor.field_id().map(std::num::NonZero::get);
                match rule.slot(field, child.kind_id()) {
                    Some(Slot::Alternative) => {
                        self.inactive = outer;
                        self.taken = taken || holds;
                    }
                    Some(_) => self.inactive = outer,
                    None => self.inactive = outer || taken || !holds,
                }
                self.visit(As::Value);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        self.inactive = outer;
        self.taken = false;
        Value::NONE
    }

    fn holds(&self, node: Node<'_>) -> bool {
        let directive = node.child(0).map_or("", |c| c.kind());
        let name = |field| {
            let (start, end) = node.child_by_field_name(field).map_or((0, 0), span);
            self.slice(start, end)
        };
        let field = if directive.ends_with("if") { "condition" } else { "name" };
        let field = if directive.contains("def") { "name" } else { field };
        self.macros.hold(directive.trim_start_matches('#'), name(field))
    }
}

/// The macros that a file has defined so far.
#[derive(Default)]
pub(super) struct Macros<'t> {
    pub(super) names: FxHashSet<&'t str>,
    pub(super) cplusplus: bool,
}

impl<'t> Macros<'t> {
    /// Whether a directive lets the text after it be read.
    fn hold(&self, directive: &str, condition: &str) -> bool {
        match directive {
            "ifdef" | "elifdef" => self.value_of(condition.trim()).is_some(),
            "ifndef" | "elifndef" => self.value_of(condition.trim()).is_none(),
            "if" | "elif" => {
                let mut condition = Condition { macros: self, rest: condition, depth: 0 };
                condition.either() != 0
            }
            _ => true,
        }
    }

    fn value_of(&self, name: &str) -> Option<i64> {
        if name == "__cplusplus" {
            return self.cplusplus.then_some(201_703);
        }
        if let Some(known) = DEFINED.iter().find(|d| d.0 == name) {
            return Some(known.1);
        }
        // Constants that every system of the kind has.
        let prefixes = ["O_", "SIG", "POLL", "DT_", "S_I", "AF_", "SO_", "F_"];
        let system = prefixes.iter().any(|p| name.starts_with(p))
            || name.len() > 3
                && name.starts_with('E')
                && name.bytes().all(|b| b.is_ascii_uppercase());
        (system || self.names.contains(name)).then_some(1)
    }

    /// The text without conditional directives and without the branches that are not read, byte
    /// for byte. O(n).
    pub(super) fn without_branches(&mut self, text: &'t str) -> String {
        let mut out = text.as_bytes().to_vec();
        // For each open condition: whether what is around it is read, whether a branch was.
        let mut open: Vec<(bool, bool)> = Vec::new();
        let (mut reading, mut at) = (true, 0);
        let alone = branches_alone(text);
        while at < text.len() {
            let mut end = at;
            loop {
                end = text[end..].find('\n').map_or(text.len(), |n| end + n + 1);
                let line = text[at..end].trim_end();
                if end == text.len() || !line.ends_with('\\') {
                    break;
                }
            }
            let line = text[at..end].trim();
            let mut blank = !reading;
            if let Some(directive) = line.strip_prefix('#') {
                let directive = directive.trim_start();
                let word = directive.find(|c: char| !c.is_alphabetic()).unwrap_or(directive.len());
                let (word, rest) = directive.split_at(word);
                let rest = rest.split("//").next().unwrap_or("");
                let rest = rest.split("/*").next().unwrap_or("").trim();
                match word {
                    "if" | "ifdef" | "ifndef" => {
                        // Code that a project's own switch turns on, with nothing in its place
                        // otherwise, is read: nobody would write it to be left out.
                        let holds =
                            self.hold(word, rest) || alone.contains(&at) && is_a_switch(word, rest);
                        open.push((reading, holds));
                        reading &= holds;
                        blank = true;
                    }
                    "elif" | "else" | "elifdef" | "elifndef" => {
                        if let Some((outer, taken)) = open.last_mut() {
                            let holds = word == "else" || self.hold(word, rest);
                            reading = *outer && !*taken && holds;
                            *taken |= holds;
                        }
                        blank = true;
                    }
                    "endif" => {
                        reading = open.pop().is_none_or(|(outer, _)| outer);
                        blank = true;
                    }
                    "define" if reading => {
                        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                        let from = at + (rest.as_ptr() as usize - text[at..].as_ptr() as usize);
                        let to = from + end.unwrap_or(rest.len());
                        self.names.insert(&text[from..to]);
                    }
                    _ => {}
                }
            }
            if blank {
                for byte in &mut out[at..end] {
                    if *byte != b'\n' && *byte != b'\r' {
                        *byte = b' ';
                    }
                }
            }
            at = end;
        }
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Where conditions start that have one branch only.
fn branches_alone(text: &str) -> FxHashSet<usize> {
    let (mut open, mut alone, mut at) = (Vec::new(), FxHashSet::default(), 0);
    for line in text.split_inclusive('\n') {
        if let Some(directive) = line.trim_start().strip_prefix('#') {
            let directive = directive.trim_start();
            if directive.starts_with("if") {
                open.push((at, true));
            } else if directive.starts_with("el") {
                if let Some(last) = open.last_mut() {
                    last.1 = false;
                }
            } else if directive.starts_with("endif")
                && let Some((start, true)) = open.pop()
            {
                alone.insert(start);
            }
        }
        at += line.len();
    }
    alone
}

/// Whether a condition asks for macros of the project alone. Those of compilers and systems start
/// with an underscore.
fn is_a_switch(word: &str, condition: &str) -> bool {
    let names = condition.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut names = names.filter(|n| n.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let mut names = names.by_ref().filter(|n| *n != "defined").peekable();
    matches!(word, "if" | "ifdef")
        && !condition.contains('!')
        && names.peek().is_some()
        && names.all(|n| !n.starts_with('_'))
}

/// Reads a condition; what it does not know is 0.
struct Condition<'w, 't> {
    macros: &'w Macros<'t>,
    rest: &'w str,
    depth: u32,
}

impl Condition<'_, '_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    fn either(&mut self) -> i64 {
        let mut value = self.both();
        while self.eat("||") {
            let right = self.both();
            value = i64::from(value != 0 || right != 0);
        }
        value
    }

    fn both(&mut self) -> i64 {
        let mut value = self.compared();
        while self.eat("&&") {
            let right = self.compared();
            value = i64::from(value != 0 && right != 0);
        }
        value
    }

    fn compared(&mut self) -> i64 {
        let left = self.sum();
        for (token, is) in [
            ("==", (|a, b| a == b) as fn(i64, i64) -> bool),
            ("!=", |a, b| a != b),
            (">=", |a, b| a >= b),
            ("<=", |a, b| a <= b),
            (">", |a, b| a > b),
            ("<", |a, b| a < b),
        ] {
            if self.eat(token) {
                let right = self.sum();
                return i64::from(is(left, right));
            }
        }
        left
    }

    fn sum(&mut self) -> i64 {
        let mut value = self.product();
        loop {
            if self.eat("+") {
                value = value.saturating_add(self.product());
            } else if self.eat("-") {
                value = value.saturating_sub(self.product());
            } else {
                return value;
            }
        }
    }

    fn product(&mut self) -> i64 {
        let mut value = self.unit();
        loop {
            if self.eat("*") {
                value = value.saturating_mul(self.unit());
            } else if self.eat("/") {
                value = value.checked_div(self.unit()).unwrap_or(0);
            } else {
                return value;
            }
        }
    }

    fn word(&mut self) -> &str {
        self.eat("");
        let end =
            self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn unit(&mut self) -> i64 {
        self.depth += 1;
        if self.depth > 200 {
            return 0;
        }
        if self.rest.trim_start().starts_with("!=") {
            return 0;
        }
        if self.eat("!") {
            return i64::from(self.unit() == 0);
        }
        if self.eat("(") {
            let value = self.either();
            self.eat(")");
            return value;
        }
        let walk = self.macros;
        let word = self.word().to_owned();
        if word == "defined" {
            let open = self.eat("(");
            let name = self.word().to_owned();
            if open {
                self.eat(")");
            }
            return i64::from(walk.value_of(&name).is_some());
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.trim_end_matches(['L', 'l', 'u', 'U']).parse().unwrap_or(1);
        }
        if word.is_empty() {
            self.rest = "";
        }
        if self.eat("(") {
            // A test of the compiler's: not known to hold.
            self.either();
            self.eat(")");
            return 0;
        }
        walk.value_of(&word).unwrap_or(0)
    }
}
