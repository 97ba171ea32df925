//! Python: names that are read or written dynamically, through `globals()`, `locals()`, `exec` and
//! the like.

use std::ops::Range;

use super::DiagnosticsContext;
use super::lexical_index::{LexicalIndex, LexicalKind};
use crate::facts::{Facts, ReferenceRole};
use crate::vocabulary::ScopeKind;

/// Names of a Python text that may be read or written dynamically.
#[derive(Debug, Default)]
pub(crate) struct DynamicNames {
    /// Whether module-level names may be read.
    pub(super) reads_module: bool,
    /// Whether module-level names may be created.
    writes_module: bool,
    /// The functions whose local names may be read.
    reads: Vec<Range<u32>>,
    /// The functions in which local names may be created.
    writes: Vec<Range<u32>>,
    /// Module-level names created with a literal key: `globals()["x"] = …`.
    created: Vec<String>,
}

impl DynamicNames {
    /// Finds the dynamic accesses of a text. O(occurrences of the functions that do them).
    pub(crate) fn find(language: &str, lex: &LexicalIndex<'_>) -> Self {
        let mut names = Self::default();
        if language != "python" {
            return names;
        }
        let words = ["globals", "locals", "vars", "dir", "exec", "execfile", "eval", "modules"];
        for word in words.iter().chain(&["setattr", "__builtins__"]) {
            for &at in lex.occurrences(word) {
                if lex.kind(at) == LexicalKind::Code {
                    names.record(lex, word, at);
                }
            }
        }
        names
    }

    /// Records one occurrence of such a function.
    fn record(&mut self, lex: &LexicalIndex<'_>, word: &str, at: u32) {
        let after = lex.source[at as usize + word.len()..].trim_start_matches([' ', '\t']);
        let before = lex.source[..at as usize].trim_end_matches([' ', '\t']);
        let member = lex.is_member(at);
        let defined = before.ends_with("def") || before.ends_with("class");
        let arguments =
            after.strip_prefix('(').and_then(|rest| Some(&rest[..closing_bracket(rest)?]));
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
                let line = lex.rest_of_line(at as usize);
                let assigns = word == "setattr" || line.contains('=') || line.contains("update");
                self.writes_module |= !member && builtins && assigns;
            }
            _ if member || defined => {}
            "exec" if !after.starts_with('(') => {
                // The `exec` statement of Python 2.
                if after.starts_with(|c: char| c.is_alphabetic() || matches!(c, '"' | '\'' | '_'))
                    && !lex.rest_of_line(at as usize).contains(" in ")
                {
                    self.record_exec(lex, at, true);
                }
            }
            "globals" | "locals" | "vars" | "dir" => {
                if let Some(own) = arguments.filter(|a| a.trim().is_empty()) {
                    let rest = after[own.len() + 2..].trim_start_matches([' ', '\t']);
                    self.record_namespace(lex, word, at, before, rest);
                }
            }
            _ => {
                let Some(arguments) = arguments else { return };
                let rest = after[arguments.len() + 2..].trim_start_matches([' ', '\t']);
                if !has_several(arguments) && !rest.starts_with("in ") {
                    self.record_exec(lex, at, word != "eval");
                }
            }
        }
    }

    /// Records code that runs a text in place.
    fn record_exec(&mut self, lex: &LexicalIndex<'_>, at: u32, writes: bool) {
        self.reads_module = true;
        match function_around(lex, at) {
            Some(function) => {
                self.reads.push(function.clone());
                if writes {
                    self.writes.push(function);
                }
            }
            None => self.writes_module |= writes,
        }
    }

    /// Records a namespace as a value: `globals()`, with the text before and after it.
    fn record_namespace(
        &mut self,
        lex: &LexicalIndex<'_>,
        word: &str,
        at: u32,
        before: &str,
        rest: &str,
    ) {
        let function = if word == "globals" { None } else { function_around(lex, at) };
        if let Some(function) = function {
            // Writing to a function's `locals()` creates no variable.
            self.reads.push(function);
            return;
        }
        if let Some(key) = rest.strip_prefix('[')
            && let Some(end) = closing_bracket(key)
        {
            let after = key[end + 1..].trim_start_matches([' ', '\t']);
            let assigns =
                after.starts_with('=') && !after.starts_with("==") || after.starts_with("|=");
            let key = key[..end].trim();
            let text = key.strip_prefix(['"', '\'']).and_then(|k| k.strip_suffix(['"', '\'']));
            match text.filter(|t| t.chars().all(|c| c.is_alphanumeric() || c == '_')) {
                Some(name) if assigns => self.created.push(name.to_owned()),
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

    /// Whether a name without a visible definition may be created dynamically.
    pub(super) fn may_write(&self, name: &str, at: u32) -> bool {
        self.writes_module
            || self.created.iter().any(|n| n == name)
            || self.writes.iter().any(|function| function.contains(&at))
    }

    /// Whether local names of the function around an offset may be read dynamically.
    pub(super) fn may_read_local(&self, at: u32) -> bool {
        self.reads.iter().any(|function| function.contains(&at))
    }
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The offset of the bracket that closes the one right before a text, skipping nested brackets and
/// strings.
fn closing_bracket(text: &str) -> Option<usize> {
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

/// Whether an argument list has several arguments.
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

fn function_around(lex: &LexicalIndex<'_>, at: u32) -> Option<Range<u32>> {
    let mut around = lex.ancestors(at, at + 1);
    let function = around.find(|n| matches!(n.kind(), "function_definition" | "lambda"))?;
    Some(function.start_byte() as u32..function.end_byte() as u32)
}

/// Whether functions of a module may create names in the modules of their callers, as decorators that assign to
/// `sys.modules[…]` do.
pub(super) fn defines_names_of_callers(facts: &Facts) -> bool {
    let has = |word: &str| facts.strings.find(word).is_some();
    has("f_globals") || has("setattr") && has("modules")
}

/// Whether a module may define names that its text does not show.
pub(super) fn may_define_more_names(facts: &Facts) -> bool {
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
        (ReferenceRole::Plain, "globals" | "exec" | "execfile" | "__path__") => true,
        (ReferenceRole::Plain, "locals" | "vars") => in_module(r.scope),
        (ReferenceRole::Member, "__dict__") => in_module(r.scope),
        (ReferenceRole::Member, "modules") => {
            let receiver = r
                .receiver
                .as_reference()
                .and_then(|receiver| facts.references.get(receiver as usize));
            receiver.is_some_and(|receiver| name(receiver.name) == "sys")
        }
        _ => false,
    });
    let defines = |w: &str| {
        let number = facts.strings.find(w);
        number.is_some_and(|n| !facts.definitions_in_scope(0, n).is_empty())
    };
    used || defines("__getattr__") || defines("__path__")
}

/// Whether a Python function reads its variables dynamically.
pub(super) fn reads_locals(ctx: &DiagnosticsContext<'_>, function: &Range<u32>) -> bool {
    let inside = |r: &Range<u32>| r.start < function.end && function.start < r.end;
    ctx.dynamic_names.reads.iter().any(inside)
}
