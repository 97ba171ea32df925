//! The members that the bases of a class, or a trait, require.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use syntax::Syntax;
use text::Text;
use tree_sitter::Node;

use super::signature;
use crate::actions::context::{ActionContext, any_descendant};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::index::FileId;
use crate::resolve::{DefId, Ty};

/// Limit for the bases, direct and indirect.
const MAX_BASES: usize = 40;

/// A missing member.
pub(super) struct RequiredMember {
    /// Its head up to the opening of its body.
    pub(super) head: String,
    /// The statement in its body; `None` if it has no body.
    pub(super) body: Option<String>,
}

/// A file's text and syntax tree.
pub(super) struct ParsedFile {
    pub(super) file: FileId,
    pub(super) source: Arc<str>,
    pub(super) syntax: Syntax,
}

impl ParsedFile {
    pub(super) fn text(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or("")
    }
}

fn parse(ctx: &ActionContext<'_>, file: FileId) -> Result<ParsedFile, ActionRefusal> {
    let not_loaded = || refusal(Reason::Interrupted, "a file is not loaded yet");
    let source = ctx.text_of(file).ok_or_else(not_loaded)?;
    let language = ctx.resolver.facts(file).language;
    let syntax = if file == ctx.file {
        ctx.request.syntax.clone()
    } else {
        Syntax::parse(language, &Text::new(&source), None, ctx.request.interrupt)
            .ok_or_else(not_loaded)?
    };
    Ok(ParsedFile { file, source: source.into(), syntax })
}

/// The declaration of a definition.
fn declaration<'p>(ctx: &ActionContext<'_>, parsed: &'p ParsedFile, id: DefId) -> Option<Node<'p>> {
    let def = ctx.resolver.def(id);
    let root = parsed.syntax.root();
    let name =
        root.named_descendant_for_byte_range(def.name_start as usize, def.name_end as usize)?;
    name.parent()
}

/// The type that a base name resolves to.
fn resolve_base(
    ctx: &ActionContext<'_>,
    file: FileId,
    node: Node<'_>,
    source: &str,
) -> Result<DefId, ActionRefusal> {
    let written = source.get(node.byte_range()).unwrap_or("");
    let unknown = || refusal(Reason::Unknown, format!("`{written}` does not resolve"));
    if written.contains('<')
        || written.contains('[')
        || written.contains('(')
        || written.contains('=')
    {
        return Err(refusal(Reason::Type, format!("`{written}` has type arguments")));
    }
    let cut = written.rfind(['.', ':']).map_or(0, |at| at + 1);
    let at = ctx.resolver.facts(file).site_at(node.start_byte() + cut).ok_or_else(unknown)?;
    let found = ctx.resolver.definitions_at_site(file, at);
    match &found[..] {
        [one] if ctx.resolver.def(one.id).kind.is_type() => Ok(one.id),
        _ => Err(unknown()),
    }
}

/// Whether a Python class may lack members: one of its known base classes has an abstract one. Most
/// have none, and this check parses nothing.
pub(super) fn may_require(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    let name = node.child_by_field_name("name").map(|name| name.start_byte());
    let own = ctx.facts.definitions.iter().position(|d| Some(d.name_start as usize) == name);
    let Some(own) = own else { return true };
    let mut queue = vec![DefId { file: ctx.file, def: own as u32 }];
    let mut seen: FxHashSet<DefId> = queue.iter().copied().collect();
    while let Some(id) = queue.pop() {
        ctx.resolver.reset_steps();
        for above in ctx.resolver.supertypes(id) {
            let (Ty::Type(above, _) | Ty::Instance(above, _)) = above else {
                // A direct base is unknown; `missing` reports that.
                if id.def == own as u32 && id.file == ctx.file {
                    return true;
                }
                continue;
            };
            if !seen.insert(above) {
                continue;
            }
            let span = ctx.resolver.def(above);
            let span = span.start as usize..span.end as usize;
            // The text is not loaded; `missing` asks for it.
            let Some(source) = ctx.text_of(above.file) else { return true };
            if seen.len() > MAX_BASES
                || source.get(span).is_none_or(|s| s.contains("abstractmethod"))
            {
                return true;
            }
            queue.push(above);
        }
    }
    false
}

