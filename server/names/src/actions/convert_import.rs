//! `convert_import`: an import is written in another form, and what uses it with it.
//!
//! Python: a module by its whole path, or by its name. JavaScript and TypeScript: a module as a
//! whole, or what is used of it. Rust: imports of one module together, or each by itself. Refused where one place of the name is not
//! certain, or the new name is in use.

mod ecma;
mod python;
mod rust;

use std::ops::Range;

use tree_sitter::Node;

use super::site::Site;
use super::unused_import::statement;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal};
use crate::diagnose::ground::{Ground, Kind};
use crate::facts::{Role, Site as Named};
use crate::resolve::DefId;
use crate::vocabulary::DefinitionKind;

pub(super) const IMPORT: Planner =
    Planner { id: "convert_import", kind: "refactor.rewrite", wide: true, offers, plan };

/// What changes in the text.
type Edits = Vec<(Range<usize>, String)>;

/// A form that an import can be written in.
struct Form {
    choice: &'static str,
    title: &'static str,
    edits: fn(&Site<'_>, Node<'_>) -> Result<Edits, ActionRefusal>,
}

/// The import at the place, and the forms that it could have by how it is written.
fn forms<'t>(site: &Site<'t>) -> Option<(Node<'t>, Vec<Form>)> {
    let root = site.place.syntax.root();
    let at = site.range.start;
    let node = root.descendant_for_byte_range(at, at)?;
    let node = statement(node)?;
    let text = site.text(node);
    let forms = match site.language {
        "python" => python::forms(node, text),
        "typescript" | "tsx" | "javascript" => ecma::forms(text),
        "rust" => rust::forms(text),
        _ => Vec::new(),
    };
    Some((node, forms))
}

fn offers(site: &Site<'_>) -> Vec<Offer> {
    let Some((_, forms)) = forms(site) else { return Vec::new() };
    let offer = |form: Form| Offer {
        title: form.title.to_owned(),
        choice: form.choice.to_owned(),
        preferred: false,
        mends: Vec::new(),
    };
    forms.into_iter().map(offer).collect()
}

fn plan(site: &Site<'_>, choice: &str) -> Result<ActionPlan, ActionRefusal> {
    let found = forms(site);
    let form = found.and_then(|(node, forms)| {
        let form = forms.into_iter().find(|f| choice.is_empty() || f.choice == choice)?;
        Some((node, form))
    });
    let Some((node, form)) = form else {
        return Err(refusal(Why::Nothing, "no import here has another form"));
    };
    if site.place.syntax.root().has_error() {
        return Err(refusal(Why::Syntax, "the file has syntax errors"));
    }
    let text = site.text(node);
    if text.contains("/*") || text.contains("//") || site.language == "python" && text.contains('#')
    {
        return Err(refusal(Why::Shape, "a comment stands inside of the import"));
    }
    Ok(ActionPlan::of(site.file, (form.edits)(site, node)?))
}

fn shape(why: &str) -> ActionRefusal {
    refusal(Why::Shape, why)
}

/// The definition that an import makes at a place.
fn imported(site: &Site<'_>, at: usize) -> Option<u32> {
    let all = site.facts.definitions.iter().enumerate().skip(1);
    let mut here = all
        .filter(|(_, d)| d.kind == DefinitionKind::Import && d.name_start as usize == at)
        .map(|(n, _)| n as u32);
    here.next().filter(|_| here.next().is_none())
}

/// Whether a place is in braces that its line has opened.
fn in_braces(source: &str, at: u32) -> bool {
    let before = &source[..at as usize];
    let line = before.rfind('\n').map_or(before, |n| &before[n..]);
    line.rfind('{') > line.rfind('}')
}

/// Every place outside of imports at which the name of an import is used.
///
/// # Errors
/// Where what a place of the name means is not certain, or the name is given twice.
fn uses(site: &Site<'_>, ground: &Ground<'_>, d: u32) -> Result<Vec<usize>, ActionRefusal> {
    let (def, name) = (site.def(d), site.name_of(d));
    let unknown = |at: u32| {
        let line = site.source[..at as usize].matches('\n').count() + 1;
        let why = format!("what `{name}` in line {line} means is not certain");
        Err(refusal(Why::Unknown, why))
    };
    if def.scope != 0 || site.facts.in_scope(def.scope, def.name).len() > 1 {
        return Err(shape("the name is given more than once, or not for the whole file"));
    }
    let mut all = Vec::new();
    for &at in ground.places(name) {
        let node = ground.node(at, at + name.len() as u32);
        match ground.kind(at) {
            Kind::Comment if site.language == "python" && ground.comment(at).contains("type:") => {
                return unknown(at);
            }
            // A type in a comment, as `@param {Name}`.
            Kind::Comment
                if !matches!(site.language, "python" | "rust") && in_braces(&site.source, at) =>
            {
                return unknown(at);
            }
            Kind::Text if site.language == "python" => return unknown(at),
            Kind::Comment | Kind::Text => continue,
            Kind::Code => {}
        }
        if ground.is_member(at) || node.is_some_and(|n| statement(n).is_some()) {
            continue;
        }
        if node.is_some_and(|n| n.kind() == "property_identifier") {
            continue;
        }
        let Some(Named::Reference(r)) = site.facts.site(at as usize) else { return unknown(at) };
        let reference = &site.facts.references[r as usize];
        match reference.role {
            Role::Keyword => continue,
            Role::Plain if reference.start == at => {}
            _ => return unknown(at),
        }
        let led = site.resolver.lexical(
            site.file,
            reference.scope,
            reference.start,
            reference.name,
            name,
            reference.namespace,
        );
        let own = DefId { file: site.file, def: d };
        if led.is_empty() || !led.iter().all(|f| f.id == own) {
            return unknown(at);
        }
        all.push(at as usize);
    }
    Ok(all)
}

/// Whether a name can be given in the file.
///
/// # Errors
/// Where it is in use.
fn free(site: &Site<'_>, name: &str) -> Result<(), ActionRefusal> {
    match site.is_free(name) {
        true => Ok(()),
        false => Err(refusal(Why::Conflict, format!("`{name}` is written in this file already"))),
    }
}
