//! Finds places in valid code for simple mistakes: `mistakes TABLE LANGUAGE SEED FILE...`.
//!
//! TABLE is the table of mistake kinds of `cargo xtask mistakes`. For some places of each kind in
//! each file, one JSON object per line is printed: the file, the kind, the replaced bytes, the
//! replacement, and, for a bracket, quote or tag, the start of its partner. Places are tokens and
//! nodes of the tree, so comments and strings are not changed.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use syntax::{Language, Syntax};
use text::Text;
use tree_sitter::Node;

/// Limit of places of one kind per file.
const MAX_PLACES: usize = 3;
/// Longest node that is replaced, in bytes.
const MAX_NODE_LEN: usize = 400;

/// A kind of mistake, as defined in the table.
struct MistakeKind {
    name: String,
    /// Kinds of unnamed leaves.
    tokens: Vec<String>,
    /// Any keyword.
    keywords: bool,
    /// Kinds of named nodes.
    nodes: Vec<String>,
    /// The field of the node to use instead of the node.
    field: Option<String>,
    /// Allowed kinds of the parent node.
    parents: Vec<String>,
    /// Forbidden kinds of the parent node.
    not_in: Vec<String>,
    /// Replace the indentation of the node's line; the node must be the first on it.
    blanks: bool,
    /// The replacement: `{}` is the text itself, `{indent}` the indentation of its line.
    with: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [table, language, seed, files @ ..] = words.as_slice() else {
        return Err("usage: mistakes TABLE LANGUAGE SEED FILE...".into());
    };
    let kinds = kinds(&std::fs::read_to_string(table)?.parse()?, language)?;
    let mut random = Random(seed.parse()?);
    for (index, path) in files.iter().enumerate() {
        let Ok(source) = std::fs::read_to_string(path) else { continue };
        let name = path.rsplit('/').next().unwrap_or_default();
        let Some(known) = Language::detect(name, &source) else { continue };
        let text = Text::new(&source);
        let Some(syntax) = Syntax::parse(known, &text, None, &AtomicBool::new(false)) else {
            continue;
        };
        let nodes = nodes(syntax.root());
        for kind in &kinds {
            let mut places: Vec<_> =
                nodes.iter().filter_map(|node| place(*node, kind, &source)).collect();
            for _ in 0..MAX_PLACES.min(places.len()) {
                let (node, span, text) = places.swap_remove(random.below(places.len()));
                let partner_start = partner(node).map(|partner_start| partner_start.start_byte());
                println!(
                    "{}",
                    json!({ "file": index, "kind": kind.name, "start": span.start,
                            "end": span.end, "text": text, "half": partner_start })
                );
            }
        }
    }
    Ok(())
}

/// The kinds of mistakes that apply to a language.
fn kinds(table: &toml::Table, language: &str) -> Result<Vec<MistakeKind>, Box<dyn Error>> {
    let list = |row: &toml::Value, key: &str| -> Vec<String> {
        let items = row.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let mut kinds = Vec::new();
    for row in table.get("mistake").and_then(toml::Value::as_array).into_iter().flatten() {
        let languages = list(row, "languages");
        let excluded = list(row, "not_languages");
        if !languages.is_empty() && !languages.iter().any(|its| its == language)
            || excluded.iter().any(|its| its == language)
        {
            continue;
        }
        let text = |key: &str| row.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let flag = |key: &str| row.get(key).and_then(toml::Value::as_bool).unwrap_or_default();
        kinds.push(MistakeKind {
            name: text("kind").ok_or("a mistake has no `kind`")?,
            tokens: list(row, "tokens"),
            keywords: flag("keywords"),
            nodes: list(row, "nodes"),
            field: text("field"),
            parents: list(row, "parents"),
            not_in: list(row, "not_in"),
            blanks: flag("blanks"),
            with: text("with").ok_or("a mistake has no `with`")?,
        });
    }
    Ok(kinds)
}

/// All error-free nodes of a tree.
fn nodes(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if !node.is_error() && !node.is_missing() {
            found.push(node);
            if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// The node, the replaced bytes and the replacement, if the mistake is possible here.
fn place<'t>(
    node: Node<'t>,
    kind: &MistakeKind,
    source: &str,
) -> Option<(Node<'t>, std::ops::Range<usize>, String)> {
    let is_word = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic()) && !text.is_empty();
    let is_leaf = node.child_count() == 0;
    let wanted = kind.tokens.iter().any(|token| is_leaf && token == node.kind())
        || kind.keywords && is_leaf && !node.is_named() && is_word(node.kind())
        || node.is_named() && kind.nodes.iter().any(|wanted| wanted == node.kind());
    let parent = node.parent();
    let fits = |kinds: &[String]| parent.is_some_and(|p| kinds.iter().any(|k| k == p.kind()));
    if !wanted || !kind.parents.is_empty() && !fits(&kind.parents) || fits(&kind.not_in) {
        return None;
    }
    let node = match &kind.field {
        Some(field) => node.child_by_field_name(field)?,
        None => node,
    };
    let span = node.byte_range();
    let line = source[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &source[line..span.start];
    let blanks = before.len() - before.trim_start().len();
    let indent = &before[..blanks];
    let span = match kind.blanks {
        true if before.len() != blanks => return None,
        true => line..span.start,
        false => span,
    };
    let old = source.get(span.clone()).filter(|old| old.len() <= MAX_NODE_LEN)?;
    let new = kind.with.replace("{}", old).replace("{indent}", indent);
    (new != old).then_some((node, span, new))
}

/// The partner of a bracket, quote or tag.
fn partner(node: Node<'_>) -> Option<Node<'_>> {
    const PAIRS: [(&str, &str); 6] =
        [("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("${", "}"), ("#{", "}")];
    const ENDS: [&str; 5] = ["end", "fi", "done", "esac", "endef"];
    let parent = node.parent()?;
    let (first, last) = (parent.child(0)?, parent.child(parent.child_count() - 1)?);
    let kind = node.kind();
    for (open, close) in PAIRS {
        let mut at = node;
        if kind == close {
            while let Some(previous) = at.prev_sibling() {
                if previous.kind() == open {
                    return Some(previous);
                }
                at = previous;
            }
        } else if kind == open {
            while let Some(next) = at.next_sibling() {
                if next.kind() == close {
                    return Some(next);
                }
                at = next;
            }
        }
    }
    let is_end = kind.contains("tag")
        || kind.ends_with("Tag")
        || kind.contains("_element")
        || ENDS.contains(&kind);
    let is_quote = kind.contains(['"', '\'', '`']) || kind.starts_with("string_");
    match (node == first, node == last) {
        (true, false) if is_end || is_quote => Some(last),
        (false, true) if is_end || is_quote => Some(first),
        _ => None,
    }
}

/// Numbers that a seed determines (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % limit.max(1) as u64).unwrap_or_default()
    }
}
