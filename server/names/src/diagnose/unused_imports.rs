//! Imports that nothing uses.

use super::ground::Kind;
use super::{Finding, FindingKind, Subject};
use crate::facts::{Def, Role, Site};
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Words in a comment beside an import, or anywhere in some files, by which people say that an
/// import that looks unused is meant to stand.
const KEPT: &[&str] = &[
    "noqa",
    "unused",
    "F401",
    "side effect",
    "side-effect",
    "re-export",
    "reexport",
    "pylint",
    "eslint-disable",
    "ts-ignore",
    "ts-expect-error",
    "keep",
    "NOSONAR",
    "pyright:",
    "flake8",
    "backwards",
    "compat",
    "IWYU",
    "nolint",
];
/// Most other files that are asked whether they import a name through this one.
const OTHERS: usize = 64;

pub(super) fn find(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    if !can_tell(subject) {
        return;
    }
    let resolver = subject.resolver();
    for d in 1..subject.facts.definitions.len() as u32 {
        let def = &subject.facts.definitions[d as usize];
        if def.kind == DefinitionKind::Import
            && def.name_start < def.name_end
            && !def.flags.has(Flags::EXPORTED | Flags::HIDDEN | Flags::LISTED)
            // What a class imports is a member of it, for whoever has the class.
            && subject.facts.scopes[def.scope as usize].kind != ScopeKind::Body
            && is_unused(subject, &resolver, d, def)
        {
            let name = subject.name(def.name);
            found.push(subject.finding(
                FindingKind::UnusedImport,
                def.name_start,
                def.name_end,
                name,
            ));
        }
    }
}

/// Whether what a file of this kind imports serves the file alone.
fn can_tell(subject: &Subject<'_>) -> bool {
    let (path, ground) = (subject.path, &subject.ground);
    let file = path.rsplit('/').next().unwrap_or(path);
    match subject.language {
        "python" => {
            // Whoever reads a module's names by text uses what it imports.
            file.ends_with(".py")
                && !matches!(file, "__init__.py" | "conftest.py" | "conf.py")
                && !subject.by_text.reads_module
                && !ground.source.contains("flake8: noqa")
        }
        "typescript" | "tsx" | "javascript" => {
            let off = ["ts-nocheck", "eslint-disable no-unused", "@jsx"];
            !file.contains(".d.")
                && !ground.has("eval")
                && !off.iter().any(|w| ground.source.contains(w))
        }
        "rust" => {
            let off = ["unused_imports", "allow(unused)", "allow(warnings)", "clippy::all"];
            !off.iter().any(|w| ground.source.contains(w)) && !calls_macros_from_elsewhere(subject)
        }
        "go" | "java" => true,
        _ => false,
    }
}

/// Whether a macro is called whose text, elsewhere, may name what is imported here.
fn calls_macros_from_elsewhere(subject: &Subject<'_>) -> bool {
    let (facts, ground) = (subject.facts, &subject.ground);
    let own = |name: u32| {
        let all = facts.named(name).iter();
        all.copied().any(|d| facts.definitions[d as usize].kind == DefinitionKind::Macro)
    };
    facts.references.iter().any(|r| {
        let called = r.namespace == Namespace::MACRO
            || ground.source[r.end as usize..].starts_with('!')
                && !ground.source[r.end as usize..].starts_with("!=");
        called && !super::known::is_plain_macro(subject.name(r.name)) && !own(r.name)
    })
}

fn is_unused(subject: &Subject<'_>, resolver: &Resolver<'_>, d: u32, def: &Def) -> bool {
    let (facts, ground) = (subject.facts, &subject.ground);
    let name = subject.name(def.name);
    let Some(statement) = ground.around(def.name_start, def.name_end).find(|n| is_import(n.kind()))
    else {
        return false;
    };
    let whole = statement.start_byte() as u32..statement.end_byte() as u32;
    let text = &ground.source[whole.start as usize..whole.end as usize];
    let after = ground.rest_of_line(whole.end as usize);
    let line_above = ground.source[..whole.start as usize].trim_end_matches([' ', '\t']);
    let line_above = line_above.trim_end_matches(['\n', '\r']).rsplit('\n').next().unwrap_or("");
    let above = line_above.trim_start().starts_with(['#', '/', '*', '@']);
    // In Python, what is imported may be called so.
    let remarks = |line: &'_ str| match subject.language {
        "python" => line.find('#').map_or(0, |at| at)..line.len(),
        _ => 0..line.len(),
    };
    let says = |line: &str| {
        let remark = &line[remarks(line)];
        let any = subject.language != "python" || remark.starts_with('#');
        any && super::known::is_said_to_be_left_alone(remark, KEPT)
    };
    if text.lines().any(says) || says(after) || above && says(line_above) {
        return false;
    }
    if subject.by_text.may_read_local(def.name_start) {
        return false;
    }
    if !may_go(subject, resolver, def, text, statement.kind()) {
        return false;
    }
    // Another definition in the same place: one of them may stand in for the other.
    let same = facts.in_scope(def.scope, def.name).len() > 1;
    if same {
        return false;
    }
    for &at in ground.places(name) {
        if whole.contains(&at) {
            if subject.language == "go" || at == def.name_start {
                continue;
            }
            if is_own_word(subject, at) {
                continue;
            }
        }
        if is_use(subject, resolver, d, def, name, at) {
            return false;
        }
    }
    !is_used_elsewhere(subject, resolver, name)
}

