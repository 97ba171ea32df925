//! Template markup in a file of another language: `{% if x %}` in JavaScript, `<%= x %>` in XML.
//! The template's output may be valid, its source is not.

use crate::Syntax;

/// How much text around one error is searched, in bytes.
const SEARCHED_BYTES: usize = 64 << 10;

/// Languages that static site generators (Jekyll, Eleventy, Hugo) process with front matter, and in
/// which a line of dashes means nothing else.
const WITH_FRONT_MATTER: &[&str] =
    &["css", "html", "javascript", "json", "jsonc", "scss", "typescript", "xml"];
/// Longest front matter, in bytes.
const MAX_FRONT_MATTER_LEN: usize = 16 << 10;

impl Syntax {
    /// Whether the text starts with YAML front matter between two lines of dashes. Then it is a
    /// template.
    pub(super) fn has_front_matter(&self) -> bool {
        let text = self.text();
        let head = text.slice(0..text.len().min(MAX_FRONT_MATTER_LEN));
        let head = head.strip_prefix('\u{feff}').unwrap_or(&head);
        let mut lines = head.lines();
        WITH_FRONT_MATTER.contains(&self.language().id())
            && lines.next().is_some_and(|line| line.trim_end() == "---")
            && lines.any(|line| line.trim_end() == "---")
    }

    /// Whether the text around an error contains template markup. Markup in error-free strings and
    /// comments does not count.
    pub(super) fn is_template(&self) -> bool {
        let text = self.text();
        self.error_nodes(super::MAX_TREE_ERRORS, super::MAX_TREE_LEVELS).into_iter().any(|node| {
            let start = text.line_start(text.line_of(node.start_byte()));
            let end = text.line_of(node.end_byte().min(start + SEARCHED_BYTES)) + 1;
            let end = if end < text.line_count() { text.line_start(end) } else { text.len() };
            text.slice(start..end).lines().any(has_markup)
        })
    }
}

/// Whether a line has a tag of Jinja, Liquid, ERB, EJS, Go or Mustache outside of quotes.
fn has_markup(line: &str) -> bool {
    let has_tag = |open: &str, close: &str, fits: fn(&str) -> bool| {
        line.match_indices(open).any(|(at, _)| {
            let inside = &line[at + open.len()..];
            let inside = inside.find(close).map(|end| &inside[..end]);
            inside.is_some_and(fits) && is_outside_quotes(&line[..at])
        })
    };
    let is_tag = |inside: &str| {
        let word = inside.trim_start_matches(['-', '+', '=', '#', '@', '!']).trim_start();
        word.starts_with(|c: char| c.is_alphanumeric() || "_.$@}('\"".contains(c))
    };
    has_tag("{%", "%}", is_tag) || has_tag("<%", "%>", is_tag) || has_tag("{{", "}}", is_expression)
}

/// Whether the text between `{{` and `}}` is a template expression, not a code block or a list: `{{
/// name | upper }}`, but not `{{1, 2}}` or `{{ color: red }}`.
fn is_expression(inside: &str) -> bool {
    let word = inside.trim_start_matches(['-', '#', '/', '^', '>', '&', '!']).trim_start();
    if !word.starts_with(|c: char| c.is_alphabetic() || "_.$\"".contains(c)) {
        return false;
    }
    let (mut quote, mut depth) = (None, 0_usize);
    for c in word.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ',' | ':' | ';' | '=' | '{') if depth == 0 => return false,
            _ => {}
        }
    }
    true
}

/// Whether `before` ends outside of strings, and not before the value of an attribute.
fn is_outside_quotes(before: &str) -> bool {
    ['"', '\'', '`'].iter().all(|quote| before.matches(*quote).count() % 2 == 0)
        && !before.trim_end().ends_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_template_languages_are_markup() {
        for line in [
            "{% extends \"base.html\" %}",
            "{%- if plural -%}",
            "<%= classify(name) %>",
            "<% 10.times do |i| %>",
            "  name: {{ .Values.name | quote }}",
            "{{- include \"chart.labels\" . | nindent 4 }}",
            "{{#each items}}",
            "{{ macro(a, b) }}",
        ] {
            assert!(has_markup(line), "{line}");
        }
    }

    #[test]
    fn code_is_no_markup() {
        for line in [
            "x = {{1, 2}, {3, 4}};",
            "<div style={{ color }}>",
            "<div style={{ color: 'red' }}>",
            "format!(\"{{name}}\"",
            "'{% if x %}' +",
            "a = b {% c",
            "if (a <% b) {}",
            "{{ let x = 1; x }}",
        ] {
            assert!(!has_markup(line), "{line}");
        }
    }
}
