//! What the bases of a class, or a trait, demand.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use syntax::Syntax;
use text::Text;
use tree_sitter::Node;

use super::visible;
use crate::actions::site::{Site, any};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::index::FileId;
use crate::resolve::{DefId, Ty};

/// Deepest chain of bases, and most of them.
const MOST: usize = 40;

/// A member that is missing.
pub(super) struct Demanded {
    /// Its head as it is to be written, up to the opening of its body.
    pub(super) head: String,
    /// What its body does; `None` where it has none.
    pub(super) body: Option<String>,
}

/// A text with its tree.
pub(super) struct Parsed {
    pub(super) file: FileId,
    pub(super) source: Arc<str>,
    pub(super) syntax: Syntax,
}

impl Parsed {
    pub(super) fn text(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or("")
    }
}

fn parsed(site: &Site<'_>, file: FileId) -> Result<Parsed, ActionRefusal> {
    let later = || refusal(Why::Interrupted, "a file is to be read");
    let source = site.text_of(file).ok_or_else(later)?;
    let language = site.resolver.facts(file).language;
    let syntax = if file == site.file {
        site.place.syntax.clone()
    } else {
        Syntax::parse(language, &Text::new(&source), None, site.place.interrupt)
            .ok_or_else(later)?
    };
    Ok(Parsed { file, source: source.into(), syntax })
}

/// The declaration of a type, by its definition.
fn declaration<'p>(site: &Site<'_>, parsed: &'p Parsed, id: DefId) -> Option<Node<'p>> {
    let def = site.resolver.def(id);
    let root = parsed.syntax.root();
    let name =
        root.named_descendant_for_byte_range(def.name_start as usize, def.name_end as usize)?;
    name.parent()
}

/// The one type that a name in a head means.
fn base(
    site: &Site<'_>,
    file: FileId,
    node: Node<'_>,
    source: &str,
) -> Result<DefId, ActionRefusal> {
    let written = source.get(node.byte_range()).unwrap_or("");
    let unknown = || refusal(Why::Unknown, format!("`{written}` is not known"));
    if written.contains('<')
        || written.contains('[')
        || written.contains('(')
        || written.contains('=')
    {
        return Err(refusal(Why::Type, format!("`{written}` has type arguments")));
    }
    let cut = written.rfind(['.', ':']).map_or(0, |at| at + 1);
    let at = site.resolver.facts(file).site(node.start_byte() + cut).ok_or_else(unknown)?;
    let found = site.resolver.site(file, at);
    match &found[..] {
        [one] if site.resolver.def(one.id).kind.is_type() => Ok(one.id),
        _ => Err(unknown()),
    }
}

/// Whether a class of Python may lack members: a class above it, as far as its bases are known, marks
/// one as abstract. Most do not, and this parses nothing to see that.
pub(super) fn may_demand(site: &Site<'_>, node: Node<'_>) -> bool {
    let name = node.child_by_field_name("name").map(|name| name.start_byte());
    let own = site.facts.definitions.iter().position(|d| Some(d.name_start as usize) == name);
    let Some(own) = own else { return true };
    let mut queue = vec![DefId { file: site.file, def: own as u32 }];
    let mut seen: FxHashSet<DefId> = queue.iter().copied().collect();
    while let Some(id) = queue.pop() {
        site.resolver.refresh();
        for above in site.resolver.supers(id) {
            let (Ty::Type(above, _) | Ty::Instance(above, _)) = above else {
                // The reason is then that a base in its head is not known.
                if id.def == own as u32 && id.file == site.file {
                    return true;
                }
                continue;
            };
            if !seen.insert(above) {
                continue;
            }
            let span = site.resolver.def(above);
            let span = span.start as usize..span.end as usize;
            // A text that is not at hand is asked for again with it.
            let Some(source) = site.text_of(above.file) else { return true };
            if seen.len() > MOST || source.get(span).is_none_or(|s| s.contains("abstractmethod")) {
                return true;
            }
            queue.push(above);
        }
    }
    false
}

