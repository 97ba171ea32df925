//! `move_to_file`: moves a top-level definition to a new file in the same folder, with the imports
//! that it needs, and updates its users.
//!
//! If other files must still find it in the old file, that file re-imports it. A cycle that would
//! matter while modules are loaded is refused.

mod dependencies;
mod ecma;
mod go;
mod java;
mod moved_item;
mod python;
mod rust;
mod users;
mod verify;

use std::ops::Range;

use super::context::{ActionContext, visit_leaves};
use super::import_list::removal_edits;
use super::{
    ActionEdit, ActionPlan, ActionRefusal, NewFile, Offer, Planner, RefusalReason as Reason,
    refusal,
};
use crate::facts::ReferenceRole;
use crate::project::{last, parent};
use dependencies::Dependencies;
use moved_item::MovedItem;

pub(super) const MOVE_TO_FILE: Planner =
    Planner { id: "move_to_file", kind: "refactor.move", wide: true, offers, plan };

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match MovedItem::at(ctx) {
        Ok(item) => Offer::single(format!("Move `{}` to a file of its own", item.name)),
        Err(_) => Vec::new(),
    }
}

/// The language-specific parts of the plan.
struct MovePlan {
    /// The text before the definition in the new file.
    head: String,
    /// The definition as it is written in the new file.
    code: String,
    /// The edits of the old file, apart from removing the definition.
    old: Vec<(Range<usize>, String)>,
    /// The edits of other files.
    others: Vec<ActionEdit>,
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    if matches!(ctx.language, "c" | "cpp") {
        let why = "C and C++ are not supported: headers and their includes are not updated";
        return Err(refusal(Reason::Unsupported, why));
    }
    let item = MovedItem::at(ctx)?;
    if ctx.has_syntax_error(item.node) || ctx.request.syntax.root().has_error() {
        return Err(refusal(Reason::Syntax, "the file has syntax errors"));
    }
    item.check_unique(ctx)?;
    let path = new_path(ctx, &item)?;
    let dependencies = Dependencies::of_item(ctx, &item)?;
    let parts = match ctx.language {
        "python" => python::plan(ctx, &item, &dependencies, &path)?,
        "javascript" | "typescript" | "tsx" => ecma::plan(ctx, &item, &dependencies, &path)?,
        "go" => go::plan(ctx, &item, &dependencies)?,
        "java" => java::plan(ctx, &item, &dependencies)?,
        "rust" => rust::plan(ctx, &item, &dependencies, &path)?,
        _ => return Err(refusal(Reason::Unsupported, "this language is not supported")),
    };
    let end = ctx.line_end();
    let head = parts.head.trim().replace('\n', end);
    let blank = match ctx.language {
        _ if head.is_empty() => String::new(),
        "python" => end.repeat(3),
        _ => end.repeat(2),
    };
    let text = format!("{head}{blank}{}{end}", parts.code.trim_end());
    let mut old = parts.old;
    old.push((item.removed_range(ctx), String::new()));
    old.sort_by_key(|(span, _)| (span.start, span.end));
    verify::check_resolution(ctx, &item, &text, &parts.code, &old)?;
    let mut plan = ActionPlan::from_edits(ctx.file, old);
    plan.edits.extend(parts.others);
    plan.creates.push(NewFile { same_root_as: ctx.file, path, text });
    Ok(plan)
}

/// The path of the new file.
fn new_path(ctx: &ActionContext<'_>, item: &MovedItem<'_>) -> Result<String, ActionRefusal> {
    let own = ctx.resolver.path(ctx.file);
    let (folder, file_name) = match ctx.language {
        "rust" => (rust::folder(ctx)?, rust::file_name(ctx, item)?),
        "python" => (parent(own).to_owned(), python::file_name(item, own)),
        "go" => (parent(own).to_owned(), go::file_name(item, own)),
        "java" => (parent(own).to_owned(), format!("{}.java", item.name)),
        _ => (parent(own).to_owned(), ecma::file_name(ctx, item)?),
    };
    let path = match ctx.request.destination {
        None => format!("{folder}/{file_name}").trim_start_matches('/').to_owned(),
        Some(to) => {
            let ending = |path: &str| path.rsplit_once('.').map(|(_, e)| e.to_owned());
            if parent(to) != folder || ending(to) != ending(own) {
                let why =
                    format!("it can only move to a new file in `{folder}` with the same extension");
                return Err(refusal(Reason::Unsupported, why));
            }
            if matches!(ctx.language, "java") && last(to) != file_name {
                let why = format!("the file must be named after the type: `{file_name}`");
                return Err(refusal(Reason::Unsupported, why));
            }
            to.to_owned()
        }
    };
    let lower = path.to_lowercase();
    let files_in_folder = ctx.resolver.project().in_folder(&folder);
    let stem = |path: &str| path.rsplit_once('.').map_or(path, |(s, _)| s).to_lowercase();
    let clashes = |other: &str| match ctx.language {
        // An import may name a module without its extension.
        "go" | "java" => other.to_lowercase() == lower,
        _ => stem(other) == stem(&path),
    };
    let file = files_in_folder.iter().map(|f| ctx.resolver.path(*f)).find(|p| clashes(p));
    let bare = path.rsplit_once('.').map_or(&*path, |(s, _)| s);
    let module = !matches!(ctx.language, "go" | "java")
        && !ctx.resolver.project().in_folder(bare).is_empty();
    if let Some(file) = file {
        let why = format!("`{file}` is there already; the destination must be a new file");
        return Err(refusal(Reason::Conflict, why));
    }
    if module {
        return Err(refusal(Reason::Conflict, format!("a folder `{bare}` has its name")));
    }
    if ctx.language == "python" || ctx.language == "rust" {
        let name = last(bare);
        if let Some(why) = crate::rename::invalid_name_reason(name, ctx.language) {
            let why = format!("`{name}` is not a valid module name: {why}");
            return Err(refusal(Reason::Conflict, why));
        }
    }
    Ok(path)
}

