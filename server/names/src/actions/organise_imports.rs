//! `organise_imports` removes unused imports and sorts the others; `sort_imports` only sorts.
//!
//! The order is that of each language's own tool. Names are sorted within an import, and imports
//! within a group; groups are separated by blank lines and stay as the author made them. Imports
//! whose order may matter stay in place and split their group: imports for side effects, wildcard
//! imports, imports below a comment or attribute.

mod list;
mod order;

use std::ops::Range;

use syntax::Syntax;
use text::Text;
use tree_sitter::Node;

use super::context::ActionContext;
use super::import_list::{ImportList, removal_edits};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal};
use crate::diagnose::NameDiagnosticKind;
use list::with_sorted_names;
use order::{PathPart, natural_key};
pub(super) use order::{split_list, use_path};

pub(super) const ORGANISE_IMPORTS: Planner =
    Planner { id: "organise_imports", kind: "source.organizeImports", wide: true, offers, plan };

/// Sorts without removing; needs no other file.
pub(super) const SORT_IMPORTS: Planner = Planner {
    id: "sort_imports",
    kind: "source.sortImports",
    wide: false,
    offers: offers_sort,
    plan: plan_sort,
};

fn offers_sort(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match ctx.explicit && has_imports(ctx) && plan_sort(ctx, "").is_ok() {
        true => Offer::single("Sort imports"),
        false => Vec::new(),
    }
}

fn plan_sort(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    plan_without(ctx, &[])
}

fn has_imports(ctx: &ActionContext<'_>) -> bool {
    !matches!(ctx.language, "c" | "cpp") && !ctx.source.is_empty()
}

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    // Diagnosing the file is expensive, so do it only if imports are likely meant: the cursor is at
    // one, at the start of the file, or the request names this kind. Offer nothing if nothing would
    // change.
    let at = ctx.request.range.start;
    let import = |at: usize| ImportList::around(ctx, at).is_some();
    let is_import_request = ctx.explicit || at == 0 || import(at) || import(at - 1);
    match has_imports(ctx) && is_import_request && plan(ctx, "").is_ok() {
        true => Offer::single("Organise imports"),
        false => Vec::new(),
    }
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let unused = ctx.findings().iter().filter(|f| f.kind == NameDiagnosticKind::UnusedImport);
    let unused: Vec<Range<usize>> = unused.map(|f| f.span.clone()).collect();
    plan_without(ctx, &unused)
}

/// Sorts the imports and removes the unused ones.
fn plan_without(
    ctx: &ActionContext<'_>,
    unused: &[Range<usize>],
) -> Result<ActionPlan, ActionRefusal> {
    if ctx.request.syntax.root().has_error() {
        return Err(refusal(Reason::Syntax, "the file has syntax errors"));
    }
    // An import that cannot be removed cleanly stays.
    let mut edits = removal_edits(ctx, unused).unwrap_or_default();
    edits.sort_by_key(|e| e.0.start);
    let mut text = ctx.source.clone();
    for (span, new) in edits.iter().rev() {
        text.replace_range(span.clone(), new);
    }
    let language = ctx.request.syntax.language();
    let syntax = Syntax::parse(language, &Text::new(&text), None, ctx.request.interrupt)
        .ok_or_else(|| refusal(Reason::Interrupted, "the request was cancelled"))?;
    let edition_2024 = ctx.index.project.is_edition_2024(ctx.file);
    let text = with_sorted_names(ctx.language, syntax.root(), &text, edition_2024);
    let syntax = Syntax::parse(language, &Text::new(&text), None, ctx.request.interrupt)
        .ok_or_else(|| refusal(Reason::Interrupted, "the request was cancelled"))?;
    let organised = with_sorted_groups(ctx.language, &syntax, &text, edition_2024);
    let Some((span, new)) = changed_lines(&ctx.source, &organised) else {
        return Err(refusal(Reason::NotApplicable, "the imports are already organised"));
    };
    Ok(ActionPlan::from_edits(ctx.file, vec![(span, new)]))
}

