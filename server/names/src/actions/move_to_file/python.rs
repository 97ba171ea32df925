//! Python: moves a definition to a new module in the same folder.

use std::ops::Range;

use tree_sitter::Node;

use super::dependencies::{import_item, import_of, in_type};
use super::users::Users;
use super::{
    Dependencies, MovePlan, MovedItem, line_below_imports, remove_unused_imports, word_offsets,
};
use crate::actions::context::{ActionContext, any_descendant};
use crate::actions::{ActionRefusal, RefusalReason as Reason, context::snake_case, refusal};
use crate::project::last;
use crate::vocabulary::DefinitionKind;

/// Decorators without side effects beyond the decorated object.
const PURE_DECORATORS: &[&str] = &[
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

/// Base classes that do not register their subclasses.
const NON_REGISTERING_BASES: &[&str] = &[
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

pub(super) fn file_name(item: &MovedItem<'_>, own: &str) -> String {
    let ending = if own.ends_with(".pyi") { "pyi" } else { "py" };
    let snake = snake_case(item.name);
    format!("{snake}.{ending}")
}

pub(super) fn plan(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    dependencies: &Dependencies,
    path: &str,
) -> Result<MovePlan, ActionRefusal> {
    let (code, own) = (item.code(ctx), ctx.resolver.path(ctx.file));
    for word in ["__name__", "__file__", "__package__", "__path__", "__spec__", "globals", "vars"] {
        if word_offsets(code, word).next().is_some() {
            return Err(refusal(Reason::Scope, format!("`{word}` refers to this module")));
        }
    }
    if any_descendant(item.node, &|n| n.kind() == "global_statement") {
        return Err(refusal(Reason::Assigned, "it assigns variables of this module"));
    }
    check_load_order(ctx, item)?;
    let is_type = item.declared.kind() == "class_definition";
    if item.declared.kind() == "assignment" || !is_type {
        check_assigned_once(ctx, item.name, 1)?;
    }
    let names = dependencies.own_names(ctx);
    for name in &names {
        if name.starts_with('_') && !name.starts_with("__") || name.starts_with("__") {
            let why = format!("it needs `{name}`, which is private to this file");
            return Err(refusal(Reason::Scope, why));
        }
    }
    for &d in &dependencies.own {
        let kind = ctx.def(d).kind;
        if matches!(kind, DefinitionKind::Variable | DefinitionKind::Constant) {
            check_assigned_once(ctx, ctx.name_of(d), 1)?;
        }
    }
    let own_stem = stem(own);
    let old = ctx
        .index
        .python_name(&ctx.resolver, ctx.file)
        .filter(|_| own_stem != "__init__")
        .ok_or_else(|| {
            let why = "definitions in `__init__.py` stay there, because others import them from the package";
            refusal(Reason::Unsupported, why)
        })?;
    let new_module_path = |name: &str| {
        let rest = name.strip_suffix(own_stem)?;
        (rest.is_empty() || rest.ends_with('.')).then(|| format!("{rest}{}", stem(path)))
    };
    let new = new_module_path(&old)
        .ok_or_else(|| refusal(Reason::Unknown, "the name of its module is uncertain"))?;
    let cycle = || {
        let (name, all) = (item.name, list(&names));
        let why = format!(
            "this file still dependencies `{name}`, which dependencies {all} from it: an import cycle"
        );
        refusal(Reason::Order, why)
    };
    let follows_all = !dependencies.own.is_empty();
    let used_here = is_named_elsewhere(ctx, item) || may_be_registered(ctx, item);
    if used_here && follows_all {
        return Err(cycle());
    }
    let users = Users::find(ctx, item, follows_all, &new_module_path)?;
    let back = used_here || users.remain;
    if back && follows_all {
        return Err(cycle());
    }
    let mut old_edits = remove_unused_imports(ctx, item, dependencies, &|name| users.may_see(name))
        .unwrap_or_default();
    if back {
        let kinds = ["import_statement", "import_from_statement", "future_import_statement"];
        let line = format!("from {new} import {}", item.name);
        old_edits.push(line_below_imports(ctx, &kinds, &line));
    }
    let mut head = imports(ctx, dependencies)?;
    if !names.is_empty() {
        head.push_str(&format!(
            "\nfrom {old} import {}\n",
            names.iter().copied().collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(MovePlan { head, code: code.to_owned(), old: old_edits, others: users.edits })
}

fn list(names: &std::collections::BTreeSet<&str>) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

fn stem(path: &str) -> &str {
    last(path).rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Whether the rest of the file names it, quoted type annotations included.
fn is_named_elsewhere(ctx: &ActionContext<'_>, item: &MovedItem<'_>) -> bool {
    let root = ctx.request.syntax.root();
    let mut all = word_offsets(&ctx.source, item.name).filter(|at| !item.span.contains(at));
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
            "string_content" => ctx.text(node) == item.name || in_type(node),
            _ => true,
        }
    })
}

/// Whether a base class may register it, so that the old module must still load it.
fn may_be_registered(ctx: &ActionContext<'_>, item: &MovedItem<'_>) -> bool {
    let Some(supers) = item.declared.child_by_field_name("superclasses") else { return false };
    let mut cursor = supers.walk();
    supers.named_children(&mut cursor).any(|n| {
        let text = ctx.text(n);
        let name = text.split('[').next().unwrap_or(text);
        let last = name.rsplit('.').next().unwrap_or(name);
        n.kind() != "comment"
            && !NON_REGISTERING_BASES.contains(&name)
            && !NON_REGISTERING_BASES.contains(&last)
    })
}

/// Checks that loading it has no side effects on others.
fn check_load_order(ctx: &ActionContext<'_>, item: &MovedItem<'_>) -> Result<(), ActionRefusal> {
    let order = |why: String| Err(refusal(Reason::Order, why));
    let mut cursor = item.node.walk();
    for mark in item.node.named_children(&mut cursor).filter(|n| n.kind() == "decorator") {
        let name = ctx.text(mark).trim_start_matches('@').trim();
        let name = name.split('(').next().unwrap_or(name).trim();
        if !PURE_DECORATORS.contains(&name) {
            return order(format!("`@{name}` may register it when the module is loaded"));
        }
    }
    if item.declared.kind() == "assignment" {
        let Some(value) = item.declared.child_by_field_name("right") else { return Ok(()) };
        if ctx.has_effects(value) {
            return order("its value is computed when the module is loaded".into());
        }
    }
    Ok(())
}

/// Checks that a variable is never reassigned: an importer would keep the old value.
fn check_assigned_once(
    ctx: &ActionContext<'_>,
    name: &str,
    most: usize,
) -> Result<(), ActionRefusal> {
    let root = ctx.request.syntax.root();
    let global = any_descendant(root, &|n| {
        n.kind() == "global_statement" && word_offsets(ctx.text(n), name).next().is_some()
    });
    let number = ctx.facts.strings.find(name);
    let count = number.map_or(0, |n| ctx.facts.definitions_in_scope(0, n).len());
    if global || count > most {
        let why = format!("`{name}` is assigned more than once");
        return Err(refusal(Reason::Assigned, why));
    }
    Ok(())
}

/// The imports that it needs, in the form that the file uses.
fn imports(ctx: &ActionContext<'_>, dependencies: &Dependencies) -> Result<String, ActionRefusal> {
    let root = ctx.request.syntax.root();
    let mut cursor = root.walk();
    let mut all = String::new();
    for node in root.named_children(&mut cursor) {
        if node.kind() == "future_import_statement" {
            all.push_str(&format!("{}\n\n", ctx.text(node)));
        }
        let wild = node.kind() == "import_from_statement" && ctx.text(node).contains("import *");
        if wild && dependencies.outside.iter().any(|n| !is_built_in(n)) {
            let why = "it may use names from a wildcard import";
            return Err(refusal(Reason::Unknown, why));
        }
    }
    let mut modules: Vec<ImportStatement> = Vec::new();
    let mut typed: Vec<String> = Vec::new();
    let mut guard: Option<&str> = None;
    let mut queue: Vec<u32> = dependencies.imports.iter().copied().collect();
    let mut next = 0;
    while let Some(&d) = queue.get(next) {
        next += 1;
        let around = import_of(ctx, d)?;
        let name = ctx.name_of(d);
        let unsure = || {
            let why = format!("the file imports `{name}` conditionally");
            refusal(Reason::Conditional, why)
        };
        let whole = import_item(ctx, d, &["dotted_name", "aliased_import"]).ok_or_else(unsure)?;
        let part = one_line(ctx.text(whole));
        let parent = around.parent().ok_or_else(unsure)?;
        let checking = type_checking_condition(ctx, parent);
        if parent.id() != root.id() && checking.is_none() {
            return Err(unsure());
        }
        let linter_comment = linter_comment(ctx, around, whole);
        let from = around.child_by_field_name("module_name");
        let from = from.map(|m| one_line(ctx.text(m)));
        if let Some(condition) = checking {
            typed.push(match from {
                Some(from) => format!("    from {from} import {part}{linter_comment}\n"),
                None => format!("    import {part}{linter_comment}\n"),
            });
            if guard.is_none() {
                // The condition's own import is needed as well.
                let name = condition.split('.').next().unwrap_or(condition);
                let number = ctx.facts.strings.find(name);
                let own = number.map_or(&[][..], |n| ctx.facts.definitions_in_scope(0, n)).iter();
                let is_import = |d: &&u32| ctx.def(**d).kind == DefinitionKind::Import;
                let own: Vec<u32> = own.filter(is_import).copied().collect();
                if !own.is_empty() {
                    guard = Some(condition);
                    let new = own.into_iter().filter(|d| !dependencies.imports.contains(d));
                    queue.extend(new.collect::<Vec<_>>());
                }
            }
            continue;
        }
        let at = around.start_byte();
        match modules.iter_mut().find(|m| m.at == at) {
            Some(module) if !module.parts.contains(&part) => {
                module.parts.push(part);
                if !linter_comment.is_empty() {
                    module.linter_comment = linter_comment;
                }
            }
            Some(_) => {}
            None => {
                modules.push(ImportStatement {
                    at,
                    from: from.unwrap_or_default(),
                    parts: vec![part],
                    linter_comment,
                });
            }
        }
    }
    modules.sort_by_key(|m| m.at);
    let mut last: Option<Range<usize>> = None;
    for ImportStatement { at, from, mut parts, linter_comment } in modules {
        parts.sort();
        let node = root.descendant_for_byte_range(at, at).map_or(at..at, |n| n.byte_range());
        // Keep groups separated.
        if last.as_ref().is_some_and(|l| ctx.source[l.start..node.start].contains("\n\n")) {
            all.push('\n');
        }
        last = Some(node);
        match from.is_empty() {
            true => {
                parts.iter().for_each(|p| all.push_str(&format!("import {p}{linter_comment}\n")))
            }
            false => {
                all.push_str(&format!("from {from} import {}{linter_comment}\n", parts.join(", ")))
            }
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

/// An import statement of the new file.
struct ImportStatement {
    /// Where it starts in the old file.
    at: usize,
    /// The module it imports from; empty for `import a`.
    from: String,
    parts: Vec<String>,
    /// A trailing comment for linters.
    linter_comment: String,
}

/// The `TYPE_CHECKING` condition around a block of imports.
fn type_checking_condition<'a>(ctx: &'a ActionContext<'_>, block: Node<'_>) -> Option<&'a str> {
    let root = ctx.request.syntax.root();
    let around =
        block.parent().filter(|p| block.kind() == "block" && p.kind() == "if_statement")?;
    let own = around.parent()?.id() == root.id()
        && around.child_by_field_name("consequence")?.id() == block.id();
    let condition = ctx.text(around.child_by_field_name("condition")?);
    let types = ["TYPE_CHECKING", "typing.TYPE_CHECKING", "t.TYPE_CHECKING"];
    (own && types.contains(&condition)).then_some(condition)
}

/// The linter comment after an import or one of its names.
fn linter_comment(ctx: &ActionContext<'_>, statement: Node<'_>, part: Node<'_>) -> String {
    let open = ctx.text(statement).find('(').map(|at| statement.start_byte() + at + 1);
    for end in [Some(part.end_byte()), open, Some(statement.end_byte())].into_iter().flatten() {
        let line = ctx.source[end..].lines().next().unwrap_or("");
        let comment = line.trim_start_matches([' ', '\t', ',', ')', ';']).trim_end();
        let read = ["ignore", "noqa", "pyright:", "pylint:", "pragma:"];
        if comment.starts_with('#') && read.iter().any(|word| comment.contains(word)) {
            return format!("  {comment}");
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
