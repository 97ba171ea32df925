//! Renders a signature on one line.

use std::ops::Range;

use text::Text;

use super::parameters::{MAX_DECLARATION, ParameterList, ParameterSource, parse_parameters};
use crate::describe::documentation;
use crate::dialect::Documentation;
use crate::facts::NONE;
use crate::resolve::{Callable, Resolver};
use crate::vocabulary::{DefinitionKind, Flags};

/// Limit for a rendered parameter or result, in bytes.
const MAX_LENGTH: usize = 240;

/// A function with its parameters.
#[derive(Debug, Clone, Default)]
pub(crate) struct RenderedSignature {
    /// The text before the parameters.
    head: String,
    /// The text after them.
    pub(crate) tail: String,
    /// Its parameters, without the receiver.
    pub(crate) parameters: Vec<Parameter>,
    /// Separators between parameters (`*`, `/`), by the index of the parameter that follows.
    separators: Vec<(usize, String)>,
    pub(crate) documentation: Option<Documentation>,
}

/// A parameter of a function.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameter {
    /// Its name, if it has one.
    pub(crate) name: Option<String>,
    /// The bytes of its name, if it is in the facts.
    pub(crate) place: Option<Range<usize>>,
    /// Its text on one line.
    pub(crate) written: String,
    /// Whether it takes any number of arguments.
    pub(crate) variadic: bool,
    /// Whether it collects keyword arguments: `**kwargs`.
    pub(crate) keywords: bool,
    /// Whether it is keyword-only.
    pub(crate) keyword_only: bool,
}

impl RenderedSignature {
    /// The signature on one line, with the bytes of each parameter.
    pub(crate) fn label(&self) -> (String, Vec<Range<usize>>) {
        let mut label = format!("{}(", self.head);
        let (mut spans, mut first) = (Vec::new(), true);
        let mut separators = self.separators.iter().peekable();
        for n in 0..=self.parameters.len() {
            while let Some((_, mark)) = separators.next_if(|m| m.0 == n) {
                if !std::mem::take(&mut first) {
                    label.push_str(", ");
                }
                label.push_str(mark);
            }
            let Some(parameter) = self.parameters.get(n) else { break };
            if !std::mem::take(&mut first) {
                label.push_str(", ");
            }
            let start = label.len();
            label.push_str(&parameter.written);
            spans.push(start..label.len());
        }
        label.push(')');
        label.push_str(&self.tail);
        (label, spans)
    }

    /// Whether it can be called with this many arguments, or more.
    pub(crate) fn accepts(&self, count: usize) -> bool {
        let any = self.parameters.iter().any(|p| p.variadic || p.keywords);
        any || count <= self.parameters.len()
    }
}

