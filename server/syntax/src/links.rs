//! The places of a file that name other files: imports, includes, modules.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use text::Text;

use crate::{Language, Syntax};

/// Most links of one file.
const MOST: usize = 2_000;

impl Syntax {
    /// What names other files, by `queries/<language>/links.scm`: without quotes, in order of
    /// place. Of injected code, only what is nothing but a part of this language is looked into.
    /// `None` once `interrupt` is set.
    #[must_use]
    pub fn links(&self, interrupt: &AtomicBool) -> Option<Vec<Range<usize>>> {
        let mut spans = self.own_links(interrupt)?;
        let linked =
            |language: Language| language.is_part() && language.links().query.pattern_count() > 0;
        if self.language().injected().any(linked) {
            let all = self.injections(0..self.text().len(), interrupt)?;
            for part in all.iter().filter(|injection| linked(injection.language)) {
                let text = Text::new(&part.text(self.text()));
                let syntax = Self::parse(part.language, &text, None, interrupt)?;
                let own = syntax.own_links(interrupt)?;
                spans.extend(own.iter().filter_map(|span| part.place(span)));
                if spans.len() >= MOST {
                    break;
                }
            }
        }
        spans.sort_by_key(|span| span.start);
        spans.dedup();
        Some(spans)
    }

    fn own_links(&self, interrupt: &AtomicBool) -> Option<Vec<Range<usize>>> {
        let query = self.language().links();
        let link = query.query.capture_index_for_name("link");
        let mut spans: Vec<Range<usize>> = Vec::new();
        self.each_match(query, interrupt, |found| {
            let named = found.captures().iter().filter(|c| Some(c.index) == link);
            spans.extend(named.map(|c| self.unquoted(c.node.byte_range())));
            if spans.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
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