fn is_import(kind: &str) -> bool {
    matches!(
        kind,
        "import_statement"
            | "import_from_statement"
            | "use_declaration"
            | "extern_crate_declaration"
            | "import_declaration"
            | "import_spec"
    )
}

/// Whether a word in the import itself is of what it imports: `a` of `import a.b`, `x` of
/// `import {x}` or of `from x import x`.
fn is_own_word(subject: &Subject<'_>, at: u32) -> bool {
    match subject.facts.site(at as usize) {
        Some(Site::Definition(_)) | None => true,
        // Names inside of an import only lead to what is imported.
        Some(Site::Reference(r)) => subject.facts.references[r as usize].role != Role::Keyword,
    }
}

/// Whether an import of this form does nothing but name something.
fn may_go(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    def: &Def,
    text: &str,
    statement: &str,
) -> bool {
    let (facts, name, ground) = (subject.facts, subject.name(def.name), &subject.ground);
    match subject.language {
        "python" => {
            let again = [format!("{name} as {name}"), format!("* as {name}")];
            let tried =
                ground.around(def.name_start, def.name_end).any(|n| n.kind() == "try_statement");
            // A parameter may ask for a fixture by its name.
            let file = crate::project::last(subject.path);
            let tests = file.starts_with("test")
                || file.ends_with("_test.py")
                || subject.path.split('/').any(|p| matches!(p, "test" | "tests" | "testing"))
                || ground.has("pytest");
            let parameter =
                |&d: &u32| facts.definitions[d as usize].kind == DefinitionKind::Parameter;
            let asked = |d: &u32| tests && parameter(d);
            !again.iter().any(|w| text.contains(w))
                && !tried
                && !facts.named(def.name).iter().any(asked)
                && name != "__all__"
        }
        "typescript" | "tsx" | "javascript" => {
            let jsx = subject.path.ends_with('x') || subject.language == "javascript";
            !(jsx && matches!(name, "React" | "h" | "jsx" | "Fragment" | "preact"))
        }
        "rust" => {
            if statement != "use_declaration"
                || text.starts_with("pub")
                || name.starts_with('_')
                || has_attribute(ground.source, ground.node(def.name_start, def.name_end))
            {
                return false;
            }
            // A trait is used by its methods; what is not here may be one.
            let id = DefId { file: subject.file, def: facts_number(subject, def) };
            let targets = resolver.value_targets(subject.file, def.value);
            let plain = |kind: DefinitionKind| {
                !matches!(
                    kind,
                    DefinitionKind::Trait | DefinitionKind::Import | DefinitionKind::Macro
                )
            };
            targets.iter().any(|f| f.id != id)
                && targets.iter().all(|f| plain(resolver.def(f.id).kind))
        }
        "go" => {
            // Which name a package has, only the package says.
            if name == "_" || name == "." || name == "C" {
                return false;
            }
            let aliased = !text.trim_start().starts_with(['"', '`']);
            aliased || is_named_so(resolver, subject, def, name)
        }
        "java" => !text.contains('*'),
        _ => false,
    }
}

fn facts_number(subject: &Subject<'_>, def: &Def) -> u32 {
    let all = subject.facts.in_scope(def.scope, def.name);
    let this =
        all.iter().find(|&&d| subject.facts.definitions[d as usize].name_start == def.name_start);
    this.copied().unwrap_or(0)
}

/// Whether an attribute stands before the statement around a node, or around that.
fn has_attribute(source: &str, node: Option<tree_sitter::Node<'_>>) -> bool {
    let around = std::iter::successors(node, tree_sitter::Node::parent);
    around.filter(|n| n.kind().ends_with("_declaration") || n.kind().ends_with("_item")).any(|n| {
        let before = n.prev_named_sibling();
        before.is_some_and(|b| {
            b.kind() == "attribute_item"
                && (n.kind() == "use_declaration" || source[b.byte_range()].contains("cfg"))
        })
    })
}

/// Whether a Go package is called what its path says.
fn is_named_so(resolver: &Resolver<'_>, subject: &Subject<'_>, def: &Def, name: &str) -> bool {
    match resolver.eval(subject.file, def.value) {
        Ty::Folder(module) => {
            let crate::project::Module::Folder(folder) = &*module else { return false };
            let files = subject.index.project.in_folder(folder);
            let is = |f: &crate::index::FileId| {
                let package = resolver.facts(*f).package_name();
                package == name || package.strip_suffix("_test") == Some(name)
            };
            !files.is_empty() && files.iter().all(is)
        }
        _ => {
            // The standard library's packages are called what their paths end in.
            subject.facts.module_named(def.value).is_some_and(|(path, _)| {
                !path.split('/').next().unwrap_or("").contains('.')
                    && path.split('/').next_back() == Some(name)
            })
        }
    }
}

