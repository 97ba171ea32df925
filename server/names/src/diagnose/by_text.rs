//! Python: names that are read or written by text, by `globals()`, `locals()`, `exec` and the like.

use std::ops::Range;

use super::Subject;
use super::ground::{Ground, Kind};
use crate::facts::{Facts, Role};
use crate::vocabulary::ScopeKind;

/// What of a text's names may be read or written without being named.
#[derive(Debug, Default)]
pub(crate) struct ByText {
    /// A module's name may be read.
    pub(super) reads_module: bool,
    /// A module's name may come to be.
    writes_module: bool,
    /// The functions whose names may be read.
    reads: Vec<Range<u32>>,
    /// The functions in which a name may come to be.
    writes: Vec<Range<u32>>,
    /// Names that are written so, by a text in the code.
    named: Vec<String>,
}

impl ByText {
    /// O(occurrences of the few functions that do it).
    pub(crate) fn of(language: &str, ground: &Ground<'_>) -> Self {
        let mut by_text = Self::default();
        if language != "python" {
            return by_text;
        }
        let words = ["globals", "locals", "vars", "dir", "exec", "execfile", "eval", "modules"];
        for word in words.iter().chain(&["setattr", "__builtins__"]) {
            for &at in ground.places(word) {
                if ground.kind(at) == Kind::Code {
                    by_text.take(ground, word, at);
                }
            }
        }
        by_text
    }

    /// Takes up one occurrence of a word.
    fn take(&mut self, ground: &Ground<'_>, word: &str, at: u32) {
        let after = ground.source[at as usize + word.len()..].trim_start_matches([' ', '\t']);
        let before = ground.source[..at as usize].trim_end_matches([' ', '\t']);
        let member = ground.is_member(at);
        let defined = before.ends_with("def") || before.ends_with("class");
        let arguments = after.strip_prefix('(').and_then(|rest| Some(&rest[..closing(rest)?]));
        match word {
            "modules" => {
                let own =
                    after.strip_prefix('[').is_some_and(|r| r.trim_start().starts_with("__name__"));
                if member && own {
                    let call = before.trim_end_matches("sys.").trim_end();
                    self.writes_module |= !call.ends_with("getattr(") && !call.ends_with("dir(")
                        || call.ends_with("setattr(");
                    self.reads_module |= !call.ends_with("setattr(");
                }
            }
            "setattr" | "__builtins__" => {
                let target = arguments.unwrap_or(after).trim_start_matches(['.', '[', ' ']);
                let builtins = word == "__builtins__" && after.starts_with(['.', '['])
                    || target.starts_with("builtins")
                    || target.starts_with("__builtin");
                let line = ground.rest_of_line(at as usize);
                let assigns = word == "setattr" || line.contains('=') || line.contains("update");
                self.writes_module |= !member && builtins && assigns;
            }
            _ if member || defined => {}
            "exec" if !after.starts_with('(') => {
                // The statement of Python 2.
                if after.starts_with(|c: char| c.is_alphabetic() || matches!(c, '"' | '\'' | '_'))
                    && !ground.rest_of_line(at as usize).contains(" in ")
                {
                    self.local(ground, at, true);
                }
            }
            "globals" | "locals" | "vars" | "dir" => {
                if let Some(own) = arguments.filter(|a| a.trim().is_empty()) {
                    let rest = after[own.len() + 2..].trim_start_matches([' ', '\t']);
                    self.namespace(ground, word, at, before, rest);
                }
            }
            _ => {
                let Some(arguments) = arguments else { return };
                let rest = after[arguments.len() + 2..].trim_start_matches([' ', '\t']);
                if !has_several(arguments) && !rest.starts_with("in ") {
                    self.local(ground, at, word != "eval");
                }
            }
        }
    }

    /// What runs a text where it stands.
    fn local(&mut self, ground: &Ground<'_>, at: u32, writes: bool) {
        self.reads_module = true;
        match function_around(ground, at) {
            Some(function) => {
                self.reads.push(function.clone());
                if writes {
                    self.writes.push(function);
                }
            }
            None => self.writes_module |= writes,
        }
    }

