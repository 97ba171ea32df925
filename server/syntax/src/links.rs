//! References to other files: imports, includes, module declarations.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use text::Text;

use crate::{Language, Syntax};

/// Limit of links per file.
const MAX_LINKS: usize = 2_000;

impl Syntax {
    /// The spans of the file references that `queries/<language>/links.scm` captures, without
    /// quotes, in document order. Embedded languages are searched only if they never occur on their
    /// own. `None` once `interrupt` is set.
    #[must_use]
    pub fn links(&self, interrupt: &AtomicBool) -> Option<Vec<Range<usize>>> {
        let mut spans = self.unembedded_links(interrupt)?;
        let has_links = |language: Language| {
            language.is_embedded_only() && language.links().query.pattern_count() > 0
        };
        if self.language().static_injections().any(has_links) {
            let all = self.injections(0..self.text().len(), interrupt)?;
            for part in all.iter().filter(|injection| has_links(injection.language)) {
                let text = Text::new(&part.text(self.text()));
                let syntax = Self::parse(part.language, &text, None, interrupt)?;
                let own = syntax.unembedded_links(interrupt)?;
                spans.extend(own.iter().filter_map(|span| part.to_host_span(span)));
                if spans.len() >= MAX_LINKS {
                    break;
                }
            }
        }
        spans.sort_by_key(|span| span.start);
        spans.dedup();
        Some(spans)
    }

    fn unembedded_links(&self, interrupt: &AtomicBool) -> Option<Vec<Range<usize>>> {
        let query = self.language().links();
        let link = query.query.capture_index_for_name("link");
        let mut spans: Vec<Range<usize>> = Vec::new();
        self.each_match(query, interrupt, |found| {
            let named = found.captures().iter().filter(|c| Some(c.index) == link);
            spans.extend(named.map(|c| self.unquoted(c.node.byte_range())));
            if spans.len() < MAX_LINKS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        spans.retain(|span| !span.is_empty());
        Some(spans)
    }

    fn unquoted(&self, span: Range<usize>) -> Range<usize> {
        if span.is_empty() {
            return span;
        }
        let quoted =
            self.text().slice(span.start..span.start + 1).starts_with(['"', '\'', '<', '`']);
        let closed = self.text().slice(span.end - 1..span.end).ends_with(['"', '\'', '>', '`']);
        span.start + usize::from(quoted)..span.end - usize::from(quoted && closed && span.len() > 1)
    }
}
