//! Signature help: the signatures of the call under the cursor, and its active parameter.

pub(crate) mod parameters;
mod render;

use std::ops::Range;

use syntax::Syntax;
use text::Text;

use crate::call_site::CallSite;
use crate::dialect::Documentation;
use crate::facts::{Facts, NameSite};
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{Callables, Resolver};
pub(crate) use render::Parameter;

/// The call around the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallAtCursor {
    /// The bytes of the callee's name.
    pub callee: Range<usize>,
    /// The callee's name.
    name: String,
    /// Index of the argument at the cursor.
    position: usize,
    /// The keyword of the argument at the cursor: `name=…`.
    keyword: Option<String>,
    /// How many arguments before it are keyword arguments.
    named_before: usize,
    /// The keywords of the other arguments.
    keywords: Vec<String>,
    /// How many arguments are written, before and after the cursor.
    argument_total: usize,
    /// The cursor's byte offset.
    at: usize,
    /// The quote of a string that contains the cursor and is not closed on its line.
    quote: Option<char>,
    /// Whether the argument at the cursor is still empty.
    argument_is_empty: bool,
    /// The offset after the closing parenthesis.
    close: Option<usize>,
    /// Whether nothing follows the closing parenthesis on its line.
    ends_line: bool,
    /// Whether the language ends statements with a semicolon.
    semicolons: bool,
}

/// The possible signatures of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    /// All signatures, in order of definition.
    pub all: Vec<Signature>,
    /// The index of the most likely one.
    pub active_signature: usize,
}

/// A signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The callee with its parameters, on one line.
    pub label: String,
    /// The bytes of each parameter in the label.
    pub parameters: Vec<Range<usize>>,
    /// The parameter of the argument at the cursor, if there is one.
    pub active_parameter: Option<usize>,
    /// Whether it accepts the number of arguments that are written.
    pub accepts_argument_count: bool,
    /// Its documentation.
    pub documentation: Option<Documentation>,
}

impl CallAtCursor {
    /// The innermost call around a byte offset. O(tokens near it).
    #[must_use]
    pub fn at_offset(syntax: &Syntax, offset: usize) -> Option<Self> {
        let call = CallSite::around(syntax, offset)?;
        let (position, own) = call.argument_at(syntax, offset);
        let text = syntax.text();
        let python = syntax.language().id() == "python";
        let keyword = |span: &Range<usize>| {
            let written = text.slice(span.start..span.end.min(span.start + 80));
            keyword_of(&written).map(str::to_owned).filter(|_| python)
        };
        let others = call.arguments.iter().filter(|a| a.1 != position);
        let before = call.arguments.iter().filter(|a| a.1 < position);
        Some(Self {
            name: text.slice(call.callee.clone()).into_owned(),
            callee: call.callee.clone(),
            position,
            keyword: own.as_ref().and_then(keyword),
            named_before: before.filter(|a| keyword(&a.0).is_some()).count(),
            keywords: others.filter_map(|a| keyword(&a.0)).collect(),
            argument_total: call.arguments.len(),
            at: offset,
            quote: open_quote(&text.slice(call.open..offset), syntax.language().id()).filter(|q| {
                let line = text.line_span(text.line_of(offset));
                !text.slice(offset..line.end.max(offset)).contains(*q)
            }),
            argument_is_empty: own.is_none(),
            close: call.close,
            ends_line: call.close.is_some_and(|close| {
                let line = text.line_span(text.line_of(close));
                text.slice(close..line.end.max(close)).trim().is_empty()
            }),
            semicolons: !python,
        })
    }

    /// The number of arguments, including the one that is about to be written.
    fn argument_count(&self) -> usize {
        let begun = self.position > 0 || self.close.is_none();
        self.argument_total.max(if begun { self.position + 1 } else { 0 })
    }

