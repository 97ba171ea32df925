//! Python: no wildcard import of anything unknown, nothing that adds names by text.

use crate::diagnose::Subject;
use crate::diagnose::by_text::has_unseen_names;
use crate::diagnose::known::is_said_to_be_left_alone;
use crate::facts::Ref;
use crate::index::FileId;
use crate::resolve::{Resolver, Ty};

/// Most modules on the way through wildcard imports.
const CHAIN: usize = 16;

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    subject.path.ends_with(".py") && brings_all(&subject.resolver(), subject.file, &mut Vec::new())
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
            !has_unseen_names(other_facts) && brings_all(resolver, other, seen)
        }
        _ => false,
    })
}

pub(super) fn is_undefined(subject: &Subject<'_>, reference: &Ref) -> bool {
    let (ground, name) = (&subject.ground, subject.name(reference.name));
    // Where the error is caught, it is expected: what is wrong with the name is known there.
    let caught = ground.around(reference.start, reference.end).any(|n| {
        n.kind() == "try_statement" && {
            let mut cursor = n.walk();
            let tried = n
                .child_by_field_name("body")
                .is_some_and(|body| body.byte_range().contains(&(reference.start as usize)));
            n.children(&mut cursor).any(|c| {
                let line = ground.rest_of_line(c.start_byte());
                let all = line.split(':').next().is_some_and(|l| l.trim() == "except");
                c.kind() == "except_clause" && (line.contains("NameError") || tried && all)
            })
        }
    });
    let deleted = ground.around(reference.start, reference.end).any(|n| {
        // To declare a name is no use of it.
        matches!(n.kind(), "delete_statement" | "global_statement" | "nonlocal_statement")
    });
    let line = ground.rest_of_line(reference.start as usize);
    let kept = is_said_to_be_left_alone(line, &["noqa", "type: ignore", "pyright:", "pylint"]);
    let built_in = ["builtins.", "__builtin__.", "__builtins__."];
    let built_in = ground.places(name).iter().any(|&at| {
        let before = &ground.source[..at as usize];
        built_in.iter().any(|w| before.ends_with(w))
    });
    let by_text = built_in || subject.by_text.may_write(name, reference.start);
    let special = name.starts_with("__") && name.ends_with("__");
    !(caught || deleted || kept || special || by_text)
}
