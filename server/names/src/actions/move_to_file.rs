//! `move_to_file`: a definition of the top level goes to a new file beside this one, with the
//! imports that it needs; those who use it follow.
//!
//! Where a file that others import from has to go on offering it, it imports it back. A cycle that
//! would matter while modules are loaded is refused.

mod ecma;
mod go;
mod java;
mod needs;
mod python;
mod rust;
mod subject;
mod users;
mod verify;

use std::ops::Range;

use super::import_list::removed;
use super::site::{Site, leaves};
use super::{
    ActionEdit, ActionPlan, ActionRefusal, NewFile, Offer, Planner, RefusalReason as Why, refusal,
};
use crate::facts::Role;
use crate::project::{last, parent};
use needs::Needs;
use subject::Subject;

pub(super) const FILE: Planner =
    Planner { id: "move_to_file", kind: "refactor.move", wide: true, offers, plan };

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match Subject::at(site) {
        Ok(subject) => Offer::one(format!("Move `{}` to a file of its own", subject.name)),
        Err(_) => Vec::new(),
    }
}

/// What a language makes of it.
struct Parts {
    /// What stands before the definition in the new file.
    head: String,
    /// The definition, as it is to be written there.
    code: String,
    /// What changes in the file that it leaves, beside that it leaves.
    old: Vec<(Range<usize>, String)>,
    /// What changes in other files.
    others: Vec<ActionEdit>,
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    if matches!(site.language, "c" | "cpp") {
        let why = "in C and C++, what a header declares and who includes it is not followed yet";
        return Err(refusal(Why::Shape, why));
    }
    let subject = Subject::at(site)?;
    if site.is_broken(subject.item) || site.place.syntax.root().has_error() {
        return Err(refusal(Why::Syntax, "the file has syntax errors"));
    }
    subject.check_alone(site)?;
    let path = target(site, &subject)?;
    let needs = Needs::of(site, &subject)?;
    let parts = match site.language {
        "python" => python::parts(site, &subject, &needs, &path)?,
        "javascript" | "typescript" | "tsx" => ecma::parts(site, &subject, &needs, &path)?,
        "go" => go::parts(site, &subject, &needs)?,
        "java" => java::parts(site, &subject, &needs)?,
        "rust" => rust::parts(site, &subject, &needs, &path)?,
        _ => return Err(refusal(Why::Shape, "it is not known how this language has files")),
    };
    let end = site.line_end();
    let head = parts.head.trim().replace('\n', end);
    let blank = match site.language {
        _ if head.is_empty() => String::new(),
        "python" => end.repeat(3),
        _ => end.repeat(2),
    };
    let text = format!("{head}{blank}{}{end}", parts.code.trim_end());
    let mut old = parts.old;
    old.push((subject.gone(site), String::new()));
    old.sort_by_key(|(span, _)| (span.start, span.end));
    verify::holds(site, &subject, &text, &parts.code, &old)?;
    let mut plan = ActionPlan::of(site.file, old);
    plan.edits.extend(parts.others);
    plan.creates.push(NewFile { near: site.file, path, text });
    Ok(plan)
}

/// The path of the new file.
fn target(site: &Site<'_>, subject: &Subject<'_>) -> Result<String, ActionRefusal> {
    let own = site.resolver.path(site.file);
    let (folder, wanted) = match site.language {
        "rust" => (rust::folder(site)?, rust::file_name(site, subject)?),
        "python" => (parent(own).to_owned(), python::file_name(subject, own)),
        "go" => (parent(own).to_owned(), go::file_name(subject, own)),
        "java" => (parent(own).to_owned(), format!("{}.java", subject.name)),
        _ => (parent(own).to_owned(), ecma::file_name(site, subject)?),
    };
    let path = match site.place.to {
        None => format!("{folder}/{wanted}").trim_start_matches('/').to_owned(),
        Some(to) => {
            let ending = |path: &str| path.rsplit_once('.').map(|(_, e)| e.to_owned());
            if parent(to) != folder || ending(to) != ending(own) {
                let why = format!("it can go to a new file in `{folder}`, of the same language");
                return Err(refusal(Why::Shape, why));
            }
            if matches!(site.language, "java") && last(to) != wanted {
                let why = format!("the file of a type is called like it: `{wanted}`");
                return Err(refusal(Why::Shape, why));
            }
            to.to_owned()
        }
    };
    let lower = path.to_lowercase();
    let taken = site.resolver.project().in_folder(&folder);
    let stem = |path: &str| path.rsplit_once('.').map_or(path, |(s, _)| s).to_lowercase();
    let clashes = |other: &str| match site.language {
        // A module may be named by any of several endings.
        "go" | "java" => other.to_lowercase() == lower,
        _ => stem(other) == stem(&path),
    };
    let file = taken.iter().map(|f| site.resolver.path(*f)).find(|p| clashes(p));
    let bare = path.rsplit_once('.').map_or(&*path, |(s, _)| s);
    let module = !matches!(site.language, "go" | "java")
        && !site.resolver.project().in_folder(bare).is_empty();
    if let Some(file) = file {
        let why = format!("`{file}` is there already; only a new file is filled");
        return Err(refusal(Why::Conflict, why));
    }
    if module {
        return Err(refusal(Why::Conflict, format!("there is a folder `{bare}` of its name")));
    }
    if site.language == "python" || site.language == "rust" {
        let name = last(bare);
        if let Some(why) = crate::rename::name_refused(name, site.language) {
            let why = format!("`{name}` cannot be the name of a module: {why}");
            return Err(refusal(Why::Conflict, why));
        }
    }
    Ok(path)
}

