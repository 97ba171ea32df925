//! Names that macros and derives of a Rust file may make.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use crate::diagnose::{Subject, known};

/// Macros at item level that define nothing but what they are given by name.
const NAMING: [&str; 12] = [
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

/// Derives that make no names.
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

/// Attributes that make no names beside the item that they are of.
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

/// What the macros of a file may define.
#[derive(Debug, Default)]
pub(super) struct Made<'s> {
    /// The words that they are given or consist of.
    words: FxHashSet<&'s str>,
    /// The types that a derive may make more names of, in small letters.
    types: Vec<String>,
}

impl<'s> Made<'s> {
    /// Of a whole file; `None` where it may be any name.
    pub(super) fn of(subject: &Subject<'s>) -> Option<Self> {
        let root = subject.ground.syntax.root();
        let mut reader =
            Reader { source: subject.ground.source, made: Self::default(), called: Vec::new() };
        reader.items(root, 0)?;
        reader.definitions(root)?;
        Some(reader.made)
    }

    /// Whether a macro may make this name.
    pub(super) fn may_be(&self, name: &str) -> bool {
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

struct Reader<'s> {
    source: &'s str,
    made: Made<'s>,
    /// The macros called at item level that only their definition tells of.
    called: Vec<&'s str>,
}

impl<'s> Reader<'s> {
    /// The macros and attributes where items stand.
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

    fn invocation(&mut self, call: Node<'_>) -> Option<()> {
        let path = &self.source[call.child_by_field_name("macro")?.byte_range()];
        let name = path.rsplit("::").next().unwrap_or(path).trim();
        if !NAMING.contains(&name) {
            if path != name {
                return None;
            }
            self.called.push(name);
        }
        self.made.words.extend(words(&self.source[call.byte_range()]));
        Some(())
    }

    /// The macros that are called have to be defined here, of nothing whose words are not all known.
    fn definitions(&mut self, root: Node<'_>) -> Option<()> {
        if self.called.is_empty() {
            return Some(());
        }
        let mut defined = FxHashSet::default();
        let mut cursor = root.walk();
        for child in root.named_children(&mut cursor).filter(|c| c.kind() == "macro_definition") {
            let name = &self.source[child.child_by_field_name("name")?.byte_range()];
            let text = &self.source[child.byte_range()];
            defined.insert(name);
            if self.called.contains(&name) {
                self.made.words.extend(words(text));
                // What it calls may put names together.
                let calls = text.match_indices('!').skip(1).any(|(at, _)| {
                    let before = &text[..at];
                    let called = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next();
                    let called = called.unwrap_or_default();
                    !called.is_empty()
                        && called != name
                        && (before[..at - called.len()].ends_with(['$', ':'])
                            || !known::is_plain_macro(called))
                });
                if calls || text.contains("derive") {
                    return None;
                }
            }
        }
        self.called.iter().all(|name| defined.contains(name)).then_some(())
    }

    fn attribute(&mut self, attribute: Node<'_>) -> Option<()> {
        let text = &self.source[attribute.byte_range()];
        let inner = text.trim_start_matches(['#', '[', '!', ' ']);
        if !PLAIN_ATTRIBUTES.iter().any(|plain| inner.starts_with(plain)) {
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
            self.made.types.push(name.replace('_', "").to_lowercase());
        }
        Some(())
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}
