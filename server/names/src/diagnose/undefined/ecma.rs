//! JavaScript and TypeScript: modules, in which nothing but globals is seen from outside.

use crate::diagnose::Subject;
use crate::facts::Ref;
use crate::vocabulary::{DefinitionKind, Flags};

/// Words that a name can only be taken for.
const RESERVED: &[&str] = &[
    "await", "yield", "async", "of", "get", "set", "let", "static", "type", "accessor", "using",
    "from", "as", "is", "out", "in", "enum", "declare", "abstract", "override", "target", "meta",
];

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    let (facts, ground) = (subject.facts, &subject.ground);
    let module = !facts.globs.is_empty()
        || facts.definitions[1..].iter().any(|d| {
            d.scope == 0 && (d.kind == DefinitionKind::Import || d.flags.has(Flags::EXPORTED))
        })
        || ground.has("require") && ground.has("exports");
    let file = subject.path.rsplit('/').next().unwrap_or(subject.path);
    let off = ["eval", "with", "runInNewContext", "runInContext", "vm"];
    module
        && !file.contains(".d.")
        && !off.iter().any(|w| ground.has(w) && is_code(subject, w))
        && !ground.source.contains("ts-nocheck")
        && !ground.source.contains("eslint-disable no-undef")
}

fn is_code(subject: &Subject<'_>, word: &str) -> bool {
    let ground = &subject.ground;
    ground.places(word).iter().any(|&at| ground.kind(at) == super::Kind::Code)
}

pub(super) fn is_undefined(subject: &Subject<'_>, reference: &Ref) -> bool {
    let (ground, name) = (&subject.ground, subject.name(reference.name));
    // A comment may declare it for a linter; a tool may put something in its place.
    let declared = ground.places(name).iter().any(|&at| {
        ground.kind(at) == super::Kind::Comment && ground.comment(at).contains("global")
    });
    if declared || name.starts_with("__") || name.starts_with('$') {
        return false;
    }
    let tested = |n: &tree_sitter::Node<'_>| {
        let text = || &ground.source[n.byte_range()];
        matches!(n.kind(), "unary_expression" | "type_query") && text().starts_with("typeof")
    };
    if ground.around(reference.start, reference.end).take(3).any(|n| tested(&n)) {
        return false;
    }
    let jsx = ground.node(reference.start, reference.end).and_then(|n| n.parent());
    if jsx.is_some_and(|p| p.kind().starts_with("jsx_attr")) || RESERVED.contains(&name) {
        return false;
    }
    // Asked about elsewhere in the file, it is a global that may be there.
    let asked = ground.source.contains(&format!("typeof {name}"));
    let ignored = {
        let line = ground.before(reference.start);
        let start = reference.start as usize - line.len();
        let above = ground.source[..start].trim_end().rsplit('\n').next().unwrap_or("");
        ["ts-ignore", "ts-expect-error", "eslint-disable"].iter().any(|w| above.contains(w))
            || ground.rest_of_line(reference.start as usize).contains("eslint-disable")
    };
    // What any file declares for all.
    let ambient = subject.index.defined(name).any(|id| {
        let facts = subject.index.facts_of(id.file);
        let def = &facts.definitions[id.def as usize];
        let path = subject.index.project.path(id.file);
        path.contains(".d.") || def.flags.has(Flags::DECLARED) && def.scope == 0
    });
    !asked && !ignored && !ambient
}
