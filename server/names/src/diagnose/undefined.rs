//! Names that nothing defines.

mod c;
mod ecma;
mod go;
mod java;
mod python;
mod rust;
mod rust_made;

use std::sync::atomic::{AtomicBool, Ordering};

use super::ground::Kind;
use super::{Finding, FindingKind, Subject, known};
use crate::facts::{Ref, Role};
use crate::resolve::Resolver;
use crate::vocabulary::{DefinitionKind, Namespace};

/// Most findings of one file: where more is missing, something else is wrong.
const MOST: usize = 100;

pub(super) fn find(subject: &Subject<'_>, found: &mut Vec<Finding>, interrupt: &AtomicBool) {
    let facts = subject.facts;
    let suspects: Vec<u32> = (0..facts.references.len() as u32)
        .filter(|&r| is_suspect(subject, &facts.references[r as usize]))
        .collect();
    if suspects.is_empty() || !is_closed(subject) {
        return;
    }
    let (mut resolver, before) = (subject.resolver(), found.len());
    for r in suspects {
        if interrupt.load(Ordering::Relaxed) {
            return;
        }
        if resolver.is_spent() {
            resolver = subject.resolver();
        }
        let reference = &facts.references[r as usize];
        // What the parser makes of a construct that it does not know is not what was written.
        let broken = subject.ground.syntax.root().has_error()
            && subject.ground.around(reference.start, reference.end).any(|n| n.is_error());
        if !broken && is_undefined(subject, &resolver, r, reference) {
            let name = subject.name(reference.name);
            let (start, end) = (reference.start, reference.end);
            found.push(subject.finding(FindingKind::UndefinedName, start, end, name));
            if found.len() - before > MOST {
                break;
            }
        }
    }
    if subject.language == "rust" {
        rust::leave_what_macros_make(subject, found, before);
    }
}

/// Whether all that can be seen without asking other files leaves a name undefined. It is the same
/// name for all its kinds, wherever the file defines it: what is out of sight is seldom meant.
fn is_suspect(subject: &Subject<'_>, reference: &Ref) -> bool {
    let facts = subject.facts;
    let member = |&d: &u32| {
        let def = &facts.definitions[d as usize];
        matches!(def.kind, DefinitionKind::Field | DefinitionKind::Method)
    };
    let name = subject.name(reference.name);
    reference.role == Role::Plain
        && reference.start < reference.end
        && !reference.namespace.has(Namespace::NOTE)
        && reference.namespace != Namespace::LABEL
        && !known::is_global(subject.language, name)
        && facts.named(reference.name).iter().all(member)
        && is_word(name)
        && subject.ground.kind(reference.start) == Kind::Code
        && subject.ground.source.get(reference.start as usize..reference.end as usize) == Some(name)
        && !facts.is_foreign(reference.start)
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.len() > 1
}

/// Whether every place that a name of the file could come from is known.
fn is_closed(subject: &Subject<'_>) -> bool {
    match subject.language {
        "python" => python::is_closed(subject),
        "typescript" | "tsx" | "javascript" => ecma::is_closed(subject),
        "rust" => rust::is_closed(subject),
        "go" => go::is_closed(subject),
        "java" => true,
        "c" => c::is_closed(subject),
        _ => false,
    }
}

fn is_undefined(subject: &Subject<'_>, resolver: &Resolver<'_>, r: u32, reference: &Ref) -> bool {
    let own = match subject.language {
        "python" => python::is_undefined(subject, reference),
        "typescript" | "tsx" | "javascript" => ecma::is_undefined(subject, reference),
        "rust" => rust::is_undefined(subject, resolver, reference),
        "go" => go::is_undefined(subject, reference),
        "java" => java::is_undefined(subject, resolver, r, reference),
        "c" => c::is_undefined(subject, reference),
        _ => false,
    };
    own && resolver.reference(subject.file, r).is_empty() && !resolver.is_spent()
}