    /// Insertions that complete the call so that it parses and resolves; the last position first.
    #[must_use]
    pub fn completing_insertions(&self) -> Vec<(usize, String)> {
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

/// The quote that is opened but not closed on the last line.
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

/// The keyword of a keyword argument.
pub(crate) fn keyword_of(written: &str) -> Option<&str> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let end = written.find(|c| !part(c))?;
    let after = written[end..].trim_start();
    (end > 0 && after.starts_with('=') && !after.starts_with("==")).then(|| &written[..end])
}

impl Index {
    /// The files that define the possible callees, whose texts `signatures` needs. `facts` must
    /// belong to the text that contains the call.
    #[must_use]
    pub fn files_of_callees(
        &self,
        file: FileId,
        facts: &Facts,
        calling: &CallAtCursor,
    ) -> Vec<FileId> {
        if !self.files.contains_key(&file) {
            return Vec::new();
        }
        let resolver = Resolver::with_facts(self, file, facts);
        let callees = callables(&resolver, file, facts, calling);
        let mut files: Vec<FileId> = callees.candidates.iter().map(|c| c.id().file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The signatures of the possible callees. `text` returns the text of an indexed file.
    #[must_use]
    pub fn signatures(
        &self,
        file: FileId,
        facts: &Facts,
        calling: &CallAtCursor,
        text: &dyn Fn(FileId) -> Option<Text>,
    ) -> Option<Signatures> {
        if !self.files.contains_key(&file) {
            return None;
        }
        let resolver = Resolver::with_facts(self, file, facts);
        let callees = callables(&resolver, file, facts, calling);
        let mut all: Vec<(Signature, bool)> = Vec::new();
        for callable in &callees.candidates {
            let Some(source) = text(callable.id().file) else { continue };
            let Some(rendered) =
                resolver.render_signature(*callable, &calling.name, callees.bound, &source)
            else {
                continue;
            };
            let active = active_parameter(&rendered.parameters, calling);
            let (label, parameters) = rendered.label();
            let documentation = rendered.documentation.clone();
            let fits = rendered.accepts(calling.argument_count());
            let signature = Signature {
                label,
                parameters,
                active_parameter: active,
                accepts_argument_count: fits,
                documentation,
            };
            if !all.iter().any(|o| o.0.label == signature.label) {
                all.push((signature, callees.chosen == Some(callable.id())));
            }
        }
        let chosen = all.iter().position(|a| a.1 && a.0.accepts_argument_count);
        let chosen = chosen.or_else(|| all.iter().position(|a| a.0.accepts_argument_count));
        let chosen = chosen.or_else(|| all.iter().position(|a| a.1)).unwrap_or(0);
        let all: Vec<Signature> = all.into_iter().map(|a| a.0).collect();
        (!all.is_empty()).then_some(Signatures { all, active_signature: chosen })
    }
}

/// The possible callees.
fn callables(
    resolver: &Resolver<'_>,
    file: FileId,
    facts: &Facts,
    calling: &CallAtCursor,
) -> Callables {
    let constructors =
        matches!(facts.language().id(), "java" | "javascript" | "typescript" | "tsx");
    if constructors && matches!(&*calling.name, "super" | "this") {
        let at = u32::try_from(calling.callee.start).unwrap_or(u32::MAX);
        return resolver.constructors_around(file, at, calling.name == "super");
    }
    let site = facts.site_at(calling.callee.start).filter(|site| {
        let (start, end) = match site {
            NameSite::Reference(r) => {
                let r = &facts.references[*r as usize];
                (r.start, r.end)
            }
            NameSite::Definition(d) => {
                let d = &facts.definitions[*d as usize];
                (d.name_start, d.name_end)
            }
        };
        (start as usize..end as usize) == calling.callee
    });
    let Some(site) = site else { return Callables::default() };
    let callees = resolver.callables(file, site);
    match callees.origin {
        Some(Origin::UniqueName) if callees.candidates.len() > 1 => Callables::default(),
        _ => callees,
    }
}

/// The parameter of the argument at the cursor.
fn active_parameter(parameters: &[Parameter], calling: &CallAtCursor) -> Option<usize> {
    if let Some(keyword) = &calling.keyword {
        let named = parameters.iter().position(|p| p.name.as_deref() == Some(keyword));
        return named.or_else(|| parameters.iter().position(|p| p.keywords));
    }
    parameter_at(parameters, calling.position - calling.named_before, &calling.keywords)
}

/// The parameter of the positional argument at `position`, when `keywords` are given by name.
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
