//! Inlay hints: parameter names at arguments, inferred types of variables, and labels of long
//! blocks.

mod argument;
mod closing;
mod variable;

use std::ops::Range;

use rustc_hash::FxHashSet;
use syntax::Syntax;
use text::Text;

use crate::call_site::CallSite;
use crate::facts::{Facts, NameSite};
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{Callable, Resolver};
use crate::signatures::{keyword_of, parameter_at};

/// Limit for the calls of one request.
const MAX_CALLS: usize = 2_000;

/// An inlay hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The byte offset before which it is displayed.
    pub offset: usize,
    /// Its text, without punctuation.
    pub label: String,
    /// Its kind.
    pub kind: HintKind,
    /// The definition that it names: the file and the bytes of the name.
    pub location: Option<(FileId, Range<usize>)>,
}

/// The kind of an inlay hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// The name of a parameter, before an argument.
    Parameter,
    /// The type of a variable, after its name.
    Type,
    /// The item that ends at a closing brace, after the brace.
    ClosingBrace,
}

impl Index {
    /// The files that define the callees in a range, whose texts `hints` needs.
    #[must_use]
    pub fn files_for_inlay_hints(
        &self,
        file: FileId,
        facts: &Facts,
        syntax: &Syntax,
        span: Range<usize>,
    ) -> Vec<FileId> {
        if !self.files.contains_key(&file) {
            return Vec::new();
        }
        let resolver = Resolver::with_facts(self, file, facts);
        let calls = CallSite::within(syntax, span.clone());
        let calls_with_arguments =
            calls.iter().take(MAX_CALLS).filter(|call| !call.arguments.is_empty());
        let mut files: FxHashSet<FileId> = calls_with_arguments
            .filter_map(|call| Some(resolver.certain_callee(file, call)?.0.id().file))
            .collect();
        files.extend(resolver.called_initialisers(file, &span).into_iter().map(|(_, id)| id.file));
        files.into_iter().collect()
    }

    /// The inlay hints of a range, in order. `text` returns the text of an indexed file. O(names in
    /// the range).
    #[must_use]
    pub fn inlay_hints(
        &self,
        file: FileId,
        facts: &Facts,
        syntax: &Syntax,
        span: Range<usize>,
        text: &dyn Fn(FileId) -> Option<Text>,
    ) -> Vec<Hint> {
        if !self.files.contains_key(&file) {
            return Vec::new();
        }
        let resolver = Resolver::with_facts(self, file, facts);
        let mut hints = Vec::new();
        for call in CallSite::within(syntax, span.clone()).iter().take(MAX_CALLS) {
            resolver.reset_steps();
            resolver.parameter_hints(file, syntax, call, text, &mut hints);
        }
        resolver.type_hints(file, syntax, &span, text, &mut hints);
        closing::closing_hints(syntax, &span, &mut hints);
        hints.retain(|hint| span.start <= hint.offset && hint.offset <= span.end);
        hints.sort_by_key(|hint| hint.offset);
        hints.dedup_by_key(|hint| hint.offset);
        hints
    }
}

impl Resolver<'_> {
    /// The certain callee of a call, and whether a receiver is given before it.
    fn certain_callee(&self, file: FileId, call: &CallSite) -> Option<(Callable, bool)> {
        self.reset_steps();
        let facts = self.facts(file);
        let site = facts.site_at(call.callee.start)?;
        let NameSite::Reference(r) = site else { return None };
        let reference = &facts.references[r as usize];
        if (reference.start as usize..reference.end as usize) != call.callee {
            return None;
        }
        let called = self.callables(file, site);
        let callable = match called.candidates[..] {
            [one] => one,
            _ => {
                let chosen = called.chosen?;
                // Of several overloads, one must match by its number of parameters.
                let matching =
                    called.candidates.iter().filter(|c| self.same_arity(c.id(), chosen)).count();
                *called.candidates.iter().find(|c| c.id() == chosen).filter(|_| matching == 1)?
            }
        };
        (called.origin != Some(Origin::UniqueName)).then_some((callable, called.bound))
    }

    fn same_arity(&self, a: crate::resolve::DefId, b: crate::resolve::DefId) -> bool {
        self.parameters(a).len() == self.parameters(b).len()
    }

    fn parameter_hints(
        &self,
        file: FileId,
        syntax: &Syntax,
        call: &CallSite,
        text: &dyn Fn(FileId) -> Option<Text>,
        hints: &mut Vec<Hint>,
    ) {
        if call.arguments.is_empty() {
            return;
        }
        let Some((callable, bound)) = self.certain_callee(file, call) else { return };
        let Some(source) = text(callable.id().file) else { return };
        let own_text = syntax.text();
        let name = own_text.slice(call.callee.clone());
        let Some(signature) = self.render_signature(callable, &name, bound, &source) else {
            return;
        };
        let language = self.language(file);
        let mut keywords: Vec<String> = Vec::new();
        for (span, position) in &call.arguments {
            let written =
                own_text.slice(span.start..span.end.min(span.start + argument::MAX_ARGUMENT));
            if written.starts_with(['*', '.']) && argument::is_unpacked(&written, language) {
                // After unpacked arguments, positions are unknown.
                break;
            }
            if language == "python"
                && let Some(keyword) = keyword_of(&written)
            {
                keywords.push(keyword.to_owned());
                continue;
            }
            let Some(n) = parameter_at(&signature.parameters, position - keywords.len(), &keywords)
            else {
                continue;
            };
            let parameter = &signature.parameters[n];
            let Some(parameter_name) = &parameter.name else { continue };
            let single = signature.parameters.len() == 1;
            let is_redundant = parameter.variadic
                || parameter.keywords
                || argument::is_self_explanatory(&written, parameter_name, &name, single)
                || own_text
                    .slice(span.start.saturating_sub(3)..span.start)
                    .trim_end()
                    .ends_with("*/");
            if !is_redundant {
                hints.push(Hint {
                    offset: span.start,
                    label: parameter_name.clone(),
                    kind: HintKind::Parameter,
                    location: parameter.place.clone().map(|place| (callable.id().file, place)),
                });
            }
        }
    }
}