/// An import on lines of its own.
struct ImportLines {
    span: Range<usize>,
    key: SortKey,
}

/// The sort key of an import.
type SortKey = (u8, u8, String, String, Vec<PathPart>);

/// The text with each group of imports sorted.
fn with_sorted_groups(language: &str, syntax: &Syntax, source: &str, edition_2024: bool) -> String {
    let mut groups: Vec<Vec<ImportLines>> = vec![Vec::new()];
    let mut containers = vec![syntax.root()];
    if language == "go" {
        let mut cursor = syntax.root().walk();
        let declared = syntax.root().named_children(&mut cursor);
        let lists = declared.filter(|n| n.kind() == "import_declaration");
        containers = lists.filter_map(|n| n.named_child(0)).collect();
    }
    for container in containers {
        let mut cursor = container.walk();
        for node in container.named_children(&mut cursor) {
            if node.kind() == "attribute_item" {
                continue;
            }
            let line = sortable_import(language, node, source, edition_2024);
            let last = groups.last().and_then(|g| g.last()).map(|l| l.span.end);
            match line {
                Some(line) if last.is_none_or(|end| end == line.span.start) => {
                    if let Some(group) = groups.last_mut() {
                        group.push(line);
                    }
                }
                Some(line) => groups.push(vec![line]),
                None => groups.push(Vec::new()),
            }
        }
        groups.push(Vec::new());
    }
    let mut text = source.to_owned();
    for group in groups.iter().rev().filter(|g| g.len() > 1) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let mut lines: Vec<&ImportLines> = group.iter().collect();
        lines.sort_by(|a, b| a.key.cmp(&b.key));
        let whole: String = lines.iter().map(|l| &source[l.span.clone()]).collect();
        text.replace_range(first.span.start..last.span.end, &whole);
    }
    text
}

/// An import with its lines, if it may be sorted.
fn sortable_import(
    language: &str,
    node: Node<'_>,
    source: &str,
    edition_2024: bool,
) -> Option<ImportLines> {
    let kinds: &[&str] = match language {
        "python" => &["import_statement", "import_from_statement"],
        "rust" => &["use_declaration"],
        "go" => &["import_spec"],
        "java" => &["import_declaration"],
        _ => &["import_statement"],
    };
    if !kinds.contains(&node.kind()) {
        return None;
    }
    // Attributes above an import belong to it.
    let above = std::iter::successors(node.prev_sibling(), Node::prev_sibling);
    let top = above.take_while(|p| p.kind() == "attribute_item").last().unwrap_or(node);
    let start = source[..top.start_byte()].rfind('\n').map_or(0, |n| n + 1);
    let end = source[node.end_byte()..].find('\n').map(|n| node.end_byte() + n + 1)?;
    let before = &source[start..top.start_byte()];
    let after = source[node.end_byte()..end].trim().trim_start_matches(';').trim();
    let comment = after.starts_with("//") || after.starts_with('#');
    let kept = ["noqa", "isort", "nolint", "eslint", "ts-ignore", "rustfmt", "type:"];
    let attached = top.prev_sibling().is_some_and(|p| {
        // The node of a line comment may include the line break.
        let end = p.start_byte() + source[p.byte_range()].trim_end().len();
        p.kind().ends_with("comment")
            && source[end..top.start_byte()].matches('\n').count() <= 1
            && !is_notice(&source[p.byte_range()])
            && source[..p.start_byte()].rsplit('\n').next().is_some_and(|l| l.trim().is_empty())
    });
    let alone = before.trim().is_empty()
        && (after.is_empty() || comment && !kept.iter().any(|w| after.contains(w)))
        && !attached;
    let key = sort_key(language, node, source, edition_2024).filter(|_| alone)?;
    Some(ImportLines { span: start..end, key })
}

