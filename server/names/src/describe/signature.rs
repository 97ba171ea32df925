//! Hover signatures: a declaration as written, without its body.

use text::Text;

use crate::facts::Definition;
use crate::vocabulary::DefinitionKind;

/// Limits for a signature.
const MAX_BYTES: usize = 1_200;
const MAX_LINES: usize = 16;

/// The declaration of a definition, from its start (or its line's start, if only modifiers precede
/// it) to its body.
pub(super) fn declaration_text(
    text: &Text,
    definition: &Definition<'_>,
    language: &str,
) -> Option<String> {
    let name = &definition.name_span;
    let line_start = text.line_start(text.line_of(name.start));
    let holds_value = matches!(
        definition.kind,
        DefinitionKind::Variable
            | DefinitionKind::Constant
            | DefinitionKind::Field
            | DefinitionKind::EnumMember
            | DefinitionKind::Import
    );
    let mut start = definition.span.start.min(name.start);
    if holds_value || text.slice(line_start..start).trim().len() <= 40 {
        let before = text.slice(line_start..start);
        // Include modifiers such as `export const`, `pub static` or `unsigned`, but no outer
        // statement.
        let declares = before.chars().all(|c| {
            c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '*' | '&' | '(' | ')')
        });
        if declares && !before.contains('(') || before.trim() == "pub(crate)" {
            start = line_start;
        }
    }
    let end = (definition.span.end.max(name.end)).min(start + MAX_BYTES * 4);
    let whole = text.slice(start..end.max(name.end));
    let from = name.end - start;
    let end_of_declaration = match definition.kind {
        DefinitionKind::Parameter | DefinitionKind::TypeParameter => whole.len(),
        DefinitionKind::Macro | DefinitionKind::TypeAlias => {
            declaration_end(&whole, from, language, false)
        }
        _ if holds_value => declaration_end(&whole, from, language, false),
        _ => declaration_end(&whole, from, language, true),
    };
    let written =
        whole.get(..end_of_declaration)?.trim_end_matches([' ', '\t', '\n', '\r', ',', ';', '=']);
    let written = written.strip_suffix("=>").unwrap_or(written).trim_end();
    let mut signature = dedented(written);
    if signature.len() > MAX_BYTES {
        let at = (0..=MAX_BYTES).rev().find(|&at| signature.is_char_boundary(at)).unwrap_or(0);
        signature.truncate(at);
        signature.push('…');
    }
    (!signature.trim().is_empty()).then_some(signature)
}

/// The offset at which the body starts, or at which the line ends if there is no body.
fn declaration_end(text: &str, from: usize, language: &str, callable: bool) -> usize {
    let (mut depth, mut type_braces) = (0_i32, 0_i32);
    let mut last = ' ';
    let mut word_start = from;
    let mut quote = None;
    for (at, c) in text.char_indices().filter(|(at, _)| *at >= from) {
        if let Some(q) = quote {
            if c == q && last != '\\' || c == '\n' && q != '`' {
                quote = None;
            }
            last = c;
            continue;
        }
        match c {
            '"' | '`' => quote = Some(c),
            '\'' if language != "rust" => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth > 0 || type_braces > 0 => type_braces += 1,
            '{' => {
                let word = text[word_start..at].trim();
                let is_type_literal = matches!(last, ':' | '|' | '&')
                    && language.contains("script")
                    || language == "tsx" && last == ':'
                    || matches!(word, "interface" | "struct") && text[at..].starts_with("{}");
                if !is_type_literal {
                    return at;
                }
                type_braces += 1;
            }
            '}' => type_braces -= 1,
            ':' if language == "python" && depth <= 0 && callable => return at,
            ';' if depth <= 0 && type_braces <= 0 => return at,
            '=' if callable && depth <= 0 && language == "cpp" => return at,
            '\n' if depth <= 0
                && type_braces <= 0
                && (!callable && !matches!(last, '=' | '|' | '\\' | ',' | '&')) =>
            {
                return at;
            }
            _ => {}
        }
        if !c.is_alphanumeric() {
            word_start = at + c.len_utf8();
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    text.len()
}

/// The text without the indentation that all lines after the first share.
fn dedented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let rest = text.lines().skip(1).filter(|l| !l.trim().is_empty());
    let common = rest.map(indent).min().unwrap_or(0);
    let mut lines: Vec<&str> = text
        .lines()
        .take(MAX_LINES)
        .enumerate()
        .map(|(n, line)| if n == 0 { line.trim() } else { line.get(common..).unwrap_or("") })
        .collect();
    if text.lines().count() > MAX_LINES {
        lines.push("…");
    }
    lines.iter_mut().for_each(|line| *line = line.trim_end());
    lines.join("\n")
}