/// The edits that take imports out that only the moved code used; none where that is not certain.
fn dropped(
    site: &Site<'_>,
    subject: &Subject<'_>,
    needs: &Needs,
    kept: &dyn Fn(&str) -> bool,
) -> Result<Vec<(Range<usize>, String)>, ActionRefusal> {
    let mut names = Vec::new();
    for &d in &needs.imports {
        let name = site.name_of(d);
        let def = site.def(d);
        let mut span = def.name_start as usize..def.name_end as usize;
        // A Go import may be known by a name that is not written.
        if site.language == "go" {
            let spec = needs::item_of(site, d, &["import_spec"]);
            span = spec.map_or(span, |s| s.byte_range());
        }
        let used = is_used_outside(site, subject, needs, d);
        if !used && !kept(name) && !span.is_empty() {
            names.push(span);
        }
    }
    if names.is_empty() {
        return Ok(Vec::new());
    }
    removed(site, &names)
}

/// Whether the rest of the file may use an import.
fn is_used_outside(site: &Site<'_>, subject: &Subject<'_>, needs: &Needs, d: u32) -> bool {
    let (facts, name) = (site.facts, site.name_of(d));
    let outside = |at: usize| {
        !subject.span.contains(&at) && !needs.statements.iter().any(|s| s.contains(&at))
    };
    if site.language == "go" {
        // An import that nothing uses is an error here, and so is the lack of one.
        return facts.references.iter().any(|r| {
            let plain = r.role == Role::Plain && r.name == site.def(d).name && r.start < r.end;
            let found =
                || site.resolver.lexical(site.file, r.scope, r.start, r.name, name, r.namespace);
            plain && outside(r.start as usize) && found().iter().any(|f| f.id.def == d)
        });
    }
    let mut used = false;
    leaves(site.place.syntax.root(), &mut |leaf| {
        let kind = leaf.kind();
        let says = match kind {
            "property_identifier" => false,
            "comment" if site.language == "python" => false,
            _ if kind.ends_with("identifier") => site.text(leaf) == name,
            _ => {
                leaf.byte_range().len() >= name.len()
                    && words(site.text(leaf), name).next().is_some()
            }
        };
        used |= says && outside(leaf.start_byte());
    });
    used
}

/// Where a word stands in a text.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}

/// A line below the imports that a file begins with; else above its first code.
fn line_below_imports(site: &Site<'_>, kinds: &[&str], line: &str) -> (Range<usize>, String) {
    let root = site.place.syntax.root();
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
    let end = site.line_end();
    match (after, before) {
        (Some(after), _) => {
            let rest = &site.source[after.end_byte()..];
            let feed = rest.find('\n');
            let blank = if kinds.contains(&after.kind()) { "" } else { end };
            match feed {
                _ if site.source[..after.end_byte()].ends_with('\n') => {
                    let at = after.end_byte();
                    (at..at, format!("{blank}{line}{end}"))
                }
                Some(feed) => {
                    let at = after.end_byte() + feed + 1;
                    (at..at, format!("{blank}{line}{end}"))
                }
                None => {
                    let at = site.source.len();
                    (at..at, format!("{end}{blank}{line}"))
                }
            }
        }
        (None, Some(before)) => {
            let mut at = site.line_start(before.start_byte());
            // A comment just above code stays with it.
            let mut node = before;
            while let Some(prev) = node.prev_sibling().filter(|p| p.kind().contains("comment")) {
                if prev.end_position().row + 1 < node.start_position().row
                    || prev.start_position().row == 0
                {
                    break;
                }
                at = site.line_start(prev.start_byte());
                node = prev;
            }
            let blanks = if site.language == "python" { 3 } else { 2 };
            (at..at, format!("{line}{}", end.repeat(blanks)))
        }
        (None, None) => (0..0, format!("{line}{end}")),
    }
}
