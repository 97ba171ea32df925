//! Python: no wildcard import of anything unknown, nothing that adds names by text.

use crate::diagnose::Subject;
use crate::facts::Ref;
use crate::index::FileId;
use crate::resolve::{Resolver, Ty};

/// Most modules on the way through wildcard imports.
const CHAIN: usize = 16;

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    let by_text = ["globals", "exec", "execfile", "__builtins__", "setattr", "__import__"];
    if by_text.iter().any(|w| subject.ground.has(w)) || !subject.path.ends_with(".py") {
        return false;
    }
    brings_all(&subject.resolver(), subject.file, &mut Vec::new())
}

/// Whether everything that a file's wildcard imports bring is known.
fn brings_all(resolver: &Resolver<'_>, file: FileId, seen: &mut Vec<FileId>) -> bool {
    if seen.contains(&file) {
        return true;
    }
    seen.push(file);
    if seen.len() > CHAIN {
        return false;
    }
    let facts = resolver.facts(file);
    facts.globs.iter().all(|glob| match resolver.eval(file, glob.module) {
        Ty::Module(other, 0) => {
            let other_facts = resolver.facts(other);
            if resolver.is_library(other) {
                // What a dependency offers depends on its version.
                return false;
            }
            let by_text = ["globals", "exec", "__getattr__", "locals", "vars"];
            !by_text.iter().any(|w| other_facts.strings.find(w).is_some())
                && brings_all(resolver, other, seen)
        }
        _ => false,
    })
}

pub(super) fn is_undefined(subject: &Subject<'_>, reference: &Ref) -> bool {
    let (ground, name) = (&subject.ground, subject.name(reference.name));
    // Where the error is caught, it is expected.
    let caught = ground.around(reference.start, reference.end).any(|n| {
        n.kind() == "try_statement" && {
            let mut cursor = n.walk();
            n.children(&mut cursor).any(|c| {
                let line = ground.rest_of_line(c.start_byte());
                c.kind() == "except_clause"
                    && (line.contains("NameError")
                        || line.contains("Exception")
                        || line.split(':').next().is_some_and(|l| l.trim() == "except"))
            })
        }
    });
    let deleted =
        ground.around(reference.start, reference.end).any(|n| n.kind() == "delete_statement");
    let line = ground.rest_of_line(reference.start as usize);
    let kept = ["noqa", "type: ignore", "pyright:", "pylint"].iter().any(|w| line.contains(w));
    let special = name.starts_with("__") && name.ends_with("__");
    !(caught || deleted || kept || special)
}