/// The edits that remove imports used only by the moved code.
fn remove_unused_imports(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    dependencies: &Dependencies,
    is_kept: &dyn Fn(&str) -> bool,
) -> Result<Vec<(Range<usize>, String)>, ActionRefusal> {
    let mut names = Vec::new();
    for &d in &dependencies.imports {
        let name = ctx.name_of(d);
        let def = ctx.def(d);
        let mut span = def.name_start as usize..def.name_end as usize;
        // The name of a Go import is often not written.
        if ctx.language == "go" {
            let spec = dependencies::import_item(ctx, d, &["import_spec"]);
            span = spec.map_or(span, |s| s.byte_range());
        }
        let used = is_used_outside(ctx, item, dependencies, d);
        if !used && !is_kept(name) && !span.is_empty() {
            names.push(span);
        }
    }
    if names.is_empty() {
        return Ok(Vec::new());
    }
    removal_edits(ctx, &names)
}

/// Whether the rest of the file may use an import.
fn is_used_outside(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    dependencies: &Dependencies,
    d: u32,
) -> bool {
    let (facts, name) = (ctx.facts, ctx.name_of(d));
    let outside = |at: usize| {
        !item.span.contains(&at) && !dependencies.statements.iter().any(|s| s.contains(&at))
    };
    if ctx.language == "go" {
        // Go reports unused imports as errors, so this must be exact.
        return facts.references.iter().any(|r| {
            let plain =
                r.role == ReferenceRole::Plain && r.name == ctx.def(d).name && r.start < r.end;
            let found = || {
                ctx.resolver.resolve_in_scopes(
                    ctx.file,
                    r.scope,
                    r.start,
                    r.name,
                    name,
                    r.namespace,
                )
            };
            plain && outside(r.start as usize) && found().iter().any(|f| f.id.def == d)
        });
    }
    let mut used = false;
    visit_leaves(ctx.request.syntax.root(), &mut |leaf| {
        let kind = leaf.kind();
        let mentions_name = match kind {
            "property_identifier" => false,
            "comment" if ctx.language == "python" => false,
            _ if kind.ends_with("identifier") => ctx.text(leaf) == name,
            _ => {
                leaf.byte_range().len() >= name.len()
                    && word_offsets(ctx.text(leaf), name).next().is_some()
            }
        };
        used |= mentions_name && outside(leaf.start_byte());
    });
    used
}

/// The offsets of a whole word in a text.
fn word_offsets<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}

/// Inserts a line below the imports at the start of the file; without any, above the first code.
fn line_below_imports(
    ctx: &ActionContext<'_>,
    kinds: &[&str],
    line: &str,
) -> (Range<usize>, String) {
    let root = ctx.request.syntax.root();
    let mut cursor = root.walk();
    let (mut after, mut before, mut first) = (None, None, true);
    for node in root.named_children(&mut cursor) {
        if kinds.contains(&node.kind()) {
            after = Some(node);
            first = false;
            continue;
        }
        let opening = node.kind().contains("comment")
            || matches!(node.kind(), "hash_bang_line" | "inner_attribute_item")
            || first
                && node.kind() == "expression_statement"
                && node.named_child(0).is_some_and(|c| c.kind() == "string");
        first = first && node.kind().contains("comment");
        if opening {
            if !node.kind().contains("comment") {
                after = Some(node);
            }
            continue;
        }
        before = Some(node);
        break;
    }
    let end = ctx.line_end();
    match (after, before) {
        (Some(after), _) => {
            let rest = &ctx.source[after.end_byte()..];
            let feed = rest.find('\n');
            let blank = if kinds.contains(&after.kind()) { "" } else { end };
            match feed {
                _ if ctx.source[..after.end_byte()].ends_with('\n') => {
                    let at = after.end_byte();
                    (at..at, format!("{blank}{line}{end}"))
                }
                Some(feed) => {
                    let at = after.end_byte() + feed + 1;
                    (at..at, format!("{blank}{line}{end}"))
                }
                None => {
                    let at = ctx.source.len();
                    (at..at, format!("{end}{blank}{line}"))
                }
            }
        }
        (None, Some(before)) => {
            let mut at = ctx.line_start(before.start_byte());
            // A comment directly above code stays with it.
            let mut node = before;
            while let Some(prev) = node.prev_sibling().filter(|p| p.kind().contains("comment")) {
                if prev.end_position().row + 1 < node.start_position().row
                    || prev.start_position().row == 0
                {
                    break;
                }
                at = ctx.line_start(prev.start_byte());
                node = prev;
            }
            let blanks = if ctx.language == "python" { 3 } else { 2 };
            (at..at, format!("{line}{}", end.repeat(blanks)))
        }
        (None, None) => (0..0, format!("{line}{end}")),
    }
}
