//! Structural search by tree-sitter query.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Query, QueryCursor, QueryCursorOptions, QueryCursorState, QueryErrorKind};

use super::{MAX_PATTERN_LEN, PatternError, StructuralMatch};
use crate::{Language, Syntax, TextChunks};

/// tree-sitter's limit of matches in progress.
const MATCH_LIMIT: u32 = 4_096;

/// A query for one language.
#[derive(Debug)]
pub struct StructuralQuery {
    language: Language,
    query: Query,
}

impl StructuralQuery {
    /// Compiles a query.
    ///
    /// # Errors
    /// If tree-sitter rejects it (the message has the position), or if it has no captures.
    pub fn new(language: Language, source: &str) -> Result<Self, PatternError> {
        if source.len() > MAX_PATTERN_LEN {
            return Err(PatternError::new(format!("a query has at most {MAX_PATTERN_LEN} bytes")));
        }
        let query = Query::new(language.grammar(), source).map_err(|error| {
            let what = match error.kind {
                QueryErrorKind::Syntax => "syntax",
                QueryErrorKind::NodeType => "no such node",
                QueryErrorKind::Field => "no such field",
                QueryErrorKind::Capture => "no such capture",
                QueryErrorKind::Predicate => "predicate",
                QueryErrorKind::Structure => "this pattern can never match",
                _ => "error",
            };
            let (line, column) = (error.row + 1, error.column + 1);
            let name = language.name();
            PatternError::new(format!(
                "the query for {name}, line {line}, column {column}: {what}: {}",
                error.message
            ))
        })?;
        // tree-sitter ignores predicates that it does not know, so everything would match.
        let unknown = (0..query.pattern_count())
            .find_map(|pattern| query.general_predicates(pattern).first());
        if let Some(predicate) = unknown {
            let name: String = predicate.operator.chars().take(60).collect();
            return Err(PatternError::new(format!(
                "unknown predicate `#{name}`; supported are #eq?, #match? and #any-of?, also with the \
                 prefixes not- and any-"
            )));
        }
        if query.capture_names().is_empty() {
            return Err(PatternError::new("the query captures nothing: add `@name` to a node"));
        }
        Ok(Self { language, query })
    }

    /// The language of the query.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The matches, in document order, at most `limit`. A match spans the capture `@match`, or else
    /// its first to its last capture. Stops once `interrupt` is set.
    #[must_use]
    pub fn find(
        &self,
        syntax: &Syntax,
        limit: usize,
        interrupt: &AtomicBool,
    ) -> Vec<StructuralMatch> {
        let names = self.query.capture_names();
        let mut progress = |_: &QueryCursorState| {
            if interrupt.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let text = TextChunks(syntax.text());
        let mut matches = cursor.matches_with_options(&self.query, syntax.root(), text, options);
        let mut found = Vec::new();
        while let Some(one) = matches.next() {
            let all = one.captures().iter();
            let captures: Vec<_> = all
                .map(|capture| {
                    let name = names[capture.index as usize];
                    (name.to_owned(), capture.node.byte_range())
                })
                .collect();
            let whole = captures.iter().find(|(name, _)| name == "match");
            let start = captures.iter().map(|(_, span)| span.start).min();
            let end = captures.iter().map(|(_, span)| span.end).max();
            let (Some(start), Some(end)) = (start, end) else { continue };
            let span = whole.map_or(start..end, |(_, span)| span.clone());
            found.push(StructuralMatch { span, captures });
            if found.len() >= limit || interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        found.sort_by_key(|found| (found.span.start, found.span.end));
        found
    }
}

#[cfg(test)]
mod tests {
    use text::Text;

    use super::*;

    #[test]
    fn captures_are_named_and_predicates_hold() {
        let go = AtomicBool::new(false);
        let source = "def a(): pass\ndef b(x): pass\n";
        let language = Language::by_id("python").unwrap();
        let syntax = Syntax::parse(language, &Text::new(source), None, &go).unwrap();
        let query = "(function_definition name: (identifier) @name (#eq? @name \"b\")) @match";
        let query = StructuralQuery::new(language, query).unwrap();
        let found = query.find(&syntax, 10, &go);
        assert_eq!(found.len(), 1);
        assert_eq!(&source[found[0].span.clone()], "def b(x): pass");
        assert!(found[0].captures.contains(&("name".to_owned(), 18..19)));
    }

    #[test]
    fn errors_have_a_position() {
        let language = Language::by_id("rust").unwrap();
        for (bad, expected) in [
            ("(identifier", "line 1"),
            ("\n(no_such_node) @a", "line 2, column 2: no such node"),
            ("(identifier)", "captures nothing"),
            ("((identifier) @a (#match? @a \"(\"))", "predicate"),
            ("((identifier) @a (#equ? @a \"x\"))", "#equ?"),
        ] {
            let error = StructuralQuery::new(language, bad).unwrap_err();
            assert!(error.message.contains(expected), "{bad}: {error}");
        }
    }
}
