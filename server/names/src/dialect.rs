//! Documentation in the markup of its language, rendered as Markdown.
//!
//! Each renderer reads its text once, by lines or characters, without recursion for nested markup,
//! so deep input costs no stack. A search for a closing mark is limited to [`MAX_MARK_DISTANCE`] bytes, so
//! unclosed marks cost no quadratic time.

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

/// Size limit of the text rendered, in bytes; the rest is dropped.
const MAX_LENGTH: usize = 32 * 1024;
/// Limit of the distance between an opening mark and its closing one, in bytes.
const MAX_MARK_DISTANCE: usize = 2_000;

/// The markup of a documentation text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// reStructuredText as Sphinx reads it, with the sections of Google and NumPy.
    RestructuredText,
    /// C and C++.
    Doxygen,
    /// Java.
    Javadoc,
    /// Markdown with hidden lines and intra-doc links.
    Rustdoc,
    /// Markdown with JSDoc tags.
    JsDoc,
    /// Markdown, or close enough to be shown unchanged.
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

/// Documentation as written, without comment marks, and its markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documentation {
    /// The text as written.
    pub text: String,
    /// Its markup.
    pub dialect: Dialect,
}

impl Documentation {
    /// Renders it as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        to_markdown(self.dialect, &self.text)
    }
}

/// Renders a documentation text as Markdown.
#[must_use]
pub fn to_markdown(dialect: Dialect, text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MAX_LENGTH)];
    match dialect {
        Dialect::RestructuredText => restructured_text::render(text),
        Dialect::Doxygen => doxygen::render(text),
        Dialect::Javadoc => javadoc::render(text),
        Dialect::Rustdoc => rustdoc::render(text),
        Dialect::JsDoc => jsdoc::render(text),
        Dialect::Markdown => text.to_owned(),
    }
}
