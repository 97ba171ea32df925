//! The types of variables that are declared without one, where they are sure and the line does not
//! show them: what a function is declared to return.

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use super::{Hint, HintKind};
use crate::expression::{Expression, Value};
use crate::facts::Def;
use crate::index::FileId;
use crate::resolve::{Callable, DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags};

/// How much before a function's name tells of it, in bytes.
const AROUND: usize = 300;
/// Longest type that is shown, in bytes.
const LONGEST: usize = 60;

/// A type as it is written, and where it is defined.
type Known = (String, Option<(FileId, Range<usize>)>);

impl Resolver<'_> {
    /// Variables in a part of a text that a call gives a value, and what is called.
    pub(super) fn giving(&self, file: FileId, span: &Range<usize>) -> Vec<(u32, DefId)> {
        let each = |d: u32| {
            self.refresh();
            Some((d, self.called_once(file, self.value_given(file, d)?)?.0))
        };
        self.variables(file, span).into_iter().filter_map(each).collect()
    }

    pub(super) fn type_hints(
        &self,
        file: FileId,
        syntax: &Syntax,
        span: &Range<usize>,
        text: &dyn Fn(FileId) -> Option<Text>,
        hints: &mut Vec<Hint>,
    ) {
        let facts = self.facts(file);
        let language = facts.language.id();
        for d in self.variables(file, span) {
            self.refresh();
            let def = &facts.definitions[d as usize];
            let Some(value) = untyped_value(syntax.text(), def, language) else { continue };
            if !is_given_by_call(syntax, def) {
                continue;
            }
            let found = self
                .value_given(file, d)
                .and_then(|callee| self.result_of(file, callee, &value, text));
            let Some((label, place)) = found.filter(|f| f.0.len() <= LONGEST) else { continue };
            let name = facts.strings.text(def.name);
            if repeats(&label, &value) || says(name, &label) {
                continue;
            }
            hints.push(Hint { at: def.name_end as usize, label, kind: HintKind::Type, place });
        }
    }

    fn variables(&self, file: FileId, span: &Range<usize>) -> Vec<u32> {
        let facts = self.facts(file);
        let at = |d: &u32| facts.definitions[*d as usize].name_start as usize;
        let first = facts.by_place.partition_point(|d| at(d) < span.start);
        let all = facts.by_place[first..].iter().copied().take_while(|d| at(d) < span.end);
        all.filter(|&d| {
            let def = &facts.definitions[d as usize];
            let variable = matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Constant);
            let again = facts.in_scope(def.scope, def.name).first() != Some(&d);
            variable && def.name_start < def.name_end && !def.flags.has(Flags::HIDDEN) && !again
        })
        .collect()
    }

    /// What is called for a variable's value.
    fn value_given(&self, file: FileId, d: u32) -> Option<Value> {
        let facts = self.facts(file);
        let mut value = facts.definitions[d as usize].value;
        for _ in 0..4 {
            let e = value.as_expression()?;
            match facts.expressions.get(e as usize)? {
                Expression::Same(inner) => value = *inner,
                Expression::Call(callee, _) | Expression::New(callee, _) => return Some(*callee),
                _ => return None,
            }
        }
        None
    }

    /// The one function or type that a callee is sure to mean.
    fn called_once(&self, file: FileId, callee: Value) -> Option<(DefId, bool)> {
        let found = self.value_targets(file, callee);
        let found = self.preferred(found);
        let [one] = found[..] else { return None };
        let def = self.def(one.id);
        let sure = one.origin.confidence() >= 0.9;
        let is_type = def.kind.is_type() && def.kind != DefinitionKind::TypeAlias;
        (sure && (def.kind.is_callable() || is_type)).then_some((one.id, is_type))
    }

    fn result_of(
        &self,
        file: FileId,
        callee: Value,
        value: &str,
        text: &dyn Fn(FileId) -> Option<Text>,
    ) -> Option<Known> {
        let (id, is_type) = self.called_once(file, callee)?;
        let language = self.language(file);
        let facts = self.facts(id.file);
        let place = |id: DefId| {
            let def = self.def(id);
            (id.file, def.name_start as usize..def.name_end as usize)
        };
        let plain = |id: DefId| {
            let name = self.facts(id.file).strings.text(self.def(id).name);
            self.type_parameters(id).is_empty().then(|| (name.to_owned(), Some(place(id))))
        };
        if is_type {
            return if matches!(language, "python" | "typescript" | "tsx" | "javascript") {
                plain(id)
            } else {
                None
            };
        }
        let source = text(id.file)?;
        let def = self.def(id);
        if language == "python" && is_wrapped(&source, def) {
            return None;
        }
        let ends = value.trim_end().ends_with([')', ';']) && !value.contains('\n');
        if language == "rust" && !ends || value.starts_with("await ") || value.starts_with('(') {
            return None;
        }
        let shown = self.shown(Callable::Function(id), "", true, &source)?;
        let written = shown.tail.trim_start_matches([' ', '-', '>', ':']).trim();
        let quoted = |c: char| matches!(c, '"' | '\'');
        let written = if language == "python" { &*written.replace(quoted, "") } else { written };
        // As rust-analyzer has it, without the way to it.
        let paths = ["crate::", "super::", "self::"];
        let is_near = |written: &&str| language == "rust" && written.contains("::");
        let short = Some(written).filter(is_near).map(|written| {
            paths.iter().fold(written.to_owned(), |short, path| short.replace(path, ""))
        });
        let written = short.as_deref().unwrap_or(written);
        if written == "Self" {
            return plain(self.container_type(id)?);
        }
        let names = |word: &str| {
            // Type parameters are filled in at each call.
            let letter = word.chars().next().is_some_and(char::is_uppercase)
                && word.chars().skip(1).all(|c| c.is_numeric());
            let number = facts.strings.find(word);
            let parameter = number.is_some_and(|n| {
                facts
                    .named(n)
                    .iter()
                    .any(|&d| facts.definitions[d as usize].kind == DefinitionKind::TypeParameter)
            });
            let is_made = |d: u32| {
                let def = &facts.definitions[d as usize];
                let is_value =
                    matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Constant);
                let span = def.start as usize..def.end as usize;
                is_value && source.slice(span).contains("TypeVar(")
            };
            let variable = language == "python"
                && (word.starts_with('_') && word.len() < 4
                    || number.is_some_and(|n| facts.named(n).iter().any(|&d| is_made(d))));
            letter || parameter || variable || matches!(word, "impl" | "Self" | "self" | "dyn")
        };
        let part = |c: char| !(c.is_alphanumeric() || c == '_');
        if written.is_empty() || written.contains('\'') || written.split(part).any(names) {
            return None;
        }
        let last = written.rsplit('.').next().unwrap_or(written);
        if matches!(last, "None" | "void" | "never" | "NoReturn" | "any" | "Any" | "!")
            || written.contains(" is ")
            || written.starts_with("asserts ")
        {
            return None;
        }
        if language == "go" && written.starts_with('(') {
            return None;
        }
        let ty = self.returned(id);
        let place = match ty {
            Ty::Instance(id, _) | Ty::Type(id, _) => Some(place(id)),
            _ => None,
        };
        Some((written.to_owned(), place))
    }
}

