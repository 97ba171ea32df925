//! Python: a module of its own beside the old one.

use std::ops::Range;

use tree_sitter::Node;

use super::needs::{import_of, in_type, item_of};
use super::users::Users;
use super::{Needs, Parts, Subject, dropped, line_below_imports, words};
use crate::actions::site::{Site, any};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal, site::snake_case};
use crate::project::last;
use crate::vocabulary::DefinitionKind;

/// Decorators that only change what they are given.
const PLAIN: &[&str] = &[
    "dataclass",
    "dataclasses.dataclass",
    "contextmanager",
    "contextlib.contextmanager",
    "asynccontextmanager",
    "contextlib.asynccontextmanager",
    "lru_cache",
    "functools.lru_cache",
    "cache",
    "functools.cache",
    "wraps",
    "functools.wraps",
    "total_ordering",
    "functools.total_ordering",
    "final",
    "typing.final",
    "runtime_checkable",
    "typing.runtime_checkable",
    "unique",
    "enum.unique",
    "deprecated",
    "attr.s",
    "attr.define",
    "attrs.define",
];

/// Classes from which nothing is noted about those below them.
const QUIET: &[&str] = &[
    "object",
    "Enum",
    "IntEnum",
    "StrEnum",
    "Flag",
    "IntFlag",
    "NamedTuple",
    "TypedDict",
    "Protocol",
    "ABC",
    "Exception",
    "ValueError",
    "TypeError",
    "RuntimeError",
    "KeyError",
    "AttributeError",
    "ImportError",
    "LookupError",
    "IndexError",
    "OSError",
    "Warning",
    "UserWarning",
    "DeprecationWarning",
    "BaseException",
    "dict",
    "list",
    "str",
    "int",
    "tuple",
    "set",
    "float",
    "bytes",
    "Generic",
    "threading.Thread",
    "Thread",
];

pub(super) fn file_name(subject: &Subject<'_>, own: &str) -> String {
    let ending = if own.ends_with(".pyi") { "pyi" } else { "py" };
    let snake = snake_case(subject.name);
    format!("{snake}.{ending}")
}

