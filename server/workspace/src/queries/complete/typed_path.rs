//! Finds the path that is being typed: in an import, an include, a module declaration, or a string
//! that looks like a path.

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use crate::Document;

/// Maximum length of a path, and of the part of the line before it, in bytes.
const MAX_PATH_LENGTH: usize = 1024;

/// Keywords before a module name in JavaScript and TypeScript.
const MODULE_KEYWORDS: [&str; 3] = ["from", "import", "require"];

/// What a path is used for; this determines the folders that it is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathKind {
    /// A JavaScript or TypeScript module.
    Import,
    /// A header; `<…>` is not searched beside the file.
    Include { beside: bool },
    /// A Rust module, inside these modules of the file.
    Module(Vec<String>),
    /// Any other string.
    Literal,
}

/// A path that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedPath {
    pub(super) kind: PathKind,
    /// Everything before the last component, with the slash.
    pub(super) folder: String,
    /// The typed part of the last component.
    pub(super) typed: String,
    /// Its byte range.
    pub(super) span: Range<usize>,
    /// The end of the whole component, which may be after the cursor.
    pub(super) whole: usize,
    /// Whether a slash already follows.
    pub(super) slash: bool,
}

/// The path before an offset; `None` if there is none.
///
/// `syntax` is the tree of the text, or of one that is equal up to the offset.
pub(super) fn typed_path_at(
    document: &Document,
    syntax: &Syntax,
    offset: usize,
) -> Option<TypedPath> {
    let language = document.language()?.id();
    let text = document.text();
    let line = text.line_start(text.line_of(offset)).max(offset.saturating_sub(MAX_PATH_LENGTH));
    let before = text.slice(line..offset);
    if syntax.is_in_comment(offset) {
        return None;
    }
    if language == "rust"
        && let Some(typed) = declared_module(&before)
    {
        let kind = PathKind::Module(syntax.enclosing_names("mod_item", offset));
        return Some(TypedPath::new(kind, typed, text, offset));
    }
    if matches!(language, "c" | "cpp")
        && let Some((beside, path)) = included(&before)
    {
        return Some(TypedPath::new(PathKind::Include { beside }, path, text, offset));
    }
    let start = syntax.string_contents_start(offset).or_else(|| {
        // The parser may not recognize an unterminated string.
        syntax.root().has_error().then(|| Some(line + unterminated_string(&before, language)?))?
    })?;
    if offset - start > MAX_PATH_LENGTH {
        return None;
    }
    let path = text.slice(start..offset);
    let is_module = matches!(language, "javascript" | "typescript" | "tsx")
        && start > line
        && follows_module_keyword(&text.slice(line..start - 1));
    if is_module {
        return Some(TypedPath::new(PathKind::Import, &path, text, offset));
    }
    looks_like_path(&path).then(|| TypedPath::new(PathKind::Literal, &path, text, offset))
}

impl TypedPath {
    fn new(kind: PathKind, path: &str, text: &Text, offset: usize) -> Self {
        let (folder, typed) = path.rfind('/').map_or(("", path), |slash| path.split_at(slash + 1));
        let end =
            text.line_span(text.line_of(offset)).end.min(offset + MAX_PATH_LENGTH).max(offset);
        let rest = text.slice(offset..end);
        let part = |c: &char| c.is_alphanumeric() || "_-.@+~".contains(*c);
        let length: usize = rest.chars().take_while(part).map(char::len_utf8).sum();
        Self {
            kind,
            folder: folder.to_owned(),
            typed: typed.to_owned(),
            span: offset - typed.len()..offset,
            whole: offset + length,
            slash: rest[length..].starts_with('/'),
        }
    }
}

/// Whether a text looks like a relative path with a folder.
fn looks_like_path(text: &str) -> bool {
    let is_other =
        |c: char| c.is_whitespace() || c.is_control() || "\"'`*?<>|:;,(){}$\\".contains(c);
    text.contains('/') && !text.starts_with('/') && !text.contains("//") && !text.contains(is_other)
}

/// The start of the content of a string that is unterminated at the end of `before`.
fn unterminated_string(before: &str, language: &str) -> Option<usize> {
    let comment = if language == "python" { "#" } else { "//" };
    let mut open: Option<(char, usize)> = None;
    let mut escaped = false;
    for (at, c) in before.char_indices() {
        match open {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some((quote, _)) if c == quote => open = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => open = Some((c, at + 1)),
            None if before[at..].starts_with(comment) => return None,
            None => {}
        }
    }
    open.map(|(_, start)| start)
}

/// Whether the text before a string makes it a module name.
fn follows_module_keyword(before: &str) -> bool {
    let before = before.trim_end();
    let before = before.strip_suffix('(').map_or(before, str::trim_end);
    MODULE_KEYWORDS.iter().any(|word| {
        before.strip_suffix(word).is_some_and(|rest| {
            !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
        })
    })
}

/// The typed part of the name in `mod name`.
fn declared_module(before: &str) -> Option<&str> {
    let mut rest = before.trim_start();
    if let Some(public) = rest.strip_prefix("pub") {
        rest = public.trim_start();
        if let Some(inside) = rest.strip_prefix('(') {
            rest = inside.split_once(')')?.1.trim_start();
        }
    }
    let name = rest.strip_prefix("mod").filter(|name| name.starts_with([' ', '\t']))?.trim_start();
    name.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(name)
}

/// The typed part of the path in `#include "path` and `#include <path`, and whether it is quoted.
fn included(before: &str) -> Option<(bool, &str)> {
    let rest = before.trim_start().strip_prefix('#')?.trim_start();
    let words = ["include_next", "include", "import"];
    let rest = words.iter().find_map(|word| rest.strip_prefix(word))?.trim_start();
    let (open, path) = rest.split_at_checked(1)?;
    match open {
        "\"" if !path.contains('"') => Some((true, path)),
        "<" if !path.contains('>') => Some((false, path)),
        _ => None,
    }
}