/// Whether a comment is a licence notice, which belongs to the file and not to the next line.
fn is_notice(comment: &str) -> bool {
    ["opyright", "icense", "SPDX"].iter().any(|w| comment.contains(w))
}

/// The sort key of an import; `None` if its order may matter.
fn sort_key(language: &str, node: Node<'_>, source: &str, edition_2024: bool) -> Option<SortKey> {
    let text = |n: Node<'_>| source[n.byte_range()].to_owned();
    match language {
        "python" => {
            if node.kind() == "import_statement" {
                let name = text(node.named_child(0)?);
                return Some((
                    0,
                    0,
                    natural_key(&name.to_lowercase()),
                    natural_key(&name),
                    Vec::new(),
                ));
            }
            let mut cursor = node.walk();
            if node.named_children(&mut cursor).any(|n| n.kind() == "wildcard_import") {
                return None;
            }
            let module = text(node.child_by_field_name("module_name")?);
            let dots = module.len() - module.trim_start_matches('.').len();
            // Absolute imports first, then relative ones, the farthest parent first.
            let relative = if dots == 0 { 0 } else { 255 - u8::try_from(dots).ok()? };
            let lower = natural_key(&module.to_lowercase());
            Some((1, relative, lower, natural_key(&module), Vec::new()))
        }
        "java" => {
            // Static imports form a group.
            let all = text(node);
            let name = all.trim_start_matches("import").trim();
            let is_static = name.starts_with("static ");
            let name = name.trim_start_matches("static").trim().trim_end_matches(';').trim();
            Some((u8::from(!is_static), 0, name.to_owned(), String::new(), Vec::new()))
        }
        "go" => Some((0, 0, text(node.child_by_field_name("path")?), text(node), Vec::new())),
        "rust" => {
            let all = text(node);
            if all.contains("/*") || all.contains("//") {
                return None;
            }
            let path = text(node.child_by_field_name("argument")?);
            // A re-export stays where its author put it.
            (!all.starts_with("pub"))
                .then(|| (0, 0, String::new(), String::new(), use_path(&path, edition_2024)))
        }
        _ => {
            let module = text(node.child_by_field_name("source")?);
            let mut cursor = node.walk();
            let names = node.named_children(&mut cursor).any(|n| n.kind() == "import_clause");
            let path = module.trim_matches(['"', '\'', '`']).to_owned();
            let relative = u8::from(path.starts_with('.'));
            // `* as` comes before named imports of the same module.
            let whole = u8::from(!text(node).contains("* as "));
            names.then(|| (relative, 0, path.to_lowercase(), format!("{path} {whole}"), Vec::new()))
        }
    }
}

/// The smallest range of whole lines in which two texts differ.
fn changed_lines(old: &str, edition_2024: &str) -> Option<(Range<usize>, String)> {
    if old == edition_2024 {
        return None;
    }
    let lines = |text: &str| {
        let mut at = 0;
        let starts = text.split_inclusive('\n').map(move |l| {
            at += l.len();
            at
        });
        starts.collect::<Vec<usize>>()
    };
    let same = |pair: &(&str, &str)| pair.0 == pair.1;
    let common_lines =
        old.split_inclusive('\n').zip(edition_2024.split_inclusive('\n')).take_while(same).count();
    let start = if common_lines == 0 { 0 } else { lines(old)[common_lines - 1] };
    let (rest_old, rest_new) = (&old[start..], &edition_2024[start..]);
    let common_suffix = rest_old
        .split_inclusive('\n')
        .rev()
        .zip(rest_new.split_inclusive('\n').rev())
        .take_while(same)
        .map(|(line, _)| line.len())
        .sum::<usize>();
    let common_suffix = common_suffix.min(rest_old.len()).min(rest_new.len());
    Some((start..old.len() - common_suffix, rest_new[..rest_new.len() - common_suffix].to_owned()))
}