pub(super) fn parts(
    site: &Site<'_>,
    subject: &Subject<'_>,
    needs: &Needs,
    path: &str,
) -> Result<Parts, ActionRefusal> {
    let (code, own) = (subject.code(site), site.resolver.path(site.file));
    for word in ["__name__", "__file__", "__package__", "__path__", "__spec__", "globals", "vars"] {
        if words(code, word).next().is_some() {
            return Err(refusal(Why::Scope, format!("`{word}` means this module")));
        }
    }
    if any(subject.item, &|n| n.kind() == "global_statement") {
        return Err(refusal(Why::Assigned, "it writes to variables of this module"));
    }
    loads_quietly(site, subject)?;
    let is_type = subject.declared.kind() == "class_definition";
    if subject.declared.kind() == "assignment" || !is_type {
        written_once(site, subject.name, 1)?;
    }
    let names = needs.own_names(site);
    for name in &names {
        if name.starts_with('_') && !name.starts_with("__") || name.starts_with("__") {
            let why = format!("it needs `{name}`, which is private to this file");
            return Err(refusal(Why::Scope, why));
        }
    }
    for &d in &needs.own {
        let kind = site.def(d).kind;
        if matches!(kind, DefinitionKind::Variable | DefinitionKind::Constant) {
            written_once(site, site.name_of(d), 1)?;
        }
    }
    let own_stem = stem(own);
    let old = site
        .index
        .python_name(&site.resolver, site.file)
        .filter(|_| own_stem != "__init__")
        .ok_or_else(|| {
            let why = "what is in a package's own file stays: it is what others import from it";
            refusal(Why::Shape, why)
        })?;
    let spelled = |name: &str| {
        let rest = name.strip_suffix(own_stem)?;
        (rest.is_empty() || rest.ends_with('.')).then(|| format!("{rest}{}", stem(path)))
    };
    let new =
        spelled(&old).ok_or_else(|| refusal(Why::Unknown, "its module has no certain name"))?;
    let cycle = || {
        let (name, all) = (subject.name, list(&names));
        let why = format!(
            "this file goes on needing `{name}`, which needs {all} of it: each would load the other"
        );
        refusal(Why::Order, why)
    };
    let follows_all = !needs.own.is_empty();
    let used_here = elsewhere(site, subject) || is_noted(site, subject);
    if used_here && follows_all {
        return Err(cycle());
    }
    let users = Users::of(site, subject, follows_all, &spelled)?;
    let back = used_here || users.remain;
    if back && follows_all {
        return Err(cycle());
    }
    let mut old_edits = dropped(site, subject, needs, &|name| users.see(name)).unwrap_or_default();
    if back {
        let kinds = ["import_statement", "import_from_statement", "future_import_statement"];
        let line = format!("from {new} import {}", subject.name);
        old_edits.push(line_below_imports(site, &kinds, &line));
    }
    let mut head = imports(site, needs)?;
    if !names.is_empty() {
        head.push_str(&format!(
            "\nfrom {old} import {}\n",
            names.iter().copied().collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(Parts { head, code: code.to_owned(), old: old_edits, others: users.edits })
}

fn list(names: &std::collections::BTreeSet<&str>) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

fn stem(path: &str) -> &str {
    last(path).rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Whether the rest of the file names it, in quotes too.
fn elsewhere(site: &Site<'_>, subject: &Subject<'_>) -> bool {
    let root = site.place.syntax.root();
    let mut all = words(&site.source, subject.name).filter(|at| !subject.span.contains(at));
    all.any(|at| {
        let Some(node) = root.descendant_for_byte_range(at, at) else { return true };
        let field = |field: &str| {
            let around = node.parent().and_then(|p| p.child_by_field_name(field));
            around.is_some_and(|n| n.id() == node.id())
        };
        let parent = node.parent().map_or("", |p| p.kind());
        match node.kind() {
            "comment" => false,
            "identifier" => {
                !(parent == "attribute" && field("attribute")
                    || parent == "keyword_argument" && field("name"))
            }
            "string_content" => site.text(node) == subject.name || in_type(node),
            _ => true,
        }
    })
}

/// Whether what it inherits from may take note of it: it has to be loaded as before.
fn is_noted(site: &Site<'_>, subject: &Subject<'_>) -> bool {
    let Some(supers) = subject.declared.child_by_field_name("superclasses") else { return false };
    let mut cursor = supers.walk();
    supers.named_children(&mut cursor).any(|n| {
        let text = site.text(n);
        let name = text.split('[').next().unwrap_or(text);
        let last = name.rsplit('.').next().unwrap_or(name);
        n.kind() != "comment" && !QUIET.contains(&name) && !QUIET.contains(&last)
    })
}

/// What happens when it is loaded must not matter to others.
fn loads_quietly(site: &Site<'_>, subject: &Subject<'_>) -> Result<(), ActionRefusal> {
    let order = |why: String| Err(refusal(Why::Order, why));
    let mut cursor = subject.item.walk();
    for mark in subject.item.named_children(&mut cursor).filter(|n| n.kind() == "decorator") {
        let name = site.text(mark).trim_start_matches('@').trim();
        let name = name.split('(').next().unwrap_or(name).trim();
        if !PLAIN.contains(&name) {
            return order(format!("`@{name}` may note it somewhere when it is loaded"));
        }
    }
    if subject.declared.kind() == "assignment" {
        let Some(value) = subject.declared.child_by_field_name("right") else { return Ok(()) };
        if site.has_effects(value) {
            return order("what it is set to is worked out when the module is loaded".into());
        }
    }
    Ok(())
}

/// What is read through an import must not be written later.
fn written_once(site: &Site<'_>, name: &str, most: usize) -> Result<(), ActionRefusal> {
    let root = site.place.syntax.root();
    let global = any(root, &|n| {
        n.kind() == "global_statement" && words(site.text(n), name).next().is_some()
    });
    let number = site.facts.strings.find(name);
    let count = number.map_or(0, |n| site.facts.in_scope(0, n).len());
    if global || count > most {
        let why = format!("`{name}` is written to more than once");
        return Err(refusal(Why::Assigned, why));
    }
    Ok(())
}

/// The imports that it needs, as the file has them.
fn imports(site: &Site<'_>, needs: &Needs) -> Result<String, ActionRefusal> {
    let root = site.place.syntax.root();
    let mut cursor = root.walk();
    let mut all = String::new();
    for node in root.named_children(&mut cursor) {
        if node.kind() == "future_import_statement" {
            all.push_str(&format!("{}\n\n", site.text(node)));
        }
        let wild = node.kind() == "import_from_statement" && site.text(node).contains("import *");
        if wild && needs.outside.iter().any(|n| !is_built_in(n)) {
            let why = "it may use what the file imports without naming it";
            return Err(refusal(Why::Unknown, why));
        }
    }
    let mut modules: Vec<Module> = Vec::new();
    let mut typed: Vec<String> = Vec::new();
    let mut guard: Option<&str> = None;
    let mut wanted: Vec<u32> = needs.imports.iter().copied().collect();
    let mut next = 0;
    while let Some(&d) = wanted.get(next) {
        next += 1;
        let around = import_of(site, d)?;
        let name = site.name_of(d);
        let unsure = || {
            let why = format!("the file imports `{name}` only under a condition");
            refusal(Why::Conditional, why)
        };
        let whole = item_of(site, d, &["dotted_name", "aliased_import"]).ok_or_else(unsure)?;
        let part = one_line(site.text(whole));
        let parent = around.parent().ok_or_else(unsure)?;
        let checking = checked_by(site, parent);
        if parent.id() != root.id() && checking.is_none() {
            return Err(unsure());
        }
        let remark = remark(site, around, whole);
        let from = around.child_by_field_name("module_name");
        let from = from.map(|m| one_line(site.text(m)));
        if let Some(condition) = checking {
            typed.push(match from {
                Some(from) => format!("    from {from} import {part}{remark}\n"),
                None => format!("    import {part}{remark}\n"),
            });
            if guard.is_none() {
                // What the condition itself needs.
                let name = condition.split('.').next().unwrap_or(condition);
                let number = site.facts.strings.find(name);
                let own = number.map_or(&[][..], |n| site.facts.in_scope(0, n)).iter();
                let is_import = |d: &&u32| site.def(**d).kind == DefinitionKind::Import;
                let own: Vec<u32> = own.filter(is_import).copied().collect();
                if !own.is_empty() {
                    guard = Some(condition);
                    let new = own.into_iter().filter(|d| !needs.imports.contains(d));
                    wanted.extend(new.collect::<Vec<_>>());
                }
            }
            continue;
        }
        let at = around.start_byte();
        match modules.iter_mut().find(|m| m.at == at) {
            Some(module) if !module.parts.contains(&part) => {
                module.parts.push(part);
                if !remark.is_empty() {
                    module.remark = remark;
                }
            }
            Some(_) => {}
            None => {
                modules.push(Module {
                    at,
                    from: from.unwrap_or_default(),
                    parts: vec![part],
                    remark,
                });
            }
        }
    }
    modules.sort_by_key(|m| m.at);
    let mut last: Option<Range<usize>> = None;
    for Module { at, from, mut parts, remark } in modules {
        parts.sort();
        let node = root.descendant_for_byte_range(at, at).map_or(at..at, |n| n.byte_range());
        // Groups stay apart.
        if last.as_ref().is_some_and(|l| site.source[l.start..node.start].contains("\n\n")) {
            all.push('\n');
        }
        last = Some(node);
        match from.is_empty() {
            true => parts.iter().for_each(|p| all.push_str(&format!("import {p}{remark}\n"))),
            false => all.push_str(&format!("from {from} import {}{remark}\n", parts.join(", "))),
        }
    }
    if !typed.is_empty() {
        if guard.is_none() {
            all.push_str("\nfrom typing import TYPE_CHECKING\n");
        }
        all.push_str(&format!("\nif {}:\n", guard.unwrap_or("TYPE_CHECKING")));
        typed.sort();
        typed.dedup();
        all.extend(typed);
    }
    Ok(all)
}

/// An import statement as it is to be written.
struct Module {
    /// Where it starts in the old file.
    at: usize,
    /// What it imports from; empty where it imports modules.
    from: String,
    parts: Vec<String>,
    /// What it says behind that to those who check the text.
    remark: String,
}

/// The condition around a block of imports that are for checkers of types only.
fn checked_by<'a>(site: &'a Site<'_>, block: Node<'_>) -> Option<&'a str> {
    let root = site.place.syntax.root();
    let around =
        block.parent().filter(|p| block.kind() == "block" && p.kind() == "if_statement")?;
    let own = around.parent()?.id() == root.id()
        && around.child_by_field_name("consequence")?.id() == block.id();
    let condition = site.text(around.child_by_field_name("condition")?);
    let types = ["TYPE_CHECKING", "typing.TYPE_CHECKING", "t.TYPE_CHECKING"];
    (own && types.contains(&condition)).then_some(condition)
}

/// The comment behind an import, or a part of one, that a checker reads.
fn remark(site: &Site<'_>, statement: Node<'_>, part: Node<'_>) -> String {
    let open = site.text(statement).find('(').map(|at| statement.start_byte() + at + 1);
    for end in [Some(part.end_byte()), open, Some(statement.end_byte())].into_iter().flatten() {
        let line = site.source[end..].lines().next().unwrap_or("");
        let said = line.trim_start_matches([' ', '\t', ',', ')', ';']).trim_end();
        let read = ["ignore", "noqa", "pyright:", "pylint:", "pragma:"];
        if said.starts_with('#') && read.iter().any(|word| said.contains(word)) {
            return format!("  {said}");
        }
    }
    String::new()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_built_in(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "True",
        "False",
        "None",
        "print",
        "len",
        "range",
        "str",
        "int",
        "float",
        "bool",
        "list",
        "dict",
        "set",
        "tuple",
        "bytes",
        "object",
        "type",
        "isinstance",
        "issubclass",
        "super",
        "self",
        "cls",
        "open",
        "min",
        "max",
        "sum",
        "any",
        "all",
        "sorted",
        "zip",
        "map",
        "filter",
        "enumerate",
        "getattr",
        "setattr",
        "hasattr",
        "repr",
        "iter",
        "next",
        "id",
        "hash",
        "property",
        "staticmethod",
        "classmethod",
        "callable",
        "abs",
        "round",
        "reversed",
        "Exception",
        "ValueError",
        "TypeError",
        "KeyError",
        "IndexError",
        "RuntimeError",
        "AttributeError",
        "NotImplementedError",
        "OSError",
        "StopIteration",
        "ord",
        "chr",
        "bytearray",
        "frozenset",
        "slice",
        "input",
        "format",
        "divmod",
        "pow",
    ];
    NAMES.contains(&name)
}
