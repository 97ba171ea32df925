//! Every name is looked at again in the texts as they would be.

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use super::Subject;
use crate::actions::site::Site;
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::facts::{Facts, Role, Site as At};
use crate::index::{FileId, Index};
use crate::resolve::Resolver;

/// How a name is found in its file.
#[derive(Debug, PartialEq)]
enum Way {
    /// At the top, defined or imported.
    Top,
    /// Further inside.
    Inside,
    No,
}

/// Refuses what would change how a name is found.
pub(super) fn holds(
    site: &Site<'_>,
    subject: &Subject<'_>,
    new: &str,
    code: &str,
    old: &[(Range<usize>, String)],
) -> Result<(), ActionRefusal> {
    let (parsed, facts) = read(site, new)?;
    if parsed.root().has_error() {
        return Err(refusal(Why::Syntax, "the new file would not be whole"));
    }
    let start = new.rfind(code.trim_end()).unwrap_or(0);
    let (before, after) =
        (Names::of(site.index, site.file, site.facts), Names::of(site.index, site.file, &facts));
    // Words in front of it may have been added: places are counted from the end.
    let (end_old, end_new) =
        (subject.span.start + subject.code(site).trim_end().len(), start + code.trim_end().len());
    before.same(
        &after,
        |at| {
            (subject.span.start <= at && at < end_old).then(|| (end_new + at).checked_sub(end_old))
        },
        "",
    )?;
    let mut text = site.source.clone();
    for (span, with) in old.iter().rev() {
        text.replace_range(span.clone(), with);
    }
    let (parsed, facts) = read(site, &text)?;
    if parsed.root().has_error() {
        return Err(refusal(Why::Syntax, "what is left of the file would not be whole"));
    }
    let after = Names::of(site.index, site.file, &facts);
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
    before.same(&after, place, " in the file that it leaves")
}

fn read(site: &Site<'_>, text: &str) -> Result<(Syntax, Facts), ActionRefusal> {
    let gone = || refusal(Why::Interrupted, "nobody waits for it");
    let language = site.place.syntax.language();
    let interrupt = site.place.interrupt;
    let parsed = Syntax::parse(language, &Text::new(text), None, interrupt).ok_or_else(gone)?;
    let facts = Facts::of(&parsed, interrupt).ok_or_else(gone)?;
    Ok((parsed, facts))
}

struct Names<'a> {
    file: FileId,
    facts: &'a Facts,
    resolver: Resolver<'a>,
}

impl<'a> Names<'a> {
    fn of(index: &'a Index, file: FileId, facts: &'a Facts) -> Self {
        Self { file, facts, resolver: Resolver::over(index, file, facts) }
    }

    fn way(&self, r: u32) -> Way {
        let reference = &self.facts.references[r as usize];
        let name = self.facts.strings.text(reference.name);
        let (scope, at) = (reference.scope, reference.start);
        let space = reference.namespace;
        let found = self.resolver.lexical(self.file, scope, at, reference.name, name, space);
        let own = found.iter().find(|f| f.id.file == self.file && f.id.def != 0);
        match own.map(|f| self.facts.definitions[f.id.def as usize].scope) {
            Some(0) => Way::Top,
            Some(_) => Way::Inside,
            None => Way::No,
        }
    }

    fn same(
        &self,
        other: &Names<'_>,
        place: impl Fn(usize) -> Option<Option<usize>>,
        which: &str,
    ) -> Result<(), ActionRefusal> {
        for (r, reference) in self.facts.references.iter().enumerate() {
            let plain = reference.role == Role::Plain && reference.start < reference.end;
            let Some(to) = place(reference.start as usize).filter(|_| plain) else { continue };
            let name = self.facts.strings.text(reference.name);
            let there = to.and_then(|to| other.facts.site(to)).and_then(|at| match at {
                At::Reference(r) => Some(r),
                At::Definition(_) => None,
            });
            let before = self.way(r as u32);
            let after = there.map(|r| other.way(r));
            // In Go and Java the other file is seen without an import.
            let seen = matches!(self.facts.language.id(), "go" | "java")
                && before == Way::Top
                && after == Some(Way::No);
            if after.as_ref() != Some(&before) && !seen {
                if there.is_none()
                    && matches!(self.facts.site(reference.start as usize), Some(At::Definition(_)))
                {
                    continue;
                }
                let why = format!("`{name}` would be found another way{which}");
                return Err(refusal(Why::Conflict, why));
            }
        }
        Ok(())
    }
}