/// What is demanded and not there.
pub(super) fn missing(
    site: &Site<'_>,
    node: Node<'_>,
    bases: &[Node<'_>],
) -> Result<Vec<Demanded>, ActionRefusal> {
    let mut queue = Vec::new();
    for one in bases {
        let written = site.text(*one);
        let plain = matches!(
            written,
            "ABC" | "abc.ABC" | "object" | "Protocol" | "typing.Protocol" | "Object"
        );
        let meta = site.language == "python" && written.starts_with("metaclass");
        if !plain && !meta {
            queue.push(base(site, site.file, *one, &site.source)?);
        }
    }
    let mut have: FxHashSet<String> = FxHashSet::default();
    let own = own_members(site.language, node, &site.source);
    have.extend(own.iter().map(|(name, _)| name.clone()));
    let (mut all, mut seen) = (Vec::new(), FxHashSet::default());
    while let Some(id) = (!queue.is_empty()).then(|| queue.remove(0)) {
        if !seen.insert(id) {
            continue;
        }
        if seen.len() > MOST {
            return Err(refusal(Why::Unknown, "it has too many bases"));
        }
        let parsed = parsed(site, id.file)?;
        let unknown = || refusal(Why::Unknown, "a base is not declared plainly");
        let declared = declaration(site, &parsed, id).ok_or_else(unknown)?;
        let kinds = [
            "trait_item",
            "interface_declaration",
            "class_declaration",
            "abstract_class_declaration",
            "class_definition",
        ];
        if !kinds.contains(&declared.kind()) || declared.has_error() {
            return Err(unknown());
        }
        if declared.child_by_field_name("type_parameters").is_some() {
            return Err(refusal(Why::Type, "a base has type parameters"));
        }
        let body = declared.child_by_field_name("body").ok_or_else(unknown)?;
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            let Some((name, key, demand)) = member_of(site, &parsed, member) else { continue };
            if !demand {
                // What comes first counts.
                have.insert(key);
                continue;
            }
            if have.contains(&key) {
                continue;
            }
            if site.language == "java"
                && own.iter().any(|(own, _)| own.split('/').next() == Some(&*name))
            {
                // Overloads would have to be told apart.
                return Err(refusal(Why::Unknown, format!("`{name}` has several forms")));
            }
            have.insert(key);
            all.push(visible::written(site, &parsed, member, &name)?);
        }
        for above in heads(declared) {
            let written = parsed.text(above);
            let plain = ["ABC", "abc.ABC", "object", "Protocol", "typing.Protocol", "Object"];
            if plain.contains(&written) || written.starts_with("metaclass") {
                continue;
            }
            if site.language == "rust" {
                // Each trait has an `impl` of its own.
                continue;
            }
            queue.push(base(site, parsed.file, above, &parsed.source)?);
        }
    }
    Ok(all)
}

/// What a base is derived from itself.
fn heads<'p>(node: Node<'p>) -> Vec<Node<'p>> {
    let mut all = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let lists = [
            "superclass",
            "super_interfaces",
            "extends_interfaces",
            "extends_type_clause",
            "class_heritage",
            "argument_list",
        ];
        if lists.contains(&child.kind()) {
            collect(child, &mut all);
        }
    }
    all
}

fn collect<'p>(node: Node<'p>, all: &mut Vec<Node<'p>>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "type_list" | "interface_type_list" | "implements_clause" | "extends_clause" => {
                collect(child, all);
            }
            _ => all.push(child),
        }
    }
}

/// The members that a class has itself.
fn own_members(language: &str, node: Node<'_>, source: &str) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    let Some(body) = node.child_by_field_name("body") else { return all };
    let text = |n: Node<'_>| source.get(n.byte_range()).unwrap_or("").to_owned();
    let mut cursor = body.walk();
    for member in body.named_children(&mut cursor) {
        let member = member.child_by_field_name("definition").unwrap_or(member);
        if let Some(name) = member.child_by_field_name("name") {
            all.push((key(language, &text(name), member), member.start_byte()));
        }
        // `x = …` and `x: T` in a class of Python; `constructor(readonly x: T)`.
        let assigned = member.named_child(0).and_then(|a| a.child_by_field_name("left"));
        if let Some(left) = assigned.filter(|_| language == "python") {
            all.push((text(left), left.start_byte()));
        }
        if member.kind() == "method_definition" {
            let parameters = member.child_by_field_name("parameters");
            let mut inner = member.walk();
            for parameter in
                parameters.iter().flat_map(|p| p.named_children(&mut inner).collect::<Vec<_>>())
            {
                if let Some(pattern) = parameter.child_by_field_name("pattern") {
                    all.push((text(pattern), pattern.start_byte()));
                }
            }
        }
    }
    all
}

/// By what a member is told from others.
fn key(language: &str, name: &str, member: Node<'_>) -> String {
    match member.child_by_field_name("parameters") {
        Some(list) if language == "java" => format!("{name}/{}", list.named_child_count()),
        _ => name.to_owned(),
    }
}

/// The name of a member, its key, and whether it is demanded.
fn member_of(site: &Site<'_>, parsed: &Parsed, member: Node<'_>) -> Option<(String, String, bool)> {
    let inner = member.child_by_field_name("definition").unwrap_or(member);
    let name = parsed.text(inner.child_by_field_name("name")?).to_owned();
    let interface = |n: Node<'_>| {
        n.parent().and_then(|b| b.parent()).is_some_and(|p| p.kind() == "interface_declaration")
    };
    let bodied = inner.child_by_field_name("body").is_some();
    let demand = match site.language {
        "rust" => match inner.kind() {
            "function_signature_item" | "associated_type" => true,
            "const_item" => inner.child_by_field_name("value").is_none(),
            _ => false,
        },
        "java" => {
            let mut cursor = inner.walk();
            let words = inner.named_children(&mut cursor).find(|c| c.kind() == "modifiers");
            let has = |word: &str| {
                words.is_some_and(|w| parsed.text(w).split_whitespace().any(|o| o == word))
            };
            inner.kind() == "method_declaration"
                && !bodied
                && (has("abstract") || interface(inner) && !has("static") && !has("default"))
        }
        "python" => {
            let mut cursor = member.walk();
            let mut marks = member.named_children(&mut cursor).filter(|c| c.kind() == "decorator");
            marks.any(|m| parsed.text(m).trim_end().ends_with("abstractmethod"))
        }
        _ => {
            let optional = any(inner, &|n| {
                n.kind() == "?" && n.parent().is_some_and(|p| p.id() == inner.id())
            });
            matches!(
                inner.kind(),
                "method_signature" | "property_signature" | "abstract_method_signature"
            ) && !optional
        }
    };
    let key = key(site.language, &name, inner);
    Some((name, key, demand))
}
