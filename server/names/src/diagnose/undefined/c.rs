//! C: every file that is included is here, and the name stands in none of them.

use crate::diagnose::Subject;
use crate::facts::Ref;
use crate::index::FileId;
use crate::resolve::{Resolver, Ty};

/// Most files that one includes.
const MOST: usize = 400;

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    subject.path.ends_with(".c") && closure(subject).is_some()
}

/// Every file that the subject includes, itself too; `None` where one of them is not here.
fn closure(subject: &Subject<'_>) -> Option<Vec<FileId>> {
    let resolver = subject.resolver();
    let (mut all, mut next) = (vec![subject.file], 0);
    while let Some(&file) = all.get(next) {
        next += 1;
        if all.len() > MOST {
            return None;
        }
        for other in includes(&resolver, file)? {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    Some(all)
}

fn includes(resolver: &Resolver<'_>, file: FileId) -> Option<Vec<FileId>> {
    let facts = resolver.facts(file);
    let led = facts.globs.iter().map(|g| match resolver.eval(file, g.module) {
        Ty::Module(other, _) => Some(other),
        _ => None,
    });
    led.collect()
}

pub(super) fn is_undefined(subject: &Subject<'_>, reference: &Ref) -> bool {
    let (ground, name) = (&subject.ground, subject.name(reference.name));
    let capital = !name.chars().any(|c| c.is_ascii_lowercase());
    if capital || name.starts_with("__") || in_condition(subject, reference) {
        return false;
    }
    // It stands nowhere else in the project, so that no macro of it puts it together.
    let elsewhere = subject
        .index
        .names
        .get(name)
        .is_some_and(|p| p.defined.iter().chain(&p.used).any(|f| *f != subject.file));
    !elsewhere && !ground.source.contains("##")
}

fn in_condition(subject: &Subject<'_>, reference: &Ref) -> bool {
    let mut around = subject.ground.around(reference.start, reference.end);
    around.any(|n| {
        n.kind().starts_with("preproc")
            || n.kind().contains("attribute")
            || n.kind().contains("asm")
    })
}
