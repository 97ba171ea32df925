//! Types of variables that are declared without one. Only certain types that the line does not
//! show: the declared result of a function.

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use super::{Hint, HintKind};
use crate::expression::{Expression, Value};
use crate::facts::Def;
use crate::index::FileId;
use crate::resolve::{Callable, DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags};

/// Bytes before a variable's name that are read.
const CONTEXT_BYTES: usize = 300;
/// Limit for a type, in bytes.
const MAX_TYPE: usize = 60;

/// A type as written, and its definition.
type WrittenType = (String, Option<(FileId, Range<usize>)>);

impl Resolver<'_> {
    /// The variables in a range that are initialised by a call, with the callee.
    pub(super) fn called_initialisers(
        &self,
        file: FileId,
        span: &Range<usize>,
    ) -> Vec<(u32, DefId)> {
        let each = |d: u32| {
            self.reset_steps();
            Some((d, self.certain_target(file, self.called_value(file, d)?)?.0))
        };
        self.variables_in(file, span).into_iter().filter_map(each).collect()
    }

    /// Adds the type hints of a range.
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
        for d in self.variables_in(file, span) {
            self.reset_steps();
            let def = &facts.definitions[d as usize];
            let Some(value) = untyped_value(syntax.text(), def, language) else { continue };
            if !is_initialised_by_call(syntax, def) {
                continue;
            }
            let found = self
                .called_value(file, d)
                .and_then(|callee| self.called_result_type(file, callee, &value, text));
            let Some((label, place)) = found.filter(|f| f.0.len() <= MAX_TYPE) else { continue };
            let name = facts.strings.text(def.name);
            if names_type(&label, &value) || is_named_after_type(name, &label) {
                continue;
            }
            hints.push(Hint {
                offset: def.name_end as usize,
                label,
                kind: HintKind::Type,
                location: place,
            });
        }
    }

    fn variables_in(&self, file: FileId, span: &Range<usize>) -> Vec<u32> {
        let facts = self.facts(file);
        let at = |d: &u32| facts.definitions[*d as usize].name_start as usize;
        let first = facts.by_place.partition_point(|d| at(d) < span.start);
        let all = facts.by_place[first..].iter().copied().take_while(|d| at(d) < span.end);
        all.filter(|&d| {
            let def = &facts.definitions[d as usize];
            let variable = matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Constant);
            let again = facts.definitions_in_scope(def.scope, def.name).first() != Some(&d);
            variable && def.name_start < def.name_end && !def.flags.has(Flags::HIDDEN) && !again
        })
        .collect()
    }

    /// The callee of the call that initialises a variable.
    fn called_value(&self, file: FileId, d: u32) -> Option<Value> {
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

    /// The one function or type that a callee certainly refers to.
    fn certain_target(&self, file: FileId, callee: Value) -> Option<(DefId, bool)> {
        let found = self.value_targets(file, callee);
        let found = self.prefer_bodies(found);
        let [one] = found[..] else { return None };
        let def = self.def(one.id);
        let is_certain = one.origin.confidence() >= 0.9;
        let is_type = def.kind.is_type() && def.kind != DefinitionKind::TypeAlias;
        (is_certain && (def.kind.is_callable() || is_type)).then_some((one.id, is_type))
    }

    /// The declared result type of a callee, as it is written.
    fn called_result_type(
        &self,
        file: FileId,
        callee: Value,
        value: &str,
        text: &dyn Fn(FileId) -> Option<Text>,
    ) -> Option<WrittenType> {
        let (id, is_type) = self.certain_target(file, callee)?;
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
        let signature = self.render_signature(Callable::Function(id), "", true, &source)?;
        let written = signature.tail.trim_start_matches([' ', '-', '>', ':']).trim();
        let quoted = |c: char| matches!(c, '"' | '\'');
        let written = if language == "python" { &*written.replace(quoted, "") } else { written };
        // Omit the path, as rust-analyzer does.
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
            // Type parameters differ from call to call.
            let letter = word.chars().next().is_some_and(char::is_uppercase)
                && word.chars().skip(1).all(|c| c.is_numeric());
            let number = facts.strings.find(word);
            let parameter = number.is_some_and(|n| {
                facts
                    .definitions_named(n)
                    .iter()
                    .any(|&d| facts.definitions[d as usize].kind == DefinitionKind::TypeParameter)
            });
            let is_type_var = |d: u32| {
                let def = &facts.definitions[d as usize];
                let is_value =
                    matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Constant);
                let span = def.start as usize..def.end as usize;
                is_value && source.slice(span).contains("TypeVar(")
            };
            let variable = language == "python"
                && (word.starts_with('_') && word.len() < 4
                    || number.is_some_and(|n| {
                        facts.definitions_named(n).iter().any(|&d| is_type_var(d))
                    }));
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
        let ty = self.return_type(id);
        let place = match ty {
            Ty::Instance(id, _) | Ty::Type(id, _) => Some(place(id)),
            _ => None,
        };
        Some((written.to_owned(), place))
    }
}

/// The initialiser of a variable that is declared without a type.
fn untyped_value(text: &Text, def: &Def, language: &str) -> Option<String> {
    let line = text.line_of(def.name_end as usize);
    let end = text.line_span(line).end.max(def.name_end as usize);
    let after = text.slice(def.name_end as usize..end);
    let start = text.line_start(line).max((def.name_start as usize).saturating_sub(CONTEXT_BYTES));
    let before = text.slice(start..def.name_start as usize);
    let word = before.trim_end().rsplit(|c: char| c.is_whitespace() || c == '(').next()?;
    let after = after.trim_start();
    let value = match language {
        "go" => after.strip_prefix(":=")?,
        "python" => {
            if !before.trim().is_empty() {
                return None;
            }
            after.strip_prefix('=')?
        }
        "rust" if matches!(word, "let" | "mut") => after.strip_prefix('=')?,
        "javascript" | "typescript" | "tsx" => {
            if !matches!(word, "const" | "let" | "var") {
                return None;
            }
            after.strip_prefix('=')?.trim_start()
        }
        "java" if word == "var" => after.strip_prefix('=')?,
        "cpp" if word == "auto" => after.strip_prefix('=')?,
        _ => return None,
    };
    (!value.starts_with(['=', '>'])).then(|| value.trim().to_owned())
}

/// Whether calling a function does not yield its declared result: it is async, or a decorator may
/// wrap it.
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

/// Whether an initialiser names its type: `Flask(…)`, `Box::new(…)`, `new Map()`.
fn names_type(ty: &str, value: &str) -> bool {
    let part = |c: char| !(c.is_alphanumeric() || c == '_');
    let name = ty.trim_start_matches(part).split(part).next().unwrap_or_default();
    !name.is_empty() && value.split(part).any(|word| word == name)
}

/// Whether a variable is named after its type: `prepared_request: PreparedRequest`.
fn is_named_after_type(name: &str, ty: &str) -> bool {
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    let last = ty.rsplit(['.', ':']).next().unwrap_or(ty);
    plain(name) == plain(last)
}

/// Whether a variable is initialised by a call alone. The result of an operator differs: `count() /
/// 2`, `&make()`, `start()..end()`.
fn is_initialised_by_call(syntax: &Syntax, def: &Def) -> bool {
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
    // At most a pattern or a list is between the name and the declaration.
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
