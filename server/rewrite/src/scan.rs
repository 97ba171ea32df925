//! The matches of rules in one parsed text.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use ast_grep_config::{CombinedScan, RuleConfig};
use ast_grep_core::matcher::MatcherExt;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, Matcher, NodeMatch};
use memchr::memmem;
use syntax::Syntax;
use thiserror::Error;

use crate::language::RuleLanguage;
use crate::rules::FileRules;

/// The word of comments that keep code from being matched.
const IGNORE_COMMENT: &[u8] = b"ast-grep-ignore";
/// Nodes between two looks at the interrupt flag.
const NODES_PER_CHECK: usize = 1 << 10;

/// A match, and what replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMatch {
    /// The index of its rule in the rules of the file.
    pub(crate) rule: usize,
    /// The matched code.
    pub range: Range<usize>,
    /// What is replaced, and the new text; `None` if the rule has no `fix`.
    pub edit: Option<(Range<usize>, String)>,
}

/// Why a text has no matches to report.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ScanError {
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
    /// More matches than the caller wants.
    #[error("too many matches")]
    TooMany,
    /// A replacement cuts a character.
    #[error("the replacement at byte {0} is no text")]
    NotText(usize),
}

impl FileRules<'_> {
    /// All matches in document order; of those at one place, the outer ones first.
    ///
    /// # Errors
    /// See [`ScanError`].
    pub fn scan(
        &self,
        syntax: &Syntax,
        limit: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<RuleMatch>, ScanError> {
        let source = syntax.text().to_string();
        let has_comments =
            self.honours_comments && memmem::find(source.as_bytes(), IGNORE_COMMENT).is_some();
        let document = RuleLanguage(syntax.language()).document(syntax, source);
        let grep = AstGrep::doc(document);
        let mut matches = Vec::new();
        let mut push = |rule: usize, config: &RuleConfig<_>, found: &NodeMatch<'_, StrDoc<_>>| {
            if matches.len() >= limit {
                return Err(ScanError::TooMany);
            }
            matches.push(rule_match(rule, config, found)?);
            Ok(())
        };
        if has_comments {
            let combined = CombinedScan::new(self.rules.clone());
            let result = combined.scan(&grep, true);
            let diffs = result.diffs.into_iter();
            let others = result.matches.into_iter();
            let others = others.flat_map(|(rule, all)| all.into_iter().map(move |one| (rule, one)));
            for (config, found) in diffs.chain(others) {
                let number = self.rules.iter().position(|rule| std::ptr::eq(*rule, config));
                push(number.unwrap_or_default(), config, &found)?;
            }
        } else {
            let with_kinds: Vec<_> = (0..)
                .zip(&self.rules)
                .map(|(number, rule)| (number, *rule, rule.matcher.potential_kinds()))
                .collect();
            for (number, node) in grep.root().dfs().enumerate() {
                if number % NODES_PER_CHECK == 0 && interrupt.load(Ordering::Relaxed) {
                    return Err(ScanError::Interrupted);
                }
                let kind = usize::from(node.kind_id());
                for (number, rule, kinds) in &with_kinds {
                    if kinds.as_ref().is_none_or(|kinds| kinds.contains(kind))
                        && let Some(found) = rule.matcher.match_node(node.clone())
                    {
                        push(*number, rule, &found)?;
                    }
                }
            }
        }
        matches.sort_by_key(|found| {
            (found.range.start, std::cmp::Reverse(found.range.end), found.rule)
        });
        Ok(matches)
    }
}

fn rule_match(
    rule: usize,
    config: &RuleConfig<RuleLanguage>,
    found: &NodeMatch<'_, StrDoc<RuleLanguage>>,
) -> Result<RuleMatch, ScanError> {
    let edit = match config.fixer.first() {
        None => None,
        Some(fixer) => {
            let edit = found.make_edit(&config.matcher, fixer);
            let range = edit.position..edit.position + edit.deleted_length;
            let text = String::from_utf8(edit.inserted_text);
            Some((range.clone(), text.map_err(|_| ScanError::NotText(range.start))?))
        }
    };
    Ok(RuleMatch { rule, range: found.range(), edit })
}
