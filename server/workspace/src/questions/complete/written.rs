//! A path that is being typed: in an import, an include, a module's declaration, or in any text
//! that looks like one.

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use crate::Document;

/// Longest path, and most of a line that is looked at before it, in bytes.
const LONGEST: usize = 1024;

/// What the name of a module follows in JavaScript and TypeScript.
const MODULE_WORDS: [&str; 3] = ["from", "import", "require"];

/// What a path is for, which says what it starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A module of JavaScript or TypeScript.
    Import,
    /// A header; `<…>` is not looked for beside the file.
    Include { beside: bool },
    /// A module of Rust, in these modules of the file.
    Module(Vec<String>),
    /// Any other text.
    Literal,
}

/// A path that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) purpose: Purpose,
    /// What stands before the last part, with the slash.
    pub(super) folder: String,
    /// The last part.
    pub(super) typed: String,
    /// The bytes of it.
    pub(super) span: Range<usize>,
    /// Where that part ends, which may be behind the cursor.
    pub(super) whole: usize,
    /// Whether a slash follows already.
    pub(super) slash: bool,
}

/// The path before an offset; `None` where there is none.
///
/// `syntax` is of the text, or of one that is the same up to the offset.
pub(super) fn at(document: &Document, syntax: &Syntax, offset: usize) -> Option<Written> {
    let language = document.language()?.id();
    let text = document.text();
    let line = text.line_start(text.line_of(offset)).max(offset.saturating_sub(LONGEST));
    let before = text.slice(line..offset);
    if syntax.is_comment(offset) {
        return None;
    }
    if language == "rust"
        && let Some(typed) = declared_module(&before)
    {
        let purpose = Purpose::Module(syntax.named_around("mod_item", offset));
        return Some(Written::new(purpose, typed, text, offset));
    }
    if matches!(language, "c" | "cpp")
        && let Some((beside, path)) = included(&before)
    {
        return Some(Written::new(Purpose::Include { beside }, path, text, offset));
    }
    let start = syntax.literal_start(offset).or_else(|| {
        // Half a text may be no text yet for the parser.
        syntax.root().has_error().then(|| Some(line + unclosed(&before, language)?))?
    })?;
    if offset - start > LONGEST {
        return None;
    }
    let path = text.slice(start..offset);
    let is_module = matches!(language, "javascript" | "typescript" | "tsx")
        && start > line
        && follows_module_word(&text.slice(line..start - 1));
    if is_module {
        return Some(Written::new(Purpose::Import, &path, text, offset));
    }
    looks_so(&path).then(|| Written::new(Purpose::Literal, &path, text, offset))
}

impl Written {
    fn new(purpose: Purpose, path: &str, text: &Text, offset: usize) -> Self {
        let (folder, typed) = path.rfind('/').map_or(("", path), |slash| path.split_at(slash + 1));
        let end = text.line_span(text.line_of(offset)).end.min(offset + LONGEST).max(offset);
        let rest = text.slice(offset..end);
        let part = |c: &char| c.is_alphanumeric() || "_-.@+~".contains(*c);
        let length: usize = rest.chars().take_while(part).map(char::len_utf8).sum();
        Self {
            purpose,
            folder: folder.to_owned(),
            typed: typed.to_owned(),
            span: offset - typed.len()..offset,
            whole: offset + length,
            slash: rest[length..].starts_with('/'),
        }
    }
}

/// Whether a text may be a relative path that goes into a folder.
fn looks_so(text: &str) -> bool {
    let is_other =
        |c: char| c.is_whitespace() || c.is_control() || "\"'`*?<>|:;,(){}$\\".contains(c);
    text.contains('/') && !text.starts_with('/') && !text.contains("//") && !text.contains(is_other)
}

/// Where the inside of a text starts that is not closed in what stands before on the line.
fn unclosed(before: &str, language: &str) -> Option<usize> {
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

/// Whether what stands before a text makes it the name of a module.
fn follows_module_word(before: &str) -> bool {
    let before = before.trim_end();
    let before = before.strip_suffix('(').map_or(before, str::trim_end);
    MODULE_WORDS.iter().any(|word| {
        before.strip_suffix(word).is_some_and(|rest| {
            !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
        })
    })
}

/// What is typed of the name in `mod name`.
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

/// What is typed of the path in `#include "path` and `#include <path`, and whether it is quoted.
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
