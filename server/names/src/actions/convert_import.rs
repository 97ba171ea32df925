//! `convert_import`: rewrites an import in another form, together with its uses.
//!
//! Python: a module by its full path, or by its name. JavaScript and TypeScript: the namespace of a
//! module, or the names used of it. Rust: the imports of one module merged, or one each. Refused if
//! a use is uncertain or the new name is taken.

mod ecma;
mod python;
mod rust;

use std::ops::Range;

use tree_sitter::Node;

use super::context::ActionContext;
use super::unused_import::import_statement;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal};
use crate::diagnose::lexical_index::{LexicalIndex, LexicalKind};
use crate::facts::{NameSite as FactSite, ReferenceRole};
use crate::resolve::DefId;
use crate::vocabulary::DefinitionKind;

pub(super) const CONVERT_IMPORT: Planner =
    Planner { id: "convert_import", kind: "refactor.rewrite", wide: true, offers, plan };

/// Edits of the file.
type Edits = Vec<(Range<usize>, String)>;

/// A form of an import.
struct ImportForm {
    choice: &'static str,
    title: &'static str,
    edits: fn(&ActionContext<'_>, Node<'_>) -> Result<Edits, ActionRefusal>,
}

/// The import at the cursor, and the forms it can be converted to.
fn forms<'t>(ctx: &ActionContext<'t>) -> Option<(Node<'t>, Vec<ImportForm>)> {
    let root = ctx.request.syntax.root();
    let at = ctx.range.start;
    let node = root.descendant_for_byte_range(at, at)?;
    let node = import_statement(node)?;
    let text = ctx.text(node);
    let forms = match ctx.language {
        "python" => python::forms(node, text),
        "typescript" | "tsx" | "javascript" => ecma::forms(text),
        "rust" => rust::forms(text),
        _ => Vec::new(),
    };
    Some((node, forms))
}

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    let Some((_, forms)) = forms(ctx) else { return Vec::new() };
    let offer = |form: ImportForm| Offer {
        title: form.title.to_owned(),
        choice: form.choice.to_owned(),
        preferred: false,
        mends: Vec::new(),
    };
    forms.into_iter().map(offer).collect()
}

fn plan(ctx: &ActionContext<'_>, choice: &str) -> Result<ActionPlan, ActionRefusal> {
    let found = forms(ctx);
    let form = found.and_then(|(node, forms)| {
        let form = forms.into_iter().find(|f| choice.is_empty() || f.choice == choice)?;
        Some((node, form))
    });
    let Some((node, form)) = form else {
        return Err(refusal(Reason::NotApplicable, "no import that can be converted is here"));
    };
    if ctx.request.syntax.root().has_error() {
        return Err(refusal(Reason::Syntax, "the file has syntax errors"));
    }
    let text = ctx.text(node);
    if text.contains("/*") || text.contains("//") || ctx.language == "python" && text.contains('#')
    {
        return Err(refusal(Reason::Unsupported, "the import contains a comment"));
    }
    Ok(ActionPlan::from_edits(ctx.file, (form.edits)(ctx, node)?))
}

fn unsupported(why: &str) -> ActionRefusal {
    refusal(Reason::Unsupported, why)
}

/// The import definition at a byte.
fn import_at(ctx: &ActionContext<'_>, at: usize) -> Option<u32> {
    let all = ctx.facts.definitions.iter().enumerate().skip(1);
    let mut here = all
        .filter(|(_, d)| d.kind == DefinitionKind::Import && d.name_start as usize == at)
        .map(|(n, _)| n as u32);
    here.next().filter(|_| here.next().is_none())
}

/// Whether a byte is inside braces opened on its line.
fn in_braces(source: &str, at: u32) -> bool {
    let before = &source[..at as usize];
    let line = before.rfind('\n').map_or(before, |n| &before[n..]);
    line.rfind('{') > line.rfind('}')
}

/// The uses of an imported name outside imports.
///
/// # Errors
/// If an occurrence is uncertain, or the name is defined twice.
fn uses_of_import(
    ctx: &ActionContext<'_>,
    lex: &LexicalIndex<'_>,
    d: u32,
) -> Result<Vec<usize>, ActionRefusal> {
    let (def, name) = (ctx.def(d), ctx.name_of(d));
    let unknown = |at: u32| {
        let line = ctx.source[..at as usize].matches('\n').count() + 1;
        let why = format!("it is uncertain what `{name}` refers to in line {line}");
        Err(refusal(Reason::Unknown, why))
    };
    if def.scope != 0 || ctx.facts.definitions_in_scope(def.scope, def.name).len() > 1 {
        return Err(unsupported("the name is defined more than once, or not at the top level"));
    }
    let mut all = Vec::new();
    for &at in lex.occurrences(name) {
        let node = lex.node(at, at + name.len() as u32);
        match lex.kind(at) {
            LexicalKind::Comment
                if ctx.language == "python" && lex.comment_at(at).contains("type:") =>
            {
                return unknown(at);
            }
            // A type in a JSDoc comment: `@param {Name}`.
            LexicalKind::Comment
                if !matches!(ctx.language, "python" | "rust") && in_braces(&ctx.source, at) =>
            {
                return unknown(at);
            }
            LexicalKind::String if ctx.language == "python" => return unknown(at),
            LexicalKind::Comment | LexicalKind::String => continue,
            LexicalKind::Code => {}
        }
        if lex.is_member(at) || node.is_some_and(|n| import_statement(n).is_some()) {
            continue;
        }
        if node.is_some_and(|n| n.kind() == "property_identifier") {
            continue;
        }
        let Some(FactSite::Reference(r)) = ctx.facts.site_at(at as usize) else {
            return unknown(at);
        };
        let reference = &ctx.facts.references[r as usize];
        match reference.role {
            ReferenceRole::Keyword => continue,
            ReferenceRole::Plain if reference.start == at => {}
            _ => return unknown(at),
        }
        let targets = ctx.resolver.resolve_in_scopes(
            ctx.file,
            reference.scope,
            reference.start,
            reference.name,
            name,
            reference.namespace,
        );
        let own = DefId { file: ctx.file, def: d };
        if targets.is_empty() || !targets.iter().all(|f| f.id == own) {
            return unknown(at);
        }
        all.push(at as usize);
    }
    Ok(all)
}

/// Checks that the file does not use a name.
///
/// # Errors
/// If it does.
fn check_unused(ctx: &ActionContext<'_>, name: &str) -> Result<(), ActionRefusal> {
    match ctx.is_unused_name(name) {
        true => Ok(()),
        false => Err(refusal(Reason::Conflict, format!("`{name}` is already used in this file"))),
    }
}