/// Whether a word may mean the import `d`. Anything that is not known to be something else may.
fn is_use(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    d: u32,
    def: &Def,
    name: &str,
    at: u32,
) -> bool {
    let (facts, ground) = (subject.facts, &subject.ground);
    match ground.kind(at) {
        Kind::Comment => return is_used_in_comment(subject, at),
        Kind::Text if subject.language == "python" => return !is_prose(subject, at),
        Kind::Text => return subject.language == "rust",
        Kind::Code => {}
    }
    if ground.is_member(at) {
        return false;
    }
    match facts.site(at as usize) {
        None => true,
        Some(Site::Definition(other)) => {
            let other_def = &facts.definitions[other as usize];
            if other == d {
                return false;
            }
            // A name may both refer and define: `{x}` of an object, `export {x}`.
            other_def.name_start != at
                || other_def.kind == DefinitionKind::Import
                || other_def.scope == def.scope
                || has_reference(subject, at)
        }
        Some(Site::Reference(r)) => {
            let reference = &facts.references[r as usize];
            match reference.role {
                Role::Keyword => false,
                Role::Plain => {
                    let led = resolver.lexical(
                        subject.file,
                        reference.scope,
                        reference.start,
                        reference.name,
                        name,
                        reference.namespace,
                    );
                    // Only a name of a function of its own is certain to hide the import.
                    let hidden = |f: &crate::resolve::Found| {
                        let other = resolver.def(f.id);
                        f.id.file == subject.file
                            && f.id.def != d
                            && other.kind != DefinitionKind::Import
                            && matches!(
                                facts.scopes[other.scope as usize].kind,
                                ScopeKind::Function
                                    | ScopeKind::Lambda
                                    | ScopeKind::Block
                                    | ScopeKind::Comprehension
                            )
                    };
                    led.is_empty() || !led.iter().all(hidden)
                }
                _ => true,
            }
        }
    }
}

/// Whether a place is in a text that is only there to be read, without examples.
fn is_prose(subject: &Subject<'_>, at: u32) -> bool {
    let ground = &subject.ground;
    let mut around = ground.around(at, at + 1);
    let Some(text) = around.find(|n| n.kind() == "string") else { return false };
    let alone = text.parent().is_some_and(|p| p.kind() == "expression_statement");
    alone && !ground.source[text.byte_range()].contains(">>>")
}

fn has_reference(subject: &Subject<'_>, at: u32) -> bool {
    let all = &subject.facts.references;
    all.iter().any(|r| r.start == at && r.role == Role::Plain)
}

fn is_used_in_comment(subject: &Subject<'_>, at: u32) -> bool {
    let comment = subject.ground.comment(at);
    match subject.language {
        "python" => comment.contains("type:") || comment.contains(">>>"),
        "go" => false,
        // Documentation may link to it, and types may stand in it.
        "rust" => {
            comment.starts_with("///") || comment.starts_with("//!") || comment.starts_with("/*")
        }
        _ => comment.starts_with("/**") || comment.contains('@'),
    }
}

/// Whether another file may get a name through this one.
pub(crate) fn is_used_elsewhere(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    name: &str,
) -> bool {
    if !matches!(subject.language, "python" | "rust") {
        return false;
    }
    let Some(postings) = subject.index.names.get(name) else { return false };
    let others = || postings.used.iter().chain(&postings.defined).filter(|f| **f != subject.file);
    if subject.language == "rust" {
        // The modules below see what this one imports.
        let folder = crate::project::parent(subject.path);
        let stem = subject.path.trim_end_matches(".rs");
        let root =
            ["lib", "main", "mod"].iter().any(|n| stem == *n || stem.ends_with(&format!("/{n}")));
        let below = |f: &&crate::index::FileId| {
            let path = subject.index.project.path(**f);
            let within = if root { folder } else { stem };
            within.is_empty() || path.strip_prefix(within).is_some_and(|r| r.starts_with('/'))
        };
        return others().any(|f| below(&f));
    }
    if others().count() > OTHERS {
        return true;
    }
    others().any(|&other| {
        let facts = resolver.facts(other);
        if facts.language.id() != "python" {
            return false;
        }
        let is_this =
            |value| matches!(resolver.eval(other, value), Ty::Module(f, 0) if f == subject.file);
        let number = facts.strings.find(name);
        let member = facts
            .references
            .iter()
            .any(|r| Some(r.name) == number && r.role == Role::Member && is_this(r.receiver));
        member || facts.globs.iter().any(|g| is_this(g.module))
    })
}
