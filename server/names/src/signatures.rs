//! What a call that is being typed wants: its signatures, and which parameter stands where.

pub(crate) mod parameters;
mod render;

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use crate::call_site::CallSite;
use crate::dialect::Documentation;
use crate::facts::{Facts, Site};
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{Callables, Resolver};
pub(crate) use render::Parameter;

/// A call around a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calling {
    /// The bytes of the name that is called.
    pub callee: Range<usize>,
    /// What is called, as written.
    name: String,
    /// Arguments that end before the place.
    position: usize,
    /// The name that the argument there is given by.
    keyword: Option<String>,
    /// How many of the arguments before it are given by name.
    named_before: usize,
    /// The names of the others that are given by name.
    keywords: Vec<String>,
    /// Arguments that are written, wherever they stand.
    given: usize,
    /// The place.
    at: usize,
    /// The quote of a string that the place is in and that the line does not close.
    quote: Option<char>,
    /// Whether nothing is written yet where the place is.
    argument_is_empty: bool,
    /// Behind the parenthesis that closes the call.
    close: Option<usize>,
    /// Whether nothing follows on that line.
    ends_line: bool,
    /// Whether statements end with a semicolon.
    semicolons: bool,
}

/// The signatures that a call may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    /// Each of them, in order of place.
    pub all: Vec<Signature>,
    /// The one that is most likely meant.
    pub active: usize,
}

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// What is called with its parameters, on one line.
    pub label: String,
    /// The bytes of each parameter in the label.
    pub parameters: Vec<Range<usize>>,
    /// The parameter that the argument at the place is for; `None` where it is for none.
    pub active: Option<usize>,
    /// Whether it takes as many arguments as there are.
    pub fits: bool,
    /// Its documentation.
    pub documentation: Option<Documentation>,
}

impl Calling {
    /// The innermost call around a byte offset. O(tokens near it).
    #[must_use]
    pub fn around(syntax: &Syntax, offset: usize) -> Option<Self> {
        let site = CallSite::around(syntax, offset)?;
        let (position, own) = site.argument_at(syntax, offset);
        let text = syntax.text();
        let python = syntax.language().id() == "python";
        let keyword = |span: &Range<usize>| {
            let written = text.slice(span.start..span.end.min(span.start + 80));
            keyword_of(&written).map(str::to_owned).filter(|_| python)
        };
        let others = site.arguments.iter().filter(|a| a.1 != position);
        let before = site.arguments.iter().filter(|a| a.1 < position);
        Some(Self {
            name: text.slice(site.callee.clone()).into_owned(),
            callee: site.callee.clone(),
            position,
            keyword: own.as_ref().and_then(keyword),
            named_before: before.filter(|a| keyword(&a.0).is_some()).count(),
            keywords: others.filter_map(|a| keyword(&a.0)).collect(),
            given: site.arguments.len(),
            at: offset,
            quote: open_quote(&text.slice(site.open..offset), syntax.language().id()).filter(|q| {
                let line = text.line_span(text.line_of(offset));
                !text.slice(offset..line.end.max(offset)).contains(*q)
            }),
            argument_is_empty: own.is_none(),
            close: site.close,
            ends_line: site.close.is_some_and(|close| {
                let line = text.line_span(text.line_of(close));
                text.slice(close..line.end.max(close)).trim().is_empty()
            }),
            semicolons: !python,
        })
    }

    /// Arguments that it has, the one that is about to be written included.
    fn wanted(&self) -> usize {
        let begun = self.position > 0 || self.close.is_none();
        self.given.max(if begun { self.position + 1 } else { 0 })
    }

    /// What may be put into the text, the last place first, so that what is called can be told
    /// though the call is not finished.
    #[must_use]
    pub fn missing(&self) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        let semicolon = if self.semicolons { ";" } else { "" };
        if let Some(quote) = self.quote {
            return vec![(self.at, format!("{quote}){semicolon}"))];
        }
        match self.close {
            Some(close) => {
                if self.ends_line && self.semicolons {
                    all.push((close, semicolon.to_owned()));
                }
                if self.argument_is_empty {
                    all.push((self.at, "_".to_owned()));
                }
            }
            None => all.push((self.at, format!("_){semicolon}"))),
        }
        all
    }
}

