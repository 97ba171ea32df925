//! Document highlights: the occurrences of a name in its file.

use std::ops::Range;

use text::Text;

use crate::facts::NameSite;
use crate::index::{FileId, Index};
use crate::resolve::Resolver;

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    /// Its bytes.
    pub span: Range<usize>,
    /// Whether it is written there: a definition, an assignment, a mutable borrow.
    pub write: bool,
}

impl Index {
    /// The occurrences of the name at a byte offset in the same file, in order. `text` must be the
    /// file's text. O(references of the file).
    #[must_use]
    pub fn highlights(&self, file: FileId, offset: usize, text: &Text) -> Vec<Highlight> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let Some(site) = facts.site_at(offset) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let definitions = resolver.symbol_definitions(file, site);
        let mut all: Vec<Highlight> = resolver
            .find_uses_in_file(file, &definitions)
            .into_iter()
            .map(|span| {
                let defined = definitions.iter().any(|id| {
                    let def = &facts.definitions[id.def as usize];
                    id.file == file && def.name_start as usize == span.start
                });
                let write = defined || is_written(text, &span);
                Highlight { span, write }
            })
            .collect();
        if all.is_empty()
            && let Some(name) = facts.name_at(offset)
        {
            // The name does not resolve; highlight at least itself.
            all.push(Highlight { write: is_written(text, &name.span), span: name.span });
        }
        if let NameSite::Definition(d) = site {
            let def = &facts.definitions[d as usize];
            let name = def.name_start as usize..def.name_end as usize;
            if !name.is_empty() && !all.iter().any(|h| h.span == name) {
                all.push(Highlight { span: name, write: true });
            }
        }
        all.sort_by_key(|h| h.span.start);
        all
    }
}

/// Bytes around a name that show whether it is written.
const CONTEXT_BYTES: usize = 24;

/// Whether the text around a name assigns it.
fn is_written(text: &Text, span: &Range<usize>) -> bool {
    let before = text.slice(span.start.saturating_sub(CONTEXT_BYTES)..span.start);
    let after = text.slice(span.end..span.end + CONTEXT_BYTES);
    let (before, after) = (before.trim_end(), after.trim_start());
    if after.starts_with("++") || after.starts_with("--") {
        return true;
    }
    if before.ends_with("++") || before.ends_with("--") || before.ends_with("&mut") {
        return true;
    }
    if after.starts_with('=') {
        return !after.starts_with("==") && !after.starts_with("=>");
    }
    let operators = [
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ":=", "@=", "<<=", ">>=", "**=", "//=",
        "&&=", "||=", "??=", ">>>=", "&^=",
    ];
    operators.iter().any(|o| after.starts_with(o))
}
