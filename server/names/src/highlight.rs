//! The occurrences of one name in one file.

use std::ops::Range;

use text::Text;

use crate::facts::Site;
use crate::index::{FileId, Index};
use crate::resolve::Resolver;

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    /// Its bytes.
    pub span: Range<usize>,
    /// Whether it is given a value there: a definition, an assignment, a mutable borrow.
    pub write: bool,
}

impl Index {
    /// Where else in its file the name at a byte offset occurs, in order of place. `text` is the
    /// file's. O(references of the file).
    #[must_use]
    pub fn highlights(&self, file: FileId, offset: usize, text: &Text) -> Vec<Highlight> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let Some(site) = facts.site(offset) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let wanted = resolver.meant(file, site);
        let mut all: Vec<Highlight> = resolver
            .uses_within(file, &wanted)
            .into_iter()
            .map(|span| {
                let defined = wanted.iter().any(|id| {
                    let def = &facts.definitions[id.def as usize];
                    id.file == file && def.name_start as usize == span.start
                });
                let write = defined || is_written(text, &span);
                Highlight { span, write }
            })
            .collect();
        if all.is_empty()
            && let Some(own) = facts.name_at(offset)
        {
            // Nothing is known of it: at least itself.
            all.push(Highlight { write: is_written(text, &own.span), span: own.span });
        }
        if let Site::Definition(d) = site {
            let def = &facts.definitions[d as usize];
            let own = def.name_start as usize..def.name_end as usize;
            if !own.is_empty() && !all.iter().any(|h| h.span == own) {
                all.push(Highlight { span: own, write: true });
            }
        }
        all.sort_by_key(|h| h.span.start);
        all
    }
}

/// How much around a name tells whether it is written.
const AROUND: usize = 24;

/// Whether the text around a name gives it a value.
fn is_written(text: &Text, span: &Range<usize>) -> bool {
    let before = text.slice(span.start.saturating_sub(AROUND)..span.start);
    let after = text.slice(span.end..span.end + AROUND);
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