    /// A namespace as a value: `globals()`, with what comes before and after it.
    fn namespace(&mut self, ground: &Ground<'_>, word: &str, at: u32, before: &str, rest: &str) {
        let function = if word == "globals" { None } else { function_around(ground, at) };
        if let Some(function) = function {
            // What is written there does not become a variable.
            self.reads.push(function);
            return;
        }
        if let Some(key) = rest.strip_prefix('[')
            && let Some(end) = closing(key)
        {
            let after = key[end + 1..].trim_start_matches([' ', '\t']);
            let assigns =
                after.starts_with('=') && !after.starts_with("==") || after.starts_with("|=");
            let key = key[..end].trim();
            let text = key.strip_prefix(['"', '\'']).and_then(|k| k.strip_suffix(['"', '\'']));
            match text.filter(|t| t.chars().all(|c| c.is_alphanumeric() || c == '_')) {
                Some(name) if assigns => self.named.push(name.to_owned()),
                Some(_) => {}
                None if assigns => self.writes_module = true,
                None => self.reads_module = true,
            }
            return;
        }
        let reading = ["get", "items", "keys", "values", "copy"];
        let called = rest.strip_prefix('.').map(|m| m.split('(').next().unwrap_or(m).trim());
        if called.is_some_and(|m| reading.contains(&m)) || word == "dir" {
            self.reads_module = true;
        } else if called.is_some_and(|m| matches!(m, "update" | "setdefault" | "__setitem__")) {
            self.writes_module = true;
        } else if !ends_with_word(before, "in") {
            self.reads_module = true;
            self.writes_module = true;
        }
    }

    /// Whether a name that nothing is seen to define may come to be all the same.
    pub(super) fn may_write(&self, name: &str, at: u32) -> bool {
        self.writes_module
            || self.named.iter().any(|n| n == name)
            || self.writes.iter().any(|function| function.contains(&at))
    }

    /// Whether what a function around a place defines may be read.
    pub(super) fn may_read_local(&self, at: u32) -> bool {
        self.reads.iter().any(|function| function.contains(&at))
    }
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Where the bracket closes that opened right before a text, on the way past brackets and strings.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_u32, None);
    for (at, c) in text.char_indices().take(4_000) {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth == 0 => return Some(at),
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether arguments are more than one.
fn has_several(arguments: &str) -> bool {
    let (mut depth, mut quote) = (0_i32, None);
    let trimmed = arguments.trim_end().trim_end_matches(',');
    trimmed.chars().any(|c| {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => return true,
            _ => {}
        }
        false
    })
}

fn function_around(ground: &Ground<'_>, at: u32) -> Option<Range<u32>> {
    let mut around = ground.around(at, at + 1);
    let function = around.find(|n| matches!(n.kind(), "function_definition" | "lambda"))?;
    Some(function.start_byte() as u32..function.end_byte() as u32)
}

/// Whether a module may have names that its text does not define, so that an import of one that is
/// not seen may lead somewhere.
pub(super) fn has_unseen_names(facts: &Facts) -> bool {
    let words = [
        "globals",
        "exec",
        "execfile",
        "locals",
        "vars",
        "modules",
        "__getattr__",
        "__path__",
        "__dict__",
    ];
    if !words.iter().any(|w| facts.strings.find(w).is_some()) {
        return false;
    }
    let name = |number: u32| facts.strings.text(number);
    let in_module = |scope: u32| {
        let mut at = facts.scopes.get(scope as usize);
        while let Some(scope) = at {
            if matches!(scope.kind, ScopeKind::Function | ScopeKind::Lambda) {
                return false;
            }
            at = facts.scopes.get(scope.parent as usize);
        }
        true
    };
    let used = facts.references.iter().any(|r| match (r.role, name(r.name)) {
        (Role::Plain, "globals" | "exec" | "execfile" | "__path__") => true,
        (Role::Plain, "locals" | "vars") => in_module(r.scope),
        (Role::Member, "__dict__") => in_module(r.scope),
        (Role::Member, "modules") => {
            let of = r.receiver.as_reference().and_then(|of| facts.references.get(of as usize));
            of.is_some_and(|of| name(of.name) == "sys")
        }
        _ => false,
    });
    let named = |w: &str| {
        let number = facts.strings.find(w);
        number.is_some_and(|n| !facts.in_scope(0, n).is_empty())
    };
    used || named("__getattr__") || named("__path__")
}

/// Whether a function of a Python file reads its variables by text.
pub(super) fn reads_locals(subject: &Subject<'_>, function: &Range<u32>) -> bool {
    let inside = |r: &Range<u32>| r.start < function.end && function.start < r.end;
    subject.by_text.reads.iter().any(inside)
}