impl Resolver<'_> {
    /// Renders a callable from the text of its file.
    pub(crate) fn render_signature(
        &self,
        callable: Callable,
        called: &str,
        bound: bool,
        text: &Text,
    ) -> Option<RenderedSignature> {
        let id = callable.id();
        let facts = self.facts(id.file);
        let def = self.def(id);
        let language = facts.language.id();
        let name_end = def.name_end as usize;
        let (base, reading, body) = match callable {
            Callable::Function(_) => (name_end, ParameterSource::AfterName, def.body),
            Callable::Typed(_) => (name_end, ParameterSource::Type, NONE),
            Callable::Lambda(_, scope) => {
                (facts.scopes[scope as usize].start as usize, ParameterSource::Lambda, scope)
            }
        };
        let after = text.slice(base..base + MAX_DECLARATION);
        let is_macro = def.kind == DefinitionKind::Macro;
        if is_macro && !after.starts_with('(') {
            return None;
        }
        let (after, base, written) = match parse_parameters(&after, reading, language) {
            Some(written) => (after, base, written),
            None if reading == ParameterSource::AfterName => {
                // `name: function (…)`, `name = (…) => …`
                let rest = after.trim_start().strip_prefix([':', '='])?.trim_start();
                let base = base + after.len() - rest.len();
                let written = parse_parameters(rest, ParameterSource::Lambda, language)?;
                (rest.to_owned().into(), base, written)
            }
            None => return None,
        };
        let mut rendered =
            RenderedSignature { head: called.to_owned(), ..RenderedSignature::default() };
        let bound = bound || def.flags.has(Flags::CLASS_METHOD);
        let mut keyword_only = false;
        for (n, span) in written.parameters.iter().enumerate() {
            let whole = &after[span.clone()];
            if language == "python" && matches!(whole, "*" | "/") {
                keyword_only |= whole == "*";
                rendered.separators.push((rendered.parameters.len(), whole.to_owned()));
                continue;
            }
            if whole == "void" && written.parameters.len() == 1 {
                continue;
            }
            let place = base + span.start..base + span.end;
            let definition = if body == NONE { &[][..] } else { facts.all_in_scope(body) };
            let definition = definition.iter().map(|&d| &facts.definitions[d as usize]).find(|d| {
                let inside = place.contains(&(d.name_start as usize));
                d.kind == DefinitionKind::Parameter && inside && d.name_start < d.name_end
            });
            let flags = definition.map_or(Flags::default(), |d| d.flags);
            if n == 0 && bound && (flags.has(Flags::SELF) || is_self(whole, language)) {
                continue;
            }
            let stars = whole.bytes().take_while(|b| *b == b'*').count();
            let python = language == "python";
            let variadic = python && stars == 1 || !python && is_variadic(whole, language);
            rendered.parameters.push(Parameter {
                name: definition
                    .map(|d| facts.strings.text(d.name).to_owned())
                    .or_else(|| name_of(whole, language).map(str::to_owned)),
                place: definition.map(|d| d.name_start as usize..d.name_end as usize),
                written: one_line(whole),
                variadic,
                keywords: python && stars == 2,
                keyword_only,
            });
            keyword_only |= python && stars == 1;
        }
        self.add_result_and_documentation(&mut rendered, callable, text, &after, &written);
        Some(rendered)
    }

    /// Adds the result type and the documentation.
    fn add_result_and_documentation(
        &self,
        rendered: &mut RenderedSignature,
        callable: Callable,
        text: &Text,
        after: &str,
        written: &ParameterList,
    ) {
        let id = callable.id();
        let facts = self.facts(id.file);
        let def = self.def(id);
        let language = facts.language.id();
        rendered.tail = result_after(
            &after[written.list.end..],
            language,
            matches!(callable, Callable::Lambda(..)),
        )
        .unwrap_or_default();
        let constructs = def.kind == DefinitionKind::Constructor || def.kind.is_type();
        let prefixed = matches!(language, "c" | "cpp" | "java") && !constructs;
        if prefixed && matches!(callable, Callable::Function(_)) {
            let start = (def.start as usize).min(def.name_start as usize);
            let before = text.slice(start..def.name_start as usize);
            if let Some(result) = result_before(&before) {
                rendered.head = format!("{result}{}", rendered.head);
            }
        }
        rendered.documentation =
            documentation::of_definition(text, &facts.definition(id.def), language);
        if rendered.documentation.is_none() && def.kind == DefinitionKind::Method {
            // A constructor is documented by its class.
            let name = facts.strings.text(def.name);
            let class = matches!(name, "__init__" | "constructor").then(|| self.container_type(id));
            let class = class.flatten().filter(|class| class.file == id.file);
            rendered.documentation = class.and_then(|c| {
                documentation::of_definition(text, &facts.definition(c.def), language)
            });
        }
    }
}

fn is_self(written: &str, language: &str) -> bool {
    match language {
        "rust" => {
            let written = written.trim_start_matches('&').trim_start();
            let written = match written.strip_prefix('\'') {
                Some(lifetime) => lifetime.split_once(' ').map_or("", |(_, rest)| rest),
                None => written,
            };
            let written = written.strip_prefix("mut ").unwrap_or(written).trim();
            written == "self" || written.starts_with("self:") || written.starts_with("self :")
        }
        "typescript" | "tsx" => written.starts_with("this:"),
        _ => false,
    }
}

fn is_variadic(written: &str, language: &str) -> bool {
    match language {
        "rust" => false,
        "go" => written.contains("..."),
        "javascript" | "typescript" | "tsx" => written.starts_with("..."),
        _ => written.contains("..."),
    }
}

