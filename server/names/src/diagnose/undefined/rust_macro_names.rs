//! Names that macros and derives of a Rust file may generate.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use crate::diagnose::{DiagnosticsContext, name_lists};

/// Item-level macros that define only names in their arguments.
const EXPLICIT_MACROS: [&str; 12] = [
    "assert_eq_size",
    "assert_impl_all",
    "assert_not_impl_any",
    "assert_obj_safe",
    "bitflags",
    "compile_error",
    "const_assert",
    "const_assert_eq",
    "criterion_group",
    "criterion_main",
    "lazy_static",
    "thread_local",
];

/// Derives that generate no names.
const PLAIN_DERIVES: [&str; 13] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deserialize",
    "Eq",
    "Error",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
    "Zeroize",
];

/// Attributes that generate no names.
const PLAIN_ATTRIBUTES: [&str; 46] = [
    "derive",
    "doc",
    "inline",
    "cfg",
    "allow",
    "deny",
    "warn",
    "must_use",
    "non_exhaustive",
    "test",
    "cold",
    "repr",
    "deprecated",
    "track_caller",
    "default",
    "ignore",
    "should_panic",
    "cfg_attr",
    "expect",
    "forbid",
    "automatically_derived",
    "rustfmt",
    "clippy",
    "serde",
    "error",
    "from",
    "source",
    "tokio::test",
    "tokio::main",
    "bench",
    "global_allocator",
    "panic_handler",
    "no_mangle",
    "link",
    "target_feature",
    "unsafe",
    "path",
    "rustc",
    "stable",
    "unstable",
    "diagnostic",
    "command",
    "arg",
    "clap",
    "macro_use",
    "macro_export",
];

/// Names that the macros of a file may generate.
#[derive(Debug, Default)]
pub(super) struct MacroNames<'s> {
    /// The words in their arguments and definitions.
    words: FxHashSet<&'s str>,
    /// Lower-case names of types that have derives which may generate related names.
    types: Vec<String>,
}

impl<'s> MacroNames<'s> {
    /// Collects them; `None` if a macro may generate any name.
    pub(super) fn of_file(ctx: &DiagnosticsContext<'s>) -> Option<Self> {
        let root = ctx.lex.syntax.root();
        let mut reader =
            MacroReader { source: ctx.lex.source, names: Self::default(), invoked: Vec::new() };
        reader.items(root, 0)?;
        reader.definitions(root)?;
        Some(reader.names)
    }

    /// Whether a macro may generate this name.
    pub(super) fn may_generate(&self, name: &str) -> bool {
        if self.words.contains(name) {
            return true;
        }
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        !self.types.is_empty() && {
            let name = plain(name);
            self.types.iter().any(|ty| name.contains(ty.as_str()))
        }
    }
}

struct MacroReader<'s> {
    source: &'s str,
    names: MacroNames<'s>,
    /// Macros invoked at item level whose definition must be in this file.
    invoked: Vec<&'s str>,
}

impl<'s> MacroReader<'s> {
    /// Reads the macros and attributes at item level.
    fn items(&mut self, node: Node<'_>, depth: usize) -> Option<()> {
        if depth > 8 {
            return None;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "macro_invocation" => self.invocation(child)?,
                "expression_statement" => {
                    let first = child.named_child(0);
                    if let Some(call) = first.filter(|c| c.kind() == "macro_invocation") {
                        self.invocation(call)?;
                    }
                }
                "attribute_item" => self.attribute(child)?,
                "mod_item" | "declaration_list" => self.items(child, depth + 1)?,
                _ => {}
            }
        }
        Some(())
    }

    /// Reads a macro invocation; `None` if it may generate any name.
    fn invocation(&mut self, call: Node<'_>) -> Option<()> {
        let path = &self.source[call.child_by_field_name("macro")?.byte_range()];
        let name = path.rsplit("::").next().unwrap_or(path).trim();
        if !EXPLICIT_MACROS.contains(&name) {
            if path != name {
                return None;
            }
            self.invoked.push(name);
        }
        self.names.words.extend(words(&self.source[call.byte_range()]));
        Some(())
    }

    /// Checks that the invoked macros are defined in this file and invoke only plain macros.
    fn definitions(&mut self, root: Node<'_>) -> Option<()> {
        if self.invoked.is_empty() {
            return Some(());
        }
        let mut defined = FxHashSet::default();
        let mut cursor = root.walk();
        for child in root.named_children(&mut cursor).filter(|c| c.kind() == "macro_definition") {
            let name = &self.source[child.child_by_field_name("name")?.byte_range()];
            let text = &self.source[child.byte_range()];
            defined.insert(name);
            if self.invoked.contains(&name) {
                self.names.words.extend(words(text));
                // A macro that it invokes may build names by concatenation.
                let calls = text.match_indices('!').skip(1).any(|(at, _)| {
                    let before = &text[..at];
                    let called = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next();
                    let called = called.unwrap_or_default();
                    !called.is_empty()
                        && called != name
                        && (before[..at - called.len()].ends_with(['$', ':'])
                            || !name_lists::is_plain_macro(called))
                });
                if calls || text.contains("derive") {
                    return None;
                }
            }
        }
        self.invoked.iter().all(|name| defined.contains(name)).then_some(())
    }

    /// Reads an attribute; `None` if it may generate any name.
    fn attribute(&mut self, attribute: Node<'_>) -> Option<()> {
        let text = &self.source[attribute.byte_range()];
        if !is_plain_attribute(text) {
            return None;
        }
        let derives =
            text.split("derive").nth(1).map(|rest| rest.split(')').next().unwrap_or(rest));
        let makes = derives.is_some_and(|derives| {
            words(derives)
                .any(|word| word.starts_with(char::is_uppercase) && !PLAIN_DERIVES.contains(&word))
        });
        if makes {
            let mut item = attribute.next_named_sibling();
            while let Some(next) = item.filter(|i| i.kind() == "attribute_item") {
                item = next.next_named_sibling();
            }
            let name = item.and_then(|item| item.child_by_field_name("name"))?;
            let name = &self.source[name.byte_range()];
            self.names.types.push(name.replace('_', "").to_lowercase());
        }
        Some(())
    }
}

/// Whether an attribute leaves the code of its item as it is.
pub(in crate::diagnose) fn is_plain_attribute(text: &str) -> bool {
    let inner = text.trim_start_matches(['#', '[', '!', ' ']);
    PLAIN_ATTRIBUTES.iter().any(|plain| inner.starts_with(plain))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}