/// What stands behind a variable that is declared without a type.
fn untyped_value(own: &Text, def: &Def, language: &str) -> Option<String> {
    let line = own.line_of(def.name_end as usize);
    let end = own.line_span(line).end.max(def.name_end as usize);
    let behind = own.slice(def.name_end as usize..end);
    let start = own.line_start(line).max((def.name_start as usize).saturating_sub(AROUND));
    let before = own.slice(start..def.name_start as usize);
    let word = before.trim_end().rsplit(|c: char| c.is_whitespace() || c == '(').next()?;
    let behind = behind.trim_start();
    let value = match language {
        "go" => behind.strip_prefix(":=")?,
        "python" => {
            if !before.trim().is_empty() {
                return None;
            }
            behind.strip_prefix('=')?
        }
        "rust" if matches!(word, "let" | "mut") => behind.strip_prefix('=')?,
        "javascript" | "typescript" | "tsx" => {
            if !matches!(word, "const" | "let" | "var") {
                return None;
            }
            behind.strip_prefix('=')?.trim_start()
        }
        "java" if word == "var" => behind.strip_prefix('=')?,
        "cpp" if word == "auto" => behind.strip_prefix('=')?,
        _ => return None,
    };
    (!value.starts_with(['=', '>'])).then(|| value.trim().to_owned())
}

/// Whether a function does not give what it is declared to: it has to be awaited, or something is
/// put around it.
fn is_wrapped(source: &Text, def: &Def) -> bool {
    const HARMLESS: [&str; 4] = ["@staticmethod", "@classmethod", "@override", "@abstractmethod"];
    let line = source.line_of(def.name_start as usize);
    if source.line(line).trim_start().starts_with("async ") {
        return true;
    }
    let above = (0..line).rev().map(|n| source.line(n).trim().to_owned()).take(12);
    let above = above.take_while(|l| l.starts_with('@') || l.starts_with(')'));
    let wraps = |l: String| !HARMLESS.iter().any(|h| l.starts_with(h));
    above.into_iter().any(wraps)
}

/// Whether a value names its type: `Flask(…)`, `Box::new(…)`, `new Map()`.
fn repeats(ty: &str, value: &str) -> bool {
    let part = |c: char| !(c.is_alphanumeric() || c == '_');
    let name = ty.trim_start_matches(part).split(part).next().unwrap_or_default();
    !name.is_empty() && value.split(part).any(|word| word == name)
}

/// Whether a variable is called as its type is: `prepared_request: PreparedRequest`.
fn says(name: &str, ty: &str) -> bool {
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    let last = ty.rsplit(['.', ':']).next().unwrap_or(ty);
    plain(name) == plain(last)
}

/// Whether what stands behind a variable is a call and nothing else. What a call gives is not what
/// an operator makes of it: `count() / 2`, `&make()`, `start()..end()`.
fn is_given_by_call(syntax: &Syntax, def: &Def) -> bool {
    const CALLS: &[&str] = &[
        "call",
        "call_expression",
        "new_expression",
        "method_invocation",
        "object_creation_expression",
    ];
    let (start, end) = (def.name_start as usize, def.name_end as usize);
    let Some(name) = syntax.root().named_descendant_for_byte_range(start, end) else {
        return false;
    };
    // A pattern or a list stands between the two at most.
    let mut around = std::iter::successors(name.parent(), tree_sitter::Node::parent).take(3);
    let value = around.find_map(|node| {
        let value =
            node.child_by_field_name("right").or_else(|| node.child_by_field_name("value"))?;
        (value.start_byte() >= end).then_some(value)
    });
    let Some(mut value) = value else { return false };
    while matches!(value.kind(), "expression_list" | "parenthesized_expression")
        && value.named_child_count() == 1
        && let Some(inner) = value.named_child(0)
    {
        value = inner;
    }
    CALLS.contains(&value.kind())
}