/// The required members that the class lacks.
pub(super) fn missing(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    bases: &[Node<'_>],
) -> Result<Vec<RequiredMember>, ActionRefusal> {
    let mut queue = Vec::new();
    for one in bases {
        let written = ctx.text(*one);
        let plain = matches!(
            written,
            "ABC" | "abc.ABC" | "object" | "Protocol" | "typing.Protocol" | "Object"
        );
        let meta = ctx.language == "python" && written.starts_with("metaclass");
        if !plain && !meta {
            queue.push(resolve_base(ctx, ctx.file, *one, &ctx.source)?);
        }
    }
    let mut have: FxHashSet<String> = FxHashSet::default();
    let own = own_members(ctx.language, node, &ctx.source);
    have.extend(own.iter().map(|(name, _)| name.clone()));
    let (mut all, mut seen) = (Vec::new(), FxHashSet::default());
    while let Some(id) = (!queue.is_empty()).then(|| queue.remove(0)) {
        if !seen.insert(id) {
            continue;
        }
        if seen.len() > MAX_BASES {
            return Err(refusal(Reason::Unknown, "it has too many bases"));
        }
        let parsed = parse(ctx, id.file)?;
        let unknown =
            || refusal(Reason::Unknown, "the declaration of a resolve_base is not supported");
        let declared = declaration(ctx, &parsed, id).ok_or_else(unknown)?;
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
            return Err(refusal(Reason::Type, "a resolve_base has type parameters"));
        }
        let body = declared.child_by_field_name("body").ok_or_else(unknown)?;
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            let Some((name, key, required)) = required_member(ctx, &parsed, member) else {
                continue;
            };
            if !required {
                // The first definition in base order is the one that applies.
                have.insert(key);
                continue;
            }
            if have.contains(&key) {
                continue;
            }
            if ctx.language == "java"
                && own.iter().any(|(own, _)| own.split('/').next() == Some(&*name))
            {
                // Overloads cannot be told apart by name.
                return Err(refusal(Reason::Unknown, format!("`{name}` is overloaded")));
            }
            have.insert(key);
            all.push(signature::member_with_signature(ctx, &parsed, member, &name)?);
        }
        for above in bases_of(declared) {
            let written = parsed.text(above);
            let plain = ["ABC", "abc.ABC", "object", "Protocol", "typing.Protocol", "Object"];
            if plain.contains(&written) || written.starts_with("metaclass") {
                continue;
            }
            if ctx.language == "rust" {
                // Supertraits need an `impl` of their own.
                continue;
            }
            queue.push(resolve_base(ctx, parsed.file, above, &parsed.source)?);
        }
    }
    Ok(all)
}

/// The bases of a base.
fn bases_of<'p>(node: Node<'p>) -> Vec<Node<'p>> {
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
            collect_types(child, &mut all);
        }
    }
    all
}

fn collect_types<'p>(node: Node<'p>, all: &mut Vec<Node<'p>>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "type_list" | "interface_type_list" | "implements_clause" | "extends_clause" => {
                collect_types(child, all);
            }
            _ => all.push(child),
        }
    }
}

/// The members that a class defines itself.
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
        // Python: `x = …` and `x: T`; TypeScript: `constructor(readonly x: T)`.
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

/// What identifies a member: its name, in Java also the number of parameters.
fn key(language: &str, name: &str, member: Node<'_>) -> String {
    match member.child_by_field_name("parameters") {
        Some(list) if language == "java" => format!("{name}/{}", list.named_child_count()),
        _ => name.to_owned(),
    }
}

/// The name and key of a member, and whether it is required.
fn required_member(
    ctx: &ActionContext<'_>,
    parsed: &ParsedFile,
    member: Node<'_>,
) -> Option<(String, String, bool)> {
    let inner = member.child_by_field_name("definition").unwrap_or(member);
    let name = parsed.text(inner.child_by_field_name("name")?).to_owned();
    let interface = |n: Node<'_>| {
        n.parent().and_then(|b| b.parent()).is_some_and(|p| p.kind() == "interface_declaration")
    };
    let bodied = inner.child_by_field_name("body").is_some();
    let required = match ctx.language {
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
            let optional = any_descendant(inner, &|n| {
                n.kind() == "?" && n.parent().is_some_and(|p| p.id() == inner.id())
            });
            matches!(
                inner.kind(),
                "method_signature" | "property_signature" | "abstract_method_signature"
            ) && !optional
        }
    };
    let key = key(ctx.language, &name, inner);
    Some((name, key, required))
}
