//! Documentation in the markup of its language, rendered as Markdown.
//!
//! Every dialect reads its text once, line by line or character by character, and never calls
//! itself for what is nested: depth of the input costs no stack. What looks for a closing mark
//! looks [`REACH`] bytes ahead at most, so unclosed marks cost no quadratic time.

mod doxygen;
mod html;
mod inline;
mod javadoc;
mod jsdoc;
mod markdown_text;
mod python_sections;
mod restructured_roles;
mod restructured_text;
mod rustdoc;
mod writer;

#[cfg(test)]
mod tests;

/// Longest text that is rendered, in bytes; the rest is left out.
const LONGEST: usize = 32 * 1024;
/// How far behind an opening mark its closing one may stand, in bytes.
const REACH: usize = 2_000;

/// What a text of documentation is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Python: reStructuredText as Sphinx reads it, with the sections of Google and NumPy.
    RestructuredText,
    /// C and C++.
    Doxygen,
    /// Java.
    Javadoc,
    /// Rust: Markdown with hidden lines and links to items.
    Rustdoc,
    /// JavaScript and TypeScript: Markdown with tags.
    JsDoc,
    /// Markdown, or near enough to be shown as it is.
    Markdown,
}

impl Dialect {
    /// The dialect of a language's documentation.
    #[must_use]
    pub fn of_language(id: &str) -> Dialect {
        match id {
            "python" => Dialect::RestructuredText,
            "c" | "cpp" => Dialect::Doxygen,
            "java" => Dialect::Javadoc,
            "rust" => Dialect::Rustdoc,
            "javascript" | "typescript" | "tsx" | "jsx" => Dialect::JsDoc,
            _ => Dialect::Markdown,
        }
    }
}

/// Documentation as it is written, without comment marks, and what it is written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documentation {
    /// The text as written.
    pub text: String,
    /// What it is written in.
    pub dialect: Dialect,
}

impl Documentation {
    /// The documentation as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        to_markdown(self.dialect, &self.text)
    }
}

/// A text of documentation as Markdown.
#[must_use]
pub fn to_markdown(dialect: Dialect, text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    match dialect {
        Dialect::RestructuredText => restructured_text::render(text),
        Dialect::Doxygen => doxygen::render(text),
        Dialect::Javadoc => javadoc::render(text),
        Dialect::Rustdoc => rustdoc::render(text),
        Dialect::JsDoc => jsdoc::render(text),
        Dialect::Markdown => text.to_owned(),
    }
}