/// The name of a parameter, from its text alone.
fn name_of<'w>(written: &'w str, language: &str) -> Option<&'w str> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name = match language {
        "java" | "c" | "cpp" => {
            let whole = written.split('=').next()?.trim_end();
            let whole = whole.trim_end_matches(|c: char| matches!(c, '[' | ']') || c.is_numeric());
            let start = whole.rfind(|c| !part(c))? + 1;
            &whole[start..]
        }
        _ => {
            let written = written.trim_start_matches(['*', '.']);
            let written = written.strip_prefix("mut ").unwrap_or(written);
            let (name, rest) =
                written.split_at(written.find(|c| !part(c)).unwrap_or(written.len()));
            let rest = rest.trim_start();
            // The fields of a tuple struct have types only.
            let named = rest.starts_with(':') && !rest.starts_with("::");
            if language == "rust" && !named {
                return None;
            }
            name
        }
    };
    (!name.is_empty() && !name.starts_with(char::is_numeric)).then_some(name)
}

/// A text on one line, with single blanks.
pub(super) fn one_line(written: &str) -> String {
    let mut out = String::new();
    for word in written.split_whitespace() {
        let tight = out.is_empty() || out.ends_with(['(', '[']) || word.starts_with([')', ']']);
        if !tight {
            out.push(' ');
        }
        out.push_str(word);
    }
    if out.len() > MAX_LENGTH {
        let at = (0..=MAX_LENGTH).rev().find(|&at| out.is_char_boundary(at)).unwrap_or(0);
        out.truncate(at);
        out.push('…');
    }
    out
}

/// The result type that is written after the parameters.
fn result_after(after: &str, language: &str, arrow: bool) -> Option<String> {
    let blank: &[char] = if language == "go" { &[' ', '\t'] } else { &[' ', '\t', '\r', '\n'] };
    let trimmed = after.trim_start_matches(blank);
    let (sign, rest) = match language {
        "python" | "rust" => (" -> ", trimmed.strip_prefix("->")?),
        "typescript" | "tsx" => match trimmed.strip_prefix(':') {
            Some(rest) => (": ", rest),
            None => return None,
        },
        "go" => (" ", trimmed),
        _ => return None,
    };
    let mut depth = 0_i32;
    let mut end = rest.len().min(MAX_LENGTH * 2);
    let mut last = ' ';
    for (at, c) in rest.char_indices() {
        let first = rest[..at].trim().is_empty();
        let word = rest[..at].trim_end();
        match c {
            '{' if language == "go"
                && (word.ends_with("interface") || word.ends_with("struct")) =>
            {
                depth += 1;
            }
            '{' if depth == 0 && (!first || language == "go") => {
                end = at;
                break;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => {
                end = at;
                break;
            }
            ')' | ']' | '}' => depth -= 1,
            ':' if language == "python" && depth == 0 => {
                end = at;
                break;
            }
            ';' | ',' if depth == 0 => {
                end = at;
                break;
            }
            '\n' if depth == 0
                && (!first || language == "go")
                && language != "rust"
                && !matches!(last, '|' | '&') =>
            {
                end = at;
                break;
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    let written = rest.get(..end)?;
    let written = if language == "rust" { written.split("\nwhere").next()? } else { written };
    let written = written.split(" where ").next()?;
    let written = match written.rfind("=>").filter(|_| arrow) {
        Some(at) => &written[..at],
        None => written,
    };
    let written = written.split("//").next()?.trim();
    (!written.is_empty() && written.len() <= MAX_LENGTH)
        .then(|| format!("{sign}{}", one_line(written)))
}

/// The result type that is written before the name, including a blank or pointer mark.
fn result_before(before: &str) -> Option<String> {
    const MODIFIERS: &[&str] = &[
        "public",
        "private",
        "protected",
        "static",
        "final",
        "abstract",
        "virtual",
        "inline",
        "constexpr",
        "explicit",
        "extern",
        "synchronized",
        "native",
        "default",
        "friend",
        "override",
        "strictfp",
        "const_cast",
        "__inline",
    ];
    let last = before.rsplit([';', '}', ')']).next()?;
    let kept: Vec<&str> = last
        .split_whitespace()
        .filter(|w| !MODIFIERS.contains(w) && !w.starts_with('@') && !w.ends_with("::"))
        .collect();
    let mut result = kept.join(" ");
    if result.is_empty() || result.len() > 80 || result.contains(['{', '=', '#']) {
        return None;
    }
    if !result.ends_with(['*', '&']) || before.ends_with(char::is_whitespace) {
        result.push(' ');
    }
    Some(result)
}
