//! Verifies a move: every name must resolve in the new texts as it did before.

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use super::MovedItem;
use crate::actions::context::ActionContext;
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::facts::{Facts, NameSite as FactSite, ReferenceRole};
use crate::index::{FileId, Index};
use crate::resolve::Resolver;

/// Where a name of a file is defined.
#[derive(Debug, PartialEq)]
enum DefinedIn {
    /// FactSite the top, defined or imported.
    TopLevel,
    /// In an inner scope.
    Inside,
    Nowhere,
}

/// Checks that every name in the moved code and in the rest of the file is still defined in the
/// same kind of scope.
pub(super) fn check_resolution(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    new: &str,
    code: &str,
    old: &[(Range<usize>, String)],
) -> Result<(), ActionRefusal> {
    let (parsed, facts) = parse(ctx, new)?;
    if parsed.root().has_error() {
        return Err(refusal(Reason::Syntax, "the new file would have a syntax error"));
    }
    let start = new.rfind(code.trim_end()).unwrap_or(0);
    let (before, after) = (
        FileNames::new(ctx.index, ctx.file, ctx.facts),
        FileNames::new(ctx.index, ctx.file, &facts),
    );
    // Visibility keywords may be added at the start, so count offsets from the end.
    let (end_old, end_new) =
        (item.span.start + item.code(ctx).trim_end().len(), start + code.trim_end().len());
    before.check_same(
        &after,
        |at| (item.span.start <= at && at < end_old).then(|| (end_new + at).checked_sub(end_old)),
        "",
    )?;
    let mut text = ctx.source.clone();
    for (span, with) in old.iter().rev() {
        text.replace_range(span.clone(), with);
    }
    let (parsed, facts) = parse(ctx, &text)?;
    if parsed.root().has_error() {
        return Err(refusal(Reason::Syntax, "the old file would have a syntax error"));
    }
    let after = FileNames::new(ctx.index, ctx.file, &facts);
    let place = |at: usize| {
        let inside = |(span, _): &&(Range<usize>, String)| span.contains(&at);
        if old.iter().any(|edit| inside(&edit)) {
            return None;
        }
        let mut to = at as isize;
        for (span, with) in old.iter().filter(|(span, _)| span.end <= at) {
            to += with.len() as isize - span.len() as isize;
        }
        Some(usize::try_from(to).ok())
    };
    before.check_same(&after, place, " in the old file")
}

fn parse(ctx: &ActionContext<'_>, text: &str) -> Result<(Syntax, Facts), ActionRefusal> {
    let cancelled = || refusal(Reason::Interrupted, "the request was cancelled");
    let language = ctx.request.syntax.language();
    let interrupt = ctx.request.interrupt;
    let parsed =
        Syntax::parse(language, &Text::new(text), None, interrupt).ok_or_else(cancelled)?;
    let facts = Facts::lower(&parsed, interrupt).ok_or_else(cancelled)?;
    Ok((parsed, facts))
}

struct FileNames<'a> {
    file: FileId,
    facts: &'a Facts,
    resolver: Resolver<'a>,
}

impl<'a> FileNames<'a> {
    fn new(index: &'a Index, file: FileId, facts: &'a Facts) -> Self {
        Self { file, facts, resolver: Resolver::with_facts(index, file, facts) }
    }

    /// Where the name of a reference is defined.
    fn defined_in(&self, r: u32) -> DefinedIn {
        let reference = &self.facts.references[r as usize];
        let name = self.facts.strings.text(reference.name);
        let (scope, at) = (reference.scope, reference.start);
        let space = reference.namespace;
        let found =
            self.resolver.resolve_in_scopes(self.file, scope, at, reference.name, name, space);
        let own = found.iter().find(|f| f.id.file == self.file && f.id.def != 0);
        match own.map(|f| self.facts.definitions[f.id.def as usize].scope) {
            Some(0) => DefinedIn::TopLevel,
            Some(_) => DefinedIn::Inside,
            None => DefinedIn::Nowhere,
        }
    }

    /// Checks that the references that `place` maps to the other text are defined in the same kind
    /// of scope there.
    fn check_same(
        &self,
        other: &FileNames<'_>,
        place: impl Fn(usize) -> Option<Option<usize>>,
        which: &str,
    ) -> Result<(), ActionRefusal> {
        for (r, reference) in self.facts.references.iter().enumerate() {
            let plain = reference.role == ReferenceRole::Plain && reference.start < reference.end;
            let Some(to) = place(reference.start as usize).filter(|_| plain) else { continue };
            let name = self.facts.strings.text(reference.name);
            let there = to.and_then(|to| other.facts.site_at(to)).and_then(|at| match at {
                FactSite::Reference(r) => Some(r),
                FactSite::Definition(_) => None,
            });
            let before = self.defined_in(r as u32);
            let after = there.map(|r| other.defined_in(r));
            // In Go and Java, the new file sees the old one's definitions without an import.
            let seen = matches!(self.facts.language.id(), "go" | "java")
                && before == DefinedIn::TopLevel
                && after == Some(DefinedIn::Nowhere);
            if after.as_ref() != Some(&before) && !seen {
                if there.is_none()
                    && matches!(
                        self.facts.site_at(reference.start as usize),
                        Some(FactSite::Definition(_))
                    )
                {
                    continue;
                }
                let why = format!("`{name}` would resolve differently{which}");
                return Err(refusal(Reason::Conflict, why));
            }
        }
        Ok(())
    }
}
