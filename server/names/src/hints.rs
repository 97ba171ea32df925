//! What an editor may show between the words of a text: the names of parameters where arguments
//! stand, the types of variables that are declared without one.

mod argument;
mod closing;
mod variable;

use std::ops::Range;

use rustc_hash::FxHashSet;
use syntax::Syntax;
use text::Text;

use crate::call_site::CallSite;
use crate::facts::{Facts, Site};
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{Callable, Resolver};
use crate::signatures::{keyword_of, parameter_at};

/// Most calls that are looked at for one answer.
const CALLS: usize = 2_000;

/// Something to show between two words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The byte that it stands before.
    pub at: usize,
    /// What is shown, without punctuation.
    pub label: String,
    /// What it tells.
    pub kind: HintKind,
    /// Where that is defined: the file, and the bytes of the name there.
    pub place: Option<(FileId, Range<usize>)>,
}

/// What a hint tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// The name of a parameter, before an argument.
    Parameter,
    /// The type of a variable, behind its name.
    Type,
    /// What ends at a closing brace, behind it.
    Closing,
}

impl Index {
    /// The files that define what is called in a part of a text, for their texts.
    #[must_use]
    pub fn hinted_files(
        &self,
        file: FileId,
        facts: &Facts,
        syntax: &Syntax,
        span: Range<usize>,
    ) -> Vec<FileId> {
        if !self.files.contains_key(&file) {
            return Vec::new();
        }
        let resolver = Resolver::over(self, file, facts);
        let calls = CallSite::within(syntax, span.clone());
        let hinted = calls.iter().take(CALLS).filter(|call| !call.arguments.is_empty());
        let mut files: FxHashSet<FileId> = hinted
            .filter_map(|call| Some(resolver.only_callable(file, call)?.0.id().file))
            .collect();
        files.extend(resolver.giving(file, &span).into_iter().map(|(_, id)| id.file));
        files.into_iter().collect()
    }

    /// The hints of a part of a text, in order of place. `text` gives the text of a file that the
    /// index holds. O(names in that part).
    #[must_use]
    pub fn hints(
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
        let resolver = Resolver::over(self, file, facts);
        let mut hints = Vec::new();
        for call in CallSite::within(syntax, span.clone()).iter().take(CALLS) {
            resolver.refresh();
            resolver.parameter_hints(file, syntax, call, text, &mut hints);
        }
        resolver.type_hints(file, syntax, &span, text, &mut hints);
        closing::closing_hints(syntax, &span, &mut hints);
        hints.retain(|hint| span.start <= hint.at && hint.at <= span.end);
        hints.sort_by_key(|hint| hint.at);
        hints.dedup_by_key(|hint| hint.at);
        hints
    }
}

impl Resolver<'_> {
    /// What a call is sure to call, and whether the object is given before it.
    fn only_callable(&self, file: FileId, call: &CallSite) -> Option<(Callable, bool)> {
        self.refresh();
        let facts = self.facts(file);
        let site = facts.site(call.callee.start)?;
        let Site::Reference(r) = site else { return None };
        let reference = &facts.references[r as usize];
        if (reference.start as usize..reference.end as usize) != call.callee {
            return None;
        }
        let called = self.callables(file, site);
        let callable = match called.all[..] {
            [one] => one,
            _ => {
                let chosen = called.chosen?;
                // Of overloads the arguments have to choose one.
                let sure = called.all.iter().filter(|c| self.same_arity(c.id(), chosen)).count();
                *called.all.iter().find(|c| c.id() == chosen).filter(|_| sure == 1)?
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
        let Some((callable, bound)) = self.only_callable(file, call) else { return };
        let Some(source) = text(callable.id().file) else { return };
        let own = syntax.text();
        let name = own.slice(call.callee.clone());
        let Some(shown) = self.shown(callable, &name, bound, &source) else { return };
        let language = self.language(file);
        let mut keywords: Vec<String> = Vec::new();
        for (span, position) in &call.arguments {
            let written = own.slice(span.start..span.end.min(span.start + argument::LONGEST));
            if written.starts_with(['*', '.']) && argument::spreads(&written, language) {
                // From here on nobody knows which is which.
                break;
            }
            if language == "python"
                && let Some(keyword) = keyword_of(&written)
            {
                keywords.push(keyword.to_owned());
                continue;
            }
            let Some(n) = parameter_at(&shown.parameters, position - keywords.len(), &keywords)
            else {
                continue;
            };
            let parameter = &shown.parameters[n];
            let Some(named) = &parameter.name else { continue };
            let single = shown.parameters.len() == 1;
            let told = parameter.variadic
                || parameter.keywords
                || argument::tells(&written, named, &name, single)
                || own.slice(span.start.saturating_sub(3)..span.start).trim_end().ends_with("*/");
            if !told {
                hints.push(Hint {
                    at: span.start,
                    label: named.clone(),
                    kind: HintKind::Parameter,
                    place: parameter.place.clone().map(|place| (callable.id().file, place)),
                });
            }
        }
    }
}
