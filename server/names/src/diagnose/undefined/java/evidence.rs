//! What speaks for a type of Java that is found nowhere being a mistake, not one that is made when the
//! project is built or comes in a compiled file.

use crate::diagnose::{Subject, known};
use crate::library::java_names;

/// Packages of the library that code of any kind uses.
const CORE: &[&str] =
    &["java.util", "java.io", "java.time", "java.math", "java.net", "java.nio", "java.text"];

/// What the names of types begin with that generators make.
const BEGINNINGS: &[&str] =
    &["Dagger", "AutoValue", "Immutable", "Modifiable", "AutoOneOf", "Hilt", "Generated", "Gen"];

/// What the names of types end in that generators make.
const ENDINGS: &[&str] = &[
    "Impl",
    "Binding",
    "Grpc",
    "OuterClass",
    "Proto",
    "Protos",
    "Parser",
    "Lexer",
    "Visitor",
    "Listener",
    "TokenManager",
    "TokenTypes",
    "Constants",
    "Builder",
    "Args",
    "Directions",
    "Stub",
    "Service",
    "Type",
    "Types",
    "ObjectFactory",
    "Messages",
    "Bundle",
    "Dao",
    "Record",
    "Tables",
];

/// Whether a type that is found nowhere is a mistake. `inherited` says that a type around it may
/// inherit one of its name.
pub(super) fn is_missing_type(subject: &Subject<'_>, name: &str, inherited: bool) -> bool {
    let (index, project) = (subject.index, &subject.index.project);
    if project.java_peers.has(name) || looks_generated(name) {
        return false;
    }
    let compound = name.chars().filter(|c| c.is_uppercase()).count() > 1
        && name.chars().any(char::is_lowercase)
        && name.len() > 5;
    if inherited && !compound {
        return false;
    }
    // It is there, in a package that is not imported.
    let package = subject.facts.package_name();
    let elsewhere = index.defined(name).any(|id| {
        let facts = index.facts_of(id.file);
        let def = &facts.definitions[id.def as usize];
        facts.language.id() == "java"
            && def.scope == 0
            && def.kind.is_type()
            && !facts.package_name().is_empty()
            && facts.package_name() != package
    });
    // A generator may make types of names that the library has as well, those of one word at least.
    let plain = compound || !project.java_peers.has_generators();
    let in_library = |p: &str| p == "java.util" || plain && CORE.iter().any(|c| p.starts_with(c));
    if elsewhere || java_names::packages_with(name).any(in_library) {
        return true;
    }
    // Others use it: it is there when they are compiled.
    let used = index.names.get(name);
    let others = used.is_some_and(|p| {
        let mut all = p.used.iter().chain(&p.defined).filter(|f| **f != subject.file);
        all.any(|f| index.facts_of(*f).language.id() == "java")
    });
    if others {
        return false;
    }
    is_slip(subject, name)
        || !inherited && !package.is_empty() && !project.java_peers.has_generators()
}

/// Whether a name is one that generators give.
fn looks_generated(name: &str) -> bool {
    let all: Vec<char> = name.chars().take(2).collect();
    let query = matches!(all[..], ['Q', second] if second.is_uppercase());
    matches!(name, "R" | "BR" | "BuildConfig" | "Fields" | "Manifest")
        || query
        || name.contains(['_', '$'])
        || BEGINNINGS.iter().any(|b| name.starts_with(b))
        || ENDINGS.iter().any(|e| name.ends_with(e) && name != *e)
}

/// Whether a name looks like a slip of one that can be seen from the file.
fn is_slip(subject: &Subject<'_>, name: &str) -> bool {
    let (facts, project) = (subject.facts, &subject.index.project);
    // An interface is often called as the class behind it, with one more letter.
    let near = |other: &str| known::is_near(name, other) && !name.ends_with(other);
    let of_file = |facts: &crate::facts::Facts| {
        let all = facts.all_in_scope(0).iter();
        all.copied().any(|d| near(facts.strings.text(facts.definitions[d as usize].name)))
    };
    of_file(facts)
        || java_names::types("java.lang").any(near)
        || java_names::types("java.util").any(near)
        || project
            .in_package(facts.package_name())
            .iter()
            .any(|f| of_file(subject.index.facts_of(*f)))
}