/// The quote that opens before the end of a line and is not closed there.
fn open_quote(written: &str, language: &str) -> Option<char> {
    let (mut quote, mut escaped) = (None, false);
    for c in written.rsplit('\n').next()?.chars() {
        match quote {
            Some(q) if c == q && !escaped => quote = None,
            None if c == '"' || c == '\'' && language != "rust" => quote = Some(c),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    quote
}

/// The name that an argument is given by.
pub(crate) fn keyword_of(written: &str) -> Option<&str> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let end = written.find(|c| !part(c))?;
    let behind = written[end..].trim_start();
    (end > 0 && behind.starts_with('=') && !behind.starts_with("==")).then(|| &written[..end])
}

impl Index {
    /// The files that define what a call may call, for their texts. `facts` are those of the
    /// file's text with the call in it.
    #[must_use]
    pub fn called_files(&self, file: FileId, facts: &Facts, calling: &Calling) -> Vec<FileId> {
        if !self.files.contains_key(&file) {
            return Vec::new();
        }
        let resolver = Resolver::over(self, file, facts);
        let called = callables(&resolver, file, facts, calling);
        let mut files: Vec<FileId> = called.all.iter().map(|c| c.id().file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// What a call may call, with the parameter that the place is in. `text` gives the text of a
    /// file that the index holds.
    #[must_use]
    pub fn signatures(
        &self,
        file: FileId,
        facts: &Facts,
        calling: &Calling,
        text: &dyn Fn(FileId) -> Option<Text>,
    ) -> Option<Signatures> {
        if !self.files.contains_key(&file) {
            return None;
        }
        let resolver = Resolver::over(self, file, facts);
        let called = callables(&resolver, file, facts, calling);
        let mut all: Vec<(Signature, bool)> = Vec::new();
        for callable in &called.all {
            let Some(source) = text(callable.id().file) else { continue };
            let Some(shown) = resolver.shown(*callable, &calling.name, called.bound, &source)
            else {
                continue;
            };
            let active = active(&shown.parameters, calling);
            let (label, parameters) = shown.label();
            let documentation = shown.documentation.clone();
            let fits = shown.takes(calling.wanted());
            let signature = Signature { label, parameters, active, fits, documentation };
            if !all.iter().any(|o| o.0.label == signature.label) {
                all.push((signature, called.chosen == Some(callable.id())));
            }
        }
        let chosen = all.iter().position(|a| a.1 && a.0.fits);
        let chosen = chosen.or_else(|| all.iter().position(|a| a.0.fits));
        let chosen = chosen.or_else(|| all.iter().position(|a| a.1)).unwrap_or(0);
        let all: Vec<Signature> = all.into_iter().map(|a| a.0).collect();
        (!all.is_empty()).then_some(Signatures { all, active: chosen })
    }
}

/// What a call may call.
fn callables(resolver: &Resolver<'_>, file: FileId, facts: &Facts, calling: &Calling) -> Callables {
    let constructors =
        matches!(facts.language().id(), "java" | "javascript" | "typescript" | "tsx");
    if constructors && matches!(&*calling.name, "super" | "this") {
        let at = u32::try_from(calling.callee.start).unwrap_or(u32::MAX);
        return resolver.constructors_around(file, at, calling.name == "super");
    }
    let site = facts.site(calling.callee.start).filter(|site| {
        let (start, end) = match site {
            Site::Reference(r) => {
                let r = &facts.references[*r as usize];
                (r.start, r.end)
            }
            Site::Definition(d) => {
                let d = &facts.definitions[*d as usize];
                (d.name_start, d.name_end)
            }
        };
        (start as usize..end as usize) == calling.callee
    });
    let Some(site) = site else { return Callables::default() };
    let called = resolver.callables(file, site);
    match called.origin {
        Some(Origin::UniqueName) if called.all.len() > 1 => Callables::default(),
        _ => called,
    }
}

/// The parameter that the argument at the place of a call is for.
fn active(parameters: &[Parameter], calling: &Calling) -> Option<usize> {
    if let Some(keyword) = &calling.keyword {
        let named = parameters.iter().position(|p| p.name.as_deref() == Some(keyword));
        return named.or_else(|| parameters.iter().position(|p| p.keywords));
    }
    parameter_at(parameters, calling.position - calling.named_before, &calling.keywords)
}

/// The parameter that the argument at a position among those without names is for, some others
/// being given by name.
pub(crate) fn parameter_at(
    parameters: &[Parameter],
    position: usize,
    keywords: &[String],
) -> Option<usize> {
    let mut places = parameters.iter().enumerate().filter(|(_, p)| {
        let named = p.name.as_ref().is_some_and(|n| keywords.contains(n));
        !p.keywords && !named
    });
    let variadic = || parameters.iter().position(|p| p.variadic);
    match places.nth(position) {
        Some((n, p)) if !p.keyword_only && variadic().is_none_or(|v| n <= v) => Some(n),
        Some((n, p)) if p.keyword_only && !keywords.is_empty() => Some(n),
        _ => variadic(),
    }
}
